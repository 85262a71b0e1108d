"""Graphs as streams: N-Triples and Turtle in which subjects have times.

Each subject with the time predicate is one element named by it, with the triples it has and those
reachable over blank nodes without a time of their own; elements come in the order of their stamps.
The rest is static.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from r4.errors import InputError
from r4.rdf.chunks import NO_ROWS, Chunk, LinesOfParts, StatementFault
from r4.rdf.files import UNBOUNDED, ReadingBounds
from r4.sources.missing_times import timeless_subjects
from r4.stream.elements.segmentation import GRAPH, OBJECT, PREDICATE, SUBJECT, StampVocabulary
from r4.stream.elements.time_predicates import TimePredicates
from r4.time.ticks import Kind, NotAStamp, OutOfRange, TimeScale
from rete.arrays.delta import Column, Rows
from rete.arrays.term_columns import KIND_BLANK
from rete.terms.dictionary import Dictionary

STAMPS: Final = StampVocabulary(start=-1, end=-2, retracts=-3, ends=-4)
"""The predicates of stamps in the chunks made here. They are no terms, so that statements which
look like stamps, but are about no element, stay ordinary statements."""


_SCALE: Final = TimeScale()
"""Any would do: stamps are exact."""

_StampRows: TypeAlias = dict[int, dict[int, int]]
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
    stamps = _stamps(rows, dictionary, vocabulary)
    bounds.check()
    if len(rows) and not stamps:
        predicate = dictionary.decode(vocabulary.start)
        found = TimePredicates()
        found.note(rows, dictionary)
        likely = found.likely(predicate)
        hint = "" if likely is None else f"; {likely} has times"
        message = f"{name}: no subject has the time predicate {predicate}{hint}"
        raise InputError(message)
    taken, names, predicates = _rearranged(rows, dictionary, stamps)
    bounds.check()
    out = rows[taken]
    out[:, GRAPH], out[:, PREDICATE] = names, predicates
    begins, lines_of = np.cumsum(sizes) - sizes, tuple(chunk.lines for chunk in parts)
    static = np.zeros(len(rows), np.bool_)
    static[taken[(names == 0) & (predicates > 0)]] = True
    unmoved = LinesOfParts(lines_of, begins, np.arange(len(rows)))
    bounds.check()
    notes = timeless_subjects(rows, static, vocabulary.start, dictionary, unmoved)
    bounds.check()
    yield Chunk(out, faults, LinesOfParts(lines_of, begins, taken), notes=notes)


def _rearranged(
    rows: Rows, dictionary: Dictionary, stamps: _StampRows
) -> tuple[Column, Column, Column]:
    """Which row each row of the stream was, and its graph name and predicate there."""
    timed = {subject for subject, kinds in stamps.items() if STAMPS.start in kinds.values()}
    graph = _Graph.of(rows, dictionary, timed)
    rest = rows[:, SUBJECT] > 0
    taken: list[Column] = []
    names: list[Column] = []
    predicates: list[Column] = []
    for subject, kinds in stamps.items():
        about = np.fromiter(kinds, np.int64, len(kinds))
        reached = graph.reach(subject) if subject in timed else about[:0]
        rest[about] = rest[reached] = False
        taken += [about, reached]
        names += [np.zeros(len(about), np.int64), np.full(len(reached), subject)]
        predicates += [np.fromiter(kinds.values(), np.int64, len(kinds)), rows[reached, PREDICATE]]
    static = np.flatnonzero(rest)
    return (
        np.concatenate([static, *taken]),
        np.concatenate([np.zeros_like(static), *names]),
        np.concatenate([rows[static, PREDICATE], *predicates]),
    )


def _stamps(rows: Rows, dictionary: Dictionary, vocabulary: StampVocabulary) -> _StampRows:
    """The stamp rows of elements, in the order of these.

    Subjects that retract without a time come first, then those with a time, in the order of their
    stamps; of equal stamps, in that of their first time triples. An end of a subject without either
    is no stamp.
    """
    of_time = _by_stamp(rows[rows[:, PREDICATE] == vocabulary.start], dictionary)
    retracting = rows[rows[:, PREDICATE] == vocabulary.retracts, SUBJECT].tolist()
    timed = dict.fromkeys(of_time)
    found: dict[int, dict[int, int]] = {s: {} for s in retracting if s not in timed}
    found |= {subject: {} for subject in timed}
    stamp_of = {
        vocabulary.start: STAMPS.start,
        vocabulary.end: STAMPS.end,
        vocabulary.retracts: STAMPS.retracts,
    }
    about = np.flatnonzero(np.isin(rows[:, PREDICATE], list(stamp_of)))
    for row, (subject, predicate) in zip(
        about.tolist(), rows[about, :OBJECT].tolist(), strict=True
    ):
        if subject in found:
            found[subject][row] = stamp_of[predicate]
    return found


def _by_stamp(rows: Rows, dictionary: Dictionary) -> list[int]:
    """The subjects of time triples, in the order of their stamps; first those that have none.

    Of several stamps the least counts. Integers and dateTimes are not compared: those of the kind
    of the first triple come first.
    """
    keys: dict[int, tuple[int, int, str]] = {}
    kinds: dict[Kind, int] = {}
    texts = dictionary.decode_many(np.ascontiguousarray(rows[:, OBJECT]))
    for subject, text in zip(rows[:, SUBJECT].tolist(), texts, strict=True):
        try:
            stamp = _SCALE.stamp(text)
            key = kinds.setdefault(stamp.kind, len(kinds)), stamp.tick, stamp.rest
        except (NotAStamp, OutOfRange):
            key = -1, 0, ""
        keys[subject] = min(key, keys.get(subject, key))
    return sorted(keys, key=keys.__getitem__)


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
