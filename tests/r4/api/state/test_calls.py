"""Calls of an engine with a state: recorded as they were made, and made again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from unittest.mock import PropertyMock, patch

import pytest
from rdflib import BNode, Graph, Literal

from r4 import Engine
from r4.api import Change, EngineBroken
from r4.api.state.engine_state import EngineState
from r4.api.values.term_texts import Statements
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.folder import StateFolder
from r4.state.journal import records
from r4.state.journal.journal import Journal
from r4.state.summary import summarise
from rif.errors.report import RuleErrors
from tests.generators.rules.parsers import parse_bytes
from tests.r4.api.state.state_engine import EX, MORE, RULES, crash


def test_every_call_is_made_again_as_it_was_made(state: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.rif"
    more.write_text(MORE, encoding="utf-8")

    def tell(engine: Engine) -> None:
        noon = datetime(2026, 6, 1, 12, tzinfo=timezone(timedelta(hours=2)))
        second = timedelta(milliseconds=1)
        engine.add_static([(EX.s, EX.p, Literal("é\n", lang="fr"))])
        engine.add("_:b ex:p 1 .", at=noon, until=noon + 9 * second, name="urn:ex:one")
        engine.add([(BNode("x"), EX.p, EX.c)], at=(noon + second).astimezone(UTC))
        engine.add_rules(more)
        engine.add_rules(parse_bytes(MORE.replace("ex:r", "ex:t").encode()).document)
        engine.heartbeat((noon + 2 * second).astimezone(UTC).replace(tzinfo=None))
        engine.add([(EX.a, EX.p, EX.d)], at=noon + 3 * second)
        assert engine.retract(name="urn:ex:one", at=noon + 4 * second) == 1
        assert engine.remove_static([(EX.s, EX.p, Literal("é\n", lang="fr"))]) == 1
        assert engine.drop_rules(2) == 1
        engine.advance(noon + 5 * second)
        assert not engine.add([(EX.a, EX.p, EX.e)], at=noon)
        engine.finish(None)

    plain, kept = Engine.from_text(RULES), Engine.from_text(RULES, state=state)
    tell(plain)
    tell(kept)
    assert kept.calls == 13
    crash(kept)
    with Engine.from_text(RULES, state=state) as again:
        assert again.calls == 13
        assert again.counters == plain.counters
        wanted = list(plain.changes())
        assert len(wanted) > 8
        assert list(again.changes()) == wanted
    with Engine.from_text(RULES, state=state) as again:  # from a checkpoint with added rules
        assert again.calls == 13
        assert not list(again.changes())
        assert len(again._run.core.program.labels) == len(plain._run.core.program.labels)


def test_a_call_that_raises_is_not_taken(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=3)
    with pytest.raises(ValueError, match="ends after it starts"):
        engine.add([(EX.a, EX.p, EX.b)], at=3, until=2)
    with pytest.raises(TypeError, match="a time is"):
        engine.add([(EX.a, EX.p, EX.b)], at=object())  # type: ignore[arg-type]
    assert engine.calls == 1
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 1


class Moment(datetime):
    """A datetime of another library."""


class Place(IntEnum):
    """A number of another library."""

    SECOND = 2


def test_calls_are_made_with_what_is_recorded(state: Path) -> None:
    labelled = RULES.replace("Forall ?x ?y (", "(* ex:first *) Forall ?x ?y (") + "\n"

    def tell(engine: Engine) -> None:
        engine.add([(EX.a, EX.p, Literal("é"))], at=Moment(2026, 6, 1, 12))
        engine.advance(datetime(2026, 6, 1, 12, 0, 0, 2000, UTC))
        assert engine.drop_rules(EX.first) == 1
        assert engine.drop_rules(Place.SECOND) == 0
        engine.finish(timedelta(milliseconds=9))

    plain, kept = Engine.from_text(labelled), Engine.from_text(labelled, state=state)
    tell(plain)
    tell(kept)
    crash(kept)
    with Engine.from_text(labelled, state=state) as again:
        wanted = list(plain.changes())
        assert len(wanted) == 2
        assert list(again.changes()) == wanted
        assert again.calls == 5


def test_what_is_no_argument_is_refused_and_not_recorded(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        for wrong in (None, 1.5, object()):
            with pytest.raises(TypeError, match="an IRI or a number"):
                engine.drop_rules(wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="no duration"):
            engine.finish(Decimal(9))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="is an IRI"):
            engine.add([(EX.a, EX.p, EX.b)], at=3, name=7)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="a text, a Path or a Document"):
            engine.add_rules(b"")  # type: ignore[arg-type]
        assert engine.calls == 0


def test_a_call_that_no_record_can_have_is_refused_before_it_is_made(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    with patch.object(records, "_MOST", 200):
        engine.add([(EX.a, EX.p, EX.b)], at=1)
        with pytest.raises(ValueError, match="in parts"):
            engine.add([(EX.a, EX.p, Literal("é" * 100))], at=2)
        engine.add([(EX.a, EX.p, Literal("é" * 30))], at=3)
        assert engine.counters.elements == engine.calls == 2
        crash(engine)
        with Engine.from_text(RULES, state=state) as engine:
            assert engine.calls == 2


@pytest.mark.parametrize("place", ["append", "add_rules"])
def test_an_interrupt_between_a_call_and_its_record_closes_the_engine(
    place: str, state: Path
) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    class Rules(list[str]):
        append = interrupt

    with ExitStack() as stack:
        if place == "append":
            stack.enter_context(patch.object(EngineState, "append", interrupt))
        else:
            assert engine._calls.state is not None
            stack.enter_context(patch.object(engine._calls.state, "rules", Rules()))
        with pytest.raises(KeyboardInterrupt):
            engine.add_rules(MORE)
    with pytest.raises(EngineBroken, match="KeyboardInterrupt"):
        engine.add([(EX.a, EX.p, EX.b)], at=2)
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == len(engine._calls.state.rules) + 1  # type: ignore[union-attr]


def test_what_a_clock_moves_is_recorded_but_is_no_call(state: Path) -> None:
    async def elements() -> AsyncIterator[tuple[Statements, int]]:
        yield [(EX.a, EX.p, EX.b)], 1
        for _ in range(9):
            await asyncio.sleep(0)

    class Steps:
        """Moves at every second look."""

        looks = 0

        def now(self) -> int:
            self.looks += 1
            return 5 + self.looks // 2

        async def sleep(self, seconds: float) -> None:
            del seconds

    async def tell(engine: Engine, steps: Steps) -> list[Change]:
        changes = engine.arun(elements(), clock=steps)
        return [change async for change in changes]

    engine, steps = Engine.from_text(RULES, state=state), Steps()
    before = asyncio.run(tell(engine, steps))
    assert steps.looks > 2
    assert engine.calls == 2
    crash(engine)
    entries = summarise(StateFolder(state))["events"]
    assert entries == {"EngineCall": 2 + 1 + steps.looks // 2}
    with Engine.from_text(RULES, state=state) as engine:
        assert list(engine.changes()) == before
        assert len(before) == 2
        assert engine.calls == 2


def test_added_rules_in_another_encoding_are_refused(state: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.rif"
    more.write_bytes(MORE.replace("ex:r", "ex:é").encode("latin-1"))
    with Engine.from_text(RULES, state=state) as engine:
        with pytest.raises(RuleErrors, match="RIF122"):
            engine.add_rules(more)
        assert engine.calls == 0


@pytest.mark.parametrize("is_due", [False, True])
def test_a_graph_is_followed_behind_a_crash_and_its_changes_are_no_calls(
    state: Path, is_due: bool
) -> None:
    one, two, three = ((EX.a, EX.p, Literal(number)) for number in (1, 2, 3))
    with patch.object(CheckpointWriter, "is_due", PropertyMock(return_value=is_due)):
        graph, engine = Graph(), Engine.from_text(RULES, state=state)
        graph.add(one)
        engine.attach(graph, clock=lambda: 1)
        engine.add([(EX.b, EX.p, EX.c)], at=2)
        graph.add(two)  # late, so it has no effect
        graph.remove(one)
        crash(engine)
        graph.add(three)  # nobody follows it
        again, engine = Graph(), Engine.from_text(RULES, state=state)
        again.add(three)
        engine.attach(again, clock=lambda: 3)
        assert engine.calls == 1
        engine.finish(None)
        assert engine.calls == 2
        found = [(each.op, each.at, str(each.triple[2])) for each in engine if each.triple]
        engine.close()
    assert found == [
        *(("+", 1, "1"), ("-", 2, "1"), ("+", 2, "urn:ex:c")),
        *(("+", 3, "3"), ("-", 7, "urn:ex:c"), ("-", 8, "3")),
    ]


@pytest.mark.usefixtures("due")
def test_a_removal_that_was_not_recorded_is_found_when_its_graph_is_attached_again(
    state: Path,
) -> None:
    graph, engine = Graph(), Engine.from_text(RULES, state=state)
    graph.add((EX.a, EX.p, EX.b))
    engine.attach(graph, clock=lambda: 1)
    with (
        patch.object(Journal, "append", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        graph.remove((EX.a, EX.p, None))
    with Engine.from_text(RULES, state=state) as engine:
        engine.attach(Graph(), clock=lambda: 3)
        engine.finish(None)
        assert [(each.op, each.at) for each in engine.changes()] == [("+", 1), ("-", 3)]
