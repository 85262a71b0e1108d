"""Components: sets of nodes that feed each other, in the order in which they act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, product

from rete.graph.directed_graph import DirectedGraph, feeders_first
from rete.graph.streams import Component, FactTable, Feeders, Heads, InnerReaders, Node, Stream
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.known import Known
from rete.nodes.scan import Scan
from rete.planning.unification import ConstantPattern, UnificationHub, fed_groups
from rete.terms.relations import TRIPLES, Relation
from rif.syntax.garbage_collection import collector_paused


def dependency_graph(
    layers: Layers, networks: Sequence[Network]
) -> DirectedGraph[Node | UnificationHub]:
    """The graph of the nodes of ``networks``, which are among those of ``layers``.

    An edge from a table to a scan says that a fact of the table may match the scan, as far as the
    constants of heads and patterns tell.
    Linear in the nodes, times the different sets of places of constants; see `fed_groups`.
    """
    graph: DirectedGraph[Node | UnificationHub] = DirectedGraph()
    for network in networks:
        graph.add_nodes(network.streams.values())
        graph.add_nodes(network.tables)
        graph.add_edges(_forward_edges(network))
    graph.add_edges(_edges_to_scans(layers, networks))
    return graph


def positions_of_nodes(networks: Sequence[Network]) -> dict[Node, int]:
    """Where each node stands on the way from scans to tables, in the order of ``networks``.

    Streams stand as they were built, each after its sources, and a table after all that feed it.
    """
    number = count()
    place: dict[Node, int] = {}
    for network in networks:
        place.update(zip(network.tables, number, strict=False))  # some may have no feeder left
        for stream in network.streams.values():
            place[stream] = next(number)
            for terminal in stream.terminals:
                place[terminal.table] = next(number)
    return place


def _forward_edges(network: Network) -> Iterator[tuple[Stream, Node]]:
    for stream in network.streams.values():
        for source in () if isinstance(stream.plan, Known) else stream.sources:
            yield source, stream
        for terminal in stream.terminals:
            yield stream, terminal.table


def _edges_to_scans(
    layers: Layers, networks: Sequence[Network]
) -> Iterator[tuple[FactTable | UnificationHub, UnificationHub | Stream]]:
    """Which tables may derive what which scans match.

    Where equal terms have one representative, more may match than constants tell; but then the
    background repeats facts for them by rules that everything feeds and that feed everything.
    """
    tables: dict[Relation, dict[FactTable, None]] = {}
    for network in networks:
        for table in network.tables:
            tables.setdefault(table.relation, {})[table] = None
    for network in networks:
        scans: dict[Relation, list[tuple[ConstantPattern, Stream]]] = {}
        for plan, stream in network.streams.items():
            if isinstance(plan, Scan):
                scans.setdefault(plan.relation, []).append((plan.pattern, stream))
        for relation, asking in scans.items():
            heads = {
                (head.key, table): None
                for table in tables.get(relation, ())
                if layers.reaches(table, network)
                for _, head in table.heads
            }
            for some, others in fed_groups(heads, asking):
                if len(some) * len(others) <= len(some) + len(others):
                    yield from product(some, others)
                else:
                    hub = UnificationHub()
                    yield from ((table, hub) for table in some)
                    yield from ((hub, stream) for stream in others)


def inner_readers(component: Component, stream: Stream) -> InnerReaders:
    """The readers of a stream inside a component; cached in the component."""
    found = component.readers.get(stream)
    if found is None:
        linear = [node for node in stream.linear if node.output.component is component]
        terminals = [each for each in stream.terminals if each.table.component is component]
        found = component.readers[stream] = InnerReaders(
            [side for side in stream.sides if side.output.component is component],
            [gate for gate in stream.passed_gates if gate.output.component is component],
            linear,
            terminals,
            len(linear) < len(stream.linear) or len(terminals) < len(stream.terminals),
        )
    return found


def feeders_of(table: FactTable) -> Feeders:
    """The heads that feed a table, from its component and others; cached in the component."""
    component = table.component
    found = component.feeders.get(table)
    if found is None:
        inner = [each for each in table.feeders if each[0].component is component]
        outer = [each for each in table.feeders if each[0].component is not component]
        found = component.feeders[table] = Feeders(Heads(inner), Heads(outer))
    return found


def populated_tables(component: Component) -> list[FactTable]:
    """The tables that have any fact, or had one at an earlier call."""
    known = component.populated
    component.populated = [table for table in component.tables if table.facts.n or table in known]
    return component.populated


def is_internal(component: Component, stream: Stream, *, by_rule: bool) -> bool:
    """Whether a stream serves only to derive facts of the component, and nothing keeps its rows.

    It has no SteM, and no other component reads it. So its losses need not be passed on once the
    lost facts of the component are known. ``by_rule``: nor does a table keep by rule what it
    derives.
    """
    found = component.internal.get((stream, by_rule))
    if found is None:
        own = inner_readers(component, stream)
        found = component.internal[stream, by_rule] = (
            stream.component is component
            and stream.stem is None
            and not own.has_outer_readers
            and all(is_internal(component, node.output, by_rule=by_rule) for node in own.linear)
            and not (by_rule and any(terminal.table.by_rule for terminal in own.terminals))
        )
    return found


@collector_paused()
def assign_components(layers: Layers, networks: Sequence[Network], since: int = 0) -> int:
    """Give nodes their components and ranks: a component comes after all that feed it.

    Ranked are the ``networks`` alone, from ``since`` on; edges from and to others do not count.
    Inside a component the order is from scans to tables. It also notes which tables have facts that
    some scan may match. Costs what `dependency_graph` does. Returns the first rank that is left.
    """
    graph, place = dependency_graph(layers, networks), positions_of_nodes(networks)
    for members in feeders_first(graph):
        component = Component(recursive=len(members) > 1)
        for node in sorted(place.keys() & members, key=place.__getitem__):
            node.component = component
            component.nodes.append(node)
            node.rank = since
            since += 1
            if isinstance(node, FactTable):
                component.leveled &= not node.facts.instances
                component.tables.append(node)
                node.feeds |= len(graph.successors[node]) > 0
            elif not node.plan.pointwise:
                component.leveled = False
    return since


def prepare_for_losses(layers: Layers) -> None:
    """Note in each node what is needed where facts may be lost; all nodes are ranked."""
    _keep_levels(layers)
    for network in layers.networks:
        for table in network.tables:
            table.injective = _is_injective_table(table)
        for stream in network.streams.values():
            stream.injective = _is_injective(stream)
            stream.follows = stream.injective and _follows(layers, stream)


def _keep_levels(layers: Layers) -> None:
    """Let the tables of recursive components keep levels from now on.

    Levels of different components cannot be compared, so tables that were in several forget theirs.
    """
    for component in dict.fromkeys(table.component for table in layers.all_tables):
        tables = component.tables
        if len({table.leveled for table in tables if table.facts.n}) > 1:
            for table in tables:
                table.facts.forget_levels()
        for table in tables:
            table.leveled = component
            if component.leveled:
                table.facts.keep_levels()


def _is_injective_table(table: FactTable) -> bool:
    if len(table.feeders) != 1:
        return False
    stream, terminal = table.feeders[0]
    return terminal.is_injective(stream.plan.width) and _has_injective_source(stream)


def _follows(layers: Layers, stream: Stream) -> bool:
    """Whether an injective stream may lose in the turn of the node that feeds it.

    Of a recursive component it is fed by one table of that, so there is nothing to wait for.
    """
    if not stream.component.recursive:
        return len(stream.sources) <= 1
    if not isinstance(stream.plan, Scan) or stream.plan.relation == TRIPLES:
        return False  # a triple may represent others
    tables = layers.tables_of(stream, stream.plan.relation)
    return len(tables) == 1 and tables[0].component is stream.component


def _has_injective_source(stream: Stream) -> bool:
    return stream.stem is not None or _is_injective(stream)


def _is_injective(stream: Stream) -> bool:
    """Whether each of its rows has only one derivation, so that a row that loses it is lost."""
    return stream.plan.is_injective and all(map(_has_injective_source, stream.sources))
