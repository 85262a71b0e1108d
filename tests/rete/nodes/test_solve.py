"""Solved predicates: the new rows with each value of which a predicate is true."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rete.graph.streams import Stream
from rete.nodes.solve import Solve, SolveNode
from rete.terms.builtin_calls import UNKNOWN_ARGUMENT
from rif.builtins import BUILTINS
from rif.syntax.terms import PRED, XSD, GroundList, Literal
from tests.rete.nodes.builtin_rows import (
    PAIRS,
    SOLVED,
    SOURCE,
    TIMES,
    agrees,
    delta,
    dictionaries,
)
from tests.rete.nodes.by_cell import matrix


def test_a_row_comes_out_once_for_each_member_of_its_list() -> None:
    one, two = (Literal(text, XSD + "integer") for text in ("1", "2"))
    for terms in dictionaries():
        (pair,) = terms.encode_many([str(GroundList((one, two, one)))]).tolist()
        node = SolveNode(
            Solve(SOURCE, PRED + "list-contains", (1, None), (0,)), Stream(SOURCE), terms
        )
        found = node.apply(matrix([(7, pair, 8, 0, 9)], 3))
        assert found.tolist() == [
            [7, terms.lookup(str(one)), 0, 9],
            [7, terms.lookup(str(two)), 0, 9],
        ]


@given(predicate=st.sampled_from(SOLVED), choices=PAIRS, times=TIMES)
def test_a_predicate_is_solved_for_an_argument(
    predicate: str, choices: list[tuple[int, int]], times: int
) -> None:
    solve = BUILTINS[predicate].solve
    assert solve is not None
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = SolveNode(Solve(SOURCE, predicate, (1, None), (2,)), Stream(SOURCE), terms)
        found = node.apply(rows)
        expected: list[list[int]] = []
        missed = []
        for row in rows.tolist():
            solutions = solve(terms.term(row[1]), None)
            if solutions is None:
                missed.append([terms.term(row[1]), UNKNOWN_ARGUMENT])
            values = dict.fromkeys(terms.lookup(str(each[1])) for each in solutions or ())
            expected += [[row[2], value, *row[3:]] for value in values]
        assert found.tolist() == expected
        agrees(node.outside, missed)
