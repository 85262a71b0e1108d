"""Models that follow changes of their data, against deriving them anew in the same process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.harness.rounds import Series, paired_median, run_rounds
from bench.workloads.temporal.metric_programs import WHOLE, found

FEW: Final = 100
"""Facts of a small change; those of a large one are a tenth of all."""
UPDATED: Final = ("lubm_t 10^4", "lubm_t 10^5", "itemporal 10^4", "weather")
GROWING: Final[Mapping[str, Sequence[float]]] = {
    "lubm_t 10^5": (1 / 100, 1 / 10, 1),
    "weather": (1 / 60, 1 / 6, 1),
}
"""Shares of the facts, about a decade apart; what changes is of the first of them."""
OVER_ANEW: Final[Mapping[tuple[str, str], float]] = {
    ("lubm_t 10^4", "delete"): 0.75,
    ("lubm_t 10^4", "insert"): 0.5,
    ("lubm_t 10^5", "delete"): 0.4,
    ("lubm_t 10^5", "insert"): 0.2,
    ("itemporal 10^4", "delete"): 0.5,
    ("itemporal 10^4", "insert"): 0.5,
    ("weather", "delete"): 0.4,
    ("weather", "insert"): 0.4,
}
"""The most that a change of 100 facts is to take, in times of deriving anew."""
AUTO_OVER_ANEW: Final = 1.1
"""The same for a tenth of the facts, if the method is chosen."""
MOST_A_DECADE: Final = 2.0
"""The most by which a change of 100 facts is to take longer in ten times the facts."""


class UpdateKey(NamedTuple):
    """A model of a share of the facts, and of which share the changed ones are."""

    name: str
    share: float = WHOLE
    part: float = WHOLE

    def __str__(self) -> str:
        return self.name if self.share == WHOLE else f"{self.name}, {self.share:.3g} of it"


@dataclass(frozen=True, slots=True)
class Phases:
    """What an update did; see `temporal.maintenance.statistics.UpdateStatistics`."""

    method: str
    overdeleted: int
    rederived: int
    inserted: int
    overdeletion: float
    rederivation: float
    insertion: float
    periods: float


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """One change, in seconds of processor time.

    Attributes:
        facts: how many the model has as data.
        changed: how many of them go or come.
        change: ``delete`` or ``insert``.
        dred: by Delete/Rederive, right after another model was derived.
        auto: by the method that is chosen, in a live model of its own, right after that.
        successive: by Delete/Rederive, among ten changes of other facts; median of three.
        successive_ratio: that over deriving the model of all facts anew just then, likewise;
            median of three.
        recompute: to derive the model anew, right after another derivation.
        wrong: whether one of them led to another model than deriving anew.
        phases: of Delete/Rederive.
        chosen: the method of ``auto``.
    """

    facts: int
    changed: int
    change: str
    dred: float
    auto: float
    successive: float
    successive_ratio: float
    recompute: float
    wrong: bool
    phases: Phases
    chosen: str

    @staticmethod
    def read_all(output: Path) -> list[UpdateReport]:
        """From the output of `bench.programs.temporal.update_model`."""
        return [_read(each) for each in json.loads(output.read_text(encoding="utf-8"))]


def _read(row: Mapping[str, object]) -> UpdateReport:
    statistics, chosen = row["dred_statistics"], row["auto_statistics"]
    assert isinstance(statistics, dict)
    assert isinstance(chosen, dict)
    times = ("dred", "auto", "successive", "successive_ratio", "recompute")
    values: dict[str, object] = {name: row[name] for name in ("facts", "changed", "change", *times)}
    values["wrong"] = row["wrong"]
    phases = Phases(**{name: statistics[name] for name in Phases.__dataclass_fields__})
    return UpdateReport(**values, phases=phases, chosen=str(chosen["method"]))  # type: ignore[arg-type]


@dataclass(slots=True)
class UpdateRuns(Series[UpdateKey, list[UpdateReport]]):
    """The runs of one model, each a list of changes."""

    @property
    def changes(self) -> Sequence[Sequence[UpdateReport]]:
        """Per change what each run reported of it."""
        return list(zip(*self.reports, strict=True))

    @property
    def wrong(self) -> str:
        """A change after which the model was wrong; empty if there is none."""
        for each in (each for report in self.reports for each in report):
            if each.wrong:
                return f"{self.key}: {each.change} {each.changed}"
        return ""


def dred_ratio(runs: Sequence[UpdateReport]) -> float:
    """Delete/Rederive over deriving anew, median over the rounds."""
    return paired_median([each.dred for each in runs], [each.recompute for each in runs])


def auto_ratio(runs: Sequence[UpdateReport]) -> float:
    """The same for the method that is chosen."""
    return paired_median([each.auto for each in runs], [each.recompute for each in runs])


def successive_ratio(runs: Sequence[UpdateReport]) -> float:
    """The same for Delete/Rederive where changes follow each other."""
    return median(each.successive_ratio for each in runs)


class Growth(NamedTuple):
    """How long a change of 100 facts takes in models of more and more facts.

    Attributes:
        name: the program.
        change: ``delete`` or ``insert``.
        points: facts of the model; least seconds to follow, and to derive anew.
    """

    name: str
    change: str
    points: Sequence[tuple[int, float, float]]

    @property
    def steps(self) -> list[float]:
        """How many times as long each takes as the one before."""
        times = [time for _, time, _ in self.points]
        return [later / sooner for sooner, later in pairwise(times)]


def growths(series: Sequence[UpdateRuns]) -> Iterator[Growth]:
    """How changes grow with the facts, by program."""
    for name in dict.fromkeys(each.key.name for each in series):
        mine = [each for each in series if each.key.name == name]
        for change in ("delete", "insert"):
            points = []
            for each in mine:
                for runs in each.changes[:2]:  # those of a tenth may be as many
                    if runs[0].changed == FEW and runs[0].change == change:
                        times = min(one.dred for one in runs), min(one.recompute for one in runs)
                        points.append((runs[0].facts, *times))
            if points:
                yield Growth(name, change, sorted(points))


def run_updates(  # noqa: PLR0913, PLR0917 - what and where
    names: Sequence[str],
    data: Path,
    share: float,
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
) -> tuple[list[UpdateRuns], list[UpdateRuns]]:
    """The models with changes of both sizes; those that grow.

    Raises:
        RunFailed: a program ended with an error.
    """
    files = {name: found(name, data, WHOLE, folder) for name in names}
    whole = [UpdateRuns(UpdateKey(name, share, share)) for name in names if name in UPDATED]
    growing = [
        UpdateRuns(UpdateKey(name, share * each, share * min(GROWING[name])))
        for name in names
        for each in GROWING.get(name, ())
    ]

    def command(each: UpdateRuns, _: int) -> tuple[str, ...]:
        name, share_of, part = each.key
        program = (sys.executable, "-m", "bench.programs.temporal.update_model")
        return (*program, *files[name], str(share_of), str(part))

    run_rounds([*whole, *growing], command, UpdateReport.read_all, rounds, folder, say)
    return whole, growing
