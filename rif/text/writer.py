"""A document as text, so that ``parse(unparse(x)) == x``, annotations and all.

Everything is written in lines of moderate length; a node that fits is on one line. ``(* *)``, an
annotation that says nothing, holds the place of one that is not there where an inner one follows:
``(* *) (* <m> *) t[k -> v]`` annotates t, not the frame.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual, Side
from rif.syntax.lexical import MAX_NUMBER, name_character, name_start
from rif.syntax.terms import (
    IRI,
    RIF,
    XSD,
    XSD_STRING,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
    Local,
    Variable,
    escape,
)

Lines: TypeAlias = list[str]
"""A piece of text in lines, without indentation of its own."""

WIDTH = 92
"""Columns of a line, indentation aside, that is not broken further."""

_INDENT = "  "
_PLAIN_NAME = re.compile(rf"{name_start('0123456789')}{name_character('-')}*(?<!-)\Z")
_NUMBERS = {
    XSD + "integer": re.compile(r"[+-]?[0-9]+\Z"),
    XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+\Z"),
    XSD + "double": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)[eE][+-]?[0-9]+\Z"),
}
_EMPTY_ANNOTATION = "(* *)"


def unparse(document: ast.Document, language: Language = CORE) -> str:
    """The document as text. Linear.

    Raises:
        ValueError: it has a blank node, which the syntax cannot express, or a formula that
            ``language`` does not have.
    """
    writer = TextWriter(dict(document.prefixes), language)
    return "\n".join(writer.document(document)) + "\n"


def unparse_formula(
    formula: ast.Formula,
    prefixes: Mapping[str, str] | None = None,
    language: Language = CORE,
) -> str:
    """A formula as text.

    Raises:
        ValueError: as `unparse`.
    """
    return "\n".join(TextWriter(prefixes or {}, language).formula(formula))


class TextWriter:
    """Writes nodes; the write function of a formula kind is given one."""

    __slots__ = ("_iris", "_language", "_namespaces")

    def __init__(self, prefixes: Mapping[str, str], language: Language = CORE) -> None:
        self._language = language
        self._namespaces = sorted(prefixes.items(), key=lambda pair: -len(pair[1]))
        self._iris: dict[str, str] = {}

    # layout

    def call(self, opening: str, items: Sequence[Lines]) -> Lines:
        """``opening( items )``, on one line if it fits."""
        return bracket(f"{opening}(", items, ")")

    # documents

    def document(self, document: ast.Document) -> Lines:
        """Document and what is in it."""
        items: list[Lines] = []
        if document.base is not None:
            items.append([f"Base(<{document.base}>)"])
        items += [[f"Prefix({name} <{iri}>)"] for name, iri in document.prefixes]
        for each in document.imports:
            profile = "" if each.profile is None else f" <{each.profile}>"
            items.append([*self._meta(each.meta), f"Import(<{each.location}>{profile})"])
        if document.window is not None:
            items.append([f"Window({document.window.amount} {document.window.unit}".rstrip() + ")"])
        if document.group is not None:
            items.append(self.item(document.group))
        return [*self._meta(document.meta), *break_lines("Document(", items, ")")]

    def item(self, item: ast.Rule | ast.Group) -> Lines:
        """A member of a group."""
        if isinstance(item, ast.Group):
            inner = [self.item(each) for each in item.items]
            return [*self._meta(item.meta), *break_lines("Group(", inner, ")")]
        if isinstance(item, ast.Forall):
            variables = " ".join(map(self.variable, item.variables))
            clause = self._clause(item.clause)
            return [*self._meta(item.meta), *break_lines(f"Forall {variables} (", [clause], ")")]
        return self._clause(item)

    def _clause(self, clause: ast.Implies | ast.Formula) -> Lines:
        if not isinstance(clause, ast.Implies):
            return self.formula(clause)
        if len(clause.head) == 1:
            head = self.formula(clause.head[0], placeholder=clause.meta is None)
        else:
            head = self.call("And", [self.formula(item) for item in clause.head])
        return [
            *self._meta(clause.meta),
            *head[:-1],
            f"{head[-1]} :-",
            *indent(self.formula(clause.body)),
        ]

    # formulas

    def formula(self, formula: ast.Formula, *, placeholder: bool = False) -> Lines:
        """A formula with its annotation, behind a ``placeholder`` for one that its rule lacks."""
        inner = _first_term(formula)
        metas: list[str] = []
        if formula.meta is not None or (inner is not None and inner.meta is not None):
            metas = [_EMPTY_ANNOTATION] if placeholder else []
            metas.append(self.meta(formula.meta) if formula.meta else _EMPTY_ANNOTATION)
        lines = self._bare(formula)
        return [" ".join([*metas, lines[0]]), *lines[1:]]

    def _bare(self, formula: ast.Formula) -> Lines:
        match formula:
            case ast.Atom():
                lines = [f"{self.constant(formula.op)}({self._terms(formula.args)})"]
            case ast.Frame():
                slots = [[f"{self.term(k)} -> {self.term(v)}"] for k, v in formula.slots]
                lines = bracket(f"{self.term(formula.object)}[", self.slots(slots), "]")
            case ast.Member():
                lines = [f"{self.term(formula.instance)} # {self.term(formula.cls)}"]
            case ast.Equal():
                lines = [f"{self.term(formula.left)} = {self.term(formula.right)}"]
            case ast.External():
                lines = [f"External({self.constant(formula.op)}({self._terms(formula.args)}))"]
            case ast.And() | ast.Or():
                word = "And" if isinstance(formula, ast.And) else "Or"
                lines = self.call(word, [self.formula(item) for item in formula.items])
            case ast.Exists():
                variables = " ".join(map(self.variable, formula.variables))
                lines = self.call(f"Exists {variables} ", [self.formula(formula.body)])
            case AggregateEqual():
                left, right = map(self._side, (formula.left, formula.right))
                lines = [*left[:-1], f"{left[-1]} = {right[0]}", *right[1:]]
            case _:
                lines = self._language.kind_of(formula).write(formula, self)
        return lines

    def slots(self, slots: Sequence[Lines]) -> Sequence[Lines]:
        """The slots of a frame, as they stand beside each other."""
        return slots

    def condition(self, body: ast.Formula) -> Lines:
        """The condition of an aggregate."""
        return self.formula(body)

    def _side(self, side: Side) -> Lines:
        """A side of an equation of aggregates."""
        if not isinstance(side, Aggregate):
            return [self.term(side)]
        size = "" if side.size is None else str(side.size)
        words = [each for each in (side.function, side.share, side.part, size) if each]
        names = [self.variable(each) for each in (side.value, side.order) if each is not None]
        if side.group:
            names.append(f"[{' '.join(self.variable(each.value) for each in side.group)}]")
        opening = f"{' '.join(words)}{{ {' '.join(names)} | "
        body = self.condition(side.body)
        if len(body) == 1 and len(opening) + len(body[0]) <= WIDTH:
            return [f"{opening}{body[0]} }}"]
        return [opening.rstrip(), *indent(body), "}"]

    # terms

    def term(self, term: ast.Term) -> str:
        """A term with its annotation, on one line."""
        match term:
            case ast.Constant():
                text = self.constant(term.value)
            case ast.Var():
                text = self.variable(term.value)
            case ast.ListTerm():
                text = f"List({self._terms(term.items)})"
            case ast.ExternalTerm():
                text = f"External({self.constant(term.op)}({self._terms(term.args)}))"
        return text if term.meta is None else f"{self.meta(term.meta)} {text}"

    def _terms(self, terms: Sequence[ast.Term]) -> str:
        return " ".join(map(self.term, terms))

    def _constants(self, terms: Sequence[GroundTerm]) -> str:
        return " ".join(map(self.constant, terms))

    def variable(self, variable: Variable) -> str:
        """``?name``, quoted if need be."""
        name = variable.name
        return f"?{name}" if _PLAIN_NAME.match(name) else f'?"{escape(name)}"'

    def constant(self, term: GroundTerm) -> str:
        """A constant, in its shortest spelling."""
        match term:
            case IRI():
                return self._iris.get(term.value) or self._iri(term.value)
            case Local():
                if _PLAIN_NAME.match(term.name):
                    return f"_{term.name}"
                return self._typed_constant(term.name, RIF + "local")
            case GroundList():
                return f"List({self._constants(term.items)})"
            case Literal():
                return self._literal(term)
            case BlankNode():
                message = f"a blank node cannot be written in rules: {term}"
                raise ValueError(message)

    def _literal(self, term: Literal) -> str:
        if term.language:
            return f'"{escape(term.lexical)}"@{term.language}'
        if term.datatype == XSD_STRING:
            return f'"{escape(term.lexical)}"'
        number = _NUMBERS.get(term.datatype)
        if number and len(term.lexical) <= MAX_NUMBER and number.match(term.lexical):
            return term.lexical
        return self._typed_constant(term.lexical, term.datatype)

    def _typed_constant(self, text: str, space: str) -> str:
        return f'"{escape(text)}"^^{self._iris.get(space) or self._iri(space)}'

    def _iri(self, iri: str) -> str:
        """A prefixed name, if a prefix fits and the rest is plain."""
        written = f"<{iri}>"
        for prefix, namespace in self._namespaces:
            local = iri.removeprefix(namespace)
            if iri.startswith(namespace) and (not local or _PLAIN_NAME.match(local)):
                written = f"{prefix}:{local}"
                break
        self._iris[iri] = written
        return written

    # annotations

    def _meta(self, meta: ast.Meta | None) -> Lines:
        return [] if meta is None else [self.meta(meta)]

    def meta(self, meta: ast.Meta) -> str:
        """An annotation, on one line."""
        parts = [] if meta.iri is None else [self.constant(meta.iri)]
        frames = [" ".join(map(str.strip, self.formula(frame))) for frame in meta.frames]
        if len(frames) == 1:
            parts += frames
        elif frames:
            parts.append(f"And({' '.join(frames)})")
        return " ".join(("(*", *parts, "*)"))


def _first_term(formula: ast.Formula) -> ast.Term | None:
    """The term that a formula begins with."""
    match formula:
        case ast.Frame():
            return formula.object
        case ast.Equal():
            return formula.left
        case AggregateEqual() if not isinstance(formula.left, Aggregate):
            return formula.left
        case ast.Member():
            return formula.instance
    return None


def bracket(opening: str, items: Sequence[Lines], closing: str) -> Lines:
    """Items between brackets, on one line if they fit."""
    if all(len(item) == 1 for item in items):
        inner = " ".join(item[0] for item in items)
        if len(opening) + len(inner) + len(closing) <= WIDTH or not items:
            return [f"{opening}{inner}{closing}"]
    return break_lines(opening, items, closing)


def break_lines(opening: str, items: Sequence[Lines], closing: str) -> Lines:
    """Items between brackets, each on lines of its own."""
    return [opening, *(line for item in items for line in indent(item)), closing]


def indent(lines: Lines) -> Lines:
    """The lines one step further right."""
    return [_INDENT + line for line in lines]
