"""What was found of models that follow changes of their data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from bench.harness.rounds import first_wrong
from bench.harness.tables import Json, TextTable, format_bound
from bench.report.temporal.growth_picture import draw_growth
from bench.suites.temporal.model_updates import (
    AUTO_OVER_ANEW,
    FEW,
    MOST_A_DECADE,
    OVER_ANEW,
    Growth,
    UpdateReport,
    UpdateRuns,
    auto_ratio,
    dred_ratio,
    growths,
    successive_ratio,
)
from bench.suites.temporal.slice_updates import CHANGES, SliceRuns, slice_pairs
from bench.workloads.temporal.metric_programs import WHOLE


@dataclass(frozen=True, slots=True)
class UpdateFindings:
    """Updates of models with metric time.

    Attributes:
        models: the runs with changes of both sizes.
        growing: those of one change in models of more and more facts.
        slices: those of R4 and of peers on the same small slices.
        versions: peer → what the user installed.
    """

    models: Sequence[UpdateRuns] = ()
    growing: Sequence[UpdateRuns] = ()
    slices: Sequence[SliceRuns] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def wrong(self) -> str:
        """A change after which a model was wrong; empty if there is none."""
        of_slices = (f"{each.key}: {each.wrong}" for each in self.slices if each.wrong)
        return first_wrong((*self.models, *self.growing)) or next(of_slices, "")

    def tables(self) -> Iterator[TextTable]:
        """Changes, their phases, growth; who follows changes of slices how fast."""
        yield from self._model_tables()
        if self.slices:
            yield TextTable(
                "A change of a small slice, right after its model is derived: least milliseconds of"
                " processor time. How many times as fast as that R4 is: the median.",
                (
                    *("", "facts", "changed", "derive", "delete", "times", "insert", "times"),
                    *("compared", "answers"),
                ),
                tuple(_slice_row(*each) for each in slice_pairs(self.slices)),
            )
            rows = tuple(self.versions.items())
            yield TextTable("Peers that the user installed.", ("", ""), rows, texts=2)

    def _model_tables(self) -> Iterator[TextTable]:
        if not self.models:
            return
        changes = [(each, runs) for each in self.models for runs in each.changes]
        yield TextTable(
            "Models that follow changes of their data: least milliseconds of processor time. Ratio:"
            " over deriving anew in the same process, the second of two derivations, median. Before"
            " dred, another model was derived; auto follows, in a live model of its own; next is"
            " dred between changes of other facts, over deriving anew just then. Bounds: of dred if"
            " 100 facts change, of auto if a tenth does.",
            (
                *("", "facts", "change", "dred", "auto", "next", "anew"),
                *("dred/anew", "auto/anew", "next/anew", "bound", ""),
            ),
            tuple(_change_row(*each) for each in changes),
        )
        yield TextTable(
            "Phases of Delete/Rederive: facts, and milliseconds.",
            ("", "change", "overdeleted", "ms", "rederived", "ms", "inserted", "ms", "periods ms"),
            tuple(_phase_row(*each) for each in changes),
        )
        grown = list(growths(self.growing))
        if grown:
            yield TextTable(
                f"A change of {FEW} facts in models of more and more: milliseconds. Per decade:"
                " the most that it takes longer from one to the next.",
                ("", "change", "facts", "dred", "anew", "per decade", "bound"),
                tuple(row for each in grown for row in _growth_rows(each)),
                texts=2,
            )

    def pictures(self) -> Iterator[tuple[str, str]]:
        """How long a change takes in models of more and more facts."""
        if grown := list(growths(self.growing)):
            yield "mtl-update.svg", draw_growth(grown)

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "model_updates": [
                {
                    **each.key._asdict(),
                    "runs": [[asdict(one) for one in report] for report in each.reports],
                    "wrong": each.wrong,
                }
                for each in (*self.models, *self.growing)
            ],
            "model_update_growth": [
                {
                    "name": each.name,
                    "change": each.change,
                    "points": [list(point) for point in each.points],
                    "steps": each.steps,
                }
                for each in growths(self.growing)
            ],
            "slice_updates": [
                {
                    **each.key._asdict(),
                    "runs": [
                        {**asdict(usage), "told": report._asdict()} for usage, report in each.runs
                    ],
                    "compared": each.compared,
                    "wrong": each.wrong,
                    "failure": each.failure,
                }
                for each in self.slices
            ],
            "update_installations": dict(self.versions),
        }


def _change_row(series: UpdateRuns, runs: Sequence[UpdateReport]) -> tuple[str, ...]:
    first, dred, auto = runs[0], dred_ratio(runs), auto_ratio(runs)
    is_small = first.changed == FEW
    most = OVER_ANEW.get((series.key.name, first.change)) if is_small else AUTO_OVER_ANEW
    figure = dred if is_small else auto
    is_judged = most is not None and series.key.share == WHOLE
    return (
        str(series.key),
        f"{first.facts:,}",
        f"{first.change} {first.changed:,}",
        _ms(min(each.dred for each in runs)),
        _ms(min(each.auto for each in runs)),
        _ms(min(each.successive for each in runs)),
        _ms(min(each.recompute for each in runs)),
        f"{dred:.2f}",
        f"{auto:.2f}",
        f"{successive_ratio(runs):.3f}",
        format_bound(most, kept=figure <= most) if is_judged and most is not None else "",
        "wrong" if any(each.wrong for each in runs) else "equal",
    )


def _phase_row(series: UpdateRuns, runs: Sequence[UpdateReport]) -> tuple[str, ...]:
    best = min(runs, key=lambda each: each.dred)
    found = best.phases
    return (
        str(series.key),
        f"{best.change} {best.changed:,}",
        f"{found.overdeleted:,}",
        _ms(found.overdeletion),
        f"{found.rederived:,}",
        _ms(found.rederivation),
        f"{found.inserted:,}",
        _ms(found.insertion),
        _ms(found.periods),
    )


def _growth_rows(growth: Growth) -> Iterator[tuple[str, ...]]:
    for number, (facts, time, anew) in enumerate(growth.points):
        step = growth.steps[number - 1] if number else None
        yield (
            "" if number else growth.name,
            "" if number else growth.change,
            f"{facts:,}",
            _ms(time),
            _ms(anew),
            "" if step is None else f"{step:.2f}",
            "" if step is None else format_bound(MOST_A_DECADE, kept=step <= MOST_A_DECADE),
        )


def _slice_row(series: SliceRuns, ours: SliceRuns) -> tuple[str, ...]:
    facts, changed = f"{series.key.facts:,}", f"{series.key.changed:,}"
    if series.failure:
        return (str(series.key), facts, changed, *[""] * 6, series.failure)
    is_peer = series is not ours
    is_right_peer = is_peer and not series.wrong
    changes = [
        (
            _ms(series.least(what)),
            f"{series.times_as_fast(what, ours):.0f}" if is_right_peer else "",
        )
        for what in CHANGES
    ]
    return (
        str(series.key),
        facts,
        changed,
        _ms(series.least("derive")),
        *(cell for cells in changes for cell in cells),
        f"{series.compared:,}" if is_peer else "",
        f"wrong: {series.wrong}" if series.wrong else "as R4" if is_peer else "as anew",
    )


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f}"
