"""A command whose options a file or the environment may give."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

import click

from r4.cli.configuration.environment import environment_settings, variable, warn_of_unknown
from r4.cli.options.declared_options import DeclaredOption, declared_options
from r4.cli.options.input_options import CONFIGURED
from r4.cli.options.run_arguments import RunCommand
from r4.options.option import Option
from r4.options.settings import BadSettings, Setting

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
        if "replay" in given or (asked is not None and asked.name in given):
            return super().parse_args(ctx, args)
        try:
            settings = self._settings(ctx, given)
            ctx.meta[CONFIGURED] = frozenset(settings)
            if given.get("print_config"):
                self._print_config(ctx, given, settings)
                ctx.exit(0)
        except BadSettings as error:
            raise click.UsageError(str(error)) from None
        more = [each for name, setting in settings.items() for each in setting.arguments(name)]
        return super().parse_args(ctx, [*more, *args])

    def _settings(self, ctx: click.Context, given: dict[str, Any]) -> dict[str, Setting]:
        """What is in effect of the environment and of the file, by the keys of options.

        Raises:
            BadSettings: an option cannot be read, or has a value that it cannot have.
        """
        settable = declared_options(self.params)
        options = {key: each.declared for key, each in settable.items()}
        found = environment_settings(PREFIX, options, os.environ)
        warn_of_unknown(PREFIX, [*options, "config"], os.environ)
        path = given.get("config") or os.environ.get(variable(PREFIX, "config"))
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
        from r4.cli.configuration.toml_output import Value, toml_lines

        shown: dict[str, tuple[Value, str]] = {}
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
        click.echo("\n".join(toml_lines(TABLE, shown)).encode())


def _value(option: Option, values: Sequence[object]) -> Any:  # noqa: ANN401 - a value of TOML
    """Values of an option as those of TOML."""
    if option.is_multiple:
        return [str(value) for value in values]
    (value,) = values
    if option.is_flag:
        return bool(value)
    return int(str(value)) if option.is_number else str(value)


def _check_values(ctx: click.Context, option: DeclaredOption, setting: Setting) -> None:
    """Refuse values that the command line would refuse, by where they stand.

    Raises:
        BadSettings: one is no value of the option.
    """
    for value in setting.values:
        try:
            option.type.convert(value, option, ctx)
        except click.BadParameter as error:
            message = f"{setting.origin}: --{option.declared.key}: {error.message}"
            raise BadSettings(message) from None
