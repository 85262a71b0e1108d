"""An option as a file or the environment gives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rif.errors.nearest import nearest_word


class BadSettings(ValueError):
    """Options that cannot be read, with the place where they stand."""


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

    def arguments(self, key: str) -> Iterable[str]:
        """The setting as arguments of the command line."""
        if not self.is_on:
            return ()
        return [f"--{key}={value}" for value in self.values] or [f"--{key}"]


def nearest(asked: str, names: Sequence[str]) -> str:
    """A hint at the name that was probably meant, "" if there is none."""
    near = nearest_word(asked, names)
    return "" if near is None else f"; did you mean {near}?"
