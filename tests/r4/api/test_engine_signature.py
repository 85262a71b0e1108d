"""The options of `Engine`: its keywords, a file of them, and what they bound."""

from __future__ import annotations

import inspect
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from r4.api import BadSettings, Engine, EngineOptions, options_from
from r4.options.engine_options import FileOptions, TextOptions
from r4.options.option import Option, ValueKind, options_of
from r4.options.run_options import RunCommandOptions
from r4.run.run_bounds import MemoryFull
from rete.inference.errors import LimitReached

RULES = """Document( Prefix(ex <urn:ex:>) Window(100)
  Group( Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y]) ) )"""
OPTIONS = [pytest.param(each, id=each.name) for each in options_of(EngineOptions)]
OF_RUN = [pytest.param(each, id=each.name) for each in options_of(RunCommandOptions)]


def told(engine: Engine) -> list[str]:
    engine.finish()
    return [str(change.triple[2]) for change in engine.changes() if change.triple]


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("method", [Engine, Engine.from_file, Engine.from_text])
def test_an_option_is_a_keyword_with_its_type_its_default_and_its_meaning(
    method, option: Option
) -> None:
    found = inspect.signature(method).parameters[option.name]
    assert found.kind is inspect.Parameter.KEYWORD_ONLY
    assert found.default == option.default
    assert found.annotation == option.annotation
    text = (Engine.__init__ if method is Engine else method).__doc__
    assert f"{option.name}: {option.help}" in " ".join(str(text).split())


@pytest.mark.parametrize("option", OF_RUN)
def test_an_option_of_r4_run_is_one_of_an_engine_or_refused_with_what_to_use(
    option: Option,
) -> None:
    if option.name in {each.name for each in options_of(EngineOptions)}:
        return
    assert option.library
    maker: Any = Engine if option.name in {"lenient", "strict_syntax"} else Engine.from_text
    with pytest.raises(TypeError) as refused:
        maker("Document()", **{option.name: 1})
    assert str(refused.value) == f"Engine has no option {option.name}: {option.library}"


def value_of(option: Option) -> Any:
    """A value that the option may have, but for its default."""
    by_kind: dict[ValueKind, Any] = {
        **dict.fromkeys((ValueKind.DURATION, ValueKind.PERIOD), "9 d"),
        ValueKind.DURATIONS: {"urn:ex:p": "9 d"},
        ValueKind.MEMORY: "30GB",
    }
    if option.kind in by_kind:
        return by_kind[option.kind]
    if option.name == "zone":
        return "Europe/Berlin"
    if option.is_flag:
        return True
    if option.words:
        return option.words[-1]
    if option.is_number:
        return (option.least or 0) + 7
    return ["0.5"] if option.is_multiple else "folder"


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_a_key_of_a_file(option: Option, tmp_path: Path) -> None:
    value = value_of(option)
    text = f'"{value}"' if isinstance(value, str) else str(value).replace("'", '"').lower()
    if isinstance(value, dict):
        text = text.replace('": ', '" = ')
    needed = {"lookback": "keep = true\n", "ops": 'every = 1\nreport = "changes"\n'}
    needed |= dict.fromkeys(("offset", "zone", "report"), 'every = "1 d"\n')
    path = tmp_path / "e.toml"
    path.write_text(f"[engine]\n{needed.get(option.name, '')}{option.key} = {text}\n")
    found = options_from(path)[option.name]
    if option.name == "state":
        assert found == str(tmp_path / "folder")
    else:
        assert found == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize("option", OPTIONS)
