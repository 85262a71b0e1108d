"""Formulas of RIF/XML: one function a class element [RIF-Core 4]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rif.errors.base import RuleError
from rif.errors.checks import VariableTwice
from rif.errors.syntax import BadAnnotation
from rif.errors.xml import BadAttribute
from rif.language import AnyKind
from rif.syntax import ast
from rif.syntax.formula_kinds import R4_RIF
from rif.syntax.terms import Variable
from rif.xml.element_reader import ANNOTATION, Parts, describe_element
from rif.xml.term_reader import TermReader
from rif.xml.tree import Element

R4_ELEMENT: Final = f"{{{R4_RIF}}}"
"""What the names of elements that RIF does not have begin with."""

NO_FORMULA = ast.And(())
"""Stands for a formula that could not be read; the rule that holds it is not kept."""


class FormulaReader(TermReader):
    """Reads formulas."""

    def formula(self, element: Element) -> ast.Formula:
        """FORMULA, with its annotation."""
        read = _FORMULAS.get(element.name)
        if read is not None:
            return read(self, element, self.parts(element))
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

    def _extension(self, element: Element, kind: AnyKind) -> ast.Formula:
        """A formula of a kind that RIF-Core does not have, by its `XmlForm`."""
        form = kind.xml
        assert form is not None  # the caller has checked it
        roles = {**ANNOTATION, "formula": (form.count, form.count)}
        parts = self.parts(element, roles, dict.fromkeys(form.attributes))
        inner = tuple([self.formula_in([role]) for role in parts["formula"]])
        for name in form.attributes:
            if name not in element.attributes:
                self.note(BadAttribute(f"{describe_element(element)} has no {name}", element.span))
        if len(inner) != form.count or not element.attributes.keys() >= set(form.attributes):
            return NO_FORMULA
        try:
            formula: ast.Formula = form.read(element.attributes, inner, element.span)
        except RuleError as fault:
            self.note(fault)
            return NO_FORMULA
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
