"""pred:matches, func:replace and pred:matches-language-range, in rules and out of them."""

from __future__ import annotations

import csv
from pathlib import Path

import elementpath
import pytest
from elementpath.xpath31 import XPath31Parser
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.builtins.regular_expressions import in_range
from rif.errors.report import RuleErrors
from rif.syntax.terms import FUNC, IRI, PRED, RDF_LANG_STRING, XSD, GroundTerm, Literal
from rif.text.parser import parse
from tests.paths import DATA, needs_data
from tests.rif.builtins.calls import takes


def call(name: str, *args: GroundTerm | str) -> bool | GroundTerm | None:
    builtin = BUILTINS.get(FUNC + name) or BUILTINS[PRED + name]
    assert takes(builtin, len(args))
    return builtin.evaluate(*(Literal(arg) if isinstance(arg, str) else arg for arg in args))


def tagged(text: str, language: str) -> Literal:
    return Literal(text, RDF_LANG_STRING, language)


# regular expressions


def test_a_part_of_the_text_is_enough() -> None:
    assert call("matches", "abracadabra", "bra") is True
    assert call("matches", "abracadabra", "^bra") is False
    assert call("matches", "abracadabra", "BRA", "i") is True


def test_every_match_is_replaced() -> None:
    assert call("replace", "abcd", "(ab)|(a)", "[1=$1][2=$2]") == Literal("[1=ab][2=]cd")
    assert call("replace", "a.b.c", ".", "$", "q") == Literal("a$b$c")


def test_what_derives_from_a_string_is_one() -> None:
    token = Literal("abc", XSD + "token")
    assert call("matches", token, Literal("b", XSD + "NCName"), Literal("i", XSD + "language"))
    assert call("replace", token, "b", "") == Literal("ac")


@pytest.mark.parametrize(
    "args",
    [
        (Literal("1", XSD + "integer"), "1"),
        (tagged("a", "en"), "a"),
        ("a", IRI("http://example.org/a")),
        ("a", "a", Literal("i", XSD + "anyURI")),
        ("a", "("),
        ("a", "a", "z"),
        ("aa", r"(a)\1"),
        ("a", "a{1001}"),
    ],
)
def test_beyond_the_domain_nothing_matches(args: tuple[GroundTerm | str, ...]) -> None:
    assert call("matches", *args) is None


@pytest.mark.parametrize(
    "args",
    [
        ("a", "a", Literal("1", XSD + "integer")),
        (Literal("1", XSD + "integer"), "a", "b"),
        ("a", "a*", "b"),
        ("a", "a", "$"),
        ("a", "a", r"\n"),
        ("a", "[", "b"),
        ("a", "a", "b", "iz"),
        ("a", r"(a)\1", "b"),
    ],
)
def test_beyond_the_domain_nothing_is_replaced(args: tuple[GroundTerm | str, ...]) -> None:
    assert call("replace", *args) is None


WORDS = st.text("abc", max_size=6)


@given(
    text=WORDS,
    pattern=st.sampled_from(["a", "b+", "(a)(b)?", "[^a]", "c{2}", "^a", "b$", "a|bc"]),
    replacement=st.sampled_from(["", "x", "<$1>", r"\$", "$0$0"]),
)
def test_they_agree_with_the_functions_of_xpath(text: str, pattern: str, replacement: str) -> None:
    def xpath(function: str, *args: str) -> object:
        given = ", ".join(f"'{arg}'" for arg in args)
        return elementpath.select(None, f"{function}({given})", parser=XPath31Parser, item=1)

    assert call("matches", text, pattern) == xpath("matches", text, pattern)
    if "$1" not in replacement or "(" in pattern:  # a group that there is not stays as it is there
        expected = xpath("replace", text, pattern, replacement)
        assert call("replace", text, pattern, replacement) == Literal(str(expected))


# language ranges


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("de-DE", True),
        ("de-de", True),
        ("de-Latn-DE", True),
        ("de-Latf-DE", True),
        ("de-DE-x-goethe", True),
        ("de-Latn-DE-1996", True),
        ("de-Deva-DE", True),
        ("de", False),
        ("de-x-DE", False),
        ("de-Deva", False),
    ],
)
def test_the_example_of_extended_filtering(tag: str, *, expected: bool) -> None:
    assert in_range(tag, "de-*-DE") == in_range(tag, "de-DE") == expected


def matches(ranges: list[str], subtags: list[str]) -> bool:
    """Step 3 of extended filtering [RFC4647, 3.3.2]; rdflib has a simpler one."""
    if not ranges:
        return True
    if ranges[0] == "*":
        return matches(ranges[1:], subtags)
    if not subtags:
        return False
    if ranges[0] == subtags[0]:
        return matches(ranges[1:], subtags[1:])
    return len(subtags[0]) > 1 and matches(ranges, subtags[1:])


