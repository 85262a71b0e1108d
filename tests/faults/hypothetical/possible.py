"""Faults to be planted in possible answers, each a small mistake that one can make there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import NEG_INF, Cells, Column, Rows, columns, concat
from temporal.hypothetical.live_entries import LiveEntries
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.entries import embeddings, subsumption
from temporal.hypothetical.rif_rules.entries.embeddings import Evaluation
from temporal.hypothetical.rif_rules.entries.evidence_reader import (
    EvidenceReader,
    ShapeColumns,
    TimeKind,
    tick_ends,
)
from temporal.hypothetical.rif_rules.entries.evidence_store import EvidenceStore
from temporal.hypothetical.rif_rules.entries.fact_entries import CertainAnswers
from temporal.hypothetical.rif_rules.entries.hypothesis_sets import HypothesisSets
from temporal.hypothetical.rif_rules.reports.report_writer import FactChanges, ReportWriter
from temporal.hypothetical.rif_rules.rewriting import (
    arrival_units,
    program_rewriting,
    resolution,
)
from temporal.hypothetical.rif_rules.rewriting.arrival_units import ComputedCondition, Derivation
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    AtomPattern,
    ResolvedRule,
    rules_of,
)
from temporal.hypothetical.rif_rules.rewriting.resolution import (
    PlacedCondition,
    ResolvedBody,
    RuleResolution,
)
from temporal.hypothetical.rif_rules.tracker import PossibleAnswerTracker
from tests.faults.detection import Fault


def distance_ignored() -> AbstractContextManager[object]:
    """What is missing may come as long as what is there holds, whatever lies between."""
    return patch.object(
        ShapeColumns, "until", staticmethod(lambda last, nearest: last + 0 * nearest)
    )


def outer_operator_alone() -> AbstractContextManager[object]:
    """Of operators under one another the last one counts."""

    def inner(_: Cells, rho: Cells, *, future: bool) -> Cells:
        return (1 - rho[1], 1 - rho[0]) if future else rho

    return patch.object(resolution, "dilate", inner)


def a_tick_longer() -> AbstractContextManager[object]:
    """A row of evidence is kept for a tick too long."""

    def longer(rows: Rows) -> tuple[Column, Column]:
        first, last = tick_ends(rows)
        return first, last + 2

    return patch("temporal.hypothetical.rif_rules.entries.evidence_store.tick_ends", longer)


def delay_of_predicates_ignored() -> AbstractContextManager[object]:
    """All that is missing is late as if no predicate had a delay."""
    return patch.object(UnitLateness, "bound", lambda *_: 0)


def nothing_covers() -> AbstractContextManager[object]:
    """No set of hypotheses makes another one needless."""
    return patch.object(subsumption, "conjunctions", lambda *_: [])


def implied_conditions_stay() -> AbstractContextManager[object]:
    """A condition that others imply at the same time is waited for."""
    return patch.object(program_rewriting, "condense", lambda body: body)


def implied_at_any_time() -> AbstractContextManager[object]:
    """A condition that others imply at another time is left out."""
    right = resolution._matched

    def matched(one: PlacedCondition, target: PlacedCondition, *given: Any) -> object:
        return right(replace(one, reach=target.reach, scopes=target.scopes), target, *given)

    return patch.object(resolution, "_matched", matched)


def evidence_is_needed() -> AbstractContextManager[object]:
    """What needs no evidence makes no set of hypotheses needless."""
    return patch.object(program_rewriting, "may_make_needless", lambda *_: False)


def what_must_hold_never_does() -> AbstractContextManager[object]:
    """What needs conditions, and no evidence, makes no set of hypotheses needless."""
    return patch.object(
        HypothesisSets, "_holding", lambda _, relation, keys: keys[:0, relation.arity :]
    )


def what_must_hold_always_does() -> AbstractContextManager[object]:
    """What needs no evidence makes sets needless, whether its conditions hold or not."""
    return patch.object(
        HypothesisSets, "_holding", lambda _, relation, keys: keys[:, relation.arity :].copy()
    )


def what_must_hold_is_asked_once() -> AbstractContextManager[object]:
    """What makes a set needless does so as long as its fact does not change."""
    return patch.object(HypothesisSets, "settle", lambda _: None)


def what_is_late_completes() -> AbstractContextManager[object]:
    """What needs no evidence makes sets needless, though its input would be late by now."""
    right = HypothesisSets._held

    def held(sets: HypothesisSets, *given: Any) -> object:
        bounds = np.full_like(sets._store.late_bounds, NEG_INF)
        with patch.object(sets._store, "late_bounds", bounds):
            return right(sets, *given)

    return patch.object(HypothesisSets, "_held", held)


def tests_are_as_written() -> AbstractContextManager[object]:
    """A test that is true of what another set has is none of its tests."""
    return patch.object(embeddings._Mapping, "called", lambda *_: ())


def all_tests_are_passed() -> AbstractContextManager[object]:
    """A test of what another set has is true."""
    return patch.object(Evaluation, "_evaluate", lambda *_: True)


def variables_are_anything() -> AbstractContextManager[object]:
    """A free variable may stand for two things at once."""
    right = embeddings._Mapping.mapped

    def mapped(here: Any, atom: Any, target: Any, state: Any) -> object:
        return right(here, atom, target, state._replace(bound={}))

    return patch.object(embeddings._Mapping, "mapped", mapped)


def times_are_nothing() -> AbstractContextManager[object]:
    """A triple that is missing at two times is missing once."""
    return patch.object(EvidenceReader, "kind", lambda *_, **__: TimeKind.ANY)


def certain_is_possible() -> AbstractContextManager[object]:
    """What is certain is possible still."""
    return patch.object(CertainAnswers, "hold", lambda _, facts: np.zeros(len(facts), np.bool_))


def nothing_runs_out() -> AbstractContextManager[object]:
    """What waits for what can come no more goes on waiting."""
    return patch.object(LiveEntries, "due", lambda *_: columns([]))


def nothing_is_lost() -> AbstractContextManager[object]:
    """Evidence that is taken back stays."""
    right = PossibleAnswerTracker.lose

    def lose(here: PossibleAnswerTracker, table: Any, rows: Rows) -> None:
        if not here.reads(table.relation):
            right(here, table, rows)

    return patch.object(PossibleAnswerTracker, "lose", lose)


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

    def first(*given: object) -> tuple[list[ResolvedRule], list[AtomPattern]]:
        found, facts = rules_of(*given)  # type: ignore[arg-type]
        heads: dict[object, ResolvedRule] = {}
        for rule in found:
            heads.setdefault(str(rule.head.args[1]), rule)
        return [*heads.values()], facts

    return patch.object(program_rewriting, "rules_of", first)


def triples_come_together() -> AbstractContextManager[object]:
    """Conditions about one subject are one unit, whatever is asked for."""
    right = arrival_units.derive_units

    def together(way: ResolvedBody, *, by_subject: bool) -> object:
        del by_subject
        return right(way, by_subject=True)

    return patch.object(program_rewriting, "derive_units", together)


def any_evidence() -> AbstractContextManager[object]:
    """Not the evidence that lasts longest is told, but the first."""
    return patch.object(ReportWriter, "_rivals", lambda _, changes, *__: first_rows(changes))


def first_rows(changes: FactChanges) -> FactChanges:
    """With the first row of each entry."""
    pairs = np.column_stack([changes.of, changes.entry])
    some = np.unique(pairs, axis=0, return_index=True)[1]
    parts = {name: getattr(changes, name)[some] for name in ("rows", "of", "entry")}
    return replace(changes, **parts)


def renewal_unseen() -> AbstractContextManager[object]:
    """Evidence lasts as long as it did when it came."""
    right = EvidenceStore._renew

    def renew(store: EvidenceStore) -> None:
        for table, parts in store._touched.items():
            number, touched = store._numbers[table.relation], concat(parts)
            own = store.live.rows[store.live.rows[:, 0] == number]
            ids = store.values(own)[:, : touched.shape[1] - 2]
            known = set(map(tuple, ids.tolist()))
            new = [tuple(row) not in known for row in touched[:, :-2].tolist()]
            store._touched[table] = [touched[np.array(new, np.bool_)]]
        right(store)

    return patch.object(EvidenceStore, "_renew", renew)


def ranges_are_spread() -> AbstractContextManager[object]:
    """Units under one operator over a range are followed as if each had its own."""
    right = RuleResolution._diamond

    def diamond(
        resolution: RuleResolution, goal: object, formula: object, state: object
    ) -> Iterator[object]:
        for found in right(resolution, goal, formula, state):  # type: ignore[arg-type]
            goals = [replace(each, scopes=()) for each in found.goals]
            yield replace(found, goals=tuple(goals))

    return patch.object(RuleResolution, "_diamond", diamond)


FAULTS: Final[tuple[Fault, ...]] = (
    distance_ignored,
    outer_operator_alone,
    a_tick_longer,
    delay_of_predicates_ignored,
    nothing_covers,
    implied_conditions_stay,
    implied_at_any_time,
    evidence_is_needed,
    what_must_hold_never_does,
    what_must_hold_always_does,
    what_must_hold_is_asked_once,
    what_is_late_completes,
    tests_are_as_written,
    all_tests_are_passed,
    variables_are_anything,
    times_are_nothing,
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
