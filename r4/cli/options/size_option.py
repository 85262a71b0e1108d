"""Options whose values are sizes: ``--memory``, ``--max-expanded``."""

from __future__ import annotations

import click

from r4.cli.terminal.console import LIMIT
from r4.options.values import byte_count
from rete import memory_limit


class ByteSize(click.ParamType[int]):
    """A size in bytes, with its unit."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The bytes."""
        try:
            return byte_count(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


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
