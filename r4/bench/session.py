"""A session: everybody runs, one after the other, as many rounds as asked, and is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

from r4.bench.contest import Entry, Key, milliseconds
from r4.bench.expected import Expected, expect, expect_each
from r4.bench.measure import Usage, measure
from r4.bench.workloads import TRIPLES, WORKLOADS


class Answers(NamedTuple):
    """What an output holds; see `Expected`."""

    static: int
    inserted: int
    deleted: int
    digest: str


@dataclass(slots=True)
class Result:
    """One entry and its runs.

    Attributes:
        entry: who ran.
        runs: a usage a round.
        idles: the same on empty input.
        answers: of the last run.
        wrong: what is wrong with the answers of some run; empty where nothing is.
    """

    entry: Entry
    runs: list[Usage] = field(default_factory=list)
    idles: list[Usage] = field(default_factory=list)
    answers: Answers | None = None
    wrong: str = ""

    @property
    def key(self) -> Key:
        """The name of the entry."""
        return self.entry.key

    @property
    def start(self) -> float:
        """Seconds until a process of this kind is at work: the quickest run on empty input."""
        return min(idle.seconds for idle in self.idles)

    @property
    def net(self) -> list[float]:
        """Seconds of each run without its start."""
        return [max(run.seconds - self.start, 1e-9) for run in self.runs]

    @property
    def work(self) -> list[float]:
        """Seconds of processor time of each run without that of its start."""
        start = min(idle.cpu for idle in self.idles)
        return [max(run.cpu - start, 1e-9) for run in self.runs]

    @property
    def seconds(self) -> float:
        """The median run without its start."""
        return median(self.net)

    @property
    def rate(self) -> float:
        """Triples a second; stamps are not counted."""
        return self.key.graphs * TRIPLES / self.seconds

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(run.peak for run in self.runs)


def hold(
    entries: Sequence[Entry], rounds: int, folder: Path, say: Callable[[str], None]
) -> list[Result]:
    """Run everybody once a round, A B C A B C …, so that what troubles the machine troubles all.

    Raises:
        RunFailed: an entry ended with an error.
    """
    results = [Result(entry) for entry in entries]
    output = folder / "output"
    for number in range(rounds):
        for result in results:
            say(f"round {number + 1} of {rounds}: {result.key}")
            result.idles.append(measure(result.entry.idle, output))
            result.runs.append(measure(result.entry.command, output))
            if result.entry.check != "nothing":
                result.answers = answers(output)
                result.wrong = result.wrong or fault(result.entry, result.answers)
    output.unlink(missing_ok=True)
    return results


def answers(output: Path) -> Answers:
    """What an output holds, line by line."""
    digest = hashlib.sha256()
    static = inserted = deleted = 0
    with output.open("rb") as lines:
        for line in lines:
            digest.update(line)
            if line.startswith(b'{"op":"-"'):
                deleted += 1
            elif line.startswith(b'{"op":"+","at":null'):
                static += 1
            else:
                inserted += 1
    return Answers(static, inserted, deleted, digest.hexdigest())


def fault(entry: Entry, found: Answers) -> str:
    """In what the answers differ from those of brute force; empty if in nothing."""
    _, name, window, count = entry.key
    query, width = WORKLOADS[name].query, milliseconds(window)
    if entry.check == "seconds":
        right = _each(query, count, width)
        return "" if found[1:3] == right else f"{found[1:3]} instead of {right} answers"
    whole = _whole(query, count, width)
    counts = (whole.static, whole.inserted, whole.deleted)
    if found[:3] != counts:
        return f"{found[:3]} instead of {counts} answers"
    return "" if found.digest == whole.digest else "the counts are right, the lines are not"


@cache
def _whole(query: str, count: int, window: int) -> Expected:
    return expect(query, count, window)


@cache
def _each(query: str, count: int, window: int) -> tuple[int, int]:
    return expect_each(query, count, window)
