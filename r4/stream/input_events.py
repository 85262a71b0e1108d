"""Input events: what happens to the input of a run, one after the other.

What a run tells is a function of the bytes of its sources and of these events. All that depends on
real time is in them: when a source was read, what the clock showed, which silence counts, how
static data and rules have changed. So they can be recorded, and a run that is given them again
tells the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from r4.time.ticks import Tick


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A source is read on.

    Attributes:
        at: what the wall's clock shows, in ticks of dateTimes; None: nobody looks at it.
    """

    number: int
    at: Tick | None = None


@dataclass(frozen=True, slots=True)
class CompleteElement:
    """The open element of a source is complete, as nothing more of it came for long enough."""

    number: int
    at: Tick | None = None


@dataclass(frozen=True, slots=True)
class MarkIdle:
    """A source stops to count as it is silent, or counts again."""

    number: int
    idle: bool


@dataclass(frozen=True, slots=True)
class MoveClock:
    """The wall's clock moves time, behind all that was read before.

    Attributes:
        to: what it shows, in ticks of dateTimes; more than at the move before.
    """

    to: Tick


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """How a static document differs from what was read of it before.

    Attributes:
        added, removed: canonical texts of triples, three each.
    """

    number: int
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeReferences:
    """Static documents, or the rules, say something else when they are read again.

    Attributes:
        rules: what the rules say now; None: the same.
    """

    documents: tuple[DocumentChange, ...] = ()
    rules: bytes | None = None


@dataclass(frozen=True, slots=True)
class EndInput:
    """No source is read any more; elements that are not complete are left out."""


InputEvent: TypeAlias = (
    ReadSource | CompleteElement | MarkIdle | MoveClock | ChangeReferences | EndInput
)
