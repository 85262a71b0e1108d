"""Filters: `σ(ΔS)`, the new rows of which a predicate is true; each row counts on its own."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.graph.streams import Stream
from rete.nodes.filter import EQUAL, KINDS, ORDER, SAME_TERM, Filter, FilterNode
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Operand, Relation
from rif.builtins.extensions import R4_BUILTIN
from rif.syntax.terms import PRED, XSD, Literal
from tests.oracles.rdf.values import PREDICATES
from tests.rete.nodes.builtin_rows import (
    FILTERS,
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
from tests.rete.nodes.builtin_rows import TERMS as EVERY_TERM
from tests.rete.nodes.by_cell import cells, defined, deltas, matrix, partitions, scan

FACTS = Relation("<urn:p>", 2)
TERMS = [
    *(str(Literal(text, XSD + "integer")) for text in ("1", "01", str(2**53), str(2**53 + 1))),
    str(Literal("1.0", XSD + "decimal")),
    *(str(Literal(text)) for text in ("1", "12")),
    "<urn:a>",
]
"""Two are different integers, and one double."""
ARGS = st.tuples(*[st.sampled_from([0, 0, 1, 1, *TERMS])] * 2)


def dictionary() -> Dictionary:
    """Terms whose ids are 1, 2, …, as `deltas` draws them."""
    terms = Dictionary()
    assert terms.encode_many(TERMS).tolist() == list(range(1, len(TERMS) + 1))
    return terms


def filtered(test: str, rows: np.ndarray, *args: Operand) -> np.ndarray:
    plan = Filter(scan(FACTS), test, args, (0, 1))
    return FilterNode(plan, Stream(plan), dictionary()).apply(rows)


def test_rows_pass_of_which_the_predicate_is_true() -> None:
    rows = matrix([(1, 3, 0, 9), (3, 1, 0, 9), (1, 8, 0, 9)], 2)  # 1 < 2; 2 < 1; 1 < <urn:a>
    passed = filtered(PRED + "numeric-less-than", rows, 0, 1)
    assert passed.tolist() == [[1, 3, 0, 9]]


@pytest.mark.parametrize("test", [EQUAL, SAME_TERM, *PREDICATES])
@given(rows=deltas(2, terms=len(TERMS), most=12), args=ARGS)
def test_what_passes_is_what_the_definition_says(test: str, rows, args) -> None:
    plan = Filter(scan(FACTS), test, args, (0, 1))
    assert cells(filtered(test, rows, *args)) == defined(plan, {FACTS: rows}, dictionary())


@pytest.mark.parametrize("test", [EQUAL, SAME_TERM, *PREDICATES])
@given(rows=deltas(2, terms=len(TERMS), most=6))
def test_a_filter_is_linear(test: str, rows) -> None:
    """`σ(A + B) = σ(A) + σ(B)`, though many rows are compared at once, and few one by one."""
    whole = filtered(test, rows, 0, 1)
    for one, two in partitions(rows):
        parts = [filtered(test, part, 0, 1) for part in (one, two)]
        assert np.array_equal(np.vstack(parts), whole)


@given(test=st.sampled_from(FILTERS), choices=PAIRS, args=OPERANDS, times=TIMES)
def test_a_filter_lets_pass_what_its_predicate_is_true_of(
    test: str, choices: list[tuple[int, int]], args: tuple[Operand, Operand], times: int
) -> None:
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = FilterNode(Filter(SOURCE, test, args, (1, 2)), Stream(SOURCE), terms)
        every = [given_to(terms, row, args) for row in rows.tolist()]
        outcomes = [outcome(test, *each) for each in every]
        for part in (rows[:0], rows):
            passed = node.apply(part)
        assert np.array_equal(passed, rows[[found is True for found in outcomes]][:, 1:])
        missed = [each for each, found in zip(every, outcomes, strict=True) if found is None]
        agrees(node.outside, missed)
        plan = Filter(SOURCE, test, args, (1, 2), passes=False)
        rest = FilterNode(plan, Stream(SOURCE), terms)
        others = rows[[found is not True for found in outcomes]][:, 1:]
        assert np.array_equal(rest.apply(rows), others)
        agrees(rest.outside, missed)


EVERY_PAIR = list(product(range(len(EVERY_TERM)), range(len(EVERY_TERM))))


@pytest.mark.parametrize("test", [*ORDER, R4_BUILTIN + "equal"])
def test_an_operator_of_all_pairs_at_once(test: str) -> None:
    for terms in dictionaries():
        rows = delta(terms, EVERY_PAIR, 1)
        node = FilterNode(Filter(SOURCE, test, (1, 2), (1, 2)), Stream(SOURCE), terms)
        every = [given_to(terms, row, (1, 2)) for row in rows.tolist()]
        outcomes = [outcome(test, *each) for each in every]
        assert np.array_equal(node.apply(rows), rows[[found is True for found in outcomes]][:, 1:])
        missed = [each for each, found in zip(every, outcomes, strict=True) if found is None]
        agrees(node.outside, missed)


@pytest.mark.parametrize("test", [*KINDS, R4_BUILTIN + "is-numeric"])
def test_the_kind_of_all_terms_at_once(test: str) -> None:
    for terms in dictionaries():
        rows = delta(terms, EVERY_PAIR, 1)
        node = FilterNode(Filter(SOURCE, test, (1,), (1, 2)), Stream(SOURCE), terms)
        outcomes = [outcome(test, *given_to(terms, row, (1,))) for row in rows.tolist()]
        assert np.array_equal(node.apply(rows), rows[[found is True for found in outcomes]][:, 1:])


@given(
    test=st.sampled_from(
        [
            *(f"{R4_BUILTIN}is-{kind}" for kind in ("iri", "blank", "literal", "numeric")),
            R4_BUILTIN + "ill-typed",
            PRED + "is-list",
        ]
    ),
    choices=PAIRS,
    arg=OPERANDS,
    times=TIMES,
)
def test_a_filter_of_one_argument(
    test: str, choices: list[tuple[int, int]], arg: tuple[Operand, Operand], times: int
) -> None:
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = FilterNode(Filter(SOURCE, test, arg[:1], (0,)), Stream(SOURCE), terms)
        every = [given_to(terms, row, arg[:1]) for row in rows.tolist()]
        expected = rows[[bool(outcome(test, *each)) for each in every]][:, [0, 3, 4]]
        assert np.array_equal(node.apply(rows), expected)
        assert node.outside.count == 0
