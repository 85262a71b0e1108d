"""Row plans: the network of some rules as one flat network for single rows, where they allow it.

    plan = RowPlan(inference)
    if not plan.refusal: network = plan.build(answers, asserted)

What is computed row by row is what `rete.inference.agenda` computes with columns, and is remembered
in the same stores; so both may take turns. Rules are refused here that need more than scans, joins,
nodes that map each row on its own, and heads: columns run them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from rete import kernels
from rete.arrays.delta import POS_INF, Rows
from rete.graph.streams import (
    FactTable,
    GateReader,
    LinearReader,
    NetworkView,
    Node,
    SideReader,
    Stream,
    Terminal,
    rank_of,
)
from rete.nodes.aggregate import AggregateNode
from rete.nodes.anti_join import AntiJoinNode
from rete.nodes.begun import BegunNode
from rete.nodes.filter import FilterNode
from rete.nodes.interval_ends import BeginsNode, EndsNode
from rete.nodes.join import JoinSide, SideEdge
from rete.nodes.known import KnownNode
from rete.nodes.metric.diamond import Dilate
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


MOST_PENDING: Final = 1 << 11
"""With more rows that are pending at a node columns go on: they take less time for each."""


class RowsKept(NamedTuple):
    """What a node remembers: its index of all terms, and how long; ``rule``: what that derived."""

    identity: kernels.Index
    retention: int
    keep_ended: KeepEnded | None
    rule: int = 0

    @classmethod
    def of(cls, stem: Stem, rule: int = 0) -> RowsKept:
        """What a SteM remembers."""
        index = stem.index(tuple(range(stem.width)))
        retention = POS_INF if stem.hands_over else stem.retention
        return cls(index, retention, stem.keep_ended, rule)


PROBE, CALL, DERIVE, PASS, CLOSE, SHIFT, COMPARE = range(7)
"""What a node does with a gain: it probes the other side of a join, calls a linear node, derives a
fact; lets it wait before a negation, looks for what a negation lets pass no longer; moves it in
time; compares two numbers."""


class RowEdge(NamedTuple):
    """What a node does with a gain.

    Attributes:
        kind: what it does.
        to: the number of the node that is given what comes of it.
        other: what is probed; ``key``, ``keep`` as of `rete.kernels.probe`.
        before: whether a row meets only rows that were there before it.
        apply: the linear node, of a comparison where it has to say.
        terms: ids of constants: of a fact, which has ``keep`` and these as `rete.kernels.project`
            has them, by the ``rule``; of a comparison.
        range: of a move in time, as of `rete.kernels.dilate`.
        left, right: the columns that are compared, or ~ of a constant; by a ``sign``, with bits for
            less, equal and greater; ``passes``: whether rows pass of which it is true.
    """

    kind: int
    to: int
    other: kernels.Index | None = None
    key: Sequence[int] = ()
    keep: Sequence[int] = ()
    before: bool = False
    apply: Callable[[Rows], Rows] | None = None
    terms: Sequence[int] = ()
    rule: int = 0
    range: tuple[int, int, bool] = (0, 0, False)
    left: int = 0
    right: int = 0
    sign: int = 0
    passes: bool = True


class RowGate(NamedTuple):
    """A negation: left rows, of ``width`` terms, pass as far as no right row agrees with them.

    Attributes:
        left: the left rows that are stored.
        right: the right ones, by their ``key``, which has the columns of the left ones.
        keep: the columns of left that stay.
    """

    width: int
    left: RowsKept
    right: kernels.Index
    key: Sequence[int]
    keep: Sequence[int]


class RowTicks(NamedTuple):
    """What answers are read from at ticks; ``lag``, ``final`` as of `TickFacts`."""

    lag: int
    final: int
    kept: RowsKept
    by_rule: Sequence[RowsKept]


class RowPattern(NamedTuple):
    """What a scan asks of a fact besides constants, and the columns that its node ``to`` keeps.

    No row begins before the cell ``since``.
    """

    to: int
    equal: Sequence[tuple[int, int]]
    keep: Sequence[int]
    since: int


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
        gate: what rows have to pass; None: nothing.
        ticks: what answers are read from; None: what it remembers.
        is_leveled: whether facts have the level at which they were derived.
    """

    width: int
    is_table: bool
    kept: RowsKept | None
    edges: Sequence[RowEdge] = ()
    by_rule: Sequence[RowsKept] = ()
    first_rule: int = 0
    relation: int = -1
    answers: bool = False
    triples: bool = False
    gate: RowGate | None = None
    ticks: RowTicks | None = None
    is_leveled: bool = False


