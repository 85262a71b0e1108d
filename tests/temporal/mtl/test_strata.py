"""Negation and comparisons in programs: what is refused, what is known when, what compares how."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from temporal.mtl.ast import MetricProgram
from temporal.mtl.guards import guarded_rules
from temporal.mtl.normal_form import normalise
from temporal.mtl.strata import gated
from temporal.streaming.stream_query import Memory, StreamQuery
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_program
from tests.simulation.metric.models import materialised, runs_of
from tests.simulation.metric.single_texts import parse_facts


def model(rules: str, data: str, lo: int = -20, hi: int = 40) -> dict[str, list[tuple[int, int]]]:
    found = runs_of(materialised(parse_program(rules), parse_facts(data).facts), lo, hi)
    return {f"{name}({','.join(args)})": runs for (name, args), runs in found.items()}


@pytest.mark.parametrize(
    ("rules", "cycle"),
    [
        ("P :- not P", r"P depends on not P \(line 1\)"),
        (
            "P(X) :- A(X), not Q(X)\nQ(X) :- Boxminus[1,2]P(X)",
            r"P depends on not Q \(line 1\), Q on P \(line 2\)",
        ),
        ("P(X) :- A(X), not (B(X), not Diamondminus[1,2]P(X))", "P depends on not P"),
        ("P(X) :- A(X), Q(X)\nQ(X) :- A(X), not Diamondplus[0,1]P(X)", "Q depends on not P"),
    ],
)
def test_a_cycle_through_a_negation_is_refused_by_its_rules(rules: str, cycle: str) -> None:
    with pytest.raises(RuleErrors, match=f"MTL211 not stratified: {cycle}"):
        parse_program(rules)


def test_constants_decide_what_depends_on_what() -> None:
    rules = "P(a) :- not P(b)\nBoxplus[2,2]Q(X) :- Q(X)\nR(X) :- Q(X), not P(X)"
    found = model(rules, "P(b)@[0,1]\nQ(a)@0")
    assert found["P(a)"] == [(-20, 0), (3, 40)]
    assert found["R(a)"] == [(0, 1)]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("P(X) :- not A(X)", "MTL301 X of the head"),
        ("P :- not A(X)", "MTL301 X of a negation or comparison"),
        ("P(X) :- A(X), not B(X,Y)", "MTL301 Y of a negation or comparison"),
        ("P(X) :- A(X), Y > 3", "MTL301 Y of a negation or comparison"),
        ("P :- (A(X) Since[0,1] B), not C(X)", "MTL302 X is used in several places"),
        ("not P :- A", "MTL204 a negation cannot be concluded"),
        ("P(X) :- A(X,V), V > avg{V}", r"MTL112 avg\{…\} is no formula of DatalogMTL"),
        ("P(X) :- M = count {V [X] | A(X,V)}", r"MTL112 count \{…\}"),
        ("P(X) :- quantile 0.9{V} = X", r"MTL112 quantile 0.9\{…\}"),
        ("P(X) :- At ?t (A(X))", "MTL112 At is no formula"),
        ("P(X) :- Ended F U (A(X))", "MTL112 Ended is no formula"),
        ("P(X) :- Every 1 h at T", "MTL112 Every is no formula"),
    ],
)
def test_what_has_no_meaning_is_refused(rule: str, code: str) -> None:
    with pytest.raises(RuleErrors, match=code):
        parse_program(rule)


def test_a_variable_of_a_negation_alone_is_told_how_to_say_that_there_is_none() -> None:
    hint = "for no Y at all negate Some(X), with a rule Some(X) :- P(X,Y)"
    for rule, is_told in (("P(X) :- A(X), not B(X,Y)", True), ("P(X) :- A(X), Y > 3", False)):
        with pytest.raises(RuleErrors) as caught:
            parse_program(rule)
        assert [hint in fault.hint for fault in caught.value.errors] == [is_told]


def test_words_of_rif_are_predicates_where_brackets_or_operators_follow() -> None:
    text = "P :- At(a), Every, Ended Since[0,1] From, min(X), P < 3\n"
    with pytest.raises(RuleErrors, match="MTL301 P of a negation or comparison"):
        parse_program(text)
    plain = text.replace(", P < 3", "").replace("min(X)", "min(x)")
    assert write_program(parse_program(plain)) == plain


def test_negations_and_comparisons_are_written_as_they_are_read() -> None:
    text = (
        'P(X) :- A(X,V), V > 30, not B(X), not (C(X), V <= 1/2), X != "a b", "3." < V\n'
        "P(X) :- A(X,X), not Diamondminus[0,1](B(X), not not C(X)), not (X = 1)\n"
        "P(X) :- A(X,V), not B(X) Since[0,1] C(X), Boxminus[0,1](V > -2), not (C(X) Until[0,1] Q)\n"
    )
    program = parse_program(text)
    assert write_program(program) == text
    assert parse_program(text.replace(" > ", ">").replace(" <= ", "<=")) == program


@pytest.mark.parametrize(
    ("comparison", "holds"),
    [
        ("V = 1.5", ["01.50", "3/2"]),
        ("V != 1.5", ["-2", "2/0", "a", "b"]),
        ("V < 1.5", ["-2"]),
        ("1.5 <= V", ["01.50", "3/2"]),
        ("V > a", []),
        ("V = a", ["a"]),
        ("V = V", ["-2", "01.50", "2/0", "3/2", "a", "b"]),
        ("not V < 1.5", ["01.50", "2/0", "3/2", "a", "b"]),
    ],
)
def test_numbers_compare_by_value_and_all_else_as_text(comparison: str, holds: list[str]) -> None:
    data = "".join(f'A("{text}")@0\n' for text in ("3/2", "01.50", "-2", "a", "b", "2/0"))
    found = model(f"P(V) :- A(V), {comparison}", data)
    assert sorted(atom for atom in found if atom[0] == "P") == [f"P({each})" for each in holds]


def test_a_negation_gets_values_from_where_the_body_has_them() -> None:
    rules = "P(X) :- A(X), Boxminus[0,2]not B(X)\nQ(X) :- not B(X) Since[1,3] A(X)"
    (one,), (other,) = map(guarded_rules, parse_program(rules).rules)
    assert write_program(MetricProgram((one, other))) == (
        "P(X) :- A(X), Boxminus[0,2](not B(X), Diamondplus[0,2]A(X))\n"
        "Q(X) :- (not B(X), Diamondminus(0,3)A(X)) Since[1,3] A(X)\n"
    )
    found = model(rules, "A(a)@[0,4]\nB(a)@[1,3/2]")
    assert found["P(a)"] == [(0, 4), (15, 17)]
    assert found["Q(a)"] == [(4, 5), (10, 29)]


def test_the_normal_form_negates_atoms() -> None:
    program = parse_program("P(X) :- A(X), not Boxminus[0,1]B(X), not (C(X), X > 3)")
    assert write_program(normalise(program)) == (
        "aux1(X) :- Boxminus[0,1]B(X)\nP(X) :- A(X), not aux1(X), not (C(X), X > 3)\n"
    )


def test_a_negation_within_another_is_known_farther_out() -> None:
    program = parse_program("P :- not Diamondminus[0,3](A, not B)\nBoxplus[1,1]B :- B")
    found = gated(program)
    assert [(gate.stratum, gate.depth) for gate in found.gates] == [(0, 0), (0, 1)]


def test_a_negation_over_what_never_ends_never_ends() -> None:
    found = model("Boxplus[5,5]Tick :- Tick\nGap :- not Diamondminus[0,2]Tick", "Tick@0", -4, 30)
    assert found["Gap()"] == [(-4, 0), (5, 10), (15, 20), (25, 30)]


def test_a_double_negation_in_a_cycle_comes_to_an_end() -> None:
    rules = "Boxminus[0,2)Q(X) :- Q(X), not not P(X)\nBoxplus[2,2]N :- N"
    found = model(rules, "P(a)@(-1,-1/2)\nQ(a)@(-1,0)")
    assert found["Q(a)"] == [(-11, 0)]


def test_memory_is_exact_with_negation() -> None:
    query = StreamQuery.of(parse_program("P(X) :- A(X), not Diamondminus[0,1]B(X)"), "P")
    assert not query.has_dense_memory(Memory.AUTO, retracts=False)
    with pytest.raises(RuleErrors, match="MTL407"):
        query.has_dense_memory(Memory.DENSE, retracts=False)
