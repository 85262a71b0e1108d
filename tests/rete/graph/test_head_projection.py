"""Heads: `π(ΔB)`, the facts that new rows of a body derive, and which rows may derive a fact."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from rete.graph.head_projection import HeadProjection
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from tests.rete.nodes.by_cell import deltas, matrix

TERMS = ("<urn:1>", "<urn:2>", "<urn:3>")
IDS = {text: number for number, text in enumerate(TERMS, 1)}

heads = st.lists(st.sampled_from([0, 1, *TERMS]), min_size=1, max_size=4).map(tuple)
"""The arguments of heads over rows of two columns."""


def head(args: tuple[int | str, ...]) -> HeadProjection:
    terms = Dictionary()
    assert terms.encode_many(list(TERMS)).tolist() == [1, 2, 3]
    return HeadProjection(Head(Relation("<urn:h>", len(args)), args), terms)


def fact(args: tuple[int | str, ...], row: tuple[int, ...]) -> list[int]:
    """The fact of a row, by the definition."""
    return [row[arg] if isinstance(arg, int) else IDS[arg] for arg in args]


def test_a_fact_has_constants_and_columns_of_the_body() -> None:
    assert head((1, "<urn:3>", 1)).facts(matrix([(1, 2, 0, 9)], 2)).tolist() == [[2, 3, 2, 0, 9]]


def test_a_fact_asks_for_rows_if_its_constants_are_those_of_the_head() -> None:
    made = head((1, "<urn:3>", 1))
    facts = matrix([(2, 3, 2, 0, 9), (2, 1, 2, 0, 9), (2, 3, 1, 0, 9)], 3)
    asked = made.asks(facts)
    assert asked.tolist() == [[2, 3, 2, 0, 9]]
    assert (made.places, made.known) == ((0,), (1,))  # argument 0 is column 1


@given(args=heads, rows=deltas(2, terms=3))
def test_each_row_derives_its_fact(args, rows) -> None:
    expected = [[*fact(args, tuple(row[:2])), *row[2:]] for row in rows.tolist()]
    assert head(args).facts(rows).tolist() == expected


@given(args=heads)
def test_the_rows_asked_for_are_all_that_derive_the_fact(args) -> None:
    made, ids = head(args), (1, 2, 3)
    every = list(product(ids, repeat=2))
    for terms in product(ids, repeat=len(args)):
        asked = made.asks(matrix([(*terms, 0, 9)], len(args))).tolist()
        known = [
            {column: question[place] for column, place in zip(made.known, made.places, strict=True)}
            for question in asked
        ]
        found = [
            row for row in every if any(all(row[c] == t for c, t in one.items()) for one in known)
        ]
        assert found == [row for row in every if fact(args, row) == list(terms)]


@given(args=heads)
def test_a_head_is_injective_if_different_rows_derive_different_facts(args) -> None:
    facts = {tuple(fact(args, row)) for row in product((1, 2, 3), repeat=2)}
    assert head(args).is_injective(2) == (len(facts) == 9)
