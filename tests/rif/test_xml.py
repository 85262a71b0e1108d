"""RIF/XML is read and written: as the presentation syntax, as the W3C suite, as XML has it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rif import ast, kinds
from rif.errors import RuleErrors
from rif.kinds import Kind, XmlForm
from rif.parser import Parsed, parse, parse_formula, parse_rule
from rif.reading import parse_bytes, parse_conclusion, parse_either
from rif.terms import IRI, RDF_LANG_STRING, Literal, Local, Variable
from rif.unparse import unparse
from rif.write_xml import write_xml, write_xml_formula
from rif.xml import parse_xml, parse_xml_formula
from tests.rif import generators
from tests.rif.test_suite import DATA, DEFECTIVE, NOT_CORE, NOT_CORE_BLD, needs_data
from tests.rif.xml_text import RIF, XS, atom, const, document, group, rule

ROOT = Path(__file__).parents[2]
OURS = [ROOT / "r4/demo/storms.rif", *sorted(ROOT.glob("examples/*.rif"))]
CHAR = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*\\Z")
"""What a text of XML consists of [XML10, 2.2]."""


def texts_of(node: object) -> Iterator[str]:
    """Every text in a syntax tree."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for item in node:
            yield from texts_of(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from texts_of(getattr(node, field.name))


def again(given: ast.Document) -> ast.Document:
    return parse_xml(write_xml(given).encode(), check=False).document


# round trips


@given(generators.documents)
def test_every_document_is_read_back_or_has_a_character_that_xml_has_not(
    given: ast.Document,
) -> None:
    if all(CHAR.match(text) for text in texts_of(given)):
        assert again(given) == given
        assert unparse(again(given)) == unparse(given)
    else:
        with pytest.raises(RuleErrors, match="RIF132"):
            write_xml(given)


@given(generators.formulas)
@settings(max_examples=50)
def test_every_formula_is_read_back(formula: ast.Formula) -> None:
    if all(CHAR.match(text) for text in texts_of(formula)):
        text = write_xml_formula(formula, {"e": "http://e/"})
        assert parse_xml_formula(text.encode(), check=False) == formula


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_our_rules_are_the_same_in_both_syntaxes(path: Path) -> None:
    given = parse(path.read_text("utf-8")).document
    assert again(given) == given
    assert unparse(again(given)) == unparse(given)


# the suite

SAME_MEANING = {
    "Builtins_String-premise": "the accented characters of the XML were encoded twice",
    "Builtins_Time-premise": "its XML types decimals as xs:integer, which is refused",
    "IRI_from_IRI-conclusion": "its presentation syntax lacks the External",
    "Multiple_IRIs_from_String-conclusion": "its presentation syntax lacks the External",
}
"""Files of the suite whose two syntaxes do not say the same."""
DEFECTIVE_XML = {
    "Builtins_PlainLiteral": ('"&xs;lang">en', '"&xs;language">en'),
    "Builtins_Time": ('"&xs;dayTime"', '"&xs;dateTime"'),
}


def suite(suffix: str, *parts: str) -> list[Path]:
    found = [] if DATA is None else Path(DATA, "rif-tests").glob(f"*/*/*.{suffix}")
    return sorted(path for path in found if any(f"-{part}" in path.stem for part in parts))


def mended(path: Path) -> str:
    text = path.read_text("utf-8")
    table = DEFECTIVE_XML if path.suffix == ".rif" else DEFECTIVE
    wrong, right = table.get(path.parent.name, ("", ""))
    text = text.replace(wrong, right) if wrong else text
    return re.sub(r'&xs;integer">(-?[0-9]+\.[0-9]+)<', r'&xs;decimal">\1<', text)


def prefixes_for(path: Path) -> dict[str, str]:
    found = {"ex": "http://example.org/example#", "foaf": "http://xmlns.com/foaf/0.1/"}
    for premise in path.parent.glob("*-premise.rifps"):
        declared = re.findall(r"Prefix\s*\(\s*(\w+)\s+<([^>]*)>", premise.read_text("utf-8"))
        found |= dict(declared)
    return found


def read(path: Path) -> ast.Formula | ast.Document:
    data = mended(path).encode()
    found = parse_either(data, prefixes=prefixes_for(path), check=False)
    return found.document if isinstance(found, Parsed) else found


@pytest.mark.parametrize("path", suite("rif", ""), ids=lambda path: path.stem)
def test_the_two_syntaxes_of_the_suite_say_the_same(path: Path) -> None:
    try:
        presented = read(path.with_suffix(".rifps"))
    except RuleErrors as errors:
        refused = {fault.code for fault in errors.errors}
        if refused == {"RIF106"}:
            pytest.skip("its prefixes are declared nowhere")
        with pytest.raises(RuleErrors) as caught:
            read(path)
        assert {fault.code for fault in caught.value.errors} == refused
        return
    written = read(path)
    if isinstance(written, ast.Document):
        assert isinstance(presented, ast.Document)
        written, presented = replace(written, prefixes=()), replace(presented, prefixes=())
    assert (written == presented) == (path.stem not in {*SAME_MEANING} - {"Builtins_Time-premise"})


@pytest.mark.parametrize("suffix", ["rif", "rifps"])
@needs_data
def test_every_file_of_the_suite_that_is_read_is_written_and_read_back(suffix: str) -> None:
    kept = 0
    for path in suite(suffix, ""):
        try:
            found = read(path)
        except RuleErrors:
            continue
        kept += 1
        if isinstance(found, ast.Document):
            assert again(found) == found
            text = unparse(again(found))
            assert parse(text, check=False).document == found
        else:
            assert parse_xml_formula(write_xml_formula(found).encode(), check=False) == found
    assert kept > 65


def refused(path: Path) -> set[str]:
    try:
        parse_bytes(mended(path).encode())
    except RuleErrors as errors:
        return {fault.code for fault in errors.errors if fault.severity == "error"}
    return set()


@pytest.mark.parametrize("path", suite("rif", "premise", "input"), ids=lambda path: path.stem)
def test_what_is_beyond_core_is_refused_for_the_same_reason_in_xml(path: Path) -> None:
    name = path.parent.name
    expected = NOT_CORE_BLD[name] if "bld" in path.parts[-3] else NOT_CORE.get(name, set())
    assert refused(path) - {"RIF206"} == expected


@needs_data
def test_the_manifest_counts_21_documents_beyond_core_and_one_in_it() -> None:
    assert DATA is not None
    manifest = json.loads(Path(DATA, "rif-tests/bld-extra/manifest.json").read_text("utf-8"))
    beyond = {entry["name"] for entry in manifest if entry["core_violations"]}
    found = {path.parent.name: refused(path) for path in suite("rif", "premise")}
    assert {name for name in NOT_CORE_BLD if found[name]} == beyond
    assert len(beyond) == 21


# what XML says


def fact(body: bytes) -> ast.Formula:
    (found,) = items(body)
    assert isinstance(found, ast.Formula)
    return found


def items(body: bytes) -> tuple[ast.Rule | ast.Group, ...]:
    found = parse_xml(body, check=False).document.group
    return found.items if found else ()


PLAIN = document(group(atom("p", const("1", "&xs;integer"))))
FACT = parse_rule("_p(1)")


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
    assert found.span == ast.Span(3, 1, 7, 8)
    assert [arg.span for arg in found.args] == [ast.Span(5, 7, 6, 10), ast.Span(6, 10, 6, 17)]


def test_lenient_reads_documents_of_no_namespace_and_declares_variables() -> None:
    data = document(group(rule(atom("p", "<Var>x</Var>"), atom("q", "<Var>x</Var>"))), "")
    parsed = parse_xml(data, lenient=True)
    assert [warning.code for warning in parsed.warnings] == ["RIF126", "RIF201"]
    assert parsed.document.group == ast.Group((parse_rule("Forall ?x (_p(?x) :- _q(?x))"),))


# kinds from outside


@dataclass(frozen=True, slots=True)
class Lately(ast.Formula):
    """A toy operator with a range."""

    rho: str
    inner: ast.Formula


LATELY = Kind(
    "Lately",
    Lately,
    parse=lambda parser: Lately("", parser.one_formula()),
    write=lambda node, writer: writer.call("Lately ", [writer.formula(node.inner)]),
    parts=lambda node: (node.inner,),
    rebuild=lambda node, parts: replace(node, inner=parts[0]),
    binders=lambda node: (node.inner,),
    xml=XmlForm(
        ("range",),
        1,
        read=lambda values, parts, _: Lately(values["range"], parts[0]),
        write=lambda node: {"range": node.rho},
    ),
)


def test_a_kind_from_outside_has_its_element() -> None:
    formula = Lately('"<5 s>"', ast.And((parse_formula("_p()"),)), meta=ast.Meta(IRI("urn:m")))
    with kinds.registered(LATELY):
        text = write_xml_formula(formula)
        assert parse_xml_formula(text.encode()) == formula
        with pytest.raises(RuleErrors, match=r"RIF130.*has no range"):
            parse_xml_formula(re.sub(" range=.*>", ">", text).encode())
    with pytest.raises(RuleErrors, match="RIF127"):
        parse_xml_formula(text.encode())
    with kinds.registered(replace(LATELY, xml=None)), pytest.raises(RuleErrors, match="RIF132"):
        write_xml_formula(formula)


# either syntax


@pytest.mark.parametrize(
    "text",
    ["<urn:a>[<urn:b> -> 1]", "\n<http://e/a>(1)", "Exists ?x (_p(?x))", "(* <urn:m> *) _p()"],
)
def test_a_formula_that_begins_with_an_iri_is_no_xml(text: str) -> None:
    assert parse_conclusion(text.encode()) == parse_formula(text)


def test_a_conclusion_is_a_formula_or_a_document_in_either_syntax() -> None:
    formula = ast.Atom(Local("p"), ())
    inside = ast.Document(group=ast.Group((formula,)))
    assert parse_conclusion(b"_p()") == formula
    assert parse_conclusion(write_xml_formula(formula).encode()) == formula
    assert parse_conclusion(b"\xef\xbb\xbf(* <urn:a> *) Document(Group(_p()))") == replace(
        inside, meta=ast.Meta(IRI("urn:a"))
    )
    assert parse_conclusion(write_xml(inside).encode()) == inside
    assert parse_conclusion(b"a:p()", prefixes={"a": "urn:"}) == ast.Atom(IRI("urn:p"), ())


@pytest.mark.parametrize("text", ["_p(?x)", "Exists ?x ?x (_p(?x))"])
def test_a_conclusion_is_closed_and_well_formed(text: str) -> None:
    formula = parse_formula(text, check=False) if text == "_p(?x)" else None
    with pytest.raises(RuleErrors, match="RIF20"):
        parse_conclusion(text.encode())
    if formula is not None:
        with pytest.raises(RuleErrors, match="RIF201"):
            parse_conclusion(write_xml_formula(formula).encode())


@given(st.sampled_from([PLAIN, b"Document(Group(_p(1)))"]))
def test_either_syntax_is_told_by_its_content(data: bytes) -> None:
    assert parse_bytes(data).document.group == ast.Group((FACT,))


def test_variables_have_any_name() -> None:
    given = parse_formula('Exists ?" a<&>\\n" (_p(?" a<&>\\n"))')
    assert parse_xml_formula(write_xml_formula(given).encode()) == given
    assert isinstance(given, ast.Exists)
    assert given.variables == (Variable(" a<&>\n"),)
