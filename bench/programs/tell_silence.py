"""How soon silence is told: ``python -m bench.programs.tell_silence [TIMES]``.

`r4 run --clock wall` reads sensors from a pipe. Each sensor is read once, and then silent; that it
has not been read for 2 s is due 2 s and the delay later. Printed is how much later than that the
line comes, of so many sensors. Then it is measured how soon after an element has been written its
answer comes with ``--order arrival``: if an empty line ends the element, and if silence does.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread
from time import sleep
from typing import IO, Final

from bench.harness.tables import TextTable

RULES: Final = """
Document( Prefix(ex <urn:ex:>) Window(2 s) Group(
  Forall ?x ( ?x[ex:is -> ex:silent] :-
    And( ?x[ex:is -> ex:sensor] Naf( Exists ?v ( ?x[ex:reads -> ?v] ) ) ) )
  Forall ?x ?v ( ?x[ex:has -> ?v] :- ?x[ex:reads -> ?v] ) ) )
"""
STAMP: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
DATE_TIME: Final = "<http://www.w3.org/2001/XMLSchema#dateTime>"
DELAY: Final = timedelta(seconds=1)
WINDOW: Final = timedelta(seconds=2)
SPACING: Final = 0.3


class Run:
    """A run of the rules over a pipe."""

    def __init__(self, folder: Path, sensors: int, *options: str) -> None:
        rules, static = folder / "rules.rif", folder / "sensors.nt"
        rules.write_text(RULES, encoding="utf-8")
        is_sensor = "<urn:ex:is> <urn:ex:sensor> .\n"
        static.write_text("".join(f"<urn:ex:s{n}> {is_sensor}" for n in range(sensors)))
        command = [sys.executable, "-m", "r4", "run", str(rules), "--static", str(static), "-"]
        self._process = Popen([*command, *options], stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout

    def read(self, sensor: int, *, end: str = "") -> datetime:
        """Write the reading of a sensor; when."""
        at = datetime.now(UTC)
        graph, stamp = f"<urn:g{sensor}>", f'"{at.isoformat(timespec="milliseconds")}"^^{DATE_TIME}'
        text = f'{graph} {STAMP} {stamp} .\n<urn:ex:s{sensor}> <urn:ex:reads> "1" {graph} .\n{end}'
        self._to.write(text.encode())
        self._to.flush()
        return at

    def line(self) -> tuple[dict[str, str], datetime]:
        """The next line that is told, and when."""
        text = self._from.readline()
        return json.loads(text), datetime.now(UTC)

    def wait(self, part: str) -> datetime:
        """When a line comes that has ``part``."""
        while True:
            line, at = self.line()
            if any(part in str(value) for value in line.values()):
                return at

    def close(self) -> None:
        """End the run."""
        self._to.close()
        self._process.kill()
        self._process.wait()


def silence(times: int, folder: Path) -> list[float]:
    """How many milliseconds after it is due each silence is told."""
    run = Run(folder, times, "--clock", "wall", "--delay", "1s")
    run.wait("silent")  # of a sensor that has never been read: time has begun
    due: dict[str, datetime] = {}
    told: dict[str, datetime] = {}

    def listen() -> None:
        while len(told) < times:
            line, at = run.line()
            if line["op"] == "+" and line["at"] and "silent" in line["o"]:
                told[line["s"]] = at

    listener = Thread(target=listen)
    listener.start()
    for sensor in range(times):
        due[f"<urn:ex:s{sensor}>"] = run.read(sensor) + WINDOW + DELAY
        sleep(SPACING)
    listener.join()
    run.close()
    return [(told[sensor] - due[sensor]) / timedelta(milliseconds=1) for sensor in due]


def completion(times: int, folder: Path, end: str) -> list[float]:
    """How many milliseconds after it was written the answer of each element comes."""
    run = Run(folder, 1, "--order", "arrival")
    run.read(times, end=end)
    run.wait(f"urn:ex:s{times}>")
    found = []
    for sensor in range(times):
        sleep(SPACING)
        written = run.read(sensor, end=end)
        told = run.wait(f"urn:ex:s{sensor}>")
        found.append((told - written) / timedelta(milliseconds=1))
    run.close()
    return found


def main(times: int) -> None:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "silence of 2 s is told after it is due": silence(times, folder),
            "answer after an element that an empty line ends": completion(times, folder, "\n"),
            "answer after an element that silence ends": completion(times, folder, ""),
        }
    rows = tuple((title, *_summary(each)) for title, each in found.items())
    heads = ("milliseconds", "median", "99th percentile", "most")
    sys.stdout.write(str(TextTable(f"{times} times", heads, rows)))


def _summary(found: Sequence[float]) -> tuple[str, str, str]:
    ordered = [f"{each:.0f}" for each in sorted(found)]
    last = len(ordered) - 1
    return ordered[last // 2], ordered[round(0.99 * last)], ordered[last]


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100)
