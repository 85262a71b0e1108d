"""Answers and late elements as RDF, a stream again: N-Quads, TriG, JSON-LD lines, RDF Patch.

What begins to hold is an element, a named graph that is named by when it began, with its end if
that is known, else ``urn:r4:never``. What ceases to hold is an element, too, which names the graph
in which its triples began (`r4.stream.source.ENDS`); in RDF Patch rows ``D`` say so. What always
holds is in the default graph; a line of JSON-LD is a document, so there it is in `ALWAYS`.

What holds at a mark of time is an element, too, with that mark and without an end; RDF Patch has no
such form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import pyoxigraph as ox

from r4.answers.ledger import DELETED
from r4.answers.output_order import MARK, TRIPLE, Changes
from r4.answers.periodic_report import STANDING
from r4.property_paths import about_name
from r4.sinks.file import ByteWriter
from r4.sinks.output import SinkContext
from r4.stream.elements.judged_elements import (
    END_TERM,
    KIND,
    NAME,
    RETRACTED,
    SIZE,
    START_TERM,
    TICK,
    JudgedElements,
)
from r4.stream.elements.judged_elements import ENDS as ENDING
from r4.stream.source import (
    ALWAYS,
    ANSWERS,
    END_PREDICATE,
    ENDS,
    NEVER,
    RETRACTS,
    START_PREDICATE,
    StreamOptions,
)
from r4.time.ticks import Kind, StampFormat, Tick
from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary

_TIME: Final = f"<{ANSWERS[:-1]}>"
"""The name of elements without triples, which move time and complete what stands before them."""


class _Answer(NamedTuple):
    """An answer that RDF can express.

    Attributes:
        begins: whether it begins or holds, or ends.
        text: its statement, without a graph.
        start, end: when it began, and when it ends.
        stands: whether it is told that it holds, neither that it begins nor that it ends.
    """

    begins: bool
    text: str
    start: Tick
    end: Tick
    stands: bool = False


class _Instants:
    """The base of these sinks: changes instant by instant.

    Attributes:
        left_out: answers that RDF cannot express (atoms, errors, literals as subjects), and ends of
            what always held.
        has_blank_nodes: whether blank nodes are the same ones at all instants.
    """

    has_blank_nodes = True

    def __init__(self, context: SinkContext) -> None:
        self._terms = context.terms
        self._clock = context.clock
        self._instances = context.instances
        self.left_out = 0

    def finish(self) -> bytes:
        """Nothing: instants are whole."""
        return b""

    def saved(self) -> State:
        """How many answers were left out."""
        return {"left_out": self.left_out}

    def restore(self, given: StateReader) -> None:
        """Count on."""
        self.left_out = given.integer("left_out", 0)

    def _by_instant(self, changes: Changes) -> Iterator[tuple[Tick, list[_Answer]]]:
        """The answers of each instant; what ends comes first. None, if nothing holds at a mark."""
        if len(changes) and changes.kind[0] == MARK:
            yield int(changes.at[0]), []
            return
        triples = (changes.kind == TRIPLE).nonzero()[0]
        self.left_out += len(changes) - len(triples)
        texts = self._terms.decode_many(changes.triples[triples].ravel())
        found: list[tuple[Tick, _Answer]] = []
        for place, i in enumerate(triples.tolist()):
            s, p, o = texts[3 * place : 3 * place + 3]
            begins, start = bool(changes.op[i] != DELETED), int(changes.start[i])
            is_odd = s.startswith('"') or not p.startswith("<") or "List(" in {s[:5], o[:5]}
            is_odd |= not self.has_blank_nodes and "_:" in {s[:2], o[:2]}
            if is_odd or (not begins and start == NEG_INF):
                self.left_out += 1
                continue
            stands = bool(changes.op[i] == STANDING)
            answer = _Answer(begins, f"{s} {p} {o}", start, int(changes.end[i]), stands)
            found.append((int(changes.at[i]), answer))
        for at, group in groupby(found, key=lambda each: each[0]):
            yield at, [answer for _, answer in group]

    def _elements(
        self, at: Tick, answers: Sequence[_Answer]
    ) -> Iterator[tuple[list[str], str, list[str]]]:
        """The elements of an instant: stamps, name, and statements without it; ends come first."""
        if not answers or answers[0].stands:
            name = self._name(at)
            begin = f"{name} <{START_PREDICATE}> {self._stamp(at)}"
            yield [begin], name, [each.text for each in answers]
            return
        for start, statements in _by_start(answers):
            name = f"<{ENDS}:{self._clock.text(start)}:{self._clock.text(at)}>"
            begin = f"{name} <{START_PREDICATE}> {self._stamp(at)}"
            yield [begin, f"{name} <{ENDS}> {self._name(start)}"], name, statements
        for stamps, statements in self._begun(at, answers):
            yield stamps, self._name(at), statements

    def _begun(self, at: Tick, answers: Iterable[_Answer]) -> Iterator[tuple[list[str], list[str]]]:
        """Stamps and statements of what begins; elements of one name have a heartbeat between."""
        begun = [each for each in answers if each.begins]
        if not self._instances:
            begun = [each._replace(end=POS_INF) for each in begun]
        begun.sort(key=lambda each: each.end)
        name = self._name(at)
        for number, (end, some) in enumerate(groupby(begun, key=lambda each: each.end)):
            known = f"<{NEVER}>" if end >= POS_INF // 2 else self._stamp(end)
            stamps = [self._heartbeat(at)] if number else []
            stamps.append(f"{name} <{START_PREDICATE}> {self._stamp(at)}")
            stamps.append(f"{name} <{END_PREDICATE}> {known}")
            yield stamps, [each.text for each in some]

    def _heartbeat(self, at: Tick) -> str:
        return f"{_TIME} <{START_PREDICATE}> {self._stamp(at)}"

    def _name(self, at: Tick) -> str:
        return f"<{ANSWERS}{self._clock.text(at)}>"

    def _stamp(self, tick: Tick) -> str:
        return self._clock.term(tick)


def _by_start(answers: Iterable[_Answer]) -> Iterator[tuple[Tick, list[str]]]:
    """The statements of what ends, by when it began."""
    ended = sorted((each for each in answers if not each.begins), key=lambda each: each.start)
    for start, some in groupby(ended, key=lambda each: each.start):
        yield start, [each.text for each in some]


class QuadLines(_Instants):
    """N-Quads."""

    def render(self, changes: Changes) -> bytes:
        """The statements of ``changes`` in UTF-8."""
        out: list[str] = []
        for at, answers in self._by_instant(changes):
            if at == NEG_INF:
                out += [f"{each.text} .\n" for each in answers]
                continue
            for stamps, name, statements in self._elements(at, answers):
                out += [f"{stamp} .\n" for stamp in stamps]
                out += self._graph(name, statements)
        return "".join(out).encode()

    def _graph(self, name: str, statements: list[str]) -> list[str]:
        return [f"{statement} {name} .\n" for statement in statements]


class TrigBlocks(QuadLines):
    """TriG: as N-Quads, with a block a graph."""

    def _graph(self, name: str, statements: list[str]) -> list[str]:
        inside = "".join(f"  {statement} .\n" for statement in statements)
        return [f"{name} {{\n{inside}}}\n"] if statements else []


class JsonLdLines(_Instants):
    """JSON-LD, a document a line: an element each, as in N-Quads.

    Blank nodes are those of their line alone, so answers that have any are left out. A line ends
    its element: there is nothing between elements of one name.
    """

    has_blank_nodes = False

    def render(self, changes: Changes) -> bytes:
        """The documents of ``changes`` in UTF-8."""
        out: list[bytes] = []
        for at, answers in self._by_instant(changes):
            if at == NEG_INF:
                out.append(self._document([], f"<{ALWAYS}>", [each.text for each in answers]))
                continue
            for stamps, name, statements in self._elements(at, answers):
                out.append(self._document(stamps[-2:], name, statements))
        return b"".join(out)

    def _document(self, stamps: Sequence[str], name: str, statements: Sequence[str]) -> bytes:
        """The document of an element; none, if JSON-LD can express none of its statements."""
        begin, quads = _quads(stamps), _quads(f"{each} {name}" for each in statements)
        if quads is None:
            each_alone = [_quads([f"{each} {name}"]) for each in statements]
            self.left_out += each_alone.count(None)
            quads = [quad for found in each_alone if found for quad in found]
        if begin is None or (statements and not quads):
            return b""
        document = ox.serialize([*begin, *quads], format=ox.RdfFormat.JSON_LD)
        assert document is not None  # as there is no file to write it to
        return document.strip() + b"\n"


def _quads(statements: Iterable[str]) -> list[ox.Quad] | None:
    """The parsed statements; None: an IRI or a language tag is none that JSON-LD has."""
    text = "".join(f"{each} .\n" for each in statements)
    try:
        return list(ox.parse(text, ox.RdfFormat.N_QUADS))
    except SyntaxError:
        return None


class PatchLines(_Instants):
    """RDF Patch: one transaction for each instant, deletions before additions."""

    def render(self, changes: Changes) -> bytes:
        """The transactions of ``changes`` in UTF-8."""
        out: list[str] = []
        for at, answers in self._by_instant(changes):
            out.append("TX .\n")
            if at == NEG_INF:
                out += [f"A {each.text} .\n" for each in answers]
            else:
                out.append(f"A {self._heartbeat(at)} .\n")
                for start, statements in _by_start(answers):
                    out += [f"D {statement} {self._name(start)} .\n" for statement in statements]
                for stamps, statements in self._begun(at, answers):
                    out += [f"A {stamp} .\n" for stamp in stamps]
                    out += [f"A {statement} {self._name(at)} .\n" for statement in statements]
            out.append("TC .\n")
        return "".join(out).encode()


class LateElements:
    """Writes each late element whole: stamp, end, retractions, statements, an empty line.

    Single statements that it retracts are comments, as N-Quads cannot express that; those that it
    ends are not, if all of them were asserted in one element. Blank nodes
    keep their names of the run, so that elements of several documents stay apart.
    """

    __slots__ = ("_dictionary", "_file", "_options")

    def __init__(self, file: ByteWriter, dictionary: Dictionary, options: StreamOptions) -> None:
        self._file = file
        self._dictionary = dictionary
        self._options = options

    def put(self, elements: JudgedElements) -> None:
        """Write late elements."""
        decode = self._dictionary.decode
        starts, ends = self._options.start_steps, self._options.end_steps
        start = f"<{about_name(starts, START_PREDICATE)}>"
        end = f"<{about_name(ends, END_PREDICATE)}>"
        texts = iter(self._dictionary.decode_many(elements.triples.ravel()))
        retracted = iter(elements.retracted.tolist())
        lines: list[str] = []
        for row in elements.table.tolist():
            name = decode(row[NAME])
            clock = StampFormat(self._options.scale, Kind(row[KIND]))
            stamp = decode(row[START_TERM]) if row[START_TERM] else clock.term(row[TICK])
            lines.append(f"{name} {start} {stamp} .\n")
            if row[END_TERM]:
                lines.append(f"{name} {end} {decode(row[END_TERM])} .\n")
            for _ in range(row[RETRACTED]):
                lines += self._retraction(name, *next(retracted), ends=row[ENDING] > 0)
            lines += [
                f"{next(texts)} {next(texts)} {next(texts)} {name} .\n" for _ in range(row[SIZE])
            ]
            lines.append("\n")
        self._file.write("".join(lines).encode())

    def _retraction(self, name: str, *row: int, ends: bool) -> list[str]:
        terms = [self._dictionary.decode(term) for term in row if term]
        if len(terms) == 1:
            return [f"{name} <{RETRACTS}> {terms[0]} .\n"]
        if ends:
            *triple, other = terms
            return [f"{name} <{ENDS}> {other} .\n", f"{' '.join(triple)} {name} .\n"]
        return [f"# takes back: {' '.join(terms)} .\n"]
