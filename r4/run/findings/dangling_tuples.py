"""Dangling values: those of a stream for which static data have no partner, so no rule sees them.

A tuple that a join leaves out for lack of a partner is dangling. Most are meant to be: rules
select. But a sensor that the list of sensors lacks is left out in silence, too. So a value is told
if each rule that reads it joins it with static data in vain, and one of them looks something up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from r4.engine.core import Core
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, distinct
from rete.arrays.state_codec import Mask
from rete.drawing.names import Names, Piece, plain
from rete.graph.plan import Plan
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.planning.join_graph import JoinGraph, tree_leaves
from rif.syntax.terms import Variable

_SHOWN: Final = 5
"""Patterns that are shown."""
_VALUES: Final = 3
"""Values that are shown of each."""
_LONGEST: Final = 60
"""Characters of a value that are shown."""

_Kind: TypeAlias = tuple[str, str | None]
"""A kind of facts: their relation, and the predicate of triples."""


class _Leaf(NamedTuple):
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


class _Partner(NamedTuple):
    """A static pattern that shares one variable with a streamed one.

    Attributes:
        rule: the number of the rule.
        streamed, static: the patterns.
        places: of the variable in each.
        values: of the variable in the streamed one, distinct and in order.
        missing: those that the static one lacks.
    """

    rule: int
    streamed: Scan
    static: Scan
    places: tuple[int, int]
    values: Column
    missing: Column

    @property
    def binds(self) -> bool:
        """Whether the static pattern has another variable; with constants alone it selects."""
        told = {self.places[1], *dict(self.static.constants)}
        for pair in self.static.equal:
            told |= {*pair} if told & {*pair} else set()
        return len(told) < self.static.relation.arity


_Reading: TypeAlias = dict[int, list[_Partner]]
"""A pattern in the body of a rule: its static partners by place."""


def dangling_tuples(core: Core, names: Callable[[], Names]) -> Iterator[str]:
    """A line for each of the first `_SHOWN` patterns, and the number of others.

    Values are those of rows that are not forgotten yet. O(n log n) in the rows that are held.

    Args:
        core: what ran.
        names: gives what the rules call things; called if there is something to tell.
    """
    read: defaultdict[_Kind, list[_Reading]] = defaultdict(list)
    for network in core.layers.user_networks:
        for emit in sorted(network.emits, key=lambda each: each.rule):
            for leaves in _bodies(network, emit.source):
                for leaf in leaves:
                    if not leaf.is_static:
                        read[_kind(leaf.scan)].append(_partners(emit.rule, leaf, leaves))
    found = [each for readings in read.values() for each in _dangling(readings)]
    if not found:
        return
    called = names()
    yield from (_line(core, called, *each) for each in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"{len(found) - _SHOWN} further patterns have values without a static partner"


def _dangling(readings: Sequence[_Reading]) -> Iterator[tuple[_Partner, int, Column]]:
    """Per place a partner that lacks values, of how many, and those that no rule sees."""
    for place in sorted({place for reading in readings for place in reading}):
        partners = [each for reading in readings for each in reading.get(place, ())]
        lookups = [each for each in partners if each.binds and len(each.missing)]
        if not lookups or not all(reading.get(place) for reading in readings):
            continue  # some rule reads all values
        values = distinct(np.concatenate([each.values for each in partners]))
        dangling = np.ones(len(values), np.bool_)
        for reading in readings:
            met = _is_in(values, reading[place][0].values)
            for each in reading[place]:
                met &= ~_is_in(values, each.missing)
            dangling &= ~met
        for each in lookups:
            missing = values[dangling & _is_in(values, each.missing)]
            if len(missing):
                yield each, len(values), missing
                break


def _partners(rule: int, leaf: _Leaf, leaves: Sequence[_Leaf]) -> _Reading:
    """The static patterns of ``leaves`` that share one variable with ``leaf``, by its place."""
    found: defaultdict[int, list[_Partner]] = defaultdict(list)
    for other in leaves:
        shared = leaf.columns.keys() & other.columns.keys()
        if other.is_static and len(shared) == 1:
            (variable,) = shared
            values = leaf.values(variable)
            missing = values[~_is_in(values, other.values(variable))]
            places = leaf.columns[variable][1], other.columns[variable][1]
            found[places[0]].append(_Partner(rule, leaf.scan, other.scan, places, values, missing))
    return found


def _bodies(network: Network, plan: Plan) -> Iterator[Sequence[_Leaf]]:
    """The patterns of each join tree in ``plan``, and each other pattern alone; none negated."""
    known = _scanned(plan)
    if known is not None:
        scan, _ = known
        yield [_Leaf(scan, np.empty((0, 2), np.int64), {}, is_static=False)]
        return
    below = tree_leaves(plan)
    if len(below) > 1:
        graph = JoinGraph.of(plan)
        yield [
            leaf
            for each in graph.leaves
            if (leaf := _leaf(network.streams[each.source], each.args)) is not None
        ]
    else:
        below = list(plan.joined)
    for each in below:
        if len(below) == 1 or _scanned(each) is None:
            yield from _bodies(network, each)


def _leaf(stream: Stream, variables: Sequence[Variable]) -> _Leaf | None:
    """A leaf of a join tree whose columns are ``variables``; None: it reads no one pattern."""
    known = _scanned(stream.plan)
    if known is None:
        return None
    scan, places = known
    assert stream.stem is not None  # a join reads it
    rows = stream.stem.living()
    always = (rows[:, -2] == NEG_INF) & (rows[:, -1] >= POS_INF)
    is_static = bool(len(rows)) and bool(always.all()) and stream.stem.came == len(rows)
    columns: dict[Variable, tuple[int, int]] = {}
    for column, (variable, place) in enumerate(zip(variables, places, strict=True)):
        if place is not None:
            columns.setdefault(variable, (column, place))
    return _Leaf(scan, rows, columns, is_static)


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


def _kind(scan: Scan) -> _Kind:
    return scan.relation.op, scan.key[1] if scan.relation.arity > 1 else None


def _is_in(values: Column, others: Column) -> Mask:
    """Which of ``values`` are among ``others``; both are distinct and in order."""
    if not len(others):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(others, values), len(others) - 1)
    found: Mask = others[places] == values
    return found


def _line(core: Core, names: Names, partner: _Partner, count: int, missing: Column) -> str:
    here, there = partner.places
    streamed = _arguments(names, partner.streamed, partner.rule)
    static = _arguments(names, partner.static, partner.rule)
    variable = streamed[here]
    if variable not in static:  # it may have an equal pattern with other variables
        static[there] = variable
    shown = [_shown(names, text) for text in sorted(core.terms.decode_many(missing))[:_VALUES]]
    return (
        f"{names.rule(partner.rule)}: {len(missing)} of {count} values of {variable} in "
        f"{_text(names, partner.streamed, streamed)} match no static "
        f"{_text(names, partner.static, static)}: {', '.join(shown)}"
        f"{' and others' if len(missing) > _VALUES else ''}"
    )


def _arguments(names: Names, scan: Scan, rule: int) -> list[str]:
    """The arguments of a pattern, as a rule writes them."""
    if view := names.view(scan, rule):
        return [names.argument(each) for each in view]
    return [
        f"?x{place}" if text is None else names.term(text) for place, text in enumerate(scan.key)
    ]


def _text(names: Names, scan: Scan, arguments: Sequence[str]) -> str:
    return plain(names.fact(scan.relation, [Piece(each) for each in arguments]))


def _shown(names: Names, text: str) -> str:
    term = names.term(text)
    return term if len(term) <= _LONGEST else term[:_LONGEST] + "…"
