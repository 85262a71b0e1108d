"""The graph: streams and tables, who reads them, and the components they form. It does no work.

These refer to each other, so they stand in one module; the nodes that work are beside it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Final, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns
from rete.arrays.state_codec import Mask, State, StateReader
from rete.nodes.builtin_calls import DomainErrors
from rete.planning.plan import Head, Plan, Relation
from rete.storage.derived_facts import DerivedFacts
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary, constant

_FIRST_UNASKED: Final[int | None] = None
"""So many facts may be in doubt unasked the first time; see `Component`."""


class LinearNode(Protocol):
    """A node that maps each row on its own and keeps nothing."""

    output: Stream

    @property
    def outside(self) -> DomainErrors:
        """What was outside the domain of its built-in."""
        ...

    def apply(self, rows: Rows) -> Rows:
        """The rows that come out, in order."""
        ...

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """As `apply`, with the positions of the rows that they come from."""
        ...

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        ...


class SideReader(Protocol):
    """One side of a join, as seen by what arrives there; see `rete.nodes.beta.JoinSide`."""

    output: Stream
    slice: int

    def limit(self, before: int) -> int:
        """How many rows of the other side to meet."""
        ...

    def slices(self, rows: Rows) -> Iterable[Rows]:
        """The pairs of all ``rows`` with all rows of the other, a slice at a time."""
        ...

    def probe(self, gains: Rows, limit: int) -> Rows:
        """The pairs of ``gains``, at most `slice` rows, with the first ``limit`` of the other."""
        ...


class GateReader(Protocol):
    """What negation lets pass; see `rete.nodes.beta.NegationGate`."""

    output: Stream

    def admit(self, rows: Rows) -> Rows:
        """What passes of left rows that are still held, projected."""
        ...

    def unmatched(self, rows: Rows) -> Rows:
        """The pieces of left rows for which nothing agrees."""
        ...

    def project(self, rows: Rows) -> Rows:
        """Left rows as they come out, whether they pass or not."""
        ...

    def closed_by(self, rows: Rows) -> Rows:
        """What no longer passes as the right side gains ``rows``."""
        ...

    def opened_by(self, rows: Rows) -> Rows:
        """The left rows that may pass as the right side loses ``rows``."""
        ...


class NetworkView:
    """What a node needs of the network it belongs to.

    Attributes:
        streams: one for each distinct plan.
        since: the cell from which on it sees facts; see `seen`.
    """

    streams: dict[Plan, Stream]
    since: int

    def seen(self, rows: Rows) -> Rows:
        """Facts as rules that joined in see them: none begins before they came."""
        if self.since == NEG_INF or not len(rows) or rows[:, -2].min() >= self.since:
            return rows
        seen = rows.copy()
        np.maximum(seen[:, -2], self.since, out=seen[:, -2])
        return seen[seen[:, -2] < seen[:, -1]]


class Stream:
    """What a plan computes, shared by all that read it: one stream for equal plans.

    Attributes:
        network: the one it belongs to.
        sources: the streams that its plan reads.
        node: the linear node that makes it, if one does.
        constants: the ids of the constants of a scan, in their order.
        since: the cell from which on a stream without condition holds.
        rank: the agenda takes streams of lower rank first.
        stem: the SteM, if a join reads this stream; then readers get gains only.
        pending: deltas that wait for their turn.
        gate: what its rows pass, if it is what negation leaves; then ``pending`` waits before it.
        passing, barring: the gates that its rows pass, and those that they close.
        minus: rows that lost a derivation, which wait for theirs.
        component: where it stands among the nodes that feed each other; see `arrange`.
        exact: whether what loses a derivation is lost.
        late: how many cells before the frontier rows that come may begin; see `rete.network.lookback`.
    """

    __slots__ = (
        "closed_gates",
        "component",
        "constants",
        "deletion_candidates",
        "gate",
        "injective",
        "lateness",
        "linear",
        "network",
        "node",
        "passed_gates",
        "pending",
        "plan",
        "rank",
        "sides",
        "since",
        "sources",
        "stem",
        "terminals",
    )

    network: NetworkView
    component: Component

    def __init__(self, plan: Plan, sources: tuple[Stream, ...] = ()) -> None:
        self.plan = plan
        self.sources = sources
        self.node: LinearNode | None = None
        self.constants = columns([])
        self.since = NEG_INF
        self.deletion_candidates: list[Rows] = []
        self.injective = False
        self.lateness = 0
        self.rank = 0
        self.stem: Stem | None = None
        self.pending: list[Rows] = []
        self.linear: list[LinearNode] = []
        self.sides: list[SideReader] = []
        self.gate: GateReader | None = None
        self.passed_gates: list[GateReader] = []
        self.closed_gates: list[GateReader] = []
        self.terminals: list[Terminal] = []

    @property
    def is_read(self) -> bool:
        """Whether anything reads it."""
        return any((self.terminals, self.linear, self.sides, self.passed_gates, self.closed_gates))

    def remove_reader(self, reader: Stream) -> None:
        """``reader`` is no more; what only joins asked for is forgotten."""
        self.linear = [node for node in self.linear if node.output is not reader]
        self.sides = [side for side in self.sides if side.output is not reader]
        self.passed_gates = [gate for gate in self.passed_gates if gate.output is not reader]
        self.closed_gates = [gate for gate in self.closed_gates if gate.output is not reader]
        if not (self.sides or self.passed_gates or self.closed_gates):
            self.stem = None

    def saved(self) -> State:
        """What it and the node that makes it remember; nothing is pending."""
        state: State = {"since": self.since}
        if self.stem is not None:
            state["stem"] = self.stem.saved()
        if self.node is not None:
            state["outside"] = self.node.outside.saved()
        return state

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Remember what was saved of a stream of the same plan."""
        self.since = given.integer("since", NEG_INF, POS_INF)
        if self.stem is not None:
            self.stem.restore(given.part("stem"), alive)
        if self.node is not None:
            self.node.outside.restore(given.part("outside"))

    def remember(self, *, instances: bool) -> Stem:
        """The SteM of the stream, made when a join first asks for it."""
        if self.stem is None:
            self.stem = Stem(self.plan.width, instances=instances)
        return self.stem


