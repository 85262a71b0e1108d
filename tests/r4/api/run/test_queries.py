"""What holds at an instant: right as long as all of it is known, else refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Namespace

from r4.api import Engine, ForgottenInstant

EX = Namespace("urn:ex:")
DERIVED = """
Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])
Forall ?x ?y (?x[ex:only -> ?y] :- And(?x[ex:p -> ?y] Naf(?y[ex:p -> ?x])))
"""
AHEAD = DERIVED + "Forall ?x ?y (?x[ex:then -> ?y] :- DiamondPlus [1 ms, 2 ms] (?x[ex:p -> ?y]))"


def engine(rules: str, window: int | None) -> Engine:
    return Engine.from_text(text_of(rules, window), lenient=True)


def text_of(rules: str, window: int | None) -> str:
    told = "" if window is None else f"Window({window})"
    return f"Document( Prefix(ex <urn:ex:>) {told} Group({rules}) )"


def held(changes: list, at: int) -> set:
    """The facts that the lines say hold at an instant."""
    found: set = set()
    for change in changes:
        if change.at <= at:
            (found.add if change.op == "+" else found.discard)(change.triple)
    return found


def forget(running: Engine) -> None:
    running._run.core.forget()  # as when memory is short


@given(
    rules=st.sampled_from([DERIVED, AHEAD]),
    window=st.none() | st.integers(1, 6),
    steps=st.lists(
        st.tuples(st.integers(0, 3), *[st.sampled_from("ab")] * 2, *[st.booleans()] * 2),
        max_size=12,
    ),
    restored=st.booleans(),
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_told_of_an_instant_is_what_held_there(
    rules: str, window: int | None, steps: list, restored: bool, tmp_path_factory
) -> None:
    running, now = engine(rules, window), 1
    changes: list = []
    for pause, subject, value, retracts, forgets in steps:
        now += pause
        name = EX[subject + value]
        if retracts:
            running.retract(name=name, at=now)
        else:
            running.add([(EX[subject], EX.p, EX[value])], at=now, name=name)
        changes += running.changes()
        if forgets:
            forget(running)
    if restored:
        path = tmp_path_factory.mktemp("state") / "s"
        running.save(path)
        running = Engine.load(path, text_of(rules, window), lenient=True)
    running.advance(now + 3)
    changes += running.changes()
    final = now + 4 - (2 if rules == AHEAD else 0)
    refused = True
    for at in range(final):
        try:
            found = set(running.current(at))
        except ForgottenInstant:
            assert refused, "what is known of an instant is known of later ones"
        else:
            refused = False
            assert found == held(changes, at), at
    assert set(running.current(final - 1)) == held(changes, final - 1)
    assert set(running.current()) == held(changes, final - 1)


def test_without_a_window_all_of_the_past_is_known() -> None:
    running = engine("Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])", None)
    for at in range(1, 200):
        running.add([(EX[f"s{at}"], EX.p, EX.o)], at=at)
    forget(running)
    assert [len(running.current(at)) for at in (0, 1, 100, 199)] == [0, 1, 100, 199]


def test_with_a_window_what_is_forgotten_is_refused_and_said() -> None:
    running = engine("Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])", 5)
    running.add([(EX.s, EX.p, EX.o)], at=1)
    running.add([(EX.t, EX.p, EX.o)], at=20)
    assert len(running.current(3)) == 1
    forget(running)
    with pytest.raises(ForgottenInstant, match="what held at 3 is forgotten in part; all is known"):
        running.current(3)
    assert not len(running.current(10))
    assert len(running.current(20)) == 1


def test_of_a_rule_that_was_dropped_nothing_is_known() -> None:
    running = engine(DERIVED, None)
    running.add([(EX.s, EX.p, EX.o)], at=1)
    running.advance(5)
    running.drop_rules(1)
    with pytest.raises(ForgottenInstant, match="all is known from 6 on"):
        running.current(5)
    assert len(running.current(6)) == 1
