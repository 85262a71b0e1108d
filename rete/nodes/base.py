"""A stream: the output of a plan, and who reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rete.delta import columns
from rete.dictionary import Dictionary
from rete.stem import Stem

if TYPE_CHECKING:
    from rete.delta import Rows
    from rete.nodes.calls import Outside
    from rete.nodes.join import Side
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

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        ...


class Stream:
    """What a plan computes, shared by all that read it: one stream for equal plans.

    Attributes:
        rank: the agenda takes streams of lower rank first.
        stem: the SteM, if a join reads this stream; then readers get gains only.
        pending: deltas that wait for their turn.
    """

    __slots__ = ("linear", "pending", "plan", "rank", "sides", "stem", "terminals")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rank = 0
        self.stem: Stem | None = None
        self.pending: list[Rows] = []
        self.linear: list[Linear] = []
        self.sides: list[Side] = []
        self.terminals: list[Terminal] = []

    def remember(self, *, instances: bool) -> Stem:
        """The SteM of the stream, made when a join first asks for it."""
        if self.stem is None:
            self.stem = Stem(self.plan.width, instances=instances)
        return self.stem
