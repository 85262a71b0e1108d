"""Faults in what is reported of entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows
from rete.storage.row_algebra import join_rows
from temporal.hypothetical.evidence.entry_table import EntryStates, EntryTable
from temporal.hypothetical.live_entries import first_rows
from temporal.hypothetical.output.answer_reports import AnswerReports
from temporal.hypothetical.output.embeddings import Embedding
from temporal.hypothetical.output.entry_columns import EntryColumns
from temporal.hypothetical.output.rival_entries import AnswerKey, InstanceCounts, RivalEntries
from temporal.hypothetical.output.rival_states import Mask, RivalStates
from temporal.hypothetical.output.schematic_parts import SchematicParts
from tests.faults.detection import Fault

_JOIN: Final = "temporal.hypothetical.output.rival_entries.join_rows"
_NEEDLESS: Final = "have_needless_evidence"
_FIRST_ROWS: Final = "temporal.hypothetical.output.rival_entries.first_rows"


def more_hypotheses_than_are_needed() -> AbstractContextManager[object]:
    """All sets of hypotheses are reported."""
    return patch(_JOIN, lambda *_: np.empty((0, 4), np.int64))


@contextmanager
def what_was_minimal_stays_so() -> Iterator[None]:
    """A set of hypotheses is held although a part of it is enough since."""
    right = SchematicParts.needless

    def join(needed: Rows, *args: Any) -> Rows:
        found = join_rows(needed, *args)
        begins = dict(needed[:, 2:4].tolist())
        some = [since == begins[state] for state, _, since, _ in found.tolist()]
        return found[np.array(some, np.bool_)]

    def needless(here: SchematicParts, states: RivalStates, *args: Column) -> tuple[Column, Column]:
        other, since = right(here, states, *args)
        some = since == states.at[other]
        return other[some], since[some]

    with patch(_JOIN, join), patch.object(SchematicParts, "needless", needless):
        yield


def evidence_is_needed() -> AbstractContextManager[object]:
    """What needs no evidence makes no set of hypotheses needless."""
    return patch.object(
        SchematicParts, _NEEDLESS, lambda _, states: np.zeros(len(states.at), np.bool_)
    )


def bounds_of_less_do_not_count() -> AbstractContextManager[object]:
    """What needs no evidence is enough, whatever times it allows."""
    right = Embedding.holds

    def holds(here: Embedding, rows: Rows) -> Mask:
        return right(here._replace(bounds=frozenset()), rows)

    return patch.object(Embedding, "holds", holds)


def any_thing_is_the_same() -> AbstractContextManager[object]:
    """What needs no evidence is enough, whatever things and times entries have."""
    return patch.object(Embedding, "holds", lambda _, rows: np.ones(len(rows), np.bool_))


def what_has_arrived_is_awaited() -> AbstractContextManager[object]:
    """What needs no evidence is enough although some of it has arrived."""
    right = SchematicParts.have_needless_evidence

    def needless(here: SchematicParts, states: RivalStates) -> Mask:
        return right(here, states._replace(bits=states.bits * 0))

    return patch.object(SchematicParts, _NEEDLESS, needless)


def variables_stand_for_themselves() -> AbstractContextManager[object]:
    """A set with free variables makes none needless that has other terms for them."""
    return patch.object(SchematicParts, "needless", lambda _, __, some, ___: (some[:0], some[:0]))


def a_known_thing_stands_for_any() -> AbstractContextManager[object]:
    """A set with free variables makes others needless, whatever its other terms are."""

    def join(
        left: Rows, mine: Sequence[int], right: Rows, theirs: Sequence[int], keep: Any
    ) -> Rows:
        return join_rows(left, mine[:1], right, theirs[:1], keep)

    return patch("temporal.hypothetical.output.schematic_parts.join_rows", join)


def bounds_do_not_count() -> AbstractContextManager[object]:
    """Fewer hypotheses are enough, whatever times they allow."""
    right = EntryColumns.__init__

    def init(here: EntryColumns, *args: Any) -> None:
        right(here, *args)
        here.has_least[:] = True

    return patch.object(EntryColumns, "__init__", init)


def any_evidence_will_do() -> AbstractContextManager[object]:
    """Of several evidences the greatest is reported."""

    def firsts(groups: Column, keys: Sequence[Column] | Rows) -> Column:
        return first_rows(groups, [-each for each in keys] if len(keys) > 1 else keys)

    return patch(_FIRST_ROWS, firsts)


def any_reason_will_do() -> AbstractContextManager[object]:
    """Of several reasons the last is reported."""

    def firsts(groups: Column, keys: Sequence[Column] | Rows) -> Column:
        if len(keys) > 1:
            return first_rows(groups, keys)
        return first_rows(groups, [np.where(each == POS_INF, each, -each) for each in keys])

    return patch(_FIRST_ROWS, firsts)


def what_has_come_is_a_reason() -> AbstractContextManager[object]:
    """An atom that came at the last moment is blamed."""
    right = EntryTable.settle

    def settle(here: EntryTable, frontier: int) -> tuple[EntryStates, EntryStates]:
        begun, ended = right(here, frontier)
        return begun, ended._replace(bits=ended.bits * 0)

    return patch.object(EntryTable, "settle", settle)


def instances_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although instances of it are possible."""

    def generals(here: InstanceCounts, answer: AnswerKey) -> Iterator[AnswerKey]:  # noqa: ARG001
        return iter(())

    return patch.object(InstanceCounts, "generals", generals)


def confirmed_instances_do_not_count() -> AbstractContextManager[object]:
    """An answer is withdrawn although an instance was confirmed before."""
    right = InstanceCounts._count

    def count(here: InstanceCounts, counter: Any, answer: AnswerKey, by: int) -> None:
        if counter is not here._certain:
            right(here, counter, answer, by)

    return patch.object(InstanceCounts, "_count", count)


def confirmed_answers_are_forgotten() -> AbstractContextManager[object]:
    """Once an answer is certain it may be supported again."""
    return patch.object(RivalEntries, "_confirm", lambda *_: None)


def by_the_text_of_atoms() -> AbstractContextManager[object]:
    """Lines stand in the order of another text."""
    right = EntryColumns._values

    def values(here: EntryColumns, *args: Any, **options: Any) -> list[str]:
        return [text[::-1] for text in right(here, *args, **options)]

    return patch.object(EntryColumns, "_values", values)


def atoms_in_the_order_of_rules() -> AbstractContextManager[object]:
    """Lists of atoms are not ordered where there is one schema."""
    right = AnswerReports.__init__

    def init(here: AnswerReports, *args: Any) -> None:
        right(here, *args)
        here._order = sorted(here._order)

    return patch.object(AnswerReports, "__init__", init)


def answers_by_value() -> AbstractContextManager[object]:
    """Numbers are ordered as such, things as they came."""
    return patch.object(EntryColumns, "_rank", lambda _, column, **__: column)


FAULTS: Final[tuple[Fault, ...]] = (
    more_hypotheses_than_are_needed,
    what_was_minimal_stays_so,
    evidence_is_needed,
    bounds_of_less_do_not_count,
    any_thing_is_the_same,
    what_has_arrived_is_awaited,
    variables_stand_for_themselves,
    a_known_thing_stands_for_any,
    bounds_do_not_count,
    any_evidence_will_do,
    any_reason_will_do,
    what_has_come_is_a_reason,
    instances_do_not_count,
    confirmed_instances_do_not_count,
    confirmed_answers_are_forgotten,
    by_the_text_of_atoms,
    atoms_in_the_order_of_rules,
    answers_by_value,
)
