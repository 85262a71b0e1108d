"""What RIF/XML says, however it is written."""

from __future__ import annotations

import pytest

from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.terms import IRI, RDF_LANG_STRING, Literal, Local
from rif.text.parser import parse
from rif.xml.parser import parse_xml
from tests.rif.rule_parser import parse_rule
from tests.rif.xml.snippets import FACT, PLAIN, RIF, XS, again, atom, const, document, group, rule


def fact(body: bytes) -> ast.Formula:
    (found,) = items(body)
    assert isinstance(found, ast.Formula)
    return found


def items(body: bytes) -> tuple[ast.Rule | ast.Group, ...]:
    found = parse_xml(body, check=False).document.group
    return found.items if found else ()


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.decode().encode("utf-8-sig"),
        PLAIN.decode().encode("utf-16"),
        b'<?xml version="1.0" encoding="utf-16"?>'.decode().encode("utf-16-le")
        + PLAIN.decode().encode("utf-16-le"),
        b'<?xml version="1.0" encoding="ISO-8859-1"?>' + PLAIN,
        b'<?xml version="1.0" encoding="us-ascii"?>' + PLAIN,
        b"<!-- <!DOCTYPE a [] > --><?a <!DOCTYPE ?>\n" + PLAIN,
        PLAIN.replace(b">1<", b"><![CDATA[1]]><"),
        PLAIN.replace(b">1<", b"><!-- one -->&#49;<!-- one --><"),
        PLAIN.replace(b"><", b">\r\n<"),
        PLAIN.replace(b"<", b"<r:").replace(b"<r:/", b"</r:").replace(b"<r:!", b"<!")
        .replace(b"xmlns=", b"xmlns:r="),
        PLAIN.replace(b'<args ordered="yes">', b"<args>"),
        PLAIN.replace(b"<Atom>", b'<Atom xml:id="a" xml:space="preserve">'),
        PLAIN.replace(b"<Document ", b'<Document xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
                      b' i:schemaLocation="a b" '),
    ],
)  # fmt: skip
def test_ways_to_write_the_same_document(data: bytes) -> None:
    assert items(data) == (FACT,)


def test_a_latin_1_document_has_its_characters() -> None:
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    text = head + document(group(atom("p", const("\xe9", "&xs;string")))).decode()
    assert fact(text.encode("latin-1")) == parse_rule('_p("\xe9")')


def test_entities_are_kept_as_prefixes_and_expanded_everywhere() -> None:
    data = (
        f"<!DOCTYPE Document [<!ENTITY rif '{RIF}'><!ENTITY e \"http://e/?a&#38;#38;b&#37;\">"
        '<!ENTITY text "not an IRI"><!ENTITY rif "again"><!ENTITY lt "&#38;#60;">]>'
        '<Document xmlns="&rif;"><payload><Group><sentence><Atom><op>'
        '<Const type="&rif;iri">&e;p</Const></op></Atom></sentence></Group></payload></Document>'
    ).encode()
    found = parse_xml(data).document
    assert found.prefixes == (("rif", RIF), ("e", "http://e/?a&b%"))
    assert again(found) == found
    assert items(data) == (ast.Atom(IRI("http://e/?a&b%p"), ()),)


def test_prefixes_that_no_entity_can_be_called_are_left_out() -> None:
    given = parse("Document(Prefix(lt <http://lt/>) Prefix(e <http://e/>) Group(lt:p() e:q()))")
    found = again(given.document)
    assert found.prefixes == (("e", "http://e/"),)
    assert found.group == given.document.group


def test_xml_base_resolves_iris_where_it_holds() -> None:
    frame = (
        f"<Frame><object>{const('#o', '&rif;iri')}</object>"
        f'<slot ordered="yes">{const("../k", "&rif;iri")}{const("x", "v")}</slot></Frame>'
    )
    data = document(
        "<directive><Import><location>i</location><profile>p</profile></Import></directive>"
        + group(frame, frame.replace("<Frame>", '<Frame xml:base="d/">')),
        'xmlns="&rif;" xml:base="http://b/a/b"',
    )
    found = parse_xml(data, check=False).document
    assert found.base == "http://b/a/b"
    assert [(each.location, each.profile) for each in found.imports] == [
        ("http://b/a/i", "http://b/a/p")
    ]
    value = '"x"^^<http://b/a/v>'
    assert items(data) == (
        parse_rule(f"<http://b/a/b#o>[<http://b/k> -> {value}]"),
        parse_rule(f"<http://b/a/d/#o>[<http://b/a/k> -> {value.replace('/v', '/d/v')}]"),
    )


def test_an_import_without_base_may_be_relative_and_stays_so() -> None:
    data = document("<directive><Import><location> x.rif </location></Import></directive>")
    assert parse_xml(data).document.imports == (ast.Import("x.rif"),)


