"""Guards: to which of the 35 datatypes a value belongs, by the text of the standard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from rif.builtins import BUILTINS, guards
from rif.builtins.signatures import DATATYPES
from rif.syntax import ast
from rif.syntax.terms import (
    IRI,
    PRED,
    RDF_LANG_STRING,
    XSD,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
    Local,
)
from tests.generators.rules import syntax
from tests.generators.rules.parsers import parse
from tests.rif.builtins import suite_conditions
from tests.rif.builtins.calls import literal

ALL = {*DATATYPES, "PlainLiteral", "XMLLiteral"}

# Each value, by several literals that stand for it, and all of its datatypes.
SIGNED = "decimal integer long int short"
POSITIVE = f"{SIGNED} nonNegativeInteger positiveInteger unsignedLong unsignedInt unsignedShort"
ZERO = f"{SIGNED} byte nonNegativeInteger nonPositiveInteger"
TEXT = "string PlainLiteral normalizedString token NMTOKEN"
SPACES = [
    ("3^integer 3.0^decimal +03^unsignedByte 3^positiveInteger", f"{POSITIVE} byte unsignedByte"),
    ("200^integer", f"{POSITIVE} unsignedByte"),
    ("0^integer -0.0^decimal 0^nonPositiveInteger",
     f"{ZERO} unsignedLong unsignedInt unsignedShort unsignedByte"),
    ("-1^integer -1.^decimal -1^byte", f"{SIGNED} byte nonPositiveInteger negativeInteger"),
    ("-32769^integer", "decimal integer long int nonPositiveInteger negativeInteger"),
    ("65536^integer",
     "decimal integer long int nonNegativeInteger positiveInteger unsignedLong unsignedInt"),
    ("18446744073709551615^integer",
     "decimal integer nonNegativeInteger positiveInteger unsignedLong"),
    ("-9223372036854775809^integer", "decimal integer nonPositiveInteger negativeInteger"),
    ("1.5^decimal", "decimal"),
    ("3^double 3.0E0^double", "double"),
    ("NaN^float", "float"),
    ("abc^string abc^token abc^NCName abc^rdf:PlainLiteral@", f"{TEXT} language Name NCName"),
    ("a:b^string a:b^Name", f"{TEXT} Name"),
    ("1a^string 1a^NMTOKEN", TEXT),
    ("a b^string a b^token", "string PlainLiteral normalizedString token"),
    ("^string ^token", "string PlainLiteral normalizedString token"),
    (" a^string  a^normalizedString", "string PlainLiteral normalizedString"),
    ("a\n^string", "string PlainLiteral"),
    ("abc^anyURI", "anyURI"),
    ("1^boolean true^boolean", "boolean"),
    ("0aff^hexBinary 0AFF^hexBinary", "hexBinary"),
    ("Cv8=^base64Binary", "base64Binary"),
    ("2000-01-01Z^date 2000-01-01+00:00^date", "date"),
    ("12:00:00^time", "time"),
    ("2000-01-01T00:00:00^dateTime", "dateTime"),
    ("2000-01-01T00:00:00Z^dateTime 1999-12-31T24:00:00Z^dateTimeStamp", "dateTime dateTimeStamp"),
    ("P1D^dayTimeDuration PT24H^dayTimeDuration", "dayTimeDuration"),
    ("P1Y^yearMonthDuration P12M^yearMonthDuration", "yearMonthDuration"),
    ("PT0S^dayTimeDuration -P0D^dayTimeDuration P0M^yearMonthDuration",
     "dayTimeDuration yearMonthDuration"),
    ("<a/>^rdf:XMLLiteral <a></a>^rdf:XMLLiteral", "XMLLiteral"),
]  # fmt: skip
"""Literals are parted by what follows their datatype: a space."""


def split(forms: str) -> list[Literal]:
    found: list[Literal] = []
    rest = forms
    while rest:
        lexical, _, tail = rest.partition("^")
        datatype, _, rest = tail.partition(" ")
        found.append(
            Literal(lexical) if datatype.endswith("@") else literal(f"{lexical}^{datatype}")
        )
    return found


def outcome(name: str, term: GroundTerm) -> bool:
    truth = BUILTINS[PRED + name].evaluate(term)
    assert isinstance(truth, bool)
    return truth


def spaces(term: GroundTerm) -> tuple[set[str], set[str]]:
    """The datatypes that a term is of, and those that it is not of."""
    return (
        {name for name in ALL if outcome(f"is-literal-{name}", term)},
        {name for name in ALL if outcome(f"is-literal-not-{name}", term)},
    )


@pytest.mark.parametrize(("forms", "expected"), SPACES)
def test_a_value_is_of_its_datatypes_however_it_is_typed(forms: str, expected: str) -> None:
    of = set(expected.split())
    for form in split(forms):
        assert spaces(form) == (of, ALL - of), form


def test_a_literal_with_a_language_is_a_plain_literal_only() -> None:
    tagged = Literal("abc", RDF_LANG_STRING, "en")
    assert spaces(tagged) == ({"PlainLiteral"}, ALL - {"PlainLiteral"})


NO_VALUES: list[GroundTerm] = [
    IRI("urn:a"),
    Local("a"),
    BlankNode("b"),
    GroundList(),
    GroundList((Literal("a"),)),
    literal("x^integer"),
    literal("300^byte"),
    literal(" 1^integer"),
    literal("2000-02-30^date"),
    literal("2000-01-01T00:00:00^dateTimeStamp"),
    literal("<a>^rdf:XMLLiteral"),
    Literal("1", "http://e/t"),
    Literal("P1D", XSD + "duration"),
]


@pytest.mark.parametrize("term", NO_VALUES, ids=str)
def test_what_has_no_value_is_neither_of_a_datatype_nor_not_of_it(term: GroundTerm) -> None:
    assert spaces(term) == (set(), set())


@given(syntax.ground_terms)
def test_a_term_is_of_a_datatype_or_not_of_it_unless_it_has_no_value(term: GroundTerm) -> None:
    of, others = spaces(term)
    assert of & others == set()
    assert of | others in (ALL, set())


def test_every_guard_is_decided_both_ways_by_these_tables() -> None:
    positive = set().union(*(set(expected.split()) for _, expected in SPACES))
    assert positive == ALL
    names = {f"is-literal-{name}" for name in ALL} | {f"is-literal-not-{name}" for name in ALL}
    others = {"iri-string", "literal-not-identical"}
    assert {builtin.name for builtin in guards.BUILTINS} == {PRED + name for name in names | others}


def test_the_guards_of_the_suite_hold(test_data: Callable[[str], Path]) -> None:
    path = "rif-tests/core/Guards_and_subtypes/Guards_and_subtypes-premise.rifps"
    group = parse(test_data(path).read_text("utf-8")).document.group
    assert group is not None
    bodies = [rule.body for rule in group.items if isinstance(rule, ast.Implies)]
    assert len(bodies) == 2
    assert all(suite_conditions.truth(body) for body in bodies)
