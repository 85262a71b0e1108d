"""What is wrong with DatalogMTL text: code, place, advice; and nothing dropped in silence."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.syntax import ast
from temporal.facts.fact_parser import parse_fact
from temporal.mtl.ast import MetricProgram, atom
from temporal.mtl.validation import MOST_APART, check
from temporal.text import program_parser
from temporal.text.program_parser import parse_program
from tests.generators.metric.fact_text import write_facts
from tests.simulation.metric.single_texts import parse_facts, parse_rule, parse_table


def faults(text: str) -> list[tuple[str, int, int]]:
    with pytest.raises(RuleErrors) as raised:
        parse_program(text)
    return [(fault.code, fault.span.line, fault.span.column) for fault in raised.value.errors]


@pytest.mark.parametrize("comment", ["% rest", "// rest"])
@pytest.mark.parametrize("before", ["", "A(X) :- B(X) "])
def test_comments_of_other_systems_are_told_how_to_begin(before: str, comment: str) -> None:
    with pytest.raises(RuleErrors, match=r"MTL101 .*\n.*\n.*\n  hint: a comment begins with #"):
        parse_program(before + comment)
    assert parse_program(f"A(X) :- B(X) # {comment}").rules


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("A(X) B(X)", "MTL101", 6),
        ("A(X) -> B(X)", "MTL101", 6),
        ("A(X)", "MTL101", 5),
        ("A(X), C(X) :- B(X)", "MTL101", 5),
        ("A(X) :- B(X). C(X)", "MTL101", 15),
        ("A(X) :- B(X),", "MTL101", 14),
        ("A(X) :- (B(X)", "MTL101", 14),
        ("A(X) :- ()", "MTL101", 10),
        ("A(X) :- B(X,)", "MTL101", 13),
        ("A(X) :- B(X) since[0,1] C(X)", "MTL101", 14),
        ("A :- Since[0,1] B", "MTL101", 6),
        ("A :- B Since[0,1]", "MTL101", 18),
        ("A(X-1) :- B(X)", "MTL102", 3),
        ("A(a\x00) :- TOP", "MTL102", 3),
        ("A('x) :- TOP", "MTL103", 3),
        (r"A('\n') :- TOP", "MTL104", 4),
        ("A :- Diamondminus[0,1e3]B", "MTL105", 21),
        ("A :- Diamondminus[0,1/0]B", "MTL105", 21),
        ("A :- Diamondminus[0,10min]B", "MTL105", 21),
        ("A :- Diamondminus[0,P1M]B", "MTL105", 21),
        ("A :- Diamondminus[0,2024-01-01]B", "MTL105", 21),
        ("A :- Diamondminus[0,1.]B", "MTL105", 21),
        ("A :- Diamondminus[0,nan]B", "MTL105", 21),
        ("A :- Diamondminus B", "MTL106", 19),
        ("A :- Diamondminus(2)B", "MTL106", 18),
        ("A :- always[0,1]B", "MTL106", 6),
        ("A :- B Since C", "MTL106", 14),
        ("A :- Boxminus[2,1]B", "MTL201", 14),
        ("A :- Boxminus(1,1)B", "MTL201", 14),
        ("A :- Boxminus[1,1)B", "MTL201", 14),
        ("A :- Boxminus[inf,inf)B", "MTL201", 14),
        ("A :- Boxminus[-2,-1]B", "MTL202", 14),
        ("A :- Boxminus[-2 m,-PT1M]B", "MTL202", 14),
        ("A :- B <S>[-2,-1] B", "MTL202", 11),
        ("A :- ALWAYS[-1,1]B", "MTL203", 12),
        ("A :- Boxminus[1,2 m]B", "MTL209", 14),
        ("A :- Boxminus[0,2 m]B, Boxminus[0,1]C", "MTL209", 24),
        ("A :- B UNTIL[-1,1] C", "MTL203", 13),
        ("Diamondplus[0,1]A :- B", "MTL204", 1),
        ("Boxplus[0,1]SOMETIME[0,1]A :- B", "MTL204", 13),
        ("A Since[0,1] B :- B", "MTL204", 1),
        ("TOP :- B", "MTL204", 1),
        ("A :- B, ⊥", "MTL210", 9),
        ("BOTTOM :- BOTTOM", "MTL210", 11),
        ("BOTTOM, A :- B", "MTL101", 7),
        ("BOTTOM(x) :- B", "MTL101", 7),
        ("Diamondplus[0,1]BOTTOM :- B", "MTL204", 1),
        ("A :- B, Boxminus[0,1]BOTTOM", "MTL210", 22),
        ("(A, B) :- C", "MTL204", 2),
        ("A :- B(x), B(x,y)", "MTL205", 12),
        ("A :- A(X)", "MTL205", 6),
        ("A(Y) :- B(X)", "MTL301", 3),
        ("A(X) :- TOP", "MTL301", 3),
        ("A(X) :-", "MTL301", 3),
        ("A(X) :- B(X) Since[0,1] C", "MTL302", 3),
        ("A :- B(X) Since[0,1] C, B(X) Until[0,1] C", "MTL302", 8),
        ("A :- Boxminus[0,1](B(X) Since[0,1] C), B(X) Since[0,1] C", "MTL302", 22),
        ("A(X) :- Boxminus[0,1](B(X) Since[0,1] C)", "MTL302", 3),
        ("P(a)@5", "MTL110", 1),
    ],
)
def test_a_fault_of_a_rule_has_its_code_and_place(text, code, column):
    assert faults(f"# a program\n{text}") == [(code, 2, column)]


@pytest.mark.parametrize(
    "text",
    [
        "A(X) :- B(X) Since(0,1] C",
        "A(X) :- B(X) Since[1,2] C",
        "A(X) :- C Since[0,1] B(X)",
        "A :- B(X) Since[0,1] C",
        "A :- Diamondminus[0,1](B(X) Since[0,1] C)",
        "A(X) :- B(X) Since[0,1] C, B(X)",
        "A(X) :- Boxminus[0,1](B(X) Since[0,1] C(X))",
        "A :- Boxminus[0,1](B(X) Since[0,1] C)",
        "A :- Boxplus[0,1]Diamondplus[0,1](B(X) Since[0,1] C)",
        "A :- (B(X) Since[0,1] C) Since[0,1] C",
        "A :- Boxminus[0,1]((B(X), C Until[0,1] D(X)) Since[0,1] C)",
        "A :- Boxminus[0,1]((B(X) Since[0,1] C, B(Y)) Since[0,1] C)",
    ],
)
def test_what_is_needed_only_where_it_holds_is_safe(text):
    assert len(parse_program(text).rules) == 1


def test_few_left_sides_below_boxes_may_have_variables_of_their_own():
    def rule(count: int) -> str:
        boxes = (f"Boxminus[0,1](B(X{number}) Since[0,1] C)" for number in range(count))
        return f"A :- B(Y) Since[0,1] C, {', '.join(boxes)}"

    assert parse_program(rule(MOST_APART)).rules
    found = faults(rule(MOST_APART + 1))
    assert [(code, line) for code, line, _ in found] == [("MTL302", 1)] * (MOST_APART + 1)


def test_one_formula_at_two_places_is_two_places():
    shared = parse_rule("A :- B(X) Since[0,1] C").body
    twice = ast.Implies((atom("A"),), ast.And((shared, shared)))
    assert [fault.code for fault in check(MetricProgram((twice,)))] == ["MTL302"]


def test_all_faults_of_a_program_are_told_at_once():
    text = "A(X) :- B(X\nC(Y) :- Boxminus[2,1]Boxplus[-1,1]D(X)\n\nE :- 'f'\nB :- B(X,X)\n"
    found = [(code, line) for code, line, _ in faults(text)]
    assert found == [
        ("MTL101", 1),
        ("MTL301", 2),
        ("MTL201", 2),
        ("MTL202", 2),
        ("MTL101", 4),
        ("MTL205", 5),
    ]


def test_a_report_shows_file_place_line_and_hint():
    with pytest.raises(RuleErrors) as raised:
        parse_program("A(Y) :- B(X)\n", name="rules.mtl")
    assert raised.value.report() == (
        "rules.mtl:1:3: MTL301 Y of the head is bound nowhere in the body\n"
        "  A(Y) :- B(X)\n"
        "    ^\n"
        "  hint: let it occur in an atom of the body"
    )


@pytest.mark.parametrize("nest", ["Boxminus[0,1]", "(", "A Since[0,1] "])
def test_nesting_has_a_bound_that_is_told(nest):
    assert [code for code, *_ in faults(f"A :- {nest * 5000}A")] == ["MTL107"]


@pytest.mark.parametrize(
    "text",
    [
        "A :- Boxminus[0," + "1" * 5000 + "]A",
        "A('" + "x" * 100_000 + "') :- TOP",
        "A :- " + "B, " * 400_000 + "B",
    ],
)
def test_what_is_too_long_is_told(text):
    assert [code for code, *_ in faults(text)] == ["MTL108"]


def test_a_program_of_too_many_rules_is_read_no_further(monkeypatch):
    monkeypatch.setattr(program_parser, "MAX_RULES", 3)
    most = "A :- B\n" * 3 + "# rest\n\n"
    assert len(parse_program(most).rules) == 3
    assert faults(f"{most}  A :- C\nA :-\n?") == [("MTL108", 6, 3)]


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("P(b)", "MTL101", 5),
        ("P(b)@", "MTL101", 6),
        ("P(b)@5 6", "MTL101", 8),
        ("P(b,)@5", "MTL101", 5),
        ("P(x y)@5", "MTL101", 5),
        ("P(b)@(1,1)", "MTL201", 6),
        ("P(b)@[2,1]", "MTL201", 6),
        ("P(b)@inf", "MTL201", 6),
        ("P(b)@[1,2,3]", "MTL101", 10),
        ("P(b)@(5)", "MTL106", 6),
        ("P(b)@1e5", "MTL105", 6),
        ("P(b)@2024-01-01", "MTL209", 6),
        ("P(b)@[1,2024-01-01]", "MTL209", 6),
        ("P(b)@2023-02-29", "MTL105", 6),
        ("P(b)@[1,5 m]", "MTL105", 9),
        ("P(b,c)@5", "MTL205", 1),
        ("P@5", "MTL205", 1),
        ("Boxminus[0,1]P(b)@5", "MTL101", 1),
        ("TOP@5", "MTL101", 1),
        ("P(b) :- Q", "MTL109", 6),
        ("P('b)@5", "MTL103", 3),
        ("P(b\x01)@5", "MTL102", 3),
    ],
)
def test_a_bad_fact_is_told_and_the_others_are_kept(line, code, column):
    read = parse_facts(f"P(a)@1\n{line}\nP(c)@3\n")
    assert [fact.args for fact in read.facts] == [("a",), ("c",)]
    assert [(f.code, f.span.line, f.span.column) for f in read.faults] == [(code, 2, column)]
    assert read.bad == 1


def test_every_line_is_a_fact_or_counted_as_bad():
    lines = [f"P(a)@{'[1,2' if n % 3 else n}" for n in range(300)]
    read = parse_facts("\n".join(lines))
    assert (len(read.facts), read.bad, len(read.faults)) == (100, 200, 100)


def test_facts_follow_the_program_in_the_number_of_arguments():
    read = parse_facts("P(a)@1\nQ(a)@1\n", arities={"P": 2})
    assert [fact.predicate for fact in read.facts] == ["Q"]
    assert [fault.code for fault in read.faults] == ["MTL205"]


@pytest.mark.parametrize("text", ["", "P(a)@1\nP(b)@2", "P(a)", "# P(a)@1"])
def test_a_question_is_one_fact(text):
    with pytest.raises(RuleErrors):
        parse_fact(text)


def test_a_table_has_arguments_and_two_ends():
    text = 'i0,i1,i2,i3\n3832.0,x y,11007.0,201195.0\n"q,""r""", b ,-inf,1/2\n\n7,X,3,3'
    read = parse_table(text, "g1")
    assert not read.faults
    assert write_facts(read.facts) == (
        'g1(3832.0,"x y")@[11007,201195]\ng1(7,X)@[3,3]\ng1("q,\\"r\\"","b ")@(-inf,1/2]\n'
    )


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("b,x,3", "MTL111"),
        ("b,3,", "MTL111"),
        ("b,3,1e5", "MTL111"),
        ("3", "MTL111"),
        ('"b,1,2', "MTL111"),
        ("b\x00,1,2", "MTL111"),
        ("b,5,4", "MTL201"),
        ("b,inf,inf", "MTL201"),
        ("b,c,1,2", "MTL205"),
        ("left,right,end", "MTL111"),
    ],
)
def test_a_bad_row_is_told_and_the_others_are_kept(row, code):
    read = parse_table(f"a,1,2\n{row}\nc,3,4\n", "P")
    assert [fact.args for fact in read.facts] == [("a",), ("c",)]
    assert [(fault.code, fault.span.line) for fault in read.faults] == [(code, 2)]
    assert read.bad == 1


