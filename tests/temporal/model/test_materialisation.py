"""Materialisation: what is told of a model, limits, and what is refused."""

from __future__ import annotations

import pytest

from rete.terms.dictionary import Dictionary
from temporal.errors import OutOfBounds
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.bulk_writer import write_rows
from temporal.model.least_model import Model
from temporal.model.limits import Limits, Progress
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program


def model_of(rules: str, facts: str, **options) -> Model:
    program, terms = parse_program(rules), Dictionary()
    loader = BulkLoader(terms, arities(program))
    loader.text([facts.encode()])
    assert not loader.faults
    return materialise(program, loader.data(analyse(program).scale), terms, **options)


def lines(model: Model, *cells: int, derived_only: bool = False) -> list[str]:
    found = sorted(model.within(*cells, derived_only=derived_only), key=lambda each: each[0])
    pieces = write_rows(((name, rows) for (name, _), rows in found), model.terms, model.scale)
    return b"".join(pieces).decode().splitlines()


def test_facts_are_told_with_their_maximal_intervals_sorted() -> None:
    found = model_of(
        "B(X,Y) :- Boxminus[0,1]A(Y,X)",
        "A(b,'x y')@[0,1)\nA(b,'x y')@[1,2]\nA(a,'\"')@(5,inf)\nC@1\nA(b,Z)@1/2",
    )
    assert lines(found) == [
        'A(a,"\\"")@(5,inf)',
        "A(b,Z)@[1/2,1/2]",
        'A(b,"x y")@[0,2]',
        'B("\\"",a)@(6,inf)',
        'B("x y",b)@[1,2]',
        "C@[1,1]",
    ]
    assert [line[0] for line in lines(found, derived_only=True)] == ["B", "B"]


def test_what_is_derived_is_told_less_the_data_before_it_is_clipped() -> None:
    found = model_of("Boxplus[0,2]A :- A", "A@[0,1]\nA@[3,3]")
    assert lines(found, 0, 2 * 4 + 1, derived_only=True) == ["A@(1,3)", "A@(3,4]"]


def test_an_endless_model_is_told_by_its_periods() -> None:
    found = model_of("Boxplus[5,5]P :- P", "P@0")
    assert found.periodic.period_lines(found.scale) == (
        "left period none",
        "right period (15,20]",
    )
    assert lines(found)[-1] == "P@[20,20]"
    assert lines(found, 2 * 10**6, 2 * 10**6 + 3) == ["P@[1000000,1000000]"]
    assert found.limit is None


def test_a_cycle_that_ends_is_a_finite_model() -> None:
    found = model_of("A(X) :- Diamondminus[1,1]A(X), B(X)", "A(a)@0\nB(a)@[0,3]\nB(b)@[0,3]")
    assert lines(found)[:4] == ["A(a)@[0,0]", "A(a)@[1,1]", "A(a)@[2,2]", "A(a)@[3,3]"]
    assert found.periodic.is_finite


def test_rules_without_conditions_hold_always() -> None:
    found = model_of("A(a) :- TOP\nB :- Boxminus[0,inf)A(a)", "")
    assert lines(found) == ["A(a)@(-inf,inf)", "B@(-inf,inf)"]


ENDLESS = "Boxplus[3,3]P :- P\nBoxplus[7/2,7/2]P :- P"


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(facts=4), "more than 4 facts"),
        (Limits(rounds=2), "more than 2 rounds"),
        (Limits(seconds=5), "more than 5 seconds"),
    ],
)
def test_a_limit_ends_it_with_a_part_of_the_model(limits, told) -> None:
    times = iter(range(1000))
    part = model_of(ENDLESS, "P@0", limits=limits, clock=lambda: float(next(times)))
    assert part.limit == told
    whole = set(lines(model_of(ENDLESS, "P@0"), 0, 100))
    some = lines(part)
    assert "P@[3,3]" in some
    assert set(some) < whole


def test_limits_beyond_the_model_change_nothing() -> None:
    rules, facts = "B :- Diamondminus[1,2]A\nC :- B", "A@0"
    limited = model_of(rules, facts, limits=Limits(facts=2, rounds=2, seconds=3600))
    assert limited.limit is None
    assert lines(limited) == lines(model_of(rules, facts))


def test_whoever_watches_is_told_how_far_it_is() -> None:
    seen: list[Progress] = []
    found = model_of("B :- A\nC :- B", "A@0", watch=seen.append)
    assert seen[0].facts == 0
    assert [one.facts for one in seen] == sorted(one.facts for one in seen)
    assert found.derived == 2


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        ("Boxplus[1000000000000000000,1000000000000000000]B :- A", "A@500000000000000000"),
        (("B :- Diamondminus[600000000000000000,600000000000000000]A\n"
         "C :- Diamondminus[600000000000000000,600000000000000000]B"), "A@0"),
    ],
)  # fmt: skip
def test_what_would_lie_beyond_all_cells_is_refused(rules, facts) -> None:
    with pytest.raises(OutOfBounds):
        model_of(rules, facts)
