"""Expressions: ``?v > 2 * avg{ ?w | … }``, comparisons and arithmetic without `External`.

::

    comparison = sum sign sum                 sign: < <= > >= = !=
    sum        = product (("+" | "-") product)*
    product    = operand (("*" | "/") operand)*
    operand    = TERM | aggregate | number unit | "(" sum ")"

They are short for R4's built-ins of the same meaning, such as ``<urn:r4:builtin#add>(?a 1)``. An
aggregate in one is short for an equation beside it, whose variable is under an Exists.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

from rif.errors.base import Span
from rif.errors.syntax import BadDuration, Shorthand, UnexpectedToken
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.formula_kinds import FormulaSource
from rif.syntax.lexical import TIME_UNITS
from rif.syntax.negation import Naf
from rif.syntax.terms import Variable
from rif.text.aggregate_parser import begins_aggregate, parse_aggregate
from rif.text.shorthand import (
    ARITHMETIC,
    COMPARISONS,
    OPERATORS,
    duration_of,
    placeholder,
    with_aggregates,
)
from rif.text.term_parser import TermParser

_RELATIONS: Final = COMPARISONS | {"=", "#", "##", "["}
_OF_FORMULAS: Final = _RELATIONS | {",", ":-", "->"}
"""What stands between brackets around formulas, and not around an operand without aggregates."""
_CLOSING: Final = frozenset(")]}")
_OPENING: Final = frozenset("([{")


class ExpressionParser(TermParser):
    """Reads expressions. What is said of ``first`` is the token that the whole begins with.

    Attributes:
        lifted: The aggregates in the formula at hand, each with a variable in its place.
    """

    __slots__ = ("lifted",)

    lifted: list[tuple[Variable, Aggregate]]

    # look

    def begins_expression(self) -> bool:
        """Does the bracket that comes next enclose an operand, and not a formula?"""
        kinds, at = self.kinds, self.at
        depth = 0
        for place in range(at, len(kinds)):
            depth += (kinds[place] in _OPENING) - (kinds[place] in _CLOSING)
            if not depth:
                behind = place + 1
                break
        else:
            return False
        return (
            kinds[behind] in ARITHMETIC
            or kinds[behind] in COMPARISONS
            or kinds[behind] == "="
            or (
                self._is_signed(behind)
                and (self._ends_formula(behind) or _OF_FORMULAS.isdisjoint(kinds[at:behind]))
            )
        )

    def begins_aggregate(self) -> bool:
        """Does an aggregate come next, and does the language have them?"""
        return begins_aggregate(self._formulas) and self.language.has(AggregateEqual)

    def goes_on(self, left: ast.Term) -> bool:
        """Does an operator come next, behind ``left``? A call may be a formula by itself."""
        if not self._is_signed(self.at):
            return self.kinds[self.at] in ARITHMETIC
        return type(left) is not ast.ExternalTerm or self._ends_formula(self.at)

    def _is_signed(self, at: int) -> bool:
        """Is it a number with a sign?"""
        return self.kinds[at] == "number" and self.values[at][0] in "+-"

    def _ends_formula(self, at: int) -> bool:
        """Does no formula begin with the number at ``at``, whose sign is an operator then?"""
        return self.kinds[at + 1] not in _RELATIONS

    # take

    def sum(self, left: ast.Term | None, first: int, *, is_last: bool = False) -> ast.Term:
        """Sums of products; ``left`` is the operand that was read already, if one was.

        ``is_last``: it ends a formula, so that a number behind it may begin the next one.
        """
        depth = self.depth
        found = self._product(left, first)
        while True:
            kind = self.kinds[self.at]
            if kind in {"+", "-"}:
                self.at += 1
                right = self._product(None, self.at)
            elif self._is_signed(self.at) and (not is_last or self._ends_formula(self.at)):
                kind, right = self.values[self.at][0], self._signed()
            else:
                self.depth = depth
                return found
            found = self._apply(kind, found, right, first)

    def _product(self, left: ast.Term | None, first: int) -> ast.Term:
        found = self._operand() if left is None else left
        while (kind := self.kinds[self.at]) in {"*", "/"}:
            self.at += 1
            found = self._apply(kind, found, self._operand(), first)
        return found

    def _signed(self) -> ast.Term:
        """The product that begins with a number whose sign is an operator."""
        at = self.at
        self.values[at] = self.values[at][1:]
        self.tokens.starts[at] += 1
        return self._product(None, at)

    def _apply(self, sign: str, left: ast.Term, right: ast.Term, first: int) -> ast.Term:
        self.deeper()  # until the sum ends: each operator is a level
        self.shorthand(sign, first)
        return ast.ExternalTerm(OPERATORS[sign], (left, right), span=self.since(first))

    def _operand(self) -> ast.Term:
        first = self.at
        kind = self.kinds[first]
        if kind == "(":
            return self.bracketed_expression()
        if kind == "number" and (duration := self._duration()) is not None:
            return duration
        if self.begins_aggregate():
            return self._lift(parse_aggregate(self._formulas))
        if not self.begins_term():
            hint = "an operator has a blank behind it, and a number no blank before it"
            self.fail_unexpected("expected an operand", hint if kind in ARITHMETIC else None)
        return self.term()

    def operand(self) -> ast.Term:
        """The operand that begins a formula: an aggregate, a number with a unit, or a bracket."""
        return self._operand()

    def bracketed_expression(self) -> ast.Term:
        """``( sum )``, brackets and all."""
        first = self.at
        self.shorthand("an expression in brackets", first)
        opened = self.open()
        found = self.sum(None, self.at)
        self.close(opened)
        return replace(found, span=self.since(first))

    def begins_duration(self) -> bool:
        """Does a number with a unit of time come next?"""
        at = self.at
        return (
            self.kinds[at] == "number"
            and self.kinds[at + 1] == "name"
            and self.values[at + 1] in TIME_UNITS
        )

    def _duration(self) -> ast.Term | None:
        """``5 m`` as a constant; None: the number has no unit."""
        at = self.at
        if not self.begins_duration():
            return None
        self.at += 2
        self.shorthand("a number with a unit", at)
        value = duration_of(self.values[at], self.values[at + 1])
        if value is None:
            self.fail(BadDuration("the duration is too long, or too fine", self.since(at)))
        return ast.Constant(value, span=self.since(at))

    # aggregates

    @property
    def _formulas(self) -> FormulaSource:
        """The parser as one of formulas, which those that extend it are."""
        return cast("FormulaSource", self)

    def _lift(self, aggregate: Aggregate) -> ast.Term:
        """A variable in place of an aggregate, whose name `settle` decides."""
        variable = placeholder(len(self.lifted))
        self.lifted.append((variable, aggregate))
        return ast.Var(variable, span=aggregate.span)

    def side(self, term: ast.Term) -> ast.Term | Aggregate:
        """The aggregate that ``term`` stands for, if it is nothing else."""
        for place, (variable, aggregate) in enumerate(self.lifted):
            if isinstance(term, ast.Var) and term.value == variable:
                del self.lifted[place]
                return aggregate
        return term

    def settle(self, formula: ast.Formula) -> ast.Formula:
        """``formula`` with an equation for each aggregate in it."""
        if not self.lifted:
            return formula
        if self.strict:
            for _, each in self.lifted:
                self.note(Shorthand("an aggregate in an expression is shorthand", each.span))
        found = with_aggregates(formula, dict(self.lifted))
        self.lifted.clear()
        return found

    # comparisons

    def comparison(self, left: ast.Term, first: int) -> ast.Formula:
        """``left sign sum``, the parser standing before the sign."""
        sign = self.kinds[self.at]
        self.at += 1
        right = self.sum(None, self.at, is_last=True)
        if self.kinds[self.at] in COMPARISONS or self.kinds[self.at] == "=":
            hint = "write ?a < ?b, ?b < ?c"
            self.fail(UnexpectedToken("comparisons form no chain", self.here(), hint))
        span = self.since(first)
        if sign == "=":
            return _equation(self.side(left), self.side(right), span)
        self.shorthand(sign, first)
        if sign == "!=":
            return Naf(ast.External(OPERATORS["="], (left, right), span=span), span=span)
        return ast.External(OPERATORS[sign], (left, right), span=span)


def _equation(left: ast.Term | Aggregate, right: ast.Term | Aggregate, span: Span) -> ast.Formula:
    if isinstance(left, Aggregate) or isinstance(right, Aggregate):
        return AggregateEqual(left, right, span=span)
    return ast.Equal(left, right, span=span)
