"""Functions of rdf:PlainLiteral: the examples of the suite, and laws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.syntax.terms import FUNC, RDF_LANG_STRING, XSD, GroundTerm, Literal
from rif.values.datatypes import same_value, value_of
from tests.generators.rules import syntax
from tests.rif.builtins.suite_conditions import holds, suite, truth, value

EXAMPLES = {
    'func:PlainLiteral-from-string-lang("Hello World!" "en")': '"Hello World!"@en',
    'func:PlainLiteral-from-string-lang("x" "de-AT")': '"x"@de-at',
    'func:PlainLiteral-from-string-lang("" "en"^^xs:language)': '""@en',
    'func:PlainLiteral-from-string-lang("x"^^xs:token "i-klingon")': '"x"@i-klingon',
    'func:PlainLiteral-from-string-lang("x" "")': None,
    'func:PlainLiteral-from-string-lang("x" "e_n")': None,
    'func:PlainLiteral-from-string-lang("x" "abcdefghi")': None,
    'func:PlainLiteral-from-string-lang("x" "en\\n")': None,
    'func:PlainLiteral-from-string-lang("x"@en "de")': None,
    'func:PlainLiteral-from-string-lang(1 "de")': None,
    'func:PlainLiteral-from-string-lang("x" <urn:en>)': None,
    'func:string-from-PlainLiteral("Hello World!"@en)': '"Hello World!"',
    'func:string-from-PlainLiteral("Hello World!@en")': '"Hello World!@en"',
    'func:string-from-PlainLiteral("a@b@en"^^rdf:PlainLiteral)': '"a@b"',
    'func:string-from-PlainLiteral("a@"^^rdf:PlainLiteral)': '"a"',
    'func:string-from-PlainLiteral("a"^^xs:Name)': '"a"',
    "func:string-from-PlainLiteral(1)": None,
    "func:string-from-PlainLiteral(<urn:a>)": None,
    'func:lang-from-PlainLiteral("Hello World!@en"^^rdf:PlainLiteral)': '"en"^^xs:language',
    'func:lang-from-PlainLiteral("x"@de-AT)': '"de-at"',
    'func:lang-from-PlainLiteral("Hello World!@en")': '""',
    'func:lang-from-PlainLiteral("a@"^^rdf:PlainLiteral)': '""',
    "func:lang-from-PlainLiteral(1)": None,
    'func:PlainLiteral-compare("hallo"@de "welt"@de)': "-1",
    'func:PlainLiteral-compare("welt"@de "hallo"@DE)': "1",
    'func:PlainLiteral-compare("hallo"@de "hallo"@de)': "0",
    'func:PlainLiteral-compare("hallo" "hallo@"^^rdf:PlainLiteral)': "0",
    'func:PlainLiteral-compare("a" "b"^^xs:token)': "-1",
    'func:PlainLiteral-compare("hallo"@de "hallo")': None,
    'func:PlainLiteral-compare("hallo"@de "hallo"@de-at)': None,
    'func:PlainLiteral-compare("1"@de 1)': None,
    'func:PlainLiteral-length("Hello World!"@en)': "12",
    'func:PlainLiteral-length("")': "0",
    'func:PlainLiteral-length("é\\U0001d518"@de)': "2",
    "func:PlainLiteral-length(1)": None,
    "func:PlainLiteral-length(List())": None,
}  # fmt: skip


@pytest.mark.parametrize("call", EXAMPLES)
def test_examples(call: str) -> None:
    expected = EXAMPLES[call]
    found = value(call)
    if expected is None:
        assert found is None
    else:
        wanted = value(expected)
        assert wanted is not None
        assert found == value_of(wanted)


def call(name: str, *args: GroundTerm) -> GroundTerm | None:
    outcome = BUILTINS[FUNC + name].evaluate(*args)
    assert not isinstance(outcome, bool)
    return outcome


tags = st.sampled_from(["", "en", "de-at", "x-1-a"])
plains = st.builds(
    lambda text, tag: Literal(text, RDF_LANG_STRING, tag) if tag else Literal(text),
    syntax.texts,
    tags,
)


@given(plains)
def test_a_plain_literal_is_its_string_and_its_language(literal: Literal) -> None:
    text = call("string-from-PlainLiteral", literal)
    language = call("lang-from-PlainLiteral", literal)
    assert text is not None
    assert language is not None
    whole = call("PlainLiteral-from-string-lang", text, language)
    assert whole == (literal if literal.language else None)
    count = call("PlainLiteral-length", literal)
    assert count == Literal(str(len(literal.lexical)), XSD + "integer")


@given(plains, plains)
def test_the_order_is_that_of_code_points_within_a_language(one: Literal, two: Literal) -> None:
    order = call("PlainLiteral-compare", one, two)
    if one.language != two.language:
        assert order is None
    else:
        left, right = list(map(ord, one.lexical)), list(map(ord, two.lexical))
        expected = 0 if left == right else -1 if left < right else 1
        assert order == Literal(str(expected), XSD + "integer")
        assert (expected == 0) == same_value(one, two)


def test_one_value_in_three_spellings() -> None:
    spellings = ['"x"', '"x"^^xs:string', '"x@"^^rdf:PlainLiteral', '"x"^^xs:NCName']
    for one in spellings:
        for two in spellings:
            assert holds(f"pred:literal-not-identical({one} {two})") is False
        for other in ('"x"@en', '"x@en"', '"x@@"^^rdf:PlainLiteral', '"x"^^xs:anyURI', "1"):
            assert holds(f"pred:literal-not-identical({one} {other})") is True
        for no_value in ("<urn:x>", "_x", f"List({one})"):
            assert holds(f"pred:literal-not-identical({one} {no_value})") is False


def test_number_spaces_are_disjoint_and_tags_have_no_case() -> None:
    assert holds("pred:literal-not-identical(1 1e0)") is True
    assert holds('pred:literal-not-identical("1"^^xs:float 1e0)') is True
    assert holds("pred:literal-not-identical(1 1.0)") is False
    assert holds('pred:literal-not-identical("x"@DE "x"@de)') is False


@pytest.mark.parametrize("test", ["Builtins_PlainLiteral", "Builtin_literal-not-identical"])
def test_the_conjuncts_of_the_suite(test_data: Callable[[str], Path], test: str) -> None:
    for conjunct in suite(test_data, test):
        assert truth(conjunct.formula) is conjunct.expected, conjunct
