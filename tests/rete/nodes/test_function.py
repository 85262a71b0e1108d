"""Functions: `π(ΔS, f)`, the new rows with the value of a function; each row counts on its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import Rows
from rete.graph.streams import Stream
from rete.nodes.function import COPY, Apply, ApplyNode
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Operand, Relation
from rif.syntax.terms import FUNC, XSD, Literal
from tests.oracles.rdf.values import FUNCTIONS as DEFINED
from tests.rete.nodes.builtin_rows import (
    FUNCTIONS,
    OPERANDS,
    PAIRS,
    SOURCE,
    TIMES,
    agrees,
    delta,
    dictionaries,
    given_to,
    outcome,
)
from tests.rete.nodes.by_cell import cells, defined, deltas, matrix, partitions, scan
from tests.simulation.dictionary_check import check_dictionary

FACTS = Relation("<urn:p>", 2)
TERMS = [
    *(str(Literal(text, XSD + "integer")) for text in ("1", "2", "3")),
    str(Literal("0.5", XSD + "decimal")),
    "<urn:a>",
]
ARGS = st.tuples(*[st.sampled_from([0, 0, 1, 1, *TERMS])] * 2)


def dictionary() -> Dictionary:
    """Terms whose ids are 1, 2, …, as `deltas` draws them."""
    terms = Dictionary()
    assert terms.encode_many(TERMS).tolist() == list(range(1, len(TERMS) + 1))
    return terms


def applied(function: str, rows: np.ndarray, *args: Operand, terms: Dictionary) -> np.ndarray:
    plan = Apply(scan(FACTS), function, args, (0,))
    return ApplyNode(plan, Stream(plan), terms).apply(rows)


def test_the_value_is_a_new_column() -> None:
    terms = dictionary()
    found = applied(FUNC + "numeric-add", matrix([(1, 2, 0, 9)], 2), 0, 1, terms=terms)
    assert found.tolist() == [[1, 3, 0, 9]]  # 1 + 2 is 3, whose id is 3, too


def test_a_row_without_a_value_is_left_out() -> None:
    rows = matrix([(1, 5, 0, 9)], 2)
    assert applied(FUNC + "numeric-add", rows, 0, 1, terms=dictionary()).tolist() == []


@pytest.mark.parametrize("function", [COPY, *DEFINED])
@given(rows=deltas(2, terms=len(TERMS), most=9), args=ARGS)
def test_the_values_are_those_of_the_definition(function: str, rows, args) -> None:
    terms, args = dictionary(), args[:1] if function == COPY else args
    found = applied(function, rows, *args, terms=terms)
    plan = Apply(scan(FACTS), function, args, (0,))
    assert cells(found) == defined(plan, {FACTS: rows}, terms)


@pytest.mark.parametrize("function", DEFINED)
@given(rows=deltas(2, terms=len(TERMS), most=6))
def test_a_function_is_linear(function: str, rows) -> None:
    """`f(A + B) = f(A) + f(B)`"""
    terms = dictionary()
    whole = applied(function, rows, 0, 1, terms=terms)
    for one, two in partitions(rows):
        parts = [applied(function, part, 0, 1, terms=terms) for part in (one, two)]
        assert np.array_equal(np.vstack(parts), whole)


@given(function=st.sampled_from(FUNCTIONS), choices=PAIRS, args=OPERANDS, times=TIMES)
def test_a_function_gives_its_value_or_no_row(
    function: str, choices: list[tuple[int, int]], args: tuple[Operand, Operand], times: int
) -> None:
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = ApplyNode(Apply(SOURCE, function, args, (1,)), Stream(SOURCE), terms)
        every = [given_to(terms, row, args) for row in rows.tolist()]
        values = [outcome(function, *each) for each in every]
        expected = [
            [row[1], terms.lookup(str(value)), *row[3:]]
            for row, value in zip(node_rows(node, rows), values, strict=True)
            if value is not None
        ]
        assert node.apply(rows).tolist() == expected
        missed = [each for each, value in zip(every, values, strict=True) if value is None] * 2
        agrees(node.outside, missed)
        check_dictionary(terms)


def node_rows(node: ApplyNode, rows: Rows) -> list[list[int]]:
    """The rows, after the node has seen them once: what it computes has its id then."""
    node.apply(rows)
    found: list[list[int]] = rows.tolist()
    return found


def test_a_value_that_is_forgotten_is_computed_anew() -> None:
    for terms in dictionaries():
        one = str(Literal("1", XSD + "integer"))
        node = ApplyNode(Apply(SOURCE, FUNC + "numeric-add", (1, one), ()), Stream(SOURCE), terms)
        for start in range(3):
            number = terms.encode(str(Literal(str(10 * start), XSD + "integer")))
            row = np.array([[number, number, number, start, start + 1]], np.int64)
            ((value, *_),) = node.apply(row).tolist()
            assert terms.decode(value) == str(Literal(str(10 * start + 1), XSD + "integer"))
            node.forget()
            terms.sweep(start + 2)  # so that the next numbers have the ids of these
