"""The metric operators as kinds of formula of RIF: rows in the table of the language.

To import this module adds them, for the whole process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from rif.errors.base import Span
from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import FormulaKind, XmlForm, register
from temporal.metric_rif.ranges import parse_range
from temporal.metric_rif.syntax import (
    read_binary,
    read_unary,
    write_binary,
    write_range,
    write_unary,
)
from temporal.mtl.ast import (
    BinaryOperator,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
    Until,
)

U = TypeVar("U", bound=UnaryOperator)
B = TypeVar("B", bound=BinaryOperator)

_RANGE: Final = "range"
"""The attribute of RIF/XML that has the range, as the presentation syntax writes it."""


def _unary(node: type[U], *, head: bool = False) -> FormulaKind[U]:
    def from_xml(values: Mapping[str, str], parts: tuple[Formula, ...], span: Span) -> U:
        return node(parse_range(values[_RANGE], span), parts[0])

    return FormulaKind(
        node.__name__,
        node,
        parse=partial(read_unary, node=node),
        write=write_unary,
        parts=_body,
        rebuild=_with_body,
        binding=_body,
        operands=_body,
        head=head,
        xml=XmlForm((_RANGE,), 1, read=from_xml, write=_to_xml),
    )


def _binary(node: type[B]) -> FormulaKind[B]:
    def from_xml(values: Mapping[str, str], parts: tuple[Formula, ...], span: Span) -> B:
        return node(parse_range(values[_RANGE], span), *parts)

    return FormulaKind(
        node.__name__,
        node,
        parse=partial(read_binary, node=node),
        write=write_binary,
        parts=_sides,
        rebuild=_with_sides,
        binding=_needed_sides,
        operands=_sides,
        existential=_left_side,
        xml=XmlForm((_RANGE,), 2, read=from_xml, write=_to_xml),
    )


def _body(formula: UnaryOperator) -> tuple[Formula, ...]:
    return (formula.body,)


def _sides(formula: BinaryOperator) -> tuple[Formula, ...]:
    return formula.phi, formula.psi


def _needed_sides(formula: BinaryOperator) -> tuple[Formula, ...]:
    """With 0 in the range the right side alone may do."""
    return (formula.psi,) if 0 in formula.rho else (formula.phi, formula.psi)


def _left_side(formula: BinaryOperator) -> tuple[Formula, ...]:
    return (formula.phi,) if 0 in formula.rho else ()


def _with_body(formula: U, parts: tuple[Formula, ...]) -> U:
    return replace(formula, body=parts[0])


def _with_sides(formula: B, parts: tuple[Formula, ...]) -> B:
    return replace(formula, phi=parts[0], psi=parts[1])


def _to_xml(formula: UnaryOperator | BinaryOperator) -> Mapping[str, str]:
    return {_RANGE: write_range(formula.rho)}


DIAMOND_MINUS: Final = _unary(DiamondMinus)
DIAMOND_PLUS: Final = _unary(DiamondPlus)
BOX_MINUS: Final = _unary(BoxMinus, head=True)
BOX_PLUS: Final = _unary(BoxPlus, head=True)
SINCE: Final = _binary(Since)
UNTIL: Final = _binary(Until)

register(DIAMOND_MINUS)
register(DIAMOND_PLUS)
register(BOX_MINUS)
register(BOX_PLUS)
register(SINCE)
register(UNTIL)
