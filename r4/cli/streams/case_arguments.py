"""The arguments of ``r4 run`` for a case: its files by their names, and its options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from r4.cli.options.run_arguments import RunCommand
from r4.cli.streams.run import command as run
from r4.cli.streams.run_command_options import RunCommandValues
from r4.options.option import Option, Places, options_of
from r4.rdf.documents import SUFFIXES
from r4.rdf.files import plain_suffix
from r4.sinks.formats import find_format
from r4.sources.input_formats import INPUT_SUFFIXES
from r4.testing.case import EXPECTED, RULES, BadCase, Case

RUN: Final = RunCommand("run", params=run.params, callback=run.callback)
"""`r4 run` without what the environment and configurations say: a case says all by itself."""
_FORM: Final = "jsonl"
_MAPPING: Final = "mapping.toml"
_STATIC: Final = "static"
_KEPT: Final = frozenset({"quiet"})
"""Options that decide nothing, and do no harm."""
_WRITING: Final = frozenset({"output", "late", "state"})
_TABLES: Final = frozenset({".csv", ".tsv", ".ndjson", ".parquet"})
_SUFFIXES: Final = frozenset({*SUFFIXES, *INPUT_SUFFIXES})


@dataclass(frozen=True, slots=True)
class CaseArguments:
    """How `r4 run` is called for a case.

    Attributes:
        arguments: what stands behind ``r4 run``, in the folder of the case.
        rules: the file of the rules.
        is_json: whether it prints lines of JSON.
    """

    arguments: Sequence[str]
    rules: str
    is_json: bool


def arguments_of(case: Case, folder: Path) -> CaseArguments:
    """The arguments of a case whose files are in ``folder``, which is the current one.

    Raises:
        BadCase: it has no rules, or its options are none, or not ones of a case.
    """
    rules = _rules(case.files)
    values = _values(rules, case.options)
    _check_options(values)
    named = set(_paths(values))
    free = [
        name
        for name in case.files
        if name not in {*named, *EXPECTED} and plain_suffix(name) in _SUFFIXES
    ]
    static = [name for name in free if _is_static(name)]
    streams = [] if values.streams else [name for name in free if not _is_static(name)]
    arguments = [rules, *streams]
    arguments += [f"--static={name}" for name in static]
    if not values.mapping:
        tables = (*streams, *static, *values.streams, *values.static)
        arguments += [f"--mapping={each}" for each in _mappings(case.files, tables)]
    for path in sorted({*named, *streams, *static, rules}):
        _check_path(path, folder)
    is_json = values.form in {None, _FORM}
    return CaseArguments([*arguments, *case.options], rules, is_json)


def _is_static(name: str) -> bool:
    return name.startswith(_STATIC)


def _rules(files: Sequence[str]) -> str:
    """The file of the rules."""
    found = [name for name in files if name.endswith(".rif")]
    if RULES in found:
        return RULES
    if len(found) == 1:
        return found[0]
    message = f"no rules: there is no {RULES}"
    if found:
        message = f"which are the rules: {', '.join(found)}? {RULES} would be"
    raise BadCase(message)


def _values(rules: str, options: Sequence[str]) -> RunCommandValues:
    """The values of options; raises `BadCase` if `r4 run` would refuse them."""
    try:
        context = RUN.make_context("run", [rules, *options])
    except click.exceptions.Exit:  # as of --help
        message = "options: one of them runs nothing"
        raise BadCase(message) from None
    except click.ClickException as error:
        message = f"options: {error.format_message()}"
        raise BadCase(message) from None
    with context:
        return RunCommandValues(**context.params)


def _check_options(values: RunCommandValues) -> None:
    """Refuse options with which lines depend on more than the case, or go elsewhere."""
    for option in options_of(RunCommandValues):
        if getattr(values, option.name) == option.default:
            continue
        why = _unfit(option, values)
        if why:
            message = f"options: --{option.key}: {why}"
            raise BadCase(message)


def _unfit(option: Option, values: RunCommandValues) -> str:
    """Why a case cannot have an option with its value; "": it can."""
    if option.name in _WRITING or not (option.decides or option.name in _KEPT):
        return "a case writes nothing, and has no state"
    if option.name == "fail_on":
        return "the expected lines say which answers there are"
    if option.name == "stamp" or (option.name == "clock" and values.clock == "wall"):
        return "the lines of a case depend on no clock"
    if option.name == "form" and values.form is not None and find_format(values.form).needs_file:
        return f"{values.form} is no form of lines"
    return ""


def _paths(values: RunCommandValues) -> Iterator[str]:
    """The paths that options name."""
    yield from values.streams
    for option in options_of(RunCommandValues):
        found = getattr(values, option.name)
        if found == option.default:
            continue
        for value in found if isinstance(found, tuple) else (found,):
            match option.places:
                case Places.WHOLE:
                    yield str(value)
                case Places.FRONT:
                    yield str(value).partition("=")[0]
                case Places.BACK:
                    yield str(value).rpartition("=")[2]


def _check_path(path: str, folder: Path) -> None:
    """Refuse what is no file of the case."""
    where = (folder / path).resolve()
    why = ""
    if not where.is_relative_to(folder.resolve()) or not where.exists():
        why = "no file of the case"
    elif path.startswith("-"):
        why = "a name that begins with - is an option; call it otherwise"
    if why:
        message = f"{path}: {why}"
        raise BadCase(message)


def _mappings(files: Sequence[str], tables: Sequence[str]) -> Iterator[str]:
    """The values of ``--mapping``: for a table the file of its name, else `_MAPPING`."""
    found = {name for name in files if name.endswith(".toml")}
    tables = [name for name in tables if plain_suffix(name) in _TABLES]
    own = {name: f"{name.partition('.')[0]}.toml" for name in tables}
    for table, mapping in own.items():
        if mapping in found:
            yield f"{mapping}={table}"
    if _MAPPING in found and not found.issuperset(own.values()):
        yield _MAPPING
