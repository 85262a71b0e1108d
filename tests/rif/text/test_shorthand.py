"""What readable rules are short for: each as plain RIF, by hand."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.syntax import ast
from tests.generators.rules.parsers import parse, unparse

HEAD = """@prefix ex: <urn:ex:> .
@prefix r4: <urn:r4:builtin#> .
"""


def plain(clause: str) -> str:
    """A clause as plain RIF on one line, without the document around it."""
    lines = unparse(parse(HEAD + clause, check=False).document).split("\n")
    text = " ".join(line.strip() for line in lines[4:-3])
    return text.replace("( ", "(").replace(" )", ")")


def refused(text: str) -> str:
    with pytest.raises(RuleErrors) as caught:
        parse(text)
    return caught.value.report()


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        # clauses and quantifiers
        ("ex:a[ex:p -> 1].", "ex:a[ex:p -> 1]"),
        ("ex:p(?x) :- ex:q(?x).", "Forall ?x (ex:p(?x) :- ex:q(?x))"),
        ("ex:p(?x) :- ex:q(?x), ex:r(?y).", "Forall ?x ?y (ex:p(?x) :- And(ex:q(?x) ex:r(?y)))"),
        ("ex:p() :- (ex:q(), ex:r()), ex:s().", "ex:p() :- And(And(ex:q() ex:r()) ex:s())"),
        (
            "ex:p(?x, 1 2) :- ex:q(List(1, 2), ?x).",
            "Forall ?x (ex:p(?x 1 2) :- ex:q(List(1 2) ?x))",
        ),
        ("And( ex:p() ex:r() ) :- ex:q().", "And(ex:p() ex:r()) :- ex:q()"),
        ("ex:p() :- Or(ex:q(), ex:r()).", "ex:p() :- Or(ex:q() ex:r())"),
        ("(* ex:m *) ex:p(?x) :- ex:q(?x).", "(* ex:m *) Forall ?x (ex:p(?x) :- ex:q(?x))"),
        ("If ex:q(?x), ex:r(?x) Then ex:p(?x).", "Forall ?x (ex:p(?x) :- And(ex:q(?x) ex:r(?x)))"),
        # negation
        ("ex:p() :- not ex:q().", "ex:p() :- Naf(ex:q())"),
        ("ex:p() :- not not ex:q().", "ex:p() :- Naf(Naf(ex:q()))"),
        ("ex:p() :- not(ex:q(), ex:r()).", "ex:p() :- Naf(And(ex:q() ex:r()))"),
        (
            "ex:p(?x) :- ex:q(?x), not ex:r(?x, ?y).",
            "Forall ?x (ex:p(?x) :- And(ex:q(?x) Naf(Exists ?y (ex:r(?x ?y)))))",
        ),
        (
            "ex:p(?x) :- ex:q(?x), not ex:r(?y), not ex:s(?y).",
            "Forall ?x ?y (ex:p(?x) :- And(ex:q(?x) Naf(ex:r(?y)) Naf(ex:s(?y))))",
        ),
        (
            "ex:p() :- ex:q(), not (ex:r(?y), not ex:s(?y, ?z)).",
            "ex:p() :- And(ex:q() Naf(Exists ?y (And(ex:r(?y) Naf(Exists ?z (ex:s(?y ?z)))))))",
        ),
        (
            "ex:p(?n) :- ?n = count{ ?v | ex:q(?v), not ex:r(?v, ?w) }.",
            "Forall ?n (ex:p(?n) :- ?n = count{ ?v | And(ex:q(?v) Naf(Exists ?w (ex:r(?v ?w)))) })",
        ),
        (
            "ex:p(?x) :- Since [0 s, 5 s] (not ex:q(?x, ?y), ex:r(?x)).",
            "Forall ?x (ex:p(?x) :- Since [0 s, 5 s] (Naf(Exists ?y (ex:q(?x ?y))) ex:r(?x)))",
        ),
        # comparisons and arithmetic
        ("ex:p() :- 1 < 2.", "ex:p() :- External(r4:less-than(1 2))"),
        ("ex:p() :- 1 <= 2.", "ex:p() :- External(r4:less-than-or-equal(1 2))"),
        ("ex:p() :- 1 >= 2.", "ex:p() :- External(r4:greater-than-or-equal(1 2))"),
        ("ex:p() :- 1 != 2.", "ex:p() :- Naf(External(r4:equal(1 2)))"),
        ("ex:p() :- not 1 < 2.", "ex:p() :- Naf(External(r4:less-than(1 2)))"),
        ("ex:p((1 + 2)).", "ex:p(External(r4:add(1 2)))"),
        (
            "ex:p((1 + 2 * 3 - 4 / 5)).",
            (
                "ex:p(External(r4:subtract(External(r4:add(1 External(r4:multiply(2 3))))"
                " External(r4:divide(4 5)))))"
            ),
        ),
        ("ex:p((1 - 2 - 3)).", "ex:p(External(r4:subtract(External(r4:subtract(1 2)) 3)))"),
        ("ex:p((1 - (2 - 3))).", "ex:p(External(r4:subtract(1 External(r4:subtract(2 3)))))"),
        ("ex:p((1 -2)).", "ex:p(External(r4:subtract(1 2)))"),
        ("ex:p((1 - -2)).", "ex:p(External(r4:subtract(1 -2)))"),
        ("ex:p(1 -2).", "ex:p(1 -2)"),
        (
            "ex:p() :- 1 -2 > 3.",
            "ex:p() :- External(r4:greater-than(External(r4:subtract(1 2)) 3))",
        ),
        (
            "ex:p() :- And(External(ex:q(1)) -2 = 3).",
            "ex:p() :- And(External(ex:q(1)) External(r4:equal(-2 3)))",
        ),
        ("ex:p() :- 3 < 1 -2.", "ex:p() :- External(r4:less-than(3 External(r4:subtract(1 2))))"),
        (
            "ex:p() :- (1 + 2) -2 > 3.",
            "ex:p() :- External(r4:greater-than(External(r4:subtract(External(r4:add(1 2)) 2)) 3))",
        ),
        (
            "ex:p() :- And((ex:q(), ex:r()) -2 = 3).",
            "ex:p() :- And(And(ex:q() ex:r()) External(r4:equal(-2 3)))",
        ),
        (
            "ex:p() :- (1 + 2) * 3 > 4, ex:q().",
            (
                "ex:p() :- And(External(r4:greater-than("
                "External(r4:multiply(External(r4:add(1 2)) 3)) 4)) ex:q())"
            ),
        ),
        (
            "ex:p() :- And(1 = 2 -3 = 4).",
            "ex:p() :- And(External(r4:equal(1 2)) External(r4:equal(-3 4)))",
        ),
        (
            "ex:p(?x) :- ex:q(?x, ?f), ?x - ?f > 90 m.",
            (
                "Forall ?x ?f (ex:p(?x) :- And(ex:q(?x ?f) External(r4:greater-than("
                'External(r4:subtract(?x ?f)) "PT1H30M"^^<http://www.w3.org/2001/XMLSchema#dayTime'
                "Duration>))))"
            ),
        ),
        (
            "ex:p(?x) :- ex:q(?x), pred:is-list(?x).",
            (
                "Forall ?x (ex:p(?x) :- And(ex:q(?x)"
                " External(<http://www.w3.org/2007/rif-builtin-predicate#is-list>(?x))))"
            ),
        ),
        # equations
        ("ex:p(?x) :- ?x = 1 + 2.", "Forall ?x (ex:p(?x) :- ?x = External(r4:add(1 2)))"),
        ("ex:p(?x) :- 3 = ?x.", "Forall ?x (ex:p(?x) :- 3 = ?x)"),
        (
            "ex:p(?x) :- ex:q(?x), ?x = 3.",
            "Forall ?x (ex:p(?x) :- And(ex:q(?x) External(r4:equal(?x 3))))",
        ),
        (
            "ex:p(?x) :- ?x = ?y + 1, ?y = ?z, ex:q(?z).",
            "Forall ?x ?y ?z (ex:p(?x) :- And(?x = External(r4:add(?y 1)) ?y = ?z ex:q(?z)))",
        ),
        (
            "ex:p(?x) :- ex:q(?a, ?b), ?x = ?a, ?x = ?b.",
            "Forall ?x ?a ?b (ex:p(?x) :- And(ex:q(?a ?b) ?x = ?a External(r4:equal(?x ?b))))",
        ),
        (
            "ex:p(?x) :- Or(?x = 1, ?x = 2).",
            "Forall ?x (ex:p(?x) :- Or(?x = 1 ?x = 2))",
        ),
        (
            "ex:p(?x) :- ex:q(?x), Or(?x = 1, ?x = 2).",
            (
                "Forall ?x (ex:p(?x) :-"
                " And(ex:q(?x) Or(External(r4:equal(?x 1)) External(r4:equal(?x 2)))))"
            ),
        ),
        (
            "ex:p(?x) :- ex:q(?x, ?y), not ?x = ?y.",
            "Forall ?x ?y (ex:p(?x) :- And(ex:q(?x ?y) Naf(External(r4:equal(?x ?y)))))",
        ),
        (
            "ex:p(?x) :- DiamondMinus [0 s, 1 s] (ex:q(?x, ?y), ?x = ?y), ex:r(?x).",
            (
                "Forall ?x ?y (ex:p(?x) :- And(DiamondMinus [0 s, 1 s]"
                " (And(ex:q(?x ?y) External(r4:equal(?x ?y)))) ex:r(?x)))"
            ),
        ),
        (
            "ex:p(?x) :- ex:q(?x), DiamondMinus [0 s, 1 s] (?x = 1).",
            "Forall ?x (ex:p(?x) :- And(ex:q(?x) DiamondMinus [0 s, 1 s] (?x = 1)))",
        ),
        # aggregates
        (
            "ex:p(?n) :- ?n = count{ ?v | ex:q(?v) }.",
            "Forall ?n (ex:p(?n) :- ?n = count{ ?v | ex:q(?v) })",
        ),
        (
            "ex:p(?n) :- ex:r(?n), ?n = count{ ?v | ex:q(?v) }.",
            (
                "Forall ?n (ex:p(?n) :- And(ex:r(?n) Exists ?count (And("
                "?count = count{ ?v | ex:q(?v) } External(r4:equal(?n ?count))))))"
            ),
        ),
        (
            "ex:p(?avg) :- ex:q(?avg), ?avg > 2 * avg{ ?v | ex:q(?v) }.",
            (
                "Forall ?avg (ex:p(?avg) :- And(ex:q(?avg) Exists ?avg2 (And("
                "?avg2 = avg{ ?v | ex:q(?v) }"
                " External(r4:greater-than(?avg External(r4:multiply(2 ?avg2))))))))"
            ),
        ),
        (
            "ex:p() :- ex:q((max{ ?v | ex:r(?v) } - min{ ?v | ex:r(?v) })).",
            (
                "ex:p() :- Exists ?max ?min (And(?max = max{ ?v | ex:r(?v) }"
                " ?min = min{ ?v | ex:r(?v) } ex:q(External(r4:subtract(?max ?min)))))"
            ),
        ),
    ],
)
def test_it_is_short_for_plain_rif(clause: str, expected: str) -> None:
    assert plain(clause) == expected


def test_a_document_of_clauses_begins_with_directives() -> None:
    text = (
        "# comment\nPREFIX : <urn:e:>\n@base <http://e/> .\n@prefix ex: <x#> .\n"
        "@import <other.rif> .\n@window 10 m .\n:a[ex:p -> <b>] . # no comment, so a fault"
    )
    assert "RIF" in refused(text)
    document = parse(text.partition(" # no")[0]).document
    assert document.prefixes == (("", "urn:e:"), ("ex", "http://e/x#"))
    assert [each.location for each in document.imports] == ["http://e/other.rif"]
    assert document.window == ast.Window("10", "m")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("<urn:p>(1)", "expected . behind the clause", "a full stop"),
        ("<urn:p>(1), <urn:q>(2).", "expected . behind the clause", "a head of several members"),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a == 1.", "unexpected '=='", "equality is written ="),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a =< 1.", "unexpected '=<'", "is written <="),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a <> 1.", "behind the term", "what differs is written !="),
        ("<urn:p>(?a) :- <urn:q>(?a) && <urn:r>(?a).", "unexpected '&&'", "by commas"),
        ("<urn:p>(?a) :- <urn:q>(?a) || <urn:r>(?a).", "unexpected '||'", "Or( … )"),
        (
            "<urn:p>(?a) :- <urn:q>(?a), 1 < ?a < 3.",
            "comparisons form no chain",
            "?a < ?b, ?b < ?c",
        ),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a + 1.", "expected a comparison", "?v > 30"),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a-?a > 1.", "found ?a", "?a - ?b, with blanks"),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a -?a > 1.", "unexpected '-'", "a blank behind it"),
        ("<urn:p>((?a-1)) :- <urn:q>(?a).", "?a-1 is used in the head", "?a - 1"),
        ("<urn:p>(?a) :- <urn:q>(?a), ?a-1 > 1.", "?a-1 is bound by nothing", "?a - 1"),
        ("Forall ?a ( <urn:p>(?a) :- <urn:q>(?a), ?b > 1 ).", "?b is not declared", "Forall ?b"),
        ("<urn:p>(1).\n@prefix ex: <urn:ex:> .", "found @prefix", "before all clauses"),
    ],
)
def test_what_is_wrong_is_said_with_a_hint(text: str, message: str, hint: str) -> None:
    found = refused(text)
    assert message in found
    assert hint in found
