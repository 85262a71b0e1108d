"""How the time of a reader grows with an input that repeats one piece: 1, 2, 4 and 8 MB.

usage: python -m tests.hostile_input.growth [NAME…]

NAME is a reader, or a reader and an input as in ``turtle/dots``; all by default. Prints the seconds
of processor time that reading takes, and the largest ratio of a size to the half of it; exit 1 if
one is above `MOST_RATIO`, or a megabyte takes too long. Where that is so, all sizes are read again,
up to `ROUNDS` times, and the least times count: what else the machine does takes time from some
reads, and gives none to any.
Less than `LEAST_SECONDS` count as that much: the start of a command says nothing about growth.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click

from tests.hostile_input.fuzzing.campaign import (
    SECONDS,
    limit_memory,
    parse_here,
    reading_of,
    resident_megabytes,
)
from tests.hostile_input.fuzzing.readers import READERS

MEGABYTE: Final = 1 << 20
SIZES: Final = (1, 2, 4, 8)
"""In megabytes."""
ROUNDS: Final = 8
MOST_RATIO: Final = 2.2
LEAST_SECONDS: Final = 0.1
SLACK: Final = 20.0
"""Processor seconds of a megabyte, or less, after which a process is ended."""


class Growing(NamedTuple):
    """An input of any size: ``piece`` as often as it fits between ``before`` and ``after``.

    ``seconds``: processor time that a megabyte may take. Rules without an error are compiled, which
    takes longer than to read them.
    """

    piece: bytes
    before: bytes = b""
    after: bytes = b""
    seconds: float = SECONDS

    def of(self, size: int) -> bytes:
        """The input of ``size`` bytes, or some fewer."""
        room = size - len(self.before) - len(self.after)
        return self.before + self.piece * (room // len(self.piece)) + self.after


_RDF: Final = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:">'
_RULE: Final = b"Forall ?x (<urn:q>(?x) :- <urn:p>(?x))\n"

INPUTS: Final[dict[str, Growing]] = {
    "rdf-xml/open": Growing(b"<"),
    "rdf-xml/cdata": Growing(b"<!["),
    "rdf-xml/instructions": Growing(b"<?"),
    "rdf-xml/comments": Growing(b"<!--"),
    "rdf-xml/doctypes": Growing(b"<!DOCTYPE r ["),
    "rdf-xml/entities": Growing(b'<!ENTITY a "', b"<!DOCTYPE r ["),
    "rdf-xml/attributes": Growing(b"<a b='"),
    "rdf-xml/blanks": Growing("<!ENTITY a\u0085'b'>".encode(), b"<!DOCTYPE r ["),
    "rdf-xml/elements": Growing(b"<p>a</p>\n", _RDF + b"<a>", b"</a></rdf:RDF>"),
    "rdf-xml/nested": Growing(b"<a><p>", _RDF),
    "json-ld/quotes": Growing(b'"\\', b"["),
    "json-ld/arrays": Growing(b"["),
    "json-ld/objects": Growing(b'{"@id":'),
    "json-ld/nodes": Growing(b'{"@id":"urn:a","urn:p":1},', b"[", b"{}]"),
    "json-ld/values": Growing(b"1,", b'[{"@id":"urn:a","urn:p":[', b"1]}]"),
    "json-ld/context": Growing(b'"a":"urn:b",', b'{"@context":{', b'"c":"urn:d"}}'),
    "json-ld-lines/open": Growing(b"{\n"),
    "n-quads/line": Growing(b"x"),
    "n-quads/malformed": Growing(b"x\n"),
    "n-quads/strings": Growing(b'<urn:a> <urn:p> "x\n'),
    "n-quads/triples": Growing(b"<urn:a> <urn:p> <urn:b> .\n"),
    "turtle/dots": Growing(b"."),
    "turtle/words": Growing(b"x .\n"),
    "turtle/quotes": Growing(b'" .\n'),
    "turtle/brackets": Growing(b"[", b"<urn:a> <urn:p> "),
    "turtle/lists": Growing(b"(", b"<urn:a> <urn:p> "),
    "turtle/comments": Growing(b"#\n"),
    "turtle/prefixes": Growing(b"@prefix a: <urn:> .\n"),
    "turtle/triples": Growing(b"<urn:a> <urn:p> 1 .\n"),
    "trig/braces": Growing(b"{"),
    "trig/graphs": Growing(b"{}\n"),
    "rdf-patch/rows": Growing(b"A \n"),
    "rdf-patch/transactions": Growing(b"TX .\nTC .\n"),
    "csv-rows/quotes": Growing(b'"', b"place,when,wind,cars\n"),
    "csv-rows/rows": Growing(b"a,b,c,d\n", b"place,when,wind,cars\n"),
    "csv-rows/header": Growing(b"a,"),
    "ndjson/open": Growing(b"{"),
    "ndjson/lines": Growing(b"{\n"),
    "ndjson/quotes": Growing(b'"\\', b"{"),
    "rules/parentheses": Growing(b"("),
    "rules/documents": Growing(b"Document("),
    "rules/comments": Growing(b"(* "),
    "rules/words": Growing(b"x "),
    "rules/strings": Growing(b'"\\', b'Document(Group(<urn:p>("'),
    "rules/conditions": Growing(b"And(", b"Document(Group(<urn:p>(1) :- "),
    "rules/rules": Growing(_RULE, b"Document(Group(", b"))", 10),
    "rules-xml/open": Growing(b"<"),
    "rules-xml/elements": Growing(b"<Group>"),
    "rules-xml/attributes": Growing(b"<a b='"),
    "mtl-rules/parentheses": Growing(b"("),
    "mtl-rules/operators": Growing(b"Diamondminus[0,1]", b"A(X) :- "),
    "mtl-rules/rules": Growing(b"A(X) :- Diamondminus[0,1]B(X)\n"),
    "mtl-rules/malformed": Growing(b"x\n"),
    "mtl-facts/malformed": Growing(b"x\n"),
    "mtl-facts/facts": Growing(b"Z(a)@0\n"),
    "mtl-facts/line": Growing(b"Z("),
    "mtl-tables/rows": Growing(b"a,b\n"),
    "temporal-datalog/malformed": Growing(b"x\n"),
    "temporal-datalog/line": Growing(b"Goal(X,T) "),
    "arrivals/malformed": Growing(b"x\n"),
    "arrivals/facts": Growing(b"Temp(a,high,0)\n"),
    "mapping/tables": Growing(b"[rows]\n"),
    "configuration/quotes": Growing(b'"'),
    "literals/digits": Growing(b"9"),
    "durations/digits": Growing(b"9"),
    "patterns/groups": Growing(b"("),
    "patterns/words": Growing(b"a"),
}
"""By the name of their reader and their own."""


def times_of(name: str) -> tuple[list[float], str]:
    """The least processor times of reading each of `SIZES`; what was wrong, or ""."""
    times = [math.inf] * len(SIZES)
    slow = ""
    for _ in range(ROUNDS):
        for place, size in enumerate(SIZES):
            data = INPUTS[name].of(size * MEGABYTE)
            (found,) = read_in_a_process(name.partition("/")[0], [data])
            if found.wrong:
                return times, found.wrong
            times[place] = min(times[place], found.seconds)
        most = INPUTS[name].seconds
        slow = ", ".join(
            f"more than {most * size:.0f} s for {size} MB"
            for size, spent in zip(SIZES, times, strict=True)
            if spent > most * size
        )
        if not slow and largest_ratio(times) <= MOST_RATIO:
            break
    return times, slow


def largest_ratio(numbers: Iterable[float], least: float = LEAST_SECONDS) -> float:
    """How much more a number is than the one before, at most; each counts as ``least`` at least."""
    counted = [max(each, least) for each in numbers]
    return max(after / before for before, after in pairwise(counted))


def main(names: list[str]) -> int:
    """Measure the inputs of ``names``; the exit code."""
    chosen = [
        each for each in INPUTS if not names or each in names or each.partition("/")[0] in names
    ]
    slow = 0
    for name in chosen:
        seconds, wrong = times_of(name)
        ratio = largest_ratio(seconds)
        times = "  ".join(f"{spent:7.3f}" for spent in seconds)
        slow += ratio > MOST_RATIO or bool(wrong)
        click.echo(f"{name:28}  {times} s  ratio {ratio:5.2f}  {wrong}".rstrip())
    click.echo(f"{len(chosen)} inputs, {slow} that grow too fast or break a reader")
    return 1 if slow else 0


class Reading(NamedTuple):
    """What reading an input took: processor time, and memory beside what the process had before.

    ``wrong`` says what happened if it was neither read nor refused.
    """

    seconds: float
    megabytes: float
    wrong: str

    def least(self, other: Reading) -> Reading:
        """The least of each: what else the machine does takes time, and gives none."""
        return Reading(
            min(self.seconds, other.seconds),
            min(self.megabytes, other.megabytes),
            self.wrong or other.wrong,
        )


@cache
def warm(reader: str) -> None:
    """Read an example here, so that no process imports what all of them need."""
    with TemporaryDirectory() as folder:
        reading_of(reader, READERS[reader].samples[0], Path(folder))


def read_in_a_process(reader: str, inputs: Sequence[bytes]) -> list[Reading]:
    """What reading each of ``inputs`` takes, one after another in a process of their own."""
    warm(reader)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        gc.freeze()  # else each collection goes through all that the tests before have left here
        limit_memory()
        parse_here()
        with TemporaryDirectory() as folder:
            for data in inputs:
                before = resident_megabytes(reset=True)
                signal.setitimer(signal.ITIMER_PROF, SLACK * max(1, len(data) / MEGABYTE))
                what, _, spent = reading_of(reader, data, Path(folder))
                more = resident_megabytes() - before
                last = what.strip().rpartition("\n")[2]
                os.write(writing, f"{spent} {more} {last}".encode("utf-8", "replace") + b"\0")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        parts = [each.split(" ", 2) for each in told.read().split("\0")[:-1]]
    _, status = os.waitpid(child, 0)
    found = [Reading(float(seconds), float(more), wrong) for seconds, more, wrong in parts]
    code = os.waitstatus_to_exitcode(status)
    if len(found) < len(inputs):
        found.append(Reading(0, 0, signal.Signals(-code).name if code < 0 else f"exit {code}"))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
