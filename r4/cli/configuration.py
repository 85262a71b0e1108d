"""A command whose options a file or the environment may give: ``R4_RUN_DELAY`` is ``--delay``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from typing import Any, Final

import click

from r4.cli.options.declared_options import DeclaredOption, declared_options
from r4.cli.options.durations import is_duration
from r4.cli.options.input_options import CONFIGURED
from r4.cli.options.run_arguments import RunCommand
from r4.cli.terminal.console import refuse, say
from r4.options.option import Option, ValueKind
from r4.options.settings_file import BadSettings, Setting, nearest
from r4.toml_text import toml_string
from rif.errors.report import printable

PREFIX: Final = "R4_RUN_"
"""How the names of its variables begin."""
TABLE: Final = "run"
"""The table of a file that has its options."""
CONFIGURATION: Final = "r4.configuration"
"""Under what the meta of a context has the path of the file."""


class ConfigurableRunCommand(RunCommand):
    """A run whose options come from the command line, else the environment, else a file.

    They become arguments in front of those of the command line, so that whatever reads or keeps
    these has all that is in effect. A run that is replayed has its arguments, and no others.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Add what the command line does not give, then parse the arguments."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        given: dict[str, Any] = self.make_parser(ctx).parse_args(self.with_values(args))[0]
        asked = self.get_help_option(ctx)
        if {"replay", "migrate"} & set(given) or (asked is not None and asked.name in given):
            return super().parse_args(ctx, args)
        try:
            settings = self._settings(ctx, given)
            ctx.meta[CONFIGURED] = frozenset(settings)
            if given.get("print_config"):
                self._print_config(ctx, given, settings)
                ctx.exit(0)
        except BadSettings as error:
            refuse(str(error))
        more = [each for name, setting in settings.items() for each in setting.arguments(name)]
        return super().parse_args(ctx, [*more, *args])

    def _settings(self, ctx: click.Context, given: dict[str, Any]) -> dict[str, Setting]:
        """What is in effect of the environment and of the file, by the keys of options."""
        settable = declared_options(self.params)
        options = {key: each.declared for key, each in settable.items()}
        found = {
            name: _setting(option, value, variable(name))
            for name, option in options.items()
            if (value := os.environ.get(variable(name)))
        }
        _warn_of_unknown([*options, "config"])
        path = given.get("config") or os.environ.get(variable("config"))
        if path:
            from r4.options.settings_file import read_settings

            ctx.meta[CONFIGURATION] = path
            found = read_settings(path, TABLE, options) | found
        for name, setting in found.items():
            _check_values(ctx, settable[name], setting)
        return {name: each for name, each in found.items() if options[name].name not in given}

    def _print_config(
        self, ctx: click.Context, given: dict[str, Any], settings: dict[str, Setting]
    ) -> None:
        shown: dict[str, tuple[str | int | list[str], str]] = {}
        for key, option in declared_options(self.params).items():
            declared, setting = option.declared, settings.get(key)
            if declared.name in given:
                found, origin = given[declared.name], "command line"
                values = found if isinstance(found, Sequence) and option.multiple else [found]
                _check_values(ctx, option, Setting(tuple(map(str, values)), origin))
            elif setting is not None:
                values, origin = [*setting.values], setting.origin
                if declared.is_flag or not setting.is_on:
                    values = [setting.is_on] if declared.is_flag else []
            else:
                has_default = isinstance(declared.default, str | int)
                values, origin = [declared.default] if has_default else [], "default"
            if values:
                shown[key] = _value(declared, values), origin
        lines = [
            f"{key} = {_written(value)}  # {printable(origin)}"
            for key, (value, origin) in shown.items()
        ]
        click.echo("\n".join([f"[{TABLE}]", *lines]).encode())


def _value(option: Option, values: Sequence[object]) -> Any:  # noqa: ANN401 - a value of TOML
    if option.is_multiple:
        return [str(value) for value in values]
    (value,) = values
    if option.is_flag:
        return bool(value)
    return int(str(value)) if option.is_number else str(value)


def _check_values(ctx: click.Context, option: DeclaredOption, setting: Setting) -> None:
    """Refuse values that the command line would refuse, by where they stand."""
    for value in setting.values:
        try:
            option.type.convert(value, option, ctx)
        except click.BadParameter as error:
            message = f"{setting.origin}: --{option.declared.key}: {error.message}"
            raise BadSettings(message) from None


_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


def variable(name: str) -> str:
    """The variable of the environment that gives the option ``--name``."""
    return PREFIX + name.replace("-", "_").upper()


def _warn_of_unknown(names: Iterable[str]) -> None:
    known = [variable(name) for name in names]
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            say(f"warning: {name} gives no option{nearest(name, known)}")


def _setting(option: Option, value: str, name: str) -> Setting:
    """The setting of a variable; if an option may be repeated, values as a shell splits them."""
    if option.is_flag:
        if value.lower() in _ON | _OFF:
            return Setting((), name, value.lower() in _ON)
        message = f"{name}: write 1 or 0"
        raise BadSettings(message)
    is_one = option.kind is ValueKind.DURATION and is_duration(value)  # as ``5 s``
    if is_one or not option.is_multiple:
        return Setting((value,), name)
    try:
        values = tuple(shlex.split(value))
    except ValueError as error:
        message = f"{name}: {error}"
        raise BadSettings(message) from None
    return Setting(values, name, bool(values))


def _written(value: str | int | list[str]) -> str:
    """A value as TOML has it; it controls no terminal."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return toml_string(value)
    return f"[{', '.join(map(_written, value))}]"
