"""An `Engine` with a state goes on where it was, or says why not."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO
from unittest.mock import PropertyMock, patch

import pytest
from rdflib import BNode, Graph, Literal, Namespace

from r4 import Engine
from r4.api import Change, ChangeTable, CheckpointFailed, StateError
from r4.api.state.engine_state import EngineState
from r4.api.values.graph_terms import Statements
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles
from r4.state.folder import StateFolder
from r4.state.journal import records
from r4.state.journal.journal import Journal
from r4.state.summary import summarise
from rif.errors.report import RuleErrors
from rif.parser import parse_bytes
from tests.simulation.command import call

EX = Namespace("urn:ex:")
RULES = """
Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x ?y ( ?x[ex:q -> ?y] :- ?x[ex:p -> ?y] ) ) )
"""
MORE = """
Document( Prefix(ex <urn:ex:>) Group( Forall ?x ?y ( ?y[ex:r -> ?x] :- ?x[ex:p -> ?y] ) ) )
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def crash(engine: Engine) -> None:
    """The process of the engine ends."""
    with pytest.raises(KeyboardInterrupt), engine:
        raise KeyboardInterrupt


def shown(engine: Engine) -> list[tuple[int | None, str, object]]:
    return [(change.seq, change.op, change.at) for change in engine.changes()]


def test_what_came_out_behind_the_checkpoint_comes_again_with_its_number(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)
    engine.add([(EX.a, EX.p, EX.c)], at=8)
    before = shown(engine)
    assert before == [(1, "+", 1), (2, "-", 6)]
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 2
        assert shown(engine) == before
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 2
        engine.finish(None)
        assert shown(engine) == [(3, "+", 8), (4, "-", 13)]


@pytest.fixture
def due() -> Iterator[None]:
    """Each call that may write a checkpoint does."""
    with patch.object(CheckpointWriter, "is_due", PropertyMock(return_value=True)):
        yield


@pytest.mark.usefixtures("due")
def test_a_change_in_hand_comes_again(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)
    engine.add([(EX.b, EX.p, EX.c)], at=8)
    for change in engine.changes():
        engine.add([(EX.c, EX.p, EX.d)], at=20)
        if change.seq == 2:
            crash(engine)
            break
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 4
        assert [seq for seq, _, _ in shown(engine)] == [2, 3, 4]


@pytest.mark.usefixtures("due")
def test_of_several_that_take_changes_each_has_one_in_hand(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX[f"o{n}"]) for n in range(9)], at=1)
    engine.finish(None)
    first, second, third = (engine.changes() for _ in range(3))
    taken = [next(each).seq for each in (first, second, second, second, third, second)]
    assert taken == [1, 2, 3, 4, 5, 6]
    third.close()  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="has ended"):
        engine.advance(99)  # writes a checkpoint before that
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert [seq for seq, _, _ in shown(engine)] == [1, 6, *range(7, 19)]


@pytest.mark.usefixtures("due")
def test_what_is_taken_behind_a_checkpoint_does_not_come_behind_close(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=1)
        engine.finish(None)
        with pytest.raises(ValueError, match="has ended"):
            engine.advance(99)
        assert len(shown(engine)) == 2
    with Engine.from_text(RULES, state=state) as engine:
        assert not shown(engine)


class _FullFiles(SystemFiles):
    """A system that takes the journal, and no other file as long as it is full.

    Attributes:
        error: why it does not; 0: it does.
        journal: whether it takes no new segment of the journal either.
    """

    def __init__(self) -> None:
        self.error = 0
        self.journal = False

    def _check(self) -> None:
        if self.error:
            raise OSError(self.error, os.strerror(self.error))

    def sync(self, file: BinaryIO) -> None:
        if str(file.name).endswith(".new"):
            self._check()
        super().sync(file)

    def append(self, path: Path) -> BinaryIO:
        if self.journal:
            self._check()
        return super().append(path)


@pytest.mark.usefixtures("due")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.EIO])
def test_without_checkpoints_the_engine_goes_on_with_its_journal(state: Path, error: int) -> None:
    files = _FullFiles()
    wanted = [(1, "+", 1), (2, "+", 2), (3, "+", 3), (4, "+", 4), (5, "-", 6)]
    with patch("r4.state.folder.SystemFiles", lambda: files):
        engine = Engine.from_text(RULES, state=state)
        engine.add([(EX.a, EX.p, Literal(1))], at=1)
        files.error, files.journal = error, error == errno.EMFILE
        with pytest.warns(CheckpointFailed, match=os.strerror(error)) as told:
            engine.add([(EX.a, EX.p, Literal(2))], at=2)
        engine.add([(EX.a, EX.p, Literal(3))], at=3)  # warns no second time
        assert [Path(each.filename).name for each in told] == [Path(__file__).name]
        assert not list(state.glob("*.new"))
        assert engine.calls == 3
        with pytest.raises(StateError, match=os.strerror(error)):
            engine.close()
        files.error = 0
        engine = Engine.from_text(RULES, state=state)
        assert engine.calls == 3
        engine.add([(EX.a, EX.p, Literal(4))], at=4)
        crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        engine.advance(6)
        assert shown(engine) == wanted


