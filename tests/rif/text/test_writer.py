from __future__ import annotations

import pytest
from hypothesis import example, given

from rif.syntax import ast
from rif.syntax.terms import IRI, BlankNode, Literal, Local
from tests.generators.rules import syntax
from tests.generators.rules.parsers import PLAIN, parse, parse_formula, unparse, unparse_formula

P = ast.Atom(IRI("http://e/p"), ())
M = ast.Meta(IRI("http://e/m"))


def document_of(*items: ast.Rule) -> ast.Document:
    return ast.Document(group=ast.Group(items))


@given(syntax.documents)
@example(document_of(ast.Implies((ast.Atom(IRI("urn:p"), (), meta=M),), P)))
@example(document_of(ast.Frame(ast.Constant(IRI("urn:o"), meta=M), ())))
@example(document_of(ast.Implies((ast.Frame(ast.Constant(IRI("urn:o"), meta=M), ()),), P)))
@example(ast.Document(prefixes=(("a", "http://e/"), ("b", "http://e/"))))
def test_reading_what_was_written_gives_the_same_document(document: ast.Document) -> None:
    text = unparse(document)
    assert parse(text, check=False, language=PLAIN).document == document


@given(syntax.documents)
def test_writing_what_was_read_gives_the_same_text(document: ast.Document) -> None:
    text = unparse(document)
    assert unparse(parse(text, check=False, language=PLAIN).document) == text


@given(syntax.formulas)
def test_a_formula_alone_is_read_back(formula: ast.Formula) -> None:
    text = unparse_formula(formula)
    assert parse_formula(text, {}, closed=False, check=False, language=PLAIN) == formula


def test_a_blank_node_cannot_be_written() -> None:
    fact = ast.Atom(IRI("http://e/p"), (ast.Constant(BlankNode("b")),))
    with pytest.raises(ValueError, match="blank node"):
        unparse_formula(fact)


def test_a_rule_reads_like_one() -> None:
    text = (
        "Document(Prefix(ex <http://e/>) Window(5 s) Group((* <http://e/r> *) Forall ?x (ex:p(?x)"
        ' :- And(ex:q(?x "a"@EN 01 "1"^^<http://e/t>) Exists ?y (ex:r(?x ?y))))))'
    )
    assert unparse(parse(text).document) == (
        "Document(\n"
        "  Prefix(ex <http://e/>)\n"
        "  Window(5 s)\n"
        "  Group(\n"
        "    (* ex:r *)\n"
        "    Forall ?x (\n"
        "      ex:p(?x) :-\n"
        '        And(ex:q(?x "a"@en 01 "1"^^ex:t) Exists ?y (ex:r(?x ?y)))\n'
        "    )\n"
        "  )\n"
        ")\n"
    )


def test_a_long_conjunction_is_broken_into_lines() -> None:
    items = tuple(ast.Atom(IRI(f"http://example.org/a-long-name-{n}"), ()) for n in range(4))
    text = unparse_formula(ast.And(items))
    assert text.splitlines()[1] == "  <http://example.org/a-long-name-0>()"
    assert max(map(len, text.splitlines())) < 100


def test_names_that_are_no_plain_names_are_quoted() -> None:
    assert (
        unparse_formula(ast.Atom(Local("a b"), ())) == '"a b"^^<http://www.w3.org/2007/rif#local>()'
    )
    assert unparse_formula(ast.Atom(Local("a"), ())) == "_a()"
    long = ast.Constant(Literal("9" * 2000, "http://www.w3.org/2001/XMLSchema#integer"))
    assert parse_formula(unparse_formula(ast.Atom(Local("a"), (long,)))) == ast.Atom(
        Local("a"), (long,)
    )
