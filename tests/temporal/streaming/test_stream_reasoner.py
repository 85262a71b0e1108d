"""Streams from Python."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rif.errors.report import RuleErrors
from temporal.streaming import StreamReasoner

RULES = "Alarm(X) :- Boxminus[0,2]Hot(X), Diamondminus[0,1]Loud(X)\n"
LINES = "Hot(t1)@[0,10)\nLoud(t1)@[3,4]\nLoud(t1)@[8,9.5]\nEnd@12\n"


def test_answers_come_as_soon_as_they_are_certain() -> None:
    alarms = StreamReasoner(RULES, "Alarm")
    found = [[str(each) for each in alarms.push(line)] for line in LINES.splitlines(keepends=True)]
    assert found == [[], [], ["Alarm(t1)@3"], ["Alarm(t1)@8"]]
    assert list(alarms.finish()) == []


def test_pushed_lines_need_no_line_end() -> None:
    alarms = StreamReasoner(RULES, "Alarm")
    found = [[str(each) for each in alarms.push(line)] for line in LINES.splitlines()]
    assert found == [[], [], ["Alarm(t1)@3"], ["Alarm(t1)@8"]]
    assert (alarms.bad, list(alarms.push("")), list(alarms.finish())) == (0, [], [])


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_text_may_be_cut_anywhere(size: int) -> None:
    pieces = (LINES[at : at + size] for at in range(0, len(LINES), size))
    alarms = StreamReasoner(RULES, "Alarm", every="1/2")
    found = [(answer.args, answer.at) for answer in alarms.follow(pieces)]
    halves = (6, 7, 8, 9, 10, 16, 17, 18, 19)
    assert found == [(("t1",), Fraction(half, 2)) for half in halves]


def test_a_last_line_without_its_end_counts_when_the_stream_ends() -> None:
    alarms = StreamReasoner(RULES, "Alarm")
    assert [str(each) for each in alarms.follow("Hot(a)@[0,9]\nLoud(a)@5")] == ["Alarm(a)@5"]


def test_what_is_left_out_is_counted() -> None:
    alarms = StreamReasoner(RULES, "Alarm", delay="1")
    list(alarms.follow("Hot(a)@5\nHot(a)@3\nHot(a@5\nHot(a)@4\n"))
    assert (alarms.late, alarms.bad) == (1, 1)
    assert sorted(fault.code for fault in alarms.faults) == ["MTL101", "MTL401"]
    assert alarms.faults == []


def test_retractions() -> None:
    alarms = StreamReasoner(RULES, "Alarm", retractions=True)
    text = "Hot(a)@[0,9]\nLoud(a)@5\n-Hot(a)@[4,4]\nEnd@6\nHot(a)@[6,8]\nLoud(a)@8\n"
    assert [str(each) for each in alarms.follow(text)] == ["Alarm(a)@8"]


def test_held_rows_are_counted() -> None:
    alarms = StreamReasoner(RULES, "Alarm")
    list(alarms.push("Hot(a)@[0,9]\nLoud(a)@5\n"))
    assert alarms.held > 0


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="not both"):
        StreamReasoner(RULES, "Alarm", every="1", at=["2"])
    with pytest.raises(ValueError, match="no time"):
        StreamReasoner(RULES, "Alarm", at=["x"])
    with pytest.raises(KeyError):
        StreamReasoner(RULES, "None")
    with pytest.raises(RuleErrors):
        StreamReasoner("Q :- Diamondplus[0,inf)P", "Q")
