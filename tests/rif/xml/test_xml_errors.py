"""Every fault of RIF/XML has its code and its place; those of meaning are those of the text."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.parser import parse_bytes
from rif.syntax import ast
from rif.syntax.terms import BlankNode
from rif.xml.parser import parse_xml, parse_xml_either
from rif.xml.writer import write_xml
from tests.rif.rule_parser import parse_rules
from tests.rif.xml.snippets import (
    RIF,
    atom,
    codes_of,
    const,
    document,
    found_in,
    group,
    rule,
    sentence,
)

IRI_TYPE = "&rif;iri"
PLAIN_LITERAL = "http://www.w3.org/1999/02/22-rdf-syntax-ns#PlainLiteral"
IMPORT = "<Import><location>http://e/</location></Import>"
WINDOW = '<Window xmlns="urn:r4:rif#">5 s</Window>'
X = "<Var>x</Var>"
ONE = const("1", "&xs;integer")
P, Q = atom("p"), atom("q")
BUILTIN = f"<Atom><op>{const('urn:p', IRI_TYPE)}</op></Atom>"


def is_found(code: str, marked: str) -> bool:
    """Is the code found, alone, where ``§`` stands in a document?"""
    inside = document(marked.replace("§", "")).decode()
    start = document(marked).decode().index("§")
    line = inside.count("\n", 0, start) + 1
    column = start - inside.rfind("\n", 0, start)
    return found_in(inside.encode()) == [f"{line}:{column} {code}"]


def body(text: str) -> str:
    return group(rule(P, text))


def directive(text: str) -> str:
    return f"<directive>{text}</directive>"


def forall(text: str) -> str:
    return f"<Forall><declare>{X}</declare><formula>{text}</formula></Forall>"


def term(text: str) -> str:
    return group(atom("p", text))


@pytest.mark.parametrize(
    ("code", "marked"),
    [
        # elements
        ("RIF127", "<payload>§<Grop/></payload>"),
        ("RIF127", "§<x/>"),
        ("RIF127", '§<payload xmlns=""/>'),
        ("RIF127", '<directive>§<Windows xmlns="urn:r4:rif#">5 s</Windows></directive>'),
        ("RIF127", body('§<Whenever xmlns="urn:r4:rif#"/>')),
        ("RIF128", "<payload><Group/></payload>§<payload><Group/></payload>"),
        ("RIF128", "<payload><Group/>§<Group/></payload>"),
        ("RIF128", "<payload>§<Import/></payload>"),
        ("RIF128", "§<Group/>"),
        ("RIF128", f"<payload><Group/></payload>§{directive(IMPORT)}"),
        ("RIF128", group(f"<Implies><then>{P}</then>§<if>{Q}</if></Implies>")),
        ("RIF128", group(f"<Implies><if>{P}§{Q}</if><then>{P}</then></Implies>")),
        ("RIF128", group(f"<Forall><declare>{X}</declare><formula>§<Forall/></formula></Forall>")),
        ("RIF128", body(f"<And>§{P}</And>")),
        ("RIF128", body(f"<And><formula>§{X}</formula></And>")),
        ("RIF128", body(f"<Exists><declare>§{ONE}</declare><formula>{P}</formula></Exists>")),
        ("RIF128", term(f"<External><content>§{P}</content></External>")),
        ("RIF128", term("§<Member/>")),
        ("RIF128", term('<Const type="&xs;string">§<Const type="&xs;string"/></Const>')),
        ("RIF128", group(f"<Frame><object>{ONE}</object>§<slot>{ONE}</slot></Frame>")),
        ("RIF128", group(f"<Frame><object>{ONE}</object>§<slot>{ONE}{ONE}{ONE}</slot></Frame>")),
        ("RIF128", "<directive><Import><location>§<id/>http://e/</location></Import></directive>"),
        ("RIF129", "§<payload/>"),
        ("RIF129", "<payload><Group>§<sentence/></Group></payload>"),
        ("RIF129", "<directive>§<Import/></directive>"),
        ("RIF129", group(f"§<Implies><if>{P}</if></Implies>")),
        ("RIF129", group(f"§<Forall><formula>{P}</formula></Forall>")),
        ("RIF129", group("§<Atom/>")),
        ("RIF129", group("<Atom>§<op/></Atom>")),
        ("RIF129", body("<Equal>§<left/><right>" + ONE + "</right></Equal>")),
        ("RIF129", body("§<External/>")),
        ("RIF129", group(f"<Frame><object>{ONE}</object>§<slot/></Frame>")),
        # attributes and text
        ("RIF130", term("§<Const>1</Const>")),
        ("RIF130", term('§<Const type="&xs;string" lang="en">a</Const>')),
        ("RIF130", term(ONE).replace('<args ordered="yes">', '§<args ordered="no">')),
        ("RIF130", '§<payload rif="a"><Group/></payload>'),
        ("RIF130", '§<payload xmlns:o="urn:o" o:a="a"><Group/></payload>'),
        ("RIF131", "§<payload>text<Group/></payload>"),
        ("RIF131", "§<payload><Group/>text</payload>"),
        ("RIF131", term(f'§<Const type="&xs;string">a<id>{const("urn:a", IRI_TYPE)}</id></Const>')),
        # constants, as in the presentation syntax
        ("RIF105", term("§" + const("a", "&rif;iri"))),
        ("RIF105", term("§" + const("a b", "urn:a b"))),
        ("RIF105", term(f'§<Const xml:base="a" type="&xs;string">{1}</Const>')),
        ("RIF105", "<directive><Import>§<location>a b</location></Import></directive>"),
        ("RIF109", term("§" + const("x", "&xs;integer"))),
        ("RIF109", term("§" + const("2000-02-30", "&xs;date"))),
        ("RIF109", term("§" + const("a", PLAIN_LITERAL))),
        ("RIF110", term("§" + const("en", "&xs;lang"))),
        ("RIF112", term('§<Const type="&xs;string">' + "a" * 70_000 + "</Const>")),
        ("RIF113", group(f"<Atom><id>§{const('a')}</id><op>{const('p')}</op></Atom>")),
        ("RIF113", group(f"<Atom><meta>§{P}</meta><op>{const('p')}</op></Atom>")),
        ("RIF113", group(rule(f"<And>§<id>{const('urn:a', IRI_TYPE)}</id></And>", Q))),
        ("RIF115", '<directive>§<Window xmlns="urn:r4:rif#">5 sec</Window></directive>'),
        ("RIF115", '<directive>§<Window xmlns="urn:r4:rif#">-5 s</Window></directive>'),
        ("RIF115", '<directive>§<Window xmlns="urn:r4:rif#"/></directive>'),
        ("RIF116", directive(WINDOW) + directive("§" + IMPORT)),
        ("RIF116", directive(WINDOW) + directive("§" + WINDOW)),
        # other dialects
        ("RIF151", group("§<Subclass/>")),
        ("RIF152", group(f"<Atom><op>{const('p')}</op>§<slot/></Atom>")),
        ("RIF153", body("§<Neg/>")),
        ("RIF153", body("§<INeg/>")),
        ("RIF154", group(f"§<Equal><left>{ONE}</left><right>{ONE}</right></Equal>")),
        ("RIF154", group(rule(f"§<Equal><left>{ONE}</left><right>{ONE}</right></Equal>", Q))),
        ("RIF155", group(f"§<Member><instance>{ONE}</instance><class>{ONE}</class></Member>")),
        ("RIF156", term(f"§<Expr><op>{const('f')}</op></Expr>")),
        ("RIF157", group("§<And/>")),
        ("RIF157", group(rule("§<Or/>", Q))),
        ("RIF157", group(rule("<And><formula>§<And/></formula></And>", Q))),
        ("RIF158", group(rule(P, atom("q", X, f"<List><items>§{X}</items></List>"), "x"))),
        ("RIF158", term(f"<List><items>{ONE}</items>§<rest>{ONE}</rest></List>")),
        ("RIF159", group(rule(P, f"<Atom><op>§{X}</op></Atom>", "x"))),
        ("RIF159", group(f"<Atom><op>§{ONE}</op></Atom>")),
        ("RIF159", body(f"<External><content>§{P}</content></External>")),
        ("RIF160", group(rule("§<Do/>", Q))),
        # well-formedness and safeness
        (
            "RIF202",
            group(
                rule(P, atom("q", X), "x", "x").replace(
                    "</declare><declare>", "</declare><declare>§"
                )
            ),
        ),
        ("RIF204", body(f"§<External><content>{BUILTIN}</content></External>")),
        ("RIF301", group(rule(atom("p", "§" + X), Q, "x"))),
        ("RIF303", group(forall(atom("p", "§" + X)))),
    ],
)
def test_one_fault(code: str, marked: str) -> None:
    assert is_found(code, marked)


ROOT = f'<Document xmlns="{RIF}">'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["1:1 RIF121"]),
        (ROOT, ["1:47 RIF121"]),
        (f"{ROOT}\n<payload></Document>", ["2:12 RIF121"]),
        (f"{ROOT}\n &e;</Document>", ["2:2 RIF121"]),
        (f"{ROOT}</Document>\n<a/>", ["2:1 RIF121"]),
        (f"{ROOT}<r:a/></Document>", ["1:47 RIF121"]),
        ('<Document xmlns="urn:a"><payload/></Document>', ["1:1 RIF126"]),
        ("<Document/>", ["1:1 RIF126"]),
        (f'<Atom xmlns="{RIF}"/>', ["1:1 RIF126"]),
        (f'<Rule xmlns="{RIF}"/>', ["1:1 RIF126"]),
    ],
)
def test_faults_of_the_whole_text(text: str, found: list[str]) -> None:
    assert found_in(text.encode()) == found


@pytest.mark.parametrize(
    "data",
    [
        f'{ROOT}"caf\xe9"</Document>'.encode("latin-1"),
        b"\xff\xfe<",
        b'<?xml version="1.0" encoding="UTF-16"?><a/>',
        '<?xml version="1.0" encoding="UTF-8"?><a/>'.encode("utf-16"),
        b'<?xml version="1.0" encoding="windows-1252"?><a/>',
        b'<?xml version="1.0" encoding="us-ascii"?><a>\xc3\xa9</a>',
        "Document()".encode("utf-16"),
        b'Document(Group(_p("caf\xe9")))',
    ],
)
def test_bytes_that_are_no_text_are_refused_with_a_code(data: bytes) -> None:
    with pytest.raises(RuleErrors, match="RIF122"):
        parse_bytes(data)


def test_the_place_of_a_bad_byte() -> None:
    with pytest.raises(RuleErrors, match=r"^<text>:2:3: RIF122 the byte at 15 is not UTF-8"):
        parse_bytes(b"<!-- \xc3\xa9 -->\r\n--\xff")


def test_a_formula_is_no_document_and_the_reverse() -> None:
    with pytest.raises(RuleErrors, match="RIF128"):
        parse_xml_either(f'<Forall xmlns="{RIF}"/>'.encode())


def test_all_faults_of_a_document_are_found_at_once() -> None:
    lines = [
        "<directive><Imports/></directive>",
        "<payload><Group><sentence>" + atom("p", const("x", "&xs;integer"), X),
        "</sentence>" + sentence("<Neg/>"),
        sentence(rule(atom("p", "<Var>y</Var>"), Q)),
        sentence(rule(atom("r", X), atom("q", "<External/>", "<Rest/>"), "x")),
        "</Group></payload>",
    ]
    assert codes_of(document("\n".join(lines))) == [
        "RIF127", "RIF109", "RIF153", "RIF201", "RIF301", "RIF129", "RIF127",
    ]  # fmt: skip


def test_what_comes_before_a_break_is_judged_too() -> None:
    data = document(group(atom("p", const("x", "&xs;integer")))).replace(b"</payload>", b"</x>")
    assert codes_of(data) == ["RIF109", "RIF121"]


def test_at_most_a_hundred_faults_are_listed() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_xml(document(group(*["<x/>"] * 1_000)))
    assert len(caught.value.errors) == 100


def test_a_report_quotes_the_line_and_gives_the_order_as_a_hint() -> None:
    data = document(f"\n<payload><Group><sentence>{rule(P, Q).replace('if>', 'when>')}"
                    "</sentence></Group></payload>")  # fmt: skip
    with pytest.raises(RuleErrors) as caught:
        parse_xml(data)
    report = caught.value.report("a.rif")
    assert "a.rif:3:27: RIF129 Implies has no if\n" in report
    assert "  hint: in Implies stand, in this order: if, then\n" in report


@pytest.mark.parametrize(
    "given",
    [
        parse_rules('_p("\\u0000")').document,
        parse_rules("_p()", {"e": "http://e/\ufffe"}).document,
        ast.Document(group=ast.Group((ast.Atom(BlankNode("b"), ()),))),
    ],
)
def test_what_xml_cannot_say_is_refused_with_a_code(given: ast.Document) -> None:
    with pytest.raises(RuleErrors, match="RIF132"):
        write_xml(given)
