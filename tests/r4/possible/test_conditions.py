"""``r4 run --hypotheses``: what needs no evidence, as long as other conditions hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.possible.small_runs import SmallRun, element

WITHOUT = "possible without evidence"
STATIC = "<urn:ex:other> <urn:ex:on> <urn:ex:m> .\n<urn:ex:other> <urn:ex:near> <urn:ex:m> .\n"
SMOKE = "?x[ex:is -> ex:bad] :- And( ?x[ex:smoke -> ?s] ?s[ex:heat -> ex:m] )"


def told(folder: Path, needs: str, *elements: str) -> list[tuple[object, ...]]:
    """The lines on rooms, where smoke and heat, or heat and ``needs``, are bad."""
    heat = f"?x[ex:is -> ex:bad] :- And( ?s[ex:heat -> ex:m] {needs} )"
    rules = f"Forall ?x ?s ( {SMOKE} ) Forall ?x ?s ?a ?b ( {heat} )"
    ran = SmallRun(folder, rules, *elements, window="Window(20)", static=STATIC)
    lines = [each for each in ran.lines if "status" in each and each["s"] == "<urn:ex:hall>"]
    return [(each["status"], each["at"], each["because"]) for each in lines]


CONDITIONS = {
    "of the fact": "?x[ex:on -> ?s]",
    "of the fact alone": "?x[ex:on -> ?a] ?x[ex:on -> ?a]",
    "of no term of the fact": "?x[ex:near -> ?b] ?s[ex:on -> ?a]",
    "of nothing": "?x[ex:near -> ex:m] ex:all[ex:on -> ex:m]",
    "in two groups": "?x[ex:near -> ?b] ?s[ex:on -> ?a] ex:all[ex:on -> ?b]",
    "with a test": "?x[ex:on -> ?s] External( pred:numeric-greater-than(3 2) )",
}
COME = ("hall on s1", "hall near m", "s1 on m", "all on m")


@pytest.mark.parametrize("needs", CONDITIONS.values(), ids=CONDITIONS)
def test_a_set_is_needless_while_conditions_hold_with_which_less_is_enough(
    needs: str, tmp_path: Path
) -> None:
    given = (
        element("g1", 1, "hall smoke s1"),
        element("g2", 2, *COME),
        element("g3", 3),
        element("g4", 4, back="g2"),
        element("g5", 5),
    )
    assert told(tmp_path, needs, *given) == [
        ("supported", 1, None),
        ("withdrawn", 2, WITHOUT),
        ("supported", 4, None),
    ]


def test_what_waits_is_told_once_a_condition_has_ended(tmp_path: Path) -> None:
    given = (
        element("g1", 1, *COME),
        element("g2", 9, "hall smoke s1"),
        *(element(f"h{stamp}", stamp) for stamp in (19, 20, 21, 22)),
    )
    assert told(tmp_path, CONDITIONS["of the fact"], *given) == [("supported", 21, None)]


def test_a_condition_about_something_else_makes_nothing_needless(tmp_path: Path) -> None:
    given = element("g1", 1, "hall smoke s1"), element("g2", 2, "attic on s1", "hall on s2")
    assert told(tmp_path, CONDITIONS["of the fact"], *given) == [("supported", 1, None)]


def test_a_test_that_is_not_passed_makes_nothing_needless(tmp_path: Path) -> None:
    needs = "?x[ex:on -> ?s] External( pred:numeric-greater-than(2 3) )"
    given = element("g1", 1, "hall smoke s1"), element("g2", 2, *COME)
    assert told(tmp_path, needs, *given) == [("supported", 1, None)]


def test_conditions_that_always_hold_are_asked_too(tmp_path: Path) -> None:
    given = element("g1", 1, "other smoke m"), element("g2", 2, "hall smoke m")
    assert told(tmp_path, "?x[ex:near -> ?s]", *given) == [("supported", 2, None)]


def test_what_was_withdrawn_as_possible_without_evidence_is_not_confirmed(tmp_path: Path) -> None:
    given = (
        element("g1", 1, "hall smoke s1"),
        element("g2", 2, *COME),
        element("g3", 3, "s1 heat m"),
    )
    assert told(tmp_path, CONDITIONS["of the fact"], *given) == [
        ("supported", 1, None),
        ("withdrawn", 2, WITHOUT),
    ]
