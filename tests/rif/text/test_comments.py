"""Prose between ``(*`` and ``*)`` is a comment; what begins as an annotation is one."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.text.parser import parse
from rif.text.writer import unparse

RULES = (
    "Document( Prefix(ex <http://ex.org/>) Group( Forall ?x ( ?x[ex:hot -> 1] :- ?x # ex:Oven ) ) )"
)
COMMENTS = (
    "(* why: it is hot *)",
    "(* Note: 5 > 3 *)",
    "(* isn't \"closed, 100 %; {odd} $ *)",
    "(* outside (* inside *) outside *)",
    "(* ex:a is what ex:b is *)",
    "(*\n * of more\n * lines\n *)",
)
ANNOTATIONS = (
    "(* ex:rule *)",
    "(* *)",
    '(* ex:rule ex:rule[ex:by -> "me"] *)',
    "(* And( ex:a[ex:b -> 1] ex:c[] ) *)",
    "(* 12[ex:a -> 1] *)",
    '(* "a"^^ex:b[ex:a -> 1] *)',
)


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_comment_may_stand_between_any_two_tokens(comment: str) -> None:
    without = unparse(parse(RULES).document)
    for word in (" Prefix", " Group", " Forall", " ( ?x", " :-", " # ", " ex:Oven", " ) ) )"):
        begin, end = RULES.split(word, 1)
        assert unparse(parse(f"{begin} {comment}{word}{end}").document) == without
    assert unparse(parse(f"{comment}{RULES}{comment}").document) == without


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_an_annotation_stays_one(annotation: str) -> None:
    document = parse(RULES.replace("Forall", f"{annotation} Forall")).document
    assert document.group is not None
    meta = document.group.items[0].meta
    assert (meta is None) == (annotation == "(* *)")
    with pytest.raises(RuleErrors, match="RIF113"):
        parse(RULES.replace("Forall ?x", f"Forall {annotation} ?x"))


def test_a_fault_in_an_annotation_is_none_of_prose() -> None:
    with pytest.raises(RuleErrors, match="RIF101"):
        parse(RULES.replace("Forall", '(* ex:rule[ex:by -> "me" *) Forall'))


def test_a_comment_is_closed() -> None:
    with pytest.raises(RuleErrors, match="RIF119 this comment is not closed"):
        parse(RULES.replace("Forall", "(* why (* now *) Forall"))


GRAPHS = (
    "@prefix ex: <http://ex.org/> .\nex:a ex:b ex:c .",
    "# of sensors\n\nPREFIX ex: <http://ex.org/>\nex:a a ex:b .",
    "<http://ex.org/a> <http://ex.org/b> <http://ex.org/c> .",
    "<http://ex.org/a>\ta\t<http://ex.org/c> .",
    "_:a <http://ex.org/b> 1 .",
)


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_graph_in_place_of_rules_is_one_fault(graph: str) -> None:
    with pytest.raises(RuleErrors) as caught:
        parse(graph * 30)
    assert [fault.code for fault in caught.value.errors] == ["RIF118"]
    assert "the rules come first" in caught.value.errors[0].hint
