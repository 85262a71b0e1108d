"""rdf:XMLLiteral by value: canonical text, against another canonicaliser and against DOM trees."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from xml.dom import Node, minidom
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.syntax.terms import PRED, RDF, XSD, Literal
from rif.values.canonical_xml import canonical_fragment
from rif.values.datatypes import canonical_literal, is_lexical, same_value
from tests.rif.builtins.suite_conditions import suite, truth

XML_LITERAL = RDF + "XMLLiteral"
XMLNS = "http://www.w3.org/2000/xmlns/"

CANONICAL = {
    "": "",
    "a &amp; b &#65;&#x42;": "a &amp; b AB",
    "a<![CDATA[<&>]]>b": "a&lt;&amp;&gt;b",
    "<br/>": "<br></br>",
    "<br ></br >": "<br></br>",
    "<a b='1' a=\"'&quot;\"/>": '<a a="\'&quot;" b="1"></a>',
    "<a b=' 1\n\t2&#9;&#10;&#13;&lt;'/>": '<a b=" 1  2&#x9;&#xA;&#xD;&lt;"></a>',
    "a\r\nb\rc&#13;": "a\nb\nc&#xD;",
    "x<!-- c --><?p   d ?><?q?>": "x<!-- c --><?p d ?><?q?>",
    "<p:a xmlns:p='u' xmlns:q='v'/>": '<p:a xmlns:p="u"></p:a>',
    "<a xmlns='u'><b/><b xmlns='u'/></a>": '<a xmlns="u"><b></b><b></b></a>',
    "<a xmlns='u'><b xmlns=''/></a>": '<a xmlns="u"><b xmlns=""></b></a>',
    "<a xmlns=''/>": "<a></a>",
    "<a xmlns:p='u'><p:b/><p:c p:d=''/></a>": (
        '<a><p:b xmlns:p="u"></p:b><p:c xmlns:p="u" p:d=""></p:c></a>'
    ),
    "<p:a xmlns:p='u'><p:b xmlns:p='v'/><p:c/></p:a>": (
        '<p:a xmlns:p="u"><p:b xmlns:p="v"></p:b><p:c></p:c></p:a>'
    ),
    "<a p:z='1' q:y='2' x='3' xmlns:p='u' xmlns:q='t' xml:lang='en'/>": (
        '<a xmlns:p="u" xmlns:q="t" x="3" xml:lang="en" q:y="2" p:z="1"></a>'
    ),
    "<a xmlns='u v'/>": '<a xmlns="u v"></a>',
    "\ufeff\U0001d518é": "\ufeff\U0001d518é",
}
NO_FRAGMENT = [
    "<a>", "</a>", "</x><x>", "a</x><!--", "<x>", "&e;", "&nbsp;", "&", "<", "]]>", "\x00", "\x01",
    "\ud800", "&#0;", "<a b='1' b='2'/>", "<a:b/>", "<a b:c=''/>", "<!DOCTYPE a>",
    "<!DOCTYPE x [<!ENTITY e 'e'>]>&e;", "<?xml version='1.0'?>", "<!-- -- -->", "<a b=c/>",
    "<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", "<a xmlns:p=''/>", "<a b='<'/>",
]  # fmt: skip


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text(text: str) -> None:
    assert canonical_fragment(text) == CANONICAL[text]


@pytest.mark.parametrize("text", NO_FRAGMENT, ids=ascii)
def test_what_is_no_fragment_has_no_value(text: str) -> None:
    assert canonical_fragment(text) is None
    assert not is_lexical(text, XML_LITERAL)
    assert canonical_literal(Literal(text, XML_LITERAL)) is None


# against other implementations, on fragments drawn in many spellings

Names: TypeAlias = tuple[str, str]
PREFIXES = {"": "", "p": "urn:p", "q": "urn:q"}
names = st.sampled_from(["a", "b", "c"])
prefixes = st.sampled_from(list(PREFIXES))
spelled = st.sampled_from(
    ["x", " ", "\n", "\t", "\r\n", "é", "&amp;", "&#38;", "&lt;", "&#13;", "&#x9;", "&gt;", "&#10;"]
)
texts = st.lists(spelled, max_size=3).map("".join)
quotes = st.sampled_from(["'", '"'])


@st.composite
def attributes(draw: st.DrawFn) -> str:
    drawn = draw(st.dictionaries(st.tuples(prefixes, names), texts, max_size=3))
    quote = draw(quotes)
    return "".join(
        f" {prefix}{':' if prefix else ''}{name}={quote}{value}{quote}"
        for (prefix, name), value in drawn.items()
    )


@st.composite
def elements(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    prefix, name, content = draw(prefixes), draw(names), draw(inner)
    tag = f"{prefix}:{name}" if prefix else name
    # A prefix has one namespace and a namespace one prefix: the other canonicaliser loses prefixes.
    spaces = "".join(f" xmlns:{p}='{PREFIXES[p]}'" for p in ("p", "q"))
    default = draw(st.sampled_from(["", " xmlns='urn:default'", " xmlns=''"]))
    start = f"<{tag}{spaces}{default}{draw(attributes())}"
    return f"{start}/>" if not content else f"{start}>{content}</{tag}>"


def content(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(inner, max_size=3).map("".join)


leaves = st.one_of(
    texts,
    st.sampled_from(["<![CDATA[<&>x]]>", "<![CDATA[]]>", "<!--c-->", "<!-- d -->", "<?t d?>"]),
)
fragments = content(st.recursive(leaves, lambda inner: elements(content(inner)), max_leaves=6))


@given(fragments)
def test_another_canonicaliser_agrees(text: str) -> None:
    # It takes an attribute without prefix for a use of the default namespace, and remembers that an
    # element before had none.
    assume(not re.search(r"<[pq]:[^>]* xmlns=[^>]* [abc]=", text))
    assume(not re.search(r" xmlns=''[^>]*>.*<[^>]* [abc]=", text, re.DOTALL))
    whole = ET.canonicalize(f"<x>{text}</x>", with_comments=True)
    assert canonical_fragment(text) == whole.removeprefix("<x>").removesuffix("</x>")


@given(fragments)
def test_the_canonical_text_is_its_own_and_has_the_same_value(text: str) -> None:
    canonical = canonical_fragment(text)
    assert canonical is not None
    assert canonical_fragment(canonical) == canonical
    one, two = Literal(text, XML_LITERAL), Literal(canonical, XML_LITERAL)
    assert same_value(one, two)
    assert call("XMLLiteral-equal", one, two) is True


Tree: TypeAlias = "tuple[object, ...]"


def tree(node: minidom.Element) -> Tree:
    """A node as RDF compares it, by DOM's isEqualNode, without the declarations of namespaces."""
    parts: list[object] = []
    for child in node.childNodes:
        match child.nodeType:
            case Node.ELEMENT_NODE:
                parts.append(tree(child))
            case Node.COMMENT_NODE | Node.PROCESSING_INSTRUCTION_NODE:
                parts.append((child.nodeType, child.nodeName, child.data))
            case _:
                if parts and isinstance(parts[-1], str):
                    parts[-1] += child.data
                elif child.data:
                    parts.append(child.data)
    attributes = node.attributes.itemsNS()
    keyed = frozenset(
        ((space, name), value) for (space, name), value in attributes if space != XMLNS
    )
    return (node.namespaceURI or None, node.prefix, node.localName, keyed, tuple(parts))