def test_a_value_that_an_option_cannot_have_is_refused(option: Option) -> None:
    refused: dict[ValueKind, Any] = {ValueKind.DURATION: timedelta(-1), ValueKind.MEMORY: "much"}
    bad = refused.get(option.kind)
    if option.words:
        bad = "wrng"
    elif option.is_number:
        bad = (option.least or 0) - 1
    if bad is not None:
        with pytest.raises(
            ValueError, match=re.escape(str(bad) if isinstance(bad, str | int) else repr(bad))
        ):
            EngineOptions(**{option.name: bad})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[engine]\n\ndely = 1\n", "e.toml:3: there is no option dely; did you mean delay?"),
        ("[engine]\norder = 'tim'\n", "e.toml:2: 'tim' is none of time, arrival"),
        ("[engine]\ndelay = '2 x'\n", "e.toml:2: 2 x is no duration"),
        ("[engine]\nwindow = '1 us'\n", "e.toml:2: "),
        ("[engine]\nmax-term = 0\n", "e.toml:2: max_term=0: write a number from 1 to 16,777,216"),
        ("[engine]\njournal = 'x'\n", "e.toml:2: journal='x': write a whole number"),
        ("[engine]\nkeep = 1\n", "e.toml:2: write true or false"),
        ("[engine]\nstate = '../s'\n", "e.toml:2: ../s is not in the folder of this file"),
        ("[engine]\nlookback = 1\n", "e.toml: lookback says how long keep=True keeps"),
        ("[run]\n", "e.toml:1: there is no table run"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(text)
    with pytest.raises(BadSettings) as refused:
        options_from("e.toml")
    assert str(refused.value).startswith(message)


def test_an_empty_list_in_a_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text("[engine]\nhypotheses = true\nexpect = []\nchances = []\n")
    found = options_from(tmp_path / "e.toml")
    assert (found.hypotheses, found.expect, found.chances) == ("subjects", (), ())


def test_options_of_a_file_are_those_of_an_engine(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        '[engine]\nwindow = 2\norder = "arrival"\nhypotheses = false\n'
    )
    (tmp_path / "r.rif").write_text(RULES)
    engine = Engine.from_file(tmp_path / "r.rif", **options_from(tmp_path / "e.toml"))
    engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
    assert told(engine) == ["1"]


def test_a_stamp_too_far_ahead_moves_no_time_and_is_counted() -> None:
    engine = Engine.from_text(RULES, delay=10, ahead=30)
    assert engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1000)  # the first may be any
    assert not engine.add("<urn:ex:a> <urn:ex:p> 2 .", at=1021)
    assert engine.add("<urn:ex:a> <urn:ex:p> 3 .", at=1020)
    engine.heartbeat(5000)
    assert engine.retract("<urn:ex:a> <urn:ex:p> 3 .", at=5000) == 0
    assert engine.add("<urn:ex:a> <urn:ex:p> 4 .", at=1015)
    assert engine.counters.bad == {"DAT210": 3}
    assert engine.counters.late == 0
    assert told(engine) == ["1", "4", "3"]


def test_with_ahead_the_user_may_move_time_as_far_as_he_likes() -> None:
    engine = Engine.from_text(RULES, ahead=5)
    engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
    engine.advance(1000)
    assert engine.add("<urn:ex:a> <urn:ex:p> 2 .", at=1005)
    assert engine.counters.bad == {}


def test_a_clock_moves_time_beyond_what_stamps_may() -> None:
    engine = Engine.from_text(RULES, ahead=5)
    engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
    engine._calls.move_clock(1000)
    assert engine.add("<urn:ex:a> <urn:ex:p> 2 .", at=1005)
    assert engine.counters.bad == {}


def test_ahead_within_the_delay_is_refused() -> None:
    with pytest.raises(ValueError, match="ahead is shorter than delay"):
        Engine.from_text(RULES, delay="2 s", ahead=timedelta(seconds=1))


CHAIN = """Document( Prefix(ex <urn:ex:>) Window(100) Group(
  Forall ?x ?y ?z (?x[ex:p -> ?z] :- And(?x[ex:p -> ?y] ?y[ex:p -> ?z])) ) )"""


ALARM = """Document( Prefix(ex <urn:ex:>) Group( Forall ?s (
  ?s[ex:told -> "alarm"] :- And( ?s[ex:reads -> "bad"]
    Naf( DiamondMinus [1, 4) ( ?s[ex:told -> "alarm"] ) ) ) ) ) )"""


