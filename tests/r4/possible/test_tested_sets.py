"""``r4 run --hypotheses``: sets with a test, which what another set waits for may pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.possible.small_runs import SmallRun, element

SEEN = "?x[ex:seen -> ?s]"
STATIC = "<urn:ex:hall> <urn:ex:on> <urn:ex:s1> .\n"


def waits_for(folder: Path, value: str, test: str, more: str = SEEN) -> list[list[str]]:
    """The values that are waited for, where ``value``, or any that passes ``test``, is bad."""
    rules = (
        f"Forall ?x ?s ( ?x[ex:is -> ex:bad] :- And( {SEEN} ?s[ex:level -> {value}] "
        "?s[ex:state -> ex:on] ) )"
        f"Forall ?x ?s ?v ( ?x[ex:is -> ex:bad] :- And( {more} ?s[ex:level -> ?v] {test} ) )"
    )
    given = element("g1", 1, "hall seen s1")
    terms = (
        "--literals",
        "term",
    )  # else 7 stands for any spelling, so it is a variable with a test
    ran = SmallRun(folder, rules, given, options=terms, window="Window(20)", static=STATIC)
    lines = [each for each in ran.lines if "status" in each and each["s"] == "<urn:ex:hall>"]
    return [
        [each["o"].split("^")[0].strip('"') for each in line["hypotheses"] if "level" in each["p"]]
        for line in lines
    ]


@pytest.mark.parametrize(
    ("value", "test", "wanted"),
    [
        ("7", "External( pred:numeric-greater-than(?v 5) )", [["?v"]]),
        ("5", "External( pred:numeric-greater-than(?v 5) )", [["5"], ["?v"]]),
        (
            "7",
            "External( pred:numeric-greater-than(External(func:numeric-add(?v 1)) 7) )",
            [["?v"]],
        ),
        (
            "6",
            "External( pred:numeric-greater-than(External(func:numeric-add(?v 1)) 7) )",
            [["6"], ["?v"]],
        ),
        ("7", "?v = External(func:numeric-add(3 4))", [["?v"]]),
        ("ex:m", "External( pred:numeric-greater-than(?v 5) )", [["<urn:ex:m>"], ["?v"]]),
    ],
)
def test_a_value_that_passes_the_test_of_another_set_is_needless(
    value: str, test: str, wanted: list[list[str]], tmp_path: Path
) -> None:
    assert sorted(waits_for(tmp_path, value, test)) == sorted(wanted)


@pytest.mark.parametrize(("least", "wanted"), [(5, []), (8, [["7"]])])
def test_a_test_is_asked_of_sets_that_need_no_evidence(
    least: int, wanted: list[list[str]], tmp_path: Path
) -> None:
    test = f"External( pred:numeric-greater-than(?v {least}) )"
    assert waits_for(tmp_path, "7", test, "?x[ex:on -> ?s]") == wanted
