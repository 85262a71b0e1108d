"""XML made to hurt: refused with a code, in time, and nothing but the text is opened."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rif.errors.report import RuleErrors, lines_of
from rif.syntax import ast
from rif.text.parser import parse
from rif.text.writer import unparse
from rif.xml.parser import parse_xml
from rif.xml.writer import write_xml
from tests.rif.rule_parser import parse_rules
from tests.rif.xml.snippets import RIF, atom, codes_of, const, document, group, rule

SECONDS = 3.0
"""What a text may take of a slow processor; of an ordinary one each takes well under one."""

MANY = 5_000


def declared(subset: str, inside: str = "", attributes: str = "") -> bytes:
    return (
        f'<!DOCTYPE a [{subset}]><Document xmlns="{RIF}"{attributes}>{inside}</Document>'.encode()
    )


LAUGHS = '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {"abcdefghij"[n + 1]} "{f"&{letter};" * 10}">'
    for n, letter in enumerate("abcdefghi")
)
LONG = f'<!ENTITY a "{"x" * 100_000}">'

REFUSED: dict[str, tuple[bytes, str]] = {
    "entities in entities": (declared(LAUGHS, "&j;"), "RIF124"),
    "entities in entities, hidden": (declared('<!ENTITY b "x"><!ENTITY a "&#38;b;">'), "RIF124"),
    "entities in a default": (declared(LAUGHS + '<!ATTLIST a b CDATA "&j;">'), "RIF124"),
    "an attribute with a default": (declared('<!ATTLIST Document a CDATA "a">'), "RIF124"),
    "a content model": (declared(f"<!ELEMENT a {'(' * 9_999}b{')' * 9_999}>"), "RIF124"),
    "a parameter entity": (declared('<!ENTITY % a "b"> %a;'), "RIF124"),
    "a file as entity": (declared('<!ENTITY a SYSTEM "file:///etc/passwd">', "&a;"), "RIF123"),
    "a picture as entity": (declared('<!ENTITY a SYSTEM "a.gif" NDATA gif>'), "RIF123"),
    "a file as parameter entity": (declared('<!ENTITY % a SYSTEM "http://e/"> %a;'), "RIF124"),
    "a DTD": (b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "RIF123"),
    "a public DTD": (b'<!DOCTYPE a PUBLIC "-//a" "http://e/a.dtd" []><a/>', "RIF123"),
    "a long entity, often": (declared(LONG, "&a;" * 10_000), "RIF125"),
    "a long entity in attributes": (declared(LONG, f'<payload a="{"&a;" * 10_000}"/>'), "RIF125"),
    "an entity of tags": (declared(f'<!ENTITY a "{"<x/>" * 999}">', "&a;" * 3_000), "RIF125"),
    "many entities": (
        declared("".join(f'<!ENTITY e{n} "">' for n in range(MANY))),
        "RIF125",
    ),
    "an open DOCTYPE": (b"<!DOCTYPE a [" + b"<!-- " * MANY, "RIF121"),
    "an open quote": (b"<!DOCTYPE a [ <!ENTITY a " + b'"' * MANY, "RIF121"),
    "a DOCTYPE within": (document("<!DOCTYPE a [<!ENTITY b 'c'>]>"), "RIF121"),
    "depth": (document("<payload><Group>" + "<sentence><Group>" * 100_000), "RIF111"),
    "depth of what is unknown": (document("<x>" * 1_000_000), "RIF111"),
    "depth of terms": (
        document(group(atom("p", "<List><items>" * 200 + "</items></List>" * 200))),
        "RIF111",
    ),
    "a long literal": (document(group(atom("p", const("x" * 8_000_000)))), "RIF112"),
    "a long literal of lines": (document(group(atom("p", const("\n" * 8_000_000)))), "RIF112"),
    "a literal of references": (document(group(atom("p", const("&#9;" * 100_000)))), "RIF112"),
    "a literal of an entity": (
        declared(
            f'<!ENTITY rif "{RIF}"><!ENTITY a "{"x" * 40_000}">',
            group(atom("p", const("&a;&a;"))),
        ),
        "RIF112",
    ),
    "a long attribute": (document(f'<payload a="{"x" * 8_000_000}"/>'), "RIF112"),
    "a long comment": (document(f"<!-- {'x' * 8_000_000} -->"), "RIF112"),
    "a long document": (document(" " * 2**26), "RIF117"),
    "many unknown elements": (document("<x/>" * MANY), "RIF127"),
    "many attributes": (
        document("<payload " + " ".join(f'a{n}=""' for n in range(MANY)) + "/>"),
        "RIF130",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_it_is_refused_in_time(kind: str) -> None:
    data, code = REFUSED[kind]
    started = time.process_time()
    found = codes_of(data)
    assert time.process_time() - started < SECONDS
    assert code in found


def test_nothing_is_opened() -> None:
    opened: list[str] = []
    watching = True

    def watch(event: str, _: tuple[object, ...]) -> None:
        if watching and (event in {"open", "import"} or event.startswith(("socket", "urllib"))):
            opened.append(event)

    data = [data for data, code in REFUSED.values() if code in {"RIF123", "RIF124"}]
    codes_of(data[0])
    sys.addaudithook(watch)
    for each in data:
        codes_of(each)
    watching = False
    assert opened == []


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<And><formula>", "</formula></And>"),
        ("<Exists><declare><Var>x</Var></declare><formula>", "</formula></Exists>"),
    ],
)
def test_what_is_within_the_depth_is_read_and_written(opening: str, closing: str) -> None:
    def deep(levels: int) -> bytes:
        return document(group(rule(atom(), opening * levels + atom() + closing * levels)))

    found = parse_xml(deep(97)).document
    assert parse_xml(write_xml(found).encode()).document == found
    assert codes_of(deep(98)) == ["RIF111"]


NESTED: dict[str, Callable[[int], str]] = {
    "conjunctions": lambda n: "_q() :- " + "And(" * n + "_p()" + ")" * n,
    "disjunctions": lambda n: "_q() :- " + "Or(" * n + "_p()" + ")" * n,
    "lists": lambda n: "_q(" + "List(" * n + ")" * n + ")",
    "groups": lambda n: "Group(" * n + ")" * n,
    "functions": lambda n: "_q(" + "External(func:make-list(" * (n // 2) + "))" * (n // 2) + ")",
    "annotations": lambda n: "_q(" + "(* _a[_b -> " * n + "_c" + "] *) _d" * n + ")",
}


@pytest.mark.parametrize("kind", NESTED)
def test_the_depth_is_that_of_the_presentation_syntax(kind: str) -> None:
    def read(levels: int) -> bool:
        """Is a document of so many levels read in both, and in both alike?"""
        text = f"Document(Group({NESTED[kind](levels)}))"
        try:
            given = parse(text, check=False).document
        except RuleErrors:
            given = None
        source = given or ast.Document(group=parse_rules(NESTED[kind](levels)).document.group)
        try:
            found = parse_xml(write_xml(source).encode(), check=False).document
        except RuleErrors:
            found = None
        assert (found is None) == (given is None)
        # Nodes nested so deep are compared as text: equality of dataclasses would recurse too far.
        assert found is None or given is None or unparse(found) == unparse(given)
        return found is not None

    assert [read(levels) for levels in (90, 99)] == [True, False]
    for levels in range(94, 99):
        read(levels)


ENDS = [*"<>/&;\"'[]!-? \n=", "Atom", "Const", "type", "xmlns", "<!--", "<![CDATA[", "&rif;"]


@given(st.integers(0, 10**6), st.integers(0, 30), st.lists(st.sampled_from(ENDS), max_size=3))
@settings(max_examples=200)
def test_a_damaged_document_is_read_or_refused(at: int, gone: int, put: list[str]) -> None:
    text = document(group(rule(atom("p", "<Var>x</Var>"), atom("q", "<Var>x</Var>"), "x"))).decode()
    at %= len(text)
    data = (text[:at] + "".join(put) + text[at + gone :]).encode()
    assert all(code.startswith("RIF") for code in codes_of(data))


@given(st.binary(max_size=40), st.sampled_from([b"", b"<", b"<?xml ", b"\xff\xfe<\x00", b"<a>"]))
def test_any_bytes_are_refused_with_a_code(data: bytes, begin: bytes) -> None:
    assert codes_of(begin + data)


@given(st.text("a\r\n\u2028", max_size=12))
def test_lines_are_those_of_an_editor(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    wanted = {1, 3, len(lines), len(lines) + 1}
    expected = {n: lines[n - 1] for n in wanted if n <= len(lines)}
    assert lines_of(text, wanted) == expected


def test_wide_documents_are_read_in_time() -> None:
    wide: list[Callable[[], bytes]] = [
        lambda: document(group(*[atom("p", const("1"))] * MANY)),
        lambda: document(group(atom("p", *[const("1")] * MANY))),
        lambda: document(
            group(rule(atom(), f"<And>{f'<formula>{atom()}</formula>' * MANY}</And>"))
        ),
        lambda: document("<!-- a -->" * MANY),
    ]
    for make in wide:
        data = make()
        started = time.process_time()
        assert codes_of(data) == []
        assert time.process_time() - started < SECONDS
