"""Derivations one step back: of a fact the rule, and the facts and values that it used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Rows, columns
from rete.graph.plan import KnownColumns, Plan
from rete.graph.streams import FactTable, Stream
from rete.provenance.backward_evaluation import BackwardEvaluation
from rete.storage.row_algebra import join_rows, project


@dataclass(frozen=True, slots=True)
class TracedPart:
    """What one operator adds to a traced row.

    Attributes:
        plan: the operator. A scan adds the fact; a test or a function its arguments that are no
            constants, and the value; an anti-join the columns that the left row is matched on; a
            metric operator its own row, as its source holds at other times.
        begin, end: where these stand among the columns.
    """

    plan: Plan
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
            stored = stem.probe(facts, every, stem.end, index, every)
            asked = terminal.asks(stored)
            if len(asked):
                rows = self.traced(stream, _distinct(asked, terminal.places), terminal.known)
                if len(rows):
                    found = terminal.facts(rows)
                    yield DerivationRows(terminal.rule, stream, found, rows, parts_of(stream.plan))

    def traced(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream`` that agree with ``asked`` on ``known``, traced; perhaps more."""
        return _TracedSearch(self).rows(stream, asked, known)

    def without(self, stream: Stream, known: Sequence[int], asked: Rows) -> Rows:
        """The negated rows that agree with a row of the anti-join ``stream``.

        It is matched on ``known``; ``asked``, (1, 2), is the time that is asked about.
        """
        plan = stream.plan
        assert plan.negated is not None
        key = plan.groups[plan.negated]
        assert key is not None
        question = np.array([[*known, *asked[0]]], np.int64)
        return self.rows(stream.sources[plan.negated], question, key)


class _TracedSearch:
    """Rows with all that they were derived from; see `TracedPart`."""

    __slots__ = ("_evaluation", "facts")

    def __init__(self, evaluation: BackwardEvaluation) -> None:
        self._evaluation = evaluation
        self.facts = evaluation.facts

    def rows(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream``, traced."""
        plan = stream.plan
        if not plan.pointwise:
            return project(self._evaluation.rows(stream, asked, known), [*range(plan.width)] * 2)
        rows = stream.node.inputs(self, asked, known)
        below = range(plan.inputs, rows.shape[1] - 2)
        return project(rows, [*plan.columns, *below, *(plan.evidence or ())])

    def pairs(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """Pairs of a left and a right row, with what they were derived from."""
        pairs = self._evaluation.pairs(stream, asked, known)
        begin = 0
        for source in stream.sources:
            size = source.plan.width
            own = range(begin, begin := begin + size)
            rows = self.rows(source, _distinct(pairs, own), tuple(range(size)))
            kept = [*range(pairs.shape[1] - 2), *(~c for c in range(size, rows.shape[1] - 2))]
            pairs = join_rows(pairs, own, rows, range(size), kept)
        return pairs


def parts_of(plan: Plan) -> tuple[TracedPart, ...]:
    """What the columns of the traced rows of a plan are, after its own."""
    found: list[TracedPart] = []
    at = plan.width
    for operator, size in _evidence(plan):
        found.append(TracedPart(operator, at, at + size))
        at += size
    return tuple(found)


def _evidence(plan: Plan) -> Iterator[tuple[Plan, int]]:
    """The operators that add columns to a traced row, with their number.

    None below a negation, or one that is not pointwise.
    """
    if not plan.pointwise:
        yield plan, plan.width
        return
    for source in plan.joined:
        yield from _evidence(source)
    if plan.evidence is not None:
        yield plan, len(plan.evidence)


def _distinct(rows: Rows, places: Sequence[int]) -> Rows:
    found = project(rows, places)
    return np.unique(found, axis=0) if len(found) > 1 else found
