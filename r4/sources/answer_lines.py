"""The chunks of R4's own JSON lines: answers of one run as the stream of another.

A line ``+`` asserts its triple from ``from`` on, up to ``until`` if that is known, else without
end, whatever the window of the rules is. The line ``-`` of the same triple ends it at ``at``; what
held before stays as it was: rules that look back see it. A line that is undone is taken back
likewise. Lines in which ``at`` is null are static data. A line ``=``, of what held at a mark of
time, asserts its triple from the mark on, for the window of the rules, as any element without an
end; one without an answer moves time to the mark.

Answers of one instant are an element, named by document and instant, so an answer is known by its
triple and by when it began.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from r4.errors import MEANING, Flaw
from r4.rdf.chunks import Chunk, RowLineNumbers, StatementFault, flaw_of
from r4.sources.text_lines import LineDocumentReader
from r4.stream.elements.segmentation import OBJECT, StampVocabulary
from r4.stream.source import ANSWERS, NEVER
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads
from rif.builtins.lists import MAX_DEPTH
from rif.syntax.terms import XSD, BlankNode, GroundList, GroundTerm, escape, parse_canonical

_ANY: Final = f"<{ANSWERS}>"
"""Stands for terms that no line of N-Quads has in their place, such as a literal as subject."""
_ALWAYS: Final = "the end of an answer that always held: static data are never retracted"
_MALFORMED: Final = "no line of answers as --as jsonl writes it"

_LIST: Final = "List("
_NOTHING: Final = ("", "", "")
"""In place of a triple."""
_BREAK = re.compile(r"[\r\n]")

_Time: TypeAlias = int | str
_Answer: TypeAlias = tuple[str, str, str, _Time | None]
"""Subject, predicate, object, and when it began."""


class _Line(NamedTuple):
    """A line that was read.

    Attributes:
        number: from 1.
        begins: whether it is ``+`` or ``=``.
        at: when; None: it always holds.
        answer: what; the triple of a mark where nothing held is `_NOTHING`.
        until: when it ends, if that is known.
        undone: whether it is taken back.
        stands: whether it is ``=``.
    """

    number: int
    begins: bool
    at: _Time | None
    answer: _Answer
    until: _Time | None
    undone: bool
    stands: bool = False


class _Event(NamedTuple):
    """What a line means for the stream; lines of one element that come together have equal keys.

    Attributes:
        name: of the element in which the answer was asserted.
        stamp: when it begins, or ends.
        end: of what begins, a time or `NEVER`; "" of what ends.
        triple: what begins or ends; None: time moves to ``stamp``.
        number: of the line.
    """

    name: str
    stamp: str
    end: str
    triple: tuple[str, str, str] | None
    number: int

    @property
    def element(self) -> tuple[str, str, str]:
        """The element that it belongs to."""
        return self[:3]


@dataclass(slots=True)
class _Statements:
    """Statements of a chunk as N-Quads, a line each.

    Attributes:
        text: the lines.
        numbers: where each stands in the document.
        deleted: those that end an answer.
        odd: by number of a line the ids of terms that N-Quads do not allow in their places.
        known: ids of terms of such lines; 0: malformed.
    """

    text: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    odd: dict[int, list[int]] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)

    def add(self, text: str, number: int) -> None:
        """One more line."""
        self.text.append(text)
        self.numbers.append(number)


class AnswerLineReader(LineDocumentReader):
    """Reads the chunks of JSON lines that R4 wrote."""

    __slots__ = (
        *("_dictionary", "_document", "_element", "_end", "_ends", "_instances"),
        *("_start", "_unended"),
    )

    def __init__(
        self,
        dictionary: Dictionary,
        document: int,
        vocabulary: StampVocabulary,
        *,
        lasts: bool = True,
    ) -> None:
        """Begin; unless it ``lasts``, what has no end holds for the window of the rules."""
        super().__init__()
        self._dictionary = dictionary
        self._unended = _NEVER if lasts else _OF_WINDOW
        self._document = document
        self._start = dictionary.decode(vocabulary.start)
        self._end = dictionary.decode(vocabulary.end)
        self._element = ("", "", "")
        self._instances = False
        self._ends: dict[_Answer, _Time] = {}

    def saved(self) -> State:
        """Where it is, the element that is open, and when instances that go on end."""
        ends = [[*answer, end] for answer, end in self._ends.items()]
        return {
            **super().saved(),
            "open": json.dumps(self._element),
            "instances": self._instances,
            "ends": json.dumps(ends),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before the first chunk."""
        super().restore(given)
        name, stamp, end = json.loads(given.text("open"))
        self._element = (name, stamp, end)
        self._instances = given.flag("instances")
        self._ends = {(s, p, o, at): end for s, p, o, at, end in json.loads(given.text("ends"))}

    def _chunk(self, texts: Sequence[bytes]) -> Chunk:
        return self.chunk_of([_parsed(text) if text.strip() else None for text in texts])

    def chunk_of(self, answers: Iterable[object]) -> Chunk:
        """The chunk of what the next lines say, as parsed JSON; None: a line says nothing."""
        lines: list[_Line] = []
        wrong: list[tuple[int, StatementFault]] = []
        for answer in answers:
            self._line += 1
            if answer is None:
                continue
            stands = isinstance(answer, dict) and answer.get("op") == "="
            found = (_read_standing if stands else _read)(answer, self._line)
            if isinstance(found, _Line):
                lines.append(found)
            else:
                wrong.append((self._line, found))
        statements = _Statements()
        self._write(self._events(lines, statements), statements)
        return self._encode(statements, wrong)

    def _events(self, lines: Sequence[_Line], static: _Statements) -> Iterator[_Event]:
        """What ``lines`` mean, in order; what always holds is written to ``static``."""
        ends: dict[_Answer, _Time] = {}  # of answers that end in this chunk, and are not undone
        if not any(line.undone for line in lines):
            ends = {
                line.answer: line.at for line in lines if not line.begins and line.at is not None
            }
        for line in lines:
            triple, begin = line.answer[:3], line.answer[3]
            if line.at is not None and begin is not None:
                end = self._undoing_end(line) if line.undone else self._end_of(line, ends)
                name = f"<{ANSWERS}{self._document}:{begin}>"
                known = None if end is None or triple == _NOTHING else triple
                yield _Event(name, _stamp(line.at), end or "", known, line.number)
            elif line.begins:
                self._add(triple, "", line.number, static)

    def _end_of(self, line: _Line, ends: Mapping[_Answer, _Time]) -> str | None:
        """The end of what begins with a line; "": it ends there; None: it is known to end there."""
        if line.stands:
            return _OF_WINDOW
        if not line.begins:
            return None if self._ends.pop(line.answer, None) == line.at else ""
        until = line.until
        if until is not None:
            self._instances = True
        else:
            until = ends.get(line.answer)
        if until is None:
            return self._unended
        self._ends[line.answer] = until
        return _stamp(until)

    def _undoing_end(self, line: _Line) -> str | None:
        """The same of a line that is undone: what began ends, and what ended goes on."""
        self._ends.pop(line.answer, None)
        if line.begins:
            return ""
        return None if self._instances else _NEVER

    def _write(self, events: Iterator[_Event], statements: _Statements) -> None:
        """Write the elements of ``events``, with an empty line between any two."""
        for element, some in groupby(events, key=lambda event: event.element):
            name, stamp, end = element
            first, *rest = some
            if element != self._element:
                statements.add("", first.number)
                statements.add(f"{name} {self._start} {stamp} .", first.number)
                if end and end != _OF_WINDOW:
                    statements.add(f"{name} {self._end} {end} .", first.number)
            for event in (first, *rest):
                if event.triple is not None:
                    if not end:
                        statements.deleted.append(len(statements.text))
                    self._add(event.triple, f"{name} ", event.number, statements)
            self._element = element
            if not end:  # what ends is known in the chunk that says so
                statements.add("", first.number)
                self._element = _NO_ELEMENT

    def _add(self, triple: tuple[str, str, str], graph: str, number: int, to: _Statements) -> None:
        subject, predicate, obj = triple
        if subject[:1] not in "<_" or predicate[:1] != "<" or obj.startswith(_LIST):
            ids = []
            for term in triple:
                if (found := to.known.get(term)) is None:
                    found = to.known[term] = self._id(term)
                ids.append(found)
                if not found:
                    break
            else:
                to.odd[len(to.text)] = ids
                subject = predicate = obj = _ANY
        to.add(f"{subject} {predicate} {obj} {graph}.", number)

    def _id(self, term: str) -> int:
        """The id of a term that may stand anywhere, as in R4's lines alone; 0: malformed."""
        if term.startswith(_LIST):
            try:
                text = str(_of_document(parse_canonical(term), self._document))
            except ValueError:
                return 0
            return self._dictionary.encode(text)
        text = f"{_ANY} {_ANY} {term} .\n"
        found = read_nquads(self._dictionary, text.encode(), self._document, final=True)
        return int(found.rows[0, OBJECT]) if len(found.rows) == 1 and not found.faults else 0

    def _encode(
        self, statements: _Statements, wrong: Sequence[tuple[int, StatementFault]]
    ) -> Chunk:
        text = "".join(f"{line}\n" for line in statements.text).encode()
        found = read_nquads(self._dictionary, text, self._document, final=True)
        bad = {fault.line: fault.message for fault in found.faults}
        good = np.ones(len(statements.text), np.bool_)
        good[list(bad)] = False
        place = np.cumsum(good) - 1
        for number, ids in statements.odd.items():
            found.rows[place[number], : OBJECT + 1] = ids
        numbers = np.array(statements.numbers, np.int64)
        deleted = np.array(statements.deleted, np.int64)
        faults = [
            StatementFault(flaw_of(why), int(place[number]) + 1, int(numbers[number]), why)
            for number, why in bad.items()
        ]
        lines = [line for line, _ in wrong]
        rows = np.searchsorted(np.sort(numbers[good]), lines).tolist()
        faults += [
            StatementFault(fault.flaw, row, line, fault.message)
            for row, (line, fault) in zip(rows, wrong, strict=True)
        ]
        faults.sort(key=lambda fault: fault.row)
        return Chunk(
            found.rows,
            faults,
            RowLineNumbers(numbers[good]),
            place[deleted[good[deleted]]],
            ends=True,
        )


