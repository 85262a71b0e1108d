"""Gas in the oil of three power transformers: SYNTHETIC readings, written as N-Quads.

    python examples/transformer.py | r4 run examples/transformer.rif -

An oil thermal fault shows when ethylene above 30 ppm and ethane above 70 ppm have both been seen
within ten minutes [DRedMTL26]. The two sensors do not report at the same minute, so nothing but the
window brings their readings together. Each answer is a line: an alarm begins (+) or ceases (-).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

START = datetime(2030, 1, 1, tzinfo=UTC)
HOURS = 24
GAS = "urn:example:gas:"
PROV = "http://www.w3.org/ns/prov#generatedAtTime"
XSD = "http://www.w3.org/2001/XMLSchema#"

# Transformer -> hours in which its oil is overheated. T3 never is.
OVERHEATED = {"T1": range(6, 8), "T2": range(15, 16), "T3": range(0)}


def readings() -> Iterator[tuple[datetime, str, str, float]]:
    """Minute, transformer, gas, ppm: ethylene every 3 minutes, ethane every 7."""
    random = Random(7)  # noqa: S311 - no secret; the same readings every time
    for minute in range(HOURS * 60):
        at = START + timedelta(minutes=minute)
        for transformer, hours in OVERHEATED.items():
            heat = 1.0 if at.hour in hours else 0.0
            if minute % 3 == 0:
                yield at, transformer, "ethylene", random.gauss(18 + 14 * heat, 3)
            if minute % 7 == 0:
                yield at, transformer, "ethane", random.gauss(48 + 24 * heat, 5)


def quads() -> Iterator[str]:
    """The stream: one graph a reading, and its stamp."""
    yield f'<{GAS}readings> <http://purl.org/dc/terms/description> "synthetic data" .\n'
    for number, (at, transformer, gas, ppm) in enumerate(readings()):
        graph, reading = f"<{GAS}element:{number}>", f"<{GAS}reading:{number}>"
        yield f'{graph} <{PROV}> "{at:%Y-%m-%dT%H:%M:%SZ}"^^<{XSD}dateTime> .\n'
        yield f"{reading} <{GAS}of> <{GAS}{transformer}> {graph} .\n"
        yield f'{reading} <{GAS}{gas}> "{ppm:.1f}"^^<{XSD}decimal> {graph} .\n'


if __name__ == "__main__":
    sys.stdout.writelines(quads())
