"""The components of all networks: nodes that feed each other, in the order in which they act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import networkx as nx

from rete.feeding import Node, feeding, places
from rete.nodes.base import Stream
from rete.nodes.terminal import FactTable
from rete.plan import AntiJoin, Apply, Filter, Join, Moving, Scan, Solve, Unit

if TYPE_CHECKING:
    from rete.delta import Rows
    from rete.layers import Layers
    from rete.network import Network
    from rete.nodes.base import Linear
    from rete.nodes.join import Gate, Side
    from rete.nodes.terminal import Terminal

STRETCH: Final = 20
"""The binary logarithm of the levels of one round."""
_AT_FIRST: Final[int | None] = None
"""So many facts may be in doubt unasked the first time; see `Component`."""


class Inside(NamedTuple):
    """Who reads a stream in its own component.

    Attributes:
        sides, passing, linear, terminals: as of a stream.
        beyond: whether another component reads what the stream passes on and does not keep.
    """

    sides: list[Side]
    passing: list[Gate]
    linear: list[Linear]
    terminals: list[Terminal]
    beyond: bool


class Component:
    """A strongly connected component of the graph of all nodes.

    What reaches it from others is settled when its turn comes. The *level* of a fact in a table of
    a recursive component tells when it was derived: it has a derivation from facts of lower levels
    alone, so what is held up by lower levels is not held up by itself. Each round of derivation has
    a *stretch* of 2^`STRETCH` levels, so that there is room between one and the next.

    Attributes:
        recursive: whether its nodes feed each other.
        leveled: whether it is recursive, and levels tell which facts still follow: not where they
            are kept by start, nor where rows are moved in time, as one of them has many levels.
        nodes: all of them, in the order in which they act.
        tables: the tables among them.
        rushed: how many facts may be in doubt unasked; None: none, see `Doubts`.
        minus: the nodes that wait to be told whether they lose what lost a derivation.
        doubted: rows that hold, but may have rested on facts of its tables that do not.
    """

    __slots__ = (
        "_holding",
        "_inside",
        "_silent",
        "doubted",
        "leveled",
        "minus",
        "nodes",
        "recursive",
        "rushed",
        "tables",
    )

    def __init__(self, *, recursive: bool) -> None:
        self.recursive = recursive
        self.leveled = recursive
        self.nodes: list[Node] = []
        self.tables: list[FactTable] = []
        self.rushed = _AT_FIRST
        self.minus: dict[Node, None] = {}
        self.doubted: list[tuple[Stream, Rows]] = []
        self._holding: list[FactTable] = []
        self._inside: dict[Stream, Inside] = {}
        self._silent: dict[Stream, bool] = {}

    def inside(self, stream: Stream) -> Inside:
        """Who reads a stream of the component in it; looked up once."""
        found = self._inside.get(stream)
        if found is None:
            linear = [node for node in stream.linear if node.output.component is self]
            terminals = [each for each in stream.terminals if each.table.component is self]
            found = self._inside[stream] = Inside(
                [side for side in stream.sides if side.output.component is self],
                [gate for gate in stream.passing if gate.output.component is self],
                linear,
                terminals,
                len(linear) < len(stream.linear) or len(terminals) < len(stream.terminals),
            )
        return found

    def holding(self) -> list[FactTable]:
        """The tables that hold anything, or did when they were asked for before."""
        known = self._holding
        self._holding = [table for table in self.tables if table.facts.n or table in known]
        return self._holding

    def is_silent(self, stream: Stream) -> bool:
        """Whether what a stream loses tells no more than which facts of the component may be lost.

        No SteM holds it, no other component reads it, and no table keeps by which rule it has it.
        """
        found = self._silent.get(stream)
        if found is None:
            inside = self.inside(stream)
            found = self._silent[stream] = (
                stream.component is self
                and stream.stem is None
                and not inside.beyond
                and all(self.is_silent(node.output) for node in inside.linear)
                and not any(terminal.table.by_rule for terminal in inside.terminals)
            )
        return found

    @property
    def unsettled(self) -> bool:
        """Whether anything lost a derivation."""
        return bool(self.minus or self.doubted)

    @property
    def has_pending(self) -> bool:
        """Whether anything waits to come in, or for the horizon."""
        return any(node.pending for node in self.nodes) or any(map(_parks, self.tables))


def _parks(table: FactTable) -> bool:
    return bool(table.parked)


def arrange(layers: Layers, networks: Sequence[Network], since: int = 0) -> int:
    """Give nodes their components and ranks: what feeds comes before what is fed.

    Inside a component the way from scans to tables gives the order. Also found is which tables have
    facts that some scan may match. Costs what `feeding` does.

    Args:
        layers: the networks and what they show each other.
        networks: those among them that are arranged; only that they feed each other counts.
        since: the first rank.

    Returns:
        The first rank that is left.
    """
    graph, place = feeding(layers, networks), places(networks)
    # An algorithm that goes depth first finds what is fed before what feeds it.
    for members in reversed(list(nx.strongly_connected_components(graph))):
        component = Component(recursive=len(members) > 1)
        for node in sorted(place.keys() & members, key=place.__getitem__):
            node.component = component
            component.nodes.append(node)
            node.rank = since
            since += 1
            if isinstance(node, FactTable):
                component.leveled &= not node.facts.instances
                component.tables.append(node)
                node.feeds |= graph.out_degree(node) > 0
            elif isinstance(node.plan, Moving):
                component.leveled = False
    return since


def prepare(layers: Layers) -> None:
    """Let nodes know what they need where facts may be lost; all networks are arranged."""
    _keep_levels(layers)
    for network in layers.networks:
        for table in network.tables:
            table.exact = _exact_table(table)
        for stream in network.streams.values():
            stream.exact = _exact(stream)


def _keep_levels(layers: Layers) -> None:
    """Let the tables of recursive components keep levels from now on.

    Levels that were given in different components say nothing of each other, and are forgotten.
    """
    for component in dict.fromkeys(table.component for table in layers.all_tables):
        tables = component.tables
        if len({table.leveled for table in tables if table.facts.n}) > 1:
            for table in tables:
                table.facts.levels = None
        for table in tables:
            table.leveled = component
            if component.leveled:
                table.facts.keep_levels()


def _exact_table(table: FactTable) -> bool:
    """Whether each of its facts has one derivation."""
    if len(table.feeders) != 1:
        return False
    stream, terminal = table.feeders[0]
    return terminal.tells_apart(stream.plan.width) and _source_is_exact(stream)


def _source_is_exact(stream: Stream) -> bool:
    return stream.stem is not None or _exact(stream)


def _exact(stream: Stream) -> bool:
    """Whether each of its rows has one derivation, so that what loses it is lost."""
    plan = stream.plan
    match plan:
        case Unit():
            return True
        case Scan():
            told = {*plan.keep, *(place for place, _ in plan.constants)}
            for left, right in plan.equal:
                told |= {left, right} if told & {left, right} else set()
            return len(told) == plan.relation.arity
        case Join():
            lefts = {c for c in plan.keep if c >= 0}
            rights = {~c for c in plan.keep if c < 0}
            lefts |= {mine for mine, theirs in plan.on if theirs in rights}
            rights |= {theirs for mine, theirs in plan.on if mine in lefts}
            return len(lefts) == plan.left.width and len(rights) == plan.right.width
        case AntiJoin() | Moving():
            return False
        case Filter() | Apply() | Solve():
            return len({*plan.keep}) == plan.source.width and _source_is_exact(stream.sources[0])
