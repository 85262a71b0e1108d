"""A line filter: lines of a file or of standard input become lines of an output."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import click

from r4.cli.terminal.console import INPUT_REFUSED, LOST, say
from r4.errors import InputError, SourceLost
from r4.rdf.files import ByteSource, DamagedInput
from r4.sinks.file import SinkFile, SinkLost, open_file


def filter_lines(data: str, output: str, follow: Callable[[ByteSource, SinkFile], None]) -> int:
    """Call ``follow`` with both ends; the exit code, 0 unless one of them ended, as is reported.

    Args:
        data: a file; - is standard input.
        output: a file; - is standard output.
        follow: reads the one to its end and writes the other.

    Raises:
        UsageError: one of them cannot be opened.
    """
    try:
        source = ByteSource(data)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    try:
        with closing(source), open_file(output) as sink:
            follow(source, sink)
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"{output}: {error.strerror or error}"
        raise click.UsageError(message) from None
    except DamagedInput as error:
        say(f"{source.name}: {error}")
        return INPUT_REFUSED
    except (SourceLost, SinkLost) as error:
        say(str(error))
        return LOST
    return 0
