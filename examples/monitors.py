"""Which nodes of a network monitor a signal: SYNTHETIC data, written as N-Quads.

    python examples/monitors.py | r4 run examples/monitors.rif -

A node that hears a signal every 20 seconds for two minutes flags it; its neighbours then monitor it
for five minutes, and flag it too [Walega19, Example 1]. The rules are recursive, and one
concludes what holds later (BoxPlus). Node a monitors always; links come and go.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from operator import itemgetter

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
NET = "urn:example:net:"
PROV = "http://www.w3.org/ns/prov#"
DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"

# (node, neighbour, from minute, to minute), and (from minute, to minute) with a beat in 10 seconds.
LINKS = [("b", "a", 0, 10), ("c", "b", 8, 20)]
BEATS = [(1, 6), (9, 14)]


def elements() -> Iterator[tuple[datetime, datetime | None, str]]:
    """Start, end and triple of each element."""
    for node, neighbour, up, down in LINKS:
        triple = f"<{NET}{node}> <{NET}connected> <{NET}{neighbour}>"
        yield NOON + timedelta(minutes=up), NOON + timedelta(minutes=down), triple
    for first, last in BEATS:
        for beat in range(6 * first, 6 * last + 1):
            at = NOON + timedelta(seconds=10 * beat)
            yield at, None, f"<{NET}hum> <{NET}is> <{NET}Heard>"


def quads() -> Iterator[str]:
    """The stream: one graph an element, with its stamp, and its end if it has one."""
    yield f'<{NET}data> <http://purl.org/dc/terms/description> "synthetic data" .\n'
    for number, (start, end, triple) in enumerate(sorted(elements(), key=itemgetter(0))):
        graph = f"<{NET}element:{number}>"
        yield f'{graph} <{PROV}generatedAtTime> "{start:%Y-%m-%dT%H:%M:%SZ}"^^<{DATE_TIME}> .\n'
        if end is not None:
            yield f'{graph} <{PROV}invalidatedAtTime> "{end:%Y-%m-%dT%H:%M:%SZ}"^^<{DATE_TIME}> .\n'
        yield f"{triple} {graph} .\n"


if __name__ == "__main__":
    sys.stdout.writelines(quads())