_NOT_IN_LINES: Final = re.compile("[\n\r\ud800-\udfff]")
_NEVER: Final = f"<{NEVER}>"
_OF_WINDOW: Final = "the end of the window"
"""In place of an end: there is none."""
_NO_ELEMENT: Final = ("", "", "")


def _stamp(time: _Time) -> str:
    if isinstance(time, int):
        return f'"{time}"^^<{XSD}integer>'
    return f'"{escape(time)}"^^<{XSD}dateTime>'


def _parsed(text: bytes) -> object:
    """What a line says; an empty text if it is no JSON."""
    try:
        return json.loads(text) if text.rstrip().endswith(b"}") else ""
    except (ValueError, RecursionError):
        return ""


def _read(found: Any, number: int) -> _Line | StatementFault:  # noqa: ANN401 - parsed JSON
    """A line, or what is wrong with it."""
    if found == "":  # most lines that are wrong, if there are many
        return StatementFault(Flaw.SYNTAX, 0, number, _MALFORMED)
    try:
        op, at, begin, until = found["op"], found["at"], found["from"], found["until"]
        undone = found.get("undone", False)
        if op == "-" and begin is None:
            return StatementFault(Flaw.NOT_TO_BE_TAKEN, 0, number, _ALWAYS)
        if "atom" in found or "error" in found:
            return StatementFault(Flaw.NO_TRIPLE, 0, number, MEANING[Flaw.NO_TRIPLE])
        subject, predicate, obj = found["s"], found["p"], found["o"]
    except (LookupError, TypeError, AttributeError):
        return StatementFault(Flaw.SYNTAX, 0, number, _MALFORMED)
    terms = (subject, predicate, obj)
    if (
        op not in {"+", "-"}
        or not all(map(_is_term, terms))
        or not all(_is_time(time) for time in (at, begin, until))
    ):
        return StatementFault(Flaw.SYNTAX, 0, number, _MALFORMED)
    return _Line(number, op == "+", at, (subject, predicate, obj, begin), until, bool(undone))


