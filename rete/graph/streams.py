"""The graph: streams and tables, who reads them, and the components they form. It does no work.

These refer to each other, so they stand in one module; the nodes that work are in `rete.nodes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from rete.arrays.delta import NEG_INF, POS_INF, Rows, columns
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.head_projection import HeadProjection
from rete.graph.plan import KnownColumns, Plan
from rete.kernels import Lookups
from rete.storage.base_table import BaseTable
from rete.storage.derived_facts import DerivedFacts
from rete.storage.row_algebra import begin_at, project
from rete.storage.semijoin import Semijoin
from rete.storage.stem import Stem
from rete.storage.view import RelationStore, View
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation


class RowSearch(Protocol):
    """Finds rows backwards, see `rete.provenance.backward_evaluation`.

    Questions (``asked``) are rows of the ``known`` columns with a time. Each result agrees with a
    question and holds within its time. It may come several times, and pieces may overlap. After
    its columns it may have others, which belong to it.
    """

    def rows(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of ``stream``."""
        ...

    def facts(self, stream: Stream, relation: Relation, asked: Rows, places: KnownColumns) -> Rows:
        """The facts of ``relation`` that ``stream`` sees."""
        ...

    def pairs(self, stream: Stream, asked: Rows, known: KnownColumns) -> Rows:
        """The pairs of rows of the two sources of a pointwise plan: all columns of both.

        Both have SteMs. Each pair of places of `Plan.equated` is one of the left source and one of
        the right; none of the ``known`` columns is computed.
        """
        ...


P_co = TypeVar("P_co", bound=Plan, covariant=True)


