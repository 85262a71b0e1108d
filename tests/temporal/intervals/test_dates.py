"""Dates and durations in DatalogMTL text: exact seconds, written as they were read."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.bulk_writer import write_rows
from temporal.facts.fact_parser import parse_fact
from temporal.intervals.dates import DateInterval, DateTimeInterval
from temporal.intervals.interval import Interval
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.normal_form import normalise
from temporal.mtl.validation import arities, notation_of
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_fact, write_program, write_rule
from tests.simulation.metric.single_texts import parse_facts, parse_rule

ROTA = """\
Boxplus[7 d,7 d]Shift(X) :- Shift(X)
Late(X) :- Diamondminus[0,90 m]Shift(X)
Idle(X) :- Boxminus(0 s,PT36H]Late(X)
"""
SHIFTS = """\
Shift(ann)@[2024-01-01T08:00:00+01:00,2024-01-01T16:30:00Z)
Shift(bob)@2024-02-29T24:00:00
Late(bob)@(2023-12-31,2024-01-04T00:00:00.25Z)
"""


def model_of(program: str, facts: str) -> tuple[str, BulkLoader]:
    rules = parse_program(program)
    loader = BulkLoader(Dictionary(), arities(rules), notation_of(rules))
    loader.text([facts.encode()])
    model = materialise(rules, loader.data(analyse(rules).scale), loader.terms)
    found = sorted((name, rows) for (name, _), rows in model.within())
    lines = b"".join(write_rows(found, model.terms, model.scale, model.notation)).decode()
    return lines + "".join(f"# {line}\n" for line in model.period_lines()), loader


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T01:30:00+01:30"),
        ("2024-01-01T00:00:00", "2023-12-31T24:00:00Z"),
        ("2024-03-01T00:00:00.50Z", "2024-02-29T19:00:00.5-05:00"),
    ],
)
def test_one_instant_is_one_time_point_whatever_its_zone(one, other):
    assert parse_fact(f"P@{one}") == parse_fact(f"P@[{other},{other}]")


def test_a_date_is_its_first_instant():
    days = parse_fact("P@[2024-02-28,2024-03-01)").interval
    assert days.left is not None
    assert days == DateInterval(days.left, days.left + 2 * 86400, right_closed=False)
    zoned = parse_fact("P@2024-02-28+02:00").interval
    assert zoned == DateTimeInterval.point(days.left - 7200)


@pytest.mark.parametrize("text", ["600s", "10 m", "+10m", "PT10M", "P0DT600.0S", "600000 ms"])
def test_a_duration_may_be_written_in_any_unit(text):
    assert parse_rule(f"A :- B Since[0,{text}] C") == parse_rule("A :- B Since[0 s,10 m] C")
    assert parse_rule(f"A :- SOMETIME[-{text.lstrip('+')},0]B") == parse_rule(
        "A :- Diamondminus[0,10m]B"
    )


@given(
    ends=st.tuples(*[st.fractions(-(10**12), 10**12, max_denominator=1) | st.none()] * 2),
    below=st.sampled_from([0, Fraction(1, 10), Fraction(1, 10**9), Fraction(7, 2**20)]),
    kind=st.sampled_from([DateTimeInterval, DateInterval]),
    closed=st.tuples(st.booleans(), st.booleans()),
)
def test_what_is_written_with_dates_is_read_as_the_same(ends, below, kind, closed):
    if kind is DateInterval:
        ends, below = [end and end // 86400 * 86400 for end in ends], 0
    interval = kind(*(end if end is None else end + below for end in ends), *closed)
    if not interval.is_empty and any(end is not None for end in ends):
        (found,) = parse_facts(f"P(a)@{interval}\n").facts
        assert found.interval == interval
        assert write_fact(found) == f"P(a)@{interval}"


def test_rules_with_durations_are_written_with_them():
    assert write_rule(parse_rule("A :- Boxminus[0,36h]B Since(PT90S,inf) C")) == (
        "A :- Boxminus[0 s, 36 h]B Since(90 s, inf) C"
    )
    program = parse_program(ROTA)
    assert parse_program(write_program(program)) == program
    assert write_program(normalise(parse_program("A :- Diamondminus[0,1 h)B"))) == (
        "A :- Diamondminus[0 s, 0 s]B\nA :- Diamondminus(0 s, 1 h)B\n"
    )


def test_the_model_is_that_of_the_same_seconds():
    def in_seconds(text: str) -> str:
        interval = parse_fact(f"P@{text}").interval
        return str(Interval(interval.left, interval.right, *_closed(interval)))

    numbers = "Boxplus[604800,604800]Shift(X) :- Shift(X)\n"
    numbers += "Late(X) :- Diamondminus[0,5400]Shift(X)\nIdle(X) :- Boxminus(0,129600]Late(X)\n"
    facts = "".join(
        f"{line.partition('@')[0]}@{in_seconds(line.partition('@')[2])}\n"
        for line in SHIFTS.splitlines()
    )
    dated, _ = model_of(ROTA, SHIFTS)
    plain, _ = model_of(numbers, facts)
    head = ["# left period ", "# right period "]
    for one, other in zip(dated.splitlines(), plain.splitlines(), strict=True):
        mark = next((each for each in head if one.startswith(each)), None)
        name, _, time = one.partition("@") if mark is None else (mark, "", one[len(mark) :])
        assert other == name + ("@" if mark is None else "") + (
            time if time == "none" else in_seconds(time)
        )
    assert "Idle(bob)@(2024-01-01T12:00:00Z,2024-01-04T00:00:00.25Z]" in dated


def _closed(interval: Interval) -> tuple[bool, bool]:
    return interval.left_closed, interval.right_closed


def test_answers_have_no_times_of_day_if_nothing_that_was_read_has():
    week, facts = "Boxplus[P7D,P7D]A :- A\n", "A@[2024-01-01,2024-01-03)\n"
    assert model_of(week, facts)[0].splitlines()[1] == "A@[2024-01-08,2024-01-10)"
    hours = "B :- Diamondminus[0,12 h]A\n"
    assert "A@[2024-01-08T00:00:00Z,2024-01-10T00:00:00Z)" in model_of(week + hours, facts)[0]
    timed = "A@2024-01-05T00:00:00Z\n"
    assert "A@[2024-01-08T00:00:00Z,2024-01-10T00:00:00Z)" in model_of(week, facts + timed)[0]


@pytest.mark.parametrize(
    ("program", "facts", "wrong"),
    [
        ("A :- B", "B@2024-01-01\nB@[1,2]\nB@(-inf,inf)\nC@1 \n", [(2, 3), (4, 3)]),
        ("A :- B", "B@(-inf,inf)\nB@[1,2]\nB@2024-01-01\n", [(3, 3)]),
        ("A :- Boxminus[0,0]B", "B@2024-01-01\n", []),
        ("A :- Boxminus[0,inf)B", "B@1\n", []),
        ("A :- Boxminus[0,1]B", "B@1\nB@2024-01-01\nB@[2024-01-01,inf)\n", [(2, 3), (3, 3)]),
        ("A :- Boxminus[0,1 d]B", "B@1\nB@2024-01-01\nB@[0,inf)\n", [(1, 3), (3, 3)]),
    ],
)
def test_numbers_and_dates_in_one_question_are_refused_where_they_meet(program, facts, wrong):
    _, loader = model_of(program, facts)
    faults = [fault for found in loader.faults for fault in found.errors]
    assert [(fault.code, fault.span.line, fault.span.column) for fault in faults] == [
        ("MTL209", *place) for place in wrong
    ]


def test_a_table_has_dates_and_may_have_a_header():
    loader = BulkLoader(Dictionary())
    rows = "name,from,to\nann,2024-01-01,2024-01-02T12:00:00\nbob,2024-01-05, inf\nx,1,2\nx,1 d,2\n"
    loader.table([rows.encode()], "Shift")
    (key,) = loader.data().rows
    assert key == ("Shift", 1)
    faults = [fault for found in loader.faults for fault in found.errors]
    assert [(fault.code, fault.span.line) for fault in faults] == [("MTL209", 4), ("MTL111", 5)]