def test_answers_that_follow_from_earlier_ones_for_ever_are_bounded() -> None:
    engine = Engine.from_text(ALARM, limit=20)
    engine.add_static('<urn:ex:a> <urn:ex:reads> "bad" .')
    engine.add('<urn:ex:b> <urn:ex:reads> "good" .', at=5)
    with pytest.raises(LimitReached, match="more than 20 facts"):
        engine.finish(None)


def test_a_limit_bounds_what_is_derived_at_once() -> None:
    chain = " ".join(f"<urn:ex:{n}> <urn:ex:p> <urn:ex:{n + 1}> ." for n in range(9))
    engine = Engine.from_text(CHAIN, limit=20)
    with pytest.raises(LimitReached, match="more than 20 facts"):
        engine.add(chain, at=1)
    free = Engine.from_text(CHAIN, limit=100)
    free.add(chain, at=1)
    free.finish()
    assert len([*free.changes()]) == 36


@pytest.mark.parametrize("memory", ["1MB", 1_000_000])
def test_an_element_for_which_there_is_no_memory_is_not_taken_in(memory: str | int) -> None:
    engine = Engine.from_text(RULES, memory=memory)
    with pytest.raises(MemoryFull, match="of 1,000,000 bytes"):
        engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
    assert engine.counters.elements == 0


def test_a_refusal_for_want_of_memory_is_no_call_of_a_state(tmp_path: Path) -> None:
    with Engine.from_text(RULES, state=tmp_path / "s", memory="1MB") as engine:
        with pytest.raises(MemoryFull):
            engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
        assert engine.calls == 0
    with Engine.from_text(RULES, state=tmp_path / "s") as engine:
        assert engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
        assert engine.calls == 1


LONG = """Document( Prefix(ex <urn:ex:>)
  Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
  Window(100)
  Group( Forall ?x ?y (?x[ex:q -> External(func:concat(?y ?y))] :- ?x[ex:p -> ?y]) ) )"""


def test_a_longer_term_than_the_longest_is_not_computed() -> None:
    for longest, expected in ((30, []), (1000, ["x" * 40])):
        engine = Engine.from_text(LONG, max_term=longest)
        engine.add(f'<urn:ex:a> <urn:ex:p> "{"x" * 20}" .', at=1)
        assert told(engine) == expected


def test_an_engine_is_loaded_with_the_bounds_that_it_had(tmp_path: Path) -> None:
    engine = Engine.from_text(RULES, delay=1, ahead=7, max_term=99, limit=8, memory="30GB")
    engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
    engine.save(tmp_path / "e.r4")
    again = Engine.load(tmp_path / "e.r4", RULES)
    assert not again.add("<urn:ex:a> <urn:ex:p> 2 .", at=8)
    expected = EngineOptions(delay="1", ahead="7", max_term=99, limit=8, memory=30_000_000_000)
    assert dict(again._options) == dict(expected)


def test_a_state_is_compared_by_what_decides(tmp_path: Path) -> None:
    with Engine.from_text(RULES, state=tmp_path / "s", ahead=7, limit=5) as engine:
        engine.add("<urn:ex:a> <urn:ex:p> 1 .", at=1)
    with Engine.from_text(RULES, state=tmp_path / "s", ahead=7, limit=50) as engine:
        assert engine.calls == 1
    with pytest.raises(Exception, match='an engine with ahead="7"'):
        Engine.from_text(RULES, state=tmp_path / "s")


def test_options_of_files_and_texts_are_not_those_of_an_engine() -> None:
    own = {each.name for each in options_of(EngineOptions)}
    of_files = {"imports", "lenient", "strict_syntax"}
    assert {each.name for each in options_of(FileOptions)} - own == of_files
    assert {each.name for each in options_of(TextOptions)} - own == {*of_files, "name"}
