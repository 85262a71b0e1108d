from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rif.errors.syntax import OpenComment
from rif.text.lexer import END, tokenise


def cut(text: str) -> list[tuple[str, str]]:
    tokens = tokenise(text)
    assert tokens.faults == []
    assert tokens.kinds[-1] == END
    return list(zip(tokens.kinds, tokens.values, strict=True))[:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ex:a->1", ["curie ex:a", "-> ->", "number 1"]),
        ("?x->-1.5e3", ["var ?x", "-> ->", "number -1.5e3"]),
        ("a-b->c", ["name a-b", "-> ->", "name c"]),
        ("dbpprop:1MinWinds", ["curie dbpprop:1MinWinds"]),
        ("p:", ["curie p:"]),
        (":local", ["curie :local"]),
        ("p:a:b", ["curie p:a:b"]),
        (r"p:a\.b%41\-c", [r"curie p:a\.b%41\-c"]),
        ("p:a.b", ["curie p:a.b"]),
        ("ex:p():-ex:q()", ["curie ex:p", "( (", ") )", ":- :-", "curie ex:q", "( (", ") )"]),
        ("_rule1[", ["local _rule1", "[ ["]),
        ("5s", ["number 5", "name s"]),
        ("a##b#c", ["name a", "## ##", "name b", "# #", "name c"]),
        ('"a\\"b"@en-US', ['string "a\\"b"', "lang @en-US"]),
        ('"1"^^<http://e/>', ['string "1"', "^^ ^^", "iri <http://e/>"]),
        ('?"any name"', ['var ?"any name"']),
        ("(*_a*)", ["(* (*", "local _a", "*) *)"]),
        ('_a (* a ( (* "b *) ?*) _b', ["local _a", "local _b"]),
        ("[0 s,1)", ["[ [", "number 0", "name s", ", ,", "number 1", ") )"]),
        ("é·ü:ñ", ["curie é·ü:ñ"]),
        ("\ufeffp", ["name p"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [f"{kind} {value}" for kind, value in cut(text)] == expected


@pytest.mark.parametrize(
    ("text", "code", "left"),
    [
        ("p ; q", "RIF102", ["p", "q"]),
        ("p ////// q", "RIF102", ["p", "q"]),
        ("? x", "RIF102", ["x"]),
        ("'a'", "RIF102", ["a"]),
        ('p("abc)\nq', "RIF103", ["p", "(", '"abc)', "q"]),
        ("<a b> q", "RIF105", ["<a b>", "q"]),
        ("<a q", "RIF105", ["<a", "q"]),
        ("p\x00q", "RIF102", ["p", "q"]),
        ("p\u00a0q", "RIF102", ["p", "q"]),
    ],
)
def test_what_is_no_token_is_told_and_left_out(text: str, code: str, left: list[str]) -> None:
    tokens = tokenise(text)
    assert [fault.code for fault in tokens.faults][:1] == [code]
    assert tokens.values[:-1] == left


def test_a_run_of_stray_characters_is_one_fault() -> None:
    assert len(tokenise("p {{{$$$}}} q").faults) == 1


def test_too_many_faults_end_the_cutting() -> None:
    assert len(tokenise("; p " * 1000).faults) == 100


def test_a_lone_surrogate_is_a_fault() -> None:
    (fault,) = tokenise('p("a\ud800b")').faults
    assert (fault.code, fault.span.column) == ("RIF102", 5)


def test_spans_count_lines_and_characters_from_1() -> None:
    tokens = tokenise("a\r\nbb\rccc\n  dd")
    spans = [tokens.span(at, at) for at in range(4)]
    assert [(s.line, s.column, s.end_line, s.end_column) for s in spans] == [
        (1, 1, 1, 2),
        (2, 1, 2, 3),
        (3, 1, 3, 4),
        (4, 3, 4, 5),
    ]
    assert tokens.span(0, 3).end_line == 4
    assert [tokens.begins_line(at) for at in range(4)] == [True] * 4
    assert not tokenise("a b").begins_line(1)


@given(st.text(max_size=40) | st.text('(*)[]<=>+-/!"\\?:-_#.,@^|aé1 \n', max_size=40))
@example("(*0")
@example("(* 0 (* 1 *) *) a (* 2 *)")
def test_every_character_is_in_a_token_a_fault_a_comment_or_blank(text: str) -> None:
    tokens = tokenise(text)
    covered: set[int] = set()
    for start, value in zip(tokens.starts, tokens.values, strict=True):
        assert text.startswith(value, start)
        covered.update(range(start, start + len(value)))
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]
    for fault in tokens.faults:
        span = fault.span
        first = starts[span.line - 1] + span.column - 1
        end = starts[span.end_line - 1] + span.end_column - 1
        covered.update(range(first, len(text) if isinstance(fault, OpenComment) else end))
    apart = "".join("\0" if at in covered else char for at, char in enumerate(text))
    for rest in filter(None, (each.strip(" \t\r\n\ufeff") for each in apart.split("\0"))):
        assert rest.startswith(("(*", "#"))
        assert rest.startswith("#") or rest.endswith("*)")