class PlanNode(Generic[P_co]):
    """What makes the rows of a stream: one class for each class of plans.

    A class with ``plan=`` is that of the nodes of these plans.
    """

    __slots__ = ("_plan", "output")

    def __init_subclass__(cls, *, plan: type[Plan] | None = None) -> None:
        super().__init_subclass__()
        if plan is not None:
            _NODES[plan] = cls

    def __init__(self, plan: P_co, output: Stream, terms: Dictionary) -> None:  # noqa: ARG002 - most need them
        self._plan = plan
        self.output = output

    def connect(self) -> None:
        """Make the streams that the plan reads feed it."""

    def note_waiting(self, rows: Rows) -> None:
        """Gains of a source that pass it, if it is a gate, wait for its turn."""

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The inputs of which rows that agree with ``asked`` are made, with what belongs to them.

        Only a pointwise plan has them.
        """
        raise NotImplementedError

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The rows by the plan, (n, width + 2), that agree with ``asked``."""
        return project(self.inputs(search, asked, known), self.output.plan.columns)

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """Per source how many cells its rows are needed; see `Plan.retention`."""
        return self.output.plan.retention(own, retracts=retracts)

    def losable(self, rows: Rows) -> Rows:
        """Which of its ``rows``, which lost a derivation, may be lost with that."""
        return rows

    @property
    def stems(self) -> Sequence[Stem]:
        """The SteMs that it has besides those of streams."""
        return ()

    @property
    def domain_errors(self) -> DomainErrors | None:
        """What was outside the domain of what it computes, if it keeps count of that itself."""
        return None

    def forget(self) -> None:
        """Drop what it knows by id, as ids may mean other terms from now on."""

    def saved(self) -> State:
        """What it remembers besides the SteMs of streams."""
        return {}

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Remember what was saved of a node of the same plan; see `StateReader.rows`."""


_NODES: Final[dict[type[Plan], Callable[..., PlanNode[Plan]]]] = {}


class LinearReader(Protocol):
    """A node that maps each row on its own; see `rete.nodes.linear.LinearNode`."""

    output: Stream
    outside: DomainErrors

    def apply(self, rows: Rows) -> Rows:
        """The rows that come out, in order."""


class SideReader(Protocol):
    """One side of a join, which probes the other one; see `rete.nodes.join.JoinSide`."""

    output: Stream

    def limit(self, before: int) -> int:
        """How many rows of the other side to meet."""
        ...

    def semijoin(self, gains: Semijoin, limit: int) -> Rows:
        """``gains``, maybe without some that meet none of the first ``limit`` of the other."""
        ...

    def slices(self, rows: Rows) -> Iterable[Rows]:
        """The pairs of all ``rows`` with all rows of the other, some rows at a time."""
        ...

    def probe(self, gains: Rows, limit: int) -> tuple[Rows, int]:
        """Pairs of the first of ``gains`` with the first ``limit`` of the other; how many met."""
        ...


class GateReader(Protocol):
    """Lets rows pass when all that may take them back is complete.

    It is the `Stream.gate` of its output. A source that has it in `Stream.passed_gates` feeds it;
    one that has it in `Stream.closed_gates` takes rows back. The node asks for the SteMs of both,
    by `Stream.remember`; they have what was gained, and still what is about to be lost. Gains are
    new pieces: without them a SteM is what it was before.

    | method | when | rows that it is given | rows that it gives |
    |---|---|---|---|
    | `note_waiting` | a passing source gains | the gains, which wait for its turn | |
    | `admit` | in its turn | gains that waited before it, with what `opened_by` gave | output |
    | `closed_by` | a closing source gains | the gains | output that may be lost |
    | `project` | a passing source loses | what is about to be lost | output that may be lost |
    | `opened_by` | a closing source loses | what is about to be lost | for `admit` |

    What may be lost is looked for by `PlanNode.derived`, and stays if it is found; it need never
    have come out.
    """

    output: Stream

    def note_waiting(self, rows: Rows) -> None:
        """Take note of new rows that wait before it: nothing has come out of them."""
        ...

    def admit(self, rows: Rows) -> Rows:
        """What comes out of ``rows``: under a negation of those that are still stored.

        An aggregate takes from rows that are lost, too: the group and the time.
        """
        ...

    def closed_by(self, rows: Rows) -> Rows:
        """What may come out no longer as a source gains ``rows``."""
        ...

    def project(self, rows: Rows) -> Rows:
        """What may come out no longer as a source loses ``rows``."""
        ...

    def opened_by(self, rows: Rows) -> Rows:
        """What may pass now as a source loses ``rows``."""
        ...


class TimedGate(GateReader, Protocol):
    """A gate that time opens and closes, too: what it gives is known up to the clock alone.

    It is the `Stream.timed` of its output, and is asked to `admit` no rows when time moves.
    """

    def take_back(self) -> Rows:
        """What was given, and does not hold any more since it was asked to admit."""
        ...


class NetworkView:
    """What a node needs of the network it belongs to.

    Attributes:
        streams: one for each distinct plan.
        instances: whether facts are kept by start instead of by maximal interval.
        since: the cell from which on it sees facts; see `seen`.
        clock: the cell before which all facts are known that are ever asserted.
        begin: the cell of the least stamp; `POS_INF` before there is one.
        bound: rows that ended before this cell may be forgotten, once they are not needed.
    """

    streams: dict[Plan, Stream]
    instances: bool
    since: int
    clock: int
    begin: int
    bound: int

    def route(
        self, relation: Relation, rows: Rows, *, stored: bool = False
    ) -> Iterator[tuple[Stream, Rows]]:
        """Per stream of a scan that they match, the facts ``rows``."""
        raise NotImplementedError

    def view_of(self, stream: Stream) -> View | None:
        """A view of what a scan reads, for its stream; None: it is to have rows of its own."""
        raise NotImplementedError

    def seen(self, rows: Rows) -> Rows:
        """Facts as this network sees them: none begins before the cell ``since``."""
        return begin_at(rows, self.since)


class Stream:
    """What a plan computes, shared by all that read it: one stream for equal plans.

    Attributes:
        constants: the ids of the constants of a scan, in their order.
        since: the cell from which on a stream without condition holds.
        rank: the agenda takes streams of lower rank first.
        stem: the SteM, if a join reads this stream; then readers get gains only.
        received: rows that were given to it since `rete.network.adaptive_order` looked last.
        gate: what the ``pending`` rows have to pass, which are rows of a source then.
        timed: the gate, if time moves it, too.
        passed_gates, closed_gates: the gates that its rows pass, and those that they close.
        deletion_candidates: rows that lost a derivation; they are settled in its turn.
        component: its component; see `rete.network.components.assign_components`.
        injective: whether each row has only one derivation, so that it is lost with that.
        follows: whether it may lose in the turn of the node that feeds it; see
            `rete.network.components.prepare_for_losses`.
        follows_known: whether its rows follow from what `rete.nodes.known.Known` lets pass.
        is_matched: whether it has had rows in this process: of a scan at once, of any other by the
            time at which `received` begins anew.
        lateness: how many cells before the frontier rows that come may begin; see
            `rete.network.lookback`.
        retention: how many cells after their end its rows are needed; likewise.
    """

    __slots__ = (
        "closed_gates",
        "component",
        "constants",
        "deletion_candidates",
        "follows",
        "follows_known",
        "gate",
        "injective",
        "is_matched",
        "lateness",
        "linear",
        "network",
        "node",
        "passed_gates",
        "pending",
        "plan",
        "rank",
        "received",
        "retention",
        "sides",
        "since",
        "sources",
        "stem",
        "terminals",
        "timed",
    )

    network: NetworkView
    component: Component
    node: PlanNode[Plan]

    def __init__(self, plan: Plan, sources: tuple[Stream, ...] = ()) -> None:
        self.plan = plan
        self.sources = sources
        self.constants = columns([])
        self.since = NEG_INF
        self.deletion_candidates: list[Rows] = []
        self.injective = self.follows = self.follows_known = self.is_matched = False
        self.lateness = self.retention = 0
        self.rank = 0
        self.received = 0
        self.stem: Stem | None = None
        self.pending: list[Rows] = []
        self.linear: list[LinearReader] = []
        self.sides: list[SideReader] = []
        self.gate: GateReader | None = None
        self.timed: TimedGate | None = None
        self.passed_gates: list[GateReader] = []
        self.closed_gates: list[GateReader] = []
        self.terminals: list[Terminal] = []

    def connect(self, network: NetworkView, terms: Dictionary) -> None:
        """Make the node of its plan, which is read from the streams of ``network``."""
        self.network = network
        self.node = _NODES[type(self.plan)](self.plan, self, terms)
        self.node.connect()

    @property
    def complete_since(self) -> int:
        """The cell from which on rows may change; before it all is final, as far as is known.

        That is so where rules read their own earlier answers. All others may lose what a fact led
        to that is retracted, however long ago.
        """
        if not self.follows_known or self.retention >= POS_INF or self.network.bound == NEG_INF:
            return NEG_INF
        return self.network.bound - self.retention

    @property
    def own_stem(self) -> Stem | None:
        """The SteM, if it has rows of its own."""
        return None if isinstance(self.stem, View) else self.stem

    @property
    def is_read(self) -> bool:
        """Whether anything reads it."""
        return any((self.terminals, self.linear, self.sides, self.passed_gates, self.closed_gates))

    def remove_reader(self, reader: Stream) -> None:
        """Remove ``reader``; the SteM goes with the last join or negation that reads it."""
        self.linear = [node for node in self.linear if node.output is not reader]
        self.sides = [side for side in self.sides if side.output is not reader]
        self.passed_gates = [gate for gate in self.passed_gates if gate.output is not reader]
        self.closed_gates = [gate for gate in self.closed_gates if gate.output is not reader]
        if not (self.sides or self.passed_gates or self.closed_gates):
            self.stem = None
        elif self.stem is not None:
            self.stem.unindex()

    def saved(self) -> State:
        """What it and the node that makes it remember; nothing is pending."""
        state: State = {"since": self.since, **self.node.saved()}
        if self.own_stem is not None:
            state["stem"] = self.own_stem.saved()
        return state

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Remember what was saved of a stream of the same plan."""
        self.since = given.integer("since", NEG_INF, POS_INF)
        if self.own_stem is not None:
            self.own_stem.restore(given.part("stem"), alive)
        self.node.restore(given, alive)

    def remember(self, *, instances: bool) -> Stem:
        """The SteM of the stream, made when a join or an operator first needs it."""
        if self.stem is None:
            self.stem = self.network.view_of(self) or Stem(self.plan.width, instances=instances)
        return self.stem


