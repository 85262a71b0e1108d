"""The network as numbered nodes and edges, labelled in the words of the rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, TypeAlias

from rete.arrays.delta import POS_INF
from rete.drawing.names import Label, Names, Piece, label_words, plain
from rete.graph.directed_graph import DirectedGraph, feeders_first, number_components
from rete.graph.plan import Call, Emit, NonPointwise, Plan, Shape, below
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.network.summation import is_summed_up
from rete.nodes.scan import Scan
from rete.planning.lowering import Argument
from rete.planning.unification import ConstantPattern, fed_groups
from rete.terms.relations import ABOUT_ELEMENTS, TRIPLES, Head, Operand, Relation
from rif.syntax.terms import Variable

Kind: TypeAlias = Shape | Literal["rule"]
"""How a node is drawn."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """An operator of the network, or the conclusion of a rule.

    Attributes:
        number: from 1, in the order in which the rules need them, sources first.
        label: what it selects, joins on, computes or concludes; of a rule one label for each fact.
        builtin: prefixed name of the built-in that it applies, or ``""``.
        rules: numbers of the rules that it serves, ascending.
        sources: numbers of the nodes that it reads; of a rule one a body.
        columns: what it passes on, in the words of the first rule that uses it.
        renamed: per source the columns that have another name there: pairs (there, here).
        fed: numbers of the rules whose facts may match the pattern, ascending.
        given: whether facts of streams, static data or the rules may match the pattern.
        recursive: of a rule: whether its facts may lead to it again.
        remembers: whether its rows are kept in a SteM for a join.
        retention: how many cells after their end rows of a pattern or a SteM are kept; see
            `rete.network.lookback`.
        plan: the operator; None for a rule.
    """

    number: int
    kind: Kind
    label: tuple[Label, ...]
    rules: tuple[int, ...]
    sources: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    builtin: str = ""
    renamed: tuple[tuple[tuple[str, str], ...], ...] = ()
    fed: tuple[int, ...] = ()
    given: bool = False
    recursive: bool = False
    remembers: bool = False
    retention: int = 0
    plan: Plan | None = field(default=None, repr=False)

    @property
    def renamings(self) -> list[str]:
        """The columns with another name in its sources, in words: one line for each such source."""
        several = len(self.sources) > 1
        return list(
            dict.fromkeys(
                f"#{source}: " * several + ", ".join(f"{there} as {here}" for there, here in pairs)
                for source, pairs in zip(self.sources, self.renamed, strict=True)
                if pairs
            )
        )

    @property
    def signed(self) -> bool:
        """Whether the label has a sign in place of the name of the built-in."""
        name = f"{self.builtin}("
        return bool(self.builtin) and not any(name in plain(label) for label in self.label)

    @property
    def unmatched(self) -> bool:
        """Whether it is a pattern that nothing can match."""
        return self.kind == "pattern" and not self.given and not self.fed

    @property
    def shared(self) -> bool:
        """Whether several rules use it."""
        return len(self.rules) > 1


@dataclass(frozen=True, slots=True)
class DiagramEdge:
    """Rows from one operator to another, or derived facts from a rule to a pattern.

    Attributes:
        place: which of the sources of the target it comes from; 1 is the right side of a join, or
            what is taken away.
        derived: facts of a rule that the pattern ``target`` may match.
        recursive: derived, and what they match leads to the same rule again.
    """

    source: int
    target: int
    place: int = 0
    derived: bool = False
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Diagram:
    """All of a network: nodes by number, from 1, edges by target, the derived ones last."""

    names: Names
    nodes: tuple[DiagramNode, ...]
    edges: tuple[DiagramEdge, ...]

    def node(self, number: int) -> DiagramNode:
        """The node with that number."""
        return self.nodes[number - 1]

    @property
    def rules(self) -> tuple[DiagramNode, ...]:
        """What the rules conclude, in the order of the rules."""
        return tuple(node for node in self.nodes if node.kind == "rule")


def diagram(network: Network, names: Names | None = None) -> Diagram:
    """The diagram of ``network``. Linear in plans, and in pairs of a head and what it feeds."""
    return _Drawing(network, names or Names()).draw()


class _Drawing:
    """Collects the nodes and edges of a diagram."""

    def __init__(self, network: Network, names: Names) -> None:
        self._network = network
        self._names = names
        self._numbers: dict[Plan, int] = {}
        self._views: dict[Plan, tuple[Argument, ...]] = {}
        self._nodes: list[DiagramNode] = []
        self._rules: dict[Plan, list[int]] = defaultdict(list)

    def draw(self) -> Diagram:
        by_rule: dict[int, list[Emit]] = defaultdict(list)
        for emit in self._network.emits:
            by_rule[emit.rule].append(emit)
        for rule in sorted(by_rule):
            for plan in dict.fromkeys(p for emit in by_rule[rule] for p in below(emit.source)):
                self._rules[plan].append(rule)
        heads: dict[int, list[Head]] = {}
        for rule in sorted(by_rule):
            for emit in by_rule[rule]:
                for plan in below(emit.source):
                    if plan not in self._numbers:
                        self._operator(plan)
            heads |= self._conclusions(rule, by_rule[rule])
        derived = list(self._derived(heads))
        flow = (
            DiagramEdge(source, node.number, place)
            for node in self._nodes
            for place, source in enumerate(node.sources)
        )
        return Diagram(self._names, tuple(self._informed(derived)), (*flow, *derived))

    def _operator(self, plan: Plan) -> None:
        number = self._numbers[plan] = len(self._nodes) + 1
        view = self._views[plan] = self._view(plan)
        label = self._label(plan, view)
        stream = self._network.streams[plan]
        applied = [
            self._names.builtin(part.builtin) for part in plan.label if isinstance(part, Call)
        ]
        self._nodes.append(
            DiagramNode(
                number,
                plan.shape,
                (label,) if label else (),
                tuple(self._rules[plan]),
                tuple(self._numbers[source] for source in plan.sources),
                tuple(map(self._names.argument, self._columns(plan))),
                "".join(applied),
                self._renamed(plan.sources, view),
                given=isinstance(plan, Scan) and self._may_be_asserted(plan.relation),
                remembers=stream.stem is not None,
                retention=self._retention(stream),
                plan=plan,
            )
        )

    def _retention(self, stream: Stream) -> int:
        if stream.stem is None and not isinstance(stream.plan, Scan):
            return 0
        if stream.retention >= POS_INF and is_summed_up(stream, self._network.tables):
            return 0
        return stream.retention

    def _may_be_asserted(self, relation: Relation) -> bool:
        """Whether elements of streams, or the rules, may state such facts."""
        about_elements = relation == TRIPLES or relation in ABOUT_ELEMENTS
        return about_elements or relation in self._names.given

    def _conclusions(self, rule: int, emits: Iterable[Emit]) -> dict[int, list[Head]]:
        """The nodes of what a rule concludes: one for all bodies that conclude the same."""
        bodies: dict[tuple[Label, ...], list[Emit]] = defaultdict(list)
        views = {}
        for emit in emits:
            view = views[emit] = self._names.views.get(emit) or self._columns(emit.source)
            facts = (
                self._names.fact(head.relation, [self._operand(arg, view) for arg in head.args])
                for head in emit.heads
            )
            bodies[tuple(dict.fromkeys(facts))].append(emit)
        heads = {}
        for label, same in bodies.items():
            number = len(self._nodes) + 1
            sources = tuple(self._numbers[emit.source] for emit in same)
            renamed = tuple(pairs for e in same for pairs in self._renamed((e.source,), views[e]))
            self._nodes.append(
                DiagramNode(number, "rule", label, (rule,), sources, renamed=renamed)
            )
            heads[number] = [head for emit in same for head in emit.heads]
        return heads

    def _view(self, plan: Plan) -> tuple[Argument, ...]:
        """The names of the inputs of ``plan``, made up if the rules have none."""
        known = self._names.views.get(plan)
        if known is not None:
            return known
        if isinstance(plan, Scan):
            constants = dict((*plan.constants, *plan.numbers))
            same = {right: left for left, right in plan.equal}
            return tuple(
                constants.get(place) or Variable(f"x{same.get(place, place) + 1}")
                for place in range(plan.relation.arity)
            )
        seen = [name for source in plan.sources for name in self._columns(source)]
        for _ in plan.computed:
            seen.append(Variable(f"y{len(seen) + 1}"))
        return tuple(seen)

    def _columns(self, plan: Plan) -> tuple[Argument, ...]:
        view = self._views.get(plan, ())
        return tuple(view[place] for place in plan.columns)

    def _label(self, plan: Plan, view: tuple[Argument, ...]) -> Label:
        words = label_words(
            self._names,
            plan.label,
            lambda each: self._operand(-1 if each is None else each, view),
            lambda: self._pattern(plan, view),
        )
        if not isinstance(plan, NonPointwise):
            return words
        same = [(self._piece(view[place]),) for place, _ in plan.equated]
        result = words[:2] if (Piece(":="),) in words else ()  # of an aggregate
        return (
            *result,
            (Piece(self._names.operator(plan.name, plan.distances)),),
            *words[len(result) :],
            *([(Piece("on"),), *same] if same else []),
        )

    def _pattern(self, plan: Plan, view: tuple[Argument, ...]) -> list[Piece]:
        passed_on = {view[place] for place in plan.columns}
        passed_on |= {view[place] for pair in plan.equated for place in pair}
        return [self._piece(argument, free=argument not in passed_on) for argument in view]

    def _operand(self, operand: Operand, view: Sequence[Argument]) -> Piece:
        return self._piece(view[operand] if isinstance(operand, int) else operand)

    def _piece(self, argument: Argument, *, free: bool = False) -> Piece:
        text = self._names.argument(argument)
        if isinstance(argument, Variable):
            return Piece(text, "free" if free else "bound")
        return Piece(text)

    def _renamed(
        self, sources: Iterable[Plan], view: tuple[Argument, ...]
    ) -> tuple[tuple[tuple[str, str], ...], ...]:
        pairs = []
        begin = 0
        for source in sources:
            there = self._columns(source)
            here = view[begin : begin + len(there)]
            begin += len(there)
            pairs.append(
                tuple((str(a), str(b)) for a, b in zip(there, here, strict=True) if a != b)
            )
        return tuple(pairs)

    def _derived(self, heads: dict[int, list[Head]]) -> Iterator[DiagramEdge]:
        scans: dict[Relation, list[tuple[ConstantPattern, int]]] = {}
        for plan, number in self._numbers.items():
            if isinstance(plan, Scan):
                scans.setdefault(plan.relation, []).append((plan.pattern, number))
        derived: dict[Relation, list[tuple[ConstantPattern, int]]] = {}
        for end, concluded in heads.items():
            for head in concluded:
                derived.setdefault(head.relation, []).append((head.key, end))
        pairs = sorted(
            {
                pair
                for relation, ends in derived.items()
                for group in fed_groups(ends, scans.get(relation, []))
                for pair in product(*group)
            }
        )
        graph: DirectedGraph[int] = DirectedGraph()
        graph.add_edges(pairs)
        for node in self._nodes:
            graph.add_edges((source, node.number) for source in node.sources)
        component = number_components(feeders_first(graph))
        for end, number in pairs:
            recursive = component[end] == component[number]
            yield DiagramEdge(end, number, derived=True, recursive=recursive)

    def _informed(self, derived: Iterable[DiagramEdge]) -> Iterator[DiagramNode]:
        fed: dict[int, set[int]] = defaultdict(set)
        recursive: set[int] = set()
        for edge in derived:
            fed[edge.target].update(self._nodes[edge.source - 1].rules)
            if edge.recursive:
                recursive.add(edge.source)
        for node in self._nodes:
            yield replace(
                node, fed=tuple(sorted(fed[node.number])), recursive=node.number in recursive
            )
