"""The heads that conclude what stands at a cursor."""

from __future__ import annotations

import pytest

from r4.language_server.definitions import definitions
from tests.r4.language_server.cursor import cursor

RULES = """@prefix ex: <urn:ex:> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
?x[ex:hot -> 1] :- ?x # ex:Oven.
And( ex:near(?x, ?y) ?y[ex:hot -> 1, ex:b -> 2] ) :- ex:near(?y, ?x).
BoxPlus [0 s, 1 h] ( _p(?x) ) :- ex:near(?x, ?x), ex:q(.
?x[rdf:type -> ex:Oven] :- _p(?x), ex:c(?x).
BoxPlus [0 s, 1 h] ( _p(?x) ) :- ex:near(?x, ?x).
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ex:ho|t(1).", [3, 4, 8]),
        ("ex:p(?x) :- ex:near|(?x, ?x).", [4]),
        ("ex:p(?x) :- <urn:ex:near|>(?x, ?x).", [4]),
        ("ex:p(?x) :- ?x # |ex:Oven.", [6]),
        ("ex:p(?x) :- _|p(?x).", [7]),
        ("ex:p(?x) :- ex:c|(?x).", []),
        ("ex:p(?x) :- (* ex:ho|t, *) ex:c(?x).", []),
        ("ex:p(?x) :- ex:c(|?x).", []),
    ],
)
def test_heads_of_a_predicate(text: str, lines: list[int]) -> None:
    assert [span.line for span in definitions(*cursor(RULES + text))] == lines
