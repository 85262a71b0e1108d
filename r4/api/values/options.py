"""The options of an engine: what is chosen once, when it starts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, KeysView, Sequence
from dataclasses import dataclass
from datetime import timedelta
from inspect import Parameter, signature
from pathlib import Path
from typing import Literal, TypeAlias, TypedDict

from r4.functions import Functions
from r4.possible.chance_option import parse_chances
from r4.program.regimes.background import KNOWN_REGIMES
from r4.time.ticks import BadDuration, TickUnit, TimeScale
from rete.arrays.state_codec import State
from rif.errors.nearest import nearest_word
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions

Semantics: TypeAlias = Literal["facts", "instances"]
Entailment: TypeAlias = Literal["none", "rdf", "rdfs", "d", "owl-rl"]
Literals: TypeAlias = Literal["term", "value"]
Order: TypeAlias = Literal["time", "arrival"]
Units: TypeAlias = Literal["subjects", "triples"]
Duration: TypeAlias = str | int | timedelta
"""A duration: a text such as ``5 m``, a number of ticks, or a timedelta."""


class EngineOptions(TypedDict, total=False):
    """The options of `r4.api.Engine`, which describes them, by their names."""

    semantics: Semantics
    window: Duration | None
    tick: TickUnit
    delay: Duration
    entailment: Entailment
    literals: Literals
    keep: bool
    lookback: Duration | None
    order: Order
    journal: int
    hypotheses: bool | Units
    expect: Iterable[str] | None
    chances: Sequence[str]
    most: int | None
    state: str | Path | None
    functions: Functions


@dataclass(frozen=True, slots=True)
class Options:
    """The options that are saved with an engine; `r4.api.Engine` describes them.

    Raises:
        ValueError: one of them is unknown.
    """

    semantics: Semantics
    window: str | None
    tick: TickUnit
    delay: str
    entailment: Entailment
    literals: Literals
    keep: bool
    order: Order
    journal: int
    lookback: str | None

    def __post_init__(self) -> None:
        choices: tuple[tuple[Collection[str], str], ...] = (
            (("facts", "instances"), self.semantics),
            (("ms", "us", "ns"), self.tick),
            (("term", "value"), self.literals),
            (("time", "arrival"), self.order),
            (KNOWN_REGIMES, self.entailment),
        )
        for known, value in choices:
            if value not in known:
                message = f"{value!r} is none of {', '.join(known)}"
                raise ValueError(message)
        if self.lookback is not None and not self.keep:
            message = "lookback says how long keep=True keeps what has ended"
            raise ValueError(message)

    @property
    def instances(self) -> bool:
        """Whether an answer is an instance, not a maximal interval."""
        return self.semantics == "instances"

    @property
    def by_value(self) -> bool:
        """Whether literals of equal values are one term."""
        return self.literals == "value"

    @property
    def arrival(self) -> bool:
        """Whether changes come out before they are final."""
        return self.order == "arrival"

    def saved(self) -> State:
        """The options by name."""
        return {
            "semantics": self.semantics,
            "window": self.window,
            "tick": self.tick,
            "delay": self.delay,
            "entailment": self.entailment,
            "literals": self.literals,
            "keep": self.keep,
            "order": self.order,
            "journal": self.journal,
            "lookback": self.lookback,
        }


def check_option_names(constructor: Callable[..., None], names: KeysView[str]) -> None:
    """Check that the constructor of an engine has options of these names.

    Raises:
        TypeError: it has not; the message names the nearest.
    """
    known = signature(constructor).parameters
    if any(each.kind is Parameter.VAR_KEYWORD for each in known.values()):
        return
    for name in names - known.keys():
        near = nearest_word(name, known)
        hint = "" if near is None else f"; did you mean {near}?"
        message = f"Engine has no option {name}{hint}"
        raise TypeError(message)


def duration_text(value: Duration) -> str:
    """A duration as a text, exact.

    Raises:
        BadDuration: it is of another type, or negative.
    """
    match value:
        case str():
            return value
        case timedelta() if value >= timedelta():
            return f"{value // timedelta(microseconds=1)} us"
        case int() if not isinstance(value, bool):
            return str(value)
    message = (
        f"{value!r} is no duration: a decimal number, then ms us ns s m h or d, as a text; or a "
        "timedelta, or a whole number of ticks"
    )
    raise BadDuration(message)


def hypothesis_options(
    options: Options,
    *,
    hypotheses: bool | Units,
    expect: Iterable[str] | None,
    chances: Sequence[str],
    most: int | None,
) -> HypothesisOptions | None:
    """The options of possible answers; None: they are not followed.

    Raises:
        ValueError: an option is unknown, or of use with ``hypotheses`` alone; or answers are
            instances.
        RuleErrors: a chance is malformed.
    """
    if not hypotheses:
        if chances or most is not None:
            message = "chances, and a bound on what is held, are of hypotheses"
            raise ValueError(message)
        return None
    if hypotheses not in {True, "subjects", "triples"}:
        message = f"{hypotheses!r} is none of True, subjects, triples"
        raise ValueError(message)
    if options.instances:
        message = "what is possible is known of facts, not of instances"
        raise ValueError(message)
    if most is not None and most < 1:
        message = f"most={most}: at least one possible answer is held"
        raise ValueError(message)
    expected = None if expect is None else tuple(expect)
    scale = TimeScale(options.tick)
    delays = UnitLateness((0,), (scale.duration(options.delay),))
    arrival_chances = parse_chances(chances, scale, delays) if chances else None
    return HypothesisOptions(hypotheses != "triples", expected, arrival_chances, most)
