"""Readable rules and plain RIF say the same: each is written as the other and read back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, reject

from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import XSD, Literal
from tests.generators.rules import syntax
from tests.generators.rules.parsers import parse, unparse, write_readable

RULES = """@prefix ex: <urn:ex:> .
@window 1 h .

(* <urn:r1> *)
?room[ex:alarm -> "hot"] :- ?s[ex:in -> ?room], ?s[ex:reads -> ?v], ?v > 30.
?room[ex:mean -> ?m] :-
  ?m = avg{ ?v [?room] | ?s[ex:in -> ?room], At ?t (?s[ex:reads -> ?v]) }.
?s[ex:is -> "silent"] :- ?s # ex:Sensor, not ?s[ex:reads -> ?v].
?s[ex:far -> (2 * ?v + 1)] :- ?s[ex:reads -> ?v], ?v != 7, ?y = (?v - 1) * 2, ?y = ?v - 1.
ex:p(?x, ?y) :-
  ex:q(?x, ?y), not (?x[ex:a -> ?z], ?z > ?y), DiamondMinus [0 s, 5 m] (ex:r(?x)).
ex:high(?avg) :-
  ex:q(?avg), ?avg > 2 * avg{ ?v | ex:q(?v) } - min{ ?v | ex:q(?v) }, not ?avg < 1.
ex:late(?s) :- ?s[ex:from -> ?f, ex:until -> ?u], ?u - ?f > 90 m, func:concat(?s, "a") = ?f.
"""


def plain(document: ast.Document) -> ast.Document:
    """The document as its text in plain RIF is read."""
    return parse(unparse(document), check=False).document


def sayable(document: ast.Document) -> ast.Document:
    """The same; heads that call built-ins are none, and are not looked at."""
    try:
        return plain(document)
    except RuleErrors:
        reject()


@given(syntax.documents)
@example(ast.Document(group=ast.Group(())))
def test_readable_rules_are_the_same_document(document: ast.Document) -> None:
    document = sayable(document)
    text = write_readable(document)
    assert parse(text, check=False).document == document
    assert write_readable(parse(text, check=False).document) == text


def test_readable_rules_stay_as_they_are() -> None:
    document = parse(RULES, check=False).document
    assert write_readable(document) == RULES
    assert write_readable(plain(document)) == RULES


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Document( Group( Group() ) )", "a group in a group"),
        ("Document( (* <urn:m> *) Group() )", "a group with an annotation"),
        ("(* <urn:m> *) Document( Group() )", "a document with an annotation"),
        ("Document()", "no group"),
        (
            "Document( Group( Forall ?x ?y (<urn:p>(?x) :- And(<urn:q>(?x ?y) ?x = ?y)) ) )",
            "both sides are bound: it compares values, as plain RIF does",
        ),
    ],
)
def test_what_clauses_alone_cannot_say_stays_in_a_document(text: str, reason: str) -> None:
    document = parse(text, check=False).document
    written = write_readable(document)
    assert "Document(" in written, reason
    assert parse(written, check=False).document == document


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("PT5M", "5 m"),
        ("PT0S", "0 s"),
        ("P1D", "1 d"),
        ("PT1.5S", "1500 ms"),
        ("PT90S", '"PT90S"^^'),
        ("-PT5M", '"-PT5M"^^'),
    ],
)
def test_durations_have_units_where_these_say_the_same(amount: str, text: str) -> None:
    duration = f'"{amount}"^^<{XSD}dayTimeDuration>'
    written = write_readable(parse(f"<urn:p>(?d) :- <urn:q>(?d), ?d > {duration}.").document)
    assert f"?d > {text}" in written
    assert Literal(amount, XSD + "dayTimeDuration") in {
        term.value
        for rule in parse(written).document.group.items  # type: ignore[union-attr]
        for literal in rule.clause.body.items  # type: ignore[union-attr]
        for term in literal.terms
        if isinstance(term, ast.Constant)
    }
