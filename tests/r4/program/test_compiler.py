"""What the compiler refuses, and what it makes of facts and windows."""

from __future__ import annotations

import pytest

from r4.program.compiler import compile_document
from r4.time.ticks import TickUnit, TimeScale
from rete.planning.plan_builder import MAX_CONDITIONS
from rif.errors.report import RuleErrors
from tests.generators.rules.parsers import parse


def program(body: str, *, before: str = "", unit: TickUnit = "ms"):
    text = (
        "Document( Prefix(ex <http://example.org/>) "
        f"Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) {before} Group({body}))"
    )
    return compile_document(parse(text).document, TimeScale(unit))


def codes(body: str, *, before: str = "") -> list[str]:
    with pytest.raises(RuleErrors) as refused:
        program(body, before=before)
    return [error.code for error in refused.value.errors]


def test_facts_are_asserted_and_rules_with_a_true_body_derive() -> None:
    made = program("ex:a[ex:b -> ex:c] ex:p(ex:a) ex:a[ex:d -> ex:e] :- And()")
    assert [(relation.op, texts[0]) for relation, texts, _ in made.facts] == [
        ("", "<http://example.org/a>"),
        ("<http://example.org/p>", "<http://example.org/a>"),
    ]
    assert [emit.rule for emit in made.emits] == [3]


def test_rules_are_named_by_their_annotation_or_their_number() -> None:
    made = program("(* ex:first *) ex:a[ex:b -> ex:c] ex:p(ex:a)")
    assert made.labels == ("http://example.org/first", 2)


def test_a_window_is_counted_in_ticks() -> None:
    assert program("", before="Window(1.5 s)").window == 1500
    assert program("", before="Window(1500)").window == 1500
    assert program("").window is None
    assert codes("", before="Window(1 us)") == ["R4101"]
    assert program("", before="Window(1 us)", unit="us").window == 1


def test_a_body_may_be_long_but_not_endless() -> None:
    def rule(n: int) -> str:
        conditions = " ".join(f"?x[ex:p{i} -> ex:c]" for i in range(n))
        return f"Forall ?x (?x[ex:p -> ex:c] :- And({conditions}))"

    assert len(program(rule(MAX_CONDITIONS)).emits) == 1
    assert codes(rule(MAX_CONDITIONS + 1)) == ["R4103"]


def test_a_disjunction_under_an_operator_is_as_long_as_its_longest_disjunct() -> None:
    def rule(disjuncts: int, conditions: int) -> str:
        each = " ".join(f"?x[ex:p{i} -> ex:c]" for i in range(conditions))
        some = " ".join(f"And(?x[ex:q{i} -> ex:c] {each})" for i in range(disjuncts))
        return f"Forall ?x (?x[ex:p -> ex:c] :- DiamondMinus [1, 2] (Or({some})))"

    assert len(program(rule(MAX_CONDITIONS + 1, 1)).emits) == MAX_CONDITIONS + 2
    assert codes(rule(2, MAX_CONDITIONS)) == ["R4103"]


def test_an_error_is_an_answer_and_nothing_follows_from_it() -> None:
    rif_error = "<http://www.w3.org/2007/rif#error>()"
    made = program(f"{rif_error} ex:p(ex:a) :- {rif_error}")
    assert not made.facts
    assert [emit.rule for emit in made.emits] == [1]
