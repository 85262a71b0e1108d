"""The oracles give what the definitions give by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Equal,
    External,
    ExternalTerm,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Meta,
    Var,
    Window,
)
from rif.syntax.terms import FUNC, IRI, PRED, RIF, XSD, BlankNode, Literal, Local, Variable
from tests.generators.streams.runs import random_case
from tests.oracles.rdf.values import FUNCTIONS, PREDICATES, value
from tests.oracles.streams.run import (
    DefaultGraphTriple,
    Element,
    Scenario,
    ScenarioItem,
    Triple,
    expected,
    read_all,
)

EX = "http://e/"
IS, TRUE = IRI(EX + "is"), IRI(EX + "true")
Rule = Forall | Implies | Formula


def said(name: str) -> Triple:
    """A proposition as a triple."""
    return IRI(EX + name), IS, TRUE


def formula(name: str) -> Formula:
    return Frame(Constant(IRI(EX + name)), ((Constant(IS), Constant(TRUE)),))


def when(head: str, *body: str) -> Implies:
    return Implies((formula(head),), And(tuple(map(formula, body))))


def document(*rules: Rule, window: int | None = 3) -> Document:
    return Document(window=Window(str(window), "ms") if window else None, group=Group(rules))


def element(at: int, *names: str, end: int | None = None) -> Element:
    return Element(f"{EX}g{at}", at, end, tuple(map(said, names)))


def short(line: str) -> str:
    """``+2 c 2..5 r1``: what differs between the lines of these tests."""
    one = json.loads(line)
    subject = one.get("s", one.get("atom", "error")).removeprefix(f"<{EX}").removesuffix(">")
    return f"{one['op']}{one['at']} {subject} {one['from']}..{one['until']} r{one['rule']}"


def run(
    rules: Document, *items: ScenarioItem, semantics: str = "facts", drain: float | None = math.inf
) -> list[str]:
    scenario = Scenario(rules, sources=(items,), semantics=semantics, drain=drain)
    return [short(line) for line in expected(scenario).lines]


A_AND_B = document(when("c", "a", "b"))


def test_a_joined_fact_holds_where_its_parts_hold() -> None:
    assert run(A_AND_B, element(1, "a"), element(2, "b")) == ["+2 c 2..None r1", "-4 c 2..4 r1"]


def test_instances_and_facts_of_the_worked_example() -> None:
    items = element(1, "a"), element(2, "b"), element(3, "a")
    assert run(A_AND_B, *items) == ["+2 c 2..None r1", "-5 c 2..5 r1"]
    assert run(A_AND_B, *items, semantics="instances") == [
        "+2 c 2..4 r1",
        "+3 c 3..5 r1",
        "-4 c 2..4 r1",
        "-5 c 3..5 r1",
    ]


def test_an_instance_inside_another_is_an_answer_of_its_own() -> None:
    rules = document(when("c", "b"), when("c", "b", "d"))
    items = element(2, "b"), element(3, "d")
    assert run(rules, *items, semantics="instances") == [
        "+2 c 2..5 r1",
        "+3 c 3..5 r2",
        "-5 c 2..5 r1",
        "-5 c 3..5 r2",
    ]
    assert run(rules, *items) == ["+2 c 2..None r1", "-5 c 2..5 r1"]


def test_only_changes_up_to_the_last_stamp_are_printed_without_drain() -> None:
    items = element(1, "a"), element(2, "b"), element(4)
    assert run(A_AND_B, *items, drain=None) == ["+2 c 2..None r1", "-4 c 2..4 r1"]
    assert run(A_AND_B, *items[:2], drain=None) == ["+2 c 2..None r1"]
    assert run(A_AND_B, *items[:2], drain=1) == ["+2 c 2..None r1"]
    assert run(A_AND_B, *items[:2], drain=2) == ["+2 c 2..None r1", "-4 c 2..4 r1"]


def test_touching_runs_are_one_and_a_gap_makes_two() -> None:
    rules = document(when("c", "a"))
    assert run(rules, element(1, "a"), element(4, "a")) == ["+1 c 1..None r1", "-7 c 1..7 r1"]
    assert run(rules, element(1, "a"), element(5, "a")) == [
        "+1 c 1..None r1",
        "-4 c 1..4 r1",
        "+5 c 5..None r1",
        "-8 c 5..8 r1",
    ]


def test_the_rule_of_an_answer_is_the_least_whose_body_is_true_when_it_begins() -> None:
    rules = document(when("c", "a"), when("c", "b"))
    assert run(rules, element(1, "b"), element(2, "a")) == ["+1 c 1..None r2", "-5 c 1..5 r2"]
    assert run(rules, element(1, "b", "a")) == ["+1 c 1..None r1", "-4 c 1..4 r1"]


def test_a_rule_derives_a_fact_even_by_itself_but_an_asserted_fact_is_no_answer() -> None:
    assert run(document(when("a", "a")), element(1, "a")) == ["+1 a 1..None r1", "-4 a 1..4 r1"]
    assert run(document(when("c", "b")), element(1, "a")) == []


def test_what_follows_from_static_data_is_printed_once_and_first() -> None:
    rules = document(formula("s"), when("c", "s"), when("d", "s", "a"))
    assert run(rules, element(1, "a")) == [
        "+None c None..None r2",
        "+1 d 1..None r3",
        "-4 d 1..4 r3",
    ]
    rules = document(formula("s"), when("c", "s"), when("c", "a"))
    assert run(rules, element(1, "a")) == ["+None c None..None r2"]
    assert run(rules, element(1, "a"), semantics="instances") == [
        "+None c None..None r2",
        "+1 c 1..4 r3",
        "-4 c 1..4 r3",
    ]


def test_a_window_of_nothing_is_empty_and_none_never_ends() -> None:
    assert run(document(when("c", "a"), window=None), element(1, "a")) == ["+1 c 1..None r1"]
    scenario = Scenario(document(when("c", "a")), sources=((element(1, "a"),),), window=0)
    assert expected(scenario).lines == []


def test_an_own_end_replaces_the_window_and_an_empty_one_is_bad_data() -> None:
    rules = document(when("c", "a"))
    assert run(rules, element(1, "a", end=9)) == ["+1 c 1..None r1", "-9 c 1..9 r1"]
    assert run(rules, element(1, "a", end=1), element(1)) == []


def test_recursion_follows_the_valid_time_of_its_parts() -> None:
    rules = document(when("b", "a"), when("c", "b", "x"), when("b", "c"))
    assert run(rules, element(1, "a"), element(2, "x")) == [
        "+1 b 1..None r1",
        "+2 c 2..None r2",
        "-4 b 1..4 r1",
        "-4 c 2..4 r2",
    ]


def test_late_is_below_the_frontier_and_an_equal_stamp_is_in_time() -> None:
    rules = document(when("c", "a"))
    scenario = Scenario(rules, sources=((element(5), element(3, "a"), element(2, "a")),), delay=2)
    taken = read_all(scenario)
    assert (taken.late, taken.last, len(taken.assertions)) == (1, 5, 1)


def test_the_frontier_of_several_sources_is_the_least_of_theirs() -> None:
    ahead = (element(1), element(9), element(2, "a"))
    rules = document(when("c", "a"))
    assert read_all(Scenario(rules, sources=(ahead, (element(8), element(12))))).late == 1
    assert read_all(Scenario(rules, sources=(ahead, (element(2), element(12))))).late == 0
    assert read_all(Scenario(rules, sources=(ahead, (element(2),)))).late == 1


def test_default_graph_triples_are_static_before_the_first_element_and_then_hold_for_ever() -> None:
    rules = document(when("c", "a"))
    first = run(rules, DefaultGraphTriple(said("a")), element(1))
    assert first == ["+None c None..None r1"]
    assert run(rules, element(1), DefaultGraphTriple(said("a")), element(7)) == ["+1 c 1..None r1"]
    bad = element(1, end=0)
    assert run(rules, bad, DefaultGraphTriple(said("a")), element(7)) == ["+None c None..None r1"]
    waiting = Scenario(
        rules, sources=((element(4), DefaultGraphTriple(said("a"))), (element(6), element(9)))
    )
    assert [short(line) for line in expected(waiting).lines] == ["+4 c 4..None r1"]


def test_an_inconsistent_state_is_an_answer() -> None:
    error = Implies((Atom(IRI(RIF + "error"), ()),), formula("a"))
    rules = document(error, when("z", "a"))
    lines = expected(Scenario(rules, sources=((element(1, "a"),),))).lines
    assert lines == [
        (
            '{"op":"+","at":1,"s":"<http://e/z>","p":"<http://e/is>","o":"<http://e/true>",'
            '"from":1,"until":null,"rule":2}'
        ),
        '{"op":"+","at":1,"error":true,"from":1,"until":null,"rule":1}',
    ]


def test_lines_name_blank_nodes_by_document_and_quote_only_what_json_needs() -> None:
    x, y = Var(Variable("x")), Var(Variable("y"))
    p, q = Constant(IRI(EX + "p")), Constant(IRI(EX + "q"))
    named = Meta(iri=IRI(EX + "rule"))
    rule = Forall(
        (Variable("x"), Variable("y")),
        Implies(
            (Frame(x, ((q, y),)), Atom(IRI(EX + "n"), (y, Constant(Local("k"))))),
            Frame(x, ((p, y),)),
        ),
        meta=named,
    )
    triple = (
        BlankNode("b"),
        IRI(EX + "p"),
        Literal('é"\n', "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en"),
    )
    other = IRI(EX + "s"), IRI(EX + "p"), Literal("01", XSD + "integer")
    scenario = Scenario(
        document(rule),
        statics=((other,),),
        sources=((Element(EX + "g", 1_500, None, (triple,)),),),
        clock="dateTime",
    )
    integer = f'\\"01\\"^^<{XSD}integer>'
    tagged = '\\"é\\\\\\"\\\\n\\"@en'
    end = '"from":null,"until":null,"rule":"http://e/rule"}'
    at = '"1970-01-01T00:00:01.5Z"'
    later = f'"from":{at},"until":null,"rule":"http://e/rule"}}'
    assert expected(scenario).lines == [
        f'{{"op":"+","at":null,"s":"<http://e/s>","p":"<http://e/q>","o":"{integer}",{end}',
        f'{{"op":"+","at":null,"atom":"<http://e/n>({integer} _:d0_k)",{end}',
        f'{{"op":"+","at":{at},"s":"_:d2_b","p":"<http://e/q>","o":"{tagged}",{later}',
        f'{{"op":"+","at":{at},"atom":"<http://e/n>({tagged} _:d0_k)",{later}',
    ]


def test_patterns_compare_terms_and_built_ins_compare_values() -> None:
    x, y, s, t = (Var(Variable(name)) for name in "xyst")
    p, q = Constant(IRI(EX + "p")), Constant(IRI(EX + "q"))
    one, same = Literal("1", XSD + "integer"), Literal("01", XSD + "integer")
    scenario = Scenario(
        document(
            Implies(
                (Atom(IRI(EX + "term"), (s,)),), And((Frame(s, ((p, x),)), Frame(t, ((q, x),))))
            ),
            Implies(
                (Atom(IRI(EX + "value"), (x, y)),),
                And((Equal(x, y), Frame(s, ((p, x),)), Frame(t, ((q, y),)))),
            ),
            Implies(
                (Atom(IRI(EX + "sum"), (y,)),),
                And(
                    (
                        Equal(y, ExternalTerm(IRI(FUNC + "numeric-add"), (x, Constant(one)))),
                        External(
                            IRI(PRED + "numeric-less-than"),
                            (x, Constant(Literal("2.5", XSD + "decimal"))),
                        ),
                        Frame(s, ((p, x),)),
                    )
                ),
            ),
        ),
        statics=(((IRI(EX + "a"), IRI(EX + "p"), one), (IRI(EX + "a"), IRI(EX + "q"), same)),),
    )
    integer = f"^^<{XSD}integer>"
    assert [json.loads(line)["atom"] for line in expected(scenario).lines] == [
        f'<http://e/sum>("2"{integer})',
        f'<http://e/value>("1"{integer} "01"{integer})',
    ]


def test_the_two_evaluations_of_the_oracle_agree_at_every_instant() -> None:
    for seed in range(150):
        both_evaluations_agree(seed)


def both_evaluations_agree(seed: int) -> None:
    scenario = random_case(seed).scenario
    by_fact, by_instance = (
        expected(replace(scenario, semantics=name)).answers for name in ("facts", "instances")
    )
    assert by_fact.background.keys() == by_instance.background.keys()
    times = {time for run in (*by_fact.runs, *by_instance.runs) for time in (run.e, run.n)}
    for now in times - {math.inf}:
        one = {fact for fact, e, n, _ in by_fact.runs if e <= now < n}
        two = {fact for fact, e, n, _ in by_instance.runs if e <= now < n}
        assert one == two - by_fact.background.keys()


@pytest.mark.parametrize(
    ("name", "left", "right", "result"),
    [
        ("add", "1^integer", "2^integer", "3^integer"),
        ("add", "1.5^decimal", "2^integer", "3.5^decimal"),
        ("subtract", "1.5^decimal", "2.5^decimal", "-1^decimal"),
        ("multiply", "1.5E1^double", "2^integer", "3.0E1^double"),
        ("multiply", "0.5^decimal", "0.5^decimal", "0.25^decimal"),
        ("add", "x^integer", "2^integer", None),
        ("add", "1^string", "2^integer", None),
    ],
)
def test_computed_numbers_are_canonical(
    name: str, left: str, right: str, result: str | None
) -> None:
    got = FUNCTIONS[f"{FUNC}numeric-{name}"](typed(left), typed(right))
    assert got == (None if result is None else typed(result))


def typed(short_form: str) -> str:
    lexical, _, datatype = short_form.partition("^")
    return f'"{lexical}"' if datatype == "string" else f'"{lexical}"^^<{XSD}{datatype}>'


def test_equality_of_values_keeps_doubles_strings_and_tags_apart() -> None:
    equal = [("1^integer", "1.0^decimal"), ("01^integer", "1^int"), ("1^boolean", "true^boolean")]
    different = [("1^integer", "1^double"), ("1^string", "1^integer"), ("x^integer", "x^decimal")]
    assert all(value(typed(one)) == value(typed(two)) for one, two in equal)
    assert all(value(typed(one)) != value(typed(two)) for one, two in different)
    assert value('"a"') != value('"a"@en')
    less = PREDICATES[PRED + "numeric-less-than"]
    assert less(typed("9007199254740992^integer"), typed("9007199254740993^integer"))
    assert not less(typed("9007199254740992^integer"), typed("9007199254740992^double"))
