"""The elements of RIF/XML as lines: formulas, terms, annotations and characters [RIF-Core 4]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn

from rif.errors.base import NOWHERE, Span
from rif.errors.report import RuleErrors
from rif.errors.xml import NotInXml
from rif.language import Language
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual, Side
from rif.syntax.formula_kinds import R4_RIF
from rif.syntax.terms import IRI, BlankNode, GroundList, GroundTerm, Literal, Local, Variable
from rif.values.symbol_spaces import PLAIN_LITERAL, RIF_IRI, RIF_LOCAL

_INDENT: Final = "  "
_ORDERED: Final = ' ordered="yes"'
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NAME = re.compile(r"<([^\s/>]+)")
_NEEDS_ESCAPE = re.compile('[&<>"\t\n\r]')
_IN_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_IN_ATTRIBUTE = {**_IN_TEXT, '"': "&quot;", "\t": "&#9;", "\n": "&#10;"}


class ElementWriter:
    """Writes nodes, line by line."""

    def __init__(self, prefixes: Mapping[str, str], language: Language, root: str = "") -> None:
        """Write with these prefixes; ``root`` is what the first element has of attributes."""
        self._language = language
        self._prefixes = prefixes
        self._namespaces = sorted(prefixes.items(), key=lambda pair: -len(pair[1]))
        self._iris: dict[str, str] = {}
        self._lines: list[str] = []
        self._margin = ""
        self._root = root

    def text(self) -> str:
        """The whole document: the declaration of the entities, then all that was written."""
        head = ['<?xml version="1.0" encoding="UTF-8"?>']
        if self._prefixes:
            root = _NAME.match(self._lines[0])
            assert root is not None  # an element was written
            head.append(f"<!DOCTYPE {root[1]} [")
            for name, iri in self._prefixes.items():
                # Read twice: in the declaration, and where the entity stands.
                value = self.attribute(iri).replace("&", "&#38;").replace("%", "&#37;")
                head.append(f'{_INDENT}<!ENTITY {name} "{value}">')
            head.append("]>")
        return "\n".join([*head, *self._lines, ""])

    # layout

    def line(self, text: str) -> None:
        """A line of its own."""
        self._lines.append(self._margin + text)

    @contextmanager
    def element(
        self, name: str, attributes: str = "", meta: ast.Meta | None = None
    ) -> Iterator[None]:
        """An element, its annotation and what is written within the ``with`` block being inside."""
        attributes += self._root
        self._root = ""
        margin, first = self._margin, len(self._lines)
        self._lines.append(f"{margin}<{name}{attributes}>")
        self._margin = margin + _INDENT
        if meta is not None:
            self._meta(meta)
        yield
        self._margin = margin
        if len(self._lines) == first + 1:
            self._lines[first] = f"{margin}<{name}{attributes}/>"
        else:
            self._lines.append(f"{margin}</{name}>")

    def _leaf(self, name: str, attributes: str, text: str, meta: ast.Meta | None) -> None:
        """An element whose text stands directly before its end, behind any annotation."""
        if meta is None or meta.is_empty:
            end = f">{text}</{name}>" if text else "/>"
            self.line(f"<{name}{attributes}{end}")
            return
        with self.element(name, attributes, meta):
            pass
        last = self._lines.pop().lstrip()
        self._lines[-1] += text + last

    # formulas

    def formula(self, formula: ast.Formula) -> None:
        """A formula with its annotation."""
        match formula:
            case ast.Atom():
                with self.element("Atom", meta=formula.meta):
                    self._application(formula)
            case ast.Frame():
                with self.element("Frame", meta=formula.meta):
                    self._role("object", formula.object)
                    for slot in formula.slots:
                        self._role("slot", *slot, attributes=_ORDERED)
            case ast.Member():
                with self.element("Member", meta=formula.meta):
                    self._role("instance", formula.instance)
                    self._role("class", formula.cls)
            case ast.Equal():
                with self.element("Equal", meta=formula.meta):
                    self._role("left", formula.left)
                    self._role("right", formula.right)
            case ast.External():
                self._external(formula, "Atom")
            case ast.And() | ast.Or():
                with self.element(
                    "And" if isinstance(formula, ast.And) else "Or", meta=formula.meta
                ):
                    self._parts(formula.items)
            case AggregateEqual():
                self._equation(formula)
            case ast.Exists():
                with self.element("Exists", meta=formula.meta):
                    self.declare(formula.variables)
                    self._parts(formula.parts)
            case _:
                self._extension(formula)

    def _equation(self, formula: AggregateEqual) -> None:
        attributes = f' xmlns:r4="{R4_RIF}"'
        with self.element("r4:AggregateEqual", attributes, formula.meta):
            for role, side in (("left", formula.left), ("right", formula.right)):
                with self.element(role):
                    self._side(side)

    def _side(self, side: Side) -> None:
        """A side of an equation of aggregates."""
        if not isinstance(side, Aggregate):
            self.term(side)
            return
        size = "" if side.size is None else str(side.size)
        words = {"function": side.function, "share": side.share, "part": side.part, "size": size}
        attributes = "".join(f' {name}="{text}"' for name, text in words.items() if text)
        roles = {
            "value": (side.value,),
            "order": () if side.order is None else (side.order,),
            "group": tuple(each.value for each in side.group),
        }
        with self.element("r4:Aggregate", attributes):
            for role, variables in roles.items():
                if variables:
                    self._role(role, *map(ast.Var, variables))
            self._parts(side.parts)

    def _extension(self, formula: ast.Formula) -> None:
        kind = self._language.kind_of(formula)
        if kind.xml is None:
            self._refuse(f"{kind.keyword} has no form in XML", formula.span)
        values = kind.xml.write(formula)
        attributes = "".join(f' {name}="{self.attribute(text)}"' for name, text in values.items())
        name = kind.keyword
        if not kind.xml.standard:
            name, attributes = f"r4:{name}", f' xmlns:r4="{R4_RIF}"{attributes}'
        with self.element(name, attributes, formula.meta):
            for role, term in zip(kind.xml.terms, formula.terms, strict=False):
                self._role(role, term)
            self._parts(formula.parts)

    def _parts(self, formulas: Iterable[ast.Formula]) -> None:
        for formula in formulas:
            with self.element("formula"):
                self.formula(formula)

    def _application(self, node: ast.Atom | ast.External | ast.ExternalTerm) -> None:
        with self.element("op"):
            self.constant(node.op)
        if node.args:
            self._role("args", *node.args, attributes=_ORDERED)

    def _external(self, node: ast.External | ast.ExternalTerm, name: str) -> None:
        with self.element("External", meta=node.meta), self.element("content"), self.element(name):
            self._application(node)

    def _role(self, name: str, *terms: ast.Term, attributes: str = "") -> None:
        with self.element(name, attributes):
            for term in terms:
                self.term(term)

    def declare(self, variables: Sequence[Variable]) -> None:
        """The variables of a quantifier."""
        for variable in variables:
            with self.element("declare"):
                self._leaf("Var", "", self._character_data(variable.name), None)

    # terms

    def term(self, term: ast.Term) -> None:
        """A term with its annotation."""
        match term:
            case ast.Constant():
                self.constant(term.value, term.meta)
            case ast.Var():
                self._leaf("Var", "", self._character_data(term.value.name), term.meta)
            case ast.ExternalTerm():
                self._external(term, "Expr")
            case ast.ListTerm():
                with self.element("List", meta=term.meta):
                    self._role("items", *term.items, attributes=_ORDERED)

    def constant(self, value: GroundTerm, meta: ast.Meta | None = None) -> None:
        """A constant with its annotation."""
        match value:
            case IRI():
                self._const(RIF_IRI, self.iri(value.value), meta)
            case Local():
                self._const(RIF_LOCAL, self._character_data(value.name), meta)
            case Literal():
                if value.language:
                    text = f"{value.lexical}@{value.language}"
                    self._const(PLAIN_LITERAL, self._character_data(text), meta)
                else:
                    self._const(value.datatype, self._character_data(value.lexical), meta)
            case GroundList():
                with self.element("List", meta=meta):
                    if value.items:
                        self._role("items", *map(ast.Constant, value.items), attributes=_ORDERED)
            case BlankNode():
                self._refuse(f"a blank node cannot be written in rules: {value}")

    def _const(self, space: str, text: str, meta: ast.Meta | None) -> None:
        self._leaf("Const", f' type="{self.iri(space)}"', text, meta)

    # annotations

    def _meta(self, meta: ast.Meta) -> None:
        if meta.iri is not None:
            with self.element("id"):
                self.constant(meta.iri)
        if meta.frames:
            with self.element("meta"):
                self.formula(meta.frames[0] if len(meta.frames) == 1 else ast.And(meta.frames))

    # characters

    def iri(self, iri: str) -> str:
        """An IRI as text or in an attribute, shortened with an entity if one fits."""
        written = self._iris.get(iri)
        if written is None:
            written = self.attribute(iri)
            for name, namespace in self._namespaces:
                if iri.startswith(namespace):
                    written = f"&{name};{self.attribute(iri[len(namespace) :])}"
                    break
            self._iris[iri] = written
        return written

    def _character_data(self, text: str) -> str:
        return self._escape(text, _IN_TEXT)

    def attribute(self, text: str) -> str:
        """A text as it stands between the quotes of an attribute."""
        return self._escape(text, _IN_ATTRIBUTE)

    def _escape(self, text: str, escapes: Mapping[str, str]) -> str:
        if match := _NOT_XML.search(text):
            self._refuse(f"XML has no character U+{ord(match[0]):04X}")
        return _NEEDS_ESCAPE.sub(lambda match: escapes.get(match[0], match[0]), text)

    def _refuse(self, message: str, span: Span = NOWHERE) -> NoReturn:
        raise RuleErrors([NotInXml(message, span)])