class FactTable(DerivedFacts):
    """All that a group of heads that may derive the same fact has derived, as a node.

    Attributes:
        rank: its place on the agenda.
        feeds: whether some scan may match its facts.
        leveled: the component in which its facts have their levels; None: none, or restored.
        minus: facts that lost a derivation, with its rule, which wait for theirs.
        feeders: the heads that feed it, with the streams of their bodies.
        orphaned: whether some of what it holds may be of a rule that is no longer there.
        component, exact, late: as of a stream.
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
        "rank",
    )

    component: Component

    def __init__(self, relation: Relation, *, instances: bool, answers: bool = True) -> None:
        super().__init__(relation, instances=instances, answers=answers)
        self.leveled: Component | None = None
        self.rank = 0
        self.feeds = False
        self.deletion_candidates: list[tuple[int, Rows]] = []
        self.feeders: list[tuple[Stream, Terminal]] = []
        self.orphaned = False
        self.injective = False
        self.lateness = 0

    def merge(self, other: Self) -> None:
        """Hold what ``other`` holds, too: no fact of both. From then on it stands for it."""
        self.feeders += other.feeders
        self.feeds |= other.feeds
        self.orphaned |= other.orphaned
        self.leveled = self.facts.levels = None
        super().merge(other)

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Hold what was saved of a table with the same heads."""
        self.leveled = None
        super().restore(given, alive)


class _Placed(Protocol):
    def __getitem__(self, place: int, /) -> Container[int]: ...


