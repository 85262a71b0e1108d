"""Texts made to hurt: each is answered within about a second, and with faults, not a crash."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.syntax.clauses import clauses
from tests.generators.rules import syntax
from tests.generators.rules.parsers import parse, unparse
from tests.rif.rule_parser import parse_rules

SECONDS = 3.0
"""What a text may take of a slow processor; of an ordinary one each takes well under one."""

MANY = 5_000


def said(text: str, *, lenient: bool = False) -> set[str]:
    """The codes of all that is said about a text."""
    started = time.process_time()
    try:
        parsed = parse_rules(text, lenient=lenient)
        clauses(parsed.document)
        codes = {fault.code for fault in parsed.warnings}
    except RuleErrors as found:
        codes = {fault.code for fault in found.errors}
        found.report()
    assert time.process_time() - started < SECONDS
    return codes


DEEP = {
    "And": ("And(", ")"),
    "Exists": ("Exists ?x (", ")"),
    "lists": ("List(", ")"),
    "functions": ("External(func:concat(", "))"),
    "groups": ("Group(", ")"),
    "annotations": ("(* _a[_b -> ", "*)"),
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("depth", [101, 20_000])
def test_a_depth_bomb_is_a_fault(kind: str, *, closed: bool, depth: int) -> None:
    opening, closing = DEEP[kind]
    rule = {"groups": "", "lists": "_p("}.get(kind, "_q() :- ")
    text = rule + opening * depth + (closing * depth if closed else "")
    assert "RIF111" in said(text)


def test_what_is_within_the_depth_is_read_checked_and_written() -> None:
    for opening, closing in (("And(", ")"), ("Or(", ")"), ("Exists ?x (", ")")):
        text = "_p() :- " + opening * 97 + "_q()" + closing * 97
        document = parse_rules(text).document
        assert parse(unparse(document)).document == document
        clauses(document)
        assert repr(document)
        assert hash(document) == hash(document)


WIDE = {
    "facts": ("_p(1) " * MANY, set()),
    "a conjunction": ("_p() :- And(" + "_q() " * MANY + ")", set()),
    "a disjunction": ("_p() :- Or(" + "_q() " * MANY + ")", set()),
    "a chain of equalities": (
        "Forall "
        + " ".join(f"?x{n}" for n in range(MANY))
        + " (_p() :- And("
        + " ".join(f"?x{n} = ?x{n + 1}" for n in range(MANY - 1))
        + f" _q(?x{MANY - 1})))",
        set(),
    ),
    "variables": ("Forall " + " ".join(f"?x{n}" for n in range(MANY)) + " (_p() :- _q())", set()),
    "one variable again and again": ("Forall " + "?x " * MANY + " (_p() :- _q(?x))", {"RIF202"}),
    "slots": ("_o[" + "_k -> _v " * MANY + "]", set()),
    "a list": ("_p(List(" + "1 " * MANY + "))", set()),
    "annotations": ("(* *) " * MANY + "_p()", {"RIF113"}),
    "quantifiers that clash": ("_p() :- And(" + "Exists ?x (_q(?x)) " * MANY + ")", set()),
    "opening brackets": ("_p" + "(" * MANY, {"RIF111"}),
    "closing brackets": (")" * MANY, {"RIF101"}),
    "rules that lose a bracket": ("Forall ?x (_p(?x) :- _q(?x\n" * MANY, {"RIF101"}),
    "facts that lose a bracket": ("_p(1\n" * MANY, {"RIF101"}),
    "open strings": ('_p("a)\n' * MANY, {"RIF103"}),
    "quotes": ('"' * MANY, {"RIF101"}),
    "commas": ("_p(" + "," * MANY + ")", set()),
    "bare words": ("_p(" + "w " * MANY + ")", {"RIF108"}),
    "unknown prefixes": (" ".join(f"p{n}:a()" for n in range(MANY)), {"RIF106"}),
    "unknown built-ins": (
        " ".join(f"_p() :- External(pred:numeric-x{n}())" for n in range(MANY)),
        {"RIF204"},
    ),
    "arrows": (":- " * MANY, {"RIF101"}),
    "roles": ("_p() " + "_q(_p) " * MANY, {"RIF203"}),
    "roles of many": (" ".join(f"_p{n}(_p{n})" for n in range(MANY)), {"RIF203"}),
    "a cycle of functions": (
        " ".join(
            f"Forall ?x (_p{n}(External(func:numeric-add(?x 1))) :- _p{(n + 1) % MANY}(?x))"
            for n in range(MANY)
        ),
        {"RIF304"},
    ),
    "dots": ("a" + "." * MANY, {"RIF102"}),
    "backslashes": ('_p("' + "\\\\" * MANY + '")', set()),
    "bad escapes": ('_p("' + "\\q" * MANY + '")', {"RIF104"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WIDE)
def test_a_wide_text_is_read_in_time(kind: str) -> None:
    text, codes = WIDE[kind]
    assert said(text) >= codes
    said(text, lenient=True)


LONG = {
    "a string": ('_p("' + "a" * 1_000_000 + '")', "RIF112"),
    "an IRI": ("<http://" + "a" * 1_000_000 + ">()", "RIF112"),
    "an integer": ("_p(" + "9" * 1_000_000 + ")", "RIF112"),
    "a quoted integer": ('_p("' + "9" * 60_000 + '"^^xs:integer)', "RIF109"),
    "a quoted double": ('_p("1e' + "9" * 60_000 + '"^^xs:double)', "RIF109"),
    "a decimal of exponents": ("_p(1e999999999999999999999)", ""),
    "a year": ('_p("' + "9" * 60_000 + '-01-01"^^xs:date)', "RIF109"),
    "a name": ("_p(?" + "a" * 1_000_000 + ")", "RIF112"),
    "a prefix": ("a" * 1_000_000 + ":b()", "RIF112"),
    "an unknown built-in": ("_p() :- External(pred:" + "numeric-" * 5_000 + "())", "RIF204"),
    "XML": ('_p("' + "<a>" * 20_000 + '"^^rdf:XMLLiteral)', "RIF109"),
    "an XML entity": ('_p("&lol;"^^rdf:XMLLiteral)', "RIF109"),
}


@pytest.mark.parametrize("kind", LONG)
def test_an_oversized_literal_is_a_fault(kind: str) -> None:
    text, code = LONG[kind]
    assert code in said(text) | {""}


@pytest.mark.slow
def test_a_disjunctive_normal_form_that_explodes_is_a_fault() -> None:
    choice = "Or(_q() _r()) "
    assert said(f"_p() :- And({choice * 13})") == set()
    assert said(f"_p() :- And({choice * 14})") == {"RIF209"}
    assert said(f"_p() :- And({choice * 10_000})") == {"RIF209"}
    assert said(f"_p() :- And({choice * 10_000} Or())") == {"RIF209"}
    assert said(f"_p() :- And({choice * 13} Or())") == set()
    assert said(f"_p() :- And({'_s() ' * 5_000} {choice * 10})") == {"RIF209"}
    assert "RIF209" in said(f"_p() :- And({choice * 12}) " * 100)


def test_a_text_beyond_all_bounds_is_not_even_cut() -> None:
    assert said(" " * (64 * 2**20 + 1)) == {"RIF117"}


@given(st.binary(max_size=300))
def test_noise_gives_faults_only(noise: bytes) -> None:
    said(noise.decode("latin-1"))
    said(noise.decode("utf-8", "replace"), lenient=True)


WORDS = [
    *("Document", "Group", "Forall", "Exists", "And", "Or", "External", "List", "Prefix", "Base"),
    *("Import", "Window", "If", "Then", "Neg", "s", "word", "(", ")", "[", "]", "(*", "*)", "->"),
    *(":-", "#", "##", "=", "?x", "?y", "ex:p", "_a", "1", "2.5", "1e3", '"s"', "@en", "^^", ","),
    *("|", "xs:integer", "<http://e/>", "pred:is-list", "\n"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.booleans())
def test_any_row_of_tokens_gives_faults_only(words: list[str], lenient: bool) -> None:
    said(" ".join(words), lenient=lenient)


@given(syntax.documents, st.randoms(use_true_random=False))
def test_a_damaged_document_gives_faults_only(document: object, chance: random.Random) -> None:
    text = list(unparse(document))  # type: ignore[arg-type]
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text))
        text[at : at + chance.randint(0, 3)] = chance.choice(
            [[], ["("], [")"], ['"'], ["*)"], [" "]]
        )
    faults: tuple[RuleError, ...] = ()
    try:
        parsed = parse("".join(text), lenient=chance.random() < 0.5, check=chance.random() < 0.5)
        clauses(parsed.document)
    except RuleErrors as found:
        found.report()
        faults = found.errors
    assert all(fault.span.line > 0 for fault in faults)
