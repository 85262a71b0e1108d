"""The canonical text of terms: what dictionaries, files and answers compare."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.syntax.iri import is_absolute, resolve
from rif.syntax.terms import (
    IRI,
    RDF_LANG_STRING,
    XSD,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
    Local,
    escape,
    parse_canonical,
    unescape,
)
from tests.generators.rules import syntax


@given(syntax.ground_terms)
def test_the_text_of_a_term_is_read_back(term: GroundTerm) -> None:
    assert str(parse_canonical(str(term))) == str(term)
    if not isinstance(term, Local) and "_:" not in str(term):
        assert parse_canonical(str(term)) == term


@given(syntax.ground_terms, syntax.ground_terms)
def test_terms_are_the_same_if_their_texts_are(one: GroundTerm, two: GroundTerm) -> None:
    assert (one == two) == (str(one) == str(two))


@given(syntax.texts)
def test_escaping_is_undone_by_unescaping(text: str) -> None:
    assert unescape(escape(text)) == text
    assert not set(escape(text)) & set("\n\r\t\x00\x7f")


@given(syntax.literals)
def test_another_parser_reads_literals_alike(literal: Literal) -> None:
    (triple,) = pyoxigraph.parse(f"<urn:s> <urn:p> {literal} .", pyoxigraph.RdfFormat.N_TRIPLES)
    found = triple.object
    assert isinstance(found, pyoxigraph.Literal)
    assert (found.value, found.datatype.value, found.language or "") == (
        literal.lexical,
        literal.datatype,
        literal.language,
    )


@given(syntax.locals_)
def test_another_parser_takes_local_constants_for_blank_nodes(local: Local) -> None:
    (triple,) = pyoxigraph.parse(f"{local} <urn:p> <urn:o> .", pyoxigraph.RdfFormat.N_TRIPLES)
    assert str(triple.subject) == str(local)


@given(syntax.locals_, syntax.locals_)
def test_two_local_constants_never_have_the_same_text(one: Local, two: Local) -> None:
    assert (one == two) == (str(one) == str(two))


def test_texts() -> None:
    assert str(Local("x")) == "_:d0_x"
    assert str(Local("a b", 2)) == "_:d2_a·20·b"
    assert str(Local("a.")) == "_:d0_a·2E·"
    assert str(BlankNode("d1_b")) == "_:d1_b"
    assert str(Literal("a\tb\x01é", RDF_LANG_STRING, "en")) == '"a\\tb\\u0001é"@en'
    assert str(Literal("1", XSD + "integer")) == f'"1"^^<{XSD}integer>'
    nested = GroundList((IRI("urn:a"), GroundList(), GroundList((Literal(") List("),))))
    assert str(nested) == 'List(<urn:a> List() List(") List("))'
    assert parse_canonical(str(nested)) == nested


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        '"a',
        '"a"@',
        '"\\q"',
        '"\\u12"',
        "List(",
        "List())",
        "List(<a>))",
        "List(a)",
        "List(<a>",
        '"a"^^b',
    ],
)
def test_what_is_no_canonical_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"canonical|escape"):
        parse_canonical(text)


def test_a_deep_list_is_read_without_recursion() -> None:
    depth = 10_000
    term = parse_canonical("List(" * depth + ")" * depth)
    for _ in range(depth - 1):
        assert isinstance(term, GroundList)
        (term,) = term.items
    assert term == GroundList()


BASE = "http://a/b/c/d;p?q"
EXAMPLES = {
    "g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/",
    "/g": "http://a/g", "//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y",
    "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s",
    ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y#s",
    "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/",
    "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
    "../../g": "http://a/g", "../../../g": "http://a/g", "../../../../g": "http://a/g",
    "/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g",
    "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g",
    "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x",
    "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x",
}  # fmt: skip


@pytest.mark.parametrize("reference", EXAMPLES)
def test_relative_iris_are_resolved_as_in_the_examples_of_the_rfc(reference: str) -> None:
    assert resolve(reference, BASE) == EXAMPLES[reference]


def test_resolving_against_an_iri_without_path() -> None:
    assert resolve("g", "http://a") == "http://a/g"
    assert resolve("", "http://a#f") == "http://a"
    assert resolve("g", "urn:a:b") == "urn:g"


@given(st.text("a/.:?#", max_size=8))
def test_what_is_resolved_is_absolute(reference: str) -> None:
    assert is_absolute(resolve(reference, BASE))


def test_absolute_iris() -> None:
    for text in ("http://a/é?b#c", "urn:x", "a:", "mailto:a@b"):
        assert is_absolute(text)
    for text in ("", "a", "/a", ":a", "1:a", "http://a b", "http://a>", "a:\n", "é:a", "a:\ud800"):
        assert not is_absolute(text)
