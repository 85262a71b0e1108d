"""The answers that hold when a run has ended, for people: as CSV, or as Turtle.

What has begun and not ceased is kept as text until then, some 0.5 KB each. An answer in the last
instant that was closed is one that holds.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Final, NamedTuple, TypeAlias

import pyoxigraph as ox

from r4.answers.ledger import INSERTED
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.sinks.output import SinkContext
from r4.time.ticks import Tick
from rete.arrays.delta import NEG_INF, POS_INF
from rif.syntax.terms import IRI, Literal, parse_canonical

COLUMNS: Final = ("s", "p", "o", "atom", "error", "from", "until", "rule")

_Texts: TypeAlias = tuple[str, ...]
"""A triple, an atom, or nothing: an error."""


class _Standing(NamedTuple):
    """When an answer began, when it will end, and the number of the rule that derived it."""

    start: Tick
    end: Tick
    rule: int


class CurrentState:
    """The base of these sinks: it keeps what holds.

    Attributes:
        left_out: answers that hold and that the form cannot express.
        begun: answers that began, whether they hold or not.
    """

    def __init__(self, context: SinkContext) -> None:
        self.left_out = 0
        self.begun = 0
        self._context = context
        self._terms = context.terms
        self._instances = context.instances
        self._standing: dict[tuple[_Texts, Tick], _Standing] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing holds."""
        return not self._standing

    def render(self, changes: Changes) -> bytes:
        """Nothing yet: ``changes`` are taken in."""
        triples = (changes.kind == TRIPLE).nonzero()[0].tolist()
        texts = iter(self._terms.decode_many(changes.triples[triples].ravel()))
        of_triples = dict(zip(triples, zip(texts, texts, texts, strict=True), strict=True))
        for i in range(len(changes)):
            fact: _Texts = of_triples.get(i, ())
            if not fact and changes.kind[i] != INCONSISTENT:
                fact = (changes.atoms[i],)
            start = int(changes.start[i])
            key = fact, start if self._instances else 0
            if changes.op[i] == INSERTED:
                self.begun += 1
                end = int(changes.end[i]) if self._instances else POS_INF
                self._standing[key] = _Standing(start, end, int(changes.rule[i]))
            else:
                self._standing.pop(key, None)
        return b""

    def _sorted(self) -> Iterator[tuple[_Texts, _Standing]]:
        for (fact, _), standing in sorted(self._standing.items()):
            yield fact, standing


class CsvState(CurrentState):
    """CSV: a row for each answer, in the order of its texts, under a row of names.

    IRIs are written without brackets, literals without datatype and language [SPARQL 1.1 Query
    Results CSV, section 3]; so two terms may look alike.
    """

    def finish(self) -> bytes:
        """The whole document, in UTF-8."""
        rows = [csv_row(COLUMNS)]
        for fact, (start, end, rule) in self._sorted():
            triple = map(plain_text, fact) if len(fact) == len(COLUMNS[:3]) else ("", "", "")
            atom, error = fact[0] if len(fact) == 1 else "", "" if fact else "true"
            label = self._context.labels[rule - 1] if rule else ""
            times = self._time(start), self._time(end)
            rows.append(csv_row((*triple, atom, error, *times, label or "")))
        return "".join(rows).encode()

    def _time(self, tick: Tick) -> str:
        return self._context.clock.text(tick) if NEG_INF // 2 < tick < POS_INF // 2 else ""


class TurtleState(CurrentState):
    """Turtle: the triples alone, by subject, with the prefixes of the rules that occur."""

    def finish(self) -> bytes:
        """The whole document, in UTF-8."""
        triples: dict[ox.Triple, None] = {}
        for fact, _ in self._sorted():
            if triple := _triple(fact):
                triples[triple] = None
            else:
                self.left_out += 1
        text = "".join(map(str, triples))
        used = {
            name: iri
            for name, iri in self._context.prefixes.items()
            if f"<{iri}" in text and _is_prefix_of_turtle(name, iri)
        }
        document = ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes=used)
        assert document is not None  # as there is no file to write it to
        return document


def csv_row(cells: Iterable[str | int]) -> str:
    """A line of CSV.

    Of line breaks the writer quotes those of its own alone, so it writes CRLF.
    """
    out = StringIO()
    csv.writer(out).writerow(cells)
    return f"{out.getvalue()[:-2]}\n"


def plain_text(text: str) -> str:
    """A term as CSV has it: what an IRI, or a literal, is without brackets and quotes."""
    match parse_canonical(text):
        case IRI(value) | Literal(value):
            return value
        case _:
            return text


def _is_prefix_of_turtle(name: str, iri: str) -> bool:
    """Whether Turtle can declare a prefix of rules; its names do not begin with ``_``."""
    try:
        ox.NamedNode(iri)
    except ValueError:
        return False
    return not name.startswith("_")


def _triple(fact: _Texts) -> ox.Triple | None:
    """A triple of RDF; None: it is none."""
    try:
        ((s, p, o, _),) = ox.parse(f"{' '.join(fact)} .", ox.RdfFormat.N_QUADS, lenient=True)
    except (SyntaxError, ValueError):
        return None
    return ox.Triple(s, p, o)
