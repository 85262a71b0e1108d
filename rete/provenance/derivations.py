"""Derivations one step back: of a fact the rule, and the facts and values that it used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Rows, columns
from rete.nodes.graph import FactTable, Stream
from rete.planning.plan import (
    AntiJoin,
    Apply,
    Dilate,
    Erode,
    Filter,
    Join,
    NonPointwise,
    Plan,
    Scan,
    Shift,
    Since,
    Solve,
    Unit,
)
from rete.provenance.backward_evaluation import BackwardEvaluation, known_of_source
from rete.provenance.metric_witnesses import KnownColumns
from rete.storage.row_algebra import join_rows


@dataclass(frozen=True, slots=True)
class TracedPart:
    """What one operator adds to a traced row.

    Attributes:
        plan: the operator. A scan adds the fact; a test or a function its arguments that are no
            constants, and the value; an anti-join the columns that the left row is matched on; a
            metric operator its own row, as its source holds at other times.
        begin, end: where these stand among the columns.
    """

    plan: Scan | Filter | Apply | Solve | AntiJoin | Dilate | Erode | Since | Shift
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class DerivationRows:
    """Facts that one head of one body derives, with the rows that derive them.

    Attributes:
        stream: that of the body.
        facts: (n, arity + 2).
        rows: (n, …) the row that derives each, traced.
        parts: what the columns of ``rows`` are.
    """

    rule: int
    stream: Stream
    facts: Rows
    rows: Rows
    parts: tuple[TracedPart, ...]


class DerivationTracer(BackwardEvaluation):
    """As its base, but a row has all that it was derived from.

    A traced row has the columns of its plan, then those of each operator below it, see
    `TracedPart`; so its width is that of the body, not of the network.
    """

    __slots__ = ()

    def of(self, table: FactTable, facts: Rows) -> Iterator[DerivationRows]:
        """Per head that feeds ``table``, how it derived ``facts``, and perhaps others.

        Where the table keeps facts by rule, a rule that was added too late to see the facts it
        would read is left out.
        """
        every = columns(range(table.relation.arity))
        for stream, terminal in table.feeders:
            stem = table.by_rule.get(terminal.rule, table.facts)
            index = stem.index(tuple(every.tolist()))
            stored = stem.probe(facts, every, stem.n, index, every)
            known, places, asked = terminal.asks(stored)
            if len(asked):
                rows = self.traced(stream, _distinct(asked, places), known)
                if len(rows):
                    found = terminal.facts(rows)
                    yield DerivationRows(terminal.rule, stream, found, rows, parts_of(stream.plan))

    def traced(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream`` that agree with ``asked`` on ``known``, traced; perhaps more."""
        plan = stream.plan
        match plan:
            case Unit():
                return self.derived(stream, asked, known)
            case Scan():
                facts = self._facts(stream, plan, asked, known)
                for left, right in plan.equal:
                    facts = facts[facts[:, left] == facts[:, right]]
                return _columns(facts, [*plan.keep, *range(plan.relation.arity)])
            case Join():
                return self._traced_pairs(stream, plan, asked, known)
            case NonPointwise():
                own = range(plan.width)
                return _columns(self.rows(stream, asked, known), [*own, *own])
        source = stream.sources[0]
        width = source.plan.width
        rows = self.traced(source, *_through(plan.keep, asked, known))
        match plan:
            case AntiJoin():
                assert stream.gate is not None
                rows = stream.gate.unmatched(rows)
                on = [mine for mine, _ in plan.on]
                return _columns(rows, [*plan.keep, *range(width, rows.shape[1] - 2), *on])
            case Filter() | Apply() | Solve():
                assert stream.node is not None
                origins, found = stream.node.trace(_columns(rows, range(width)))
                before = rows[origins]
                out = [found[:, :-2], before[:, width:-2], before[:, _varying(plan)]]
                if not isinstance(plan, Filter):
                    out.append(found[:, -3:-2])
                return np.ascontiguousarray(np.hstack([*out, found[:, -2:]]))

    def _traced_pairs(self, stream: Stream, plan: Join, asked: Rows, known: KnownColumns) -> Rows:
        pairs = self._pairs(stream, plan, asked, known)
        width, other = plan.left.width, plan.right.width
        for source, first, size in (
            (stream.sources[0], 0, width),
            (stream.sources[1], width, other),
        ):
            own = range(first, first + size)
            rows = self.traced(source, _distinct(pairs, own), tuple(range(size)))
            kept = [*range(pairs.shape[1] - 2), *(~c for c in range(size, rows.shape[1] - 2))]
            pairs = join_rows(pairs, own, rows, range(size), kept)
        keep = [c if c >= 0 else width + ~c for c in plan.keep]
        return _columns(pairs, [*keep, *range(width + other, pairs.shape[1] - 2)])

    def without(self, stream: Stream, known: Sequence[int], asked: Rows) -> Rows:
        """The rows of the right side of the anti-join ``stream`` that agree on its key.

        Args:
            stream: its output.
            known: what the left row is matched on.
            asked: (1, 2) the time that is asked about.
        """
        plan, right = stream.plan, stream.sources[1]
        assert isinstance(plan, AntiJoin)
        key = tuple(theirs for _, theirs in plan.on)
        question = np.array([[*known, *asked[0]]], np.int64)
        return self.rows(right, question, key)


def parts_of(plan: Plan) -> tuple[TracedPart, ...]:
    """What the columns of the traced rows of a plan are, after its own."""
    found: list[TracedPart] = []
    at = plan.width
    for operator in _operators(plan):
        match operator:
            case Scan():
                size = operator.relation.arity
            case AntiJoin():
                size = len(operator.on)
            case NonPointwise():
                size = operator.width
            case Filter():
                size = len(_varying(operator))
            case Apply() | Solve():
                size = len(_varying(operator)) + 1
        found.append(TracedPart(operator, at, at + size))
        at += size
    return tuple(found)


def _operators(
    plan: Plan,
) -> Iterator[Scan | Filter | Apply | Solve | AntiJoin | Dilate | Erode | Since | Shift]:
    """The operators that add columns to a traced row: none below a negation or NonPointwise."""
    match plan:
        case Scan() | NonPointwise():
            yield plan
        case Join():
            yield from _operators(plan.left)
            yield from _operators(plan.right)
        case AntiJoin():
            yield from _operators(plan.left)
            yield plan
        case Filter() | Apply() | Solve():
            yield from _operators(plan.source)
            yield plan


def _varying(plan: Filter | Apply | Solve) -> list[int]:
    return [arg for arg in plan.args if isinstance(arg, int)]


def _through(keep: Sequence[int], asked: Rows, known: KnownColumns) -> tuple[Rows, KnownColumns]:
    places = known_of_source(keep, known)
    return _distinct(asked, list(places.values())), tuple(places)


def _columns(rows: Rows, keep: Sequence[int]) -> Rows:
    return np.ascontiguousarray(rows[:, [*keep, -2, -1]])


def _distinct(rows: Rows, places: Sequence[int]) -> Rows:
    """Each row of some columns once, with its time."""
    found = _columns(rows, places)
    return np.unique(found, axis=0) if len(found) > 1 else found