def test_a_table_without_header_loses_no_row():
    assert len(parse_table("a,1,2\nb,3,4", "P").facts) == 2
    assert len(parse_table("1,2\n3,4", "P").facts) == 2
    assert [fault.code for fault in parse_table("a,from,2\nb,3,4", "P").faults] == ["MTL111"]


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("A(X), NOT C(X)", r"is written not A\(X\)"),
        ("A(X), naf C(X)", r"is written not A\(X\)"),
        ("!A(X)", r"is written not A\(X\)"),
        ("A(X), ¬ C(X)", r"is written not A\(X\)"),
        ("A(X), X == 3", "did you mean =?"),
        ("A(X), X <> 3", "did you mean !=?"),
        ("A(X), X ≥ 3", "did you mean >=?"),
        ("A(X), A(X) > 3", "a variable or a constant on each side"),
        ("Diamondminus[0,2 A(X)", r"an interval is written \[0,2\], or"),
    ],
)
def test_what_other_languages_have_is_told(body: str, hint: str) -> None:
    with pytest.raises(RuleErrors, match=rf"MTL101 .*\n.*\n.*\n  hint: .*{hint}"):
        parse_program(f"B(X) :- {body}")


def test_a_blank_between_a_date_and_its_time_is_told():
    told = {
        "P(b)@[2024-01-01 08:00:00,2024-01-01 20:00:00]": "stands a T",
        "P(b)@[2024-01-01 5]": "two ends",
        "P(b)@[1 08:00]": "two ends",
    }
    for line, hint in told.items():
        (fault,) = parse_facts(line).faults
        assert (fault.code, hint in fault.hint) == ("MTL106", True), fault.hint
