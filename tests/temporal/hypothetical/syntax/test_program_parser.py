"""Temporal Datalog text: what it means, and what is wrong with it, with code, place and advice."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalRule, TimeTerm
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.program_parser import decode_program, parse_program, parse_query

X, T = Variable("X"), TimeTerm("T", 0)
HIGH = Literal("high")
RULE = TemporalRule(
    TemporalAtom("Flag", (X,), T),
    (TemporalAtom("Temp", (X, HIGH), T), TemporalAtom("Hot", (X,), TimeTerm("T", -1))),
)


def faults(text: str) -> list[tuple[str, int, int]]:
    with pytest.raises(RuleErrors) as raised:
        parse_program(text)
    return [(fault.code, fault.span.line, fault.span.column) for fault in raised.value.errors]


@pytest.mark.parametrize(
    "text",
    [
        "Flag(X,T) :- Temp(X,high,T), Hot(X,T-1)",
        "Flag(X,T):-Temp(X,high,T),Hot(X,T-1).",
        "  Flag( X , T ) <- Temp(X, high, T) & Hot(X, T - 1) .  # always",
        "Flag(X,T) ← Temp(X,'high',T) ∧ Hot(X,T-01)",
        "Temp(X,high,T), Hot(X,T-1) -> Flag(X,T)",
        'Temp(X,"high",T), Hot(X,T-1) → Flag(X,T).',
        "Temp(?X,high,?T) ∧ Hot(?X,?T -1) => Flag(?X,?T+0)",
        "# a rule\n\nTemp(X,high,T), Hot(X,T-1) -> Flag(X,T) # and no more",
        "\ufeffTemp(X,high,T), Hot(X,T-1) -> Flag(X,T)\r\n",
    ],
)
def test_a_rule_is_written_in_both_directions(text: str) -> None:
    assert parse_program(text).rules == (RULE,)


def test_rules_stand_one_a_line_in_their_order() -> None:
    found = parse_program("P(0) :- Q(0)\rR(T) :- P(T+2)\n\n# no rule\nQ(T) -> S(T)").rules
    assert [rule.head.predicate for rule in found] == ["P", "R", "S"]
    assert [rule.span.line for rule in found] == [1, 2, 5]
    assert [rule.head.time for rule in found] == [TimeTerm(None, 0), T, T]
    assert found[1].body[0].time == TimeTerm("T", 2)


def test_what_begins_with_no_capital_letter_or_is_quoted_is_a_constant() -> None:
    (rule,) = parse_program("""p:P(?x,T) :- a-b.c(n/a,7,'X',"it's # 1",ä,?x,_,T)""").rules
    constants = [arg.lexical for arg in rule.body[0].args if isinstance(arg, Literal)]
    assert constants == ["n/a", "7", "X", "it's # 1", "ä", "_"]
    assert rule.head.args == (Variable("x"),)
    assert (rule.head.predicate, rule.body[0].predicate) == ("p:P", "a-b.c")


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("A(T) B(T)", "HYP101", 6),
        ("A(T) :- B(T) C(T)", "HYP101", 14),
        ("A(T) :- B(T),", "HYP101", 14),
        ("A(T) :- B(T", "HYP101", 12),
        ("A(T) :- B(a b,T)", "HYP101", 13),
        ("A(T) :- B(,T)", "HYP101", 11),
        ("A(T) :- B(T). C(T)", "HYP101", 15),
        ("A(T) :- B(T) :- C(T)", "HYP101", 14),
        ("A(T) ->", "HYP101", 6),
        ("5 :- A(T)", "HYP101", 1),
        ("A(X-1,T) :- B(T)", "HYP102", 3),
        ("A(a\x00,T) :- B(T)", "HYP102", 3),
        ("A('x,T) :- B(T)", "HYP103", 3),
        (r"A('\n',T) :- B(T)", "HYP104", 4),
        ("A(t) :- B(T)", "HYP105", 3),
        ("A(T*2) :- B(T)", "HYP105", 3),
        ("A(T+x) :- B(T)", "HYP105", 3),
        ("A(1+T) :- B(T)", "HYP105", 3),
        ("A(T+-1) :- B(T)", "HYP105", 3),
        ("A(-1) :- B(T)", "HYP105", 3),
        ("A(1.5) :- B(T)", "HYP105", 3),
        ("A('5') :- B(T)", "HYP105", 3),
        ("A(x,'T' ) :- B(T)", "HYP105", 5),
        ("A :- B(T)", "HYP106", 3),
        ("A() :- B(T)", "HYP106", 2),
        ("A(T) :- B", "HYP106", 10),
        ("A(T) :-", "HYP107", 6),
        ("A(T) :- .", "HYP107", 6),
        ("-> A(T)", "HYP107", 1),
        ("A(0).", "HYP107", 1),
        ("@5 A(4)", "HYP110", 1),
        ("A(T) :- B(a,T), B(T)", "HYP201", 17),
        ("A(T) :- A(a,T)", "HYP201", 9),
        ("A(T) :- B(T,T)", "HYP202", 1),
        ("A(X) :- B(X,T)", "HYP202", 1),
        (f"A({MAX_TIME + 1}) :- B(T)", "HYP203", 3),
        (f"A(T-{'9' * 5000}) :- B(T)", "HYP203", 3),
        ("A(T), B(T) :- C(T)", "HYP204", 7),
        ("C(T) -> A(T), B(T)", "HYP204", 15),
        ("A(X,T) :- B(T)", "HYP301", 1),
        ("A(T) :- B(S)", "HYP301", 1),
        ("A(T) :- B(0)", "HYP301", 1),
    ],
)
def test_a_fault_of_a_rule_has_its_code_and_place(text: str, code: str, column: int) -> None:
    assert faults(f"# a program\n{text}") == [(code, 2, column)]


def test_all_faults_of_a_program_are_told_at_once() -> None:
    text = "A(X,T) :- B(X\nC(Y,T) :- D(X,T)\n\nE(T) :- 'f'\nB(T) :- A(x,y,T)\nA(x,T) :- D(X,X)"
    assert faults(text) == [
        ("HYP101", 1, 14),
        ("HYP301", 2, 1),
        ("HYP101", 4, 9),
        ("HYP201", 6, 1),
        ("HYP301", 6, 1),
        ("HYP202", 6, 11),
    ]


def test_a_report_shows_file_place_line_and_hint() -> None:
    with pytest.raises(RuleErrors) as raised:
        parse_program("Temp(X,high,T) -> Flag(Y,T)\n", "wind.txt")
    assert raised.value.report() == (
        "wind.txt:1:19: HYP301 Y of the head is bound nowhere in the body\n"
        "  Temp(X,high,T) -> Flag(Y,T)\n"
        "                    ^^^^^^^^^\n"
        "  hint: let it occur in an atom of the body"
    )


@pytest.mark.parametrize(
    "text",
    [
        "A('" + "x" * 100_000 + "',T) :- B(T)",
        "A(" + "x," * 300 + "T) :- B(T)",
        "A(T) :- " + "B(T), " * 200_000 + "B(T)",
    ],
)
def test_what_is_too_long_is_told(text: str) -> None:
    assert [code for code, *_ in faults(text)] == ["HYP108"]


def test_what_is_no_text_is_told_with_its_place() -> None:
    with pytest.raises(RuleErrors) as raised:
        decode_program(b"A(T) :- B(T)\nA(\xff)")
    assert [(fault.code, fault.span.line) for fault in raised.value.errors] == [("HYP101", 2)]


def test_a_query_is_one_atom() -> None:
    assert parse_query("Malf(X,T)") == TemporalAtom("Malf", (X,), T)
    assert parse_query(" Malf( wt2 , 0 ). ") == TemporalAtom(
        "Malf", (Literal("wt2"),), TimeTerm(None, 0)
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "HYP101"),
        ("# Malf(X,T)", "HYP101"),
        ("Malf(X,T), Malf(X,S)", "HYP101"),
        ("Malf(X,T", "HYP101"),
        ("Malf", "HYP106"),
        ("Malf(X,t)", "HYP105"),
        ("Malf(T,T)", "HYP202"),
    ],
)
def test_a_question_that_is_none_is_told(text: str, code: str) -> None:
    with pytest.raises(RuleErrors) as raised:
        parse_query(text)
    assert [fault.code for fault in raised.value.errors] == [code]


@pytest.mark.parametrize(
    ("rule", "column", "hint"),
    [
        ("A(T) :- B(T), not C(T)", 15, "has no negation"),
        ("!B(T) -> A(T)", 1, "has no negation"),
        ("A(T) :- ¬ B(T)", 9, "has no negation"),
        ("A(X,T) :- B(X,T), X > 3", 19, "compares no values"),
        ("A(X,T) :- B(X,T), X != 3", 19, "compares no values"),
        ("A(X,T) :- B(X,T), ?X > 3", 19, "compares no values"),
        ("A(T) :- B(T), not (C(T))", 15, "has no negation"),
    ],
)
def test_what_other_languages_have_is_told(rule: str, column: int, hint: str) -> None:
    with pytest.raises(RuleErrors, match=rf":1:{column}: HYP101 .*\n.*\n.*\n  hint: .*{hint}"):
        parse_program(rule)


def test_a_predicate_may_be_called_not() -> None:
    assert [rule.head.predicate for rule in parse_program("not (T) <- B(T)\nA(T)<-B(T)").rules] == [
        *("not", "A")
    ]