def _read_standing(found: Any, number: int) -> _Line | StatementFault:  # noqa: ANN401 - as above
    """A line of what held at a mark, or what is wrong with it."""
    at = found.get("at")
    if "atom" in found or "error" in found:
        return StatementFault(Flaw.NO_TRIPLE, 0, number, MEANING[Flaw.NO_TRIPLE])
    terms = tuple(found.get(name) for name in "spo")
    if terms == (None, None, None):
        terms = _NOTHING
    if at is None or not _is_time(at) or not all(map(_is_term, terms)):
        return StatementFault(Flaw.SYNTAX, 0, number, _MALFORMED)
    return _Line(number, True, at, (*terms, at), None, False, True)  # noqa: FBT003


def _of_document(term: GroundTerm, document: int, depth: int = MAX_DEPTH) -> GroundTerm:
    """A list with its blank nodes as those of a document.

    Raises:
        ValueError: it has more than ``depth`` levels, so R4 did not write it.
    """
    match term:
        case GroundList() if not depth:
            message = f"a list of more than {MAX_DEPTH} levels"
            raise ValueError(message)
        case GroundList():
            items = (_of_document(item, document, depth - 1) for item in term.items)
            return GroundList(tuple(items))
        case BlankNode():
            return BlankNode(f"d{document}_{term.label}")
    return term


def _is_term(term: object) -> bool:
    return isinstance(term, str) and _is_one_line(term)


def _is_time(time: object) -> bool:
    if isinstance(time, str):
        return _is_one_line(time)
    return time is None or (isinstance(time, int) and not isinstance(time, bool))


def _is_one_line(text: str) -> bool:
    """Whether it can be written in one line: JSON may have halves of surrogate pairs, too."""
    return _NOT_IN_LINES.search(text) is None
