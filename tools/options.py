"""Write docs/options.md, or another file: the options of commands and of the library."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from r4.cli.commands.check import CheckOptions
from r4.cli.commands.convert import ConvertOptions
from r4.cli.commands.entails import EntailsOptions
from r4.cli.commands.explain import ExplainOptions
from r4.cli.commands.fmt import FmtOptions
from r4.cli.commands.load import LoadOptions
from r4.cli.commands.map import MapOptions
from r4.cli.commands.plan import PlanOptions
from r4.cli.configuration import variable
from r4.cli.streams.replay import ReplayOptions
from r4.cli.streams.run_command_options import RunCommandValues
from r4.cli.streams.spark import SparkRunOptions
from r4.cli.streams.test import RuleTestOptions
from r4.options.engine_options import EngineOptions, FileOptions, TextOptions
from r4.options.option import REQUIRED, Option, Places, Topic, ValueKind, options_of

TARGET = Path(__file__).parents[1] / "docs" / "options.md"

COMMANDS: Final[Mapping[str, type]] = {
    "run": RunCommandValues,
    "replay": ReplayOptions,
    "explain": ExplainOptions,
    "plan": PlanOptions,
    "check": CheckOptions,
    "convert": ConvertOptions,
    "fmt": FmtOptions,
    "entails": EntailsOptions,
    "map": MapOptions,
    "test": RuleTestOptions,
    "load": LoadOptions,
    "spark": SparkRunOptions,
}
"""Options by the command of `r4` that has them."""

_LIBRARY: Final = {"Engine": EngineOptions, "from_file": FileOptions, "from_text": TextOptions}
"""Options by what of the library has them, the first of several."""

TOPICS: Final = {
    Topic.COMMAND: "What a command is asked",
    Topic.DATA: "Data",
    Topic.RULES: "Rules and what they mean",
    Topic.TIME: "Time",
    Topic.ANSWERS: "Answers",
    Topic.POSSIBLE: "Possible answers",
    Topic.BOUNDS: "Bounds",
    Topic.STATE: "State",
    Topic.SPARK: "Shards and Spark",
    Topic.HOST: "The command itself",
}

INTRODUCTION = """\
# Options

`make reference` writes this page from the fields of the classes in `r4/options` and of commands.

`r4 run rules.rif stream.nq --delay 2s` has the option `delay`. `delay = "2s"` in the table `[run]`
of the file of `--config` gives it, too, and so does the variable `R4_RUN_DELAY`; the command line
counts before the variable, the variable before the file: see
[semantics.md](semantics.md#options-in-a-file-and-in-the-environment).
`Engine.from_file("rules.rif", delay="2s")` is the same in Python, and so is `delay = "2s"` in the
table `[engine]` of a file for `options_from` ([python.md](python.md#options)).

A key in the table `[run]` is the name of an option without the dashes in front; in `[engine]` it is
the keyword with dashes. A duration is `2s`, `1.5 m` or a number of ticks, a size `2GB`, `64MiB` or,
in Python, a number of bytes. Options of `r4 mtl`, `r4 hypothesise`, `r4 demo` and `r4 bench` are in
their `--help`."""

HEADER = "| option | value | by default | what it does | commands | variable | `Engine` |"


def page() -> str:
    """All of it."""
    return "\n\n".join([INTRODUCTION, *_topics()])


def _topics() -> Iterator[str]:
    rows = _rows()
    for topic, title in TOPICS.items():
        found = sorted(
            (row for row in rows.items() if row[0].topic is topic), key=lambda row: row[0].key
        )
        lines = [_line(*row) for row in found]
        if lines:
            yield f"## {title}"
            yield "\n".join([HEADER, "|---|---|---|---|---|---|---|", *lines])


def _rows() -> dict[Option, list[str]]:
    """Each option with the commands, and the classes of the library, that have it."""
    rows: dict[Option, list[str]] = {}
    for command, of in COMMANDS.items():
        for option in options_of(of):
            if not option.hidden:
                rows.setdefault(option, []).append(command)
    for method, of in _LIBRARY.items():
        for option in options_of(of):
            if method not in "".join(rows.get(option, ())):
                rows.setdefault(option, []).append(method)
    return rows


def _line(option: Option, hosts: list[str]) -> str:
    commands = [each for each in hosts if each in COMMANDS]
    library = next((f"`{option.name}`" for each in hosts if each == "Engine"), "")
    if not library and any(each in _LIBRARY for each in hosts):
        library = f"`{option.name}` of {' and '.join(f'`{e}`' for e in hosts if e in _LIBRARY)}"
    spelt = " ".join(f"`{each}`" for each in option.spellings) if commands else ""
    by_file = "run" in commands and not option.of_line
    names = f"`{variable(option.key)}`" if by_file or option.key == "config" else ""
    alone = "" if option.bare is None else f"Without a value it is {option.bare}."
    meaning = _plain(" ".join(filter(None, (option.help, option.note, alone))))
    cells = (
        *(spelt, _value(option), _default(option), meaning),
        *(", ".join(f"`{each}`" for each in commands), names, library or _plain(_instead(option))),
    )
    return f"| {' | '.join(cells)} |"


def _instead(option: Option) -> str:
    return f"no: {option.library}" if option.library else ""


def _value(option: Option) -> str:
    """What is written as the value."""
    if option.is_flag:
        return ""
    if option.kind is ValueKind.FORM:
        return "[a form](formats.md#answers-out)"
    if option.words:
        return " ".join(f"`{each}`" for each in option.words)
    if option.placeholder:
        return f"`{_plain(option.placeholder)}`"
    return "a folder" if option.places is Places.WHOLE else "a text"


def _default(option: Option) -> str:
    if option.otherwise:
        return option.otherwise
    if option.default is REQUIRED:
        return "is required"
    if option.default in {None, (), False}:
        return ""
    return f"`{option.default}`"


def _plain(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else TARGET).write_text(page() + "\n", encoding="utf-8")
