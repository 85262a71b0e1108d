"""What is there instead, where an event time or an aggregate is not as a rule wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from r4.explain.justification.rule_instances import OperandRow, OperatorRow
from r4.explain.lacks import GroupValue
from r4.explain.question.group_members import members_at
from r4.explain.question.known_state import KnownState
from r4.explain.rendering.names import write_value
from rete.graph.streams import Stream
from rete.nodes.aggregate import Aggregate
from rete.nodes.scan import Scan
from rete.storage.interval_sets import EVER, CellInterval
from rete.terms.relations import event_of

_SHOWN: Final = 3
"""So many facts, and members of a group, are told; of facts those of the greatest times."""


def other_events(
    known: KnownState, stream: Stream, columns: Mapping[int, int], pair: CellInterval
) -> tuple[str, ...]:
    """The event facts of a scan that have other times, or another element, than is asked for.

    Those that hold in ``pair``; of facts that ended, those that did so at any time.
    """
    scan = stream.plan
    assert isinstance(scan, Scan)
    event = event_of(scan.relation)
    if event is None:
        return ()
    word, of = event
    terms = _terms(stream, columns)
    given = {place: term for place, term in terms.items() if place < of.arity}
    ever = word == "Ended"
    if len(given) == len(terms) and not ever:
        return ()
    rows = known.state.facts(stream, scan.relation, given, EVER if ever else pair)
    found = sorted(set(map(tuple, rows[:, :-2].tolist())), key=lambda row: _order(known, row))
    return tuple(known.wording.fact(scan.relation, row) for row in found[-_SHOWN:])


def is_going_on(known: KnownState, stream: Stream, columns: Mapping[int, int]) -> bool:
    """Whether a scan asks whether a fact has ended that still holds."""
    scan = stream.plan
    assert isinstance(scan, Scan)
    event = event_of(scan.relation)
    if event is None or event[0] != "Ended":
        return False
    terms, of = _terms(stream, columns), event[1]
    if not all(place in terms for place in range(of.arity)):
        return False
    state = known.state
    fact = state.fact(of, (terms[place] for place in range(of.arity)))
    return any(lo <= state.cell < hi for lo, hi in state.spans(fact))


def _terms(stream: Stream, columns: Mapping[int, int]) -> dict[int, int]:
    """What is known of the terms of a scan, by place."""
    scan = stream.plan
    assert isinstance(scan, Scan)
    constants = zip(scan.constants, stream.constants.tolist(), strict=True)
    given = {place: term for (place, _), term in constants}
    return given | {scan.keep[column]: term for column, term in columns.items()}


def _order(known: KnownState, row: tuple[int, ...]) -> tuple[tuple[int, str], ...]:
    """Integers by size, dateTimes by text, from the last term on."""
    texts = map(known.wording.text, reversed(row))
    return tuple((len(text) if "#integer>" in text else 0, text) for text in texts)


def group_values(known: KnownState, row: OperandRow, pair: CellInterval) -> tuple[GroupValue, ...]:
    """The values of the groups that a row was made of in ``pair``."""
    for instance, (cell, _) in known.state.operand(row, pair):
        operators = [each for each in instance.operators if isinstance(each.plan, Aggregate)]
        return tuple(_value(known, each, cell) for each in operators)
    return ()


def other_values(
    known: KnownState, stream: Stream, columns: Mapping[int, int], pair: CellInterval
) -> tuple[GroupValue, ...]:
    """The values of the groups of an aggregate that agree with what is known of them."""
    plan = stream.plan
    assert isinstance(plan, Aggregate)
    group = {column: term for column, term in columns.items() if column < len(plan.by)}
    found = []
    for row in known.state.matching(stream, group, pair):
        operator = OperatorRow(stream, row.values)
        cells = (max(lo, pair[0]) for lo, hi in known.state.times(operator) if hi > pair[0])
        found += [_value(known, operator, cell) for cell in list(cells)[:1]]
    if found or len(group) < len(plan.by):
        return tuple(found[:_SHOWN])
    operator = OperatorRow(stream, tuple(group[column] for column in range(len(plan.by))))
    return (_value(known, operator, pair[0]),)


def _value(known: KnownState, operator: OperatorRow, cell: int) -> GroupValue:
    """The value of a row of an aggregate; of a group without one, ""."""
    plan, wording = operator.plan, known.wording
    assert isinstance(plan, Aggregate)
    values = operator.values[len(plan.by) :]
    rows = members_at(known.state, operator, cell)
    texts = [wording.of_row(row.stream.plan, row.values) for row in rows[:_SHOWN]]
    value = wording.text(values[0]) if values else ""
    group = tuple(map(wording.text, operator.values[: len(plan.by)]))
    shown = write_value(wording.names, value) if value else ""
    return GroupValue(plan.name, group, value, shown, len(rows), tuple(texts))
