"""The state of an engine at one instant: what is asserted, and which rule instances derive a fact.

It is evaluated backwards, from a fact to what it follows from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np

from r4.explain.justification.rule_instances import (
    Assertion,
    GroundFact,
    NegatedMatch,
    OperandRow,
    OperatorRow,
    RuleInstance,
    TrueBuiltin,
    order_key,
)
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns
from rete.graph.plan import NonPointwise, Plan
from rete.graph.streams import FactTable, Stream
from rete.network.layers import Layers
from rete.nodes.interval_ends import IntervalEnds, ToldRun
from rete.nodes.scan import Scan
from rete.provenance.derivations import DerivationTracer, TracedPart, parts_of
from rete.storage.interval_sets import CellInterval, coalesce, intersect
from rete.storage.stem import Stem
from rete.terms.relations import TRIPLES, Relation


class InstantState:
    """What holds at an instant.

    Attributes:
        layers: the networks, in which nothing is pending.
        cell: the instant.
    """

    __slots__ = ("_derivations", "_places", "cell", "layers")

    def __init__(
        self, layers: Layers, cell: int, places: Mapping[Plan, tuple[int, ...]] | None = None
    ) -> None:
        """Begin; with the ``places`` of `rete.drawing.names.Names` instances are in their order."""
        self.layers = layers
        self.cell = cell
        self._places = places or {}
        self._derivations = DerivationTracer(layers)

    @property
    def is_metric(self) -> bool:
        """Whether what holds may depend on other times, or on many rows of one operator."""
        plans = (plan for network in self.layers.networks for plan in network.streams)
        return not all(plan.pointwise for plan in plans)

    def fact(self, relation: Relation, terms: Iterable[int]) -> GroundFact:
        """A fact, of representatives."""
        if relation != TRIPLES or not self.layers.classes:
            return GroundFact(relation, tuple(terms))
        row = np.array([[*terms, self.cell, self.cell + 1]], np.int64)
        return GroundFact(relation, tuple(self.layers.classes.of(row)[0, :-2].tolist()))

    def asserted(self, facts: Collection[GroundFact]) -> dict[GroundFact, list[Assertion]]:
        """Those of ``facts`` that are asserted at the instant, with the elements that do it."""
        found: dict[GroundFact, list[Assertion]] = {}
        for fact, held in self.elements(facts).items():
            now = [each for each in held if each.lo <= self.cell < each.hi]
            found |= {fact: now} if now else {}
        return found

    def elements(self, facts: Collection[GroundFact]) -> dict[GroundFact, list[Assertion]]:
        """Those of ``facts`` that are asserted at some time, with all elements that do it."""
        found: dict[GroundFact, list[Assertion]] = defaultdict(list)
        asserts = self.layers.base_table
        assert asserts is not None
        for relation, rows in _by_relation(facts):
            for row in asserts.elements(relation, rows).tolist():
                *terms, name, lo, hi = row
                found[GroundFact(relation, tuple(terms))].append(Assertion(name, lo, hi))
        return found

    def assertions(self, fact: GroundFact) -> list[tuple[int, int]]:
        """The intervals, in cells, in which elements assert a fact."""
        return [(each.lo, each.hi) for each in self.elements([fact]).get(fact, ())]

    def derivations(self, fact: GroundFact) -> list[tuple[int, int]]:
        """The intervals, in cells, in which a fact is derived."""
        found = (_times(table.facts, queried).tolist() for table, queried in self._tables(fact))
        return [(lo, hi) for times in found for lo, hi in times]

    def answers(self, relation: Relation, terms: Sequence[int]) -> list[tuple[int, int]]:
        """The intervals, in cells, in which a fact with exactly these terms is an answer."""
        row = np.array([[*terms, NEG_INF, POS_INF]], np.int64)
        return [
            (lo, hi)
            for table in self._tables_of(relation)
            if table.answers
            for lo, hi in _times(table.facts, row).tolist()
        ]

    def derived(self, fact: GroundFact) -> tuple[int, int] | None:
        """The interval, in cells, in which a fact is derived at the instant; None: it is not."""
        found = [(lo, hi) for lo, hi in self.derivations(fact) if lo <= self.cell < hi]
        if not found:
            return None
        return min(lo for lo, _ in found), max(hi for _, hi in found)

    def spans(self, fact: GroundFact) -> list[tuple[int, int]]:
        """The intervals, in cells, in which a fact holds, as far as is known; they may overlap."""
        return self.assertions(fact) + self.derivations(fact)

    def similar_facts(self, fact: GroundFact) -> list[GroundFact]:
        """Triples that hold at the instant, with its subject and predicate. Looks at all facts."""
        if fact.relation != TRIPLES:
            return []
        assert self.layers.base_table is not None
        held = [rows for relation, rows in self.layers.base_table.content() if relation == TRIPLES]
        held += [table.facts.content() for table in self._tables_of(TRIPLES)]
        found: dict[GroundFact, None] = {}
        for rows in held:
            alike = (rows[:, :2] == fact.terms[:2]).all(axis=1)
            now = (rows[:, -2] <= self.cell) & (self.cell < rows[:, -1])
            found.update(
                (GroundFact(TRIPLES, tuple(terms)), None)
                for terms in rows[alike & now, :3].tolist()
            )
        return list(found)

    def rules(self, fact: GroundFact) -> list[int]:
        """The rules that are known to derive a fact at the instant."""
        found: set[int] = set()
        for table, queried in self._tables(fact):
            if not table.by_rule and len(table.rules) == 1 and self._in(table.facts, queried):
                found.update(table.rules)
            found.update(rule for rule, stem in table.by_rule.items() if self._in(stem, queried))
        return sorted(found)

    def _tables(self, fact: GroundFact) -> Iterator[tuple[FactTable, Rows]]:
        """The tables that may hold a fact, with its rows in them, at all times."""
        row = np.array([[*fact.terms, NEG_INF, POS_INF]], np.int64)
        for table in self._tables_of(fact.relation):
            yield table, self._expanded(table, row)

    def _tables_of(self, relation: Relation) -> Iterable[FactTable]:
        tables = (table for network in self.layers.networks for table in network.tables)
        return dict.fromkeys(table for table in tables if table.relation == relation)

    def _expanded(self, table: FactTable, rows: Rows) -> Rows:
        """Rows of representatives as the table has them: answers have every name."""
        expands = table.relation == TRIPLES and table.answers
        return self.layers.classes.expand(rows) if expands else rows

    def _in(self, stem: Stem, queried: Rows) -> list[tuple[int, int]]:
        return [(lo, hi) for lo, hi in _times(stem, queried).tolist() if lo <= self.cell < hi]

    def rule_instances(self, facts: Collection[GroundFact]) -> dict[GroundFact, list[RuleInstance]]:
        """All instances of rules that derive ``facts`` at the instant, by `order_key`."""
        now = self.cell, self.cell + 1
        found: dict[GroundFact, dict[RuleInstance, None]] = {fact: {} for fact in facts}
        for fact, instance, _ in self.instances([(fact, now) for fact in facts]):
            found[fact][instance] = None
        return {
            fact: sorted(rule_instances, key=order_key) for fact, rule_instances in found.items()
        }

    def instances(
        self, queried: Collection[tuple[GroundFact, CellInterval]]
    ) -> Iterator[tuple[GroundFact, RuleInstance, CellInterval]]:
        """The instances of rules that derive facts within an interval each, and when they do."""
        whole: dict[GroundFact, list[CellInterval]] = defaultdict(list)
        for fact, pair in queried:
            whole[fact].append(pair)
        for relation, terms in _by_relation(fact for fact, _ in queried):
            rows = np.empty((len(terms), relation.arity + 2), np.int64)
            rows[:, :-2] = terms
            rows[:, -2:] = [pair for fact, pair in queried if fact.relation == relation]
            for table in self._tables_of(relation):
                for derived in self._derivations.of(table, self._expanded(table, rows)):
                    facts = derived.facts
                    known = self.layers.classes.of(facts) if relation == TRIPLES else facts
                    parts = self._parts(derived.stream.plan, derived.parts)
                    heads = known[:, :-2].tolist()
                    for head, row in zip(heads, derived.rows.tolist(), strict=True):
                        fact = GroundFact(relation, tuple(head))
                        instance = self._rule_instance(derived.rule, derived.stream, parts, row)
                        for pair in whole.get(fact, ()):
                            lo, hi = intersect((row[-2], row[-1]), pair)
                            if lo < hi:
                                yield fact, instance, (lo, hi)

    def operand(
        self, row: OperandRow, pair: CellInterval, given: Plan | None = None
    ) -> Iterator[tuple[RuleInstance, CellInterval]]:
        """The instances of an operand within an interval, and when they are true.

        Without the premises of ``given``, if its plan begins with that one.
        """
        queried = np.array([[*row.values, *pair]], np.int64)
        rows = self._derivations.traced(row.stream, queried, tuple(range(len(row.values))))
        parts = self._parts(row.stream.plan, parts_of(row.stream.plan))
        if given is not None:
            parts = parts_of(row.stream.plan)[len(parts_of(given)) :]
        for found in rows.tolist():
            lo, hi = intersect((found[-2], found[-1]), pair)
            if lo < hi:
                yield self._rule_instance(0, row.stream, parts, found), (lo, hi)

    def matching(
        self, stream: Stream, known: Mapping[int, int], pair: CellInterval
    ) -> Iterator[OperandRow]:
        """The rows of ``stream`` within an interval that have the ``known`` values by column."""
        queried = np.array([[*known.values(), *pair]], np.int64)
        rows = self._derivations.rows(stream, queried, tuple(known))
        found = dict.fromkeys(map(tuple, rows[:, :-2].tolist()))
        return (OperandRow(stream, values) for values in sorted(found))

    def times(self, node: OperandRow | OperatorRow) -> list[CellInterval]:
        """When a row is true, as far as is known."""
        queried = np.array([[*node.values, NEG_INF, POS_INF]], np.int64)
        rows = self._derivations.rows(node.stream, queried, tuple(range(len(node.values))))
        return [(lo, hi) for lo, hi in rows[:, -2:].tolist()]

    def description(self, operator: OperatorRow) -> NonPointwise | ToldRun:
        """What describes a row: its plan; of one that tells of an interval, that interval."""
        plan = operator.plan
        if isinstance(plan, IntervalEnds):
            source = OperandRow(operator.stream.sources[0], operator.values[: plan.source.width])
            for cell, _ in self.times(operator):
                return plan.about(cell, coalesce(self.times(source))) or plan
        return plan

    def text(self, term: int) -> str:
        """The canonical text of a term."""
        return self.layers.networks[0].terms.decode(term)

    def interval(self, absent: NegatedMatch, cell: int) -> CellInterval:
        """The cells around ``cell`` in which there is no match, as far as is known."""
        always = np.array([[NEG_INF, POS_INF]], np.int64)
        lo, hi = NEG_INF, POS_INF
        for *_, begin, end in self._derivations.without(absent.stream, absent.key, always).tolist():
            if end <= cell:
                lo = max(lo, end)
            elif begin > cell:
                hi = min(hi, begin)
        return lo, hi

    def is_absent(self, absent: NegatedMatch) -> bool:
        """Whether there is no match at the instant."""
        now = np.array([[self.cell, self.cell + 1]], np.int64)
        return not len(self._derivations.without(absent.stream, absent.key, now))

    def same(self, terms: Iterable[int]) -> list[tuple[int, int]]:
        """Pairs of each of ``terms`` and another that is the same for ever."""
        found = []
        for term in dict.fromkeys(terms):
            row = np.array([[term, self.cell, self.cell + 1]], np.int64)
            others = self.layers.classes.expand(row)[:, 0].tolist()
            found += [(term, other) for other in others if other != term]
        return found

    def facts(
        self, stream: Stream, relation: Relation, terms: Mapping[int, int], pair: CellInterval
    ) -> Rows:
        """The facts that ``stream`` sees within an interval, with some ``terms`` by place."""
        queried = np.array([[*terms.values(), *pair]], np.int64)
        return self._derivations.facts(stream, relation, queried, tuple(terms))

    def rows(self, stream: Stream, known: tuple[int, ...], values: Rows) -> Rows:
        """The rows of ``stream`` at the instant that agree with some of ``values`` on ``known``."""
        return self._derivations.rows(stream, values, known)

    def _rule_instance(
        self, rule: int, stream: Stream, parts: Iterable[TracedPart], row: list[int]
    ) -> RuleInstance:
        body: dict[GroundFact, None] = {}
        builtins: dict[TrueBuiltin, None] = {}
        absent: dict[NegatedMatch, None] = {}
        operators: dict[OperatorRow, None] = {}
        streams = stream.network.streams
        for part in parts:
            values = tuple(row[part.begin : part.end])
            plan = part.plan
            if isinstance(plan, Scan):
                body[self.fact(plan.relation, values)] = None
            elif not plan.pointwise:
                operators[OperatorRow(streams[plan], values)] = None
            elif plan.negated is not None:
                absent[NegatedMatch(streams[plan], values)] = None
            else:
                count = len(values) - plan.computes
                builtins[TrueBuiltin(plan, values[:count], sum(values[count:]))] = None
        return RuleInstance(rule, tuple(body), tuple(builtins), tuple(absent), tuple(operators))

    def _parts(self, body: Plan, parts: Sequence[TracedPart]) -> Sequence[TracedPart]:
        """The parts of a row of a body; patterns in the order of the rule's text."""
        joined = [part for part in parts if _is_premise(part.plan)]
        places = self._places.get(body)
        if places is None:
            return parts
        in_order = sorted(zip(places, joined, strict=True), key=itemgetter(0))
        others = (part for part in parts if not _is_premise(part.plan))
        return [*(part for _, part in in_order), *others]


def _is_premise(plan: Plan) -> bool:
    """Whether what an operator adds to a row is true by itself: a fact, or a row at other times."""
    return isinstance(plan, Scan) or not plan.pointwise


def _times(stem: Stem, queried: Rows) -> Rows:
    """When the facts ``queried`` hold."""
    every = tuple(range(stem.width))
    rows = stem.probe(queried, columns(every), stem.end, stem.index(every), columns(every))
    return rows[:, -2:]


def _by_relation(facts: Iterable[GroundFact]) -> Iterable[tuple[Relation, Column]]:
    """The terms of facts, (n, arity), a relation each."""
    grouped: dict[Relation, list[tuple[int, ...]]] = defaultdict(list)
    for fact in facts:
        grouped[fact.relation].append(fact.terms)
    for relation, terms in grouped.items():
        yield relation, np.array(terms, np.int64).reshape(len(terms), relation.arity)