def parsed(text: str) -> Tree:
    element = minidom.parseString(f"<x>{text}</x>").documentElement  # noqa: S318 - drawn here
    assert element is not None
    return tree(element)


@given(fragments, st.one_of(st.none(), fragments))
def test_two_fragments_are_equal_if_their_trees_are(one: str, other: str | None) -> None:
    two = one.replace("&amp;", "&#38;").replace("><", ">&#32;<") if other is None else other
    same = parsed(one) == parsed(two)
    left, right = Literal(one, XML_LITERAL), Literal(two, XML_LITERAL)
    assert same_value(left, right) is same
    assert call("XMLLiteral-equal", left, right) is same
    assert call("XMLLiteral-not-equal", left, right) is (not same)


# the predicates


def call(name: str, *args: Literal) -> object:
    return BUILTINS[PRED + name].evaluate(*args)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("<br/>", "<br></br>", True),
        ("<a b='1' c='2'/>", '<a c="2" b="1" />', True),
        ("<![CDATA[<]]>", "&#60;", True),
        ("<br/>", "<br> </br>", False),
        ("<br/>", "<hr/>", False),
        ("<a/>", "<!--c--><a/>", False),
        ("<a/>", "<?p?><a/>", False),
        ("<a xmlns='u'/>", "<a/>", False),
        ("<p:a xmlns:p='u'/>", "<q:a xmlns:q='u'/>", False),
        ("", " ", False),
    ],
)
def test_equality_is_by_value(one: str, two: str, same: bool) -> None:
    left, right = Literal(one, XML_LITERAL), Literal(two, XML_LITERAL)
    assert call("XMLLiteral-equal", left, right) is same
    assert call("XMLLiteral-not-equal", left, right) is (not same)
    assert call("literal-not-identical", left, right) is (not same)


def test_the_domain() -> None:
    good = Literal("<br/>", XML_LITERAL)
    for bad in (Literal("<br/>"), Literal("<br>", XML_LITERAL), Literal("1", XSD + "integer")):
        for name in ("XMLLiteral-equal", "XMLLiteral-not-equal"):
            assert call(name, good, bad) is None
            assert call(name, bad, good) is None


# hostile fragments

N = 50_000


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * N + "</a>" * N,
        "<a xmlns='u'>" * N + "</a>" * N,
        "<a xmlns:p='u' p:b=''>" * N + "</a>" * N,
        "<a " + " ".join(f"b{n}=''" for n in range(N)) + "/>",
        "<a " + " ".join(f"xmlns:p{n}='u{n}'" for n in range(N // 10)) + "/>",
        "&amp;" * N,
    ],
    ids=["deep", "deep in a namespace", "prefixes", "attributes", "namespaces", "references"],
)
def test_deep_and_wide_fragments_are_read(text: str) -> None:
    canonical = canonical_fragment(text)
    assert canonical is not None
    assert canonical_fragment(canonical) == canonical


def test_an_open_depth_bomb_has_no_value() -> None:
    assert canonical_fragment("<a>" * N) is None


def test_the_conjuncts_of_the_suite(test_data: Callable[[str], Path]) -> None:
    for conjunct in suite(test_data, "Builtins_XMLLiteral"):
        assert truth(conjunct.formula) is conjunct.expected, conjunct
