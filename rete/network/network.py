"""The network: one node for each distinct plan of all rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.graph.directed_graph import DirectedGraph, feeders_first, number_components
from rete.graph.plan import Emit, MetricOperator, Plan, below, map_constants
from rete.graph.streams import FactTable, LinearReader, NetworkView, Stream, Terminal
from rete.nodes.alpha import Alpha
from rete.nodes.join import Join
from rete.nodes.metric.diamond import Dilate
from rete.nodes.scan import Scan
from rete.planning.join_graph import Postfix
from rete.planning.unification import ConstantPattern, unifiable_groups
from rete.storage.stem import Stem
from rete.storage.view import RelationStore, View
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary
from rete.terms.literal_values import value_text
from rete.terms.relations import TRIPLES, Head, Relation
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.terms import IRI, RDF_TYPE

_TYPES: Final = ((1, str(IRI(RDF_TYPE))),)
"""The constants of a scan of all types."""


def _may_view(scan: Scan) -> bool:
    """Whether a scan may share the store of its relation.

    Its key goes on with its constants, which each row of the other side then needs. So a scan with
    constants has a SteM of its own: most are of a vocabulary, and small. Types are many.
    """
    return not (scan.equal or scan.numbers) and (not scan.constants or scan.constants == _TYPES)


class Network(NetworkView):
    """All nodes of a set of rules, shared where plans are equal.

    Attributes:
        compiled: the plans of all rules as they were compiled, rule by rule.
        orders: per join tree of these the order in which it is joined now, if that is another.
        emits: the plans in these orders.
        tables: the derived facts, by groups of heads that may derive the same fact.
        units: the streams of bodies without condition.
        hurried: relations whose facts come first; see `hurry`.
        timed: the streams that time moves, few of all.
        lasting: the streams of diamonds to `inf`; see `rete.network.summation`.
        stores: all facts of some relations, of which scans have views; see `rete.storage.view`.
    """

    @collector_paused()
    def __init__(  # noqa: PLR0913 - what it is built from, and what its tables are
        self,
        emits: Iterable[Emit],
        terms: Dictionary,
        *,
        instances: bool = False,
        answers: Callable[[Relation], bool] | None = None,
        before: Sequence[Network] = (),
        table: Callable[[Relation], FactTable] | None = None,
        shared: Callable[[Relation], bool] | None = None,
    ) -> None:
        """Build it; an answer that a network ``before`` it may derive, too, has one table.

        ``answers`` says whether the derived facts of a relation are answers, which are kept by
        rule; None: all are. ``table`` makes its tables; None: they are plain tables of facts.
        ``shared``: scans share stores, and whether the one table of a relation has its facts there,
        too; None: each scan has its own SteM. Nothing may be lost as long as they are shared.
        """
        self.compiled = tuple(map_constants(emits, value_text) if terms.by_value else emits)
        self.orders: Mapping[Plan, Postfix] = {}
        self.emits = self.compiled
        self.terms = terms
        self.instances = instances
        self._answers = answers
        self._before = before
        self._make_table = table
        self.streams: dict[Plan, Stream] = {}
        self.timed: list[Stream] = []
        self.lasting: list[Stream] = []
        self.tables: list[FactTable] = []
        self.units: list[Stream] = []
        self.since = self.clock = self.bound = NEG_INF
        self.begin = POS_INF
        self.hurried: Container[Relation] = ()
        self._alphas: dict[Relation, Alpha] = {}
        self.stores = {} if shared is None else self._make_stores()
        tables = self._group()
        if shared is not None:
            self._share_tables(shared)
        for emit in self.emits:
            source = self.stream(emit.source)
            for head in emit.heads:
                fed = tables[head]
                terminal = Terminal(emit.rule, head, fed, terms)
                source.terminals.append(terminal)
                fed.feeders.append((source, terminal))

    def stream(self, plan: Plan) -> Stream:
        """The stream of ``plan``, built with all below it if it is new."""
        found = self.streams.get(plan)
        if found is not None:
            return found
        assert not (self.instances and isinstance(plan, MetricOperator))
        made = Stream(plan, tuple(map(self.stream, plan.sources)))
        self.streams[plan] = made
        made.connect(self, self.terms)
        if made.timed is not None:
            self.timed.append(made)
        if isinstance(plan, Dilate) and plan.is_lasting:
            self.lasting.append(made)
        if isinstance(plan, Scan):
            made.constants = self.alpha(plan.relation).add(made, plan)
        elif not plan.sources:
            self.units.append(made)
        return made

    def drop(self, rules: Container[int]) -> list[tuple[FactTable, int]]:
        """Take ``rules`` out, with all nodes that only they need.

        Returns the tables that they feed, each with its rule, but for steps that other rules take
        as well. Their facts stay in these tables.
        """
        fed: dict[tuple[FactTable, int], None] = {}
        fewer: set[FactTable] = set()
        for stream in self.streams.values():
            gone = [each for each in stream.terminals if each.rule in rules]
            stream.terminals = [each for each in stream.terminals if each.rule not in rules]
            fewer |= {each.table for each in gone}
            same = {(each.table, each.head) for each in stream.terminals}
            for terminal in gone:
                if terminal.table.answers or (terminal.table, terminal.head) not in same:
                    fed[terminal.table, terminal.rule] = None
        for table in fewer:
            table.feeders = [each for each in table.feeders if each[1].rule not in rules]
        for table, _ in fed:
            table.orphaned = True
        self.emits = tuple(emit for emit in self.emits if emit.rule not in rules)
        self.compiled = tuple(emit for emit in self.compiled if emit.rule not in rules)
        left = self.plans
        self.orders = {plan: order for plan, order in self.orders.items() if plan in left}
        self.prune()
        self._alphas = {}
        for plan, stream in self.streams.items():
            if isinstance(plan, Scan):
                self.alpha(plan.relation).add(stream, plan)
        return list(fed)

    @property
    def plans(self) -> dict[Plan, int]:
        """All parts of the plans as they were compiled, each after its sources, with its number."""
        plans = below(*(emit.source for emit in self.compiled))
        return {plan: number for number, plan in enumerate(plans)}

    def prune(self) -> None:
        """Take out the streams that nothing reads; the others stand as if they were built now."""
        for plan, stream in reversed(self.streams.copy().items()):
            if not stream.is_read:
                del self.streams[plan]
                for source in stream.sources:
                    source.remove_reader(stream)
        plans = below(*(emit.source for emit in self.emits))
        self.streams = {plan: self.streams[plan] for plan in plans if plan in self.streams}
        self.timed = [stream for stream in self.timed if self.streams.get(stream.plan) is stream]
        self.lasting = [each for each in self.lasting if self.streams.get(each.plan) is each]

    def alpha(self, relation: Relation) -> Alpha:
        """The alpha network of a relation."""
        if relation not in self._alphas:
            self._alphas[relation] = Alpha(relation, self.terms)
        return self._alphas[relation]

    def route(
        self, relation: Relation, rows: Rows, *, stored: bool = False
    ) -> Iterator[tuple[Stream, Rows]]:
        """Per stream of a scan that they match, the facts ``rows``: of a store what it gains.

        ``stored``: it has them already.
        """
        alpha = self._alphas.get(relation)
        if alpha is None:
            return iter(())
        rows = rows if self.since == NEG_INF else self.seen(rows)
        store = None if stored else self.stores.get(relation)
        if store is not None:
            rows = store.absorb(rows, self.bound)
            if not len(rows):
                return iter(())
        return alpha.route(rows)

    def reads(self, relation: Relation) -> bool:
        """Whether there is a scan of ``relation``."""
        return relation in self._alphas

    def constants(self) -> Column:
        """The ids of the constants of its scans."""
        texts = {
            text for plan in self.streams if isinstance(plan, Scan) for _, text in plan.constants
        }
        return self.terms.encode_many(sorted(texts))

    def outside(self) -> Iterator[DomainErrors]:
        """Per node with a built-in the arguments that were outside its domain, if any."""
        of_nodes = (stream.node.domain_errors for stream in self.streams.values())
        found = chain((node.outside for node in self.linear_nodes()), filter(None, of_nodes))
        return (each for each in found if each.count)

    def linear_nodes(self) -> Iterator[LinearReader]:
        """All nodes that keep nothing; only they call built-ins."""
        return (node for stream in self.streams.values() for node in stream.linear)

    @property
    def stems(self) -> Iterator[Stem]:
        """All that has rows, once: the SteMs of nodes and tables, and stores."""
        yield from self.stems_of_nodes
        for stream in self.streams.values():
            yield from stream.node.stems
        for table in self.tables:
            yield from table.stems

    @property
    def stems_of_nodes(self) -> Iterator[Stem]:
        """The SteMs of streams that have rows of their own, and the stores that are of no table."""
        yield from self.own_stores.values()
        for stream in self.streams.values():
            if stream.own_stem is not None:
                yield stream.own_stem

    def clear(self) -> None:
        """Forget all rows; from now on it sees facts of all times."""
        self.since = NEG_INF
        for stream in self.streams.values():
            stream.since = NEG_INF
            if stream.own_stem is not None:
                stream.own_stem.clear()
            for stem in stream.node.stems:
                stem.clear()
        for table in self.tables:
            table.clear()
        for store in self.own_stores.values():
            store.clear()

    def forget(self, bound: int) -> None:
        """Drop all that ended before ``bound``, as ids are about to be used again."""
        self.bound = bound
        for store in self.own_stores.values():
            store.expire(bound)
        for stream in self.streams.values():
            if stream.own_stem is not None:
                stream.own_stem.expire(bound)
            if stream.timed is not None:  # what it gave; a history of Since forgets by itself
                for stem in stream.node.stems:
                    stem.expire(bound)
            stream.node.forget()
        for table in self.tables:
            table.expire(bound)

    def _make_stores(self) -> dict[Relation, RelationStore]:
        """A store for each relation of which a join reads a scan that may have a view."""
        plans = [*below(*(emit.source for emit in self.emits))]
        if not all(plan.pointwise for plan in plans):
            return {}
        joins = (plan for plan in plans if isinstance(plan, Join))
        relations = (
            scan.relation
            for join in joins
            for scan in join.sources
            if isinstance(scan, Scan) and _may_view(scan)
        )
        return {
            relation: RelationStore(relation.arity, instances=self.instances)
            for relation in dict.fromkeys(relations)
        }

    def _share_tables(self, shared: Callable[[Relation], bool]) -> None:
        numbers = Counter(table.relation for table in self.tables)
        for table in self.tables:
            store = self.stores.get(table.relation)
            if store is not None and numbers[table.relation] == 1 and shared(table.relation):
                table.facts = store

    def view_of(self, stream: Stream) -> View | None:
        """A view of what a scan reads, for its stream; None: it is to have rows of its own."""
        plan = stream.plan
        if not (isinstance(plan, Scan) and _may_view(plan) and plan.relation in self.stores):
            return None
        places = [place for place, _ in plan.constants]
        return View(self.stores[plan.relation], plan.keep, places, stream)

    @property
    def own_stores(self) -> dict[Relation, RelationStore]:
        """The stores that are not those of a table."""
        others = {table.relation for table in self.tables if table.shares}
        return {
            relation: store for relation, store in self.stores.items() if relation not in others
        }

    def unshare(self) -> None:
        """Let each scan and table have a SteM of its own from now on; a second call does nothing.

        Costs O(rows) for each.
        """
        for stream in self.streams.values():
            if isinstance(stream.stem, View):
                rows, retention = stream.stem.content(), stream.stem.retention
                stream.stem = Stem(stream.plan.width, instances=self.instances)
                stream.stem.retention = retention
                stream.stem.absorb(rows, NEG_INF)
        if self.stores:
            for stream in self.streams.values():
                if isinstance(stream.plan, Join):
                    for source in stream.sources:
                        source.sides = [side for side in source.sides if side.output is not stream]
                    stream.node.connect()
        for table in self.tables:
            if table.shares:
                table.unshare()
        self.stores = {}

    def _group(self) -> dict[Head, FactTable]:
        """The table of each head: heads that may derive the same fact have one."""
        numbers: dict[Head, int] = {}
        relations: dict[Relation, list[tuple[ConstantPattern, int]]] = {}
        rules: list[list[int]] = []
        for emit in self.emits:
            for head in emit.heads:
                number = numbers.setdefault(head, len(rules))
                if number == len(rules):
                    relations.setdefault(head.relation, []).append((head.key, number))
                    rules.append([])
                rules[number].append(emit.rule)
        alike: DirectedGraph[int] = DirectedGraph()
        alike.add_nodes(numbers.values())
        for keys in relations.values():
            for some, others in unifiable_groups(keys, keys):
                first, *more = (*some, *others)
                alike.add_edges((first, each) for each in more)
                alike.add_edges((each, first) for each in more)
        groups = number_components(feeders_first(alike))
        members: dict[int, list[Head]] = {}
        for head, number in numbers.items():
            members.setdefault(groups[number], []).append(head)
        tables: dict[Head, FactTable] = {}
        for heads in members.values():
            table = self._table(heads)
            tables.update(dict.fromkeys(heads, table))
            table.add([(rule, head) for head in heads for rule in rules[numbers[head]]])
            self.tables.append(table)
        return tables

    def _table(self, heads: Sequence[Head]) -> FactTable:
        """The table of ``heads``: an answer table of an earlier network, else a new one."""
        shared = [
            table
            for network in self._before
            for table in network.tables
            if table.answers and table.may_hold(heads)
        ]
        if not shared:
            relation = heads[0].relation
            if self._make_table is not None:
                return self._make_table(relation)
            answers = self._answers is None or self._answers(relation)
            owner = None if answers or relation == TRIPLES else self
            return FactTable(relation, instances=self.instances, answers=answers, owner=owner)
        first, *others = dict.fromkeys(shared)
        for other in others:
            first.merge(other)
        return first

    def redirect(self) -> None:
        """Replace tables whose facts others took over by those."""
        self.tables = list(dict.fromkeys(table.survivor for table in self.tables))
        for stream in self.streams.values():
            for terminal in stream.terminals:
                terminal.table = terminal.table.survivor

    def hurry(self, relations: Container[Relation]) -> None:
        """Let the nodes that lead to facts of ``relations`` act before all others."""
        self.hurried = relations
        first: dict[Stream | FactTable, None] = {}
        unvisited: list[Stream] = []
        for table in self.tables:
            if table.relation in relations:
                first[table] = None
                unvisited += (stream for stream, _ in table.feeders)
        while unvisited:
            stream = unvisited.pop()
            if stream not in first:
                first[stream] = None
                unvisited += stream.sources
        order = sorted(first, key=lambda node: node.rank)
        for rank, node in enumerate(order, -len(order)):
            node.rank = rank
