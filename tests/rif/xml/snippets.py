"""Pieces of RIF/XML for the tests."""

from __future__ import annotations

from rif.errors.report import RuleErrors
from rif.syntax import ast
from tests.generators.rules.parsers import parse_xml, write_xml
from tests.rif.rule_parser import parse_rule

RIF = "http://www.w3.org/2007/rif#"
XS = "http://www.w3.org/2001/XMLSchema#"
ENTITIES = f'<!DOCTYPE Document [<!ENTITY rif "{RIF}"><!ENTITY xs "{XS}">]>'


def const(text: str, space: str = "&rif;local") -> str:
    return f'<Const type="{space}">{text}</Const>'


def atom(name: str = "p", *args: str) -> str:
    inside = f'<args ordered="yes">{"".join(args)}</args>' if args else ""
    return f"<Atom><op>{const(name)}</op>{inside}</Atom>"


def rule(head: str, body: str, *variables: str) -> str:
    clause = f"<Implies><if>{body}</if><then>{head}</then></Implies>"
    if not variables:
        return clause
    declared = "".join(f"<declare><Var>{name}</Var></declare>" for name in variables)
    return f"<Forall>{declared}<formula>{clause}</formula></Forall>"


def group(*items: str) -> str:
    return f"<payload><Group>{''.join(map(sentence, items))}</Group></payload>"


def sentence(item: str) -> str:
    return f"<sentence>{item}</sentence>"


def document(inside: str, attributes: str = 'xmlns="&rif;"') -> bytes:
    """A document, its root in the second line."""
    return f"{ENTITIES}\n<Document {attributes}>{inside}</Document>".encode()


PLAIN = document(group(atom("p", const("1", "&xs;integer"))))
FACT = parse_rule("_p(1)")
"""What `PLAIN` says."""


def again(given: ast.Document) -> ast.Document:
    """A document, written and read."""
    return parse_xml(write_xml(given).encode(), check=False).document


def found_in(data: bytes, *, lenient: bool = False) -> list[str]:
    """``line:column code`` of every error of a document."""
    try:
        parse_xml(data, lenient=lenient)
    except RuleErrors as errors:
        errors.report()
        return [
            f"{fault.span.line}:{fault.span.column} {fault.code}"
            for fault in errors.errors
            if fault.severity == "error"
        ]
    return []


def codes_of(data: bytes, *, lenient: bool = False) -> list[str]:
    """The codes of every error of a document."""
    return [fault.split()[1] for fault in found_in(data, lenient=lenient)]
