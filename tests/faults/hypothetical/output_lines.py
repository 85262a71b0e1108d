"""Faults in what is reported of entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final
from unittest.mock import patch

from temporal.hypothetical.evidence.entry_table import EntryChanges, EntryTable
from temporal.hypothetical.output import answer_state, competing_entries
from temporal.hypothetical.output.answer_instances import InstanceCounts
from temporal.hypothetical.output.answer_state import HypothesisSet, MomentChanges
from temporal.hypothetical.output.competing_entries import CompetingEntries
from temporal.hypothetical.output.entry_schema import AnswerValues, HypothesisRecord
from temporal.hypothetical.output.single_entries import SingleEntries
from tests.faults.detection import Fault


def more_hypotheses_than_are_needed() -> AbstractContextManager[object]:
    """All sets of hypotheses are reported."""
    return patch.object(HypothesisSet, "makes_redundant", lambda *_: False)


def bounds_do_not_count() -> AbstractContextManager[object]:
    """Fewer hypotheses are enough, whatever times they allow."""

    def makes_redundant(here: HypothesisSet, other: HypothesisSet) -> bool:
        return here.atoms < other.atoms

    return patch.object(HypothesisSet, "makes_redundant", makes_redundant)


@contextmanager
def any_evidence_will_do() -> Iterator[None]:
    """Of several evidences the greatest is reported."""

    def greatest(some: Any) -> Any:
        found = list(some)
        return max(found) if isinstance(found[0], list) else min(found)

    with (
        patch.object(answer_state, "min", greatest, create=True),
        patch.object(competing_entries, "min", greatest, create=True),
    ):
        yield


def any_reason_will_do() -> AbstractContextManager[object]:
    """Of several reasons the last is reported."""
    right: Any = MomentChanges.__dict__["missed"]

    def missed(here: MomentChanges) -> Iterator[HypothesisRecord]:
        yield max(right.fget(here))

    return patch.object(MomentChanges, "missed", property(missed))


def needless_hypotheses_are_a_reason() -> AbstractContextManager[object]:
    """What nobody waited for is blamed."""

    def missed(here: MomentChanges) -> Iterator[HypothesisRecord]:
        for some in here.ended.values():
            yield from some

    return patch.object(MomentChanges, "missed", property(missed))


def what_has_come_is_a_reason() -> AbstractContextManager[object]:
    """An atom that came at the last moment is blamed."""
    right = EntryTable.settle

    def settle(here: EntryTable, frontier: int) -> EntryChanges:
        begun, ended = right(here, frontier)
        return EntryChanges(begun, ended._replace(bits=ended.bits * 0))

    return patch.object(EntryTable, "settle", settle)


def instances_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although instances of it are possible."""

    def generals(here: InstanceCounts, answer: AnswerValues) -> Iterator[AnswerValues]:  # noqa: ARG001
        return iter(())

    return patch.object(InstanceCounts, "generals", generals)


def confirmed_instances_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although an instance was confirmed before."""
    right = InstanceCounts.count

    def count(here: InstanceCounts, counter: Any, answer: AnswerValues, by: int) -> None:
        if counter is not here.confirmed:
            right(here, counter, answer, by)

    return patch.object(InstanceCounts, "count", count)


def confirmed_answers_are_forgotten() -> AbstractContextManager[object]:
    """Once an answer is certain it may be supported again."""
    return patch.object(CompetingEntries, "_until", lambda *_: -1)


def by_the_text_of_atoms() -> AbstractContextManager[object]:
    """Lines stand in the order of another text."""
    right = CompetingEntries._text

    def text(here: CompetingEntries, answer: AnswerValues) -> str:
        return right(here, answer).replace("}", "!")

    return patch.object(CompetingEntries, "_text", text)


def atoms_in_the_order_of_rules() -> AbstractContextManager[object]:
    """Lists of atoms are not ordered where there is one schema."""
    right = SingleEntries.__init__

    def init(here: SingleEntries, *args: Any) -> None:
        right(here, *args)
        here._order = sorted(here._order)

    return patch.object(SingleEntries, "__init__", init)


def lines_of_sole_answers_by_value() -> AbstractContextManager[object]:
    """Numbers are ordered as such, things as they came."""
    return patch.object(SingleEntries, "_rank", lambda _, __, column: column)


FAULTS: Final[tuple[Fault, ...]] = (
    more_hypotheses_than_are_needed,
    bounds_do_not_count,
    any_evidence_will_do,
    any_reason_will_do,
    needless_hypotheses_are_a_reason,
    what_has_come_is_a_reason,
    instances_do_not_count,
    confirmed_instances_do_not_count,
    confirmed_answers_are_forgotten,
    by_the_text_of_atoms,
    atoms_in_the_order_of_rules,
    lines_of_sole_answers_by_value,
)
