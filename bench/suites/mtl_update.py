"""`r4 bench mtl-update`: models that follow changes of their data, against deriving them anew.

Both are done in the same process, which compares the models. A peer follows changes of small
slices, see `mtl_slices`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import verdict
from bench.harness.process_usage import python
from bench.harness.rounds import Series, first_wrong, paired_median, run_rounds
from bench.harness.tables import TextTable, format_milliseconds, tabled
from bench.report.plot import Line, decades, draw
from bench.suites import mtl_slices
from bench.suites.mtl import lacks, programs
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


class UpdateReport(NamedTuple):
    """One change, in seconds of processor time."""

    facts: int  # how many the model has as data
    changed: int  # how many of them go or come
    change: str  # ``delete`` or ``insert``
    dred: float  # by Delete/Rederive, right after another model was derived
    auto: float  # by the method that is chosen, in a live model of its own, right after that
    recompute: float  # to derive the model anew, right after another derivation
    wrong: bool  # whether one of them led to another model than deriving anew
    successive: float  # by Delete/Rederive, among ten changes of other facts; median of three
    # that over deriving the model of all facts anew just then, likewise; median of three
    successive_ratio: float


@dataclass(slots=True)
class UpdateRuns(Series[UpdateKey, list[UpdateReport]]):
    """The runs of one model, each a list of changes."""

    @property
    def changes(self) -> Sequence[Sequence[UpdateReport]]:
        """Per change what each run reported of it."""
        return list(zip(*self.reports, strict=True))


class Growth(NamedTuple):
    """How long a change of 100 facts takes in models of more and more facts."""

    name: str  # the program
    change: str  # ``delete`` or ``insert``
    # facts of the model; least seconds to follow, and to derive anew
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


BENCHMARK: Final = Benchmark(
    {"mtl-update": "models of the same rules follow changes of their facts; see --data"},
    lambda request: findings(*update(request)) + mtl_slices.run(request),
    peers=mtl_slices.MAINTAINERS,
    lacks=lacks,
)


def update(request: Request) -> tuple[list[UpdateRuns], list[UpdateRuns]]:
    """The models with changes of both sizes; those that grow."""
    names, share = programs(request.data), request.share
    files = {name: found(name, request.data, WHOLE, request.folder) for name in names}
    whole = [UpdateRuns(UpdateKey(name, share, share)) for name in names if name in UPDATED]
    growing = [
        UpdateRuns(UpdateKey(name, share * each, share * min(GROWING[name])))
        for name in names
        for each in GROWING.get(name, ())
    ]

    def command(each: UpdateRuns, _: int) -> tuple[str, ...]:
        name, share_of, part = each.key
        return python("bench.programs.update_model", *files[name], share_of, part)

    def check(each: UpdateRuns, _: int) -> str:
        wrong = (one for one in each.reports[-1] if one.wrong)
        return next((f"{each.key}: {one.change} {one.changed}" for one in wrong), "")

    run_rounds(request, [*whole, *growing], command, read_reports, check=check)
    return whole, growing


def read_reports(output: Path) -> list[UpdateReport]:
    """The reports that `bench.programs.update_model` prints."""
    return [UpdateReport(**row) for row in json.loads(output.read_text(encoding="utf-8"))]


def findings(whole: Sequence[UpdateRuns], growing: Sequence[UpdateRuns] = ()) -> Findings:
    """Changes, growth and its picture."""
    grown = list(growths(growing))
    return Findings(
        [*_tables(whole, grown)],
        {
            "model_updates": [each.json() for each in (*whole, *growing)],
            "model_update_growth": [{**each._asdict(), "steps": each.steps} for each in grown],
        },
        first_wrong((*whole, *growing)),
        [("mtl-update.svg", draw_growth(grown))] if grown else (),
    )


def _tables(whole: Sequence[UpdateRuns], grown: Sequence[Growth]) -> Iterator[TextTable]:
    yield from tabled(
        "Models that follow changes of their data: least milliseconds of processor time. Ratio:"
        " over deriving anew in the same process, the second of two derivations, median. Before"
        " dred, another model was derived; auto follows, in a live model of its own; next is"
        " dred between changes of other facts, over deriving anew just then. Bounds: of dred if"
        " 100 facts change, of auto if a tenth does.",
        (
            *("", "facts", "change", "dred", "auto", "next", "anew"),
            *("dred/anew", "auto/anew", "next/anew", "bound", ""),
        ),
        (_change_row(each, runs) for each in whole for runs in each.changes),
    )
    yield from tabled(
        f"A change of {FEW} facts in models of more and more: milliseconds. Per decade:"
        " the most that it takes longer from one to the next.",
        ("", "change", "facts", "dred", "anew", "per decade", "bound"),
        (row for each in grown for row in _growth_rows(each)),
        texts=2,
    )


def _change_row(each: UpdateRuns, runs: Sequence[UpdateReport]) -> tuple[str, ...]:
    first, anew = runs[0], [one.recompute for one in runs]
    dred = paired_median([one.dred for one in runs], anew)
    auto = paired_median([one.auto for one in runs], anew)
    is_small = first.changed == FEW
    most = OVER_ANEW.get((each.key.name, first.change)) if is_small else AUTO_OVER_ANEW
    least = (
        min(getattr(one, name) for one in runs)
        for name in ("dred", "auto", "successive", "recompute")
    )
    return (
        *(str(each.key), f"{first.facts:,}", f"{first.change} {first.changed:,}"),
        *map(format_milliseconds, least),
        *(f"{dred:.2f}", f"{auto:.2f}"),
        f"{median(one.successive_ratio for one in runs):.3f}",
        verdict(dred if is_small else auto, most if each.key.share == WHOLE else None),
        "wrong" if any(one.wrong for one in runs) else "equal",
    )


def _growth_rows(growth: Growth) -> Iterator[tuple[str, ...]]:
    for number, (facts, time, anew) in enumerate(growth.points):
        names = ("", "") if number else (growth.name, growth.change)
        step = growth.steps[number - 1] if number else None
        judged = ("", "") if step is None else (f"{step:.2f}", verdict(step, MOST_A_DECADE))
        yield *names, f"{facts:,}", format_milliseconds(time), format_milliseconds(anew), *judged


def draw_growth(grown: Sequence[Growth]) -> str:
    """Milliseconds over facts, in decades: full lines follow a change, dashed ones derive anew."""
    points = [point for growth in grown for point in growth.points]
    lines, dashed = [], set()
    for growth in grown:
        name = f"{growth.name.split(maxsplit=1)[0]}, {growth.change}"
        lines.append(Line(name, [(count, time) for count, time, _ in growth.points]))
        if growth.name not in dashed:
            dashed.add(growth.name)
            lines.append(Line("", [(count, time) for count, _, time in growth.points], dashed=True))
    return draw(
        f"A change of {FEW} facts in models of more and more",
        "milliseconds over facts; dashed: all derived anew",
        lines,
        decades(count for count, _, _ in points),
        decades((time for _, *times in points for time in times), times=1000),
    )
