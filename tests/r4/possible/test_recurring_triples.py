"""``r4 run --hypotheses``: a hypothesis, and a piece of evidence, is a triple with its time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.simulation.possible.small_runs import SmallRun, element

THREE = (
    "Forall ?x ( ?x[ex:is -> ex:bad] :- And( ?x[ex:temp -> ex:high] "
    "DiamondMinus [1, 1] ( ?x[ex:temp -> ex:high] ) "
    "DiamondMinus [2, 2] ( ?x[ex:temp -> ex:high] ) ) )"
)
"""Example 1 of the paper [CruzFilipe22], with plain triples."""


def times(line: dict[str, Any]) -> tuple[str, int, list[int], list[int]]:
    """The status of a line, when, the times of its evidence, and of its hypotheses."""
    evidence, missing = line["evidence"], line["hypotheses"]
    return (
        *(line["status"], line["at"]),
        *([each["from"] for each in evidence], [each["until"] for each in missing]),
    )


def told(folder: Path, rule: str, *given: str, **options: Any) -> list[tuple[Any, ...]]:
    tried = SmallRun(folder, rule, *given, window="", **options)
    return [times(line) for line in tried.lines if "status" in line]


def high(*stamps: int) -> list[str]:
    return [element(f"g{stamp}", stamp, "wt2 temp high") for stamp in stamps]


def test_each_reading_that_comes_is_told_and_confirmed_with_its_time(tmp_path: Path) -> None:
    assert told(tmp_path, THREE, *high(0, 1, 2)) == [
        ("supported", 0, [0], [1, 2]),
        ("supported", 1, [0, 1], [2]),
        ("confirmed", 2, [0, 1, 2], []),
    ]


def test_hypotheses_of_other_times_are_other_hypotheses(tmp_path: Path) -> None:
    given = *high(0, 10), element("end", 11)
    assert told(tmp_path, THREE, *given, options=("--delay", "20")) == [
        ("supported", 0, [0], [-2, -1]),
        ("supported", 0, [0], [-1, 1]),
        ("supported", 0, [0], [1, 2]),
        ("supported", 10, [10], [8, 9]),
        ("supported", 10, [10], [9, 11]),
        ("supported", 10, [10], [11, 12]),
    ]


def test_what_did_not_come_is_followed_by_what_may_come_next(tmp_path: Path) -> None:
    assert told(tmp_path, THREE, *high(0, 2), element("end", 3), element("more", 4)) == [
        ("supported", 0, [0], [1, 2]),
        ("supported", 2, [2], [3, 4]),
        ("withdrawn", 4, [], []),
    ]


def test_a_set_is_needless_if_another_needs_some_of_its_times(tmp_path: Path) -> None:
    """At 2 the reading of 1 would do; those of 1 and 3 are too many, those of 3 and 4 are not."""
    assert told(tmp_path, THREE, *high(0, 2), options=("--delay", "1")) == [
        ("supported", 0, [0], [-1, 1]),
        ("supported", 0, [0], [1, 2]),
        ("supported", 2, [0, 2], [1]),
        ("supported", 2, [2], [3, 4]),
    ]


def test_a_triple_is_missing_twice_where_its_times_are_ranges(tmp_path: Path) -> None:
    rule = (
        "Forall ?s ?x ( ?x[ex:is -> ex:bad] :- And( ?s[ex:on -> ?x] ?x[ex:temp -> ex:high] "
        "DiamondMinus [1, 5] ( ?x[ex:temp -> ex:high] ) ) )"
    )
    given = element("g", 7, "s on wt2"), element("h", 8), element("i", 9)
    late = element("late", 6, "wt2 temp high")
    lines = told(tmp_path, rule, given[0], given[1], late, given[2], options=("--delay", "2"))
    on_first = [line for line in lines if 7 in line[2]]
    assert on_first == [("supported", 7, [7], [6, 7]), ("supported", 8, [7, 6], [7])]
