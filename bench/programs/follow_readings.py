"""R4 follows hypothetical answers to readings of turbines, or derives certain ones alone.

It reads them as `r4 hypothesise` does and discards the output lines. It prints in JSON what that
took, in seconds of processor time.
usage: follow_readings.py READINGS COUNT hypotheses|network DELAY...
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Final, ParamSpec, Protocol, TypeVar
from unittest.mock import patch

import numpy as np

from bench.harness.process_usage import peak_memory
from bench.suites.hypotheses import NETWORK, HypothesisReport
from bench.workloads.temporal.turbine_readings import METRIC, PROGRAM, QUERY, FollowedCounts
from r4.rdf.files import ByteSource
from rete.arrays.delta import Rows
from rete.arrays.term_columns import Ids
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from rif.syntax.terms import Local
from temporal.hypothetical.arrival.intake import ArrivalIntake, ArrivalSlices
from temporal.hypothetical.arrival.lateness import parse_delays
from temporal.hypothetical.online_evaluation import OnlineEvaluation
from temporal.hypothetical.output.answer_reports import AnswerReports
from temporal.hypothetical.output.line_templates import LineTemplate, TemplateSlot, fill_template
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.atom_parser import TermTexts, TextForm
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query
from temporal.mtl.lowering import lower
from temporal.text.program_parser import parse_program as parse_metric

P = ParamSpec("P")
R = TypeVar("R")
_STATUSES: Final = '"status":"answer"', '"status":"withdrawn"'


class Follower(Protocol):
    """Takes in slices and gives output lines."""

    def push(self, slices: ArrivalSlices) -> list[str]:
        """Take in slices; the lines on what they change."""
        ...

    def sweep(self, keep: Iterable[Ids]) -> None:
        """Forget what nothing mentions any more, but ``keep`` some ids."""
        ...

    @property
    def held(self) -> int:
        """How many entries are open."""
        ...


class LineTimer:
    """The seconds of processor time in which lines are made.

    A follower makes them while it takes in slices, so they are timed there.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def time(self, function: Callable[P, R]) -> Callable[P, R]:
        """The same function, whose time counts."""

        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            begun = process_time()
            found = function(*args, **kwargs)
            self.seconds += process_time() - begun
            return found

        return timed


class PlainNetwork:
    """The same rules with metric operators, in a network of R4 that gets the same slices.

    It gives certain answers alone. As facts of one moment come together, none comes before the
    frontier.
    """

    held = 0

    def __init__(self, terms: Dictionary, watch: LineTimer) -> None:
        emits, answer = lower(parse_metric(METRIC), 1), Relation(str(Local("Malf")), 1)
        self._inference = InferenceEngine(emits, terms, answers=answer.__eq__)
        self._inference.on_gain = self._gained
        self._gains: list[Rows] = []
        self._texts = watch.time(self._make_texts)
        self._writings = TermTexts(terms)
        name, time = TemplateSlot(0, time=False, form=TextForm.APART), TemplateSlot(1, time=True)
        self._pattern = LineTemplate.of(
            ['{"status":"answer","answer":{"X":', name, ',"T":', time, "}}"]
        )

    def _gained(self, _table: FactTable, rows: Rows) -> None:
        self._gains.append(rows)

    def push(self, slices: ArrivalSlices) -> list[str]:
        """Take in slices; the answers that follow."""
        for predicate, facts in slices.facts.items():
            cells = 2 * facts[:, -3]
            rows = np.column_stack([facts[:, :-3], cells, cells + 1])
            self._inference.push(Relation(str(Local(predicate)), facts.shape[1] - 3), rows)
        self._inference.settle(2 * (slices.frontier + 1))
        return self._texts()

    def _make_texts(self) -> list[str]:
        texts: list[str] = []
        for rows in self._gains:
            values = np.column_stack([rows[:, 0], rows[:, 1] // 2])
            texts += fill_template(self._pattern, values, self._writings)
        self._gains.clear()
        return texts

    def sweep(self, keep: Iterable[Ids]) -> None:
        """Forget nothing: the devices are the same all the time."""


def follow(path: str, count: int, how: str, delays: Sequence[str]) -> HypothesisReport:
    """Follow the readings of a file, of which there are ``count``."""
    watch = LineTimer()
    follower, intake = _start(how, delays, watch)
    idle = half = peak_memory()
    read = match = write = later = 0.0
    facts = line_count = held = 0
    statuses: Counter[str] = Counter()
    with (
        closing(ByteSource(path)) as source,
        Path(os.devnull).open("wb") as sink,
        patch.object(AnswerReports, "report", watch.time(AnswerReports.report)),
    ):
        slices_of = intake.read(iter(source.read, b""))
        begun = process_time()
        while (slices := next(slices_of, None)) is not None:
            come = process_time()
            lines = follower.push(slices)
            follower.sweep(intake.pending_ids)
            made = process_time()
            sink.write("".join(f"{line}\n" for line in lines).encode())
            done = process_time()
            read, match, write = read + come - begun, match + made - come, write + done - made
            if 2 * intake.facts <= count:
                half, facts = peak_memory(), intake.facts
            else:
                later += done - begun
            line_count += len(lines)
            held = max(held, follower.held)
            statuses += Counter(status for line in lines for status in _STATUSES if status in line)
            begun = process_time()
        read += process_time() - begun
    answers, withdrawn = (statuses[status] for status in _STATUSES)
    outcome = FollowedCounts(answers, withdrawn, follower.held)
    sizes = idle, half, peak_memory()
    spent = read, match - watch.seconds, watch.seconds, write
    taken = intake.facts
    return HypothesisReport(taken, *spent, later, taken - facts, line_count, outcome, held, *sizes)


def _start(how: str, delays: Sequence[str], watch: LineTimer) -> tuple[Follower, ArrivalIntake]:
    """A follower of readings, and its intake, before the first."""
    rules, query, terms = parse_program(PROGRAM), parse_query(QUERY), Dictionary()
    late = parse_delays(delays, rules)
    intake = ArrivalIntake(rules, late, terms)
    if how == NETWORK:
        return PlainNetwork(terms, watch), intake
    return OnlineEvaluation(resolve(rules, query).answers, query, late, terms), intake


def main(path: str, count: str, how: str, *delays: str) -> None:
    """Follow the readings, and print the report."""
    json.dump(follow(path, int(count), how, delays)._asdict(), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
