"""The command line: data to standard output, everything else to standard error.

A new command is a file of `commands` or `streams` that defines ``command``, and a row of
`COMMANDS`. The file is imported when its command is called, so that none pays for the others.

| room or file | what is in it |
|---|---|
| `commands` | the commands on rules, facts and the installation, a file each |
| `streams` | the commands that run rules over streams |
| `sessions` | the sessions that run streams for them |
| `mtl` | the commands of `r4 mtl`, and what they share |
| `completion` | completion in shells, and the command that prints its scripts |
| `configuration` | a command whose options a file and the environment may give |
| `options` | options and arguments that commands share, and how rules and data are read by them |
| `findings` | faults of rules as JSON and SARIF |
| `terminal` | lines, progress, exit codes, and groups of commands |

`commands/bench` finds the benchmarks, which stand beside the product. What is wrong with options or
arguments is a `click.UsageError`, wherever it is found.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import StringIO
from typing import Final

import click

from r4 import __version__
from r4.cli.terminal.lazy_group import LazyCommand, LazyGroup
from r4.cli.terminal.terminal_output import escaped_terminal, forgiving_errors
from r4.extras import BrokenExtension
from r4.loading import INTERRUPTED

COMMANDS: Final[Mapping[str, LazyCommand]] = {
    "demo": LazyCommand(
        "r4.cli.commands.demo", "Find storms in real weather reports: the main example."
    ),
    "run": LazyCommand(
        "r4.cli.streams.run", "Run rules over streams; answers come as they become final."
    ),
    "test": LazyCommand(
        "r4.cli.streams.test", "Run cases of rules, and say where they give other answers."
    ),
    "replay": LazyCommand("r4.cli.streams.replay", "Let a run that was recorded happen again."),
    "state": LazyCommand(
        "r4.cli.streams.state", "Show, verify, prune or migrate what a run keeps to go on."
    ),
    "status": LazyCommand("r4.cli.streams.status", "Print where a run with a state is."),
    "check": LazyCommand(
        "r4.cli.commands.check", "Say all that is wrong with rules and their imports."
    ),
    "map": LazyCommand(
        "r4.cli.commands.map", "Propose what the columns of a table mean: a mapping."
    ),
    "convert": LazyCommand(
        "r4.cli.commands.convert", "Write rules in the other syntax, RIF/XML or presentation."
    ),
    "fmt": LazyCommand(
        "r4.cli.commands.fmt", "Lay out rule files in place, with all their comments."
    ),
    "lsp": LazyCommand("r4.cli.commands.lsp", "Serve an editor in which rules are written."),
    "entails": LazyCommand(
        "r4.cli.commands.entails", "Say whether a premise entails a conclusion."
    ),
    "plan": LazyCommand("r4.cli.commands.plan", "Show the network of rules, and what they share."),
    "explain": LazyCommand(
        "r4.cli.commands.explain", "Say why a fact holds, since when and until when."
    ),
    "mtl": LazyCommand("r4.cli.mtl", "Rules with metric time over facts with intervals."),
    "hypothesise": LazyCommand(
        "r4.cli.commands.hypothesise", "Tell which answers are possible, and what they wait for."
    ),
    "load": LazyCommand("r4.cli.commands.load", "Load RDF in bulk into a folder, on Spark."),
    "spark": LazyCommand("r4.cli.streams.spark", "Run rules over streams in shards, on Spark."),
    "bench": LazyCommand(
        "r4.cli.commands.bench", "Measure workloads, and compare with other systems."
    ),
    "doctor": LazyCommand("r4.cli.commands.doctor", "Say what is installed, active and missing."),
    "completion": LazyCommand(
        "r4.cli.completion", "Print the script that makes a shell complete r4."
    ),
}
"""The commands in the order of ``r4 --help``."""

# Else the interpreter searches all that is left for cycles: a fifth of a short command.
atexit.register(gc.freeze)

_UNTAKEN: Final = frozenset(
    getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EBADF", "EAGAIN")
)
"""Why the system takes nothing that is written to an open file."""

DONE: Final = 0
USAGE: Final = 2
LIMIT: Final = 5
LOST: Final = 6


def _print_version(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:  # noqa: FBT001
    if is_set and not ctx.resilient_parsing:
        click.echo(version())
        ctx.exit()


def version() -> str:
    """R4's version, the kernel back end in use, and the Python."""
    import platform

    try:
        from rete.kernels import BACKEND
    except ImportError as error:
        return f"r4 {__version__} (no kernels: {error}; Python {platform.python_version()})"
    return f"r4 {__version__} ({BACKEND} kernels; Python {platform.python_version()})"


