"""The network: one node for each distinct plan of all rules, and the order in which they act."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx

from rete.delta import Rows
from rete.dictionary import Dictionary
from rete.nodes.alpha import Alpha
from rete.nodes.base import Stream
from rete.nodes.join import connect
from rete.nodes.linear import ApplyNode, FilterNode
from rete.nodes.terminal import FactTable, Terminal
from rete.plan import Apply, Emit, Filter, Head, Join, Plan, Relation, Scan, Unit


class Network:
    """All nodes of a set of rules, shared where plans are equal.

    Attributes:
        emits: the plans it was built from, rule by rule.
        terms: the dictionary that its ids belong to.
        instances: whether facts are kept by start instead of by maximal interval.
        streams: one for each distinct plan.
        tables: the derived facts, by groups of heads that may derive the same fact.
        units: the streams of bodies without condition.
    """

    def __init__(
        self, emits: Iterable[Emit], terms: Dictionary, *, instances: bool = False
    ) -> None:
        self.emits = tuple(emits)
        self.terms = terms
        self.instances = instances
        self.streams: dict[Plan, Stream] = {}
        self.tables: list[FactTable] = []
        self.units: list[Stream] = []
        self._alphas: dict[Relation, Alpha] = {}
        for emit in self.emits:
            self._add(emit)
        for table in self.tables:
            table.seal()
        self._rank()

    def stream(self, plan: Plan) -> Stream:
        """The stream of ``plan``, built with all below it if it is new."""
        found = self.streams.get(plan)
        if found is not None:
            return found
        sources = [self.stream(source) for source in plan.sources]
        made = self.streams[plan] = Stream(plan)
        match plan:
            case Scan():
                self.alpha(plan.relation).add(made, plan)
            case Unit():
                self.units.append(made)
            case Join():
                connect(sources[0], sources[1], made, instances=self.instances)
            case Filter():
                sources[0].linear.append(FilterNode(plan, made, self.terms))
            case Apply():
                sources[0].linear.append(ApplyNode(plan, made, self.terms))
        return made

    def alpha(self, relation: Relation) -> Alpha:
        """The alpha network of a relation."""
        if relation not in self._alphas:
            self._alphas[relation] = Alpha(relation, self.terms)
        return self._alphas[relation]

    def route(self, relation: Relation, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """Per stream of a scan that they match, the facts ``rows``."""
        alpha = self._alphas.get(relation)
        return iter(()) if alpha is None else alpha.route(rows)

    def forget(self, bound: int) -> None:
        """Drop all that ended before ``bound``, as ids are about to be used again."""
        for stream in self.streams.values():
            if stream.stem is not None:
                stream.stem.expire(bound)
            for node in stream.linear:
                node.forget()
        for table in self.tables:
            table.expire(bound)

    def graph(self) -> nx.DiGraph[Stream | FactTable]:
        """Who feeds whom, from scans to tables and back to the scans that their facts match."""
        graph: nx.DiGraph[Stream | FactTable] = nx.DiGraph()
        for plan, stream in self.streams.items():
            graph.add_node(stream)
            for source in plan.sources:
                graph.add_edge(self.streams[source], stream)
            for terminal in stream.terminals:
                graph.add_edge(stream, terminal.table)
        for table in self.tables:
            for plan, stream in self.streams.items():
                if isinstance(plan, Scan) and any(head.feeds(plan) for _, head in table.heads):
                    graph.add_edge(table, stream)
        return graph

    def _add(self, emit: Emit) -> None:
        source = self.stream(emit.source)
        for head in emit.heads:
            table = self._table(emit.rule, head)
            source.terminals.append(Terminal(emit.rule, head, table, self.terms))

    def _table(self, rule: int, head: Head) -> FactTable:
        """The table of all heads that may derive what ``head`` derives; some may become one."""
        met = [t for t in self.tables if any(head.unifies(other) for _, other in t.heads)]
        if not met:
            table = FactTable(head.relation, instances=self.instances)
            self.tables.append(table)
        else:
            table = met[0]
            for other in met[1:]:
                table.heads += other.heads
                self.tables.remove(other)
                for stream in self.streams.values():
                    for terminal in stream.terminals:
                        if terminal.table is other:
                            terminal.table = table
        table.heads.append((rule, head))
        return table

    def _rank(self) -> None:
        """Number the nodes so that what feeds comes before what is fed, components together."""
        graph = self.graph()
        for table in self.tables:
            table.feeds = graph.out_degree(table) > 0
        place = {node: i for i, node in enumerate(graph)}
        components = nx.condensation(graph)
        rank = 0
        for component in nx.lexicographical_topological_sort(components):
            members = components.nodes[component]["members"]
            # Inside a recursive component the way from scans to tables gives the order.
            inner = graph.subgraph(members).copy()
            inner.remove_edges_from([(a, b) for a, b in inner.edges if isinstance(a, FactTable)])
            for node in nx.lexicographical_topological_sort(inner, key=place.__getitem__):
                node.rank = rank
                rank += 1
