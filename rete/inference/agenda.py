"""The agenda: which delta is carried next, until none is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Final

from rete.arrays.delta import NEG_INF, POS_INF, ROUND_BITS, Cells, Rows, empty
from rete.arrays.state_codec import State, StateReader
from rete.graph.streams import FactTable, GateReader, Node, SideReader, Stream
from rete.inference.errors import LimitReached, MemoryExhausted
from rete.kernels import concatenate
from rete.memory_limit import MemoryBound
from rete.network.adaptive_order import AdaptiveOrder
from rete.network.components import assign_components, prepare_for_losses
from rete.network.horizon import park, unpark
from rete.network.layers import Layers
from rete.network.lookback import measure_lookback
from rete.network.network import Network
from rete.nodes.known import KnownNode
from rete.retraction.loss_propagation import TableListener
from rete.retraction.view_maintenance import ViewMaintenance
from rete.storage.row_algebra import without_repeats
from rete.storage.semijoin import Semijoin
from rete.terms.dictionary import TEXT_OF_A_FACT, Dictionary
from rete.terms.relations import Relation

_MANY_PAIRS: Final = 1 << 18
"""After so many pairs of a join, those are absorbed before more are made."""
_MANY_ROWS: Final = 1024
"""From so many rows on it pays to see first which of them a side of a join may meet."""
_NO_REASON: Final = "error return without exception set"
"""The error of NumPy 2.4 if it has no memory for what a mask selects; it gives no reason for it."""
_MOST_ROUNDS: Final = 100_000
"""So often rules may change what they read of their own answers until time has come on."""
_PLANS: Final = count()
_MOST_STAGES: Final = 1 << 42
"""A stage and `ROUND_BITS` more are one number of 63 bits."""


class Agenda:
    """Carries deltas from node to node, lowest rank first.

    Nodes never call each other: each is given a delta and returns one. Derived facts enter the
    alpha network again as soon as their table has absorbed them, so a recursive component runs
    semi-naively until nothing in it is pending, and nodes that read its facts come after it.

    Attributes:
        asserted: facts that were asserted so far.
        derived: gained facts so far.
        limit: the most facts that one `run` may gain, long texts that built-ins compute included
            (`Dictionary.computed`); None: any number.
        horizon: between which cells facts are derived; None: at all times. See `widen`.
        stage: turns of tables so far; what is derived in one has a level that goes with it.
        rounds: rounds so far, in each of which a table absorbs facts at most once.
        watch: is called before each step; if it raises, another `run` resumes from there.
        stop: is raised before the next step; None: nothing is.
        plans: a number, another one whenever nodes were ranked anew, or remember in other places.
        on_gain, on_loss: are called with a table of answers and the rows that it gains, or loses.
    """

    def __init__(
        self, layers: Layers, terms: Dictionary, limit: int | None, *, adapts: bool
    ) -> None:
        """Begin; nodes are yet to be ranked. It ``adapts`` the order of joins, if it may."""
        self.layers = layers
        self.terms = terms
        self.limit = limit
        self._bound = NEG_INF
        self.derived = 0
        self.horizon: Cells | None = None
        self.rounds = 0
        self._is_endless = False
        self.watch: Callable[[], None] | None = None
        self.stop: LimitReached | None = None
        self.on_gain: TableListener = _ignore
        self.on_loss: TableListener = _ignore
        self._maintenance: ViewMaintenance | None = None
        self.plans = next(_PLANS)
        self.stage = 0
        self._round: set[FactTable] = set()
        self._ranks = 0
        self._heap: list[int] = []
        self._nodes: dict[int, Node] = {}  # those on the heap, by their ranks
        self._unfinished: list[tuple[SideReader, Rows]] = []
        self._adaptive_order = AdaptiveOrder(layers) if adapts else None
        self.asserted = 0
        self._rests = True
        self._before = (
            terms.computed
        )  # the texts computed up to the last run: what is pushed adds some

    @property
    def bound(self) -> int:
        """The frontier in cells; rows that ended there may be forgotten."""
        return self._bound

    @bound.setter
    def bound(self, cell: int) -> None:
        self._bound = cell
        for network in self.layers.networks:
            network.bound = cell

    def pass_time(self, cell: int) -> None:
        """Set the `bound`, as who calls it does in the networks."""
        self._bound = cell

    def rearrange(self) -> None:
        """Rank all nodes anew, those on the heap too, as the networks have changed."""
        self.plans = next(_PLANS)
        self.bound = self._bound
        networks = self.layers.networks
        if self._maintenance is None:
            self._ranks = 0
            for network in networks:
                self._rank(network)
            for network in networks:
                network.hurry(network.hurried)
        else:
            assign_components(self.layers, networks)
            prepare_for_losses(self.layers)
        measure_lookback(self.layers)
        self._nodes = {node.rank: node for node in self._nodes.values()}
        self._heap = sorted(self._nodes)

    def _rank(self, network: Network) -> None:
        self.plans = next(_PLANS)
        self._ranks = assign_components(self.layers, [network], self._ranks)

    def _saved_progress(self) -> State:
        assert not self._heap
        assert not self._unfinished
        return {
            "bound": self.bound,
            "derived": self.derived,
            "stage": self.stage,
            "maintains": self._maintenance is not None,
            "horizon": self.horizon and dict(zip(("lo", "hi"), self.horizon, strict=True)),
            "asserted": self.asserted,
            "order": None if self._adaptive_order is None else self._adaptive_order.saved(),
        }

    def _restore_progress(self, given: StateReader) -> None:
        self._restore_bounds(given)
        self.stage = given.integer("stage", 0, _MOST_STAGES)
        self.asserted = given.integer("asserted", 0)
        order = given.maybe("order")
        if order is not None and self._adaptive_order is not None:
            self._adaptive_order.restore(order)

    def _restore_bounds(self, given: StateReader) -> None:
        self.bound = given.integer("bound", NEG_INF, POS_INF)
        self.derived = given.integer("derived", 0)
        horizon = given.maybe("horizon")
        if horizon is not None:
            lo, hi = (horizon.integer(end, NEG_INF, POS_INF) for end in ("lo", "hi"))
            self.horizon = lo, hi

    def widen(self, horizon: Cells) -> None:
        """Derive facts between these cells, too, half-open; what was parked there is pending."""
        if self.horizon is not None:
            lo, hi = self.horizon
            horizon = min(lo, horizon[0]), max(hi, horizon[1])
        if horizon != self.horizon:
            self.horizon = horizon
            for table in self.layers.all_tables:
                if unpark(table, horizon):
                    self.schedule(table)

    @property
    def waits(self) -> bool:
        """Whether anything is parked beyond the horizon."""
        return any(
            not stem.is_empty for table in self.layers.all_tables for stem in table.parked.values()
        )

    def advance(self, clock: int) -> None:
        """All facts that begin before the cell ``clock`` are known, once nothing is pending.

        Where rules read their own earlier answers, time moves in steps: from one that is about to
        be read up to where what it leads to may begin.

        Raises:
            LimitReached: it gains more facts than the limit; called again it goes on.
        """
        known = self.known_nodes
        most = self._most()
        while known:
            self.run()
            then = min(node.next_change() + node.delay for node in known)
            if then >= clock:
                break
            if self._effort > most:
                raise self._limit_reached()
            self._move(then)
        self._move(clock)

    @property
    def known_nodes(self) -> list[KnownNode]:
        """Where rules read their own earlier answers."""
        streams = (stream for network in self.layers.networks for stream in network.timed)
        return [stream.node for stream in streams if isinstance(stream.node, KnownNode)]

    def _limit_reached(self) -> LimitReached:
        if self._is_endless:
            self._is_endless = False
            return LimitReached(f"rules changed their own answers {_MOST_ROUNDS:,} times at once")
        message = f"more than {self.limit:,} facts were derived at once"
        if self.terms.computed:
            message += f", {TEXT_OF_A_FACT} characters of a text that is computed counted as one"
        return LimitReached(message)

    @property
    def _effort(self) -> int:
        """What is limited: facts so far, and long texts that were computed for them."""
        return self.derived + self.terms.computed

    def _most(self) -> float:
        return math.inf if self.limit is None else self.derived + self._before + self.limit

    def begin_at(self, begin: int) -> None:
        """The least stamp so far is that of the cell ``begin``."""
        for network in self.layers.networks:
            if begin < network.begin:
                network.begin = begin
                self._wake(network)

    def _move(self, clock: int) -> None:
        for network in self.layers.networks:
            if clock > network.clock:
                network.clock = clock
                self._wake(network)

    def _wake(self, network: Network) -> None:
        """Let nodes see that time is another one."""
        for stream in network.timed:
            self.deliver(stream, empty(stream.sources[0].plan.width))

    def push(self, relation: Relation, rows: Rows) -> None:
        """Facts of ``relation`` become known, (n, arity + 2), valid times in cells."""
        self.asserted += len(rows)
        for stream, found in self.layers.route_asserted(relation, rows):
            self.deliver(stream, found)

    def note_asserted(self, count: int) -> None:
        """So many facts were asserted row by row."""
        self.asserted += count

    @property
    def is_order_due(self) -> bool:
        """Whether the order of joins is to be looked at before what comes next."""
        order = self._adaptive_order
        return order is not None and self.asserted + self.derived >= order.next_look

    def repeat(self, network: Network, relation: Relation, rows: Rows) -> None:
        """Facts that other networks were shown are shown to ``network``, too."""
        self.asserted += len(rows)
        for stream, found in network.route(relation, rows):
            self.deliver(stream, found)

    def run(self) -> None:
        """Work until nothing is pending. Listeners get gains in the order of derivation.

        Raises:
            LimitReached: it goes on beyond the limit.
            MemoryExhausted: there is no memory for it, or no more is allowed.
        """
        try:
            self._run()
        except (MemoryError, SystemError) as error:
            if isinstance(error, SystemError) and str(error) != _NO_REASON:
                raise
            error.__traceback__ = None  # what its frames hold is needed to say so
            reason = str(error) if isinstance(error, MemoryBound) else "memory is exhausted"
            message = f"{reason}; most of it is held by {self._largest()}"
            raise MemoryExhausted(message) from None
        finally:
            self._before = self.terms.computed

    def go_on(self) -> None:
        """`run` what was left half-way: until it is done, joins keep their order."""
        self._rests = False
        self.run()

    def _run(self) -> None:
        self._adapt()
        self._rests = False
        heap, nodes, unfinished = self._heap, self._nodes, self._unfinished
        watch = self.watch
        most = self._most()
        while heap or unfinished:
            if heap:
                node = nodes[heap[0]]
                component = node.component
                unsettled = bool(component.unsettled_nodes or component.suspect_rows)
                if not (unsettled or node.pending):
                    del nodes[heappop(heap)]  # what it was for was done with other nodes
                    continue
            if watch is not None:
                watch()
            if self.stop is not None:
                raise self.stop.with_traceback(None)
            if self._is_endless or self._effort > most:
                raise self._limit_reached()
            if unfinished and (not heap or unsettled):
                side, rest = unfinished.pop()  # what a component loses by that is settled with it
                self._probe(side, rest, side.limit(POS_INF))  # rows were moved, so it meets all
                continue
            if unsettled:
                self._settle(node)
                continue
            del nodes[heappop(heap)]
            if isinstance(node, Stream):
                self._build(node)
            else:
                self._absorb(node)
        self._rests = True

    def _settle(self, node: Node) -> None:
        """Decide what the component of the first node loses; its deletion candidates are known."""
        assert self._maintenance is not None
        if not node.pending:
            del self._nodes[heappop(self._heap)]
        self._maintenance.settle(node.component)

    def _largest(self) -> str:
        """What has the most bytes, in words."""
        found = [(self.terms.texts.nbytes, f"{len(self.terms):,} terms")]
        for table in self.layers.all_tables:
            op = table.relation.op
            name = f"derived facts of {op}" if op else "derived triples"
            found += [(stem.nbytes, f"{stem.n:,} {name}") for stem in table.stems]
        for network in self.layers.networks:
            found += [
                (store.nbytes, f"{store.n:,} facts of {relation.op or 'all triples'}")
                for relation, store in network.own_stores.items()
            ]
            found += [
                (stream.own_stem.nbytes, f"{stream.own_stem.n:,} rows of a {plan.shape}")
                for plan, stream in network.streams.items()
                if stream.own_stem
            ]
        return max(found)[1]

    def keep_order(self) -> None:
        """From now on joins keep their order."""
        self._adaptive_order = None

    def _adapt(self) -> None:
        """Order joins anew if that is due, and facts are pending, but nothing else."""
        order, rows = self._adaptive_order, self.asserted + self.derived
        if order is None or rows < order.next_look or not (self._rests and self._heap):
            return
        if any(node.component.unsettled for node in self._nodes.values()):
            return
        if order.look(rows, self.bound):
            self.rearrange()

    def _absorb(self, table: FactTable) -> None:
        if self.horizon is not None:
            park(table, self.horizon)
        if not table.pending:
            return
        self.stage += 1
        if table in self._round:
            self.rounds += 1
            self._round.clear()
        self._round.add(table)
        gains = table.absorb(self.bound, self.stage << ROUND_BITS)
        if not len(gains):
            return
        self.derived += len(gains)
        if table.observer is not None:
            table.observer.gain(gains)
        if table.answers:
            self.on_gain(table, gains)
        if table.feeds:
            for stream, found in self.layers.route_derived(table, gains):
                self.deliver(stream, found)

    def deliver(self, stream: Stream, rows: Rows) -> None:
        """Hand ``rows`` to a stream: at once if it has neither SteM nor gate, else in its turn."""
        stream.received += len(rows)
        if stream.stem is not None or stream.gate is not None:
            if not stream.pending:
                self.schedule(stream)
            stream.pending.append(rows)
        else:
            self._pass_on(stream, rows)

    def schedule(self, node: Node) -> None:
        """Put a node on the agenda, if it is not there."""
        if node.rank not in self._nodes:
            self._nodes[node.rank] = node
            heappush(self._heap, node.rank)

    def _build(self, stream: Stream) -> None:
        pending, stream.pending = stream.pending, []
        if not pending:
            return
        gains = pending[0] if len(pending) == 1 else concatenate(pending)
        if stream.gate is not None:
            gains = self._admit(stream, stream.gate, gains)
        stem = stream.stem
        if stem is not None and len(gains):
            gains = stem.absorb(gains, self.bound)
        if not len(gains):
            return
        if stream.sides:
            assert stem is not None
            self._join(stream.sides, gains, stem.before)
        for gate in stream.passed_gates:
            gate.note_waiting(gains)
            self.deliver(gate.output, gains)
        for gate in stream.closed_gates:
            assert self._maintenance is not None
            self._maintenance.deliver(gate.output, gate.closed_by(gains))
        if stream.linear or stream.terminals:
            self._pass_on(stream, gains)

    def _admit(self, stream: Stream, gate: GateReader, rows: Rows) -> Rows:
        """What passes the gate of a stream; what time takes back is a candidate for deletion."""
        gains = gate.admit(rows)
        if stream.timed is not None:
            assert self._maintenance is not None
            self._maintenance.deliver(stream, stream.timed.take_back())
            if isinstance(stream.timed, KnownNode) and stream.timed.rounds > _MOST_ROUNDS:
                stream.timed.rounds = 0
                self._is_endless = True
        return gains

    def _join(self, sides: Sequence[SideReader], gains: Rows, before: int) -> None:
        """Probe all sides with ``gains``; the SteM had other rows ``before`` a position."""
        many = Semijoin(gains) if len(gains) >= _MANY_ROWS else None
        for side in sides:
            if limit := side.limit(before):
                met = gains if many is None else side.semijoin(many, limit)
                if len(met):
                    self._probe(side, met, limit)

    def _probe(self, side: SideReader, gains: Rows, limit: int) -> None:
        """Probe with ``gains`` up to many pairs; with the rest when those are absorbed."""
        count = len(gains)
        pairs, begin = side.probe(gains, limit)
        pairs_made = len(pairs)
        if pairs_made:
            self.deliver(side.output, pairs)
        while begin < count and pairs_made < _MANY_PAIRS:
            pairs, met = side.probe(gains[begin:], limit)
            begin += met
            if len(pairs):
                pairs_made += len(pairs)
                self.deliver(side.output, pairs)
        if begin < count:
            self._unfinished.append((side, gains[begin:]))

    def _pass_on(self, stream: Stream, rows: Rows) -> None:
        for node in stream.linear:
            out = node.apply(rows)
            if len(out):
                self.deliver(node.output, out)
        if stream.terminals:
            rows = without_repeats(rows)
        for terminal in stream.terminals:
            table = terminal.table
            if not table.pending:
                self.schedule(table)
            table.pending.append((terminal.rule, terminal.facts(rows)))


def _ignore(_table: FactTable, _rows: Rows) -> None:
    """Nobody reads answers as they come."""
