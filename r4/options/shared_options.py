"""Options that commands share, with each other and with `r4.Engine`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from r4.options.option import Topic, ValueKind, flag, option, several
from r4.options.report_options import ReportOptions
from r4.options.values import Duration, Size
from r4.run.driver import MOST
from r4.time.ticks import TickUnit
from rete.terms.dictionary import LONGEST_COMPUTED
from rif.syntax.lexical import MAX_RESULT

Semantics: TypeAlias = Literal["facts", "instances"]
Literals: TypeAlias = Literal["constant", "term", "value"]
Order: TypeAlias = Literal["time", "arrival"]

AHEAD: Final = "1m"
"""How far ahead of the wall's clock a stamp may be."""


@dataclass(frozen=True, kw_only=True)
class LenientOptions:
    """How rules are read."""

    lenient: bool = flag(
        "Accept undeclared variables and bare words.",
        Topic.RULES,
        library="from_file and from_text have it",
    )
    strict_syntax: bool = flag(
        "Refuse shorthand: rules are plain RIF.",
        Topic.RULES,
        library="from_file and from_text have it",
    )


@dataclass(frozen=True, kw_only=True)
class EntailmentOptions:
    """What the vocabularies of RDF and OWL mean to a run."""

    entailment: Literal["none", "rdfs", "owl-rl"] = option(
        "What the vocabulary of RDFS or OWL means.", Topic.RULES, default="none"
    )


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Where imports lie."""

    import_map: tuple[str, ...] = several(
        "Read FILE where the rules import IRI. Repeatable.",
        Topic.RULES,
        metavar="IRI=FILE",
        library="imports= of from_file and from_text says where imports lie",
    )
    import_root: str | None = option(
        "Let imports read from DIR too, beside the folder of their document. "
        "It only permits that: relative locations still start at that folder.",
        Topic.RULES,
        metavar="DIR",
        library="imports= of from_file and from_text says where imports lie",
    )


@dataclass(frozen=True, kw_only=True)
class PrefixOptions:
    """The prefixes of a formula."""

    prefixes: Mapping[str, str] = several(
        "A prefix that a formula may use. Repeatable.",
        Topic.COMMAND,
        spelling="--prefix",
        metavar="NAME=IRI",
        kind=ValueKind.PREFIXES,
    )


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """How much is derived."""

    limit: int | None = option(
        "The most facts to derive at once; 100 characters of a computed text count as one.",
        Topic.BOUNDS,
        least=1,
        decides=False,
        otherwise=f"{MOST:,} if rules may derive for ever",
    )


@dataclass(frozen=True, kw_only=True)
class TickOptions:
    """The length of a tick."""

    tick: TickUnit = option("The length of a tick.", Topic.TIME, shows_default=True, default="ms")


@dataclass(frozen=True, kw_only=True)
class LiteralOptions(TickOptions):
    """The length of a tick, and when two literals are one."""

    literals: Literals = option(
        "What literals are compared by: numbers in conditions by value and all else by term; all "
        "by term; all by value.",
        Topic.RULES,
        shows_default=True,
        default="constant",
    )

    @property
    def numbers_by_value(self) -> bool:
        """Whether numbers in conditions stand for their values, and terms for themselves."""
        return self.literals == "constant"

    @property
    def by_value(self) -> bool:
        """Whether literals of equal values are one term."""
        return self.literals == "value"


@dataclass(frozen=True, kw_only=True)
class AnswerOptions(LimitOptions, LiteralOptions):
    """These, and what one answer is."""

    semantics: Semantics = option("What one answer is.", Topic.ANSWERS, default="facts")

    @property
    def instances(self) -> bool:
        """Whether an answer is an instance, not a maximal interval."""
        return self.semantics == "instances"


@dataclass(frozen=True, kw_only=True)
class RetractionOptions:
    """What may be retracted."""

    retract_within: Duration | None = option(
        "How old an element may be that is retracted; without it, however old.",
        Topic.BOUNDS,
        kind=ValueKind.DURATION,
        note="Where rules look back, or derive for ever, all that older ones led to is forgotten "
        "earlier. A retraction of an older one has no effect, and is counted.",
    )


@dataclass(frozen=True, kw_only=True)
class RunningOptions(AnswerOptions, ReportOptions, RetractionOptions):
    """Options that ``r4 run`` and `Engine` share."""

    order: Order = option(
        "Tell what is final, or at once what may be undone.", Topic.ANSWERS, default="time"
    )
    ahead: Duration | None = option(
        "How far ahead a stamp may be.",
        Topic.TIME,
        kind=ValueKind.DURATION,
        otherwise=f"{AHEAD} of the wall's clock, else no bound",
        note="Of the largest stamp before it less the delay; what is farther ahead is refused, "
        "counted as DAT210, and moves no time.",
    )
    lookback: Duration | None = option(
        "How long facts are kept after they ended, for rules that join.",
        Topic.RULES,
        kind=ValueKind.DURATION,
        note="`Engine` has it with keep alone; without it they are kept for ever.",
    )
    memory: Size | None = option(
        "The most memory to use, as 2GB; near it less is kept, then nothing more is read.",
        Topic.BOUNDS,
        kind=ValueKind.MEMORY,
        decides=False,
        note="It is that of the whole process, on Linux; `Engine` takes a number of bytes, too.",
    )
    max_term: int = option(
        "Characters of the longest term that a built-in computes.",
        Topic.BOUNDS,
        least=1,
        most=MAX_RESULT,
        shows_default=True,
        default=LONGEST_COMPUTED,
    )
    most: int | None = option(
        "Hold so many possible answers; the least probable are dropped.", Topic.POSSIBLE, least=1
    )
    state: str | Path | None = option(
        "Where the run is saved, so that it can go on.",
        Topic.STATE,
        metavar="DIR",
        decides=False,
        note="An `Engine` with a state has no hypotheses; see `Engine.calls` and `Change.seq`.",
    )

    @property
    def arrival(self) -> bool:
        """Whether changes come out before they are final."""
        return self.order == "arrival"
