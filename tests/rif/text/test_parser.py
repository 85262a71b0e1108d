"""What the presentation syntax means, construct by construct."""

from __future__ import annotations

import pytest

from rif.errors.base import Span
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import (
    IRI,
    RDF_LANG_STRING,
    RIF,
    XSD,
    GroundList,
    GroundTerm,
    Literal,
    Local,
    Variable,
)
from rif.text.parser import begins_document, parse, parse_formula
from rif.text.writer import unparse
from tests.rif.rule_parser import parse_rule, parse_rules

EX = "http://e/"
PREFIXES = {"ex": EX, "xs": XSD, "rif": RIF, "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}


def constant(text: str) -> GroundTerm:
    """The one argument of a fact."""
    fact = parse_rule(f"ex:p({text})", PREFIXES, check=False)
    assert isinstance(fact, ast.Atom)
    (arg,) = fact.args
    assert isinstance(arg, ast.Constant)
    return arg.value


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("<http://x/é>", IRI("http://x/é")),
        (r"<http://x/\u00e9>", IRI("http://x/é")),
        ("ex:a", IRI(EX + "a")),
        ("ex:", IRI(EX)),
        ("ex:1MinWinds", IRI(EX + "1MinWinds")),
        (r"ex:a\,b%20", IRI(EX + "a,b%20")),
        ('"http://x/"^^rif:iri', IRI("http://x/")),
        ("_name", Local("name")),
        ('"any thing"^^rif:local', Local("any thing")),
        ('"text"', Literal("text")),
        ('"text"^^xs:string', Literal("text")),
        ('"chat"@FR-ca', Literal("chat", RDF_LANG_STRING, "fr-ca")),
        ('"chat@fr"^^rdf:PlainLiteral', Literal("chat", RDF_LANG_STRING, "fr")),
        ('"a@b@"^^rdf:PlainLiteral', Literal("a@b")),
        ("12", Literal("12", XSD + "integer")),
        ("-03", Literal("-03", XSD + "integer")),
        ("+1.20", Literal("+1.20", XSD + "decimal")),
        (".5", Literal(".5", XSD + "decimal")),
        ("1e5", Literal("1e5", XSD + "double")),
        ('"2000-01-01"^^xs:date', Literal("2000-01-01", XSD + "date")),
        ('"x"^^<http://t/>', Literal("x", "http://t/")),
        (r'"\t\n\r\b\f\"\'\\\u00e9\U0001D518"', Literal("\t\n\r\b\f\"'\\é\U0001d518")),
        ("List()", GroundList()),
        ("List(ex:b List(ex:a))", GroundList((IRI(EX + "b"), GroundList((IRI(EX + "a"),))))),
    ],
)
def test_constants(text: str, term: GroundTerm) -> None:
    assert constant(text) == term


def test_relative_iris_are_resolved_against_the_base_and_prefixes_too() -> None:
    document = parse(
        "Document(Base(<http://b/x/y>) Prefix(r <../r#>) Import(<z>) Group(<>() r:q() <?a>()))"
    ).document
    assert document.base == "http://b/x/y"
    assert document.prefixes == (("r", "http://b/r#"),)
    assert document.imports == (ast.Import("http://b/x/z"),)
    assert document.group is not None
    ops = [item.op for item in document.group.items if isinstance(item, ast.Atom)]
    assert ops == [IRI("http://b/x/y"), IRI("http://b/r#q"), IRI("http://b/x/y?a")]


def test_without_base_only_the_location_of_an_import_may_be_relative() -> None:
    document = parse("Document( Import(<parts/units.rif>) Import(<../g> <http://e/p>) )").document
    assert document.imports == (ast.Import("parts/units.rif"), ast.Import("../g", "http://e/p"))
    assert parse(unparse(document)).document == document
    for wrong in ("Import(<a b>)", "Import(<http://e/> <p>)", "Group(<p>())"):
        with pytest.raises(RuleErrors):
            parse(f"Document( {wrong} )")


