"""Strata: what must be complete before what, and the cycles that there must not be."""

from __future__ import annotations

import pytest

from r4.language import LANGUAGE
from rete.graph.plan import Emit
from rete.planning.lowering import lower
from rete.planning.plan_builder import build_plan
from rete.planning.strata import NotStratified, has_negation, stratify
from rete.terms.relations import Relation
from rif.syntax.ast import Document, Forall, Group, Implies, Or
from rif.syntax.clauses import clauses
from tests.generators.draw import from_seed
from tests.generators.rules.documents import _rule
from tests.generators.vocabulary import vocabulary
from tests.oracles.rules import strata as oracle
from tests.rif.rule_parser import parse_rules


def emits(rules: str) -> list[Emit]:
    return bodies(parse_rules(rules).document)


def bodies(document: Document) -> list[Emit]:
    found = (one for one in clauses(document) if not one.is_fact)
    return [build_plan(conjunction) for clause in found for conjunction in lower(clause, LANGUAGE)]


def levels(rules: str) -> tuple[int, ...]:
    return stratify(emits(rules)).emits


def is_stratified(document: Document) -> bool:
    try:
        stratify(bodies(document))
    except NotStratified:
        return False
    return True


def unless(head: str, negated: str) -> str:
    """A rule over one variable."""
    return f"Forall ?x ({head} :- And(_d(?x) Naf({negated})))"


def when(head: str, body: str) -> str:
    return f"Forall ?x ({head} :- {body})"


def test_a_stratum_begins_with_each_negation_on_the_way() -> None:
    chain = unless("_a(?x)", "_b(?x)") + unless("_b(?x)", "_c(?x)") + when("_c(?x)", "_d(?x)")
    assert levels(chain) == (2, 1, 0)
    assert levels(unless("_a(?x)", "_c(?x)") + when("_c(?x)", "_e(?x)")) == (1, 0)


def test_what_no_rule_derives_is_complete_from_the_start() -> None:
    assert levels(when("_a(?x)", "_b(?x)") + unless("_b(?x)", "_c(?x)")) == (0, 0)


def test_without_negation_there_is_one_stratum() -> None:
    assert levels(when("_a(?x)", "_b(?x)") + when("_b(?x)", "_a(?x)")) == (0, 0)
    assert not any(has_negation(emit.source) for emit in emits(when("_a(?x)", "_b(?x)")))
    assert levels("") == ()


def test_a_pattern_has_the_stratum_of_the_bodies_that_feed_it() -> None:
    rules = when("_b(?x)", "_e(?x)") + unless("_a(?x)", "_b(?x)") + when("_c(?x)", "_a(?x)")
    found = stratify(emits(rules))
    assert found.patterns[Relation("_:d0_a", 1), (None,)] == 1
    assert found.patterns[Relation("_:d0_b", 1), (None,)] == 0


@pytest.mark.parametrize(
    "rules",
    [
        unless("_a(?x)", "_a(?x)"),
        unless("_a(?x)", "_b(?x)") + when("_b(?x)", "_a(?x)"),
        unless("_a(?x)", "_b(?x)") + when("_b(?x)", "_c(?x)") + when("_c(?x)", "_a(?x)"),
        unless("_a(?x)", "_b(?x)") + unless("_b(?x)", "_a(?x)"),
        unless("_a(?x)", "Naf(_a(?x))"),
        unless("_a(?x)", "Exists ?y (And(_a(?y) ?y = ?x))"),
        unless("?x[_k -> 1]", "?x[_k -> 1]"),
        unless("?x[_k -> 1]", "Exists ?p (?x[?p -> 1])"),
        "Forall ?x ?p (_o[?p -> ?x] :- And(_d(?x ?p) Naf(?x[_k -> 1])))",
        unless("?x[rdf:type -> _c]", "?x # _c"),
        "Forall ?x (And(_a(?x) _b(?x)) :- And(_d(?x) Naf(_b(?x))))",
    ],
)
def test_no_fact_may_hang_on_its_own_absence(rules: str) -> None:
    assert not is_stratified(parse_rules(rules).document)


@pytest.mark.parametrize(
    "rules",
    [
        unless("_a(?x)", "_a(?x 1)"),
        unless("_a(1)", "_a(2)"),
        unless("?x[_k -> 1]", "?x[_k -> 2]"),
        unless("?x[_k -> 1]", "?x[_l -> 1]"),
        unless("?x[_k -> 1]", "_l()"),
        unless("?x[rdf:type -> _c]", "?x # _b"),
        # What is asked of a row itself is no other fact, recursive or not.
        "Forall ?x ?y (_a(?y) :- And(_a(?x) _s(?x ?y) Naf(?y = 1)))",
        "Forall ?x ?y (_a(?y) :- And(_a(?x) _s(?x ?y) Naf(Exists ?z (And(_b(?z) ?z = ?y)))))",
        "Forall ?x ?y (_a(?y) :- And(_a(?x) _s(?x ?y) Naf(Naf(_b(?y)))))",
    ],
)
def test_what_cannot_be_the_same_fact_is_no_cycle(rules: str) -> None:
    assert is_stratified(parse_rules(rules).document)


def test_the_cycle_is_told_from_the_negation_on() -> None:
    text = unless("_a(?x)", "?x[_k -> _v]") + when("?x[_k -> _w]", "_e(?x)")
    text += when("?x[_k -> _v]", "_f(?x)") + when("_f(?x)", "_a(?x)")
    found = emits(text)
    with pytest.raises(NotStratified) as caught:
        stratify(found)
    assert [
        (found[step.emit].rule, step.pattern[0].op, step.negated) for step in caught.value.cycle
    ] == [(1, "", True), (3, "_:d0_f", False), (4, "_:d0_a", False)]


def test_of_a_body_that_reads_the_same_twice_the_negation_counts() -> None:
    text = "Forall ?x ?y (_a(?x) :- And(_b(?x) _b(?y) Naf(_b(?x ?y)) Naf(_b(1)))) _b(?x) :- _c(?x)"
    assert levels(text.replace("_b(?x) :-", "Forall ?x (_b(?x) :-") + ")") == (1, 0)


def test_random_rules_have_strata_where_the_definition_says_so() -> None:
    verdicts = [same_verdict(seed) for seed in range(300)]
    assert 50 < sum(verdicts) < 250


def same_verdict(seed: int) -> bool:
    """Whether the rules of a seed are stratified, to both."""
    draw = from_seed(seed)
    words = vocabulary(draw)
    rules = [_rule(draw, words, negation=True) for _ in range(draw.integer(2, 6))]
    rules = [one for one in rules if getattr(one, "body", None) != Or(())]  # it has no body
    inner = [one.clause if isinstance(one, Forall) else one for one in rules]
    pairs = [(one.head, one.body) for one in inner if isinstance(one, Implies)]
    try:
        expected = oracle.strata(pairs)
    except oracle.NotStratified:
        expected = None
    document = Document(group=Group(tuple(rules)))
    assert is_stratified(document) == (expected is not None), str(document)
    if expected is not None:
        for emit, level in zip(bodies(document), stratify(bodies(document)).emits, strict=True):
            assert level <= expected[emit.rule - 1]
    return expected is not None