def test_white_space_around_what_has_none_is_layout_and_else_is_text() -> None:
    spaced = [const(f"\n {text}\n", f"&{space}") for text, space in (
        ("http://e/a", "rif;iri"), ("5", "xs;integer"), ("a", "xs;NCName"), ("a", "xs;string"),
        ("a", "rif;local"),
    )]  # fmt: skip
    found = fact(document(group(atom("p", *spaced))))
    assert isinstance(found, ast.Atom)
    assert [arg.value for arg in found.args if isinstance(arg, ast.Constant)] == [
        IRI("http://e/a"),
        Literal("5", XS + "integer"),
        Literal("a", XS + "NCName"),
        Literal("\n a\n"),
        Local("\n a\n"),
    ]


@pytest.mark.parametrize(
    ("written", "literal"),
    [
        (">chat@FR", Literal("chat", RDF_LANG_STRING, "fr")),
        (">a@b@", Literal("a@b")),
        (' xml:lang="fr">chat@en', Literal("chat", RDF_LANG_STRING, "en")),
        (' xml:lang="fr">chat', Literal("chat", RDF_LANG_STRING, "fr")),
    ],
)
def test_plain_literals(written: str, literal: Literal) -> None:
    plain = "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral"
    found = fact(document(group(atom("p", f'<Const type="{plain}"{written}</Const>'))))
    assert found == ast.Atom(Local("p"), (ast.Constant(literal),))


def test_the_language_of_another_constant_is_ignored() -> None:
    text = '<Const type="&xs;string" xml:lang="fr">a@en</Const>'
    assert fact(document(group(atom("p", text)))) == parse_rule('_p("a@en")')


def test_annotations_belong_to_the_element_they_stand_in() -> None:
    meta = "<id><Const type='&rif;iri'>urn:{0}</Const></id>"
    frame = f"<Frame><object>{const('o')}</object></Frame>"
    both = meta + f"<meta><And><formula>{frame}</formula><formula>{frame}</formula></And></meta>"
    body = f"<Or>{meta.format('or')}</Or>"
    head = (
        f"<Atom>{meta.format('atom')}<op>{const('p')}</op><args>"
        f"<Const type='&xs;string'>\n {meta.format('const')}\n <meta>{frame}</meta>text</Const>"
        f"</args></Atom>"
    )
    implies = rule(head, body).replace("<Implies>", f"<Implies>{both.format('rule')}")
    wanted = parse_rule(
        "(* <urn:rule> And(_o[] _o[]) *) (* <urn:atom> *)"
        ' _p((* <urn:const> _o[] *) "text") :- (* <urn:or> *) Or()'
    )
    data = document(group(implies))
    assert items(data) == (wanted,)
    assert again(parse_xml(data).document) == parse_xml(data).document


def test_annotations_that_the_syntax_tree_has_no_place_for_are_told() -> None:
    named = "<id><Const type='&rif;iri'>urn:a</Const></id>"
    data = document(
        group(
            rule(atom(), atom("q", "<Var>x</Var>"), "x")
            .replace("<Var>x", f"<Var>{named}x", 1)
            .replace('<Const type="&rif;local">', f'<Const type="&rif;local">{named}', 1)
        )
    )
    parsed = parse_xml(data)
    assert [warning.code for warning in parsed.warnings] == ["RIF113", "RIF113"]
    assert items(data) == (parse_rule("Forall ?x (_p() :- _q(?x))"),)


def test_a_window_stands_behind_the_imports() -> None:
    window = '<directive><Window xmlns="urn:r4:rif#">\n 1.5 h </Window></directive>'
    assert parse_xml(document(window)).document.window == ast.Window("1.5", "h")
    ticks = parse_xml(document(window.replace(" h", ""))).document.window
    assert ticks == ast.Window("1.5", "")


def test_nodes_know_their_places() -> None:
    lines = [
        "<payload><Group><sentence>",
        "<Atom>",
        f"<op>{const('p')}</op>",
        "<args><Var\n>x</Var ><List/></args>",
        "</Atom></sentence></Group></payload>",
    ]
    found = fact(document("\n".join(lines)))
    assert isinstance(found, ast.Atom)
    assert found.span == Span(3, 1, 7, 8)
    assert [arg.span for arg in found.args] == [Span(5, 7, 6, 10), Span(6, 10, 6, 17)]


def test_lenient_reads_documents_of_no_namespace_and_declares_variables() -> None:
    data = document(group(rule(atom("p", "<Var>x</Var>"), atom("q", "<Var>x</Var>"))), "")
    parsed = parse_xml(data, lenient=True)
    assert [warning.code for warning in parsed.warnings] == ["RIF126", "RIF201"]
    assert parsed.document.group == ast.Group((parse_rule("Forall ?x (_p(?x) :- _q(?x))"),))
