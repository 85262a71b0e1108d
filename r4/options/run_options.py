"""Options of commands that read rules and streams, and those of ``r4 run`` alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from r4.options.option import Topic, ValueKind, argument, flag, option, several
from r4.options.shared_options import (
    AnswerOptions,
    EntailmentOptions,
    ImportOptions,
    LenientOptions,
    LiteralOptions,
    RunningOptions,
)
from r4.rdf.gates.input_limits import FREE_EXPANSION, MOST_EXPANDED
from r4.sources.input_formats import INPUT_FORMATS

ALL: Final = "all"
"""What ``--drain`` without a duration stands for."""
SUBJECTS: Final = "subjects"
"""What ``--hypotheses`` without a value stands for."""
_STAMPS: Final = "each element has its stamp, at= of add"
_FORMS: Final = "changes are values; write them as you like"
_STATUS: Final = "Engine.status has it; r4.run.status writes it"


@dataclass(frozen=True, kw_only=True)
class FormatOptions:
    """How inputs are read where their names do not say it."""

    input_format: tuple[str, ...] = several(
        f"Where the suffix does not say it: {', '.join(INPUT_FORMATS)}; or of one input.",
        Topic.DATA,
        spelling="-i --input-format",
        metavar="FORMAT[=FILE]",
        library="add takes graphs, triples and Turtle",
    )
    mapping: tuple[str, ...] = several(
        "What the columns of CSV, TSV and NDJSON mean: of all tables, or of one.",
        Topic.DATA,
        metavar="FILE[=TABLE]",
        library="mapping= of add, run and arun has it",
    )
    context: tuple[str, ...] = several(
        "Where a context of JSON-LD is: nothing is loaded from elsewhere.",
        Topic.DATA,
        metavar="IRI=FILE",
        library="add takes graphs, triples and Turtle",
    )


@dataclass(frozen=True, kw_only=True)
class InputOptions(EntailmentOptions, ImportOptions, LenientOptions, LiteralOptions):
    """Options about rules, data and their time."""

    rules: str = argument()
    streams: tuple[str, ...] = argument("[STREAM]...", repeats=True)
    static: tuple[str, ...] = several(
        "RDF that always holds.",
        Topic.DATA,
        metavar="FILE",
        library="add_static adds what always holds",
    )
    window: tuple[str, ...] = several(
        "In place of the Window of the rules, as 5s: for all, for a stream, for a predicate;"
        " a number alone counts ticks (ms).",
        Topic.TIME,
        metavar="[FILE=|IRI=]DURATION",
        kind=ValueKind.DURATION,
        table="windows",
        note="That of the stream comes first, then that of the predicate, then the one for all.",
        library="window= is for all, windows= for predicates; an engine has one stream",
    )
    delay: tuple[str, ...] = several(
        "How late data may come, as 2s: all, those of a stream, those with a predicate;"
        " a number alone counts ticks (ms).",
        Topic.TIME,
        metavar="[FILE=|IRI=]DURATION",
        kind=ValueKind.DURATION,
    )
    strict: bool = flag(
        "End at the first bad datum.",
        Topic.DATA,
        library="add raises an error for what it cannot read",
    )
    time_predicate: str | None = option(
        "In place of prov:generatedAtTime; IRI/IRI leads to it through a node.",
        Topic.TIME,
        metavar="IRI[/IRI]…",
        library=_STAMPS,
    )
    epoch: Literal["s", "ms", "us", "ns"] | None = option(
        "What integer stamps count since 1970: they are Unix time. Else they are ticks.",
        Topic.TIME,
        library="at= of add takes a datetime",
    )
    end_predicate: str | None = option(
        "In place of prov:invalidatedAtTime; IRI/IRI leads to it through a node.",
        Topic.TIME,
        metavar="IRI[/IRI]…",
        library="each element has its end, until= of add",
    )
    inclusive_dates: bool = flag(
        "An end that is a day, a month or a year includes it.",
        Topic.TIME,
        library="until= of add takes a datetime",
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions(InputOptions, AnswerOptions):
    """These, and the options about answers: which are written, and up to when."""

    drain: str | None = option(
        "Tell also what changes after the last stamp.",
        Topic.ANSWERS,
        metavar="[DURATION]",
        kind=ValueKind.DURATION,
        bare=ALL,
        library="drain= of finish, run and arun has it",
    )
    only: tuple[str, ...] = several(
        "Answers of this predicate or class.",
        Topic.ANSWERS,
        metavar="IRI",
        library="choose among the changes",
    )
    include_input: bool = flag(
        "Print what is asserted, too.", Topic.ANSWERS, library="you know what you add"
    )
    include_background: bool = flag(
        "Print what the entailment regime derives, too.",
        Topic.ANSWERS,
        library="only r4 run has it",
    )


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Where answers go."""

    output: str = option(
        "Where answers go; - is standard output.",
        Topic.ANSWERS,
        metavar="FILE",
        library=_FORMS,
        default="-",
    )


