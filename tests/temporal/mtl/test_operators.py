"""The table of metric operators is all that names them."""

from __future__ import annotations

from temporal.metric_rif.kinds import METRIC_KINDS
from temporal.mtl import ast
from temporal.mtl.ast import MetricFormula, UnaryOperator
from temporal.mtl.operators import BINARY, OPERATORS, SIGNED, UNARY

ALL = {
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, MetricFormula) and not kind.__subclasses__()
}


def test_each_operator_has_one_row_and_is_a_kind_of_formula_of_rules() -> None:
    assert {each.node for each in OPERATORS} == ALL
    assert len(OPERATORS) == len(ALL)
    assert [kind.node for kind in METRIC_KINDS] == [each.node for each in OPERATORS]


def test_words_and_signs_are_different() -> None:
    words = [word for each in OPERATORS for word in (*each.words, each.sign, *each.signed)]
    assert len(words) == len(set(words))
    assert UNARY.isdisjoint(BINARY)


def test_a_word_with_a_signed_range_means_an_operator_and_its_mirror_image() -> None:
    for positive, negative in SIGNED.values():
        assert positive.is_past is not negative.is_past
        assert issubclass(positive, UnaryOperator) is issubclass(negative, UnaryOperator)
    assert {node for pair in SIGNED.values() for node in pair} == ALL
