"""Graphs as streams: N-Triples and Turtle in which subjects have times.

Each subject with the time predicate is one element named by it, with the triples it has and those
reachable over blank nodes without a time of their own; elements come in the order of their stamps.
The rest is static.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from r4.errors import InputError
from r4.rdf.chunks import NO_ROWS, Chunk, LinesOfParts, StatementFault
from r4.rdf.files import UNBOUNDED, ReadingBounds
from r4.sources.missing_times import TimedSubjects, named_times, timeless_subjects
from r4.sources.reified_triples import ReifiedTriples
from r4.stream.elements.segmentation import GRAPH, OBJECT, PREDICATE, SUBJECT, StampVocabulary
from r4.stream.elements.time_predicates import TimePredicates
from r4.time.ticks import Kind, NotAStamp, OutOfRange, Stamp
from rete.arrays.delta import Column, Rows
from rete.arrays.term_columns import KIND_BLANK
from rete.terms.dictionary import Dictionary

STAMPS: Final = StampVocabulary(start=-1, end=-2, retracts=-3, ends=-4)
"""The predicates of stamps in the chunks made here. They are no terms, so that statements which
look like stamps, but are about no element, stay ordinary statements."""


_NOTHING: Final = -9
"""No term and no predicate of a stamp."""
_StampRows: TypeAlias = dict[int, list[tuple[int, int]]]
"""By subject the stamp rows, each with its predicate in `STAMPS`: time, end or retraction."""


def elements_by_subject(
    chunks: Iterable[Chunk],
    dictionary: Dictionary,
    vocabulary: StampVocabulary,
    name: str,
    bounds: ReadingBounds = UNBOUNDED,
) -> Iterator[Chunk]:
    """The chunks of the graph ``name``, as one chunk: its static triples, then its elements.

    Reads all of them first. An element is written as the quads of a graph named by its subject,
    with its time, end and retractions as `STAMPS` in the default graph. Costs O(rows), and a Python
    step for each row of an element; ``bounds`` may end it between its steps.

    Raises:
        InputError: it has triples, but no element.
    """
    parts: list[Chunk] = []
    faults: list[StatementFault] = []
    for chunk in chunks:
        faults += [fault._replace(row=0) for fault in chunk.faults]
        if len(chunk.rows):
            parts.append(chunk)
    sizes = np.array([len(chunk.rows) for chunk in parts], np.int64)
    rows = np.concatenate([NO_ROWS, *(chunk.rows for chunk in parts)])
    bounds.check()
    given, rows = rows, _asserted(rows)
    stamps = _stamps(rows, dictionary, vocabulary)
    bounds.check()
    path = vocabulary.start_path or (vocabulary.start,)
    predicate = "/".join("^" * (step < 0) + dictionary.decode(abs(step)) for step in path)
    if len(rows) and not stamps:
        found = TimePredicates()
        found.note(rows[rows[:, SUBJECT] > 0], dictionary)
        likely = found.likely(predicate)
        hint = "" if likely is None else f"; {named_times(likely, found.likely_end(likely))}"
        message = f"{name}: no subject has the time predicate {predicate}{hint}"
        raise InputError(message)
    timed = {subject for subject, found in stamps.items() if _has_time(found)}
    reified = ReifiedTriples.among(given, timed)
    taken, out = _rearranged(given, _Graph.of(rows, dictionary, timed), stamps, timed, reified)
    bounds.check()
    begins, lines_of = np.cumsum(sizes) - sizes, tuple(chunk.lines for chunk in parts)
    static = np.zeros(len(rows), np.bool_)
    static[taken[(out[:, GRAPH] == 0) & (out[:, PREDICATE] > 0)]] = True
    unmoved = LinesOfParts(lines_of, begins, np.arange(len(rows)))
    bounds.check()
    subjects = TimedSubjects(np.array([*timed], np.int64), predicate)
    notes = timeless_subjects(rows, static, subjects, dictionary, unmoved)
    faults += reified.faults(unmoved)
    bounds.check()
    yield Chunk(out, faults, LinesOfParts(lines_of, begins, taken), notes=notes)


def _asserted(rows: Rows) -> Rows:
    """The rows without those of named graphs, which are reified: nothing is in place of them."""
    return np.where(rows[:, [GRAPH]] > 0, _NOTHING, rows) if rows[:, GRAPH].any() else rows


def _rearranged(
    rows: Rows,
    graph: _Graph,
    stamps: _StampRows,
    timed: AbstractSet[int],
    reified: ReifiedTriples,
) -> tuple[Column, Rows]:
    """Which row each row of the stream was, and the rows, (n, 4)."""
    rest = rows[:, GRAPH] == 0
    rest[reified.asserted] = False
    taken: list[Column] = []
    sizes: list[int] = []
    for subject, found in stamps.items():
        about = np.array([row for row, _ in found], np.int64)
        if subject in timed:
            reached = graph.reach(subject)
            if subject in reified.of:
                own = np.array(reified.of[subject], np.int64)
                reached = np.concatenate([reached, own])
            rest[reached] = False
        else:
            reached = about[:0]
            rest[about[rows[about, SUBJECT] == subject]] = False
        taken += [about, reached]
        sizes += [len(about), len(reached)]
    static = np.flatnonzero(rest)
    places = np.concatenate([static, *taken])
    out = rows[places]
    owner = np.repeat(np.repeat(np.array([*stamps], np.int64), 2), sizes)
    of_stamp = np.repeat(np.tile([True, False], len(stamps)), sizes)
    own_rows = out[len(static) :]
    own_rows[:, GRAPH] = np.where(of_stamp, 0, owner)
    own_rows[of_stamp, SUBJECT] = owner[of_stamp]
    own_rows[of_stamp, PREDICATE] = [kind for found in stamps.values() for _, kind in found]
    return places, out


def _has_time(found: Iterable[tuple[int, int]]) -> bool:
    return any(kind == STAMPS.start for _, kind in found)


def _stamps(rows: Rows, dictionary: Dictionary, vocabulary: StampVocabulary) -> _StampRows:
    """The stamp rows of elements, in the order of these.

    Subjects that retract without a time come first, then those with a time, in the order of their
    stamps; of equal stamps, in that of the first triples that lead to them. An end of a subject
    without either is no stamp.
    """
    start_path = vocabulary.start_path or (vocabulary.start,)
    end_path = vocabulary.end_path or (vocabulary.end,)
    ends = _Paths(rows, dictionary, end_path, vocabulary.scale.end).rows_of
    retracting = np.flatnonzero(rows[:, PREDICATE] == vocabulary.retracts)
    starts = _Paths(rows, dictionary, start_path, vocabulary.scale.stamp)
    found: _StampRows = {
        subject: []
        for subject in rows[retracting, SUBJECT].tolist()
        if subject not in starts.rows_of
    }
    for subject in starts.subjects_by_stamp():
        found[subject] = [(row, STAMPS.start) for row in starts.rows_of[subject]]
    for subject, own in found.items():
        own += [(row, STAMPS.end) for row in ends.get(subject, ())]
    for row, subject in zip(retracting.tolist(), rows[retracting, SUBJECT].tolist(), strict=True):
        found[subject].append((row, STAMPS.retracts))
    return found


_Read: TypeAlias = Callable[[str], Stamp]
"""What reads the text of a stamp, as `TimeScale.stamp` or `TimeScale.end`."""
_Key: TypeAlias = tuple[int, int, str]
"""What orders stamps: the number of their kind, then the instant; -1 of what is no stamp."""


class _Paths:
    """Where a path of predicates leads from the subjects of a graph.

    Attributes:
        rows_of: By subject, in the order of the first triples, the rows that end the path. Of a
            longer path at most three: with the least and the greatest stamp, which tell whether all
            are the same, and what is none. So a node that many share costs no more than others.
    """

    __slots__ = ("_keys", "rows_of")

    def __init__(
        self, rows: Rows, dictionary: Dictionary, path: Sequence[int], read: _Read
    ) -> None:
        *leads, last = path
        ends = np.flatnonzero(rows[:, PREDICATE] == last)
        self._keys = _keys(rows[ends], ends, dictionary, read)
        found: dict[int, list[int]] = {}
        for row, subject in zip(ends.tolist(), rows[ends, SUBJECT].tolist(), strict=True):
            found.setdefault(subject, []).append(row)
        for lead in reversed(leads):
            way = [SUBJECT, OBJECT] if lead > 0 else [OBJECT, SUBJECT]
            found = self._led_to(rows[rows[:, PREDICATE] == abs(lead)][:, way], found)
        if path[0] < 0:  # an object need not be a subject
            subjects = set(rows[:, SUBJECT].tolist())
            found = {node: own for node, own in found.items() if node in subjects}
        self.rows_of = found

    def _led_to(self, leads: Rows, ends: Mapping[int, list[int]]) -> dict[int, list[int]]:
        """The ends behind ``leads``, (n, 2), where each way of a step begins and ends."""
        found: dict[int, list[int]] = {}
        for begin, node in leads.tolist():
            if node in ends:
                found[begin] = self._telling([*found.get(begin, ()), *ends[node]])
        return found

    def _telling(self, ends: Sequence[int]) -> list[int]:
        distinct_rows = list(dict.fromkeys(ends))
        if len(distinct_rows) <= _TELLING:
            return distinct_rows
        stamps = [row for row in distinct_rows if self._keys[row][0] >= 0]
        wrong = [row for row in distinct_rows if self._keys[row][0] < 0][:1]
        if not stamps:
            return wrong
        key = self._keys.__getitem__
        return list(dict.fromkeys([min(stamps, key=key), max(stamps, key=key), *wrong]))

    def subjects_by_stamp(self) -> list[int]:
        """The subjects in the order of their stamps; first those that have none.

        Of several stamps the least counts. Integers and dateTimes are not compared: those of the
        kind of the first triple come first.
        """
        least = {
            subject: min(map(self._keys.__getitem__, ends))
            for subject, ends in self.rows_of.items()
        }
        return sorted(least, key=least.__getitem__)


_TELLING: Final = 3
"""Rows that tell all about the stamps of a subject."""


def _keys(stamps: Rows, places: Column, dictionary: Dictionary, read: _Read) -> dict[int, _Key]:
    """By place the keys of the objects of ``stamps``."""
    keys: dict[int, _Key] = {}
    kinds: dict[Kind, int] = {}
    texts = dictionary.decode_many(np.ascontiguousarray(stamps[:, OBJECT]))
    for place, text in zip(places.tolist(), texts, strict=True):
        try:
            stamp = read(text)
            keys[place] = kinds.setdefault(stamp.kind, len(kinds)), stamp.tick, stamp.rest
        except (NotAStamp, OutOfRange):
            keys[place] = -1, 0, ""
    return keys


@dataclass(frozen=True, slots=True)
class _Graph:
    """Rows by subject, and where blank nodes lead.

    Attributes:
        order: Row numbers sorted by subject, then by number.
        blank: (n,) the object of each row if it is a blank node without a time, else 0.
        span: Begin and end in ``order`` of each subject.
    """

    order: Column
    blank: Column
    span: dict[int, tuple[int, int]]

    @classmethod
    def of(cls, rows: Rows, dictionary: Dictionary, timed: AbstractSet[int]) -> _Graph:
        """The graph of ``rows``, in which the subjects ``timed`` have times."""
        order = np.argsort(rows[:, SUBJECT], kind="stable")
        subjects, begins = np.unique(rows[order, SUBJECT], return_index=True)
        spans = zip(begins.tolist(), [*begins[1:].tolist(), len(rows)], strict=False)
        objects = np.maximum(rows[:, OBJECT], 0)
        is_led_to = (dictionary.kinds(objects) == KIND_BLANK) & ~np.isin(objects, list(timed))
        blank = np.where(is_led_to, objects, 0)
        return cls(order, blank, dict(zip(subjects.tolist(), spans, strict=False)))

    def reach(self, subject: int) -> Column:
        """The rows of ``subject`` and of the blank nodes it leads to, in their order."""
        seen = {subject}
        stack = [subject]
        parts: list[Column] = []
        while stack:
            begin, end = self.span.get(stack.pop(), (0, 0))
            rows = self.order[begin:end]
            parts.append(rows)
            for node in self.blank[rows].tolist():
                if node and node not in seen:
                    seen.add(node)
                    stack.append(node)
        return parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