@dataclass(frozen=True, kw_only=True)
class RunCommandOptions(RunOptions, OutputOptions, FormatOptions, RunningOptions):
    """All options of ``r4 run``."""

    max_expanded: int | None = option(
        "The most that a compressed RDF/XML or JSON-LD file may hold.",
        Topic.BOUNDS,
        kind=ValueKind.SIZE,
        otherwise=f"{FREE_EXPANSION >> 20}MiB, or {MOST_EXPANDED} times the file",
        library="no file of data is opened",
    )
    idle: str | None = option(
        "How long a silent stream holds time back.",
        Topic.TIME,
        kind=ValueKind.DURATION,
        library="an engine has one stream; heartbeat and advance move time in its silence",
    )
    clock: Literal["data", "wall"] = option(
        "What moves time: stamps alone, or the wall's clock too.",
        Topic.TIME,
        library="clock= of arun has it",
        default="data",
    )
    quiet_for: str = option(
        "An element from a pipe is complete if no more of it comes for so long.",
        Topic.TIME,
        kind=ValueKind.DURATION,
        shows_default=True,
        library="what add takes is complete",
        default="200ms",
    )
    late: str | None = option(
        "Where elements go that come later than --delay allows.",
        Topic.TIME,
        metavar="FILE",
        library="add says of each element whether it was in time",
    )
    status: str | None = option(
        "Where the status goes every second, as JSON.",
        Topic.HOST,
        metavar="FILE",
        decides=False,
        library=_STATUS,
    )
    metrics: str | None = option(
        "The same as text of Prometheus.",
        Topic.HOST,
        metavar="FILE",
        decides=False,
        library=_STATUS,
    )
    fail_on: str | None = option(
        "Exit 1 if there is such an answer.",
        Topic.ANSWERS,
        metavar="ANSWER|error",
        library="look for it among the changes",
    )
    form: str | None = option(
        "The form of answers.",
        Topic.ANSWERS,
        spelling="--as",
        kind=ValueKind.FORM,
        otherwise="by the suffix of --output, else jsonl",
        library=_FORMS,
    )
    stamp: Literal["arrival"] | None = option(
        "Stamp elements that have no time.", Topic.TIME, library=_STAMPS
    )
    hypotheses: Literal["subjects", "triples"] | None = option(
        "Tell also what is possible, on what evidence, waiting for what.",
        Topic.POSSIBLE,
        metavar="[subjects|triples]",
        bare=SUBJECTS,
    )
    expect: tuple[str, ...] = several(
        "A predicate or class that may come.", Topic.POSSIBLE, metavar="IRI"
    )
    chance: tuple[str, ...] = several(
        "How probable it is that it comes so late at most: all, a predicate, a class.",
        Topic.POSSIBLE,
        metavar="[IRI=]DELAY:P,…",
        library="it is chances here",
    )
    checkpoint_every: str = option(
        "How long it is from one checkpoint to the next.",
        Topic.STATE,
        kind=ValueKind.DURATION,
        shows_default=True,
        decides=False,
        library="an engine decides when it writes one; sync and close make calls last",
        default="10s",
    )
    journal_size: int | None = option(
        "Write a checkpoint sooner, once the journal behind the last has so many bytes.",
        Topic.STATE,
        kind=ValueKind.SIZE,
        otherwise="256MiB",
        decides=False,
        library="only r4 run has it",
    )
    keep_journal: bool = flag(
        "Keep all of the input, for r4 replay.",
        Topic.STATE,
        decides=False,
        library="only r4 run has it",
    )
    replay: bool = flag(
        "Let the run of the state happen again.",
        Topic.STATE,
        decides=False,
        of_line=True,
        hidden=True,
        library="only r4 replay has it",
    )
    migrate: str | None = option(
        "Let the rules in a file take over the state, and end.",
        Topic.STATE,
        metavar="FILE",
        decides=False,
        of_line=True,
        hidden=True,
        library="add_rules and drop_rules change what runs",
    )
    watch: bool = flag(
        "Read rules and static files again when they change.",
        Topic.DATA,
        decides=False,
        library="add_rules, drop_rules, add_static and remove_static change what runs",
    )
    quiet: bool = flag(
        "Say nothing at the end about what the run did.",
        Topic.HOST,
        decides=False,
        library="an engine prints nothing",
    )
    config: str | None = option(
        "TOML whose table [run] gives options; so do variables such as R4_RUN_DELAY.",
        Topic.HOST,
        metavar="FILE",
        decides=False,
        of_line=True,
        library="Engine(rules, **options_from(FILE)) reads the table [engine]",
    )
    print_config: bool = flag(
        "Print the options in effect as such a table, and exit.",
        Topic.HOST,
        decides=False,
        of_line=True,
        library="only r4 run has it",
    )
