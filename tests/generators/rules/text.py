"""Documents in RIF presentation syntax, in the many ways in which one can be written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Equal,
    Exists,
    External,
    ExternalTerm,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Member,
    Meta,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, XSD, GroundList, GroundTerm, Literal, Local

if TYPE_CHECKING:
    from tests.generators.draw import Draw

_SHORT = {
    "integer": re.compile(r"[+-]?[0-9]+"),
    "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+"),
    "double": re.compile(r"[+-]?[0-9]+(\.[0-9]*)?[eE][+-]?[0-9]+"),
}
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class DocumentWriter:
    """Text of a document; the choices of style come from ``draw``."""

    def __init__(self, draw: Draw, prefixes: tuple[tuple[str, str], ...]) -> None:
        self._draw = draw
        self._prefixes = prefixes

    def document(self, document: Document) -> str:
        lines = [f"Prefix({name} <{iri}>)" for name, iri in document.prefixes]
        if document.window:
            blank = " " if document.window.unit else ""
            lines.append(f"Window({document.window.amount}{blank}{document.window.unit})")
        if document.group:
            lines.append(self.group(document.group))
        return "Document(\n" + "\n".join(lines) + "\n)\n"

    def group(self, group: Group) -> str:
        return "Group(\n" + "\n".join(self.sentence(item) for item in group.items) + "\n)"

    def sentence(self, item: Forall | Implies | Formula | Group) -> str:
        match item:
            case Group():
                return self.group(item)
            case Forall(variables, clause):
                names = " ".join(str(one) for one in variables)
                return f"{self.meta(item.meta)}Forall {names} ({self.sentence(clause)})"
            case Implies(heads, body):
                head = self.formula(heads[0])
                if len(heads) > 1:
                    head = f"And({' '.join(self.formula(one) for one in heads)})"
                return f"{self.meta(item.meta)}{head} :- {self.formula(body)}"
        return self.meta(item.meta) + self.formula(item)

    def meta(self, meta: Meta | None) -> str:
        return f"(* {self.constant(meta.iri)} *) " if meta and meta.iri else ""

    def formula(self, formula: Formula) -> str:
        match formula:
            case And(items) | Or(items):
                inside = " ".join(self.formula(one) for one in items)
                return f"{type(formula).__name__}({inside})"
            case Exists(variables, body):
                return f"Exists {' '.join(str(one) for one in variables)} ({self.formula(body)})"
            case Naf(body):
                return f"Naf({self.formula(body)})"
            case External(op, args):
                return f"External({self.call(op, args)})"
            case Equal(left, right):
                return f"{self.term(left)} = {self.term(right)}"
        return self.atomic(formula)

    def atomic(self, formula: Formula) -> str:
        match formula:
            case Member(instance, cls):
                return f"{self.term(instance)} # {self.term(cls)}"
            case Frame(subject, slots):
                arrow = self._draw.weighted((70, "->"), (30, " -> "))
                inside = " ".join(f"{self.term(k)}{arrow}{self.term(v)}" for k, v in slots)
                return f"{self.term(subject)}[{inside}]"
            case Atom(op, args):
                return self.call(op, args)
        raise TypeError(formula)

    def call(self, op: GroundTerm, args: tuple[Term, ...]) -> str:
        return f"{self.constant(op)}({' '.join(self.term(one) for one in args)})"

    def term(self, term: Term) -> str:
        match term:
            case Var(variable):
                return f"?{variable.name}"
            case Constant(value):
                return self.constant(value)
            case ExternalTerm(op, args):
                return f"External({self.call(op, args)})"
        raise TypeError(term)

    def constant(self, value: GroundTerm) -> str:
        match value:
            case IRI(iri):
                return self.iri(iri)
            case Local(name):
                return f"_{name}"
            case GroundList(items):
                return f"List({' '.join(self.constant(item) for item in items)})"
            case Literal():
                return self.literal(value)
        raise TypeError(value)

    def iri(self, iri: str, *, quoted: int = 20) -> str:
        if not self._draw.chance(8):
            for name, expansion in self._prefixes:
                local = iri.removeprefix(expansion)
                if local != iri and re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", local):
                    return f"{name}:{local}"
        return f'"{iri}"^^rif:iri' if self._draw.chance(quoted) else f"<{iri}>"

    def literal(self, literal: Literal) -> str:
        kind = literal.datatype.removeprefix(XSD)
        if kind in _SHORT and _SHORT[kind].fullmatch(literal.lexical) and self._draw.chance(50):
            return literal.lexical
        quoted = f'"{"".join(map(self._character, literal.lexical))}"'
        if literal.language:
            tag = literal.language
            return f"{quoted}@{tag.upper() if self._draw.chance(30) else tag}"
        if kind == "string" and not self._draw.chance(15):
            return quoted
        return f"{quoted}^^{self.iri(literal.datatype, quoted=0)}"

    def _character(self, char: str) -> str:
        if char in _NAMED:
            return _NAMED[char]
        if char > "\x7f" and self._draw.chance(50):
            return f"\\u{ord(char):04X}" if char <= "\uffff" else f"\\U{ord(char):08X}"
        return char
