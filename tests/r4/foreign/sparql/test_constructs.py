"""What a CONSTRUCT derives from static data is what engines of SPARQL construct of them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Final

import pytest
import rdflib

from tests.r4.foreign.sparql.queries import PROLOGUE, by_oxigraph, by_r4, by_rdflib, graph
from tests.seeds import parts

QUERIES: Final[dict[str, str]] = {}
"""The queries, with the line above each: which engine is right."""
with Path(__file__).with_name("constructs.txt").open(encoding="utf-8") as _file:
    for _line in map(str.strip, _file):
        if _line.startswith("#"):
            _section = _line
        else:
            QUERIES[_line] = _section


@pytest.fixture(autouse=True)
def _by_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    """rdflib compares literals of unlike kinds only if it is told not to follow SPARQL."""
    monkeypatch.setattr(rdflib, "DAWG_LITERAL_COLLATION", True)


@pytest.mark.parametrize("seed", parts(1, check=1, test=2, soak=60))
@pytest.mark.parametrize("query", QUERIES)
def test_a_construct_derives_what_engines_of_sparql_construct(
    query: str, seed: int, tmp_path: Path
) -> None:
    engines = QUERIES[query]
    data = graph(Random(f"{seed} {query}"))  # noqa: S311 - it makes a case
    found = by_r4(PROLOGUE + query, data, tmp_path)
    if "rdflib alone" in engines or "Both" in engines:
        assert found == by_rdflib(PROLOGUE + query, data), data
    if "Oxigraph alone" in engines or "Both" in engines:
        assert found == by_oxigraph(PROLOGUE + query, data), data


def test_there_are_many_queries() -> None:
    assert len(QUERIES) > 80
