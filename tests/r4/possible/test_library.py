"""`Engine.possible` and `Engine.prospects`: what may become true, from Python."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, Namespace, Variable

from r4 import Engine

EX = Namespace("urn:ex:")
TEXT = (
    "Document( Prefix(ex <urn:ex:>) Window(3) Group( (* ex:rule *) "
    "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ) ) ) )"
)
FACT = (EX.s, EX["is"], EX.bad)


def engine(text: str = TEXT, **options: Any) -> Engine:
    return Engine.from_text(text, **{"hypotheses": True, **options})


def codes(of: Engine) -> list[str]:
    return [warning.code for warning in of.warnings]


def told(of: Engine) -> list[tuple[str, object]]:
    return [(each.status, each.at) for each in of.prospects()]


def test_what_is_possible_is_asked_at_any_time() -> None:
    of = engine()
    assert of.possible() == []
    of.add([(EX.s, EX.a, EX.t)], at=1)
    (known,) = of.possible()
    assert known.triple == FACT
    assert [(each.triple, each.start, each.until) for each in known.evidence] == [
        ((EX.s, EX.a, EX.t), 1, 4)
    ]
    assert [(each.triple, each.until) for each in known.hypotheses] == [((EX.t, EX.b, EX.m), 3)]
    assert (known.deadline, known.rule) == (3, "urn:ex:rule")
    of.add([(EX.t, EX.b, EX.m)], at=1)
    assert [each.triple for each in of.possible() if EX.s in (each.triple or ())] == []


def test_what_becomes_of_it_is_told_as_time_moves_on() -> None:
    of = engine()
    of.add([(EX.s, EX.a, EX.t)], at=1)
    assert told(of) == []
    of.add([(EX.u, EX.a, EX.u)], at=2)
    assert told(of) == [("supported", 1)]
    of.advance(3)
    assert told(of) == [("supported", 2), ("withdrawn", 3)]
    of.add([(EX.u, EX.b, EX.m)], at=4)
    of.finish()
    found = {each.status: each for each in of.prospects()}
    assert found["confirmed"].possible.triple == (EX.u, EX["is"], EX.bad)
    assert found["supported"].possible.triple == (Variable("x"), EX["is"], EX.bad)


def test_why_it_is_withdrawn_is_told() -> None:
    of = engine()
    of.add([(EX.s, EX.a, EX.t)], at=1, name="urn:ex:g")
    of.add([(EX.u, EX.a, EX.v)], at=2)
    of.retract(name="urn:ex:g", at=2)
    of.advance(9)
    ended = [each for each in of.prospects() if each.status == "withdrawn"]
    assert [(each.because, each.retracted) for each in ended] == [
        (None, (EX.s, EX.a, EX.t)),
        ((EX.v, EX.b, EX.m), None),
    ]
    of.add([(EX.s, EX.a, EX.t)], at=20)
    of.finish(None)
    assert [each.because for each in of.prospects()] == [None, "end of input"]


def test_changes_are_those_of_an_engine_without_hypotheses() -> None:
    one, other = engine(), engine(hypotheses=False)
    for of in (one, other):
        of.add_static([(EX.s, RDF.type, EX.Thing)])
        of.add([(EX.s, EX.a, EX.t)], at=1)
        of.add([(EX.t, EX.b, EX.m)], at=2)
        of.finish(None)
    assert list(one.changes()) == list(other.changes())
    assert list(other.prospects()) == []
    assert other.possible() == []


def test_static_data_say_what_is_not_expected() -> None:
    of = engine()
    of.add_static([(EX.t, EX.b, EX.other)])
    of.add([(EX.s, EX.a, EX.t)], at=1)
    assert of.possible() == []
    of = engine(expect=[str(EX.a), str(EX.b)])
    of.add_static([(EX.t, EX.b, EX.other)])
    of.add([(EX.s, EX.a, EX.t)], at=1)
    assert len(of.possible()) == 1


def test_times_are_datetimes_where_stamps_are() -> None:
    of = engine(window="1m", delay="30s")
    of.add([(EX.s, EX.a, EX.t)], at=datetime(2026, 6, 1, 14, tzinfo=UTC))
    (known,) = of.possible()
    assert known.deadline == datetime(2026, 6, 1, 14, 1, 29, 999000, tzinfo=UTC)


def test_rules_that_are_not_followed_are_among_the_warnings() -> None:
    of = engine(TEXT.replace("?x[ex:a -> ?y]", "BoxMinus [0, 1] ( ?x[ex:a -> ?y] )"))
    assert codes(of) == []
    of.add([(EX.s, EX.a, EX.t)], at=1)
    assert codes(of) == ["R4501"]


AHEAD = TEXT.replace("?x[ex:a -> ?y]", "DiamondPlus [0, 3] ( ?x[ex:a -> ?y] )")


@pytest.mark.parametrize(("text", "found"), [(TEXT, []), (AHEAD, ["R4508"])])
def test_a_retraction_before_what_rules_look_ahead_to_is_final_is_among_the_warnings(
    text: str, found: list[str]
) -> None:
    of = engine(text)
    of.add([(EX.s, EX.a, EX.t)], at=1, name="urn:ex:g")
    of.advance(2)
    assert codes(of) == []
    of.retract(name="urn:ex:g", at=3)
    assert codes(of) == found


def test_such_an_engine_stays_as_it_is(tmp_path: Path) -> None:
    of = engine()
    for change in (
        lambda: of.add_rules(TEXT),
        lambda: of.drop_rules(1),
        lambda: of.save(tmp_path / "saved"),
    ):
        with pytest.raises(ValueError, match="an engine with hypotheses"):
            change()


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="none of True, subjects, triples"):
        engine(hypotheses="quads")
    with pytest.raises(ValueError, match="not of instances"):
        engine(semantics="instances")