def test_changes_that_were_left_are_in_the_checkpoint(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=1)
        engine.finish(None)
        assert next(engine.changes()).seq == 1
    with Engine.from_text(RULES, state=state) as engine:
        assert shown(engine) == [(2, "-", 6)]


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
    with pytest.raises(ValueError, match="is closed"):
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


def test_a_wrong_option_of_a_new_state_is_no_damage(state: Path) -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Engine.from_text(RULES, state=state, keep=True, lookback="nonsense")
    Engine.from_text(RULES, state=state).close()


def test_added_rules_in_another_encoding_are_refused(state: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.rif"
    more.write_bytes(MORE.replace("ex:r", "ex:é").encode("latin-1"))
    with Engine.from_text(RULES, state=state) as engine:
        with pytest.raises(RuleErrors, match="RIF122"):
            engine.add_rules(more)
        assert engine.calls == 0


def test_a_closed_engine_takes_no_calls_and_gives_no_changes(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
    engine.close()
    for use in (lambda: engine.advance(9), engine.sync, lambda: list(engine.changes())):
        with pytest.raises(ValueError, match="is closed"):
            use()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_leaves_the_state_alone(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads
        child = os.fork()
    if not child:
        refused = 0
        try:
            for use in (lambda: engine.advance(9), engine.sync, lambda: list(engine.changes())):
                try:
                    use()
                except ValueError as error:
                    refused += "forked" in str(error)
            engine.close()
        finally:
            os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    with pytest.raises(StateError, match="R4411"):
        Engine.from_text(RULES, state=state)
    engine.add([(EX.b, EX.p, EX.c)], at=8)
    crash(engine)
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 2
        assert len(shown(engine)) == 2


def test_hypotheses_are_refused(state: Path) -> None:
    with pytest.raises(StateError, match="R4419"):
        Engine.from_text(RULES, state=state, hypotheses=True)


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


def test_other_rules_options_and_engines_are_refused_and_nothing_is_changed(state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    engine.add([(EX.a, EX.p, EX.b)], at=3)
    with pytest.raises(StateError, match="R4411"):
        Engine.from_text(RULES, state=state)
    crash(engine)
    before = {each.name: each.read_bytes() for each in state.iterdir()}
    with pytest.raises(StateError, match="R4414 the state is of an engine with window=null"):
        Engine.from_text(RULES, state=state, window="3")
    with pytest.raises(StateError, match=r"R4414 .* other rules"):
        Engine.from_text(MORE, state=state)
    assert {each.name: each.read_bytes() for each in state.iterdir()} == before
    with Engine.from_text(RULES, state=state) as engine:
        assert engine.calls == 1


@pytest.mark.parametrize("kind", ["journal", "checkpoint", "manifest"])
def test_damage_is_refused(kind: str, state: Path) -> None:
    engine = Engine.from_text(RULES, state=state)
    for at in range(3):
        engine.add([(EX.a, EX.p, EX.b)], at=at)
    crash(engine)
    (path,) = state.glob(f"{kind}*")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(StateError, match="R4415"):
        Engine.from_text(RULES, state=state)


def test_another_version_and_other_folders_are_refused(state: Path) -> None:
    state.mkdir()
    (state / "other").touch()
    with pytest.raises(StateError, match="R4412"):
        Engine.from_text(RULES, state=state)
    (state / "other").unlink()
    Engine.from_text(RULES, state=state).close()
    manifest = state / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": ', '"version": 9'))
    with pytest.raises(StateError, match="R4413"):
        Engine.from_text(RULES, state=state)


def test_a_table_has_the_numbers_of_changes(state: Path) -> None:
    pytest.importorskip("pyarrow")
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
        engine.finish(None)
        table = ChangeTable(engine.changes()).to_arrow()
    assert table.column("seq").to_pylist() == [1, 2]


def test_a_summary_counts_calls_and_changes(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
        engine.advance(20)
        next(engine.changes())
    engine = Engine.from_text(RULES, state=state)
    engine.heartbeat(30)
    crash(engine)
    found = json.loads(call(["state", "show", str(state)]).out)
    counts = {name: found[name] for name in ("calls", "changes", "waiting")}
    assert counts == {"calls": 3, "changes": 2, "waiting": 1}
    assert "sources" not in found


def test_commands_show_the_state_of_an_engine_and_do_not_run_it(state: Path) -> None:
    with Engine.from_text(RULES, state=state) as engine:
        engine.add([(EX.a, EX.p, EX.b)], at=3)
    for command in ("show", "verify", "prune"):
        assert call(["state", command, str(state)]).code == 0
    assert call(["replay", str(state)]).code == 3
    rules, stream = state.parent / "rules.rif", state.parent / "s.nq"
    rules.write_text(RULES, encoding="utf-8")
    stream.touch()
    found = call(["run", str(rules), str(stream), "--state", str(state)])
    assert found.code == 3, found.err
    assert "R4414" in found.err, found.err
