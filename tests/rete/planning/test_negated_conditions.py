"""Negation in plans: what is taken away from what, what is shared, and that it means the same."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.drawing.diagram import diagram
from rete.drawing.export import as_dot, as_json
from rete.drawing.names import names_of
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text
from rete.graph.plan import Emit, Plan, below, map_constants
from rete.network.network import Network
from rete.nodes.anti_join import AntiJoin
from rete.nodes.filter import EQUAL, Filter
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.nodes.unit import Unit
from rete.planning.strata import stratify
from rete.terms.dictionary import Dictionary
from rete.terms.literal_values import value_text
from rete.terms.relations import Relation
from rif.errors.report import RuleErrors
from rif.syntax.terms import PRED
from tests.generators.streams.runs import RunCase, cases, random_case
from tests.oracles.rules.datalog import Program
from tests.oracles.rules.formulas import Fact, TooBig
from tests.oracles.rules.plans import derived
from tests.oracles.streams.run import Scenario, read_all
from tests.rif.rule_parser import parse_rules


def emits(rules: str) -> tuple[Emit, ...]:
    document = parse_rules(rules).document
    return compile_document(document, TimeScale()).emits


def plan(body: str) -> Plan:
    """The plan of ``_p(?x)`` if ``body``."""
    (emit,) = emits(f"Forall ?x ?z (_p(?x) :- {body})")
    return emit.source


def scan(name: str, arity: int, *keep: int) -> Scan:
    return Scan(Relation(f"_:d0_{name}", arity), (), (), keep)


Q, R = scan("q", 1, 0), scan("r", 1, 0)
ON_FIRST = ((0, 0),)


def test_what_binds_its_variables_is_the_right_side_by_itself() -> None:
    assert plan("And(_q(?x) Naf(_r(?x)))") == AntiJoin(Q, R, ON_FIRST, (0,))
    assert plan("And(Naf(_r(?x)) _q(?x))") == AntiJoin(Q, R, ON_FIRST, (0,))


def test_the_right_side_has_the_shared_columns_alone() -> None:
    body = "And(_q(?x) Naf(Exists ?y ?w (And(_s(?y ?x) _t(?y ?w)))))"
    joined = Join(scan("s", 2, 0, 1), scan("t", 2, 0), ON_FIRST, (1,))
    assert plan(body) == AntiJoin(Q, joined, ON_FIRST, (0,))


def test_the_left_side_keeps_what_the_key_needs_and_the_result_what_the_head_needs() -> None:
    found = plan("And(_s(?x ?z) Naf(_r(?z)))")
    assert found == AntiJoin(scan("s", 2, 0, 1), R, ((1, 0),), (0,))


def test_without_a_shared_variable_any_row_takes_all_away() -> None:
    assert plan("And(_q(?x) Naf(_v()))") == AntiJoin(Q, scan("v", 0), (), (0,))
    assert plan("And(_q(?x) Naf(Exists ?y (_r(?y))))") == AntiJoin(Q, scan("r", 1), (), (0,))


def test_a_body_of_nothing_but_a_negation_begins_with_what_always_holds() -> None:
    (emit,) = emits("_p() :- Naf(_v())")
    assert emit.source == AntiJoin(Unit(), scan("v", 0), (), ())


def test_what_needs_values_from_beside_goes_on_from_the_positive_part() -> None:
    less = PRED + "numeric-less-than"
    body = "And(_q(?x) Naf(External(pred:numeric-less-than(?x 3))))"
    three = '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert plan(body) == Filter(Q, less, (0, three), (0,), passes=False)
    body = "And(_q(?x) Naf(And(_v() External(pred:numeric-less-than(?x 3)))))"
    found = plan(body)
    assert isinstance(found, AntiJoin)
    assert found.correlated
    body = "And(_q(?x) Naf(Exists ?y (And(_r(?y) External(pred:numeric-less-than(?y ?x))))))"
    right = Filter(Join(Q, R, (), (0, -1)), less, (1, 0), (0,))
    assert plan(body) == AntiJoin(Q, right, ON_FIRST, (0,), correlated=True)


ONE, TWO = (f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>' for number in (1, 2))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Naf(?x = 1)", Filter(Q, EQUAL, (0, ONE), (0,), passes=False)),
        ("Naf(Naf(?x = 1))", Filter(Q, EQUAL, (0, ONE), (0,))),
        (
            "Naf(Or(?x = 1 ?x = 2))",
            Filter(
                Filter(Q, EQUAL, (0, ONE), (0,), passes=False), EQUAL, (0, TWO), (0,), passes=False
            ),
        ),
    ],
)
def test_a_negated_test_of_bound_values_is_a_filter(body: str, expected: Plan) -> None:
    assert plan(f"And(_q(?x) {body})") == expected


def test_a_negated_test_stands_where_its_values_are_bound_first() -> None:
    found = plan("And(_s(?x ?z) _q(?x) Naf(?x = 1))")
    assert isinstance(found, Join)
    assert any(isinstance(each, Filter) and not each.passes for each in found.sources)


def test_a_negated_test_of_what_a_function_gives_is_taken_away() -> None:
    assert isinstance(plan("And(_q(?x) Naf(External(func:numeric-add(?x 1)) = 3))"), AntiJoin)


def test_an_equality_with_what_is_bound_beside_compares_values() -> None:
    body = "And(_q(?x) Naf(Exists ?y (And(_r(?y) ?x = ?y))))"
    right = Filter(Join(Q, R, (), (0, -1)), EQUAL, (0, 1), (0,))
    assert plan(body) == AntiJoin(Q, right, ON_FIRST, (0,), correlated=True)


def test_of_a_disjunction_each_member_is_taken_away() -> None:
    assert plan("And(_q(?x) Naf(Or(_r(?x) _v())))") == AntiJoin(
        AntiJoin(Q, R, ON_FIRST, (0,)), scan("v", 0), (), (0,)
    )
    assert plan("And(_q(?x) Naf(Or()))") == Q
    assert plan("And(_q(?x) Naf(And()))") == AntiJoin(Q, Unit(), (), (0,))


def test_several_negations_stand_on_the_same_positive_part() -> None:
    found = plan("And(_q(?x) Naf(And(?x = 1 _v())) Naf(And(?x = 2 _v())) Naf(_r(?x)))")
    assert isinstance(found, AntiJoin)
    assert found.base == Q
    while isinstance(found, AntiJoin):
        assert found.right == R or Q in below(found.right)
        found = found.left


def test_a_negation_in_a_negation_is_taken_away_from_what_takes_away() -> None:
    inner = AntiJoin(Q, R, ON_FIRST, (0,))
    assert plan("And(_q(?x) Naf(Naf(_r(?x))))") == AntiJoin(
        Q, inner, ON_FIRST, (0,), correlated=True
    )
    inner = AntiJoin(R, scan("s", 1, 0), ON_FIRST, (0,))
    assert plan("And(_q(?x) Naf(And(_r(?x) Naf(_s(?x)))))") == AntiJoin(Q, inner, ON_FIRST, (0,))


def test_rules_that_negate_the_same_share_it_and_the_order_of_the_text_says_nothing() -> None:
    one, two = emits(
        "Forall ?x (_p(?x) :- And(_q(?x) Naf(_r(?x)) Naf(?x = 1)))"
        "Forall ?y (_n(?y) :- And(Naf(?y = 1) Naf(_r(?y)) _q(?y)))"
    )
    assert one.source == two.source


def test_absence_of_an_inconsistency_is_always_true_and_its_presence_never() -> None:
    assert plan("And(_q(?x) Naf(rif:error()))") == Q
    (emit,) = emits("_p() :- Naf(Naf(rif:error()))")
    assert emit.source == AntiJoin(Unit(), Unit(), (), (), correlated=False)


def test_constants_are_mapped_to_their_values_on_both_sides() -> None:
    rule = '_p() :- And(_q("01"^^xs:integer) Naf(_r("01"^^xs:integer)))'
    (emit,) = map_constants(emits(rule), value_text)
    texts = {text for side in emit.source.sources for _, text in getattr(side, "constants", ())}
    assert texts == {'"1"^^<http://www.w3.org/2001/XMLSchema#integer>'}


def test_conditions_that_are_negated_count_as_conditions() -> None:
    many = " ".join(f"_q({number})" for number in range(160))
    for body in (f"Naf(And({many}))", f"Naf(Or({many}))"):
        with pytest.raises(RuleErrors, match="R4103"):
            emits(f"_p() :- {body}")


def test_deep_negations_are_planned() -> None:
    deep = "Naf(" * 40 + "_r(?x)" + ")" * 40
    assert isinstance(plan(f"And(_q(?x) {deep})"), AntiJoin)


RULES = """
Forall ?x (_p(?x) :- And(_q(?x) Naf(_r(?x)) Naf(And(_v() External(pred:is-list(?x))))))
Forall ?x (_n(?x) :- And(_q(?x) Naf(Exists ?y (And(_r(?y) _t(?y))))))
"""


def test_a_picture_shows_what_is_taken_away() -> None:
    document = parse_rules(RULES).document
    network = Network(compile_document(document, TimeScale()).emits, Dictionary())
    shown = diagram(network, names_of(document, LANGUAGE, "rules"))
    text = as_text(shown)
    assert "3 antijoins" in text
    assert "#3 keep unless for ?x: #2 _r(?x) (shared by rules 1, 2;" in text
    assert "keep unless:\n" in text
    assert [node.kind for node in shown.nodes].count("antijoin") == 3
    assert "▷ ?x" in as_dot(shown)
    assert '"operator": "AntiJoin"' in as_json(shown)
    assert "agrees with none" in as_svg(shown)


def test_plans_in_strata_give_the_model_of_the_oracle() -> None:
    for seed in range(200):
        plans_give_the_model(random_case(seed, negation=True).scenario)


@given(cases(negation=True))
def test_plans_give_the_model_of_the_oracle(case: RunCase) -> None:
    assume("Naf" in case.rules)
    plans_give_the_model(case.scenario)


def plans_give_the_model(scenario: Scenario) -> None:
    """At each instant at which something changes."""
    program = compile_document(scenario.document, TimeScale())
    levels = stratify(program.emits).emits
    oracle = Program(scenario.document)
    given_facts = {
        ("atom", rel.op, *args) if rel.op else ("triple", *args) for rel, args, _ in program.facts
    }
    assertions = read_all(scenario).assertions
    for now in sorted({one.e for one in assertions})[:4]:
        base = given_facts | {fact for fact, e, n in assertions if e <= now < n}
        try:
            expected, _ = oracle.least_model(base)
        except TooBig:
            return
        assert model(program.emits, levels, base) == base | expected.keys()


def model(bodies: tuple[Emit, ...], levels: tuple[int, ...], base: set[Fact]) -> set[Fact]:
    found = set(base)
    for level in sorted({*levels}):
        rules = [emit for emit, its in zip(bodies, levels, strict=True) if its == level]
        while new := {fact for emit in rules for fact in derived(emit, found)} - found:
            found |= new
    return found