SUBTAGS = ["de", "at", "en", "x", "1996"]


@given(
    tag=st.lists(st.sampled_from(SUBTAGS), min_size=1, max_size=4).map("-".join),
    wanted=st.lists(st.sampled_from([*SUBTAGS, "*", "DE"]), min_size=1, max_size=4).map("-".join),
)
def test_language_ranges_match_as_the_steps_of_extended_filtering_say(
    tag: str, wanted: str
) -> None:
    first, *subtags = tag.lower().split("-")
    begin, *ranges = wanted.lower().split("-")
    assert in_range(tag, wanted) == (begin in {"*", first} and matches(ranges, subtags))


def test_a_language_range_looks_at_the_language_alone() -> None:
    text = tagged("Schlagobers ist dasselbe wie Schlagsahne.", "de-at")
    assert call("matches-language-range", text, "de-*") is True
    assert call("matches-language-range", text, "*") is True
    assert call("matches-language-range", text, "en") is False
    assert call("matches-language-range", "plain", "*") is False


@pytest.mark.parametrize("wanted", ["", "de_AT", "-de", "1de", "de-", "abcdefghi", "de-**"])
def test_what_is_no_language_range_is_beyond_the_domain(wanted: str) -> None:
    assert call("matches-language-range", tagged("a", "de"), wanted) is None


def test_what_is_no_text_has_no_language() -> None:
    assert call("matches-language-range", Literal("1", XSD + "integer"), "*") is None
    assert call("matches-language-range", IRI("http://example.org/a"), "*") is None
    assert call("matches-language-range", tagged("a", "de"), IRI("http://example.org/a")) is None


# constants of rules


def said(body: str) -> list[tuple[str, int, str]]:
    """Code, column and message of each fault of a rule with this condition."""
    prefixes = f"Prefix(pred <{PRED}>) Prefix(func <{FUNC}>)"
    rule = f"Document({prefixes} Group(Forall ?x ?y (\n_p(?x) :- And(_q(?x ?y) {body}))))"
    try:
        parse(rule)
    except RuleErrors as found:
        return [(fault.code, fault.span.column, fault.message) for fault in found.errors]
    return []


BEFORE = len("_p(?x) :- And(_q(?x ?y) ")


@pytest.mark.parametrize(
    ("body", "code", "at", "message"),
    [
        ('External(pred:matches(?x "a("))', "RIF211", '"a(', ") is missing, at character 2"),
        ('External(pred:matches(?x "[]"))', "RIF211", '"[]', "a class holds at least one char"),
        ('External(pred:matches(?x "a" "z"))', "RIF211", '"z', "'z' is no flag"),
        ('External(pred:matches(?x "(a)\\\\1"))', "RIF212", '"(a', "a back-reference"),
        ('?y = External(func:replace(?x "a*" "b"))', "RIF211", '"a*', "match the empty string"),
        ('?y = External(func:replace(?x "a" "$"))', "RIF211", '"$', "a dollar sign"),
        ('?y = External(func:replace(?x "a{9999}" ?y))', "RIF212", '"a{', "bounds up to 1,000"),
        ('?y = External(func:replace(?x "a" ?y "k"))', "RIF211", '"k', "'k' is no flag"),
    ],
)
def test_a_constant_that_can_never_match_is_refused_at_its_place(
    body: str, code: str, at: str, message: str
) -> None:
    ((found, column, text),) = said(body)
    assert (found, column) == (code, BEFORE + body.index(at) + 1)
    assert message in text


@pytest.mark.parametrize(
    "body",
    [
        'External(pred:matches(?x "^a.*$" "i"))',
        'External(pred:matches("(" ?x))',
        'External(pred:matches(?x "a(" ?y))',
        'External(pred:matches(?x "a(" "q"))',
        'External(pred:matches(?x "1"^^<http://www.w3.org/2001/XMLSchema#integer>))',
        '?y = External(func:replace(?x "a*" "$" "q"))',
        'External(pred:contains(?x "("))',
    ],
)
def test_what_may_match_is_accepted(body: str) -> None:
    assert said(body) == []


# the suite of the W3C


def conjuncts() -> list[list[str]]:
    if DATA is None:
        return []
    with Path(DATA, "rif-tests/core/conjuncts.tsv").open(encoding="utf-8", newline="") as rows:
        found = csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            row for row in found if any(f":{name} " in row[-1] for name in ("matches", "replace"))
        ]


@needs_data
def test_the_conjuncts_of_the_suite_are_true() -> None:
    rows = conjuncts()
    assert len(rows) == 2
    for name, _, value, text in rows:
        assert (name, value) == ("Builtins_String", "true")
        before, _, after = text.partition(":")
        kind, *args = after.split(" ")
        outcome = call(kind, *args)
        assert outcome is True or outcome == Literal(before.rpartition(" ")[0])
