"""Contestants that run in turns, round by round, each run a process that is measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, Generic, TypeVar

from bench.harness.benchmark import Request
from bench.harness.process_usage import RunFailed, Usage, measure_process
from bench.harness.tables import Json, fields_of

OUTPUT: Final = "output"
"""The file in the folder that has the standard output of a run."""

_BRIEF: Final = 0.01
"""Seconds below which a run is too short in any case."""

K = TypeVar("K")
S = TypeVar("S")


@dataclass(slots=True)
class Series(Generic[K, S]):
    """The runs of one contestant, one a round."""

    key: K  # what tells it from the others
    # per run what the process used, and what its program reported
    runs: list[tuple[Usage, S]] = field(default_factory=list)
    # what the same program used on empty input, once a round, where that is measured
    idles: list[Usage] = field(default_factory=list)
    # what is wrong with the results of some run; empty if nothing
    wrong: str = field(default="", kw_only=True)
    # how a run ended that did not end well; empty if all did
    failure: str = field(default="", kw_only=True)
    may_fail: bool = field(default=False, kw_only=True)  # whether the others go on if it fails

    @property
    def is_done(self) -> bool:
        """Whether it needs no further runs."""
        return bool(self.failure)

    def note(self, wrong: str) -> None:
        """Keep what is wrong with a run, if it is the first."""
        self.wrong = self.wrong or wrong

    @property
    def usages(self) -> list[Usage]:
        """The time and memory of each run."""
        return [usage for usage, _ in self.runs]

    @property
    def reports(self) -> list[S]:
        """The report of the program of each run."""
        return [report for _, report in self.runs]

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(usage.peak for usage in self.usages)

    @property
    def cpu(self) -> float:
        """The least processor time of any run, in seconds, with its start."""
        return min(usage.cpu for usage in self.usages)

    @property
    def start(self) -> float:
        """Seconds until a process of this kind is at work: the quickest run on empty input."""
        return min(idle.seconds for idle in self.idles)

    @property
    def after_start(self) -> list[float]:
        """Seconds of each run without its start."""
        return [max(usage.seconds - self.start, 1e-9) for usage in self.usages]

    @property
    def seconds(self) -> float:
        """The median run without its start."""
        return median(self.after_start)

    @property
    def work(self) -> list[float]:
        """Seconds of processor time of each run without that of its start."""
        start = min(idle.cpu for idle in self.idles)
        return [max(usage.cpu - start, 1e-9) for usage in self.usages]

    @property
    def short(self) -> bool:
        """Whether a run takes no longer than its start varies: its time has no meaning."""
        varies = max(idle.seconds for idle in self.idles) - self.start
        return self.seconds <= max(varies, _BRIEF)

    def json(self, **more: Json) -> dict[str, Json]:
        """The key, the runs, the faults, and ``more``."""
        runs: list[Json] = [
            {**asdict(usage), **({} if report is None else {"report": _json(report)})}
            for usage, report in self.runs
        ]
        faults = {"wrong": self.wrong, "failure": self.failure}
        return {**fields_of(self.key), **more, "runs": runs, **faults}


def _json(report: object) -> Json:
    is_plain = isinstance(report, list | tuple) and not hasattr(report, "_asdict")
    return [*map(_json, report)] if is_plain else fields_of(report)  # type: ignore[call-overload]


AnySeries = TypeVar("AnySeries", bound=Series[Any, Any])


def read_json(kind: Callable[..., S]) -> Callable[[Path], S]:
    """Reads the report that a program prints as the fields of a named tuple or a dataclass."""
    return lambda output: kind(**json.loads(output.read_text(encoding="utf-8")))


def first_wrong(found: Iterable[Series[Any, Any]]) -> str:
    """The first thing that is wrong; empty if nothing."""
    return next((each.wrong for each in found if each.wrong), "")


def paired_median(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median over the rounds of ours over theirs; of the rounds that both have."""
    return median(a / b for a, b in zip(ours, theirs, strict=False))


def run_rounds(  # noqa: PLR0913 - what, and how
    request: Request,
    series: Sequence[AnySeries],
    command: Callable[[AnySeries, int], tuple[str, ...]],
    read: Callable[[Path], object] = lambda _: None,
    *,
    title: Callable[[AnySeries], str] = lambda each: str(each.key),
    idle: Callable[[AnySeries], tuple[str, ...]] | None = None,
    check: Callable[[AnySeries, int], str] = lambda _each, _number: "",
    tell: Callable[[str, str], None] = lambda _title, _line: None,
) -> None:
    """Run everybody once a round, A B C A B C …, so that what troubles the machine troubles all.

    Args:
        request: the number of rounds, and the folder that has the output of a run.
        series: who runs; whoever is done is left out.
        command: the command of a run, by the number of the round.
        read: reads the report of a program from its standard output.
        title: what is shown of a contestant.
        idle: the command on empty input, which is measured before each run.
        check: what is wrong with a run, empty if nothing; its output is there.
        tell: gets a line of standard error, and the line that is shown of its run.

    Raises:
        RunFailed: a program ended with an error, and the others do not go on without it.
    """
    output = request.folder / OUTPUT
    for number in range(request.rounds):
        for each in series:
            if each.is_done:
                continue
            line = f"round {number + 1} of {request.rounds}: {title(each)}"
            request.say(line)
            words = command(each, number)
            try:
                if idle is not None:
                    each.idles.append(measure_process(idle(each), output))
                usage = measure_process(words, output, tell=partial(tell, line))
            except RunFailed as error:
                if not each.may_fail:
                    raise
                each.failure = error.summary
                continue
            each.runs.append((usage, read(output)))
            each.note(check(each, number))
    output.unlink(missing_ok=True)