class FactTable(DerivedFacts):
    """All that a group of heads that may derive the same fact has derived, as a node.

    Attributes:
        feeds: whether some scan may match its facts.
        owner: the only network that is shown its facts; None: see `Layers.reaches`.
        leveled: the component in which its facts have their levels; None: none, or restored.
        deletion_candidates: facts that lost a derivation, with its rule; settled in its turn.
        orphaned: whether some of its facts may be of a rule that was dropped.
        component, injective, lateness: as of a stream.
    """

    __slots__ = (
        "component",
        "deletion_candidates",
        "feeders",
        "feeds",
        "injective",
        "lateness",
        "leveled",
        "orphaned",
        "owner",
        "rank",
    )

    component: Component

    def __init__(
        self,
        relation: Relation,
        *,
        instances: bool,
        answers: bool = True,
        owner: NetworkView | None = None,
    ) -> None:
        super().__init__(relation, instances=instances, answers=answers)
        self.owner = owner
        self.leveled: Component | None = None
        self.rank = 0
        self.feeds = False
        self.deletion_candidates: list[tuple[int, Rows]] = []
        self.feeders: list[tuple[Stream, Terminal]] = []
        self.orphaned = False
        self.injective = False
        self.lateness = 0

    @property
    def shares(self) -> bool:
        """Whether its facts are in the store of the relation, among those that are asserted."""
        return isinstance(self.facts, RelationStore)

    def unshare(self) -> None:
        """Have its facts in a SteM of its own from now on."""
        facts, self.facts = self.facts, Stem(self.relation.arity, instances=self.facts.instances)
        self.facts.retention = facts.retention
        self.facts.absorb(facts.content(), NEG_INF)

    def merge(self, other: Self) -> None:
        """Take over the facts of ``other``, none of which it has, and be used in its place."""
        self.feeders += other.feeders
        self.feeds |= other.feeds
        self.orphaned |= other.orphaned
        self.leveled = None
        self.facts.forget_levels()
        super().merge(other)

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Have what was saved of a table with the same heads, and nothing else."""
        self.leveled = None
        super().restore(given, alive)


class Terminal(HeadProjection):
    """One head of one body: turns rows into facts of its table."""

    __slots__ = ("head", "rule", "table")

    def __init__(self, rule: int, head: Head, table: FactTable, terms: Dictionary) -> None:
        super().__init__(head, terms)
        self.head = head
        self.rule = rule
        self.table = table


Node: TypeAlias = Stream | FactTable


rank_of: Final[Callable[[Node], int]] = attrgetter("rank")
"""The place of a node on the agenda, as a key to sort by."""


class InnerReaders(NamedTuple):
    """Who reads a stream in its own component.

    ``has_outer_readers``: whether a linear node or table of another component reads it, too.
    """

    sides: list[SideReader]
    passed_gates: list[GateReader]
    linear: list[LinearReader]
    terminals: list[Terminal]
    has_outer_readers: bool


class Heads:
    """Heads that feed a table; ``lookups`` are cached by `rete.provenance.backward_evaluation`."""

    __slots__ = ("feeders", "lookups")

    def __init__(self, feeders: list[tuple[Stream, Terminal]]) -> None:
        self.feeders = feeders
        self.lookups: HeadLookups | None = None


class HeadLookups(NamedTuple):
    """How to tell of facts that no head of some derives them.

    They are right for one base table, if there is any, in one version.

    Attributes:
        stems: those in which facts are looked up.
        others: the heads of which the rows of their bodies have to be made.
    """

    base_table: BaseTable | None
    version: int
    stems: Lookups
    others: list[tuple[Stream, Terminal]]


class Feeders(NamedTuple):
    """The heads that feed a table: of bodies in its component, and the others."""

    inner: Heads
    outer: Heads


class Component:
    """A strongly connected component of the graph of all nodes.

    What other components feed it is settled when its turn comes. The *level* of a fact in a table
    of a recursive component tells when it was derived: the fact has a derivation from facts of
    lower levels alone, so a fact with such a derivation does not depend on itself only. Each round
    of derivation has 2^`ROUND_BITS` levels, so that there is room between one and the next.

    Attributes:
        leveled: whether it is recursive and its facts have levels: not where facts are kept by
            start, nor where operators move rows in time, as one row then has many levels.
        nodes: all of them, in the order in which they act.
        unsettled_nodes: the nodes that have deletion candidates.
        readers, feeders, internal, populated: caches of `rete.network.components`.
        knows_levels, count_levels_at: whether most of its rows have a level, and how many rows are
            to have come when they are counted again; of `rete.retraction.support_levels`.
        suspect_rows: rows that hold, but may depend on facts of its tables that no longer do.
    """

    __slots__ = (
        "count_levels_at",
        "feeders",
        "internal",
        "knows_levels",
        "leveled",
        "nodes",
        "populated",
        "readers",
        "recursive",
        "suspect_rows",
        "tables",
        "unsettled_nodes",
    )

    def __init__(self, *, recursive: bool) -> None:
        self.recursive = recursive
        self.leveled = recursive
        self.nodes: list[Node] = []
        self.tables: list[FactTable] = []
        self.unsettled_nodes: dict[Node, None] = {}
        self.suspect_rows: list[tuple[Stream, Rows]] = []
        self.populated: list[FactTable] = []
        self.readers: dict[Stream, InnerReaders] = {}
        self.feeders: dict[FactTable, Feeders] = {}
        self.internal: dict[tuple[Stream, bool], bool] = {}
        self.knows_levels = True
        self.count_levels_at = 0

    @property
    def unsettled(self) -> bool:
        """Whether anything of it lost a derivation."""
        return bool(self.unsettled_nodes or self.suspect_rows)

    def take_unsettled(self) -> Node:
        """The first of the unsettled nodes, which is one no longer."""
        nodes = self.unsettled_nodes
        if len(nodes) == 1:
            return nodes.popitem()[0]
        node = min(nodes, key=rank_of)
        del nodes[node]
        return node

    @property
    def has_pending(self) -> bool:
        """Whether anything is pending or parked."""
        return any(each.pending for each in self.nodes) or any(each.parked for each in self.tables)
