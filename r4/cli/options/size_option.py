"""Options whose values are sizes: ``--limit``, ``--max-expanded``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import click

_SIZE: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?) ?(B|kB|[kMGT]iB|[MGT]B)")
_POWERS: Final = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}


def bytes_of(text: str) -> int | None:
    """The bytes of a size such as ``2GB``, ``1.5 GiB``; None: it is none."""
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    prefix = found[2][:-1]
    base = 1024 if prefix.endswith("i") else 1000
    whole, _, digits = found[1].partition(".")
    unit: int = base ** _POWERS[prefix.removesuffix("i")]
    part = int(digits or 0) * unit // int(10 ** len(digits))
    return int(whole) * unit + part


class Size(click.ParamType[int]):
    """A size in bytes, with its unit."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The bytes."""
        found = bytes_of(str(value))
        if not found:
            self.fail(f"{value} is no size: write 2GB, 500MB, 64MiB", param, ctx)
        return found


@dataclass(frozen=True, slots=True)
class Limit:
    """The values of ``--limit``.

    Attributes:
        facts: the most to derive at once; None: not given.
        memory: the most bytes to use; None: not given.
    """

    facts: int | None = None
    memory: int | None = None


def parse_limit(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Limit:
    """One of each kind at most: a number of facts, a size with its unit.

    Raises:
        click.BadParameter: a value is neither, or given twice.
    """
    facts = memory = None
    for value in values:
        size = bytes_of(value)
        if size and memory is None:
            memory = size
        elif value.isascii() and value.isdigit() and int(value[:20]) and facts is None:
            facts = int(value[:20])
        else:
            message = f"{value}: write a number of facts, or a size such as 2GB, each once"
            raise click.BadParameter(message, param=parameter)
    return Limit(facts, memory)
