"""A query followed along a stream: text of facts in, answers at output points out [Walega19]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, columns
from rete.arrays.state_codec import Mask
from rete.terms.dictionary import Dictionary
from rif.errors.base import Span
from temporal.errors import LateFact, OutOfBounds, RetractionTooOld
from temporal.facts.bulk_chunks import line_chunks
from temporal.facts.bulk_loader import LoadedFacts
from temporal.facts.stream_loader import StreamLoader
from temporal.intervals.interval import MAX_SCALE, Interval
from temporal.intervals.notation import Notation, common_notation
from temporal.mtl.validation import notation_of
from temporal.streaming.output_points import ListedPoints, MultiplePoints, OutputPoints, StampPoints
from temporal.streaming.point_answers import PointAnswers, answers_at
from temporal.streaming.stream_evaluation import StreamEvaluation
from temporal.streaming.stream_query import Memory, StreamQuery

_NO_STAMP: Final = NEG_INF
"""The stamp of a fact that has held since ever."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How a stream is followed; times are in the unit of the program, of dates in seconds.

    They are those of `StreamReasoner`; ``notation`` is how ``every``, ``at`` and ``delay`` are
    written, None: they tell nothing.
    """

    every: Fraction | None = None
    at: tuple[Fraction, ...] | None = None
    delay: Fraction = Fraction(0)
    memory: Memory = Memory.AUTO
    retractions: bool = False
    notation: Notation | None = None

    def scale(self, least: int) -> int:
        """The least multiple of ``least`` ticks to the unit that makes all numbers whole.

        Raises:
            OutOfBounds: there is none within the cells.
        """
        numbers = [self.every or Fraction(0), self.delay, *(self.at or ())]
        found = lcm(least, *(number.denominator for number in numbers))
        if found > MAX_SCALE:
            message = "with the numbers of the rules, output points or delay need too fine a tick"
            raise OutOfBounds(message)
        return found

    def points(self, scale: int) -> OutputPoints:
        """The output points."""
        if self.at is not None:
            return ListedPoints(int(time * scale) for time in self.at)
        return StampPoints() if self.every is None else MultiplePoints(int(self.every * scale))


class StreamRun:
    """A query that follows a stream, in ids and ticks.

    Attributes:
        terms: the dictionary of all ids.
        evaluation: its network.
        loader: reads the lines, and keeps their faults.
        facts: how many facts were taken in.
        late: how many were late, and left out.
        refused: how many retractions came when what they retract was condensed.
        without_effect: how many retractions found nothing that counts.
    """

    def __init__(
        self, query: StreamQuery, options: StreamOptions | None = None, name: str = "<stream>"
    ) -> None:
        """Begin; ``name`` is what faults call the stream.

        Raises:
            RuleErrors, RuleError: the program cannot be followed, or not with these options.
        """
        options = options or StreamOptions()
        self.query = query
        self.terms = Dictionary()
        scale = options.scale(query.analysis.scale)
        self.evaluation = StreamEvaluation(
            query, self.terms, scale, options.memory, retracts=options.retractions
        )
        notation = common_notation(notation_of(query.program), options.notation)
        self.loader = StreamLoader(
            self.terms, dict(query.arities), notation, name=name, retracts=options.retractions
        )
        self._points = options.points(scale)
        self._delay = int(options.delay * scale)
        self._last = _NO_STAMP
        self._at_most = max((int(time * scale) for time in options.at or ()), default=None)
        self.facts = self.late = self.refused = self.without_effect = 0

    @property
    def scale(self) -> int:
        """Ticks to the unit of time."""
        return self.evaluation.scale

    @property
    def notation(self) -> Notation:
        """How times are written."""
        return self.loader.notation or Interval

    @property
    def bad(self) -> int:
        """How many lines were no facts."""
        return self.loader.bad

    def read(self, blocks: Iterable[bytes]) -> Iterator[PointAnswers]:
        """The answers that become certain as lines come, in pieces cut anywhere."""
        for chunk, begin in line_chunks(blocks, least=1):
            if chunk:
                yield from self.push(chunk, begin)

    def push(self, chunk: bytes, begin: int) -> Iterator[PointAnswers]:
        """The same of whole lines; ``begin`` lines came before them."""
        self.loader.add(chunk, begin)
        scale = self.loader.scale(self.scale)
        if scale > self.scale and self.evaluation.rescales_to(scale):
            self._rescale(scale)
        parts = [self._within_bounds(part) for part in self.loader.take(self.scale)]
        yield from self._take_in([part for part in parts if len(part.rows)])

    def finish(self) -> Iterator[PointAnswers]:
        """The other answers, as the stream has ended."""
        last = self._last if self._at_most is None else max(self._last, self._at_most)
        self.evaluation.advance(POS_INF, 2 * last + 1 + self.evaluation.lateness)
        yield from answers_at(self.evaluation.answers(), self._points.take(POS_INF), self.terms)
        self.evaluation.release()

    def _rescale(self, scale: int) -> None:
        factor = scale // self.scale
        self.evaluation.rescale(scale)
        self._points.rescale(factor)
        self._delay *= factor
        if self._last > _NO_STAMP:
            self._last *= factor
        if self._at_most is not None:
            self._at_most *= factor

    def _within_bounds(self, part: LoadedFacts) -> LoadedFacts:
        """The facts from which nothing follows that has no cell; the others are faults."""
        near = self.evaluation.covers(part.rows)
        if near.all():
            return part
        for line in part.lines[~near].tolist():
            self.loader.refuse_line(
                line, OutOfBounds("what rules reach from this fact is too far from 0")
            )
        return LoadedFacts(part.key, part.rows[near], part.lines[near])

    def _take_in(self, parts: list[LoadedFacts]) -> Iterator[PointAnswers]:
        """Take in facts in the order of their lines, in steps that end at retractions."""
        retractions, self.loader.retractions = self.loader.retractions, set()
        cuts = _cuts(parts, retractions)
        for begin, end in pairwise(cuts):
            some = [part for part in (_between(part, begin, end) for part in parts) if part]
            if begin in retractions:
                self._retract(some)
            else:
                yield from self._step(some)

    def _step(self, parts: list[LoadedFacts]) -> Iterator[PointAnswers]:
        """Take in facts, and give the answers that are certain then."""
        if not parts:
            return
        lines = np.concatenate([part.lines for part in parts])
        lo = np.concatenate([part.rows[:, -2] for part in parts])
        stamps = np.where(lo <= NEG_INF, _NO_STAMP, lo >> 1)
        is_late = self._note_stamps(stamps, lines)
        begin = 0
        for part in parts:
            late = is_late[begin : begin + len(part.rows)]
            begin += len(part.rows)
            self.evaluation.add(part.key, part.rows[~late] if late.any() else part.rows)
        self.facts += len(lines) - int(np.count_nonzero(is_late))
        frontier = self._frontier(self._last)
        self.evaluation.advance(frontier)
        window = self._points.take(self.evaluation.certain)
        yield from answers_at(self.evaluation.answers(), window, self.terms)
        self.evaluation.release()

    def _note_stamps(self, stamps: Column, lines: Column) -> Mask:
        """Which facts are late: below the frontier that the lines before them set."""
        order = np.argsort(lines, kind="stable")
        in_order = stamps[order]
        reached = np.maximum.accumulate(np.concatenate([columns([self._last]), in_order]))
        before = reached[:-1]
        frontier = np.where(before > _NO_STAMP, before - self._delay, _NO_STAMP)
        late = np.empty(len(stamps), np.bool_)
        late[order] = in_order < frontier
        self._last = int(reached[-1])
        if late.any():
            self.late += int(np.count_nonzero(late))
            self._say_late(stamps, lines, late)
        self._points.stamp(np.unique(stamps[~late & (stamps > _NO_STAMP)]))
        return late

    def _say_late(self, stamps: Column, lines: Column, late: Mask) -> None:
        for place in np.flatnonzero(late)[np.argsort(lines[late], kind="stable")]:
            if not self.loader.reports_more:
                return
            line = int(lines[place])
            self.loader.note(
                LateFact(
                    f"late: {self._time_text(int(stamps[place]))} lies below the frontier",
                    Span(line, 1, line, 2),
                )
            )

    def _time_text(self, tick: int) -> str:
        if tick <= _NO_STAMP:
            return "-inf"
        return self.notation.text_of(Fraction(tick, self.scale))

    def _frontier(self, last: int) -> int:
        """The cell before which no more facts come."""
        return NEG_INF if last <= _NO_STAMP else 2 * (last - self._delay)

    def _retract(self, parts: list[LoadedFacts]) -> None:
        """Retract the fact of a line."""
        for part in parts:
            if self.evaluation.is_dense and self.evaluation.has_passed(part.key, part.rows):
                self.refused += 1
                message = "what it retracts lies before the frontier, and was condensed"
                line = int(part.lines[0])
                self.loader.note(RetractionTooOld(message, Span(line, 1, line, 2)))
            elif not self.evaluation.retract(part.key, part.rows):
                self.without_effect += 1


def _cuts(parts: list[LoadedFacts], retractions: set[int]) -> list[int]:
    """Lines at which steps begin, and the end: before and after each retraction."""
    if not parts:
        return []
    first = min(int(part.lines.min()) for part in parts)
    end = max(int(part.lines.max()) for part in parts) + 1
    return sorted({first, end, *(at for line in retractions for at in (line, line + 1))})


def _between(part: LoadedFacts, begin: int, end: int) -> LoadedFacts | None:
    """The facts of lines from ``begin`` on before ``end``; None: there are none."""
    chosen = (part.lines >= begin) & (part.lines < end)
    if chosen.all():
        return part
    if not chosen.any():
        return None
    return LoadedFacts(part.key, part.rows[chosen], part.lines[chosen])
