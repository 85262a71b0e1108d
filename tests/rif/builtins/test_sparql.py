"""Functions of SPARQL against another implementation of it, and what that leaves open by hand."""

from __future__ import annotations

from itertools import product

import pyoxigraph
import pytest

from rif.builtins import BUILTINS, DTB
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import Outcome
from rif.builtins.sparql import COUNTERPARTS
from rif.syntax.terms import (
    IRI,
    RDF_LANG_STRING,
    XSD,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
    Local,
    parse_canonical,
)
from rif.values.datatypes import same_value
from rif.values.value_spaces import PLAIN_LITERAL
from tests.rif.builtins.calls import call, literal, takes

STORE = pyoxigraph.Store()
STRINGS = ("", "abc", "Straße €", "urn:ex:a", "no iri", "en", "EN", "en-gb", "en-GB-oed", "*", "2")
TEXTS = ("", "ab", "abcab", "Straße b", "a/b c", "ü~_-.b")
MOMENTS = (
    *("2011-01-10T14:45:13.815-05:00^dateTime", "2011-12-31T23:59:59Z^dateTime"),
    *("2011-01-10T14:45:13^dateTime", "2011-01-10T14:45:13+05:30^dateTime"),
)
NUMBERS = ("1^integer", "-2.5^decimal", "2.5^decimal", "1.5^double", "-1.5^float", "NaN^double")
OTHERS = ("true^boolean", "x^integer", "PT1S^dayTimeDuration", *MOMENTS)
TERMS: tuple[GroundTerm, ...] = (
    IRI("urn:ex:a"),
    IRI("http://example.org/a?b#c"),
    *map(Literal, STRINGS),
    *(Literal(text, RDF_LANG_STRING, "en-gb") for text in ("", "a", "en")),
    Literal("a", "urn:ex:datatype"),
    *map(literal, (*NUMBERS, *OTHERS, "2011-01-10^date", "14:45:13Z^time")),
)
NO_RANGES = {Literal(text) for text in ("", "Straße €", "urn:ex:a", "no iri", "2")}
"""Of these SPARQL says nothing."""


def by_sparql(name: str, *args: GroundTerm) -> GroundTerm | None:
    """What Oxigraph says; None: an error."""
    query = f"SELECT ?r {{ BIND({name}({', '.join(map(str, args))}) AS ?r) }}"
    rows = STORE.query(query)
    assert isinstance(rows, pyoxigraph.QuerySolutions)
    found = next(rows)["r"]
    return None if found is None else parse_canonical(str(found))


def agree(outcome: Outcome, due: GroundTerm | None) -> bool:
    """Are they one value? What is outside of a domain is an error."""
    if outcome is None or due is None:
        return outcome is None and due is None
    if isinstance(outcome, bool):
        return due == Literal(str(outcome).lower(), XSD + "boolean")
    return same_value(outcome, due)


OWN = [
    (name, iri.removeprefix(R4_BUILTIN))
    for name, (iri, *_) in COUNTERPARTS.items()
    if iri.startswith(R4_BUILTIN)
]


@pytest.mark.parametrize(("name", "own"), OWN)
def test_a_function_of_r4_is_that_of_sparql(name: str, own: str) -> None:
    builtin = BUILTINS[R4_BUILTIN + own]
    for args in product(TERMS, repeat=builtin.least):
        if name == "langMatches" and args[1] in NO_RANGES:
            assert builtin.evaluate(*args) is None
        else:
            outcome, due = builtin.evaluate(*args), by_sparql(name, *args)
            assert agree(outcome, due), (args, outcome, due)


def of_strings(*counts: int) -> list[tuple[GroundTerm, ...]]:
    return [args for count in counts for args in product(map(Literal, TEXTS), repeat=count)]


def of_moments(name: str) -> list[tuple[GroundTerm, ...]]:
    return [(literal(text),) for text in MOMENTS if name != "timezone" or text[19:] != "^dateTime"]


