"""Faults to be planted in possible answers, each a small mistake that one can make there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final
from unittest.mock import patch

import r4.possible.rewriting.arrival_units
import r4.possible.rewriting.program_rewriting
import r4.possible.rewriting.resolution
import r4.possible.tracking.subsumption
from r4.possible.arrival_chances import UnitLateness
from r4.possible.rewriting.arrival_units import ComputedCondition, Derivation
from r4.possible.rewriting.resolution import Resolution, ResolvedBody
from r4.possible.rewriting.resolved_rules import ResolvedRule, ResolvedRules, rules_of
from r4.possible.tracking.answer_writer import AnswerWriter
from r4.possible.tracking.certain_answers import CertainAnswers
from r4.possible.tracking.evidence_reader import AwaitedUnit, EvidenceReader, last_ticks
from r4.possible.tracking.evidence_store import EvidenceStore
from r4.possible.tracking.live_entries import EvidenceRow
from tests.faults.detection import Fault


def distance_ignored() -> AbstractContextManager[object]:
    """What is missing may come as long as what is there holds, whatever lies between."""
    return patch.object(AwaitedUnit, "until", lambda _, last: last)


def outer_operator_alone() -> AbstractContextManager[object]:
    """Of operators under one another the last one counts."""
    return patch.object(r4.possible.rewriting.resolution, "add_ranges", lambda _, other: other)


def a_tick_longer() -> AbstractContextManager[object]:
    """A row of evidence is kept for a tick too long."""
    return patch(
        "r4.possible.tracking.evidence_store.last_ticks", lambda rows: last_ticks(rows) + 2
    )


def delay_of_predicates_ignored() -> AbstractContextManager[object]:
    """All that is missing is late as if no predicate had a delay."""
    return patch.object(UnitLateness, "bound", lambda *_: 0)


def nothing_covers() -> AbstractContextManager[object]:
    """No set of hypotheses makes another one needless."""
    return patch("r4.possible.tracking.live_entries.subsumes", lambda *_: False)


def variables_are_anything() -> AbstractContextManager[object]:
    """A free variable may stand for two things at once."""

    def extended(values: tuple[int, ...], to: tuple[int, ...], given: Mapping[int, int]) -> object:
        fits = all(a < 0 or a == b for a, b in zip(values, to, strict=True))
        return given if fits else None

    return patch.object(r4.possible.tracking.subsumption, "_extend", extended)


def certain_is_possible() -> AbstractContextManager[object]:
    """What is certain is possible still."""
    return patch.object(CertainAnswers, "holds", lambda *_: False)


def nothing_runs_out() -> AbstractContextManager[object]:
    """What waits for what can come no more goes on waiting."""
    return patch.object(EvidenceStore, "_expire", lambda _: None)


def nothing_is_lost() -> AbstractContextManager[object]:
    """Evidence that is taken back stays."""
    return patch.object(EvidenceStore, "lose", lambda *_: None)


def tests_are_forgotten() -> AbstractContextManager[object]:
    """Tests that wait for what is missing are not told."""
    right = Derivation.bound

    def bound(
        derivation: Derivation, chosen: Iterable[int]
    ) -> tuple[set[str], list[ComputedCondition], list[ComputedCondition]]:
        names, taken, _ = right(derivation, chosen)
        return names, taken, []

    return patch.object(Derivation, "bound", bound)


def tests_are_not_taken() -> AbstractContextManager[object]:
    """Tests whose variables are bound are not looked at."""
    right = Derivation.bound

    def bound(
        derivation: Derivation, chosen: Iterable[int]
    ) -> tuple[set[str], list[ComputedCondition], list[ComputedCondition]]:
        names, taken, waiting = right(derivation, chosen)
        return names, [step for step in taken if step.gives is not None], waiting

    return patch.object(Derivation, "bound", bound)


def one_rule_of_a_head() -> AbstractContextManager[object]:
    """Of the rules that conclude the same the first one is followed."""

    def first(*given: object) -> ResolvedRules:
        found = rules_of(*given)  # type: ignore[arg-type]
        heads: dict[object, ResolvedRule] = {}
        for rule in found.rules:
            heads.setdefault(str(rule.head.args[1]), rule)
        return ResolvedRules(tuple(heads.values()), found.facts)

    return patch.object(r4.possible.rewriting.program_rewriting, "rules_of", first)


def triples_come_together() -> AbstractContextManager[object]:
    """Conditions about one subject are one unit, whatever is asked for."""
    right = r4.possible.rewriting.arrival_units.derive_units

    def together(way: ResolvedBody, *, by_subject: bool) -> object:
        del by_subject
        return right(way, by_subject=True)

    return patch.object(r4.possible.rewriting.program_rewriting, "derive_units", together)


def any_evidence() -> AbstractContextManager[object]:
    """Not the evidence that lasts longest is told, but the first."""

    def first(_: AnswerWriter, rows: Mapping[EvidenceRow, int]) -> tuple[EvidenceRow, int]:
        return next(iter(rows.items()))

    return patch.object(AnswerWriter, "best", first)


def renewal_unseen() -> AbstractContextManager[object]:
    """Evidence lasts as long as it did when it came."""
    right = EvidenceStore._add

    def add(store: EvidenceStore, reader: EvidenceReader, rows: object) -> None:
        before = dict(store._of_row)
        lasts = {row: known[1].rows[row] for row, known in before.items()}
        right(store, reader, rows)  # type: ignore[arg-type]
        for row, last in lasts.items():
            store._of_row[row][1].rows[row] = last

    return patch.object(EvidenceStore, "_add", add)


def ranges_are_spread() -> AbstractContextManager[object]:
    """Units under one operator over a range are followed as if each had its own."""
    right = Resolution._diamond

    def diamond(
        resolution: Resolution, goal: object, formula: object, state: object
    ) -> Iterator[object]:
        for found in right(resolution, goal, formula, state):  # type: ignore[arg-type]
            goals = [replace(each, scopes=()) for each in found.goals]
            yield replace(found, goals=tuple(goals))

    return patch.object(Resolution, "_diamond", diamond)


FAULTS: Final[tuple[Fault, ...]] = (
    distance_ignored,
    outer_operator_alone,
    a_tick_longer,
    delay_of_predicates_ignored,
    nothing_covers,
    variables_are_anything,
    certain_is_possible,
    nothing_runs_out,
    nothing_is_lost,
    tests_are_forgotten,
    tests_are_not_taken,
    one_rule_of_a_head,
    triples_come_together,
    any_evidence,
    renewal_unseen,
    ranges_are_spread,
)
