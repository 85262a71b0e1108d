"""Queries at random have the rows that Oxigraph finds.

They have no ``?`` and ``|`` in paths: Oxigraph finds no path of no steps to a term that is not in
the graph, and counts two alternatives as one where they lead to the same term.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.r4.foreign.sparql.queries import PROLOGUE, Refused, rows_by_oxigraph, rows_by_r4
from tests.r4.foreign.sparql.random_queries import data, query
from tests.seeds import parts

SIZE = 40


@pytest.mark.parametrize("first", parts(SIZE, check=1, test=3, soak=60))
def test_a_query_has_the_rows_of_another_engine(first: int, tmp_path: Path) -> None:
    answered = refused = 0
    for seed in range(first, first + SIZE):
        random = Random(seed)  # noqa: S311 - it makes a case
        text = PROLOGUE + query(random)
        for _ in range(2):
            graph = data(random)
            wanted = rows_by_oxigraph(text, graph)
            try:
                found = rows_by_r4(text, graph, tmp_path)
            except Refused as why:
                assert "R4103" in str(why)  # noqa: PT017 - an aggregate of many cases is too long
                refused += 1
                continue
            assert found == wanted, (seed, text, graph)
            answered += bool(wanted)
    assert answered > refused