@click.group(cls=LazyGroup, rows=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and the kernel back end in use, and exit.",
)
def r4() -> None:
    """Run RIF rules over windowed RDF streams.

    \b
    Exit codes:
      0  done                    4  input refused (--strict)
      1  "no" of a question      5  a limit was reached
      2  wrong usage             6  a source or a sink was lost
      3  rules refused
    """  # noqa: D301 - \b keeps click from filling the table


def _show(error: click.ClickException) -> None:
    """Print the message, in which no character controls the terminal."""
    from rif.errors.report import visible

    with StringIO() as text:
        error.show(text)
        click.echo(visible(text.getvalue()), nl=False, err=True)


_EXHAUSTED: Final = "memory is exhausted"
_HINT: Final = "a window bounds what is kept, --limit what is derived at once"
_LEAST: Final = f"{_EXHAUSTED}; {_HINT}\n".encode()


def _show_exhausted(error: MemoryError) -> None:
    """Report it; what its frames hold is let go first, as that is needed for it."""
    error.__traceback__ = error.__context__ = None
    try:
        from rete.inference.errors import MemoryExhausted
        from rete.memory_limit import MemoryBound
        from rif.errors.report import visible

        told = isinstance(error, MemoryExhausted | MemoryBound)
        hint = "--memory allows more" if isinstance(error, MemoryBound) else _HINT
        click.echo(visible(f"{str(error) if told else _EXHAUSTED}; {hint}"), err=True)
    except MemoryError:
        with suppress(OSError):
            os.write(2, _LEAST)


def _complete(asked: str) -> int:
    """Print what the script of a shell asks for, by the variable of this text."""
    from r4.cli.completion import completions

    found = completions(r4, asked)
    if found is None:
        click.echo("_R4_COMPLETE is for the scripts of r4 completion", err=True)
        return USAGE
    click.echo(found, nl=bool(found))
    return DONE


def _lost_output(error: OSError) -> int:
    """Report a standard output that takes no more, unless its reader has had enough; the exit code.

    Commands report the files that they open.
    """
    if isinstance(error, BrokenPipeError):
        if sys.stdout is not None:  # the interpreter flushes it once more when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    if error.filename is None and error.errno not in _UNTAKEN:
        raise error
    from rif.errors.report import visible

    lost = error.filename or "<stdout>"
    click.echo(visible(f"{lost}: {error.strerror or error}"), err=True)
    return LOST


def main(args: Sequence[str] | None = None) -> int:
    """Run ``r4``; the exit code. A reader that closed the pipe has had enough: that is done."""
    with escaped_terminal(), forgiving_errors():
        return _main(sys.argv[1:] if args is None else args)


def _main(given: Sequence[str]) -> int:
    try:
        # Not click's own main: that turns a closed pipe into exit 1, which says "no" here.
        result: object
        if asked := os.environ.get("_R4_COMPLETE"):
            result = _complete(asked)
        else:
            with r4.make_context("r4", list(given)) as context:
                result = r4.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.ClickException, BrokenExtension) as error:
        shown = click.UsageError(str(error)) if isinstance(error, BrokenExtension) else error
        _show(shown)
        return shown.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except MemoryError as error:
        _show_exhausted(error)
        return LIMIT
    except OSError as error:
        return _lost_output(error)
    return result if isinstance(result, int) else DONE
