"""Options whose values are sizes: ``--memory``, ``--max-expanded``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

import click

from r4.cli.terminal.console import LIMIT
from rete import memory_limit

F = TypeVar("F", bound=Callable[..., object])

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


class ByteSize(click.ParamType[int]):
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


class TooLittleMemory(click.ClickException):
    """Less memory is allowed than is in use before any input is read."""

    exit_code = LIMIT


class MemorySize(ByteSize):
    """A size for ``--memory``, which the process itself has to fit in."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The bytes.

        Raises:
            TooLittleMemory: more is in use already.
        """
        most = super().convert(value, param, ctx)
        used = memory_limit.resident_bytes()
        if used is not None and used > most:
            message = (
                f"--memory {value} is less than the {used:,} bytes that R4 occupies before it "
                f"reads anything: allow several times as much"
            )
            raise TooLittleMemory(message)
        return most


def memory_option(command: F) -> F:
    """``--memory``: the most memory that is used."""
    return click.option(
        "--memory",
        type=MemorySize(),
        metavar="SIZE",
        help="The most memory to use, as 2GB; on Linux.",
    )(command)
