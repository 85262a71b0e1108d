"""Judged elements: the elements of a source with ticks and verdicts, single triples, bad data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.errors import MEANING, Flaw, Sample
from r4.rdf.chunks import LineNumbers, StatementFault, flaws_and_rows, sample_of
from r4.stream.elements.segmentation import Elements
from r4.time.stamp_columns import (
    GOOD,
    NOT_A_STAMP,
    OUT_OF_RANGE,
    StampColumns,
    no_stamps,
    read_stamps,
)
from r4.time.ticks import (
    NEG_INF,
    NO_END,
    POS_INF,
    Kind,
    NotAStamp,
    OutOfRange,
    Stamp,
    Tick,
    TimeScale,
)
from rete.arrays.delta import Column, Rows
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import LENGTH_SHIFT, META, OFFSET
from rete.terms.dictionary import Dictionary

VERDICT, FLAW, TICK, END, KIND, ROUNDED, NAME, START_TERM, END_TERM, PLACE, SIZE, RETRACTED = range(
    12
)
ENDS, SOURCE, VALID_START, VALID_END = range(12, 16)
"""Columns of `JudgedElements.table`."""
SAVED_WIDTH: Final = ENDS + 1
"""Columns that a checkpoint has: the later ones follow from them and from where they stand."""
WIDTH: Final = VALID_END + 1

ELEMENT, PLAIN, BAD, LATE = range(1, 5)
"""Verdicts: an element, a default-graph triple, something to be left out, a late element."""


@dataclass(frozen=True, slots=True)
class _JoinedLines:
    """The lines of two chunks as of one; the first has ``count`` rows."""

    first: LineNumbers
    count: int
    second: LineNumbers

    def line_of(self, row: int) -> int:
        """The line in the document."""
        if row < self.count:
            return self.first.line_of(row)
        return self.second.line_of(row - self.count)


@dataclass(frozen=True, slots=True)
class ChunkOrigin:
    """Where the judged elements of a chunk come from.

    Attributes:
        name: What messages call the source.
        earlier: Where the element began that was open before it.
    """

    name: str
    lines: LineNumbers
    faults: Sequence[StatementFault]
    earlier: tuple[LineNumbers, int]

    def sample(self, flaw: Flaw, place: int) -> Sample:
        """The fault at ``place``, a value of column `PLACE`, as it is shown."""
        if place < -1:
            return sample_of(self.faults[-2 - place]._replace(flaw=flaw), self.name)
        lines, row = (self.lines, place) if place >= 0 else self.earlier
        return sample_of(StatementFault(flaw, 0, lines.line_of(row), MEANING[flaw]), self.name)

    def followed_by(self, other: ChunkOrigin, rows: int) -> ChunkOrigin:
        """Where elements of this chunk, of so many rows, and of the one behind it come from."""
        lines = _JoinedLines(self.lines, rows, other.lines)
        return ChunkOrigin(self.name, lines, (*self.faults, *other.faults), self.earlier)


@dataclass(frozen=True, slots=True)
class JudgedElements:
    """Elements, single triples and bad data on their way to the engine, a row of a table each.

    One type for all of the way; each station fills in columns. `ElementJudge` makes the rows from
    a chunk, `r4.stream.elements.transactions` judges in sequence, `r4.stream.source_buffer` brings
    several sources into one order, and `r4.stream.intake` admits: it finds what is late and gives
    valid times.

    Attributes:
        table: (n, 16) int64, C-contiguous. ``VERDICT``: `ELEMENT` if it is good as far as is known
            so far, `PLAIN`, `BAD`, or `LATE` once that is known; ``FLAW``: the `Flaw` of bad data
            and of late elements; ``TICK``: the start of an element, `NEG_INF` of all others, and of
            a retraction without a stamp until `r4.stream.elements.transactions` gives it one;
            ``END``: exclusive, or `NO_END`; ``KIND``: a `Kind`; ``ROUNDED``: how many of its two
            stamps lie between ticks; ``NAME``, ``START_TERM``, ``END_TERM``: ids, 0 for none;
            ``PLACE``: the row of the chunk that it begins with, -1 for one that began earlier, -2
            minus its number for a fault of the chunk; ``SIZE``: how many triples it has;
            ``RETRACTED``: how many rows of ``retracted``; ``ENDS``: 1 if these end at ``TICK``,
            instead of being retracted; ``SOURCE``: the number of its source. 0 until admission:
            ``VALID_START`` and ``VALID_END``, when its triples hold, in ticks, the end exclusive;
            the start is `NEG_INF` for what stands before the first good element ever, which is
            static. What is late or ahead has as ``END`` the bound that its stamp is beyond.
        triples: (m, 3) ids, in the order of the table.
        retracted: (t, 4) as in `Elements`, in the order of the table.
    """

    table: Rows
    triples: Rows
    retracted: Rows

    def __len__(self) -> int:
        return len(self.table)

    def where(self, verdict: int) -> Mask:
        """(n,) which rows have a verdict."""
        found: Mask = self.table[:, VERDICT] == verdict
        return found

    def split(self, count: int) -> tuple[JudgedElements, JudgedElements]:
        """The first ``count``, and the others; views."""
        size, retracted = self.table[:count, SIZE : RETRACTED + 1].sum(0).tolist()
        return (
            JudgedElements(self.table[:count], self.triples[:size], self.retracted[:retracted]),
            JudgedElements(self.table[count:], self.triples[size:], self.retracted[retracted:]),
        )

    def followed_by(
        self, other: JudgedElements, rows: int, faults: int, open_at: int
    ) -> JudgedElements:
        """These, of a chunk of so many rows and faults, and those of the chunk behind it.

        An element that was open between the two begins at row ``open_at``.
        """
        table, place = other.table.copy(), other.table[:, PLACE]
        table[:, PLACE] = np.where(place >= 0, place + rows, place - faults)
        table[place == -1, PLACE] = open_at
        return JudgedElements(
            np.concatenate([self.table, table]),
            np.concatenate([self.triples, other.triples]),
            np.concatenate([self.retracted, other.retracted]),
        )

    def select(self, chosen: Mask) -> JudgedElements:
        """Those of a mask (n,); copies."""
        triples = self.triples[np.repeat(chosen, self.table[:, SIZE])]
        retracted = self.retracted[np.repeat(chosen, self.table[:, RETRACTED])]
        return JudgedElements(self.table[chosen], triples, retracted)


NO_ELEMENTS: Final = JudgedElements(
    np.empty((0, WIDTH), np.int64), np.empty((0, 3), np.int64), np.empty((0, 4), np.int64)
)


@dataclass(frozen=True, slots=True)
class ElementJudge:
    """Gives elements their ticks and first verdicts.

    Attributes:
        never: The id that is the end of an element that holds for ever.
    """

    dictionary: Dictionary
    scale: TimeScale
    never: int = -1

    def judge(
        self,
        found: Elements,
        faults: Sequence[StatementFault],
        source: int,
        arrival: Tick | None = None,
    ) -> JudgedElements:
        """The judged elements of a chunk, in the order in which they are complete.

        ``arrival`` is when the chunk arrived, if that is the stamp of an element without one.
        """
        table = np.zeros((len(found) + len(found.plain) + len(faults), WIDTH), np.int64)
        end = len(found) + len(found.plain)
        elements, plain, bad = table[: len(found)], table[len(found) : end], table[end:]
        self._elements(found, arrival, elements)
        plain[:, VERDICT], plain[:, PLACE], plain[:, SIZE] = PLAIN, found.plain_at, 1
        bad[:, VERDICT], bad[:, PLACE] = BAD, -2 - np.arange(len(faults))
        bad[:, FLAW], rows = flaws_and_rows(faults)
        table[len(found) :, TICK] = NEG_INF
        table[:, SOURCE] = source
        if not len(plain) and not len(bad):
            return JudgedElements(table, found.triples, found.retracted)
        # A fault stands before the row that has its number, and that row completes an element
        # before it is anything itself.
        when = np.concatenate([2 * found.completed, 2 * found.plain_at, 2 * rows - 1])
        order = np.argsort(when, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        owner = np.concatenate([rank[found.owner], rank[len(found) : end]])
        triples = np.concatenate([found.triples, found.plain])
        triples = triples[np.argsort(owner, kind="stable")]
        # The order of elements among each other is as it was, so that of what they retract is.
        return JudgedElements(table[order], triples, found.retracted)

    def _elements(self, found: Elements, arrival: Tick | None, table: Rows) -> None:
        lasting = found.end == self.never
        starts = self._stamps(found.start)
        ends = self._stamps(np.where(lasting, 0, found.end), ends=True)
        tick, kind = starts.tick, starts.kind
        given = found.start != 0
        if arrival is not None:
            tick = np.where(given, tick, arrival)
            kind = np.where(given, kind, Kind.DATE_TIME).astype(np.int8)
        ended = (found.end != 0) & ~lasting
        table[:, RETRACTED] = np.bincount(found.retractor, minlength=len(found))
        table[:, ENDS] = found.ending
        waits = np.zeros(len(found), np.bool_)
        if arrival is None and len(found.retractor):
            waits = (table[:, RETRACTED] > 0) & ~given
            kind = np.where(waits, ends.kind, kind)
            tick = np.where(waits, NEG_INF, tick)
        flaw = table[:, FLAW]
        # From the least helpful flaw to the most helpful one: the last that applies is reported.
        if ended.any():
            flaw[self._too_early(found, tick, starts, ends)] = Flaw.ENDS_TOO_EARLY
            flaw[ended & (kind != ends.kind)] = Flaw.OTHER_KIND
        self._clashing(found, flaw)
        for stamps in (ends, starts):
            flaw[stamps.verdict == OUT_OF_RANGE] = Flaw.OUT_OF_RANGE
            flaw[stamps.verdict == NOT_A_STAMP] = Flaw.NOT_A_STAMP
        if arrival is None:
            flaw[~given & ~waits] = Flaw.NO_STAMP
        good = flaw == Flaw.NONE
        table[:, VERDICT] = np.where(good, ELEMENT, BAD)
        table[:, TICK] = np.where(good, tick, NEG_INF)
        table[:, END] = np.where(ended, ends.tick, np.where(lasting, POS_INF, NO_END))
        table[:, KIND] = kind
        table[:, ROUNDED] = starts.rounded.astype(np.int64) + ends.rounded
        table[:, NAME], table[:, START_TERM], table[:, END_TERM] = (
            found.name,
            found.start,
            found.end,
        )
        table[:, PLACE] = np.maximum(found.first, -1)
        table[:, SIZE] = np.bincount(found.owner, minlength=len(found))

    def _stamps(self, ids: Column, *, ends: bool = False) -> StampColumns:
        """The stamps that terms are, or ``ends``; nothing wrong where there is none (0)."""
        given = np.flatnonzero(ids)
        if not len(given):
            return no_stamps(len(ids))
        texts = self.dictionary.texts
        entries = texts.entries[ids[given]]
        offset, length = entries[:, OFFSET], entries[:, META] >> LENGTH_SHIFT
        read = read_stamps(texts.arena, offset, length, self.scale, ends=ends)
        if len(given) == len(ids):
            return read
        spread = no_stamps(len(ids))
        spread.tick[given], spread.kind[given] = read.tick, read.kind
        spread.rounded[given], spread.verdict[given] = read.rounded, read.verdict
        return spread

    def _too_early(
        self, found: Elements, tick: Column, starts: StampColumns, ends: StampColumns
    ) -> Column:
        """Elements that end at or before their start, by exact values."""
        ended = (found.end != 0) & (found.end != self.never) & (ends.verdict == GOOD)
        within = ended & (ends.tick == tick) & (starts.rounded | ends.rounded)
        wrong = ended & (ends.tick <= tick) & ~within
        for element in np.flatnonzero(within).tolist():
            end = self.scale.end(self.dictionary.decode(int(found.end[element])))
            start = found.start[element]
            rest = self.scale.stamp(self.dictionary.decode(int(start))).rest if start else ""
            wrong[element] = end.rest <= rest
        return np.flatnonzero(wrong)

    def _clashing(self, found: Elements, flaw: Column) -> None:
        """Judge the elements with different terms for a stamp: they may be equal in value."""
        values: dict[tuple[int, int], set[Stamp]] = {}
        wrong: dict[int, Flaw] = {}
        for element, which, term in found.clashes.tolist():
            read = self.scale.end if which else self.scale.stamp
            try:
                stamp = read(self.dictionary.decode(term))
            except NotAStamp:
                wrong[element] = Flaw.NOT_A_STAMP
            except OutOfRange:
                wrong[element] = Flaw.OUT_OF_RANGE
            else:
                values.setdefault((element, which), set()).add(stamp)
        for (element, _), stamps in values.items():
            if len(stamps) > 1:
                flaw[element] = Flaw.STAMPS_DIFFER
        for element, why in wrong.items():
            flaw[element] = why
