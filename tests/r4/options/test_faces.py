"""Each option is one field: what a command, a file, the environment and a state make of it."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from r4.cli.commands.check import CheckOptions
from r4.cli.commands.convert import ConvertOptions
from r4.cli.commands.entails import EntailsOptions
from r4.cli.commands.explain import ExplainOptions
from r4.cli.commands.load import LoadOptions
from r4.cli.commands.plan import PlanOptions
from r4.cli.configuration import variable
from r4.cli.options.declared_options import DeclaredOption
from r4.cli.streams.replay import ReplayOptions
from r4.cli.streams.run_command_options import RunCommandValues
from r4.cli.streams.spark import SparkRunOptions
from r4.options.option import REQUIRED, Option, Places, ValueKind, options_of
from tests.simulation.command import call

COMMANDS = {
    "r4.cli.streams.run": RunCommandValues,
    "r4.cli.streams.replay": ReplayOptions,
    "r4.cli.streams.spark": SparkRunOptions,
    "r4.cli.commands.check": CheckOptions,
    "r4.cli.commands.convert": ConvertOptions,
    "r4.cli.commands.entails": EntailsOptions,
    "r4.cli.commands.explain": ExplainOptions,
    "r4.cli.commands.load": LoadOptions,
    "r4.cli.commands.plan": PlanOptions,
}
DECLARED = [
    pytest.param(module, each, id=f"{module.rpartition('.')[2]}-{each.key}")
    for module, of in COMMANDS.items()
    for each in options_of(of)
]
SETTABLE = [
    pytest.param(each, id=each.key) for each in options_of(RunCommandValues) if not each.of_line
]


def sample(option: Option) -> Any:
    """A value of the option that is not its default, as a file has it."""
    if option.is_flag:
        return True
    if option.words:
        return option.words[-1]
    if option.is_number:
        return (option.least or 0) + 6
    by_kind = {
        ValueKind.DURATION: "3 s",
        ValueKind.SIZE: "3GB",
        ValueKind.MEMORY: "30GB",
        ValueKind.FORM: "trig",
    }
    by_places = {Places.WHOLE: "f", Places.FRONT: "f", Places.BACK: "urn:ex:i=f"}
    text = by_kind.get(option.kind) or by_places.get(option.places, "urn:ex:a")
    return [text] if option.is_multiple else text


@pytest.mark.parametrize(("module", "option"), DECLARED)
def test_a_placeholder_of_a_file_says_where_the_path_is(module: str, option: Option) -> None:
    """Else a file of options could name one that lies elsewhere."""
    names_files = re.search("FILE|DIR|FOLDER", option.metavar) and option.name not in {
        "delay",
        "window",
    }
    is_path = Path in option.types
    assert (option.places is not Places.NOWHERE) == bool(names_files or is_path), module


@pytest.mark.parametrize(("module", "option"), DECLARED)
def test_an_option_of_a_command_is_made_of_its_field(module: str, option: Option) -> None:
    command = import_module(module).command
    (made,) = [each for each in command.params if each.name == option.name]
    assert isinstance(made, DeclaredOption)
    assert tuple(made.opts) == option.spellings
    assert (made.is_flag, made.multiple) == (option.is_flag, option.is_multiple)
    assert made.required == (option.default is REQUIRED)
    shown = made.get_help_record(click.Context(command))
    if option.hidden:
        assert shown is None
        return
    assert shown is not None
    assert option.help in shown[1]
    assert option.otherwise in shown[1]
    assert all(word in shown[0] for word in option.words)
    assert option.placeholder in shown[0]


def test_all_options_of_these_commands_are_fields() -> None:
    """An option beside the class would have one face only."""
    for module in COMMANDS:
        command = import_module(module).command
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert all(isinstance(each, DeclaredOption) for each in options), module


def test_defaults_of_a_field_are_those_of_its_command() -> None:
    command = import_module("r4.cli.streams.run").command
    given = command.make_context("run", ["r.rif"]).params
    options = RunCommandValues(**given)
    assert all(getattr(options, each.name) == each.default for each in options_of(type(options)))


@pytest.mark.parametrize("option", SETTABLE)
def test_line_file_and_environment_give_the_same(
    option: Option, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    value = sample(option)
    text = f'"{value}"' if isinstance(value, str) else str(value).replace("'", '"').lower()
    if isinstance(value, list):
        text = f'["{value[0]}"]'
    Path("c.toml").write_text(f"[run]\n{option.key} = {text}\n")
    word = value[0] if isinstance(value, list) else value
    line = [f"--{option.key}"] if value is True else [f"--{option.key}={word}"]
    by_line = in_effect(*line)
    assert by_line[option.key] == value
    assert in_effect("--config", "c.toml") == by_line
    quoted = f"'{word}'" if option.is_multiple else str(word)
    monkeypatch.setenv(variable(option.key), "1" if value is True else quoted)
    assert in_effect() == by_line


def in_effect(*args: str) -> dict[str, Any]:
    done = call(["run", "--print-config", *args])
    assert (done.code, done.err) == (0, "")
    table: dict[str, Any] = tomllib.loads(done.out)["run"]
    return table


@pytest.mark.parametrize("option", SETTABLE)
def test_a_state_belongs_to_the_options_that_decide(option: Option) -> None:
    value = sample(option)
    given: dict[str, Any] = {option.name: tuple(value) if isinstance(value, list) else value}
    options = RunCommandValues(rules="r", streams=(), **given)
    was = options.command_line(()).options
    entries = was.get(option.name)
    word = value[0] if isinstance(value, list) else value
    assert entries == (str(word) if option.decides else None)


def test_a_path_in_a_file_is_one_by_its_field_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for option in options_of(RunCommandValues):
        if option.places is Places.NOWHERE or option.of_line:
            continue
        value = sample(option)
        text = f'"{value[0] if isinstance(value, list) else value}"'
        Path("sub/c.toml").write_text(f"[run]\n{option.key} = {text}\n")
        found = in_effect("--config", "sub/c.toml")[option.key]
        found = found[0] if isinstance(found, list) else found
        assert ("sub/f" in found) == (option.places is not Places.INPUT), option.key
