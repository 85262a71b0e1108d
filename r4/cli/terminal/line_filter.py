"""A line filter: lines of a file or of standard input become lines of an output."""

from __future__ import annotations

from contextlib import closing

from r4.cli.terminal.console import INPUT_REFUSED, LOST, refuse, say
from r4.cli.terminal.progress import Progress
from r4.errors import InputError, SourceLost
from r4.rdf.files import ByteSource, DamagedInput
from r4.run.line_run import LineReasoner, LineRun
from r4.sinks.file import SinkLost, open_file


def follow_lines(reasoner: LineReasoner, data: str, output: str, unit: str) -> tuple[int, int]:
    """Follow a file of facts; how many answers were written, and the exit code.

    That is 0 unless one of the ends was lost or damaged, as is reported. ``unit`` is what answers
    are called in the progress.
    """
    try:
        source = ByteSource(data)
    except InputError as error:
        refuse(str(error))
    line = Progress()

    def show(run: LineRun) -> None:
        line.update(f"{reasoner.facts:,} facts, {run.written:,} {unit}")

    run = LineRun(reasoner, say, show)
    try:
        with closing(source), open_file(output) as sink, line:
            run.execute(source, sink)
    except BrokenPipeError:
        raise
    except OSError as error:
        refuse(f"{output}: {error.strerror or error}")
    except DamagedInput as error:
        say(f"{source.name}: {error}")
        return run.written, INPUT_REFUSED
    except (SourceLost, SinkLost) as error:
        say(str(error))
        return run.written, LOST
    return run.written, 0
