"""Scans: `σ(ΔF)`, the new facts that match a pattern; a fact matches on its own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.nodes.scan import Scan, scan_questions
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Relation
from tests.rete.nodes.by_cell import cells, defined, deltas, matrix, network, partitions

FACTS = Relation("<urn:p>", 3)
TERMS = ("<urn:1>", "<urn:2>")


def patterns() -> st.SearchStrategy[Scan]:
    """Scans of atoms of three arguments: constants, equal arguments, any projection."""
    places = st.integers(0, 2)
    constants = st.dictionaries(places, st.sampled_from(TERMS), max_size=2)
    equal = st.lists(st.tuples(places, places), max_size=1)
    keep = st.lists(places, max_size=3)
    return st.builds(
        lambda constants, equal, keep: Scan(
            FACTS, tuple(sorted(constants.items())), tuple(equal), tuple(keep)
        ),
        constants,
        equal,
        keep,
    )


def scanned(plan: Scan, facts: np.ndarray, terms: Dictionary) -> list[np.ndarray]:
    """What a scan gets of facts."""
    return [rows for _, rows in network(plan, terms).route(FACTS, facts)]


def dictionary() -> Dictionary:
    """Terms whose ids are 1, 2, …, as `deltas` draws them."""
    terms = Dictionary()
    assert terms.encode_many(list(TERMS)).tolist() == [1, 2]
    return terms


def test_a_pattern_has_constants_equal_arguments_and_columns_that_stay() -> None:
    plan = Scan(FACTS, ((0, "<urn:1>"),), ((1, 2),), (2,))
    facts = matrix([(1, 2, 2, 0, 9), (1, 1, 2, 0, 9), (2, 2, 2, 0, 9)], 3)
    (rows,) = scanned(plan, facts, dictionary())
    assert rows.tolist() == [[2, 0, 9]]


@given(plan=patterns(), facts=deltas(3, most=8))
def test_a_scan_gives_the_facts_that_match(plan: Scan, facts) -> None:
    terms = dictionary()
    assert cells(*scanned(plan, facts, terms)) == defined(plan, {FACTS: facts}, terms)


@given(plan=patterns(), facts=deltas(3, most=4))
def test_a_scan_is_linear(plan: Scan, facts) -> None:
    """`σ(A + B) = σ(A) + σ(B)`, where rows may repeat."""
    terms = dictionary()
    whole = distinct(scanned(plan, facts, terms))
    for one, two in partitions(facts):
        parts = [*scanned(plan, one, terms), *scanned(plan, two, terms)]
        assert distinct(parts) == whole


def distinct(parts: list[np.ndarray]) -> list[tuple[int, ...]]:
    """Each row once, in the order in which they come first."""
    return [*dict.fromkeys(tuple(row) for rows in parts for row in rows.tolist())]


def test_a_question_about_rows_is_one_about_facts() -> None:
    terms = dictionary()
    plan = Scan(TRIPLES, ((1, "<urn:2>"),), (), (2, 0))
    stream = network(plan, terms).streams[plan]
    questions, places = scan_questions(stream, plan, matrix([(7, 0, 9)], 1), (1,))
    assert (questions.tolist(), places) == ([[2, 7, 0, 9]], (1, 0))


def test_a_row_tells_the_whole_fact_if_no_argument_is_left_out() -> None:
    assert Scan(FACTS, ((0, "<urn:1>"),), ((1, 2),), (2,)).is_injective
    assert Scan(FACTS, ((0, "<urn:1>"),), (), (2,)).places_told == {0: None, 2: 0}
    assert not Scan(FACTS, ((0, "<urn:1>"),), (), (2,)).is_injective
