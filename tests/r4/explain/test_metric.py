"""Answers of rules with metric operators are explained by the operators and the rows beneath."""

from __future__ import annotations

import pytest
from rdflib import Literal, Namespace

from r4 import Engine

ex = Namespace("urn:ex:")
RULES = """
Forall ?x ?y (?x[ex:hot -> ?y] :-
  And(DiamondMinus [0, 5] (?x[ex:t -> ?y]) BoxMinus [0, 1] (?x[ex:on -> ex:yes])))
Forall ?x ?y (?x[ex:alarm -> ?y] :- Since [1, 9] (?x[ex:on -> ex:yes] ?x[ex:t -> ?y]))
"""


@pytest.fixture
def running() -> Engine:
    made = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({RULES}))", lenient=True)
    made.add([(ex.a, ex.on, ex.yes)], at=1, until=9)
    made.add([(ex.a, ex.t, Literal("high"))], at=3)
    made.add([], at=5)
    return made


def test_an_operator_is_named_with_its_range_and_what_it_is_about(running: Engine) -> None:
    said = str(running.explain('ex:a ex:hot "high"', at=5))
    assert '─ DiamondMinus [0,5] (ex:a[ex:t -> "high"])' in said
    assert "─ BoxMinus [0,1] (ex:a[ex:on -> ex:yes])" in said
    said = str(running.explain('ex:a ex:alarm "high"', at=5))
    assert '─ Since [1,9] (ex:a[ex:on -> ex:yes]; ex:a[ex:t -> "high"])' in said


def test_what_an_operator_lacks_is_said(running: Engine) -> None:
    said = str(running.explain('ex:a ex:hot "low"', at=5))
    assert 'not so: DiamondMinus [0,5] (ex:a[ex:t -> "low"])' in said
