"""An option as a file or the environment gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import click

from rif.errors.nearest import nearest_word

Options: TypeAlias = Mapping[str, click.Option]
"""Options by their long names, without the dashes."""

NOT_SET: Final = frozenset({"config", "print-config", "replay", "help"})
"""Options of the command line alone."""


class Setting(NamedTuple):
    """The values of an option.

    Attributes:
        values: as on the command line; of a flag none.
        origin: where it stands, for messages.
        is_on: whether a flag is set, or there are values.
    """

    values: tuple[str, ...]
    origin: str
    is_on: bool = True

    def arguments(self, name: str) -> Iterable[str]:
        """The setting as arguments of the command line."""
        if not self.is_on:
            return ()
        return [f"--{name}={value}" for value in self.values] or [f"--{name}"]


def long_name(option: click.Option) -> str:
    """The name of an option in files and in the environment."""
    return next(name for name in option.opts if name.startswith("--"))[2:]


def settable(parameters: Iterable[click.Parameter]) -> Options:
    """The options that can be given elsewhere than on the command line."""
    options = {long_name(each): each for each in parameters if isinstance(each, click.Option)}
    return {name: option for name, option in options.items() if name not in NOT_SET}


def check_values(ctx: click.Context, option: click.Option, setting: Setting) -> None:
    """Refuse values that the command line would refuse, by where they stand.

    Raises:
        click.UsageError: one is no value of the option.
    """
    for value in setting.values:
        try:
            option.type.convert(value, option, ctx)
        except click.BadParameter as error:
            message = f"{setting.origin}: --{long_name(option)}: {error.message}"
            raise click.UsageError(message) from None


def nearest(asked: str, names: Sequence[str]) -> str:
    """A hint at the name that was probably meant, "" if there is none."""
    near = nearest_word(asked, names)
    return "" if near is None else f"; did you mean {near}?"
