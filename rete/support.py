"""Support: rows of a stream found from some of their terms, backwards through its plan.

A plan is a question that is answered forwards, from facts to rows. Here some columns are known
already, and the plan is walked from its end, as magic sets do: only rows that agree with what is
known are ever made. It tells whether a row has another derivation, and which facts it has it from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from rete import kernels
from rete.components import Component
from rete.delta import Rows, columns, empty
from rete.layers import Layers
from rete.nodes.base import Stream
from rete.nodes.terminal import FactTable, Terminal
from rete.plan import AntiJoin, Apply, Filter, Join, Scan, Solve, Unit
from rete.stem import Stem
from rete.unions import matched, united, with_term

Known: TypeAlias = Sequence[int]
"""The columns of a stream that are given, in the order of the columns that give them."""
_SAMPLE: Final = 4096
_QUESTIONS: Final = 8
"""So many rows and questions are looked at to guess which side of a join to begin with."""


class Supports:
    """Finds rows of streams, and the facts that rules derive, from part of them.

    Questions are rows of the known columns with a time; what is found agrees with some question
    and holds within its time. It may come several times, and pieces may overlap.
    """

    __slots__ = ("_layers",)

    def __init__(self, layers: Layers) -> None:
        self._layers = layers

    def of_facts(
        self, table: FactTable, facts: Rows, component: Component | None = None
    ) -> list[tuple[int, Rows]]:
        """Per head that feeds ``table``, with its rule: which of ``facts`` it derives.

        With a ``component`` each has its level as a last term, see `Component`.
        """
        return [
            (terminal.rule, self.of_head(stream, terminal, facts, component))
            for stream, terminal in table.feeders
        ]

    def of_head(
        self, stream: Stream, terminal: Terminal, facts: Rows, component: Component | None = None
    ) -> Rows:
        """As `of_facts`, for one head of one body."""
        arity = terminal.table.relation.arity
        known, places, asked = terminal.asks(facts)
        if not len(asked):
            return empty(arity if component is None else arity + 1)
        questions = _distinct(asked, places)
        if component is None:
            return terminal.facts(self.rows(stream, questions, known))
        rows = self.leveled(stream, questions, known, component)
        return with_term(terminal.facts(rows), rows[:, -3])

    def rows(self, stream: Stream, asked: Rows, known: Known) -> Rows:
        """The rows of ``stream``, (n, width + 2), from what it remembers if it does."""
        stem = stream.stem
        if stem is None:
            return self.derived(stream, asked, known)
        every = columns([~c for c in range(stem.width)])
        key, index = columns(range(len(known))), stem.index(tuple(known))
        return stem.probe(asked, key, stem.n, index, every)

    def derived(self, stream: Stream, asked: Rows, known: Known) -> Rows:
        """The rows of ``stream`` by its plan: what it remembers itself does not count."""
        plan = stream.plan
        match plan:
            case Unit():
                return _always(asked, stream.since)
            case Scan():
                facts = self._facts(stream, plan, asked, known)
                return _selected(facts, plan, plan.keep)
            case Join():
                pairs = self._pairs(stream, plan, asked, known)
                keep = [c if c >= 0 else plan.left.width + ~c for c in plan.keep]
                return _columns(pairs, keep)
            case AntiJoin():
                left = self.rows(stream.sources[0], *_through(plan.keep, asked, known))
                assert stream.gate is not None
                return stream.gate.project(stream.gate.open(left))
            case Filter() | Apply() | Solve():
                assert stream.node is not None
                source = self.rows(stream.sources[0], *_through(plan.keep, asked, known))
                return stream.node.apply(source)

    def leveled(self, stream: Stream, asked: Rows, known: Known, component: Component) -> Rows:
        """The rows of ``stream`` with their level as a last term, (n, width + 3).

        The level of a row is the highest of the facts it is made of, those outside of ``component``
        being of level 0: what is derived there is settled.
        """
        if stream.component is not component:
            return with_term(self.rows(stream, asked, known), 0)
        plan = stream.plan
        match plan:
            case Unit():
                return with_term(_always(asked, stream.since), 0)
            case Scan():
                facts = self._facts(stream, plan, asked, known, component)
                return _selected(facts, plan, (*plan.keep, plan.relation.arity))
            case Join():
                return self._leveled_pairs(stream, plan, asked, known, component)
            case AntiJoin():
                left = stream.sources[0]
                rows = self.leveled(left, *_through(plan.keep, asked, known), component)
                assert stream.gate is not None
                return _columns(stream.gate.open(rows), [*plan.keep, plan.left.width])
            case Filter() | Apply() | Solve():
                assert stream.node is not None
                through = _through(plan.keep, asked, known)
                source = self.leveled(stream.sources[0], *through, component)
                plain = _columns(source, range(source.shape[1] - 3))
                origins, rows = stream.node.trace(plain)
                return with_term(rows, source[origins, -3])

    def _leveled_pairs(
        self, stream: Stream, plan: Join, asked: Rows, known: Known, component: Component
    ) -> Rows:
        pairs = self._pairs(stream, plan, asked, known)
        width, other = plan.left.width, plan.right.width
        for source, first, size in (
            (stream.sources[0], 0, width),
            (stream.sources[1], width, other),
        ):
            if source.component is not component:
                pairs = with_term(pairs, 0)
                continue
            # Each pair as often as its row of this side has levels, which come as a last column.
            own = list(range(first, first + size))
            rows = self.leveled(source, _distinct(_columns(pairs, own)), range(size), component)
            kept = [*range(pairs.shape[1] - 2), ~size]
            pairs = matched(pairs, own, rows, range(size), kept)
        levels = pairs[:, -4:-2].max(axis=1) if len(pairs) else pairs[:, 0]
        keep = [c if c >= 0 else width + ~c for c in plan.keep]
        return with_term(_columns(pairs, keep), levels)

    def _pairs(self, stream: Stream, plan: Join, asked: Rows, known: Known) -> Rows:
        """Pairs of a left and a right row, all columns of both: (n, left + right + 2)."""
        left, right = (source.stem for source in stream.sources)
        assert left is not None
        assert right is not None
        lefts: dict[int, int] = {}
        rights: dict[int, int] = {}
        for place, column in enumerate(known):
            kept = plan.keep[column]
            (lefts if kept >= 0 else rights).setdefault(kept if kept >= 0 else ~kept, place)
        for mine, theirs in plan.on:  # what is known of one side of a key is known of both
            if theirs in rights:
                lefts.setdefault(mine, rights[theirs])
            elif mine in lefts:
                rights[theirs] = lefts[mine]
        swapped = bool(rights) and (
            not lefts or _fan(right, rights, asked) < _fan(left, lefts, asked)
        )
        if swapped:
            left, right, lefts, rights = right, left, rights, lefts
        on = [(b, a) if swapped else (a, b) for a, b in plan.on]
        # The first probe takes what else is known along; the second asks for it.
        joined = {theirs for _, theirs in on}
        more = {column: place for column, place in rights.items() if column not in joined}
        taken = [*(~c for c in range(left.width)), *more.values()]
        first = left.probe(
            asked, columns(lefts.values()), left.n, left.index(tuple(lefts)), columns(taken)
        )
        key = [*(a for a, _ in on), *range(left.width, left.width + len(more))]
        index = right.index((*(b for _, b in on), *more))
        every = [*range(left.width), *(~c for c in range(right.width))]
        pairs = right.probe(first, columns(key), right.n, index, columns(every))
        if swapped:
            order = [*range(left.width, left.width + right.width), *range(left.width)]
            pairs = _columns(pairs, order)
        return pairs

    def _facts(
        self,
        stream: Stream,
        plan: Scan,
        asked: Rows,
        known: Known,
        component: Component | None = None,
    ) -> Rows:
        """The facts that a scan matches, with their level as a last term if need be."""
        places = [*(place for place, _ in plan.constants), *(plan.keep[c] for c in known)]
        questions = np.empty((len(asked), len(places) + 2), np.int64)
        questions[:, : len(plan.constants)] = stream.constants
        questions[:, len(plan.constants) :] = asked
        return self._layers.held(stream, plan.relation, questions, tuple(places), component)


def _fan(stem: Stem, places: Mapping[int, int], asked: Rows) -> float:
    """About how many rows of ``stem`` agree with a question of ``asked``, from a few of both."""
    step = max(1, stem.n // _SAMPLE)
    rows = stem.rows[: stem.n : step]
    some = asked[:: max(1, len(asked) // _QUESTIONS)][:_QUESTIONS]
    agree = np.ones((len(some), len(rows)), np.bool_)
    for column, place in places.items():
        agree &= some[:, place, None] == rows[:, column]
    return step * (int(np.count_nonzero(agree)) + 1)


def _through(keep: Sequence[int], asked: Rows, known: Known) -> tuple[Rows, Known]:
    """What is known of the source of a plan that keeps the columns ``keep`` of it."""
    places: dict[int, int] = {}
    for place, column in enumerate(known):
        if column < len(keep):  # else it is the computed one
            places.setdefault(keep[column], place)
    return _distinct(_columns(asked, list(places.values()))), tuple(places)


def _columns(rows: Rows, keep: Sequence[int]) -> Rows:
    return np.ascontiguousarray(rows[:, [*keep, -2, -1]])


def _distinct(rows: Rows, places: Sequence[int] | None = None) -> Rows:
    """The union of some columns of rows, with their time."""
    return united(rows if places is None else _columns(rows, places))


def _selected(facts: Rows, plan: Scan, keep: Sequence[int]) -> Rows:
    """Facts that match a scan but for its constants, projected."""
    order = np.arange(len(facts))
    equal = np.array(plan.equal, np.int64).reshape(len(plan.equal), 2)
    none = np.empty((0, 2), np.int64)
    return kernels.select(facts, order, 0, len(order), none, equal, columns(keep))


def _always(asked: Rows, since: int) -> Rows:
    """The row without terms, which holds from ``since`` on, within the times asked for."""
    rows = asked[:, -2:].copy()
    np.maximum(rows[:, 0], since, out=rows[:, 0])
    return rows[rows[:, 0] < rows[:, 1]]
