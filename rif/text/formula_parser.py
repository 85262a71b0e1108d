"""Formulas and heads: one function a production [RIF-Core, presentation syntax].

What RIF-Core lacks and other dialects have is recognised and refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rif.checks.dialect import NEGATIONS
from rif.errors.checks import VariableTwice
from rif.errors.dialect import FunctionTerm, NamedArguments, Negation, NotAPredicate, Subclass
from rif.errors.report import shorten
from rif.errors.syntax import BadAnnotation, BadDuration
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.lexical import AMOUNT_PATTERN, TIME_UNITS
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, Local, Variable
from rif.text import hints
from rif.text.expression_parser import ExpressionParser
from rif.text.shorthand import COMPARISONS

_AMOUNT = re.compile(AMOUNT_PATTERN + r"\Z")

_CONSTANTS = frozenset(("curie", "iri", "local", "string", "name"))
_RELATIONS = frozenset(("=", "#", "##", "["))


class FormulaParser(ExpressionParser):
    """Reads formulas; the parse function of a formula kind is given one."""

    __slots__ = ()

    # FORMULA

    def formula(self) -> ast.Formula:
        """FORMULA, with its annotation."""
        if self.kinds[self.at] != "(*":
            return self.bare_formula()
        first = self.at
        metas = self.metas()
        return self.annotate(self.bare_formula(), metas, first)

    def begins_formula(self) -> bool:
        """Can the next token begin a formula?"""
        return self.begins_term() or (
            self.kinds[self.at] == "name" and self.values[self.at] in _BEGINNINGS
        )

    def needed_formula(self, what: str = "a formula") -> ast.Formula:
        """A formula, which must come next."""
        if not self.begins_formula():
            self.fail_unexpected(f"expected {what}")
        return self.formula()

    def conjunction(self, what: str = "a formula") -> ast.Formula:
        """``FORMULA, FORMULA …``, which is short for And, or one formula."""
        first = self.at
        items = [self.needed_formula(what)]
        while self.kinds[self.at] == ",":
            self.separator()
            items.append(self.needed_formula())
        if len(items) == 1:
            return items[0]
        return ast.And(tuple(items), span=self.since(first))

    def one_formula(self) -> ast.Formula:
        """``( FORMULA )``, brackets and all."""
        opened = self.open()
        formula = self.conjunction()
        self.close(opened)
        return formula

    def bare_formula(self) -> ast.Formula:
        """A formula without annotation in front."""
        outer, self.lifted = self.lifted, []
        formula = self.settle(self._unsettled())
        self.lifted = outer
        return formula

    def _unsettled(self) -> ast.Formula:  # noqa: PLR0911
        """A formula with variables for the aggregates that stand in expressions."""
        first = self.at
        kind = self.kinds[first]
        if kind == "name":
            word = self.values[first]
            if word in _CORE:
                return _CORE[word](self, first)
            if (extension := self.language.by_keyword.get(word)) is not None:
                self.at += 1
                formula: ast.Formula = extension.parse(self)
                return replace(formula, span=self.since(first))
            if word == _NOT and not self.strict and self.language.has(Naf):
                return self._negation(first)
            if word in NEGATIONS:
                message = f"{word} is negation, which RIF-Core does not have"
                self.fail(Negation(message, self.here()))
        if kind == "var" and self.kinds[first + 1] == "(":
            message = f"the variable {self.values[first]} cannot stand for a predicate"
            self.fail(NotAPredicate(message, self.here()))
        if kind == "(" and not self.begins_expression():
            self.shorthand("a bracket around a formula", first)
            return self.one_formula()
        if kind == "(" or self.begins_aggregate() or self.begins_duration():
            return self._of_expression(self.sum(None, first), first)
        if kind in _CONSTANTS and not (self.opens("External") or self.opens("List")):
            return self._constant_formula(first)
        return self._relation(self.bare_term(), first)

    def _negation(self, first: int) -> ast.Formula:
        """``not FORMULA``."""
        self.at += 1
        self.deeper()
        body = self.needed_formula()
        self.depth -= 1
        return Naf(body, span=self.since(first))

    def _of_expression(self, left: ast.Term, first: int) -> ast.Formula:
        """A comparison, the parser standing behind its left side."""
        if self.kinds[self.at] != "=" and self.kinds[self.at] not in COMPARISONS:
            self.fail_unexpected("expected a comparison, such as = or <", hints.COMPARISON)
        return self.comparison(left, first)

    def _constant_formula(self, first: int) -> ast.Formula:
        """A formula that begins with a constant: an atom, or a frame, equality or membership."""
        value = self.constant()
        if self.kinds[self.at] != "(":
            term = ast.Constant(value, span=self.since(first))
            return self._relation(term, first)
        if not isinstance(value, IRI | Local):
            message = f"{shorten(self.values[first])} cannot stand for a predicate"
            self.note(NotAPredicate(message, self.since(first)))
        args = self.arguments()
        if self.is_builtin(value):
            assert isinstance(value, IRI)
            return self._relation(ast.ExternalTerm(value, args, span=self.since(first)), first)
        if self.kinds[self.at] in _RELATIONS:
            self.note(FunctionTerm.of(self.values[first], self.since(first)))
            return self._relation(ast.Constant(value, span=self.since(first)), first)
        return ast.Atom(value, args, span=self.since(first))

    def arguments(self) -> tuple[ast.Term, ...]:
        """``( TERM* )``, brackets and all; named arguments are refused."""
        return self.bracketed(self.begins_term, self._argument)

    def _argument(self) -> ast.Term:
        """TERM; of a named argument, which is noted, its value."""
        first = self.at
        if self.kinds[first + 1] != "->":
            return self.term()
        self.at += 2
        value = self.needed_term()
        message = f"{shorten(self.values[first])} -> … is a named argument"
        self.note(NamedArguments(message, self.since(first)))
        return value

    def _relation(self, left: ast.Term, first: int) -> ast.Formula:  # noqa: PLR0911
        """Frame, Equal or Member, the parser standing behind its first term."""
        kind = self.kinds[self.at]
        if kind == "[":
            return ast.Frame(left, self.slots(), span=self.since(first))
        if kind in {"#", "##"}:
            at = self.at
            self.at = at + 1
            right = self.needed_term()
            if kind == "##":
                self.note(Subclass("a subclass formula", self.tokens.span(at, at)))
                return ast.Atom(Local(""), (left, right), span=self.since(first))
            return ast.Member(left, right, span=self.since(first))
        if self.goes_on(left):
            return self._of_expression(self.sum(left, first), first)
        if kind == "=" or kind in COMPARISONS:
            return self.comparison(left, first)
        if type(left) is ast.ExternalTerm:
            return ast.External(left.op, left.args, span=left.span)
        expected = "expected ( or [ or = or # behind the term, to make it a formula"
        hint = hints.of_relation(self.tokens, first, self.at, self.language)
        return self.fail_unexpected(expected, hint)

    def annotate(self, formula: ast.Formula, metas: list[ast.Meta], first: int) -> ast.Formula:
        """Give each annotation to its node, the largest node first.

        In front of ``t[k -> v]`` may stand one for the frame, then one for the term t.
        """
        if not metas:
            return formula
        if not metas[0].is_empty:
            formula = replace(formula, meta=metas[0])
        if len(metas) > 1:
            if isinstance(formula, ast.Frame):
                formula = replace(formula, object=self.annotate_term(formula.object, metas[1:]))
            elif isinstance(formula, ast.Member):
                instance = self.annotate_term(formula.instance, metas[1:])
                formula = replace(formula, instance=instance)
            elif isinstance(formula, ast.Equal | AggregateEqual) and not isinstance(
                formula.left, Aggregate
            ):
                formula = replace(formula, left=self.annotate_term(formula.left, metas[1:]))
            else:
                message = "there is one annotation more than things it could belong to"
                self.note(BadAnnotation(message, metas[-1].span))
        return replace(formula, span=self.since(first))

    # quantifiers

    def variables(self) -> tuple[Variable, ...]:
        """Var+, of a quantifier."""
        names: dict[Variable, None] = {}
        if self.kinds[self.at] not in {"var", "(*"}:
            hint = hints.of_variable(self.tokens, self.at, self.language)
            self.fail_unexpected("expected a variable", hint)
        while self.kinds[self.at] in {"var", ",", "(*"}:
            if self.kinds[self.at] == ",":
                self.comma()
                continue
            if self.kinds[self.at] == "(*":
                self.note(BadAnnotation("a declared variable has no annotation", self.here()))
                self.meta()
                continue
            variable = self.variable_name(self.at)
            if variable in names:
                message = f"{variable} is declared twice"
                self.note(VariableTwice(message, self.here(), "once is enough"))
            names[variable] = None
            self.at += 1
        return tuple(names)

    # for windows and for the ranges of other kinds

    def duration(self) -> tuple[str, str]:
        """A non-negative decimal as written, and its unit or ``""``."""
        at = self.at
        amount = self.values[at]
        if self.kinds[at] != "number" or not _AMOUNT.match(amount):
            self.fail(BadDuration("expected a number that is not negative", self.here()))
        self.at += 1
        if self.kinds[self.at] != "name" or self.kinds[self.at + 1] == "(":
            return amount, ""
        unit = self.values[self.at]
        if unit not in TIME_UNITS:
            self.fail(BadDuration(f"{shorten(unit)} is no unit of time", self.here()))
        self.at += 1
        return amount, unit


def _junction(parser: FormulaParser, first: int) -> ast.Formula:
    node = ast.And if parser.values[first] == "And" else ast.Or
    parser.at += 1
    items = parser.bracketed(parser.begins_formula, parser.formula)
    return node(items, span=parser.since(first))


def _exists(parser: FormulaParser, first: int) -> ast.Formula:
    parser.at += 1
    variables = parser.variables()
    body = parser.one_formula()
    return ast.Exists(variables, body, span=parser.since(first))


_CORE: dict[str, Callable[[FormulaParser, int], ast.Formula]] = {
    "And": _junction,
    "Or": _junction,
    "Exists": _exists,
}
_NOT: Final = "not"
_BEGINNINGS: Final = frozenset((*_CORE, _NOT))
"""Words that begin a formula."""
