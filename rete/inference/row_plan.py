"""Row plans: the network of some rules as one flat network for single rows, where they allow it.

    plan = RowPlan(inference)
    if not plan.refusal: network = plan.build(answers, asserted)

What is computed row by row is what `rete.inference.agenda` computes with columns, and is remembered
in the same stores; so both may take turns. Rules are refused here that need more than scans, joins,
nodes that map each row on its own, and heads: columns run them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from rete import kernels
from rete.arrays.delta import NEG_INF
from rete.graph.streams import FactTable, LinearReader, Node, Stream, Terminal, rank_of
from rete.nodes.join import JoinSide, SideEdge
from rete.nodes.scan import Scan
from rete.storage.stem import Stem
from rete.terms.dictionary import constant
from rete.terms.relations import TRIPLES, Relation

if TYPE_CHECKING:
    from rete.inference.inference_engine import InferenceEngine
    from rete.kernels.rows.pure_store import KeepEnded
    from rete.kernels.single.interface import (
        AnswerQueue,
        AssertedQueue,
        RowNetwork,
        SingleKernels,
    )


class RowsKept(NamedTuple):
    """What a node remembers: its index of all terms, and how long; ``rule``: what that derived."""

    identity: kernels.Index
    retention: int
    keep_ended: KeepEnded | None
    rule: int = 0

    @classmethod
    def of(cls, stem: Stem, rule: int = 0) -> RowsKept:
        """Those of a SteM."""
        index = stem.index(tuple(range(stem.width)))
        return cls(index, stem.retention, stem.keep_ended, rule)


class RowEdge(NamedTuple):
    """What a node does with a gain: probe an ``other`` side, ``apply`` a node, or derive a fact.

    Attributes:
        to: the number of the node that is given what comes of it.
        key, keep: as of `rete.kernels.probe`; of a fact ``keep`` and ``terms`` as of
            `rete.kernels.project`.
        before: whether a row meets only rows that were there before it.
        rule: the rule that derives the fact.
    """

    to: int
    other: kernels.Index | None = None
    apply: object = None
    key: Sequence[int] = ()
    keep: Sequence[int] = ()
    terms: Sequence[int] = ()
    before: bool = False
    rule: int = 0


class RowPattern(NamedTuple):
    """What a scan asks of a fact besides constants, and the columns that its node ``to`` keeps."""

    to: int
    equal: Sequence[tuple[int, int]]
    keep: Sequence[int]


class RowRoutes(NamedTuple):
    """Patterns by their constants at two places, as in `rete.nodes.alpha`: 0 for none.

    For each pair the patterns without others, and the routes of the rest.
    """

    first: int
    second: int
    groups: dict[tuple[int, int], tuple[list[RowPattern], list[RowRoutes]]]

    @classmethod
    def of(
        cls, first: int, second: int, scans: Iterable[tuple[dict[int, int], RowPattern]]
    ) -> RowRoutes:
        """The routes to patterns with constants at places."""
        groups: dict[tuple[int, int], list[tuple[dict[int, int], RowPattern]]] = {}
        for ids, pattern in scans:
            group = ids.get(first, 0), ids.get(second, 0) if second != first else 0
            rest = {place: term for place, term in ids.items() if place not in {first, second}}
            groups.setdefault(group, []).append((rest, pattern))
        return cls(first, second, {key: cls._divided(found) for key, found in groups.items()})

    @classmethod
    def _divided(
        cls, scans: Iterable[tuple[dict[int, int], RowPattern]]
    ) -> tuple[list[RowPattern], list[RowRoutes]]:
        whole: list[RowPattern] = []
        others: dict[tuple[int, int], list[tuple[dict[int, int], RowPattern]]] = {}
        for ids, pattern in scans:
            if ids:
                places = sorted(ids)[:2]
                others.setdefault((places[0], places[-1]), []).append((ids, pattern))
            else:
                whole.append(pattern)
        return whole, [cls.of(*places, found) for places, found in others.items()]


class RowNode(NamedTuple):
    """A stream or a table of rows of ``width`` terms.

    Attributes:
        kept: what it remembers; None: nothing.
        edges: what it does with a gain, in their order.
        by_rule: what is kept of each rule, ascending; ``first_rule``: the one that there is else.
        relation: the number of the patterns that its facts may match, -1: none.
        answers, triples: whether its facts are answers, and are triples.
    """

    width: int
    is_table: bool
    kept: RowsKept | None
    edges: Sequence[RowEdge]
    by_rule: Sequence[RowsKept] = ()
    first_rule: int = 0
    relation: int = -1
    answers: bool = False
    triples: bool = False


class RowPlan:
    """The network of an inference engine, for single rows.

    Attributes:
        refusal: why rows cannot run it, for people; empty: they can.
        nodes: its streams and tables by rank, as `rete.kernels.single` numbers them.
        tables: of these the tables, by their numbers.
    """

    def __init__(self, inference: InferenceEngine) -> None:
        self._network = inference.network
        self._terms = inference.terms
        self.refusal = _refusal(inference)
        self.nodes: list[Node] = sorted(
            [*self._network.streams.values(), *self._network.tables], key=rank_of
        )
        self._numbers = {node: number for number, node in enumerate(self.nodes)}
        self.tables = {n: node for n, node in enumerate(self.nodes) if isinstance(node, FactTable)}

    @property
    def width(self) -> int:
        """Cells of the widest row of a table."""
        return 2 + max((table.relation.arity for table in self.tables.values()), default=0)

    @property
    def widths(self) -> list[int]:
        """Terms of a row of each node."""
        return [_width(node) for node in self.nodes]

    def build(
        self, single: SingleKernels, answers: AnswerQueue, asserted: AssertedQueue | None
    ) -> RowNetwork:
        """The network; see `rete.kernels.single.interface`."""
        scans: dict[Relation, list[tuple[Scan, int]]] = {TRIPLES: []}
        for plan, stream in self._network.streams.items():
            if isinstance(plan, Scan):
                scans.setdefault(plan.relation, []).append((plan, self._numbers[stream]))
        numbers = {relation: number for number, relation in enumerate(scans)}
        nodes = [
            self._table(node, numbers) if isinstance(node, FactTable) else self._stream(node)
            for node in self.nodes
        ]
        routes = [self._routes(relation, found) for relation, found in scans.items()]
        view = single.term_view(self._terms.texts)
        return single.row_network(nodes, routes, view, answers, asserted)

    def _stream(self, stream: Stream) -> RowNode:
        edges = [self._side(side) for side in stream.sides if isinstance(side, JoinSide)]
        edges += [self._call(node) for node in stream.linear]
        edges += [self._head(terminal) for terminal in stream.terminals]
        kept = None if stream.stem is None else RowsKept.of(stream.stem)
        return RowNode(stream.plan.width, is_table=False, kept=kept, edges=edges)

    def _side(self, side: JoinSide) -> RowEdge:
        found = side.edge
        assert found is not None
        key, keep = found.key.tolist(), found.keep.tolist()
        to = self._numbers[side.output]
        return RowEdge(to, found.other, key=key, keep=keep, before=side.sees_before)

    def _call(self, node: LinearReader) -> RowEdge:
        return RowEdge(self._numbers[node.output], apply=node.apply)

    def _head(self, terminal: Terminal) -> RowEdge:
        keep, terms = terminal.taken.tolist(), terminal.terms.tolist()
        return RowEdge(self._numbers[terminal.table], keep=keep, terms=terms, rule=terminal.rule)

    def _table(self, table: FactTable, numbers: dict[Relation, int]) -> RowNode:
        by_rule = [RowsKept.of(table.by_rule[rule], rule) for rule in sorted(table.by_rule)]
        relation = numbers.get(table.relation, -1) if table.feeds else -1
        return RowNode(
            table.relation.arity,
            is_table=True,
            kept=RowsKept.of(table.facts),
            edges=(),
            by_rule=by_rule,
            first_rule=table.rules[0] if table.rules else 0,
            relation=relation,
            answers=table.answers,
            triples=table.relation == TRIPLES,
        )

    def _routes(self, relation: Relation, scans: Iterable[tuple[Scan, int]]) -> RowRoutes:
        found = (
            (
                {place: constant(text, self._terms) for place, text in scan.constants},
                RowPattern(number, scan.equal, scan.keep),
            )
            for scan, number in scans
        )
        return RowRoutes.of(*relation.routing, found)


def _width(node: Node) -> int:
    return node.relation.arity if isinstance(node, FactTable) else node.plan.width


def _refusal(inference: InferenceEngine) -> str:
    """Why rows cannot run the rules; empty: they can."""
    layers, network = inference.layers, inference.network
    found = {
        "kernels are not compiled": kernels.single is None,
        "rules of an entailment regime run, too": layers.background is not None,
        "rules were added": len(layers.user_networks) > 1 or network.since > NEG_INF,
        "facts may be lost, by negation, retraction or rules that leave": inference.maintains,
        "facts are kept by start": network.instances,
        "what is derived has a limit": inference.limit is not None,
        "rules derive without end": inference.horizon is not None,
        "scans share a store": bool(network.stores),
        "answers are read at ticks, or observed": any(map(_is_observed, network.tables)),
    }
    reasons = (reason for reason, is_so in found.items() if is_so)
    return next(chain(reasons, filter(None, map(_refused, network.streams.values()))), "")


def _is_observed(table: FactTable) -> bool:
    return table.ticks is not None or table.observer is not None


def _refused(stream: Stream) -> str:
    """Why a stream cannot be a node of rows; empty: it can."""
    plan = stream.plan
    if stream.timed is not None or not plan.pointwise:
        return f"a {plan.shape} looks at other times"
    if stream.gate is not None or stream.passed_gates or stream.closed_gates:
        return f"a {plan.shape} waits for others"
    if isinstance(plan, Scan) and plan.numbers:
        return "a number in a pattern stands for its value"
    return "" if all(map(_edge, stream.sides)) else f"a {plan.shape} is no plain one"


def _edge(side: object) -> SideEdge | None:
    return side.edge if type(side) is JoinSide else None
