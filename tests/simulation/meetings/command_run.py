"""A history as files, for ``r4 run``, in one network or over shards."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from r4.spark.partition.program_partition import Partition, partition
from tests.generators.meetings.text import SUFFIXES, rules_text, source_text, triples_text
from tests.simulation.command import CommandOutput, call, small_batches
from tests.simulation.shards.command import sharded_session

if TYPE_CHECKING:
    from pathlib import Path

    from r4.program.program import Program
    from tests.generators.meetings.histories import Meeting


def command_output(case: Meeting, folder: Path) -> CommandOutput:
    """What the command prints; over shards their lines, in the order of one network."""
    with ExitStack() as stack:
        if case.small:
            stack.enter_context(small_batches(1 + case.style % 60))
        files = command_files(case, folder)
        windows = [f"--window={files[1 + n]}={ticks}" for n, ticks in case.history.source_windows]
        args = ["run", *files, *windows, *command_options(case)]
        if case.way != "shards":
            return call(args)

        def divide(program: Program, by_value: bool) -> Partition:
            return partition(program, 2 + case.style % 3, by_value=by_value)

        shown = stack.enter_context(sharded_session(divide))
        found = call(args)
        assert not found.out, "one network told them"
        return CommandOutput(found.code, "".join(f"{one}\n" for one in shown.lines), found.err)


def command_files(case: Meeting, folder: Path) -> list[str]:
    """The files of a meeting, written to ``folder``, as arguments."""
    given = case.history
    found = [_write(folder / "rules.rif", rules_text(given.document, case.style))]
    for number, (items, form) in enumerate(zip(given.sources, case.forms, strict=True)):
        name = folder / f"stream{number}.{SUFFIXES[form]}"
        found.append(_write(name, source_text(items, form, case.style, given.clock)))
    if given.statics:
        found += ["--static", _write(folder / "static.nt", triples_text(given.statics))]
    return found


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def command_options(case: Meeting) -> list[str]:
    """Its options."""
    given = case.history
    found = ["--semantics", given.semantics, "--entailment", given.regime]
    found += [] if given.window is None else ["--window", str(given.window)]
    for key, ticks in given.predicate_windows:
        found.append(f"--window={key}={ticks}")
    found += ["--delay", str(given.delay)] if given.delay else []
    found += [f"--drain={given.drain}"] if given.drain else []
    literals = "value" if given.by_value else "constant" if given.numbers else "term"
    found += ["--literals", literals]
    found += ["--order", "arrival"] if case.arrival else []
    return found
