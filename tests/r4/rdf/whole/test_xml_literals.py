"""XML literals of RDF/XML: exclusive canonical text, against DOM trees, whatever is around them."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from random import Random
from xml.dom import minidom

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.rdf.gates.xml_gate import LONGEST_MARKUP, well_formed_prefix
from r4.rdf.whole import xml_literals
from r4.rdf.whole.document import Ending, WholeReading
from r4.rdf.whole.reader_process import LEAST
from r4.rdf.whole.xml_literals import LiteralsAsText, literals_as_text
from rif.syntax.terms import RDF
from rif.values.canonical_xml import canonical_fragment
from tests.r4.rdf.static_documents import document, static
from tests.rif.values.test_canonical_xml import CANONICAL, NO_FRAGMENT, fragments

XML_LITERAL = RDF + "XMLLiteral"
XMLNS = "http://www.w3.org/2000/xmlns/"
QUOTED = '"\t\n'


def rdf(properties: str, around: str = "") -> str:
    """A document of one node, whose root element has the attributes ``around``."""
    return (
        f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:w="urn:w:"{around}>'
        f'<rdf:Description rdf:about="urn:s">{properties}</rdf:Description></rdf:RDF>'
    )


def literal(content: str) -> str:
    return f'<w:p rdf:parseType="Literal">{content}</w:p>'


def read(text: str | bytes) -> tuple[list[str], Ending]:
    """The statements of a document, as lines, and how it ended."""
    data = text if isinstance(text, bytes) else text.encode()
    quads = WholeReading("RDF_XML", "d.rdf", "urn:base").quads(data)
    lines: list[str] = []
    while True:
        try:
            lines += next(quads).decode().splitlines()
        except StopIteration as ended:
            return lines, ended.value


def statement(text: str) -> str:
    """The statement whose object is this XML literal."""
    return f"<urn:s> <urn:w:p> {literal_term(text)} ."


def literal_term(text: str) -> ox.Literal:
    return ox.Literal(text, datatype=ox.NamedNode(XML_LITERAL))


AROUND = ' xmlns="urn:d" xmlns:a="urn:a" xmlns:b="urn:b" xmlns:unused="urn:u"'
WITHIN = {
    "<br />": '<br xmlns="urn:d"></br>',
    "<a:x/>": '<a:x xmlns:a="urn:a"></a:x>',
    "<a:x/><a:x/>": '<a:x xmlns:a="urn:a"></a:x><a:x xmlns:a="urn:a"></a:x>',
    "<a:x><a:y/></a:x>": '<a:x xmlns:a="urn:a"><a:y></a:y></a:x>',
    "<a:x><b:y/></a:x>": '<a:x xmlns:a="urn:a"><b:y xmlns:b="urn:b"></b:y></a:x>',
    "<x b:y='1' a:z='2'/>": (
        '<x xmlns="urn:d" xmlns:a="urn:a" xmlns:b="urn:b" a:z="2" b:y="1"></x>'
    ),
    "<x y='1' a:z='2'/>": '<x xmlns="urn:d" xmlns:a="urn:a" y="1" a:z="2"></x>',
    "<a:x y='1'/>": '<a:x xmlns:a="urn:a" y="1"></a:x>',
    "<x xmlns='urn:e'/>": '<x xmlns="urn:e"></x>',
    "<x xmlns=''><y/></x>": "<x><y></y></x>",
    "<x><y xmlns=''><z/></y></x>": '<x xmlns="urn:d"><y xmlns=""><z></z></y></x>',
    "<a:x xmlns:a='urn:other'/>": '<a:x xmlns:a="urn:other"></a:x>',
    "<a:x><a:y xmlns:a='urn:other'><a:z/></a:y><a:z/></a:x>": (
        '<a:x xmlns:a="urn:a"><a:y xmlns:a="urn:other"><a:z></a:z></a:y><a:z></a:z></a:x>'
    ),
    "<a:x xmlns:c='urn:c'><c:y/></a:x>": '<a:x xmlns:a="urn:a"><c:y xmlns:c="urn:c"></c:y></a:x>',
    "<x xml:lang='EN' xml:space='preserve'> </x>": (
        '<x xmlns="urn:d" xml:lang="EN" xml:space="preserve"> </x>'
    ),
    "<rdf:li/>": f'<rdf:li xmlns:rdf="{RDF}"></rdf:li>',
    '<w:p rdf:parseType="Literal"><x/></w:p>': (
        f'<w:p xmlns:rdf="{RDF}" xmlns:w="urn:w:" rdf:parseType="Literal">'
        '<x xmlns="urn:d"></x></w:p>'
    ),
    "<!-- a --><x><!--b--></x><?p  q ?>": '<!-- a --><x xmlns="urn:d"><!--b--></x><?p q ?>',
    "<?p?>": "<?p?>",
    "<!---->": "<!---->",
    "/>": "/&gt;",
    " \n\t x ": " \n\t x ",
    "\r\n<![CDATA[</w:p>]]>\r": "\n&lt;/w:p&gt;\n",
    "<![CDATA[a]]>b<![CDATA[c]]>&#100;<!--e-->f": "abcd<!--e-->f",
    "&#60;x&#62;&amp;amp;&quot;'&#13;&#9;": "&lt;x&gt;&amp;amp;\"'&#xD;\t",
    "]]&gt;<x y=']]>'/>": ']]&gt;<x xmlns="urn:d" y="]]>"></x>',
    "<x y='\\\"&quot;\"&apos;&#10;'/>": (
        '<x xmlns="urn:d" y="\\&quot;&quot;&quot;\'&#xA;"></x>'
    ),
}  # fmt: skip
"""Content of literals within the namespaces of `AROUND`, and its canonical text."""


@pytest.mark.parametrize("content", CANONICAL)
def test_a_literal_is_canonical(content: str) -> None:
    assert read(rdf(literal(content))) == ([statement(CANONICAL[content])], Ending())


@pytest.mark.parametrize("content", WITHIN)
def test_a_literal_declares_the_namespaces_that_it_uses(content: str) -> None:
    assert read(rdf(literal(content), AROUND)) == ([statement(WITHIN[content])], Ending())


def test_a_property_without_content_is_an_empty_literal() -> None:
    for empty in ('<w:p rdf:parseType="Literal"/>', '<w:p\nrdf:parseType = "Literal" ></w:p >'):
        assert read(rdf(empty + "<w:q>1</w:q>" + empty)) == (
            [statement(""), '<urn:s> <urn:w:q> "1" .', statement("")],
            Ending(),
        )


def test_the_literals_of_the_suite_of_rdf_xml() -> None:
    """Two documents of the W3C, rdfms-xml-literal-namespaces."""
    inner = '<b xmlns="http://www.w3.org/1999/xhtml">John</b>'
    name = f"\n      <html:h1>\n        {inner}\n      </html:h1>\n   "
    found, _ = read(rdf(literal(name), ' xmlns:html="http://NoHTML.example.org" xmlns:my="urn:"'))
    html = '<html:h1 xmlns:html="http://NoHTML.example.org">'
    assert found == [statement(name.replace("<html:h1>", html))]
    math = "\n <apply>\n  <power/>\n  <apply>\n\t<plus/>\n\t<ci>a</ci>\n  </apply></apply>\n to"
    around = ' xmlns="http://www.w3.org/TR/REC-mathml" xmlns:dc="urn:dc"'
    expected = re.sub(r"<(\w+)/>", r"<\1></\1>", math)
    expected = expected.replace("<apply>", '<apply xmlns="http://www.w3.org/TR/REC-mathml">', 1)
    assert read(rdf(literal(math), around))[0] == [statement(expected)]


# against DOM trees


def namespace(element: minidom.Element, prefix: str) -> str:
    """The namespace of a prefix, as the element or one around it declares it."""
    at: minidom.Node | None = element
    while isinstance(at, minidom.Element):
        if at.hasAttribute(name := f"xmlns:{prefix}" if prefix else "xmlns"):
            return at.getAttribute(name) or ""
        at = at.parentNode
    return ""


def escaped(text: str, others: str) -> str:
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    for each in "&<\r" + others:
        text = text.replace(each, named.get(each, f"&#x{ord(each):X};"))
    return text


def canonical(node: minidom.Node, written: dict[str, str]) -> str:
    """Exclusive XML Canonicalization of a node, in elements that have ``written`` declarations."""
    match node:
        case minidom.Comment():
            return f"<!--{node.data}-->"
        case minidom.ProcessingInstruction():
            return f"<?{node.target}{node.data and ' ' + node.data}?>"
        case minidom.Text():
            return escaped(node.data, ">")
    assert isinstance(node, minidom.Element)
    plain = [each for each in node.attributes.values() if each.namespaceURI != XMLNS]
    used = {node.prefix or "", *(each.prefix for each in plain if each.prefix)} - {"xml"}
    spaces = {prefix: namespace(node, prefix) for prefix in used}
    new = {prefix: iri for prefix, iri in spaces.items() if written.get(prefix, "") != iri}
    tag = [node.tagName]
    pairs = [(f"xmlns:{p}" if p else "xmlns", new[p]) for p in sorted(new)]
    plain.sort(key=lambda each: (each.namespaceURI or "", each.localName))
    pairs += [(each.name, each.value) for each in plain]
    tag += [f'{name}="{escaped(value, QUOTED)}"' for name, value in pairs]
    inner = "".join(canonical(child, {**written, **new}) for child in node.childNodes)
    return f"<{' '.join(tag)}>{inner}</{node.tagName}>"


scopes = st.fixed_dictionaries(
    {}, optional={"": st.sampled_from(["", "urn:1"]), "p": st.just("urn:p2"), "n": st.just("u'\"&")}
)


def declared(scope: dict[str, str]) -> str:
    values = {p: iri.replace("&", "&amp;").replace('"', "&#34;") for p, iri in scope.items()}
    return "".join(f' xmlns{p and ":" + p}="{iri}"' for p, iri in values.items())


@given(fragments, st.tuples(scopes, scopes, scopes), st.randoms(use_true_random=False))
def test_a_literal_is_what_its_tree_says(
    content: str, levels: tuple[dict[str, str], ...], random: Random
) -> None:
    content = re.sub(r" xmlns:[pq]='[^']*'", lambda own: random.choice([own[0], ""]), content)
    root, node, prop = map(declared, levels)
    text = (
        f'<rdf:RDF xmlns:p="urn:p" xmlns:q="urn:q" xmlns:rdf="{RDF}" xmlns:w="urn:w:">'
        f'<w:N rdf:about="urn:s"{root}><w:c rdf:parseType="Resource"{node}>'
        f'<w:p{prop} rdf:parseType="Literal">{content}</w:p></w:c></w:N></rdf:RDF>'
    )
    (element,) = minidom.parseString(text.encode()).getElementsByTagName("w:p")  # noqa: S318
    expected = "".join(canonical(child, {}) for child in element.childNodes)
    found, ending = read(text)
    assert ending == Ending()
    assert [line.partition(" ")[2] for line in found if "XMLLiteral" in line] == [
        statement(expected).partition(" ")[2]
    ]


# which elements are literals: what the parser takes for one, without what it leaves out of them

EXTRAS = st.sampled_from(["", ' rdf:ID="i№"', ' e:parseType="Literal"', ' xml:base="urn:b2"'])
TYPED = st.sampled_from(["&lt;a/&gt;", "<![CDATA[<a b='1' />]]>", "&amp;"])


@st.composite
def nodes(draw: st.DrawFn, depth: int = 0) -> str:
    name = draw(st.sampled_from(["rdf:Description", "e:N", "d"]))
    extra = draw(st.sampled_from(["", ' rdf:about="urn:s"', ' rdf:parseType="Literal"']))
    count = draw(st.integers(0, 3 if depth < 3 else 0))
    inner = "".join(draw(properties(depth + 1)) for _ in range(count))
    return f"<{name}{extra}>{inner}</{name}>"


@st.composite
def properties(draw: st.DrawFn, depth: int) -> str:
    name, extra = draw(st.sampled_from(["e:p", "rdf:li", "d"])), draw(EXTRAS)
    kind = draw(st.sampled_from(["text", "typed", "Literal", "Resource", "Collection", "node"]))
    match kind:
        case "text":
            return f"<{name}>x</{name}>"
        case "typed":
            return f'<e:typed rdf:datatype="{XML_LITERAL}">{draw(TYPED)}</e:typed>'
        case "Literal":
            inner = draw(st.sampled_from(["x", "<a/>", "<e:a d='&lt;'>&gt;</e:a>", "a<d><d/></d>"]))
            extra += draw(st.sampled_from(["", ' e:q="1"', ' rdf:datatype="urn:t"', ' rdf:_1="v"']))
        case "Resource":
            extra = ""
            inner = "".join(draw(properties(depth + 1)) for _ in range(draw(st.integers(0, 2))))
        case "Collection":
            inner = "".join(draw(nodes(depth + 1)) for _ in range(draw(st.integers(0, 2))))
        case _:
            inner = draw(nodes(depth + 1))
    quote = draw(st.sampled_from("\"'"))
    parse = "" if kind == "node" else f" rdf:parseType{draw(st.sampled_from(['=', ' = ']))}"
    value = "" if kind == "node" else f"{quote}{kind}{quote}"
    return f"<{name}{parse}{value}{extra}>{inner}</{name}>"


@given(st.lists(nodes(), min_size=1, max_size=3), st.booleans())
def test_the_same_elements_are_literals_for_the_parser(drawn: list[str], whole: bool) -> None:
    numbers = count()
    inner = re.sub("№", lambda _: str(next(numbers)), "".join(drawn if whole else drawn[:1]))
    spaces = f' xmlns:rdf="{RDF}" xmlns:e="urn:e:" xmlns="urn:d:"'
    text = re.sub(r"(?<=^<)[\w:]+", lambda name: name[0] + spaces, inner)
    if whole:
        text = f"<rdf:RDF{spaces}>{inner}</rdf:RDF>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xml_literals, "literals_as_text", LiteralsAsText)
        expected, ending = read(text)

    def mapped(line: str) -> str:
        quad = next(iter(ox.parse(line, ox.RdfFormat.N_QUADS)))
        ours = isinstance(quad.object, ox.Literal) and quad.object.datatype.value == XML_LITERAL
        if not ours or quad.predicate.value == "urn:e:typed":
            return line
        value = canonical_fragment(quad.object.value)
        assert value is not None
        return f"{quad.subject} {quad.predicate} {literal_term(value)} ."

    assert read(text) == (list(map(mapped, expected)), ending)


@pytest.mark.parametrize("parse_type", ["", "literal", "Statement", "daml:collection"])
def test_every_other_parse_type_is_that_of_a_literal(parse_type: str) -> None:
    """RDF/XML 7.2.20."""
    text = rdf(f'<w:p rdf:parseType="{parse_type}"><w:x/></w:p>')
    assert read(text) == ([statement('<w:x xmlns:w="urn:w:"></w:x>')], Ending())


def test_a_typed_literal_stays_as_it_is_written() -> None:
    text = f'<w:p rdf:datatype="{XML_LITERAL}">&lt;br /&gt;</w:p>'
    assert read(rdf(text))[0] == [statement("<br />")]
    both = read(rdf(text + literal("<br />") + text))[0]
    assert both == list(map(statement, ["<br />", "<br></br>", "<br />"]))


def test_a_literal_with_an_id_is_reified_with_the_same_text() -> None:
    found, _ = read(rdf('<w:p rdf:ID="i" rdf:parseType="Literal"><x/></w:p>'))
    assert [line for line in found if "XMLLiteral" in line] == [
        statement("<x></x>"),
        statement("<x></x>").replace("<urn:s> <urn:w:p>", f"<urn:base#i> <{RDF}object>"),
    ]


def test_the_prefix_of_rdf_is_any_and_may_be_declared_in_the_tag() -> None:
    for tag in (
        f'<w:p xmlns:r="{RDF}" r:parseType="Literal">',
        "<w:p\txmlns:r = '&rdf;'\nr:parseType\t=\n'Literal'>",
        f'<w:p r:parseType="Literal" xmlns:rdf="urn:not" rdf:parseType="Resource" xmlns:r="{RDF}">',
        '<w:p rdf:ID="j" w:x=">" rdf:parseType="Literal" w:parseType="Resource">',
    ):
        text = f'<!DOCTYPE r [<!ENTITY rdf "{RDF}">]>' + rdf(f"{tag}&rdf;<x/></w:p>")
        assert read(text)[0][0] == statement(f"{RDF}<x></x>")


# what is wrong, and what is too much


@pytest.mark.parametrize("content", NO_FRAGMENT, ids=ascii)
def test_what_is_no_content_of_an_element_ends_the_document_before_the_literal(
    content: str,
) -> None:
    before = literal("<x/>")
    text = rdf(f"{before}\n<w:p rdf:parseType='Literal'><y/>{content}</w:p>{before}")
    found, ending = read(text.encode("utf-8", "surrogatepass"))
    assert ending.why
    assert found in ([statement("<x></x>")], [])  # none: a DOCTYPE there has the whole refused


def test_an_unknown_prefix_is_told_with_its_line_before_a_later_fault() -> None:
    good, bad = literal("<x/>"), literal("\n<z:x/>")
    for later, line in (("", 3), ("\n\n</oops>", 3)):
        found, ending = read(rdf(f"{good}\n{bad}{later}"))
        assert found == [statement("<x></x>")]
        assert ending == Ending("no XML from here on: unbound prefix", line)
    found, ending = read(rdf(f"{good}\n</oops>{bad}"))
    assert (found, ending.line) == ([statement("<x></x>")], 2)


def test_of_a_literal_that_is_not_finished_the_parser_sees_nothing() -> None:
    text = rdf(literal("<x/>") + "\n" + literal("<x/>" * 9 + "<z:x/>")).encode()
    whole = literals_as_text(rdf(literal("<x/>") + "\n").encode()).text
    assert literals_as_text(text).text == whole.partition(b"</rdf:Desc")[0]
    end = text.rindex(b"<z:x")
    assert literals_as_text(text[:end]).text == whole.partition(b"</rdf:Desc")[0]


def test_namespaces_that_are_declared_again_and_again_have_a_limit() -> None:
    around = "".join(f' xmlns:n{each}="urn:{each:090}"' for each in range(900))
    names = " ".join(f'n{each}:a=""' for each in range(900))
    assert not read(rdf(literal("<x/>" * 20_000), around))[1].why
    assert not read(rdf(literal(f"<x {names}/>" * 100), around))[1].why
    long = f' xmlns:n="urn:{"x" * 100_000}"'
    assert not read(rdf(literal("<n:x/>" * 100 + "<x/>" * 9_999), long))[1].why
    found, ending = read(rdf(literal("<x/>" * 9_999 + "<n:x/>" * 9_999), long))
    assert (found, ending.is_refused) == ([], True)
    assert "namespaces" in ending.why


def test_a_document_without_literals_is_not_looked_at_again() -> None:
    text = rdf("<w:p>1</w:p><w:p rdf:parseType='Resource'/><w:p rdf:parseType='Collection'/>")
    assert not well_formed_prefix(text.encode()).has_literals
    assert well_formed_prefix(rdf(literal("x")).encode()).has_literals


def test_text_around_literals_stays_as_it_is() -> None:
    text = rdf("<!-- a --><w:q>b</w:q>\r\n").encode()
    assert literals_as_text(text) == LiteralsAsText(text)


def test_long_documents_have_the_same_literals(tmp_path: Path) -> None:
    """These are read in a process of their own; markup is on both sides of each piece of text."""
    content = "<a:x/>&#13;<!-- é -->" * (LONGEST_MARKUP // 20)
    text = rdf(literal(content) * 2, AROUND)
    assert len(text) > max(LEAST, 2 * LONGEST_MARKUP)
    rows, counters = static(document(tmp_path, ".rdf", text))
    value = '<a:x xmlns:a=\\"urn:a\\"></a:x>&#xD;<!-- é -->' * (LONGEST_MARKUP // 20)
    assert rows == [("<urn:s>", "<urn:w:p>", f'"{value}"^^<{XML_LITERAL}>')] * 2
    assert not counters.bad
