"""A run that stops where it is asked: at an instant, and where what held then ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from r4.answers.ledger import INSERTED
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.engine.core import Core
from r4.explain.explanation import Explanation
from r4.explain.justification.rule_instances import GroundFact
from r4.explain.question.explainer import Explainer, JustificationSnapshot, with_last
from r4.explain.tick_spans import TickSpan, coalesce_spans
from r4.rdf.chunks import NO_ROWS
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, POS_INF
from rete.graph.plan import MetricOperator
from rete.network.lookback import measure_lookback
from rete.nodes.aggregate import Aggregate
from rete.nodes.interval_ends import IntervalEnds
from rete.terms.relations import ERROR, TRIPLES, Relation

_LONGER: Final = 10
"""So often it is looked further than the streams go, whether what follows from itself goes on."""
_AROUND: Final = 4
"""Cells around a time that belong to it: its closure, and that of what touches it."""


@dataclass(slots=True)
class Playback:
    """Feeds an engine, and asks it why a fact holds.

    The state of an instant is looked at when everything is in that may change it and nothing is
    forgotten that holds then: with the frontier at that very instant, though all elements up to it
    were read; with operators of the future, so much later. What operators of the past may reach is
    kept. Then the run goes on to where the fact ends, to say why; or if it does not hold, to
    where it does.

    Attributes:
        core: the engine; all that is static is in it.
        relation, terms: the fact, its terms pinned.
        at: the instant in ticks; None: the last stamp.
        onward: whether to go on after the instant for a fact that does not hold then.
    """

    core: Core
    why: Explainer
    relation: Relation
    terms: Sequence[int]
    at: int | None
    onward: bool = True
    _next: int | None = None
    _began: int | None = None
    _found: Explanation | None = None
    _held: int = NEG_INF
    _last: JustificationSnapshot | None = None
    _done: bool = False
    _printed: dict[int, int | None] = field(default_factory=dict)
    _asserted: list[tuple[int, TickSpan]] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _ahead: int = 0
    _driver: Driver = field(init=False)

    def __post_init__(self) -> None:
        self._driver = Driver(self.core)
        _keep_past(self.core)
        self.core.assertions.base.renamed = {}
        self._ahead = int(self.core.lookahead)

    def run(self, batches: Iterable[Batch], last: Callable[[], int]) -> Explanation:
        """Take in ``batches`` as far as need be; ``last`` is the last stamp, once they are read."""
        for batch in batches:
            self._take(batch)
            if self._done:
                break
        if self._found is None:
            if not self.core.begun:
                self._note(self._driver.begin())
            self.at = (last() if last() > NEG_INF else 0) if self.at is None else self.at
            self._settle(self.at)
            self._look(self.at)
        assert self._found is not None
        if self._found.span is None:
            return self._when_else()
        if self._done or self._comes_to_its_end():
            return replace(self._found, final=True, answer=self._whole_answer())
        span = replace(self._found.span, until=self._until)
        return replace(self._found, span=span, answer=self._whole_answer(), final=False)

    def _comes_to_its_end(self) -> bool:
        """Let time move on to where the fact ends, if it does; whether that is known."""
        assert self._found is not None
        assert self._found.span is not None
        for _ in range(_LONGER):
            for tick in self._changes():
                if self._until < POS_INF:
                    break
                self._settle(tick)
            end = self._until
            if end >= POS_INF:
                whole = replace(self._found.span, until=POS_INF, through=False)
                self._found = replace(self._found, span=whole)
                return True
            self._settle(end)
            if self._until <= end:
                self._end()
                return True
        return False

    def _whole_answer(self) -> TickSpan | None:
        """When the fact is an answer around the instant, from its begin to its end."""
        assert self._found is not None
        answer = self._found.answer
        if answer is None:
            return None
        if self.core.layers.background is None:
            return self._found.span
        at = self._found.at
        printed = (
            TickSpan(start, end)
            for start, end in self._printed.items()
            if end is not None and start <= at < end
        )
        span = next(printed, None)
        for tick in (at, self._held, self._held + 1):
            span = span or self.why.answer(self.relation, self.terms, tick)
        end = answer if span is None else span
        whole = self._found.span
        if whole is not None and whole.until < end.until:  # retracted, and not printed yet
            end = whole
        return replace(answer, until=end.until, through=end.through)

    def _when_else(self) -> Explanation:
        found, at = self._found, self.at
        assert found is not None
        assert at is not None
        asserted = [span for _, span in self._asserted]
        seen = tuple(each for each in found.unknown if each[0] not in self._seen)
        spans = self._lines(at) if self._is_printed else self._known_spans(found, at)
        other_spans = coalesce_spans([*spans, *asserted])
        return replace(found, other_spans=other_spans, unknown=seen)

    def _lines(self, at: int) -> Iterator[TickSpan]:
        """When a fact holds that does not at ``at``, as it was printed, up to the next time."""
        self._finish_next(at)
        for start, end in self._printed.items():
            if end is not None:
                yield TickSpan(start, end)
            elif start < at:  # it ended there, which is printed once time has passed it
                yield TickSpan(start, at)
            elif start == self._next:
                yield TickSpan(start, self._end_of(start))
        if self.relation != TRIPLES:
            yield from self.why.asserted(self._fact)

    def _finish_next(self, at: int) -> None:
        """Let time move on to where the fact begins and ends that holds next after ``at``."""
        assertions = self.core.assertions
        changes = self._changes()
        for _ in range(_LONGER + len(assertions.waiting)):
            if self._done:
                break
            for tick in itertools.takewhile(lambda _: self._is_open, changes):
                self._settle(tick)
            if self._next is None:
                first, known = max(at + 1, self._settled), self.why.all_spans(self._fact)
                ends = [max(first, span.since) for span in known if span.until > first]
                ends += (assertions.waiting[:1] >> 1).tolist()  # then what waits is retracted
                end = min(ends, default=POS_INF)
            else:
                end = self._end_of(self._next)
            if end >= POS_INF:
                break
            self._settle(end + 1)

    @property
    def _is_open(self) -> bool:
        """Whether it is not known where the fact holds next; or where that ends."""
        return not self._done and (self._next is None or self._end_of(self._next) >= POS_INF)

    def _changes(self) -> Iterator[int]:
        """The ticks, if nothing more comes, at which time may change what rules say.

        A group has its value for as long as time has not come to where it has another one.
        """
        for _ in range(_LONGER):
            networks = self.core.layers.networks
            timed = [stream for network in networks for stream in network.timed]
            stems = dict.fromkeys(source.stem for stream in timed for source in stream.sources)
            rows = [stem.content()[:, -2:].ravel() for stem in stems if stem is not None]
            cells = np.concatenate([NO_ROWS[:, 0], *rows])
            cells = cells[(cells >= 2 * self._settled) & (cells < POS_INF)]
            if not len(cells):
                break
            yield from np.unique((cells + 1) >> 1).tolist()

    def _known_spans(self, found: Explanation, at: int) -> Iterator[TickSpan]:
        """When a fact holds that does not at ``at``, if lines do not say when it is derived."""
        yield from (span for span in found.other_spans if span.until <= at)
        closed = ((start, end) for start, end in self._printed.items() if end is not None)
        yield from itertools.starmap(TickSpan, closed)
        yield from (span for span in self.why.all_spans(self._fact) if span.since > at)

    @property
    def _is_printed(self) -> bool:
        """Whether the fact is printed whenever it is derived."""
        return self.core.layers.background is None and not self.core.network.instances

    @property
    def _settled(self) -> int:
        """All that began or ended before it is printed."""
        return self.core.frontier - self._ahead

    def _end_of(self, start: int) -> int:
        """Where a fact ends, as far as is known, that was printed to begin."""
        end = self._printed.get(start)
        if end is not None:
            return end
        last = max(start, self._settled - 1)
        spans = (self.why.derived(self._fact, tick) for tick in (last, last + 1))
        return next((span.until for span in spans if span is not None), last + 1)

    def _take(self, batch: Batch) -> None:
        """A batch, step by step: time moves to where there is something to see, then on."""
        self._see(batch)
        if len(batch.rows) and batch.start[0] == NEG_INF:
            self._step(batch)
            return
        if batch.is_retraction:
            if self.relation == TRIPLES:
                self._cut(batch)
            self._pass(batch.frontier)
            if not self._done:
                self._take_back(batch)
            return
        stop = self._stop
        self._step(replace(batch, frontier=min(batch.frontier, max(stop, self.core.frontier))))
        self._pass(batch.frontier)

    def _pass(self, frontier: int) -> None:
        """Let time move to ``frontier``, as all that may come before it is in."""
        while not self._done and frontier > self._stop:
            if self._found is None:
                assert self.at is not None
                self._settle(self.at)
                self._look(self.at)
                continue
            end = self._until
            self._settle(end - 1)
            if self._until != end:  # it goes on, or what waited was taken back before
                continue
            if frontier <= end + self._ahead:  # what begins then may still go on with it
                self._see_last(end - 1)
                break
            self._see_last(end - 1)
            self._settle(end)
            if self._until <= end:
                self._end()
        if not self._done:
            self._move(frontier)

    def _take_back(self, batch: Batch) -> None:
        """Something is taken back: what it was that ended the fact is seen before it is gone."""
        if self._found is not None and self._found.holds and not self._ahead:
            last = batch.frontier - 1
            if self._until > last >= self._held:
                self._see_last(last)
        self._step(batch)  # where rules look ahead it waits until what is before it is final

    def _see_last(self, tick: int) -> None:
        """Look at an instant that may be the last; again, as what is taken back there is gone."""
        if self._last is not None and self._last.at == tick:
            return
        self.core.know(min(tick + self._ahead, self.core.frontier))
        self.core.keep_order()  # what is seen refers to streams
        seen = self.why.snapshot(self._fact, tick)
        if seen.trees:
            self._held, self._last = tick, seen

    def _look(self, at: int) -> None:
        found = self.why.explain(self.relation, self.terms, at)
        if found.span is not None:
            span = self._from_its_start(found.span, at, derived=found.derived)
            found = replace(found, span=span, answer=self._from_when_it_began(found.answer))
        self._found = found
        _keep_past(self.core, since=True)
        self._held = at
        self._done = not found.holds and not self.onward

    def _from_its_start(self, span: TickSpan, at: int, *, derived: bool) -> TickSpan:
        """It may be forgotten, or be otherwise by now, from when on a fact holds at ``at``."""
        spans = [span, *(each for _, each in self._asserted)]
        if derived:
            spans = [span] if self._began is None else [span, TickSpan(self._began, span.since)]
        since = next(each.since for each in coalesce_spans(spans) if span.since < each.until)
        if derived and self._is_printed:  # once time has passed its begin
            since = at if self._began is None else self._began
        return span if since == span.since else replace(span, since=since, after=False)

    def _from_when_it_began(self, answer: TickSpan | None) -> TickSpan | None:
        """An answer at the instant from the time on that was printed."""
        began = self._began
        if answer is None or began is None or began >= answer.since:
            return answer
        return replace(answer, since=began, after=False)

    def _end(self) -> None:
        assert self._found is not None
        assert self._found.span is not None
        end = self._until
        last = self._last
        if last is None or last.at != end - 1:
            self._settle(end - 1)
            last = self.why.snapshot(self._fact, end - 1)
        now = self.why.span(self._fact, self._held)
        through = now is not None and now.through
        found = replace(self._found, span=replace(self._found.span, until=end, through=through))
        self._found = with_last(found, last, self.why.causes(last, end))
        self._done = True

    @property
    def _fact(self) -> GroundFact:
        return self.why.fact(self.relation, self.terms)

    @property
    def _stop(self) -> int:
        """The frontier at which there is something to see."""
        if self._found is None:
            return POS_INF if self.at is None else self.at + self._ahead
        return self._until - 1 + self._ahead if self._found.holds else POS_INF

    @property
    def _until(self) -> int:
        """Where the fact ends, as far as is known."""
        assert self._found is not None
        assert self._found.span is not None
        if self._found.derived and self._is_printed:
            return self._end_of(self._found.span.since)
        span = self.why.span(self._fact, self._held)
        if span is None:  # it ended at the frontier, or something was retracted there
            span = self.why.span(self._fact, self._held + 1)
        return self._held + 1 if span is None else span.until

    def _settle(self, tick: int) -> None:
        """Let time move on until what holds at ``tick`` is settled."""
        self._move(tick + self._ahead)
        self.core.know(tick + self._ahead)

    def _move(self, frontier: int) -> None:
        if frontier > self.core.frontier:
            self._step(_nothing(frontier))

    def _step(self, batch: Batch) -> None:
        for since in [] if batch.is_retraction else self._due(batch.frontier):
            before = max(since - 1 + self._ahead, self.core.frontier)
            self._drive(replace(batch, frontier=before))
            batch = _nothing(batch.frontier)
            last = min(since, self._until) - 1
            if last >= self._held:
                self._see_last(last)
        self._drive(batch)

    def _due(self, frontier: int) -> list[int]:
        """The ticks from which on retractions count that wait until time is at ``frontier``.

        Then facts are gone of which answers before that tick stay; so these are seen before.
        """
        if self._found is None or not self._found.holds:
            return []
        ticks = (self.core.assertions.waiting >> 1).tolist()
        return [tick for tick in ticks if tick + self._ahead <= frontier]

    def _drive(self, batch: Batch) -> None:
        if batch.is_retraction:  # reasons name the elements, which nothing else mentions any more
            self.core.needed_ids += batch.retracted_names, batch.retracted_rows
        for changes in self._driver.step(batch):
            self._note(changes)

    def _see(self, batch: Batch) -> None:
        """Whether a batch asserts the fact, and what was thought to be unknown."""
        if self.why.unknown and self._found is None and len(batch.rows):
            ids = self.core.terms.encode_many(self.why.unknown)
            some = zip(self.why.unknown, ids.tolist(), strict=True)
            self._seen.update(text for text, term in some if (batch.rows == term).any())
        if self.relation != TRIPLES or not len(batch.rows):
            return
        names = batch.names.tolist() or [0] * len(batch.rows)
        for i in np.flatnonzero((batch.rows == np.array(self.terms)).all(axis=1)).tolist():
            start, end = int(batch.start[i]), int(batch.end[i])
            if end == NO_END:
                window = self.core.program.window
                alone = start + 1 if self.core.program.metric else POS_INF
                end = alone if window is None else start + window
            self._asserted.append((names[i], TickSpan(start, end)))

    def _cut(self, batch: Batch) -> None:
        gone = set(batch.retracted_names.tolist())
        gone.update(row[3] for row in batch.retracted_rows.tolist() if row[:3] == list(self.terms))
        self._asserted = [
            (name, TickSpan(span.since, min(span.until, batch.frontier)) if name in gone else span)
            for name, span in self._asserted
        ]

    def _note(self, changes: Changes) -> None:
        if self.relation == TRIPLES:
            alike = (changes.triples == np.array(self.terms)).all(axis=1)
            found = np.flatnonzero(alike & (changes.kind == TRIPLE)).tolist()
        elif self.relation == ERROR:
            found = np.flatnonzero(changes.kind == INCONSISTENT).tolist()
        else:
            text = f"{self.relation.op}({' '.join(map(self.core.terms.decode, self.terms))})"
            found = [i for i, atom in enumerate(changes.atoms) if atom == text]
        for i in found:
            self._meet(changes, i)

    def _meet(self, changes: Changes, i: int) -> None:
        start = int(changes.start[i])
        self._printed[start] = None if changes.op[i] == INSERTED else int(changes.end[i])
        if self._found is None:
            self._began = start if changes.op[i] == INSERTED else None
        if changes.op[i] != INSERTED:
            self._done = self._done or self._next == start
        elif self._found is not None and not self._found.holds and self._next is None:
            self._next = start


def _nothing(frontier: int) -> Batch:
    none = NO_ROWS[:, 0]
    return Batch(NO_ROWS, none, none, frontier, frontier)


def _keep_past(core: Core, *, since: bool = False) -> None:
    """From now on keep all that answers may hang on, for who asks why they held; twice as far.

    So it can be told of what an operator lacks when that held before.

    Where they hang on each other through time, that is all there is; and what follows without
    end is derived a little further than time is, so that it is seen to go on. It is all, too, where
    rules ask when facts began or ended; and ``since`` the instant of the question, where only time
    tells until when a group has its value.
    """
    layers = core.layers
    far = core.program.reach.back + core.lookahead
    plans = [plan for network in layers.networks for plan in network.streams]
    timed = Aggregate if since else IntervalEnds
    if math.isinf(far) or any(isinstance(plan, timed) for plan in plans):
        layers.history = POS_INF
    elif not since:
        layers.history = 4 * int(far) + _AROUND
    measure_lookback(layers)
    ends = (end for plan in plans if isinstance(plan, MetricOperator) for end in plan.rho)
    core.progress.beyond = 2 * max((end for end in ends if end < POS_INF), default=0) + _AROUND
