"""Mutated inputs for every reader, or for those named: ``[COUNT] [FIRST] [READER…]``; or ``names``.

Prints counts by reader, and where each kind of fault was found first; exit 1 if there is one.
"""

from __future__ import annotations

import os
import sys

import click

from tests.hostile_input.fuzzing.campaign import last_line, run, table
from tests.hostile_input.fuzzing.readers import READERS
from tests.paths import ROOT

COUNT = 2_000
FOUND = ROOT / "build" / "fuzz"
"""Where inputs go that break a reader; git does not see it."""


def main(args: list[str]) -> int:
    """Try so many inputs of each reader; the exit code."""
    if args == ["names"]:
        click.echo("\n".join(READERS))
        return 0
    numbers = [int(each) for each in args if each.isdigit()]
    names = [each for each in args if not each.isdigit()] or list(READERS)
    count, first = (*numbers, *(COUNT, 0)[len(numbers) :])
    jobs = [(name, seed) for seed in range(first, first + count) for name in names]
    tallies, findings = run(jobs, len(os.sched_getaffinity(0)))
    click.echo(table(tallies))
    seen: dict[tuple[str, str], int] = {}
    for finding in findings:
        key = finding.reader, last_line(finding.what)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 1:
            FOUND.mkdir(parents=True, exist_ok=True)
            path = FOUND / f"{finding.reader}-{finding.seed}"
            path.write_bytes(finding.data())
            click.echo(f"\n{finding.reader} {finding.seed} ({path})\n{finding.what}")
    for (reader, what), times in seen.items():
        click.echo(f"{times} × {reader}: {what}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
