"""Faults in aggregates, event times, calendars and rules that read their own earlier answers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import numpy as np

import rete.nodes.interval_ends
import rete.planning.aggregates
import rete.planning.event_facts
import temporal.metric_rif.calendars
import temporal.metric_rif.kinds
from r4.engine.assertions import Assertions
from r4.engine.calendars import Calendars
from r4.engine.change_listener import ChangeListener
from r4.program.range_ends import EndValues
from rete.arrays.delta import POS_INF, Column, Rows
from rete.nodes.begun import BegunNode
from rete.nodes.interval_ends import BeginsNode, EndsNode
from rete.nodes.known import KnownNode
from rete.storage.row_algebra import append_term
from rete.terms.relations import NAMED, STAMPED
from temporal.intervals.durations import Durations, VariableRange
from temporal.metric_rif.range_ends import Length
from tests.faults.detection import Fault, FaultArea
from tests.generators.events.histories import random_event_case
from tests.oracles.events.answers import event_lines
from tests.oracles.rules.formulas import TooBig
from tests.simulation.meetings.comparison import difference
from tests.simulation.meetings.event_comparison import reaches_beyond

if TYPE_CHECKING:
    from r4.time.ticks import TimeScale
    from rif.syntax.ast import Document
    from temporal.intervals.calendar import Calendar
    from temporal.metric_rif.events import Every
    from temporal.mtl.ast import BinaryOperator
    from tests.generators.meetings.histories import Meeting

Context = AbstractContextManager[object]


# -- aggregates ----------------------------------------------------------------------------


def empty_groups_have_no_value() -> Context:
    """The count of a group that the rest of a body knows is nothing, where it is 0."""
    return patch.object(rete.planning.aggregates, "_OF_NOTHING", {})


def all_empty_groups_are_zero() -> Context:
    """The largest of no member is 0, as the sum is."""
    known = rete.planning.aggregates._OF_NOTHING
    return patch.dict(known, dict.fromkeys(("max", "min", "avg"), known["sum"]))


# -- event times ---------------------------------------------------------------------------


def stamps_are_ends() -> Context:
    """A fact is known to be asserted when it ceases to hold."""
    right = Assertions.enter

    def enter(
        assertions: Assertions, relation: Any, facts: Rows, names: Column | None = None
    ) -> None:
        if relation == STAMPED:
            instant = assertions._terms.clock.term
            ends = np.minimum(facts[:, -1], facts[:, -2] + 2)
            stamps = assertions._terms.encode_many([instant(int(end) // 2) for end in ends])
            facts = append_term(np.delete(facts, -3, axis=1), stamps)
        right(assertions, relation, facts, names)

    return patch.object(Assertions, "enter", enter)


def one_element_names_a_fact() -> Context:
    """Of several elements that assert a fact at once one is named."""
    right = Assertions.enter

    def enter(
        assertions: Assertions, relation: Any, facts: Rows, names: Column | None = None
    ) -> None:
        if relation == NAMED and names is not None:
            _, first = np.unique(facts[:, :3], axis=0, return_index=True)
            facts, names = facts[first], names[first]
        right(assertions, relation, facts, names)

    return patch.object(Assertions, "enter", enter)


def event_facts_are_not_retracted() -> Context:
    """What a rule asks of times stays when the element is retracted."""
    import r4.engine.assertions  # noqa: PLC0415

    return patch.object(r4.engine.assertions, "ABOUT_ELEMENTS", frozenset())


def derived_facts_begin_before_time() -> Context:
    """What always held began at the first stamp."""

    def rows(node: BeginsNode, intervals: Rows) -> Rows:
        begun = intervals.copy()
        begun[:, -2] = np.maximum(begun[:, -2], node.output.network.begin)
        begun = begun[begun[:, -2] < begun[:, -1]]
        return append_term(begun, node._term(begun[:, -2]))

    return patch.object(BeginsNode, "_rows", rows)


def touching_runs_end_between() -> Context:
    """Runs that touch are told as two."""
    return patch.object(rete.nodes.interval_ends, "coalesce", lambda rows: rows)


def ends_are_told_for_ever() -> Context:
    """That a fact has ended is true from then on, not at that instant alone."""
    right = EndsNode._rows

    def rows(node: EndsNode, intervals: Rows) -> Rows:
        found = right(node, intervals)
        found[:, -1] = POS_INF
        return found

    return patch.object(EndsNode, "_rows", rows)


def heads_derive_no_begins() -> Context:
    """At of a derived fact is never true."""
    return patch.object(rete.planning.event_facts, "unifies", lambda *_: False)


# -- calendars -----------------------------------------------------------------------------


def no_mark_before_the_first_stamp() -> Context:
    """Operators do not look back on marks before the first stamp."""
    right = Calendars._assert

    def asserted(
        calendars: Calendars, text: str, calendar: Calendar, since: int, until: int
    ) -> None:
        networks = calendars._layers.networks
        right(calendars, text, calendar, max(since, networks[0].begin // 2), until)

    return patch.object(Calendars, "_assert", asserted)


def marks_have_no_offset() -> Context:
    """A calendar begins at 1970, whatever its offset."""
    right = temporal.metric_rif.calendars.calendar_text

    def text(every: Every) -> str:
        return right(every).partition(" offset ")[0]

    return patch("temporal.metric_rif.event_lowering.calendar_text", text)


def answers_begin_before_the_first_stamp() -> Context:
    """In a document with a calendar, too, answers may begin before the first stamp."""
    return patch.object(ChangeListener, "begin_at", lambda *_: None)


# -- earlier answers -----------------------------------------------------------------------


def earlier_answers_are_never_known() -> Context:
    """A rule that reads its earlier answers finds none."""
    right = KnownNode.admit
    return patch.object(KnownNode, "admit", lambda node, rows: right(node, rows)[:0])


def cycles_have_no_first_instant() -> Context:
    """Rules that read their own answers hold before the first stamp, too."""
    return patch.object(BegunNode, "admit", lambda _, rows: rows)


def left_sides_are_asked_for_nothing() -> Context:
    """The left side of a Since is true for what it binds itself alone."""

    def asked(formula: BinaryOperator, _language: object) -> BinaryOperator:
        return formula

    return patch.object(temporal.metric_rif.kinds, "_asked_with", asked)


# -- ranges that end in variables ----------------------------------------------------------


def all_ranges_end_where_the_longest_does() -> Context:
    """A value of static data does not say how long it is, but the greatest of its values."""
    right = EndValues.length

    def length(values: EndValues, text: str, scale: TimeScale) -> Length | None:
        known = [right(values, each, scale) for some in values.terms.values() for each in some]
        own = right(values, text, scale)
        return own and max(each for each in known if each is not None)

    return patch.object(EndValues, "length", length)


def what_is_no_length_makes_no_rule() -> Context:
    """With a value that is no length a condition is false, even if it is the negated one."""
    right = EndValues.closed

    def closed(values: EndValues, document: Document, scale: TimeScale) -> Document:
        terms = {
            pattern: tuple(each for each in some if values.length(each, scale) is not None)
            for pattern, some in values.terms.items()
        }
        return right(replace(values, terms=terms), document, scale)

    return patch.object(EndValues, "closed", closed)


def open_right_ends_are_closed() -> Context:
    """The right end of a range belongs to it where static data give it."""
    right = VariableRange.up_to

    def up_to(rho: VariableRange, ticks: int, per_second: int, *, in_ticks: bool) -> Durations:
        found = right(rho, ticks, per_second, in_ticks=in_ticks)
        return replace(found, right_closed=True)

    return patch.object(VariableRange, "up_to", up_to)


FAULTS: Final[tuple[Fault, ...]] = (
    empty_groups_have_no_value,
    all_empty_groups_are_zero,
    stamps_are_ends,
    one_element_names_a_fact,
    event_facts_are_not_retracted,
    derived_facts_begin_before_time,
    touching_runs_end_between,
    ends_are_told_for_ever,
    heads_derive_no_begins,
    no_mark_before_the_first_stamp,
    marks_have_no_offset,
    answers_begin_before_the_first_stamp,
    earlier_answers_are_never_known,
    cycles_have_no_first_instant,
    left_sides_are_asked_for_nothing,
    all_ranges_end_where_the_longest_does,
    what_is_no_length_makes_no_rule,
    open_right_ends_are_closed,
)


@lru_cache(maxsize=2000)
def _case(seed: int) -> tuple[Meeting, list[str] | None]:
    case = random_event_case(seed)
    try:
        return case, None if reaches_beyond(case) else event_lines(case.history)
    except TooBig:
        return case, None


def _detects(seed: int, fault: Fault) -> bool:
    case, wanted = _case(seed)
    if wanted is None:
        return False
    with TemporaryDirectory() as folder, fault():
        found = difference(case, wanted, Path(folder))
    return found is not None and "Traceback" not in found


AREA: Final = FaultArea(FAULTS, _detects, cases=2000)
