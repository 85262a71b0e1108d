"""The dependency graph: which bodies feed which, by derived facts; what is recursive.

A *group* has the facts of heads that may derive the same fact; each fact is in one group. The graph
has bodies and groups: a body feeds the groups of its heads, a group the bodies with a pattern that
a fact of it may match. It is the graph of the network's tables and patterns, so what is recursive
here is what is recursive there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import networkx as nx

from r4.engine.rule_set import is_answer
from r4.spark.partition.split_keys import BodyReads, read_body
from rete.graph.plan import Emit
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.network.components import dependency_graph
from rete.planning.unification import UnificationHub
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from rif.builtins import Builtin


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts that some heads, with the numbers of their rules, derive.

    Attributes:
        late: how many cells before the frontier its facts may begin.
        needed: how many cells after their end its facts are needed.
    """

    relation: Relation
    heads: tuple[tuple[int, Head], ...]
    late: int
    needed: int

    @property
    def is_answer_group(self) -> bool:
        """Whether its facts are answers."""
        return is_answer(self.relation)


@dataclass(frozen=True, slots=True)
class BodyComponent:
    """Bodies and groups that feed each other, or a single body or group.

    Attributes:
        emits, groups: their numbers, ascending.
        recursive: whether they feed each other.
    """

    emits: tuple[int, ...]
    groups: tuple[int, ...]
    recursive: bool


@dataclass(frozen=True, slots=True)
class DependencyGraph:
    """The bodies of a program, and what feeds what.

    Attributes:
        emits: the bodies, as the network has them.
        bodies: per emit what it reads.
        groups: what is derived.
        derives: per emit and head the group of its facts.
        fed: per emit and pattern the groups whose facts may match it.
        components: each after those that feed it.
    """

    emits: tuple[Emit, ...]
    bodies: tuple[BodyReads, ...]
    groups: tuple[FactGroup, ...]
    derives: tuple[tuple[int, ...], ...]
    fed: tuple[tuple[frozenset[int], ...], ...]
    components: tuple[BodyComponent, ...]

    def dissolved(self) -> DependencyGraph:
        """The same where no body can keep what feeds it alive: each is a component of its own."""
        bodies = [BodyComponent((n,), (), recursive=False) for n in range(len(self.emits))]
        groups = [BodyComponent((), (n,), recursive=False) for n in range(len(self.groups))]
        return replace(self, components=(*bodies, *groups))


_Node: TypeAlias = tuple[str, int]


def build_dependency_graph(
    emits: Sequence[Emit], builtins: Mapping[str, Builtin], *, by_value: bool = False
) -> DependencyGraph:
    """The dependency graph of ``emits``; the cost is that of building their network.

    ``builtins`` has those that the plans name. With ``by_value`` literals of one value are one
    term.
    """
    terms = Dictionary(by_value=by_value, builtins=builtins)
    inference = InferenceEngine(emits, terms, answers=is_answer, retracts=True)
    network = inference.network
    places = {table: number for number, table in enumerate(network.tables)}
    group_of = {head: places[table] for table in network.tables for _, head in table.heads}
    graph = dependency_graph(inference.layers, [network])
    fed = {}
    for stream in graph:
        if not isinstance(stream, FactTable | UnificationHub):
            found: set[int] = set()
            for before in graph.predecessors[stream]:
                tables = (
                    graph.predecessors[before] if isinstance(before, UnificationHub) else [before]
                )
                found |= {places[each] for each in tables if isinstance(each, FactTable)}
            fed[stream.plan] = frozenset(found)
    bodies = tuple(read_body(emit.source) for emit in network.emits)
    derives = tuple(tuple(group_of[head] for head in emit.heads) for emit in network.emits)
    reads = tuple(tuple(fed[scan] for scan in body.scans) for body in bodies)
    return DependencyGraph(
        network.emits,
        bodies,
        tuple(
            FactGroup(each.relation, tuple(each.heads), each.lateness, each.facts.retention)
            for each in network.tables
        ),
        derives,
        reads,
        tuple(_components(derives, reads, len(network.tables))),
    )


def _components(
    derives: Sequence[Sequence[int]], reads: Sequence[Sequence[frozenset[int]]], groups: int
) -> list[BodyComponent]:
    graph: nx.DiGraph[_Node] = nx.DiGraph()
    graph.add_nodes_from(("body", number) for number in range(len(derives)))
    graph.add_nodes_from(("group", number) for number in range(groups))
    for number, (made, read) in enumerate(zip(derives, reads, strict=True)):
        graph.add_edges_from((("body", number), ("group", group)) for group in made)
        graph.add_edges_from((("group", group), ("body", number)) for one in read for group in one)
    members = list(nx.strongly_connected_components(graph))
    order = nx.lexicographical_topological_sort(
        nx.condensation(graph, members), key=lambda number: min(members[number])
    )
    return [_component(members[number]) for number in order]


def _component(members: set[_Node]) -> BodyComponent:
    emits = sorted(number for kind, number in members if kind == "body")
    groups = sorted(number for kind, number in members if kind == "group")
    return BodyComponent(tuple(emits), tuple(groups), recursive=len(members) > 1)