ARGUMENTS = {
    "SUBSTR": (("abcdef^string", "1^integer"), ("abcdef^string", "2^integer", "3^integer")),
    "REGEX": (
        *(("abcd^string", f"{pattern}^string") for pattern in ("b.d", "^B", "a$", "(")),
        ("abcd^string", "B^string", "i^string"),
    ),
    "REPLACE": (
        ("abab^string", "b^string", "Z^string"),
        ("abab^string", "B^string", "Z^string", "i^string"),
        ("abab^string", "(a)b^string", "$1^string"),
    ),
}


@pytest.mark.parametrize("name", sorted({*COUNTERPARTS} - {own for own, _ in OWN}))
def test_a_built_in_of_the_standard_does_the_same(name: str) -> None:
    builtin = BUILTINS[COUNTERPARTS[name][0]]
    arguments: list[tuple[GroundTerm, ...]]
    if name in ARGUMENTS:
        arguments = [tuple(map(literal, each)) for each in ARGUMENTS[name]]
    elif "-from-" in builtin.name:
        arguments = of_moments(name)
    else:
        arguments = of_strings(*(count for count in (1, 2) if takes(builtin, count)))
    assert arguments
    for args in arguments:
        assert agree(builtin.evaluate(*args), by_sparql(name, *args)), args


def test_every_function_of_sparql_has_built_ins_there_are() -> None:
    assert {iri for found in COUNTERPARTS.values() for iri in found} <= {*BUILTINS, *DTB}


@pytest.mark.parametrize(
    ("name", "args", "due"),
    [
        ("str", ("01^integer",), "01^string"),
        ("str", ("x^integer",), "x^string"),
        ("tz", ("2011-01-10T14:45:13+00:00^dateTime",), "Z^string"),
        ("tz", ("14:45:13-05:00^time",), "-05:00^string"),
        ("lang", (Literal("chat", RDF_LANG_STRING, "fr"),), "fr^string"),
        ("strlang", ("a^string", "EN-us^string"), Literal("a", RDF_LANG_STRING, "en-us")),
        ("strlang", ("a^string", "e_n^string"), None),
        ("strlang", ("a^string", "^string"), None),
        ("iri", ("../a^string",), None),
        ("iri", ("urn:a^anyURI",), None),
        ("strdt", ("x^string", IRI(XSD + "integer")), "x^integer"),
        ("strdt", ("a^string", IRI(RDF_LANG_STRING)), None),
        ("strdt", ("a^string", IRI(PLAIN_LITERAL)), None),
        ("lang-matches", ("en^string", "en_GB^string"), None),
        ("lang-matches", ("en-Latn-GB^string", "EN-latn^string"), True),
        ("lang-matches", ("english^string", "en^string"), False),
        ("is-numeric", ("1200^byte",), False),
        ("is-numeric", ("120^byte",), True),
        ("md5", ("abc^token",), "900150983cd24fb0d6963f7d28e17f72^string"),
        ("sha1", ("abc^string",), "a9993e364706816aba3e25717850c26c9cd0d89d^string"),
    ],
)
def test_what_sparql_leaves_open(
    name: str, args: tuple[str | GroundTerm, ...], due: object
) -> None:
    terms = [literal(arg) if isinstance(arg, str) else arg for arg in args]
    if isinstance(due, Literal):
        assert BUILTINS[R4_BUILTIN + name].evaluate(*terms) == due
    else:
        assert call(f"own:{name}", *terms) == due


@pytest.mark.parametrize("term", [BlankNode("b"), Local("a"), GroundList()], ids=str)
def test_what_has_no_name_has_no_parts(term: GroundTerm) -> None:
    assert call("own:is-iri", term) is False
    assert call("own:is-blank", term) is not isinstance(term, GroundList)
    assert call("own:is-numeric", term) is False
    assert {call(f"own:{name}", term) for name in ("str", "lang", "datatype-of", "iri")} == {None}