class RowPlan:
    """The networks of an inference engine, for single rows.

    Attributes:
        refusal: what of the rules, or of the run, rows cannot run, for people; empty: nothing.
        nodes: streams and tables by rank, as `rete.kernels.single` numbers them.
    """

    def __init__(self, inference: InferenceEngine) -> None:
        self._networks = inference.layers.user_networks
        self._terms = inference.terms
        self.refusal = _refusal(inference)
        streams = (each for network in self._networks for each in network.streams.values())
        tables = inference.layers.tables
        self.nodes: list[Node] = sorted([*streams, *tables], key=rank_of)
        self._numbers = {node: number for number, node in enumerate(self.nodes)}
        self.width = 2 + max((table.relation.arity for table in tables), default=0)

    @property
    def widths(self) -> list[int]:
        """Terms of a row of each node."""
        return [_width(node) for node in self.nodes]

    def build(
        self, single: SingleKernels, answers: AnswerQueue, asserted: AssertedQueue | None
    ) -> RowNetwork:
        """The network; see `rete.kernels.single.interface`.

        The first of its routes are those of what is asserted.
        """
        scans: dict[_Shown, list[tuple[Stream, Scan]]] = {(TRIPLES, None): []}
        for network in self._networks:
            for plan, stream in network.streams.items():
                if isinstance(plan, Scan):
                    for owner in (None, network):
                        scans.setdefault((plan.relation, owner), []).append((stream, plan))
        numbers = {shown: number for number, shown in enumerate(scans)}
        nodes = [
            self._table(node, numbers) if isinstance(node, FactTable) else self._stream(node)
            for node in self.nodes
        ]
        routes = [self._routes(relation, found) for (relation, _), found in scans.items()]
        view = single.term_view(self._terms.texts)
        return single.row_network(nodes, routes, view, answers, asserted, MOST_PENDING)

    def _stream(self, stream: Stream) -> RowNode:
        edges = [self._side(side) for side in stream.sides]
        edges += [RowEdge(PASS, self._numbers[gate.output]) for gate in stream.passed_gates]
        edges += [self._close(gate) for gate in _negations(stream.closed_gates)]
        edges += [self._call(node) for node in stream.linear]
        edges += [self._head(terminal) for terminal in stream.terminals]
        kept = None if stream.stem is None else RowsKept.of(stream.stem)
        own = _gate(stream.gate) if isinstance(stream.gate, AntiJoinNode) else None
        return RowNode(stream.plan.width, is_table=False, kept=kept, edges=edges, gate=own)

    def _side(self, side: SideReader) -> RowEdge:
        to, found = self._numbers[side.output], _edge(side)
        if found is None:
            return RowEdge(CALL, to, apply=partial(_met, side))
        key, keep = found.key.tolist(), found.keep.tolist()
        return RowEdge(PROBE, to, found.other, key=key, keep=keep, before=found.sees_before)

    def _close(self, gate: AntiJoinNode) -> RowEdge:
        keep = [~column for column in gate.keep]
        to = self._numbers[gate.output]
        return RowEdge(CLOSE, to, gate.left.index(gate.mine), key=gate.theirs, keep=keep)

    def _call(self, node: LinearReader) -> RowEdge:
        to = self._numbers[node.output]
        plan = node.output.plan
        if isinstance(plan, Dilate) and not plan.is_lasting:
            return RowEdge(SHIFT, to, range=(*plan.rho, plan.future))
        if isinstance(node, FilterNode) and (comparison := node.comparison) is not None:
            return RowEdge(COMPARE, to, apply=node.apply, **comparison._asdict())
        return RowEdge(CALL, to, apply=node.apply)

    def _head(self, terminal: Terminal) -> RowEdge:
        keep, terms = terminal.taken.tolist(), terminal.terms.tolist()
        to = self._numbers[terminal.table]
        return RowEdge(DERIVE, to, keep=keep, terms=terms, rule=terminal.rule)

    def _table(self, table: FactTable, numbers: dict[_Shown, int]) -> RowNode:
        rules, ticks = sorted(table.by_rule), table.ticks
        at_ticks = None
        if ticks is not None:
            by_rule = [RowsKept.of(ticks.by_rule[rule], rule) for rule in rules]
            at_ticks = RowTicks(
                ticks.lag, max(ticks.final, ticks.begin), RowsKept.of(ticks.facts), by_rule
            )
        return RowNode(
            table.relation.arity,
            is_table=True,
            kept=RowsKept.of(table.facts),
            by_rule=[RowsKept.of(table.by_rule[rule], rule) for rule in rules],
            first_rule=table.rules[0] if table.rules else 0,
            relation=numbers.get((table.relation, table.owner), -1) if table.feeds else -1,
            answers=table.answers,
            triples=table.relation == TRIPLES,
            ticks=at_ticks,
            is_leveled=table.facts.leveled,
        )

    def _routes(self, relation: Relation, scans: Iterable[tuple[Stream, Scan]]) -> RowRoutes:
        found = (
            (
                {place: constant(text, self._terms) for place, text in scan.constants},
                RowPattern(self._numbers[stream], scan.equal, scan.keep, stream.network.since),
            )
            for stream, scan in scans
        )
        return RowRoutes.of(*relation.routing, found)