def test_a_document_in_full() -> None:
    parsed = parse(
        """(* <http://e/d> *) Document(
            Base(<http://b/>) Prefix(ex <http://e/>)
            (* ex:i *) Import(<http://e/doc>) Import(<http://e/graph> <http://e/profile>)
            Window(2.5 h)
            (* ex:g ex:g[ex:by -> "me"] *)
            Group( Group() ex:p() Forall ?x (ex:q(?x) :- ex:p(?x)) ))"""
    )
    document = parsed.document
    assert document.meta == ast.Meta(IRI("http://e/d"))
    assert [one.profile for one in document.imports] == [
        None,
        "http://e/profile",
    ]
    assert document.imports[0].meta == ast.Meta(IRI("http://e/i"))
    assert document.window == ast.Window("2.5", "h")
    assert document.group is not None
    assert document.group.meta is not None
    assert document.group.meta.frames[0].object == ast.Constant(IRI("http://e/g"))
    assert [type(item) for item in document.group.items] == [ast.Group, ast.Atom, ast.Forall]


@pytest.mark.parametrize("text", ["5 s", "Window(5 s)", "Window ( 5s )", "5s"])
def test_a_window_with_or_without_its_keyword(text: str) -> None:
    document = parse(f"Document({text} Group())").document
    assert document.window == ast.Window("5", "s")


def test_a_window_without_unit_is_in_ticks() -> None:
    assert parse("Document(Window(007))").document.window == ast.Window("007", "")
    assert parse("Document(5 Group())").document.window == ast.Window("5", "")


def test_variables_may_be_quoted() -> None:
    assert parse_rule('Forall ?"a b" ?x (_p(?x) :- _q(?x ?"a b"))') == parse_rule(
        'Forall ?"a\\u0020b" ?"x" (_p(?x) :- _q(?x ?"a b"))'
    )


def test_if_then_is_the_arrow_the_other_way_round() -> None:
    one = parse_rule("Forall ?x (If And(_q(?x) _r()) Then _p(?x))")
    two = parse_rule("Forall ?x (_p(?x) :- And(_q(?x) _r()))")
    assert one == two
    both = parse_rule("Forall ?x (If _q(?x) Then And(_p(?x) ?x[_k -> 1]))")
    assert both == parse_rule("Forall ?x (And(_p(?x) ?x[_k -> 1]) :- _q(?x))")


def test_formulas() -> None:
    body = parse_formula(
        "And( Or() Exists ?x ?y (?x # ex:c) ?x = External(func:numeric-add(1 ?z))"
        ' _o[ex:k->1 ?k -> "v"] External ( pred:numeric-equal( 1 2 ) )'
        " External(func:make-list())[ex:k -> List(External(func:make-list()))])",
        {**PREFIXES, "func": "http://f#", "pred": "http://p#"},
        closed=False,
        check=False,
    )
    assert isinstance(body, ast.And)
    kinds = [type(item) for item in body.items]
    assert kinds == [ast.Or, ast.Exists, ast.Equal, ast.Frame, ast.External, ast.Frame]
    exists = body.items[1]
    assert isinstance(exists, ast.Exists)
    assert exists.variables == (Variable("x"), Variable("y"))
    last = body.items[5]
    assert isinstance(last, ast.Frame)
    assert isinstance(last.slots[0][1], ast.ListTerm)


M, N = ast.Meta(IRI("urn:m")), ast.Meta(IRI("urn:n"))


def test_an_annotation_belongs_to_the_largest_thing_behind_it() -> None:
    frame = parse_rule("(* <urn:m> *) _t[_w -> _v]")
    assert isinstance(frame, ast.Frame)
    assert (frame.meta, frame.object.meta) == (M, None)
    rule = parse_rule("(* <urn:m> *) _t[_w -> _v] :- _p()")
    assert isinstance(rule, ast.Implies)
    assert (rule.meta, rule.head[0].meta) == (M, None)
    rule = parse_rule("(* *) (* <urn:m> *) (* <urn:n> *) _t[_w -> _v] :- (* <urn:m> *) _a = _b")
    assert isinstance(rule, ast.Implies)
    (head,) = rule.head
    assert isinstance(head, ast.Frame)
    assert (rule.meta, head.meta, head.object.meta) == (None, M, N)
    assert isinstance(rule.body, ast.Equal)
    assert (rule.body.meta, rule.body.left.meta) == (M, None)


