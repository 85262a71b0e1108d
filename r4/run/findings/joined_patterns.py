"""The patterns that the body of a rule joins, with their rows as they are at the end of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from r4.engine.core import Core
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, distinct
from rete.drawing.names import Names, Piece, plain
from rete.graph.plan import Plan
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.planning.join_graph import JoinGraph, tree_leaves
from rete.terms.number_constants import unmarked
from rif.syntax.terms import Variable

_LONGEST: Final = 60
"""Characters of a value that are shown."""


class JoinedPattern(NamedTuple):
    """A pattern in the body of a rule.

    Attributes:
        scan: the pattern.
        rows: those that are held, (n, columns + 2); none, if nothing is joined with it.
        columns: per variable that others may share its column, and its place in the pattern.
        is_static: whether all of its rows always hold, and none was forgotten.
    """

    scan: Scan
    rows: Rows
    columns: dict[Variable, tuple[int, int]]
    is_static: bool

    def values(self, variable: Variable) -> Column:
        """The distinct values of a variable; of a streamed pattern those in its streamed rows."""
        rows = self.rows if self.is_static else self.rows[self.rows[:, -2] > NEG_INF]
        return distinct(rows[:, self.columns[variable][0]])


def joined_patterns(
    core: Core, *, holding: int = 0
) -> Iterator[tuple[int, Sequence[JoinedPattern]]]:
    """Per rule of the user the patterns of each join tree, and each other pattern alone.

    None that is negated. Of join trees only those of which so many leaves are ``holding`` rows: of
    many rules few data reach most.
    """
    for network in core.layers.user_networks:
        for emit in sorted(network.emits, key=lambda each: each.rule):
            for patterns in _patterns(network, emit.source, holding):
                yield emit.rule, patterns


def _patterns(network: Network, plan: Plan, holding: int) -> Iterator[Sequence[JoinedPattern]]:
    known = _scanned(plan)
    if known is not None:
        scan, _ = known
        yield [JoinedPattern(scan, np.empty((0, 2), np.int64), {}, is_static=False)]
        return
    below = tree_leaves(plan)
    if len(below) > 1 and sum(_holds_rows(network, each) for each in below) >= holding:
        graph = JoinGraph.of(plan)
        yield [
            leaf
            for each in graph.leaves
            if (leaf := _pattern(network.streams[each.source], each.args)) is not None
        ]
    elif len(below) == 1:
        below = list(plan.joined)
    for each in below:
        if len(below) == 1 or _scanned(each) is None:
            yield from _patterns(network, each, holding)


def _holds_rows(network: Network, leaf: Plan) -> bool:
    stem = network.streams[leaf].stem
    return stem is not None and not stem.is_empty


def _pattern(stream: Stream, variables: Sequence[Variable]) -> JoinedPattern | None:
    """A leaf of a join tree whose columns are ``variables``; None: it reads no one pattern."""
    known = _scanned(stream.plan)
    if known is None:
        return None
    scan, places = known
    assert stream.stem is not None  # a join reads it
    rows = stream.stem.content()
    always = (rows[:, -2] == NEG_INF) & (rows[:, -1] >= POS_INF)
    is_static = bool(len(rows)) and bool(always.all()) and stream.stem.came == len(rows)
    columns: dict[Variable, tuple[int, int]] = {}
    for column, (variable, place) in enumerate(zip(variables, places, strict=True)):
        if place is not None:
            columns.setdefault(variable, (column, place))
    return JoinedPattern(scan, rows, columns, is_static)


def _scanned(plan: Plan) -> tuple[Scan, Sequence[int | None]] | None:
    """The one pattern that ``plan`` reads, and per column the place in it, if it is of one."""
    columns: list[int | None] = list(range(plan.width))
    while not isinstance(plan, Scan):
        if len(plan.sources) != 1:
            return None
        (source,) = plan.sources
        inputs = [None if column is None else plan.columns[column] for column in columns]
        columns = [None if each is None or each >= source.width else each for each in inputs]
        plan = source
    return plan, [None if column is None else plan.keep[column] for column in columns]


def pattern_arguments(names: Names, scan: Scan, rule: int) -> list[str]:
    """The arguments of a pattern, as a rule writes them."""
    if view := names.view(scan, rule):
        return [names.argument(each) for each in view]
    return [
        f"?x{place}" if text is None else names.term(unmarked(text))
        for place, text in enumerate(scan.pattern)
    ]


def pattern_text(names: Names, scan: Scan, arguments: Sequence[str]) -> str:
    """A pattern with these arguments."""
    return plain(names.fact(scan.relation, [Piece(each) for each in arguments]))


def shown_term(names: Names, text: str) -> str:
    """A term as rules write it, cut off if it is long."""
    term = names.term(text)
    return term if len(term) <= _LONGEST else term[:_LONGEST] + "…"
