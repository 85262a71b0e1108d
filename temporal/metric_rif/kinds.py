"""The metric operators as kinds of formula of RIF: `METRIC_KINDS`, a row each."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from rete.planning.planned_kind import HeadBox, PlannedKind
from rif.errors.base import Span
from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import XmlForm
from temporal.metric_rif.syntax import parse_range, read_operator, write_operator, write_range
from temporal.mtl.ast import BinaryOperator, MetricFormula
from temporal.mtl.operators import OPERATORS

if TYPE_CHECKING:
    from rete.planning.lowering import Lowering

_RANGE: Final = "range"
"""The attribute of RIF/XML that has the range, as the presentation syntax writes it."""


def _kind(node: type[MetricFormula]) -> PlannedKind[Any, Lowering]:
    is_binary = issubclass(node, BinaryOperator)

    def from_xml(
        values: Mapping[str, str], parts: tuple[Formula, ...], span: Span
    ) -> MetricFormula:
        return node(parse_range(values[_RANGE], span), *parts)

    return PlannedKind(
        node.__name__,
        node,
        parse=partial(read_operator, node=node),
        write=write_operator,
        xml=XmlForm((_RANGE,), 2 if is_binary else 1, read=from_xml, write=_to_xml),
        lower=_lower,
        split=_split if is_binary else None,
        unbox=_unbox if node.is_head else None,
    )


def _to_xml(formula: MetricFormula) -> Mapping[str, str]:
    return {_RANGE: write_range(formula.rho)}


# Plans come with numpy, which those who only read rules need not load.


def _lower(lowering: Lowering, formula: MetricFormula) -> None:
    from temporal.metric_rif.lowering import lower_operator  # noqa: PLC0415

    lower_operator(lowering, formula)


def _split(formula: BinaryOperator, elsewhere: AbstractSet[str]) -> tuple[Formula, ...]:
    from temporal.metric_rif.lowering import split_now  # noqa: PLC0415

    return split_now(formula, elsewhere)


def _unbox(head: Formula, scale: int) -> tuple[HeadBox, Formula]:
    from temporal.mtl.operator_plans import split_box  # noqa: PLC0415

    return split_box(head, scale)


METRIC_KINDS: Final = tuple(_kind(each.node) for each in OPERATORS)
"""The rows of all metric operators."""