class Terminal:
    """One head of one body: turns rows into facts of its table.

    Attributes:
        columns: pairs of a place and the column that gives it.
        constants: pairs of a place and the id that is always there.
    """

    __slots__ = ("_taken", "columns", "constants", "rule", "table")

    def __init__(self, rule: int, head: Head, table: FactTable, terms: Dictionary) -> None:
        self.rule = rule
        self.table = table
        places = list(enumerate(head.args))
        self.columns = [(place, arg) for place, arg in places if isinstance(arg, int)]
        self.constants = [
            (place, constant(arg, terms)) for place, arg in places if isinstance(arg, str)
        ]
        # A constant takes the place of what is taken for it first: the end of the row.
        self._taken = columns([*(arg if isinstance(arg, int) else -1 for arg in head.args), -2, -1])

    def fits(self, terms: _Placed) -> bool:
        """Whether its constants are among the ``terms`` of some facts, place by place."""
        return all(term in terms[place] for place, term in self.constants)

    def asks(self, facts: Rows) -> tuple[tuple[int, ...], list[int], Rows]:
        """What ``facts`` it may have derived tell of the rows: known columns, and their places.

        Last come the facts that are left, as its constants and repeated columns agree with them.
        """
        for place, term in self.constants:
            facts = facts[facts[:, place] == term]
        places: dict[int, int] = {}
        for place, column in self.columns:
            first = places.setdefault(column, place)
            if first != place:
                facts = facts[facts[:, first] == facts[:, place]]
        return tuple(places), list(places.values()), facts

    def is_injective(self, width: int) -> bool:
        """Whether different rows of ``width`` terms derive different facts."""
        return len({column for _, column in self.columns}) == width

    def facts(self, rows: Rows) -> Rows:
        """The facts that ``rows`` derive, (n, arity + 2), in order."""
        out = rows.take(self._taken, axis=1)
        for place, term in self.constants:
            out[:, place] = term
        return out


Node: TypeAlias = Stream | FactTable


def rank_of(node: Node) -> int:
    """The place of a node on the agenda, as a key to sort by."""
    return node.rank


class InnerReaders(NamedTuple):
    """Who reads a stream in its own component.

    Attributes:
        sides, passing, linear, terminals: as of a stream.
        beyond: whether another component reads what the stream passes on and does not keep.
    """

    sides: list[SideReader]
    passed_gates: list[GateReader]
    linear: list[LinearNode]
    terminals: list[Terminal]
    has_outer_readers: bool


class Component:
    """A strongly connected component of the graph of all nodes.

    What reaches it from others is settled when its turn comes. The *level* of a fact in a table of
    a recursive component tells when it was derived: it has a derivation from facts of lower levels
    alone, so what is held up by lower levels is not held up by itself. Each round of derivation has
    a *stretch* of 2^`STRETCH` levels, so that there is room between one and the next.

    Attributes:
        recursive: whether its nodes feed each other.
        leveled: whether it is recursive, and levels tell which facts still follow: not where they
            are kept by start, nor where rows are moved in time, as one of them has many levels.
        nodes: all of them, in the order in which they act.
        tables: the tables among them.
        rushed: how many facts may be in doubt unasked; None: none, see `Doubts`.
        minus: the nodes that wait to be told whether they lose what lost a derivation.
        inside, silent, holding: what `rete.network.components` has looked up of it.
        doubted: rows that hold, but may have rested on facts of its tables that do not.
    """

    __slots__ = (
        "internal",
        "leveled",
        "nodes",
        "populated",
        "readers",
        "recursive",
        "suspect_rows",
        "tables",
        "unasked_limit",
        "unsettled_nodes",
    )

    def __init__(self, *, recursive: bool) -> None:
        self.recursive = recursive
        self.leveled = recursive
        self.nodes: list[Node] = []
        self.tables: list[FactTable] = []
        self.unasked_limit = _FIRST_UNASKED
        self.unsettled_nodes: dict[Node, None] = {}
        self.suspect_rows: list[tuple[Stream, Rows]] = []
        self.populated: list[FactTable] = []
        self.readers: dict[Stream, InnerReaders] = {}
        self.internal: dict[Stream, bool] = {}

    @property
    def unsettled(self) -> bool:
        """Whether anything lost a derivation."""
        return bool(self.unsettled_nodes or self.suspect_rows)

    @property
    def has_pending(self) -> bool:
        """Whether anything waits to come in, or for the horizon."""
        return any(node.pending for node in self.nodes) or any(map(_parks, self.tables))


def _parks(table: FactTable) -> bool:
    return bool(table.parked)
