"""Rules of Jena as they are written: triples and calls of built-ins on both sides of an arrow.

::

    file    = { "@prefix" NAME IRI ["."] | "@include" IRI ["."] | rule }
    rule    = "[" [NAME ":"] { term } ( "->" | "<-" ) { term } "]" | { term } "->" { term } "."
    term    = "(" node node node ")" | NAME "(" { node } ")"
    node    = IRI | NAME | VARIABLE | literal | NUMBER
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from r4.foreign.errors import NoCounterpart, NotReadable
from r4.foreign.jena.tokens import Token, tokens
from rif.errors.base import RuleError, Span
from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.iri import is_absolute
from rif.syntax.terms import (
    IRI,
    OWL,
    RDF,
    RDF_LANG_STRING,
    XSD,
    Literal,
    Variable,
    unescape,
)

KNOWN_PREFIXES: Final = {
    "rdf": RDF,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": OWL,
    "xsd": XSD,
}
"""Prefixes that Jena knows."""
_BACKWARD: Final = (
    "a backward rule is asked for its conclusions, R4 derives them: write the conditions first, "
    "then -> and the conclusion"
)


@dataclass(frozen=True, slots=True)
class Call:
    """``sum(?a, ?b, ?c)``: a built-in."""

    name: str
    args: tuple[ast.Term, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Triple:
    """``(?a ex:p ?b)``."""

    terms: tuple[ast.Term, ast.Term, ast.Term]
    span: Span


@dataclass(frozen=True, slots=True)
class JenaRule:
    """A forward rule.

    Attributes:
        name: "" if it has none.
    """

    name: str
    body: tuple[Triple | Call, ...]
    head: tuple[Triple | Call, ...]
    span: Span


@dataclass(slots=True)
class RuleFile:
    """What a file has.

    Attributes:
        includes: what it includes, with the place.
        faults: what is wrong; the rules with faults are left out.
    """

    prefixes: dict[str, str] = field(default_factory=dict)
    includes: list[tuple[str, Span]] = field(default_factory=list)
    rules: list[JenaRule] = field(default_factory=list)
    faults: list[RuleError] = field(default_factory=list)


def parse_file(text: str) -> RuleFile:
    """The rules of a text, and all faults."""
    parser = _Parser(list(tokens(text)))
    while parser.kind != "end":
        try:
            parser.item()
        except RuleError as fault:
            parser.found.faults.append(fault)
            parser.skip()
    return parser.found


class _Parser:
    """The position in the tokens, and what was read."""

    def __init__(self, read: Sequence[Token]) -> None:
        self._tokens = read
        self._at = 0
        self._anonymous = 0
        self.found = RuleFile()

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self._token.kind

    def _take(self) -> Token:
        token = self._token
        self._at += token.kind != "end"
        return token

    def _accept(self, text: str) -> bool:
        is_next = self._token.text == text
        self._at += is_next
        return is_next

    def _need(self, text: str) -> Token:
        if self._token.text != text:
            self._fail(f"expected {text}")
        return self._take()

    def _fail(self, message: str) -> None:
        found = shorten(self._token.text)
        message = f"{message}, found {found}"
        raise NotReadable(message, self._token.span)

    def skip(self) -> None:
        """Go behind the rule that has a fault."""
        inner = 0
        while self.kind != "end":
            text = self._take().text
            inner += text == "["
            if text in {"]", "."} and inner == 0:
                return
            inner -= text == "]"

    def item(self) -> None:
        """A directive or a rule."""
        if self.kind == "directive":
            self._directive(self._take())
        elif self._accept("["):
            self._rule("]")
        else:
            self._rule(".")

    def _directive(self, token: Token) -> None:
        if token.text.lower() == "@prefix":
            name = self._take()
            if name.kind != "name" or not name.text.endswith(":"):
                message = f"expected a prefix as ex:, found {shorten(name.text)}"
                raise NotReadable(message, name.span)
            self.found.prefixes[name.text[:-1]] = self._location()[0]
        elif token.text.lower() == "@include":
            self.found.includes.append(self._location())
        else:
            message = f"{token.text} is no directive of Jena"
            raise NotReadable(message, token.span)
        self._accept(".")

    def _location(self) -> tuple[str, Span]:
        token = self._take()
        if token.kind not in {"iri", "name"}:
            message = f"expected an IRI, found {shorten(token.text)}"
            raise NotReadable(message, token.span)
        return token.text.strip("<>"), token.span

    def _rule(self, end: str) -> None:
        begin = self._token.span
        name = self._rule_name()
        body = self._terms()
        arrow = self._take()
        if arrow.kind != "arrow":
            message = f"expected ->, found {shorten(arrow.text)}"
            raise NotReadable(message, arrow.span)
        if arrow.text == "<-":
            message = "this is a backward rule"
            raise NoCounterpart(message, arrow.span, _BACKWARD)
        head = self._terms()
        if self._token.text == "[":
            message = "the conclusion of this rule is a rule"
            raise NoCounterpart(message, self._token.span, _BACKWARD)
        is_open = end == "." and self.kind == "end"
        last = self._token.span if is_open else self._need(end).span
        span = Span(begin.line, begin.column, last.end_line, last.end_column)
        self.found.rules.append(JenaRule(name, body, head, span))

    def _rule_name(self) -> str:
        token, after = self._token, self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        if token.kind == "name" and token.text.endswith(":"):
            self._at += 1
            return token.text[:-1]
        if token.kind in {"name", "number"} and after.text == ":":
            self._at += 2
            return token.text
        return ""

    def _terms(self) -> tuple[Triple | Call, ...]:
        found: list[Triple | Call] = []
        while True:
            self._accept(",")
            if self._token.text == "(":
                found.append(self._triple())
            elif self.kind == "name":
                found.append(self._call())
            else:
                return tuple(found)

    def _triple(self) -> Triple:
        begin = self._need("(").span
        nodes = self._nodes()
        end = self._need(")").span
        span = Span(begin.line, begin.column, end.end_line, end.end_column)
        match nodes:
            case (subject, key, value):
                return Triple((subject, key, value), span)
        message = f"a triple has three parts, this one has {len(nodes)}"
        raise NotReadable(message, span)

    def _call(self) -> Call:
        name = self._take()
        self._need("(")
        args = self._nodes()
        end = self._need(")").span
        span = Span(name.span.line, name.span.column, end.end_line, end.end_column)
        return Call(name.text, args, span)

    def _nodes(self) -> tuple[ast.Term, ...]:
        found: list[ast.Term] = []
        while self._token.text != ")":
            if not self._accept(","):
                found.append(self._node())
        return tuple(found)

    def _node(self) -> ast.Term:
        token = self._take()
        if self._token.text == "(" and token.kind == "name":
            message = f"{token.text}( … ) is a structure, which RDF does not have"
            raise NoCounterpart(message, token.span, "write its parts as triples")
        match token.kind:
            case "variable":
                self._anonymous += token.text in {"_", "?_"}
                anonymous = f"any_{self._anonymous}"
                name = anonymous if token.text in {"_", "?_"} else token.text[1:]
                return ast.Var(Variable(name), span=token.span)
            case "iri" | "name":
                return ast.Constant(IRI(self._iri(token)), span=token.span)
            case "text":
                return ast.Constant(self._literal(token), span=token.span)
            case "number":
                return ast.Constant(_number(token.text), span=token.span)
        message = f"expected a node, found {shorten(token.text)}"
        raise NotReadable(message, token.span)

    def _iri(self, token: Token) -> str:
        if token.kind == "iri":
            return token.text[1:-1]
        prefix, colon, local = token.text.partition(":")
        namespaces = {**KNOWN_PREFIXES, **self.found.prefixes}
        if colon and prefix in namespaces:
            return namespaces[prefix] + local
        if is_absolute(token.text) and local.startswith("//"):
            return token.text
        message = f"the prefix of {shorten(token.text)} is not declared"
        hint = f"add @prefix {prefix}: <…> above" if colon else "write it as ex:name, or <…>"
        if token.text == "a":
            hint = "write rdf:type: rules of Jena have no short form of it"
        raise NotReadable(message, token.span, hint)

    def _literal(self, token: Token) -> Literal:
        try:
            text = unescape(token.text[1:-1])
        except ValueError as error:
            message = str(error)
            raise NotReadable(message, token.span) from None
        if self.kind == "language":
            return Literal(text, RDF_LANG_STRING, self._take().text[1:].lower())
        if self.kind != "type":
            return Literal(text)
        self._take()
        datatype = self._take()
        if datatype.kind not in {"iri", "name"}:
            message = f"expected a datatype, found {shorten(datatype.text)}"
            raise NotReadable(message, datatype.span)
        return Literal(text, self._iri(datatype))


def _number(text: str) -> Literal:
    kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
    return Literal(text.removeprefix("+"), XSD + kind)
