"""What a story is made of: what is said, and taken back, while rules come and go."""

from __future__ import annotations

from dataclasses import dataclass, field

from r4.language import LANGUAGE
from rif.language import Language
from rif.syntax.ast import Document
from tests.generators.shrinking import Sentence
from tests.oracles.streams.run import Triple


def items_of(document: Document) -> tuple[Sentence, ...]:
    """Its clauses and groups."""
    return document.group.items if document.group else ()


@dataclass(frozen=True, slots=True)
class ElementStep:
    """An element: it takes back names and single triples of names, then asserts its own."""

    name: str
    start: int
    end: int | None
    triples: tuple[Triple, ...]
    names: tuple[str, ...] = ()
    rows: tuple[tuple[Triple, str], ...] = ()

    @property
    def takes_back(self) -> bool:
        return bool(self.names or self.rows)


@dataclass(frozen=True, slots=True)
class TripleStep:
    """Triples of no element, from the frontier on."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class FrontierStep:
    """Instants before ``to`` are closed, whatever was said."""

    to: int


@dataclass(frozen=True, slots=True)
class SweepStep:
    """What is needed no more is forgotten now."""


@dataclass(frozen=True, slots=True)
class RuleAddition:
    """Rules join in."""

    document: Document


@dataclass(frozen=True, slots=True)
class RuleRemoval:
    """A rule or a fact is there no longer: one of those that are left, by its place."""

    place: int


Step = ElementStep | TripleStep | FrontierStep | SweepStep | RuleAddition | RuleRemoval


@dataclass(frozen=True, slots=True)
class Story:
    """A run.

    Attributes:
        document: the rules it begins with.
        statics: triples that always hold.
        steps: what happens, in this order.
        semantics: ``facts`` or ``instances``.
        window: ticks; None: without end.
        delay: ticks.
        batch: so many elements arrive together.
        keep: whether the engine is told beforehand that things are taken back.
        small: whether SteMs begin tiny and terms are forgotten before each batch.
        regime: the background; empty: none.
        kind: what rules were drawn from.
        ends: ``now``: all that was said is taken back at once after the last step; ``later``: time
            goes on before; ``rules too``: then the rules are dropped, too.
        language: what the rules are written in.
    """

    document: Document
    statics: tuple[Triple, ...]
    steps: tuple[Step, ...]
    semantics: str = "facts"
    window: int | None = None
    delay: int = 0
    batch: int = 1
    keep: bool = False
    small: bool = False
    regime: str = ""
    kind: str = ""
    ends: str = "now"
    language: Language = field(default=LANGUAGE, repr=False)

    @property
    def names(self) -> set[str]:
        """The names of all elements."""
        return {step.name for step in self.steps if isinstance(step, ElementStep)}