def test_annotations_everywhere() -> None:
    rule = parse_rule(
        "(* <urn:m> *) Forall ?x ( (* <urn:n> *) And((* <urn:m> *) _p((* <urn:n> *) ?x)) :-"
        " (* <urn:m> *) Or( (* <urn:n> *) Exists ?y ((* <urn:m> *) External(pred:is-list(?x)))"
        " (* <urn:n> *) _q(List((* <urn:m> *) 1)"
        " (* <urn:m> *) External(func:concat(?x (* <urn:n> *) ?x)))))",
        check=False,
    )
    assert isinstance(rule, ast.Forall)
    assert rule.meta == M
    assert isinstance(rule.clause, ast.Implies)
    assert rule.clause.meta == N
    head, body = rule.clause.head[0], rule.clause.body
    assert head.meta == M
    assert isinstance(head, ast.Atom)
    assert head.args[0].meta == N
    assert body.meta == M
    assert isinstance(body, ast.Or)
    assert [item.meta for item in body.items] == [N, N]


def test_an_annotation_without_identifier_and_one_with_many_frames() -> None:
    fact = parse_rule('(* _rule1[_name -> "rule 1" _date -> "x"] *) _p()')
    assert fact.meta is not None
    assert fact.meta.iri is None
    assert fact.meta.frames[0].object == ast.Constant(Local("rule1"))
    fact = parse_rule('(* "urn:m"^^rif:iri And(_a[] "b"^^xs:string[_c -> _d]) *) _p()')
    assert fact.meta is not None
    assert (fact.meta.iri, len(fact.meta.frames)) == (IRI("urn:m"), 2)


def test_prefixes_by_custom_are_read_with_a_warning() -> None:
    parsed = parse('Document(Group(_p("1"^^xs:integer) _q("2"^^xs:int)))')
    assert [(fault.code, fault.severity) for fault in parsed.warnings] == [("RIF106", "warning")]
    assert "rules.rif:1:24: RIF106 warning: the prefix xs:" in parsed.report("rules.rif")


def test_an_unknown_datatype_is_read_with_a_warning() -> None:
    (warning,) = parse_rules('_p("POINT(1 2)"^^<http://e/wktLiteral>)').warnings
    assert warning.code == "RIF110"


def test_nodes_know_where_they_stand() -> None:
    document = parse("Document(\n Group(\n  Forall ?x (\n   _p(?x) :- _q(?x)\n  )))").document
    assert document.group is not None
    (rule,) = document.group.items
    assert rule.span == Span(3, 3, 5, 4)
    assert isinstance(rule, ast.Forall)
    assert isinstance(rule.clause, ast.Implies)
    assert rule.clause.span == Span(4, 4, 4, 20)
    assert rule.clause.body.span == Span(4, 14, 4, 20)


def test_several_rules_without_a_document() -> None:
    parsed = parse_rules("ex:p(1) Forall ?x (ex:q(?x) :- ex:p(?x))", {"ex": EX})
    assert parsed.document.group is not None
    assert len(parsed.document.group.items) == 2
    assert parsed.document.prefixes == (("ex", EX),)


@pytest.mark.parametrize("annotation", ["", "(* ex:a *) ", "(* ex:a ex:b[ex:c -> 1] *)\n"])
@pytest.mark.parametrize(
    ("text", "is_document"),
    [
        ("Document(Group())", True),
        ("Group (", True),
        (" Prefix(ex <urn:ex:>)", True),
        ("Forall ?x (ex:p(?x))", True),
        ("If ex:p(1) Then ex:q(1)", True),
        ("Group:a(1)", False),
        ("ex:Document(1)", False),
        ("Documents(1)", False),
        ("And(ex:p(1))", False),
        ("", False),
    ],
)
def test_a_document_is_known_by_how_it_begins(
    annotation: str, text: str, *, is_document: bool
) -> None:
    assert begins_document(annotation + text) is is_document
