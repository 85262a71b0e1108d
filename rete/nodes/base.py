"""A stream: the output of a plan, and who reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rete.delta import NEG_INF, POS_INF, Column, columns
from rete.dictionary import Dictionary
from rete.saved import Given, Mask, State
from rete.stem import Stem

if TYPE_CHECKING:
    from rete.components import Component
    from rete.delta import Rows
    from rete.network import Network
    from rete.nodes.calls import Outside
    from rete.nodes.join import Gate, Side
    from rete.nodes.terminal import Terminal
    from rete.plan import Plan


def constant(text: str, terms: Dictionary) -> int:
    """The id of a constant of the rules; it is never forgotten."""
    term = terms.encode(text)
    terms.pin(columns([term]))
    return term


class Linear(Protocol):
    """A node that maps each row on its own and keeps nothing."""

    output: Stream

    @property
    def outside(self) -> Outside:
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
        late: how many cells before the frontier rows that come may begin; see `rete.reach`.
    """

    __slots__ = (
        "barring",
        "component",
        "constants",
        "exact",
        "gate",
        "late",
        "linear",
        "minus",
        "network",
        "node",
        "passing",
        "pending",
        "plan",
        "rank",
        "sides",
        "since",
        "sources",
        "stem",
        "terminals",
    )

    network: Network
    component: Component

    def __init__(self, plan: Plan, sources: tuple[Stream, ...] = ()) -> None:
        self.plan = plan
        self.sources = sources
        self.node: Linear | None = None
        self.constants = columns([])
        self.since = NEG_INF
        self.minus: list[Rows] = []
        self.exact = False
        self.late = 0
        self.rank = 0
        self.stem: Stem | None = None
        self.pending: list[Rows] = []
        self.linear: list[Linear] = []
        self.sides: list[Side] = []
        self.gate: Gate | None = None
        self.passing: list[Gate] = []
        self.barring: list[Gate] = []
        self.terminals: list[Terminal] = []

    @property
    def is_read(self) -> bool:
        """Whether anything reads it."""
        return any((self.terminals, self.linear, self.sides, self.passing, self.barring))

    def unread(self, reader: Stream) -> None:
        """``reader`` is no more; what only joins asked for is forgotten."""
        self.linear = [node for node in self.linear if node.output is not reader]
        self.sides = [side for side in self.sides if side.output is not reader]
        self.passing = [gate for gate in self.passing if gate.output is not reader]
        self.barring = [gate for gate in self.barring if gate.output is not reader]
        if not (self.sides or self.passing or self.barring):
            self.stem = None

    def saved(self) -> State:
        """What it and the node that makes it remember; nothing is pending."""
        state: State = {"since": self.since}
        if self.stem is not None:
            state["stem"] = self.stem.saved()
        if self.node is not None:
            state["outside"] = self.node.outside.saved()
        return state

    def restore(self, given: Given, alive: Mask) -> None:
        """Remember what was saved of a stream of the same plan."""
        self.since = given.whole("since", NEG_INF, POS_INF)
        if self.stem is not None:
            self.stem.restore(given.part("stem"), alive)
        if self.node is not None:
            self.node.outside.restore(given.part("outside"))

    def remember(self, *, instances: bool) -> Stem:
        """The SteM of the stream, made when a join first asks for it."""
        if self.stem is None:
            self.stem = Stem(self.plan.width, instances=instances)
        return self.stem
