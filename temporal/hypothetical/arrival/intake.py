"""The intake of facts: lines in, whole slices out, in columns.

A *slice* is what arrives at one moment [CruzFilipe22, section 2.1]; it is whole when a later
arrival is read. Facts are judged in columns, a chunk of text at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows, concat
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.errors.report import shorten
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.terms import escape
from temporal.facts.bulk_chunks import line_chunks
from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.arrival.line_columns import ArrivalChunk, RefusedLines
from temporal.hypothetical.syntax.ast import TemporalProgram
from temporal.hypothetical.syntax.errors import (
    ArrivalOutOfOrder,
    DerivedPredicate,
    HypArityClash,
    OverdueFact,
    PrematureFact,
)


@dataclass(frozen=True, slots=True)
class ArrivalSlices:
    """Whole slices until the frontier, one after the other: facts by predicate of the rules.

    They stand in the order of their arrival, (n, k + 3): ids of the arguments, when they hold, when
    they arrived, `POS_INF`.
    """

    frontier: int
    facts: Mapping[str, Rows]


class ArrivalIntake:
    """Reads lines of facts for a program.

    A line that cannot be read, or that comes with an arrival before another one, is refused. So is
    a fact that rules conclude, with a number of arguments other than in the rules, with a time
    after its arrival, or later than its delay allows; but its arrival moves time. What no rule
    mentions is ignored.
    """

    def __init__(self, program: TemporalProgram, delays: DelayBounds, terms: Dictionary) -> None:
        self._arities = program.arities
        self._derived = program.intensional
        self._delays = delays
        self._terms = terms
        self._last = -1
        self._open: dict[str, list[Rows]] = {}
        self.facts = 0
        self.refused = RefusedLines()

    @property
    def pending_ids(self) -> Iterator[Column]:
        """The ids in slices that are not whole yet, in parts; the dictionary must keep them."""
        return (part[:, :-3].ravel() for parts in self._open.values() for part in parts)

    def read(self, blocks: Iterable[bytes]) -> Iterator[ArrivalSlices]:
        """The slices of a source in UTF-8, as soon as they are whole. Some 3 µs a fast line."""
        for raw, begin in line_chunks(blocks, 0):
            before = self._last
            with collector_paused():
                self._take(ArrivalChunk(raw, begin))
            if self._last > max(before, 0):
                yield self._complete_slices(self._last - 1)
        if self._last >= 0:
            yield self._complete_slices(self._last)

    def _take(self, chunk: ArrivalChunk) -> None:
        for fault, count in chunk.faults.items():
            self.refused.add(fault, count)
        taus = chunk.taus
        latest = np.maximum.accumulate(np.append(self._last, taus))[1:]
        out_of_order = np.flatnonzero((taus >= 0) & (taus < latest))
        if len(out_of_order):
            first = int(out_of_order[0])
            message = f"an arrival at {taus[first]}, behind one at {latest[first]}"
            self.refused.add(ArrivalOutOfOrder(message, chunk.span(first)), len(out_of_order))
        self._last = int(latest[-1])
        for name, rows in chunk.relations(taus == latest):
            self._take_facts(chunk, name, rows)

    def _take_facts(self, chunk: ArrivalChunk, name: str, rows: Column) -> None:
        """Take in the facts of a predicate on the lines ``rows``."""
        arity = self._arities.get(name)
        if arity is None:
            self.refused.ignored += len(rows)
            return
        if name in self._derived:
            self._refuse(DerivedPredicate, "is what rules conclude", chunk, rows)
            return
        distinct, which = chunk.args(rows)
        fits = np.array([len(args) == arity for args in distinct])[which]
        if not fits.all():
            wrong = len(distinct[which[np.argmin(fits)]])
            message = f"has {wrong + 1} arguments, {arity + 1} in the rules"
            self._refuse(HypArityClash, message, chunk, rows[~fits])
            rows = rows[fits]
            if len(rows):
                self._take_facts(chunk, name, rows)
            return
        taus, times = chunk.taus[rows], chunk.times[rows]
        last = times + self._delays_of(name, distinct)[which]
        in_time = (times <= taus) & (taus <= last)
        if not in_time.all():
            premature, overdue = np.flatnonzero(times > taus), np.flatnonzero(taus > last)
            if len(premature):
                message = f"has a time after its arrival at {taus[premature[0]]}"
                self._refuse(PrematureFact, message, chunk, rows[premature])
            if len(overdue):
                limit = last[overdue[0]]
                message = f"arrives at {taus[overdue[0]]}; its delay allows {limit} at the latest"
                self._refuse(OverdueFact, message, chunk, rows[overdue])
            which, times, taus = which[in_time], times[in_time], taus[in_time]
        texts = [f'"{escape(arg)}"' for args in distinct for arg in args]
        ids = self._terms.encode_many(texts).reshape(len(distinct), arity)
        facts = np.column_stack([ids[which], times, taus, np.full(len(taus), POS_INF)])
        self._open.setdefault(name, []).append(facts)
        self.facts += len(taus)

    def _delays_of(self, name: str, instances: Sequence[tuple[str, ...]]) -> Column:
        if self._delays.depends(name):
            return np.array([self._delays.of_instance(name, args) for args in instances])
        return np.full(len(instances), self._delays.of_instance(name, instances[0]))

    def _refuse(
        self, kind: type[RuleError], message: str, chunk: ArrivalChunk, lines: Column
    ) -> None:
        first = int(lines[0])
        fault = kind(f"{shorten(chunk.fact(first))} {message}", chunk.span(first))
        self.refused.add(fault, len(lines))

    def _complete_slices(self, frontier: int) -> ArrivalSlices:
        """The slices until the frontier that were not given before."""
        facts: dict[str, Rows] = {}
        for name, parts in list(self._open.items()):
            found = concat(parts)
            count = int(np.searchsorted(found[:, -2], frontier, "right"))
            if count:
                facts[name], self._open[name] = found[:count], [found[count:]]
            if count == len(found):
                del self._open[name]
        return ArrivalSlices(frontier, facts)
