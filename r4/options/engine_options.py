"""The options of `r4.Engine`: what is chosen once, when it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from r4.functions import Functions
from r4.imports import Locations
from r4.options.option import Option, Topic, ValueKind, by_key, flag, option, options_of, several
from r4.options.settings_file import BadSettings, Setting, read_settings
from r4.options.shared_options import LenientOptions, RunningOptions
from r4.options.values import Duration, byte_count, duration_text
from r4.prefixes import PREFIXES, expand
from r4.stream.windows import Windows
from r4.time.ticks import Tick, TimeScale
from rete.arrays.state_codec import State
from rif.errors.nearest import nearest_word
from rif.syntax.iri import is_absolute

Entailment: TypeAlias = Literal["none", "rdf", "rdfs", "d", "owl-rl"]
Units: TypeAlias = Literal["subjects", "triples"]

TABLE: Final = "engine"
"""The table of a file that has the options of an engine."""
_SAVED: Final = (
    *("semantics", "window", "tick", "delay", "entailment", "literals", "keep", "order"),
    *("journal", "lookback"),
)
"""Options that each saved engine has; others are saved if they are not at their defaults."""
_BOUNDS: Final = ("max_term", "limit", "memory")
OF_REPORTS: Final = ("every", "offset", "zone", "report", "ops")
"""Options of `ReportOptions`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EngineOptions(RunningOptions, Mapping[str, Any]):
    """The options of an `Engine`, also as keywords: ``Engine(rules, **EngineOptions(delay="2s"))``.

    Raises:
        ValueError: one has a value that it cannot have.
    """

    delay: Duration = option(
        "How late elements may come, as 2s; a number alone counts ticks (ms).",
        Topic.TIME,
        kind=ValueKind.DURATION,
        default=0,
    )
    window: Duration | None = option(
        "In place of the Window of the rules, as 5s; a number alone counts ticks (ms).",
        Topic.TIME,
        kind=ValueKind.DURATION,
    )
    windows: Mapping[str, Duration] = several(
        "The windows of predicates, by their IRIs, as {'ex:reads': '10m'}.",
        Topic.TIME,
        kind=ValueKind.DURATIONS,
        table="windows",
        note="They come before the one for all. Prefixes are those of the rules.",
    )
    entailment: Entailment = option(
        "What the vocabularies of RDF, RDFS or OWL mean.",
        Topic.RULES,
        note="What follows from that alone is no answer.",
        default="none",
    )
    keep: bool = flag(
        "Whether rules that are added later see what was asserted before.", Topic.RULES
    )
    journal: int = option(
        "How many triples are kept after they ended, to explain what held then.",
        Topic.BOUNDS,
        least=0,
        default=0,
    )
    hypotheses: bool | Units = option(
        "Whether possible gives what may become true: of subjects, which is True, or of triples.",
        Topic.POSSIBLE,
        bare="subjects",
        decides=False,
        note="Then no rules can be added or dropped, and the engine cannot be saved.",
        default=False,
    )
    expect: Iterable[str] | None = option(
        "IRIs of the predicates and classes that may come.",
        Topic.POSSIBLE,
        decides=False,
        note="None: those that do not occur in static data.",
    )
    chances: Sequence[str] = several(
        "How probable it is that they come, as of --chance.",
        Topic.POSSIBLE,
        decides=False,
        note='``"0.9"`` all, ``"urn:ex:a=0:0.8,1m:0.95"`` those of a predicate or class.',
    )

    functions: Functions = option(
        "Python functions that the rules may call.",
        Topic.RULES,
        decides=False,
        note="Those that `r4.function` has given an IRI, or a dict of functions by IRI.",
        default=(),
    )

    def __post_init__(self) -> None:
        for each in options_of(type(self)):
            check_value(each, getattr(self, each.name))
        if self.lookback is not None and not self.keep:
            message = "lookback says how long keep=True keeps what has ended"
            raise ValueError(message)
        if self.retract_within is not None and self.keep:
            message = "keep=True lets rules be dropped at any time, so all is kept for that"
            raise ValueError(message)
        others = {
            "order='arrival'": self.arrival,
            "semantics='instances'": self.instances,
            "hypotheses": self.hypotheses,
        }
        report = self.report_settings(TimeScale(self.tick))
        if report is not None and (
            found := [name for name, is_given in others.items() if is_given]
        ):
            message = f"every reports what is final of facts, not with {found[0]}"
            raise ValueError(message)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - as the fields
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return (each.name for each in fields(self))

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)

    def ticks(self, name: str, scale: TimeScale) -> int | None:
        """The duration of an option in ticks; None: it is not given.

        Raises:
            BadDuration: it is no duration, or finer than a tick.
        """
        value = self[name]
        return None if value is None else scale.duration(duration_text(value))

    def windows_of(self, scale: TimeScale, prefixes: Mapping[str, str]) -> Windows:
        """The windows in ticks.

        Raises:
            BadDuration: one is no duration, or finer than a tick.
            ValueError: a key is no IRI, or two are the same.
        """
        found: dict[str, Tick] = {}
        for name, duration in dict(self.windows).items():
            iri = expand(name, {**PREFIXES, **prefixes})
            if not is_absolute(iri) or iri in found:
                what = "given twice" if iri in found else "no absolute IRI of a predicate"
                message = f"windows: {name} is {what}"
                raise ValueError(message)
            found[iri] = scale.duration(duration_text(duration))
        return Windows.of(self.ticks("window", scale), {}, found)

    def saved(self, *, compared: bool = False) -> State:
        """The options of an engine that is saved, by name; those alone that are ``compared``."""
        known = {each.name: each for each in options_of(EngineOptions)}
        more = [
            name
            for name in (*OF_REPORTS, "ahead", "retract_within", *_BOUNDS, "windows")
            if self[name] not in (known[name].default, {}) and (known[name].decides or not compared)
        ]
        return {name: self._plain(known[name]) for name in (*_SAVED, *more)}

    def _plain(self, option: Option) -> str | int | list[str] | None:
        value = self[option.name]
        if option.kind is ValueKind.DURATIONS:
            return [f"{key}={duration_text(each)}" for key, each in sorted(value.items())]
        if value is not None and option.kind in {ValueKind.DURATION, ValueKind.PERIOD}:
            return duration_text(value)
        return byte_count(value) if value is not None and option.kind is ValueKind.MEMORY else value


