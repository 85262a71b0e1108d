"""A document in readable form, so that reading it gives the same document.

::

    @prefix ex: <urn:ex:> .

    ?room[ex:alarm -> "hot"] :- ?s[ex:in -> ?room], ?s[ex:reads -> ?v], ?v > 30.

It is clauses alone where that can be: a document with groups in its group, annotations of its own,
or an equation that plain RIF alone has stays in ``Document( … )``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from rif.builtins import DTB
from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate
from rif.syntax.lexical import SECONDS
from rif.syntax.negation import Naf
from rif.syntax.terms import BUILTIN_PREFIXES, XSD, GroundTerm, Literal, Variable
from rif.text.shorthand import (
    ARITHMETIC,
    SIGNS,
    decide_equations,
    duration_of,
    expression_in,
    is_equal,
    with_equations,
    without_quantifiers,
)
from rif.text.writer import WIDTH, Lines, TextWriter, bracket, break_lines, indent
from rif.values.date_arithmetic import SECOND, ticks

_JUNCTIONS = ("And", "Or")
"""Words in whose brackets a comma is no And."""


def write_readable(document: ast.Document, language: Language = CORE) -> str:
    """The document as readable text. Linear.

    Raises:
        ValueError: it has a blank node, which the syntax cannot express, or a formula that
            ``language`` does not have.
    """
    clauses = _clauses_of(document, language)
    if clauses is not None:
        return "\n".join(ReadableWriter(document, language).clauses(document, clauses)) + "\n"
    return "\n".join(ReadableWriter(document, language).document(document)) + "\n"


def _clauses_of(document: ast.Document, language: Language) -> list[ast.Rule] | None:
    """The rules of a document as they stand in one of clauses alone; None: it cannot be one."""
    group = document.group
    if document.meta is not None or group is None or group.meta is not None:
        return None
    if not group.items or any(each.meta is not None for each in document.imports):
        return None
    found: list[ast.Rule] = []
    for item in group.items:
        clause = None if isinstance(item, ast.Group) else as_clause(item, language)
        if clause is None:
            return None
        found.append(clause)
    return found


def as_clause(rule: ast.Rule, language: Language) -> ast.Rule | None:
    """A rule as it stands in a document of clauses alone; None: it cannot stand in one."""
    for candidate in (with_equations(rule), rule):
        if decide_equations(candidate, language) == rule:
            return candidate
    return None


class _Bracketed(list[str]):
    """Lines of a conjunction in plain brackets.

    Attributes:
        inner: The lines of its members.
    """

    def __init__(self, lines: Lines, inner: Lines) -> None:
        super().__init__(lines)
        self.inner = inner


class ReadableWriter(TextWriter):
    """Writes nodes in readable form."""

    __slots__ = ("_aggregates",)

    def __init__(self, document: ast.Document, language: Language) -> None:
        declared = dict(document.prefixes)
        known = {name: iri for name, iri in BUILTIN_PREFIXES.items() if name not in declared}
        super().__init__({**known, **declared}, language)
        self._aggregates: dict[Variable, Aggregate] = {}

    # documents

    def clauses(self, document: ast.Document, rules: Sequence[ast.Rule]) -> Lines:
        """Directives, then the rules, each ended by a full stop."""
        lines: Lines = []
        if document.base is not None:
            lines.append(f"@base <{document.base}> .")
        lines += [f"@prefix {name}: <{iri}> ." for name, iri in document.prefixes]
        for each in document.imports:
            profile = "" if each.profile is None else f" <{each.profile}>"
            lines.append(f"@import <{each.location}>{profile} .")
        if document.window is not None:
            window = f"{document.window.amount} {document.window.unit}".rstrip()
            lines.append(f"@window {window} .")
        if lines:
            lines.append("")
        for rule in rules:
            lines += self.item(rule)
        return lines

    def item(self, item: ast.Rule | ast.Group) -> Lines:
        """A member of a group."""
        if isinstance(item, ast.Group):
            inner = [self.item(each) for each in item.items]
            return [*self._meta(item.meta), *break_lines("Group(", inner, ")")]
        lines = self._rule(without_quantifiers(item))
        return [*lines[:-1], f"{lines[-1]}."]

    def _rule(self, rule: ast.Rule) -> Lines:
        if not isinstance(rule, ast.Forall):
            return self._clause(rule)
        variables = " ".join(map(self.variable, rule.variables))
        clause = self._clause(rule.clause)
        return [*self._meta(rule.meta), *break_lines(f"Forall {variables} (", [clause], ")")]

    def _clause(self, clause: ast.Implies | ast.Formula) -> Lines:
        if not isinstance(clause, ast.Implies):
            return self.formula(clause)
        if len(clause.head) == 1:
            head = self.formula(clause.head[0], placeholder=clause.meta is None)
        else:
            head = self.call("And", [self.formula(item) for item in clause.head])
        body = self._one(clause.body)
        first = f"{head[-1]} :-"
        if len(body) == 1 and len(first) + len(body[0]) < WIDTH:
            lines = [*head[:-1], f"{first} {body[0]}"]
        else:
            lines = [*head[:-1], first, *indent(body)]
        return [*self._meta(clause.meta), *lines]

    # formulas

    def _one(self, formula: ast.Formula) -> Lines:
        """A formula where one is due: a conjunction needs no word and no brackets there."""
        lines = self.formula(formula)
        return lines.inner if isinstance(lines, _Bracketed) else lines

    def call(self, opening: str, items: Sequence[Lines]) -> Lines:
        """``opening( items )``, with commas between them; on one line if it fits."""
        if len(items) == 1 and isinstance(items[0], _Bracketed) and opening not in _JUNCTIONS:
            items = [items[0].inner]
        return bracket(f"{opening}(", _with_commas(items), ")")

    def condition(self, body: ast.Formula) -> Lines:
        """The condition of an aggregate."""
        return self._one(body)

    def formula(self, formula: ast.Formula, *, placeholder: bool = False) -> Lines:
        """A formula with its annotation, behind a ``placeholder`` for one that its rule lacks."""
        if isinstance(formula, ast.And) and formula.meta is None and len(formula.items) > 1:
            inner = _joined(_with_commas([self.formula(item) for item in formula.items]))
            return _Bracketed(bracket("(", [inner], ")"), inner)
        return super().formula(formula, placeholder=placeholder)

    def _bare(self, formula: ast.Formula) -> Lines:
        if (short := expression_in(formula)) is not None:
            outer = self._aggregates
            comparison, self._aggregates = short
            lines = self._bare(comparison)
            self._aggregates = outer
            return lines
        if isinstance(formula, Naf):
            return self._negation(formula)
        if isinstance(formula, ast.External):
            return [self._external(formula)]
        if isinstance(formula, ast.Equal) and not _has_meta(formula):
            return [f"{self._operand(formula.left, 0)} = {self._operand(formula.right, 0)}"]
        return super()._bare(formula)

    def _negation(self, naf: Naf) -> Lines:
        inner = naf.body
        if is_equal(inner) and inner.meta is None and not _has_meta(inner):
            return [self._infix(inner, "!=")]
        lines = self.formula(inner)
        return [f"not {lines[0]}", *lines[1:]]

    def _external(self, formula: ast.External) -> str:
        sign = SIGNS.get(formula.op)
        is_infix = sign is not None and sign not in ARITHMETIC and sign != "="
        if is_infix and len(formula.args) == 2 and not _has_meta(formula):  # noqa: PLR2004
            assert sign is not None
            return self._infix(formula, sign)
        return self._called(formula)

    def _infix(self, formula: ast.Formula, sign: str) -> str:
        left, right = (self._operand(each, 0) for each in formula.terms)
        return f"{left} {sign} {right}"

    def _called(self, node: ast.External | ast.ExternalTerm) -> str:
        """A call of a built-in; one that is known needs no External."""
        text = f"{self.constant(node.op)}({self._terms(node.args)})"
        name = node.op.value
        return text if name in DTB or name in self._language.builtins else f"External({text})"

    # terms

    def _terms(self, terms: Sequence[ast.Term]) -> str:
        return ", ".join(map(self.term, terms))

    def _constants(self, terms: Sequence[GroundTerm]) -> str:
        return ", ".join(map(self.constant, terms))

    def slots(self, slots: Sequence[Lines]) -> Sequence[Lines]:
        """The slots of a frame, with commas between them."""
        return _with_commas(slots)

    def term(self, term: ast.Term) -> str:
        """A term with its annotation, on one line."""
        if not isinstance(term, ast.ExternalTerm):
            return super().term(term)
        text = self._operand(replace(term, meta=None), 0)
        if _sign_of(term) is not None:
            text = f"({text})"
        return text if term.meta is None else f"{self.meta(term.meta)} {text}"

    def _operand(self, term: ast.Term, strength: int) -> str:
        """An operand of a sign that binds so strongly, in brackets if it needs them."""
        if isinstance(term, ast.Constant) and term.meta is None:
            return _duration_text(term.value) or self.term(term)
        if isinstance(term, ast.Var) and (aggregate := self._aggregates.get(term.value)):
            return " ".join(map(str.strip, self._side(aggregate)))
        if not isinstance(term, ast.ExternalTerm) or term.meta is not None:
            return self.term(term)
        sign = _sign_of(term)
        if sign is None:
            return self._called(term)
        binds = ARITHMETIC[sign]
        left, right = term.args
        text = f"{self._operand(left, binds)} {sign} {self._operand(right, binds + 1)}"
        return f"({text})" if binds < strength else text


def _sign_of(term: ast.ExternalTerm) -> str | None:
    """The sign that is short for it; None: there is none."""
    sign = SIGNS.get(term.op)
    return sign if sign in ARITHMETIC and len(term.args) == 2 else None  # noqa: PLR2004


def _has_meta(formula: ast.Formula) -> bool:
    """Has one of its own terms an annotation?"""
    return any(term.meta is not None for term in formula.terms)


def _duration_text(value: GroundTerm) -> str:
    """``5 m`` for a duration that is written so; else ``""``."""
    if not isinstance(value, Literal) or value.datatype != XSD + "dayTimeDuration":
        return ""
    found = ticks(value)
    if found is None or found < 0:
        return ""
    for unit, seconds in SECONDS.items():
        amount = Fraction(found, SECOND) / seconds
        if amount.denominator == 1 and (amount or unit == "s"):
            is_same = duration_of(str(amount), unit) == value
            return f"{amount} {unit}" if is_same else ""
    return ""


def _with_commas(items: Sequence[Lines]) -> Sequence[Lines]:
    """Items with a comma behind each but the last."""
    return [
        item if number == len(items) else [*item[:-1], f"{item[-1]},"]
        for number, item in enumerate(items, 1)
    ]


def _joined(items: Sequence[Lines]) -> Lines:
    """Items on one line if they fit, else each on lines of its own."""
    if all(len(item) == 1 for item in items):
        text = " ".join(item[0] for item in items)
        if len(text) <= WIDTH:
            return [text]
    return [line for item in items for line in item]
