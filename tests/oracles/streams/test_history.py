"""What counts at an instant, on histories small enough to be read."""

from __future__ import annotations

import json

import pytest

from rif.syntax.terms import IRI
from tests.generators.rules.parsers import parse
from tests.oracles.streams.history import (
    History,
    HistoryElement,
    HistoryItem,
    RuleLeaves,
    RulesJoin,
)
from tests.oracles.streams.history_answers import expected_lines

RULES = "Document(Prefix(ex <http://e/>) Group({}))"
FACT = (IRI("http://e/a"), IRI("http://e/p"), IRI("http://e/b"))


def told(rule: str, *items: HistoryItem, static: bool = False, metric: bool = False) -> list[str]:
    document = parse(RULES.format(f"Forall ?x ?y ({rule})")).document
    statics = (FACT,) if static else ()
    lines = expected_lines(History(document, statics, (items,), metric=metric))
    return [f"{one['op']}{one['at']}" for one in map(json.loads, lines)]


def asserts(at: int, *, end: int | None = None, name: str = "http://g/1") -> HistoryElement:
    return HistoryElement(name, at, end, (FACT,))


def retracts(at: int) -> HistoryElement:
    return HistoryElement("http://g/r", at, None, (), ("http://g/1",))


def moves(at: int) -> HistoryElement:
    return HistoryElement("http://g/m", at, None, ())


PLAIN = "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]"
LOOKS_BACK = "?x[ex:t -> ?y] :- DiamondMinus [0, 10] (?x[ex:p -> ?y])"
LOOKS_AHEAD = "?x[ex:t -> ?y] :- BoxPlus [0, 3] (?x[ex:p -> ?y])"
SHIFTED = "(* ex:joined *) Forall ?x ?y (?x[ex:u -> ?y] :- DiamondMinus [3, 3] (?x[ex:p -> ?y]))"


def test_what_was_said_before_a_retraction_stays() -> None:
    assert told(PLAIN, asserts(5), retracts(7)) == ["+5", "-7"]


def test_from_the_frontier_on_nothing_looks_back_on_what_was_retracted() -> None:
    assert told(LOOKS_BACK, asserts(5), retracts(7), moves(30), metric=True) == ["+5", "-7"]


def test_before_the_frontier_what_looks_ahead_sees_what_is_retracted() -> None:
    items = asserts(5, end=12), retracts(7), moves(30)
    assert told(LOOKS_AHEAD, *items, metric=True) == ["+5", "-7"]


def test_another_assertion_of_a_retracted_fact_counts() -> None:
    items = asserts(5), asserts(6, name="http://g/2"), retracts(7), moves(9)
    assert told(PLAIN, *items) == ["+5"]


def test_a_rule_that_joins_looks_back_on_what_ended_before() -> None:
    joins = RulesJoin(parse(RULES.format(SHIFTED)).document)
    items = asserts(1, end=6), moves(4), joins, moves(30)
    assert told("?x[ex:t -> ?y] :- ?x[ex:q -> ?y]", *items, metric=True) == ["+4", "-9"]


@pytest.mark.parametrize("at", [-9, 9, 29])
def test_what_follows_from_static_data_ends_when_its_rule_leaves(at: int) -> None:
    items = moves(at), RuleLeaves(1), moves(at + 20)
    assert told(PLAIN, *items, static=True) == ["+None", f"-{at}"]
