"""DatalogMTL text: what is read, what is written, and that the two agree."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.cli.terminal.terminal_output import escaped
from rif.errors.report import RuleErrors
from rif.syntax import ast
from temporal.facts.fact_parser import parse_fact
from temporal.intervals.interval import Interval
from temporal.mtl.ast import (
    TOP,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    MetricFact,
    MetricProgram,
    Since,
    Until,
    atom,
    constant,
    variable,
)
from temporal.text.formula_parser import parse_formula
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_fact, write_program, write_rule
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.metric.fact_text import write_facts
from tests.generators.metric.syntax import ODD, Shape, facts, program, rule
from tests.simulation.metric.single_texts import parse_facts, parse_rule

ROUGH = Shape(
    predicates=(("P", 1), ("a1:P", 2), ("q_2", 0), ("has-part", 1), ("É", 3)),
    constants=(*ODD, "a", "3832.0", "http://x/y"),
    denominators=(1, 2, 3, 10),
    infinite=20,
    nesting=4,
)

A, B, C = atom("A"), atom("B"), atom("C")


def between(left: str | None, right: str | None, ends: str = "[]") -> Interval:
    bounds = [None if end is None else Fraction(end) for end in (left, right)]
    return Interval(bounds[0], bounds[1], ends[0] == "[", ends[1] == "]")


def body(text: str) -> ast.Formula:
    return parse_rule(f"H :- {text}").body


def when(text: str) -> Interval:
    return parse_fact(f"P@{text}").interval


@given(st.data())
def test_what_is_written_reads_as_the_same_program(data):
    draw = from_hypothesis(data.draw)
    given = MetricProgram(tuple(rule(draw, ROUGH) for _ in range(3)))
    assert parse_program(write_program(given), check=False) == given


def test_five_hundred_random_rules_survive_writing_and_reading():
    for seed in range(500):
        given = rule(from_seed(seed), ROUGH)
        text = write_rule(given)
        again = parse_program(text, check=False)
        assert again.rules == (given,), text
        assert write_program(again) == f"{text}\n"


@given(st.data())
def test_what_is_written_reads_as_the_same_facts(data):
    given = facts(from_hypothesis(data.draw), ROUGH)
    read = parse_facts(write_facts(given))
    assert not read.faults
    assert sorted(read.facts, key=write_fact) == sorted(given, key=write_fact)


def test_safe_programs_pass_all_checks():
    for seed in range(100):
        given = program(from_seed(seed), Shape())
        assert parse_program(write_program(given)) == given


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Diamondminus[0,1]A", DiamondMinus(between("0", "1"), A)),
        ("DiamondMinus [0,1] A", DiamondMinus(between("0", "1"), A)),
        ("<->[0,1]A", DiamondMinus(between("0", "1"), A)),
        ("SOMETIME[-1,0]A", DiamondMinus(between("0", "1"), A)),
        ("Diamondplus(0,1]A", DiamondPlus(between("0", "1", "(]"), A)),
        ("<+>(0,1]A", DiamondPlus(between("0", "1", "(]"), A)),
        ("SOMETIME(0,1]A", DiamondPlus(between("0", "1", "(]"), A)),
        ("Boxminus[2,2]A", BoxMinus(between("2", "2"), A)),
        ("[-][2]A", BoxMinus(between("2", "2"), A)),
        ("ALWAYS[-2]A", BoxMinus(between("2", "2"), A)),
        ("ALWAYS[-2,-1)A", BoxMinus(between("1", "2", "(]"), A)),
        ("Boxplus[0,inf)A", BoxPlus(between("0", None), A)),
        ("[+][0,inf]A", BoxPlus(between("0", None), A)),
        ("ALWAYS[0,+inf)A", BoxPlus(between("0", None), A)),
        ("ALWAYS(-inf,0]A", BoxMinus(between("0", None), A)),
        ("ALWAYS[0,0]A", BoxPlus(between("0", "0"), A)),
        ("A Since[0,2]B", Since(between("0", "2"), A, B)),
        ("A <S>[0,2] B", Since(between("0", "2"), A, B)),
        ("A SINCE[0,2] B", Since(between("0", "2"), A, B)),
        ("A UNTIL[-2,0] B", Since(between("0", "2"), A, B)),
        ("A Until[0,2]B", Until(between("0", "2"), A, B)),
        ("A <U>[0,2] B", Until(between("0", "2"), A, B)),
        ("A UNTIL[0,2] B", Until(between("0", "2"), A, B)),
        ("A SINCE(-2,0] B", Until(between("0", "2", "[)"), A, B)),
        ("TOP", TOP),
        ("", TOP),
        (".", TOP),
        ("A, B.", ast.And((A, B))),
        ("A # and no more, B", A),
    ],
)
def test_every_spelling_of_an_operator_is_read(text, meant):
    assert body(text) == meant


def test_since_and_until_associate_to_the_left_and_bind_less_than_unary_operators():
    one = between("0", "1")
    assert body("A Since[0,1] B Until[0,1] C") == Until(one, Since(one, A, B), C)
    assert body("A Since[0,1] (B Until[0,1] C)") == Since(one, A, Until(one, B, C))
    assert body("Boxminus[0,1]A Since[0,1] B") == Since(one, BoxMinus(one, A), B)
    assert body("Boxminus[0,1](A Since[0,1] B)") == BoxMinus(one, Since(one, A, B))


def test_blanks_between_tokens_are_optional():
    tight = "Diamondplus[0,2)S(X)Until[0,2]Boxminus[2,2]Q(X)"
    loose = "Diamondplus [ 0 , 2 ) S ( X ) Until [0, 2] Boxminus [2, 2] Q( X )"
    assert parse_rule(f"P(X):-{tight}") == parse_rule(f"  P(X)  :-  {loose}  . ")


def test_heads_stand_under_nested_boxes():
    one = between("0", "1")
    found = parse_rule("Boxplus[0,1][-][0,1]A :- B").head
    assert found == (BoxPlus(one, BoxMinus(one, A)),)


def test_what_begins_with_a_capital_or_a_question_mark_is_a_variable_in_rules_only():
    (head,) = parse_rule("P(X, ?X, x, 'X', ?y, Éa) :- Q(X, Éa), R(?y)").head
    assert head == atom(
        "P", *map(variable, "XX"), constant("x"), constant("X"), variable("y"), variable("Éa")
    )
    assert parse_fact("P(X, ?X, x, 'X')@5").args == ("X", "?X", "x", "X")


def test_constants_compare_as_text_without_their_quotes():
    assert parse_fact(r"""P('it\'s', "a b", 01, a-b, "\\\"", 'a')@5""").args == (
        "it's",
        "a b",
        "01",
        "a-b",
        '\\"',
        "a",
    )


def test_a_hash_in_quotes_begins_no_comment():
    assert parse_fact("P('a#b')@5 # said so").args == ("a#b",)


def test_predicates_may_have_a_prefix():
    assert parse_fact("a1:P(b:c)@5") == MetricFact("a1:P", ("b:c",), between("5", "5"))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("[1,2)", between("1", "2", "[)")),
        ("(1/3,0.5]", between("1/3", "1/2", "(]")),
        ("[-1.50,+7/14]", between("-3/2", "1/2")),
        ("(-inf,+inf)", between(None, None)),
        ("[-inf,inf]", between(None, None)),
        ("5", between("5", "5")),
        (" -2.5 ", between("-5/2", "-5/2")),
        ("5.", between("5", "5")),
        ("[3]", between("3", "3")),
        (".5", between("1/2", "1/2")),
        ("0.1", between("1/10", "1/10")),
    ],
)
def test_numbers_are_exact(text, meant):
    assert when(text) == meant


@pytest.mark.parametrize(
    ("args", "interval", "text"),
    [
        ((), between("5", "5"), "P@[5,5]"),
        (("a", "b"), between("1", "2", "[)"), "P(a,b)@[1,2)"),
        (("a",), between("7/2", None), "P(a)@[7/2,inf)"),
        (("a",), between(None, "-0.25"), "P(a)@(-inf,-1/4]"),
        (("b c", "", 'q"\\', "X", "A-Za.z0_9:/+-"), between("0", "1"), None),
    ],
)
def test_facts_are_written_in_one_way(args, interval, text):
    written = text or 'P("b c","","q\\"\\\\",X,A-Za.z0_9:/+-)@[0,1]'
    assert write_fact(MetricFact("P", args, interval)) == written


def test_facts_are_sorted_by_predicate_arguments_and_left_end():
    lines = ["P(a)@(-inf,0)", "P(a)@[0,1]", "P(a)@[10,11]", "P(b)@(1,2)", "Q@[0,1]"]
    read = parse_facts("\n".join(reversed(lines))).facts
    assert write_facts(read).splitlines() == lines


def test_the_plain_way_and_the_careful_way_read_the_same_facts():
    lines = ["P(a,b)@[1,2)", "P(a,b)@5", "P(c,d)@[1,2)", "P(1.0,X)@(-inf,5.5]", "P(a,b)@[7/2,inf)"]
    plain = parse_facts("\n".join(lines))
    careful = parse_facts("\n".join(f" {line} # careful" for line in lines))
    assert plain == careful
    assert len(plain.facts) == len(lines)


def test_lines_end_as_editors_have_it():
    assert len(parse_facts("\ufeffP@1\r\nP@2\rP@3\n\nP@4").facts) == 4
    assert parse_facts("P('a\x0bb')@1\u2028").facts == ()


def test_a_rule_that_recurs_is_parsed_once_and_has_its_own_line() -> None:
    line = "A(X) :- Boxminus[0,1]B(X)"
    with patch("temporal.text.program_parser.parse_formula", wraps=parse_formula) as parse:
        rules = parse_program(f"{line}\nC :- D\n\n{line}\n{line}").rules
    assert parse.call_count == 2
    assert rules[0] == rules[2] == rules[3] != rules[1]
    spans = [(rule.span.line, rule.span.column, rule.span.end_column) for rule in rules]
    assert spans == [(1, 1, 26), (2, 1, 7), (4, 1, 26), (5, 1, 26)]


def test_faults_of_lines_that_recur_are_told_of_each_line_that_cannot_be_read() -> None:
    with pytest.raises(RuleErrors) as raised:
        parse_program("A(X) :- (\n" * 3)
    assert [fault.span.line for fault in raised.value.errors] == [1, 2, 3]


@given(st.text(max_size=20))
def test_a_constant_with_any_characters_is_read_as_it_was_and_controls_nothing(text: str) -> None:
    fact = MetricFact("P", (text,), Interval.point(Fraction(1)))
    written = write_fact(fact)
    assert escaped(written).replace("\t", "") == written.replace("\t", "")
    assert "\n" not in written
    assert parse_fact(written) == fact


@pytest.mark.parametrize("escape", ["\\u00", "\\uD800", "\\udfff", "\\uXYZW", "\\n", "\\U0001F600"])
def test_an_escape_that_is_none_is_refused(escape: str) -> None:
    with pytest.raises(RuleErrors, match="is no escape"):
        parse_fact(f'P("a{escape}b")@1')
