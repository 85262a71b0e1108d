"""Lines that are expected and lines that came: what differs, in words."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.testing.case import BadCase
from r4.testing.differences import answer_differences, read_answers, text_differences

MORNING = "2026-07-01T10:00:00Z"
LATER = "2026-07-01T10:00:05Z"
NEXT_DAY = "2026-07-02T10:00:05Z"


def line(
    o: str = '"v"', at: object = MORNING, *, op: str = "+", rule: int | None = 1, **more: object
) -> dict[str, object]:
    made: dict[str, object] = {"op": op, "at": at, "s": "<urn:s>", "p": "<urn:p>", "o": o}
    made |= {"from": at, "until": None} | more
    return made if rule is None else made | {"rule": rule}


def test_a_lost_and_a_new_answer_are_told_with_their_times() -> None:
    other = line('"w"', 7, s="<urn:t>")
    assert answer_differences([line()], [other]) == [
        f'missing: + <urn:s> <urn:p> "v" from {MORNING}',
        'unexpected: + <urn:t> <urn:p> "w" from 7',
    ]


@pytest.mark.parametrize(
    ("came", "words"),
    [
        (line(at=LATER), "from 10:00:05Z instead of 10:00:00Z"),
        (line(at=NEXT_DAY), f"from {NEXT_DAY} instead of {MORNING}"),
        (line(rule=2), "by rule 2 instead of 1"),
        (line(until=LATER), f"until {LATER} instead of no end"),
        (line(at=None), f"from ever instead of {MORNING}"),
        (line(at=LATER, rule=2), "from 10:00:05Z instead of 10:00:00Z, by rule 2 instead of 1"),
        (line(at=LATER) | {"from": MORNING}, "told at 10:00:05Z instead of 10:00:00Z"),
    ],
)
def test_the_same_answer_with_other_times_says_which(came: dict[str, object], words: str) -> None:
    expected = f'same answer, but {words}: + <urn:s> <urn:p> "v"'
    assert answer_differences([line()], [came]) == [expected]


def test_another_value_of_the_same_time_says_both() -> None:
    assert answer_differences([line()], [line('"w"')]) == [
        f'another value, "w" instead of "v": + <urn:s> <urn:p> "v" from {MORNING}'
    ]


def test_an_order_that_differs_is_a_difference() -> None:
    lines = [line('"v"', 1), line('"w"', 1)]
    (found,) = answer_differences(lines, lines[::-1])
    assert found == (
        'the same lines in another order: line 1 is + <urn:s> <urn:p> "w" from 1, '
        'expected + <urn:s> <urn:p> "v" from 1'
    )
    assert text_differences(["a", "b"], ["b", "a"]) == [
        "the same lines in another order: line 1 is b, expected a"
    ]


def test_a_line_without_a_rule_is_one_of_any_rule_and_one_with_a_rule_chooses_first() -> None:
    assert answer_differences([line(rule=None)], [line(rule=7)]) == []
    found = answer_differences([line(rule=None), line(rule=7)], [line(rule=7), line(rule=7)])
    assert found == []
    crossed = answer_differences([line(rule=None), line(rule=7)], [line(rule=7), line(rule=8)])
    assert len(crossed) == 1
    assert "another order" in crossed[0]


@pytest.mark.parametrize(
    ("came", "words"),
    [
        ({"op": "+", "at": 3, "atom": "<urn:q>(1)", "from": 3, "until": None}, "+ <urn:q>(1)"),
        ({"op": "+", "at": 3, "error": True, "from": 3, "until": None}, "+ error from 3"),
        ({"op": "=", "at": 3}, "= nothing at 3"),
        ({"op": "+", "at": None, "s": "a", "p": "b", "o": "c", "from": None}, "+ a b c, always"),
        ({"op": "-", "at": 3, "s": "a", "p": "b", "o": "c", "from": 1, "until": 3}, "from 1 until"),
        ({"op": "+", "at": 3, "s": "a", "p": "b", "o": "c", "undone": True}, "at 3, undone"),
        ({"status": "supported", "é": 1}, 'unexpected: {"status": "supported", "é": 1}'),
    ],
)
def test_each_kind_of_line_has_words(came: dict[str, object], words: str) -> None:
    (found,) = answer_differences([], [came])
    assert words in found


def test_lines_of_text_are_compared_as_they_stand() -> None:
    assert text_differences(["a", "b"], ["a", "b"]) == []
    assert text_differences(["a", "a"], ["a", "c"]) == ["missing line: a", "unexpected line: c"]


@pytest.mark.parametrize("text", ["{", "[1]", "7", "[" * 100_000])
def test_what_is_no_object_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(BadCase, match=r"expected\.jsonl: line 3 is no"):
        read_answers(f'{{"op":"+"}}\n\n{text}\n', "expected.jsonl")


def test_only_line_feeds_end_lines() -> None:
    assert read_answers('{"o":"a\u2028b\x85"}\n', "e") == [{"o": "a\u2028b\x85"}]


answers = st.lists(
    st.builds(
        line,
        st.sampled_from(['"v"', '"w"']),
        st.integers(0, 2),
        op=st.sampled_from("+-"),
        rule=st.none() | st.integers(1, 2),
    ),
    max_size=5,
)


def text(each: dict[str, object], *, ruled: bool = True) -> str:
    return str(sorted((key, value) for key, value in each.items() if ruled or key != "rule"))


@given(answers, answers)
def test_there_is_no_difference_if_and_only_if_the_lines_are_those(
    expected: list[dict[str, object]], came: list[dict[str, object]]
) -> None:
    is_same = len(expected) == len(came) and all(
        text(came_line, ruled="rule" in line_) == text(line_)
        for line_, came_line in zip(expected, came, strict=True)
    )
    assert (answer_differences(expected, came) == []) == is_same


@given(answers, answers)
def test_each_line_that_has_no_partner_is_told_once(
    expected: list[dict[str, object]], came: list[dict[str, object]]
) -> None:
    """Where all lines have rules, what is left over is the difference of the bags."""
    expected, came = ([each for each in some if "rule" in each] for some in (expected, came))
    before, after = (Counter(map(text, some)) for some in (expected, came))
    lost, new = (before - after).total(), (after - before).total()
    found = answer_differences(expected, came)
    paired = sum(each.startswith(("same answer", "another value")) for each in found)
    assert sum(each.startswith("missing") for each in found) == lost - paired
    assert sum(each.startswith("unexpected") for each in found) == new - paired


@given(answers, st.randoms(use_true_random=False))
def test_lines_in_another_order_miss_nothing(
    lines: list[dict[str, object]], source: random.Random
) -> None:
    shuffled = source.sample(lines, len(lines))
    came = [{"rule": 1, **each} for each in shuffled]
    for found in answer_differences(lines, came):
        assert found.startswith("the same lines in another order") or "rule" in found
