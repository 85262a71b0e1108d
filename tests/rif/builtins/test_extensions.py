"""R4's own built-ins, and the value spaces that one of them asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.builtins.extensions import R4_BUILTIN
from rif.syntax.terms import (
    IRI,
    PRED,
    RDF,
    RDF_LANG_STRING,
    XSD,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
)
from rif.text.parser import parse
from rif.values.datatypes import KNOWN, RANGES, canonical_literal, same_value
from rif.values.value_spaces import datatypes_of
from tests.rif.builtins.calls import takes

NOUGHT = " ".join(RANGES.keys() - {"negativeInteger", "positiveInteger"})
STRINGS = "string normalizedString token language Name NCName NMTOKEN"

TEXTS = st.one_of(
    st.integers(-300, 2**64).map(str),
    st.sampled_from([2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**63, 2**64]).flatmap(
        lambda bound: st.integers(-bound - 2, bound + 2).map(str)
    ),
    st.decimals(-300, 300, places=2).map(str),
    st.sampled_from(["P0D", "PT0S", "P0M", "P1M", "P1D", "true", "0", "1", "0.0", "-0", "NaN"]),
    st.sampled_from(["2000-01-01T00:00:00", "2000-01-01T00:00:00Z", "1999-12-31T24:00:00+01:00"]),
    st.text("ab:- 1\t<&=/", max_size=5),
)
LITERALS = st.one_of(
    st.builds(Literal, TEXTS, st.sampled_from([*sorted(KNOWN), "http://example.org/dt"])),
    st.builds(Literal, TEXTS, st.just(RDF_LANG_STRING), st.sampled_from(["en", "de-at"])),
)
TERMS = st.one_of(
    LITERALS,
    st.just(IRI("http://example.org/a")),
    st.just(BlankNode("d1_a")),
    st.just(GroundList((Literal("1"),))),
)


def holds(name: str, *args: GroundTerm) -> bool:
    builtin = BUILTINS[R4_BUILTIN + name]
    assert takes(builtin, len(args))
    outcome = builtin.evaluate(*args)
    assert isinstance(outcome, bool)
    return outcome


def short(literal: Literal) -> set[str]:
    return {iri.removeprefix(XSD).removeprefix(RDF) for iri in datatypes_of(literal)}


@pytest.mark.parametrize(
    ("text", "datatype", "expected"),
    [
        ("0", "unsignedByte", "decimal " + NOUGHT),
        ("-129.0", "decimal", "decimal integer nonPositiveInteger negativeInteger long int short"),
        ("18446744073709551616", "integer", "decimal integer nonNegativeInteger positiveInteger"),
        ("0.5", "decimal", "decimal"),
        ("3", "double", "double"),
        ("3", "float", "float"),
        ("en-US", "string", "PlainLiteral " + STRINGS),
        ("a:b", "NMTOKEN", "string normalizedString token Name NMTOKEN PlainLiteral"),
        (" a", "string", "string normalizedString PlainLiteral"),
        ("a\tb", "string", "string PlainLiteral"),
        ("", "string", "string normalizedString token PlainLiteral"),
        ("a", "anyURI", "anyURI"),
        ("2000-01-01T00:00:00", "dateTime", "dateTime"),
        ("2000-01-01T00:00:00-05:00", "dateTime", "dateTime dateTimeStamp"),
        ("P0M", "yearMonthDuration", "yearMonthDuration dayTimeDuration"),
        ("P1M", "yearMonthDuration", "yearMonthDuration"),
        ("PT1S", "dayTimeDuration", "dayTimeDuration"),
        ("1", "boolean", "boolean"),
        ("300", "byte", ""),
        ("P1Y", "duration", ""),
    ],
)  # fmt: skip
def test_a_value_belongs_to_datatypes(text: str, datatype: str, expected: str) -> None:
    assert short(Literal(text, XSD + datatype)) == set(expected.split())


def test_literals_with_a_language_are_plain() -> None:
    tagged = Literal("1", RDF_LANG_STRING, "en")
    assert datatypes_of(tagged) == {RDF + "PlainLiteral", RDF_LANG_STRING}


@given(literal=LITERALS)
def test_a_datatype_has_a_value_iff_one_of_its_literals_stands_for_it(literal: Literal) -> None:
    value = canonical_literal(literal)
    if value is None or literal.language:
        return
    texts = {value.lexical, literal.lexical, "P0M"}
    expected = {
        datatype
        for datatype in KNOWN
        if any(canonical_literal(Literal(text, datatype)) == value for text in texts)
    }
    assert datatypes_of(literal) - {RDF + "PlainLiteral"} == expected


@given(literal=LITERALS)
def test_datatypes_are_those_whose_guards_hold(literal: Literal) -> None:
    for name in (*RANGES, *STRINGS.split(), "dateTimeStamp", "PlainLiteral", "dayTimeDuration"):
        guard = BUILTINS.get(f"{PRED}is-literal-{name}")
        not_guard = BUILTINS.get(f"{PRED}is-literal-not-{name}")
        assert guard is not None
        assert not_guard is not None
        belongs = name in short(literal)
        assert guard.evaluate(literal) == belongs
        assert not_guard.evaluate(literal) == (bool(datatypes_of(literal)) and not belongs)


@given(one=LITERALS, other=LITERALS)
def test_equal_values_have_the_same_datatypes(one: Literal, other: Literal) -> None:
    value = canonical_literal(one)
    if value is not None:
        assert datatypes_of(value) == datatypes_of(one)
    if datatypes_of(one) != datatypes_of(other):
        assert not same_value(one, other)


@given(literal=TERMS)
def test_datatype_is_solved_by_what_makes_it_true(literal: GroundTerm) -> None:
    solve = BUILTINS[R4_BUILTIN + "datatype"].solve
    assert solve is not None
    found = list(solve(literal, None) or ())
    assert all(term == literal and holds("datatype", term, iri) for term, iri in found)
    every = [IRI(iri) for iri in (*KNOWN, RDF + "PlainLiteral", RDF_LANG_STRING)]
    assert sum(holds("datatype", literal, iri) for iri in every) == len(found)
    assert not holds("datatype", literal, Literal(XSD + "string"))


@given(term=TERMS)
def test_a_literal_is_ill_typed_iff_its_datatype_is_known_and_it_has_no_value(
    term: GroundTerm,
) -> None:
    assert holds("is-literal", term) == isinstance(term, Literal)
    known = isinstance(term, Literal) and term.datatype in KNOWN and not term.language
    expected = known and isinstance(term, Literal) and canonical_literal(term) is None
    assert holds("ill-typed", term) == expected


@given(term=TERMS)
def test_the_declared_datatype_of_a_literal_is_the_one_it_is_written_with(term: GroundTerm) -> None:
    solve = BUILTINS[R4_BUILTIN + "declared-datatype"].solve
    assert solve is not None
    found = [(term, IRI(term.datatype))] if isinstance(term, Literal) else []
    assert list(solve(term, None) or ()) == found
    assert all(holds("declared-datatype", *pair) for pair in found)
    assert not holds("declared-datatype", term, IRI("http://example.org/datatype"))


@given(one=TERMS, other=TERMS)
def test_not_same_term_tells_terms_apart_not_values(one: GroundTerm, other: GroundTerm) -> None:
    assert holds("not-same-term", one, other) == (str(one) != str(other))


def test_equal_values_may_be_two_terms() -> None:
    assert holds("not-same-term", Literal("1", XSD + "integer"), Literal("01", XSD + "integer"))


def test_they_stand_in_rules_as_those_of_the_standard_do() -> None:
    parsed = parse(
        "Document( Prefix(r4 <urn:r4:builtin#>) Prefix(ex <http://example.org/>) Group(\n"
        "Forall ?x ?v ?d (?x[ex:d -> ?d] :- And(?x[ex:v -> ?v] External(r4:datatype(?v ?d))\n"
        "  External(r4:not-same-term(?x ?v)) External(r4:is-literal(?v)))) ))"
    )
    assert parsed.warnings == ()
