"""The driver of a core: the one place where the order of a step is written.

A step is

1. **tidy**: forget what has ended, if that is due;
2. **take in**: facts are asserted and retracted;
3. **derive**: rules run until nothing new follows;
4. **close**: instants before the frontier can change no more;
5. **emit**: the answers that are final by that, or early results.

What is retracted counts from the frontier on, so the instants before it are closed first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from r4.answers.output_order import NO_CHANGES, Changes
from r4.engine.core import Core
from r4.program.program import Program
from r4.run.single_elements import SingleElements
from r4.stream.batch import Batch
from r4.time.progress import closing_frontier
from r4.time.ticks import NEG_INF, POS_INF
from rete.arrays.delta import Column, Rows

MOST: Final = 100_000
"""The most facts to derive at once where rules may derive for ever."""


@dataclass(frozen=True, slots=True)
class ReferenceChange:
    """A change of static data and rules at one frontier.

    Attributes:
        added: triples, (n, 3), that hold from there on.
        removed: gives triples, (n, 3), that hold up to there.
        needed_ids: ids of what was read and not yet taken in, in arrays of any shape.
        joined: rules that count from there on, and see what holds there; None: there are none.
        dropped: the numbers of rules that count up to there.
    """

    added: Rows
    removed: Callable[[], Rows]
    needed_ids: Iterable[Rows | Column] = ()
    joined: Program | None = None
    dropped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Retraction:
    """The result of a retraction.

    Attributes:
        count: how many facts were retracted.
        has_effect: whether something was there to be retracted.
        changes: the answers that changed by it, in order.
    """

    count: int
    has_effect: bool
    changes: list[Changes]


class Driver:
    """Drives a core through the steps of a run.

    The ids of the changes that a step gives hold until the next step, when terms may be forgotten.
    Each method raises `LimitReached` where rules derive more than the limit of the core.

    Attributes:
        core: the program that runs.
        single: takes in single elements, where the rules allow it.
    """

    __slots__ = ("core", "single")

    def __init__(self, core: Core) -> None:
        self.core = core
        self.single = SingleElements(core)

    def assert_static(self, rows: Rows) -> None:
        """Take in triples, (n, 3), that always hold; before `begin` only."""
        self.core.assert_static(rows)

    def close_background(self) -> None:
        """Derive what the rules of the background say of static data, and emit nothing."""
        self.core.close_background()

    def close_static(self) -> None:
        """Derive all that follows from static data, and emit nothing; after a limit it goes on."""
        self.core.close_static()

    def begin(self) -> Changes:
        """Close static data: what follows from them alone. Called once, by `step` if need be."""
        self.core.close_static()
        return self._emit_static()

    def _emit_static(self) -> Changes:
        final = self.core.emitter.close(NEG_INF)
        return final if self.core.emitter.early is None else self.emit_early(NEG_INF)

    def step(self, batch: Batch) -> list[Changes]:
        """Take in a batch of elements; the changes that are final by it, or early, in order.

        What follows from static data comes first, in changes of its own, once.
        """
        core = self.core
        core.progress.last = max(core.progress.last, batch.last)
        core.progress.first = min(core.progress.first, batch.first)
        if len(batch.rows) and batch.start[0] == NEG_INF:
            if core.begun:  # as reference data changed before time began
                return self.extend_static(batch.rows, NEG_INF, batch.last)
            core.assert_static(batch.rows)
            return []
        out = [] if core.begun else [self.begin()]
        own = batch.rows, batch.names, batch.retracted_names, batch.retracted_rows[:, :3]
        core.tidy(chain(batch.needed_ids, own))
        cells = core.admit(batch)
        if batch.is_retraction:
            out.append(self.close(batch.frontier))
            core.assertions.retract_batch(batch)
        core.assert_batch(batch, cells)
        out.append(self.close(batch.frontier))
        if batch.completes and core.emitter.early is not None:
            out.append(self.emit_early(batch.last))
        return out

    def retract(self, names: Column, rows: Rows | None, frontier: int, last: int) -> Retraction:
        """Retract elements by name, or single triples of theirs, from ``frontier`` on.

        Args:
            names: ids of elements; 0, which is no name, is never retracted.
            rows: triples with the names of their elements, (n, 4); None: all of the elements.
            frontier: instants before it are closed first.
            last: the largest stamp.
        """
        self.core.progress.begin(last)
        changes = [self.close(frontier)]
        assertions = self.core.assertions
        if rows is None:
            has_effect = assertions.known(names) > 0
            count = assertions.retract(names)
        else:
            has_effect = assertions.has_rows(rows)
            count = assertions.retract_rows(rows)
        changes.append(self.emit_early(last))
        return Retraction(count, has_effect, changes)

    def extend_static(
        self, rows: Rows, frontier: int, last: int, needed_ids: Iterable[Rows | Column] = ()
    ) -> list[Changes]:
        """Take in triples, (n, 3), that hold from ``frontier`` on, for ever; after `begin`.

        ``last`` is the largest stamp, ``needed_ids`` as of `Batch`.
        """
        if frontier == NEG_INF:
            return self._without_time(lambda: self.core.extend_static(rows))
        starts, ends = np.full(len(rows), frontier), np.full(len(rows), POS_INF)
        return self.step(Batch(rows, starts, ends, frontier, last, needed_ids))

    def end_static(self, rows: Rows, frontier: int, last: int) -> Retraction:
        """Let triples, (n, 3), that no element asserts hold up to ``frontier``, and no longer.

        Instants before it are closed first. Without a frontier it is as if they had never held.
        """
        count = 0

        def end() -> None:
            nonlocal count
            count = self.core.assertions.end_static(rows)

        if not self.core.begun:  # what they would have led to is never emitted
            self.core.close_static()
            end()
            changes = [self.begin()]
        elif frontier == NEG_INF:
            changes = self._without_time(end)
        else:
            changes = [self.close(frontier)]
            end()
            changes.append(self.emit_early(last))
        return Retraction(count, count > 0, changes)

    def _without_time(self, change: Callable[[], None]) -> list[Changes]:
        """Change what always holds, before time has begun; the changes that this makes.

        Answers that were emitted end at no time, as they began.
        """
        emitted = self.core.emitter.static_answers()
        change()
        self.core.derive()
        return [self.core.emitter.end_static(emitted), self._emit_static()]

    def change_references(self, change: ReferenceChange, frontier: int, last: int) -> list[Changes]:
        """Change static data and rules at ``frontier``; after `begin`.

        What joins does so first: an answer that goes on by it does not end. ``last`` is the
        largest stamp.
        """
        core = self.core

        def exchange() -> None:
            if change.joined is not None:
                core.add(change.joined, sees_held=True)
            if change.dropped:
                core.drop(change.dropped)
            if len(removed := change.removed()):
                core.assertions.end_static(removed)

        if frontier == NEG_INF:

            def extend() -> None:
                core.extend_static(change.added)
                exchange()

            return self._without_time(extend)
        changes = [self.close(frontier)]
        if len(change.added):
            changes += self.extend_static(change.added, frontier, last, change.needed_ids)
        exchange()
        return [*changes, self.emit_early(last)]

    def join(self, program: Program) -> None:
        """Add rules, which count from the frontier on."""
        self.core.add(program)

    def drop(self, rules: Container[int], frontier: int) -> list[Changes]:
        """Drop the rules of these numbers, from ``frontier`` on; the changes that this makes."""
        core = self.core
        if not core.begun:  # what they would have derived is never emitted
            core.close_static()
            core.drop(rules)
            return [self.begin()]
        if frontier == NEG_INF:
            return self._without_time(lambda: core.drop(rules))
        core.drop(rules)
        return [self.close(frontier)]

    def exchange(
        self,
        take_in: Callable[[], None],
        *,
        ends: bool = False,
        begins: bool = False,
        until: int | None = None,
        closes: int | None = None,
    ) -> Changes:
        """Take a step of a shard, to which other shards may still send facts of the same instants.

        Args:
            take_in: asserts and retracts what was sent to the shard.
            ends: whether the input has ended.
            begins: whether all static data are in.
            until: the tick up to which is derived what has no end; None: nothing is derived.
            closes: the frontier, once no shard has anything for another; `NEG_INF`: what
                follows from static data alone is emitted; None: nothing is closed.
        """
        core = self.core
        core.tidy()
        if ends:
            core.end()
        take_in()
        if until is not None:
            core.advance(until)
            core.derive(until)
        if begins:
            core.close_static()
        if closes is None:
            return NO_CHANGES
        return self.begin() if closes == NEG_INF else self.close(closes)

    def advance(self, frontier: int, last: int) -> list[Changes]:
        """Move time alone, to ``frontier`` and the largest stamp ``last``."""
        self.core.progress.begin(last)
        return [self.close(frontier), self.emit_early(last)]

    def close(self, frontier: int) -> Changes:
        """Close all instants before ``frontier``; the answers that are final by that, in order."""
        core = self.core
        core.settle(frontier)
        is_more = core.progress.close(frontier) or core.emitter.has_settled
        core.release()
        return core.emitter.close(core.progress.final - 1) if is_more else NO_CHANGES

    def emit_early(self, last: int) -> Changes:
        """The early results at the largest stamp ``last``, those that are undone first.

        None, where only what is final is emitted.
        """
        if last > NEG_INF and self.core.emitter.early is not None:
            self.core.advance(last + 1)
        self.core.derive(last)
        return self.core.emitter.emit_early(last)

    def finish(self, last: int, drain: int | None = 0) -> Changes:
        """End the input, with ``last`` its largest stamp; the changes that are left.

        Args:
            last: ticks; `NEG_INF` if there was no stamp.
            drain: ticks after ``last`` up to which changes are emitted too, inclusive; None: to
                the end of all that ends.

        Raises:
            LimitReached: rules derive for ever; without a limit of the core `MOST` facts are one.
        """
        if not self.core.begun:
            return self.begin()
        if last == NEG_INF:
            return NO_CHANGES
        self.core.end()
        if drain is None and self.core.may_be_endless:
            self.core.limit_endless(MOST)
        final = self.close(closing_frontier(last, drain))
        return final if self.core.emitter.early is None else self.emit_early(NEG_INF)
