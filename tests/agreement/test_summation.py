"""Aggregates over endless time: what they have counted for good may be forgotten unseen."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from r4 import Engine
from rete.network import summation
from tests.seeds import parts
from tests.simulation.summation import compare, random_case, recent

PART = 20


@pytest.mark.compared
@pytest.mark.parametrize("retracts", [False, True], ids=["keeps", "retracts"])
@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=100))
def test_what_is_summed_up_is_missed_nowhere(first: int, retracts: bool, tmp_path: Path) -> None:
    summing = answering = 0
    for seed in range(first, first + PART):
        case = random_case(seed, retracts=retracts)
        found = compare(case, seed, tmp_path)
        assert found.found == found.wanted, f"{seed}\n{case.rules}\n{case.elements}"
        summing += found.summed > 0
        answering += len(found.wanted) > 1
    assert summing > PART // 3
    assert answering > PART // 2


LAST_AND_SUM = """Document( Prefix(ex <urn:ex:>) Group(
  Forall ?s ?x ( ?s[ex:last -> ?x] :-
    ?x = last{ ?v ?t [?s] | DiamondMinus [0, inf) ( At ?t ( ?s[ex:reads -> ?v] ) ) } )
  Forall ?s ?x ( ?s[ex:sum -> ?x] :-
    ?x = sum{ ?v [?s] | DiamondMinus [0, inf) ( At ?t ( ?s[ex:reads -> ?v] ) ) } ) ) )"""


def read(engine: Engine, stamps: range) -> None:
    """At each stamp a reading of that value, named by it."""
    for at in stamps:
        engine.add(f"<urn:ex:s> <urn:ex:reads> {at} .", at=at, name=f"urn:e:{at}")


def values(engine: Engine, at: int) -> dict[str, str]:
    """What is told last to hold, by predicate, once time has come there."""
    engine.advance(at)
    told = [each for each in engine.changes() if each.op == "+" and each.triple]
    return {str(each.triple[1])[7:]: str(each.triple[2]) for each in told if each.triple}


def test_a_retraction_of_what_was_summed_up_has_no_effect() -> None:
    """The latest two readings at least can be taken back, and then what was before them."""
    with recent(2, []):
        engine = Engine.from_text(LAST_AND_SUM)
        read(engine, range(1, 11))
        assert values(engine, 10) == {"last": "10", "sum": "55"}
        engine.retract(name="urn:e:1", at=11)
        engine.retract(name="urn:e:3", at=11)
        assert values(engine, 11) == {}
        assert engine.counters.without_effect == 2
        engine.retract(name="urn:e:10", at=12)
        assert values(engine, 12) == {"last": "9", "sum": "45"}
        engine.retract(name="urn:e:9", at=13)
        assert values(engine, 13) == {"last": "8", "sum": "36"}


def test_an_explanation_says_that_members_were_summed_up() -> None:
    with recent(2, []):
        engine = Engine.from_text(LAST_AND_SUM)
        read(engine, range(1, 21))
        values(engine, 20)
        text = str(engine.explain("<urn:ex:s> <urn:ex:sum> 210 .", at=20))
    assert "members and older ones that were summed up, since 20, as" in text


def test_what_is_held_does_not_grow_with_the_readings() -> None:
    def held(engine: Engine) -> int:
        core = engine._run.core
        core.forget()
        return sum(stem.n for network in core.layers.networks for stem in network.stems)

    counts = []
    with recent(8, []):
        engine = Engine.from_text(LAST_AND_SUM)
        for begin in range(1, 400, 100):
            read(engine, range(begin, begin + 100))
            list(engine.changes())
            counts.append(held(engine))
    assert max(counts) - min(counts) < 16


def test_rows_of_terms_that_are_known_are_summed_up_too() -> None:
    """The dictionary does not grow, so it never asks for anything to be forgotten."""
    with patch.object(summation, "RECENT", 40):
        engine = Engine.from_text(LAST_AND_SUM)
        for at in range(200):
            texts = (f"<urn:ex:s{number}> <urn:ex:reads> {at % 3} ." for number in range(10))
            engine.add("".join(texts), at=at)
            list(engine.changes())
        layers = engine._run.core.layers
    stems = [stem for network in layers.networks for stem in network.stems]
    assert layers.base_table is not None
    assert sum(stem.n for stem in stems) + layers.base_table.held < 2000


def test_memory_is_not_said_to_grow() -> None:
    """But for a median, of which no member may go, and where sums could count a row twice."""
    operator = "DiamondMinus [0, inf) ( At ?t ( ?s[ex:reads -> ?v] ) )"
    shown = "DiamondMinus [0, inf) ( At ?u ( ?s[ex:reads -> ?w] ) )"
    reason = "what a range to inf looks back on holds for ever, so memory is not bounded"
    reasons = {
        f"?x = avg{{ ?v [?s] | {operator} }}": "",
        f"?x = max{{ ?v [?s] | {operator} }}": "",
        f"?x = median{{ ?v [?s] | {operator} }}": reason,
        "?x = sum{ ?v [?s] | DiamondMinus [0, inf) ( ?s[ex:reads -> ?v] ) }": reason,
        f"And( ?x = avg{{ ?v [?s] | {operator} }} Exists ?u ?w ( {shown} ) )": reason,
    }
    for body, wanted in reasons.items():
        rule = f"Forall ?s ?v ?x ( ?s[ex:x -> ?x] :- {body} )"
        engine = Engine.from_text(f"Document( Prefix(ex <urn:ex:>) Group( {rule} ) )")
        assert engine._unbounded == wanted, body
