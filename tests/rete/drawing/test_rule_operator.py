"""The operators of a body have the variables of their rule, whatever others share their plans."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given

from r4.language import LANGUAGE
from rete.drawing.names import names_of, plain
from rete.drawing.rule_operator import RuleOperator, operator_tree
from rete.planning.lowering import is_fresh_variable
from rif.syntax.ast import Implies
from rif.syntax.terms import Variable
from rif.syntax.traversal import all_names, clause_of, rules
from tests.generators.draw import from_seed
from tests.generators.rules.documents import document as random_document
from tests.generators.vocabulary import vocabulary
from tests.rete.drawing.diagrams import network_of, parsed, seeds


def _all(operator: RuleOperator) -> Iterator[RuleOperator]:
    yield operator
    for source in operator.sources:
        yield from _all(source)


@given(seeds)
def test_all_variables_are_those_of_the_rule(seed: int) -> None:
    draw = from_seed(seed)
    document = random_document(draw, vocabulary(draw))
    names = names_of(document, LANGUAGE)
    own = {
        number: {name for part in (*clause.head, clause.body) for name in all_names(part)}
        for number, rule in enumerate(rules(document), 1)
        if isinstance(clause := clause_of(rule), Implies)
    }
    for emit in network_of(document).emits:
        for operator in _all(operator_tree(names, emit)):
            assert len(operator.inputs) == operator.plan.inputs
            operator.label(names)
            for each in operator.inputs:
                if isinstance(each, Variable) and not is_fresh_variable(each):
                    written = {each.name, each.name.rpartition("_")[0]}  # of Exists: renamed apart
                    assert written & own[emit.rule], each


def test_equal_patterns_of_one_rule_have_their_own_variables() -> None:
    document = parsed(
        "Forall ?a ?old ?new (?a[ex:was -> ?old] :- "
        "And(?a[ex:is -> ?new] DiamondMinus [1 s, 9 s] (?a[ex:is -> ?old])))",
        "Forall ?b ?k (?b[ex:same -> ?k] :- ?b[ex:is -> ?k])",
    )
    names = names_of(document, LANGUAGE)
    patterns = {
        emit.rule: [
            plain(operator.label(names))
            for operator in _all(operator_tree(names, emit))
            if operator.plan.shape == "pattern"
        ]
        for emit in network_of(document).emits
    }
    assert patterns == {
        1: ["?a[ex:is -> ?new]", "?a[ex:is -> ?old]"],
        2: ["?b[ex:is -> ?k]"],
    }