_Shown: TypeAlias = tuple[Relation, NetworkView | None]
"""Facts of a relation, as the scans of a network are shown them; None: those of all."""


def _negations(gates: Iterable[GateReader]) -> list[AntiJoinNode]:
    return [gate for gate in gates if isinstance(gate, AntiJoinNode)]


def _gate(node: AntiJoinNode) -> RowGate:
    left = node.left
    return RowGate(left.width, RowsKept.of(left), node.index, node.mine, node.keep)


def _width(node: Node) -> int:
    return node.relation.arity if isinstance(node, FactTable) else node.plan.width


def _refusal(inference: InferenceEngine) -> str:
    """Why rows cannot run the rules; empty: they can."""
    layers = inference.layers
    networks = layers.user_networks
    found = {
        "an entailment regime": layers.background is not None,
        "facts that are kept by their starts": networks[0].instances,
        "a limit of what is derived": inference.limit is not None,
        "rules that derive without end": inference.horizon is not None,
        "patterns that share a store": any(network.stores for network in networks),
        "possible answers": any(table.observer is not None for table in layers.tables),
    }
    reasons = (reason for reason, is_so in found.items() if is_so)
    streams = (each for network in networks for each in network.streams.values())
    return next(chain(reasons, filter(None, map(_refused, streams))), "")


def _refused(stream: Stream) -> str:
    """Why a stream cannot be a node of rows; empty: it can."""
    gate, plan = stream.gate, stream.plan
    if isinstance(plan, Scan) and plan.numbers:
        return "a number in a pattern, which stands for its value"
    if isinstance(gate, AntiJoinNode):
        return "a negation with variables of its own" if gate.is_correlated else ""
    if gate is None:
        return ""
    return _GATES.get(type(gate), "what waits for others")


_GATES: Final[dict[type, str]] = {
    AggregateNode: "an aggregate",
    BegunNode: "rules that read their own earlier answers",
    KnownNode: "rules that read their own earlier answers",
    BeginsNode: "a condition about when facts begin",
    EndsNode: "a condition about when facts end",
}
"""Of gates that rows do not have, what of the rules makes them."""


def _edge(side: SideReader) -> SideEdge | None:
    """How a side of a join is probed; None: it is one of an operator, which is called."""
    return side.edge if type(side) is JoinSide else None


def _met(side: SideReader, rows: Rows) -> Rows:
    """What a row of an operator meets, all of whose rows stand before it."""
    limit = side.limit(0)
    return side.probe(rows, limit)[0] if limit else rows[:0, -2:]