@dataclass(frozen=True, kw_only=True, eq=False)
class FileOptions(EngineOptions, LenientOptions):
    """The options of an engine for the rules in a file, and how these are read."""

    imports: Locations | None = option(
        "What else imports may reach: an import folder, files by location.",
        Topic.RULES,
        decides=False,
    )

    @property
    def of_engine(self) -> dict[str, Any]:
        """The options of the engine that are not at their defaults, by name."""
        known = {each.name: each.default for each in options_of(EngineOptions)}
        return {name: self[name] for name, default in known.items() if self[name] != default}


@dataclass(frozen=True, kw_only=True, eq=False)
class TextOptions(FileOptions):
    """The options of an engine for a text."""

    name: str = option("What messages call the text.", Topic.RULES, decides=False, default="<text>")


def check_value(option: Option, value: object) -> None:
    """Check that an option can have a value.

    Raises:
        ValueError: it cannot.
        TypeError: it is a number, and the value is none.
    """
    if value == option.default:
        return
    words = (*((True,) if bool in option.types else ()), *option.words)
    if option.kind in {ValueKind.DURATION, ValueKind.PERIOD}:
        duration_text(value)  # type: ignore[arg-type]  # which it checks
    elif option.kind is ValueKind.DURATIONS:
        if not isinstance(value, Mapping):
            message = f"{option.name}={value!r}: write a dict of IRIs and durations"
            raise TypeError(message)
        for each in value.values():
            duration_text(each)
    elif option.kind is ValueKind.MEMORY:
        byte_count(value)  # type: ignore[arg-type]  # which it checks
    elif option.words and value not in words:
        message = f"{value!r} is none of {', '.join(map(str, words))}"
        raise ValueError(message)
    elif option.is_number:
        _check_number(option, value)


def _check_number(option: Option, value: object) -> None:
    least, most = option.least, option.most
    if not isinstance(value, int) or isinstance(value, bool):
        message = f"{option.name}={value!r}: write a whole number"
        raise TypeError(message)
    if (least is not None and value < least) or (most is not None and value > most):
        upper = "" if most is None else f" to {most:,}"
        message = f"{option.name}={value}: write a number from {least}{upper or ' on'}"
        raise ValueError(message)


def check_names(known: Iterable[str], given: Iterable[str]) -> None:
    """Check that an engine has options of these names.

    Raises:
        TypeError: it has not; the message says what to use instead of an option of ``r4 run``, or
            names the nearest.
    """
    names = [*known]
    for name in given:
        if name in names:
            continue
        from r4.options.run_options import RunCommandOptions  # noqa: PLC0415 - for the hint

        of_run = {each.name: each for each in options_of(RunCommandOptions)}
        found = of_run.get(name) or by_key(RunCommandOptions).get(name)
        near = nearest_word(name, names)
        hint = "" if near is None else f"; did you mean {near}?"
        if found is not None and found.library is not None:
            hint = f": {found.library}"
        message = f"Engine has no option {name}{hint}"
        raise TypeError(message)


def options_from(path: str | Path) -> EngineOptions:
    """The options in the table ``[engine]`` of a TOML file, for ``Engine(rules, **options)``.

    A key is the name of an option, with dashes: ``max-term = 1000``. What a value names lies in the
    folder of the file.

    Raises:
        BadSettings: the file cannot be read, a key is no option, or a value is none of its values;
            the message begins with file and line.
    """
    known = by_key(EngineOptions)
    settings = read_settings(str(path), TABLE, known)
    values = {known[key].name: _value(known[key], each) for key, each in settings.items()}
    try:
        options = EngineOptions(**values)
    except ValueError as error:
        message = f"{path}: {error}"
        raise BadSettings(message) from None
    scale = TimeScale(options.tick)
    for key, setting in settings.items():
        try:
            if known[key].kind is ValueKind.DURATION:
                options.ticks(known[key].name, scale)
            elif known[key].kind is ValueKind.DURATIONS:
                for text in keyed(setting.values).values():
                    scale.duration(text)
        except ValueError as error:
            raise _misplaced(setting, error) from None
    return options


def _value(option: Option, setting: Setting) -> Any:  # noqa: ANN401 - of the type of the option
    if option.kind is ValueKind.DURATIONS:
        return keyed(setting.values)
    if option.is_multiple:
        return setting.values
    if option.is_flag or not setting.is_on:
        return setting.is_on
    (text,) = setting.values
    try:
        value = _number(option, text) if option.is_number else text
        check_value(option, value)
    except ValueError as error:
        raise _misplaced(setting, error) from None
    return value


def keyed(values: Iterable[str]) -> dict[str, str]:
    """Texts of the form ``KEY=VALUE`` as a mapping; a key may have further equals signs."""
    return {key: text for key, _, text in (each.rpartition("=") for each in values)}


def _number(option: Option, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        message = f"{option.name}={text!r}: write a whole number"
        raise ValueError(message) from None


def _misplaced(setting: Setting, error: ValueError) -> BadSettings:
    return BadSettings(f"{setting.origin}: {error}")
