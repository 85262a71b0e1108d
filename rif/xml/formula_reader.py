"""Formulas of RIF/XML: one function a class element [RIF-Core 4]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rif.checks.aggregates import fault_of_words
from rif.errors.base import RuleError
from rif.errors.checks import BadAggregate, VariableTwice
from rif.errors.syntax import BadAnnotation
from rif.errors.xml import BadAttribute, MissingElement
from rif.language import AnyKind
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual, Side
from rif.syntax.formula_kinds import R4_RIF
from rif.syntax.terms import Variable
from rif.xml.element_reader import ANNOTATION, Parts, describe_element
from rif.xml.term_reader import TermReader
from rif.xml.tree import Element

R4_ELEMENT: Final = f"{{{R4_RIF}}}"
"""What the names of elements that RIF does not have begin with."""

_EQUATION: Final = f"{R4_ELEMENT}AggregateEqual"
_AGGREGATE: Final = f"{R4_ELEMENT}Aggregate"
_WORDS: Final = ("function", "share", "part", "size")

NO_FORMULA = ast.And(())
"""Stands for a formula that could not be read; the rule that holds it is not kept."""


class FormulaReader(TermReader):
    """Reads formulas."""

    def formula(self, element: Element) -> ast.Formula:
        """FORMULA, with its annotation."""
        read = _FORMULAS.get(element.name)
        if read is not None:
            return read(self, element, self.parts(element))
        if element.name == _EQUATION and self.language.has(AggregateEqual):
            return self._equation(element)
        kind = self.language.by_keyword.get(element.name.removeprefix(R4_ELEMENT))
        if kind is not None and kind.xml is not None:
            is_extension = element.name.startswith(R4_ELEMENT)
            if is_extension is not kind.xml.standard:
                return self._extension(element, kind)
        self.refuse(element, "a formula")
        return NO_FORMULA

    def formula_in(self, roles: Sequence[Element]) -> ast.Formula:
        """The formula in the first of these role elements."""
        child = self.class_in(roles[0], "one formula") if roles else None
        return NO_FORMULA if child is None else self.formula(child)

    def junction(self, element: Element, parts: Parts) -> ast.Formula:
        """And, Or."""
        items = tuple([self.formula_in([role]) for role in parts["formula"]])
        node = ast.And if element.name == "And" else ast.Or
        return node(items, meta=self.meta(parts), span=element.span)

    def exists(self, element: Element, parts: Parts) -> ast.Formula:
        """Exists."""
        variables = self.variables(parts["declare"])
        body = self.formula_in(parts["formula"])
        return ast.Exists(variables, body, meta=self.meta(parts), span=element.span)

    def atom(self, element: Element, parts: Parts) -> ast.Formula:
        """Atom."""
        op, args = self.application(parts)
        return ast.Atom(op, args, meta=self.meta(parts), span=element.span)

    def equal(self, element: Element, parts: Parts) -> ast.Formula:
        """Equal."""
        left, right = self.term_in(parts["left"]), self.term_in(parts["right"])
        return ast.Equal(left, right, meta=self.meta(parts), span=element.span)

    def member(self, element: Element, parts: Parts) -> ast.Formula:
        """Member."""
        instance, cls = self.term_in(parts["instance"]), self.term_in(parts["class"])
        return ast.Member(instance, cls, meta=self.meta(parts), span=element.span)

    def external_formula(self, element: Element, parts: Parts) -> ast.Formula:
        """External with an Atom: a built-in predicate."""
        op, args = self.external(parts, "Atom")
        return ast.External(op, args, meta=self.meta(parts), span=element.span)

    def _equation(self, element: Element) -> ast.Formula:
        """AggregateEqual of R4: an equation with an aggregate on one side or both."""
        parts = self.parts(element, {**ANNOTATION, "left": (1, 1), "right": (1, 1)})
        sides = [self._side(parts[role]) for role in ("left", "right")]
        if not any(isinstance(side, Aggregate) for side in sides):
            message = f"{describe_element(element)} has no aggregate"
            self.note(MissingElement(message, element.span, "other equations are Equal"))
            return NO_FORMULA
        return AggregateEqual(*sides, meta=self.meta(parts), span=element.span)

    def _side(self, roles: Sequence[Element]) -> Side:
        child = self.class_in(roles[0], "a term or an aggregate") if roles else None
        if child is None or child.name != _AGGREGATE:
            return self.term_in(roles)
        roles_of = {"value": (1, 1), "order": (0, 1), "group": (0, 1), "formula": (1, 1)}
        parts = self.parts(child, roles_of, dict.fromkeys(_WORDS))
        word, share, part, size = map(child.attributes.get, _WORDS)
        if fault := fault_of_words(word or "", share, part, size):
            self.note(BadAggregate(fault, child.span))
        value, order, group = (self._named(parts[role]) for role in ("value", "order", "group"))
        return Aggregate(
            word or "",
            value[0].value if value else Variable(""),
            self.formula_in(parts["formula"]),
            tuple(group),
            order[0].value if order else None,
            share or "",
            part or "",
            int(size) if size and size.isdecimal() else None,
            span=child.span,
        )

    def _named(self, roles: Sequence[Element]) -> list[ast.Var]:
        """The variables in a role element."""
        found: dict[Variable, ast.Var] = {}
        for child in self.classes_in(roles[0], "variables") if roles else ():
            if child.name != "Var":
                self.refuse(child, "Var")
            else:
                var = ast.Var(Variable(child.text), span=child.span)
                found.setdefault(var.value, var)
        return list(found.values())

    def _extension(self, element: Element, kind: AnyKind) -> ast.Formula:
        """A formula of a kind that RIF-Core does not have, by its `XmlForm`."""
        form = kind.xml
        assert form is not None  # the caller has checked it
        of_terms = {name: (int(name not in form.optional), 1) for name in form.terms}
        roles = {**ANNOTATION, **of_terms, "formula": (form.count, form.count)}
        parts = self.parts(element, roles, dict.fromkeys(form.attributes))
        inner = tuple([self.formula_in([role]) for role in parts["formula"]])
        terms = [self.term_in(parts[name]) for name in form.terms if parts[name]]
        due = {name for name in form.attributes if name not in form.optional}
        for name in sorted(due - element.attributes.keys()):
            self.note(BadAttribute(f"{describe_element(element)} has no {name}", element.span))
        lacks = any(not parts[name] and name not in form.optional for name in form.terms)
        if len(inner) != form.count or lacks or not element.attributes.keys() >= due:
            return NO_FORMULA
        try:
            values = {**element.attributes, **{name: "" for name in form.terms if parts[name]}}
            formula: ast.Formula = form.read(values, inner, element.span)
        except RuleError as fault:
            self.note(fault)
            return NO_FORMULA
        if form.terms:
            given = iter(terms)
            formula = formula.with_terms(lambda _: next(given))
        return replace(formula, meta=self.meta(parts), span=element.span)

    def variables(self, roles: Sequence[Element]) -> tuple[Variable, ...]:
        """The variables that a quantifier declares."""
        names: dict[Variable, None] = {}
        for role in roles:
            var = self.class_in(role, "one Var")
            if var is None:
                continue
            if var.name != "Var":
                self.refuse(var, "Var")
                continue
            parts = self.parts(var)
            for annotation in (*parts["id"], *parts["meta"]):
                message = "the annotation of a declared variable is not kept"
                self.note(BadAnnotation(message, annotation.span, severity="warning"))
            variable = Variable(var.text)
            if variable in names:
                message = f"{variable} is declared twice"
                self.note(VariableTwice(message, var.span, "once is enough"))
            names[variable] = None
        return tuple(names)


_FORMULAS: Mapping[str, Callable[[FormulaReader, Element, Parts], ast.Formula]] = {
    "And": FormulaReader.junction,
    "Or": FormulaReader.junction,
    "Exists": FormulaReader.exists,
    "Atom": FormulaReader.atom,
    "Frame": FormulaReader.frame,
    "Equal": FormulaReader.equal,
    "Member": FormulaReader.member,
    "External": FormulaReader.external_formula,
}
