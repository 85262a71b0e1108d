"""At the ends of the time line: what lies within is exact, what lies beyond is refused.

A stamp is at most 2^60 ticks; windows and ranges of a program do not reach that together. So no
sum of them reaches the cells that mean infinity.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from rdflib import Namespace

from r4 import Engine
from r4.time.ticks import MOST, OutOfRange
from rif.errors.report import RuleErrors
from tests.simulation.command import CommandOutput, call

if TYPE_CHECKING:
    from collections.abc import Callable

ex = Namespace("urn:ex:")
PREFIX = "Document( Prefix(ex <urn:ex:>) "
WARM, HOT = "?x[ex:is -> ex:warm]", "?x[ex:is -> ex:hot]"
FAR = MOST - 2


def rules(body: str = WARM, window: str = "", head: str = HOT) -> str:
    return f"{PREFIX}{window} Group( Forall ?x ( {head} :- {body} ) ) )"


def back(ticks: int, body: str = WARM) -> str:
    return f"DiamondMinus [{ticks}, {ticks}] ( {body} )"


def answers(text: str, *stamps: int, until: int | None = None) -> list[tuple[str, object]]:
    engine = Engine.from_text(text)
    for number, at in enumerate(stamps):
        engine.add([(ex[f"x{number}"], ex["is"], ex.warm)], at=at, until=until)
    engine.finish(None)
    return [(change.op, change.at) for change in engine.changes()]


@pytest.mark.parametrize(
    ("text", "stamps", "begin", "end"),
    [
        (rules(window="Window(1)"), [MOST], MOST, MOST + 1),
        (rules(window="Window(1)"), [-MOST], -MOST, 1 - MOST),
        (rules(window=f"Window({FAR})"), [MOST], MOST, MOST + FAR),
        (rules(back(FAR)), [MOST], MOST + FAR, MOST + FAR + 1),
        (rules(f"DiamondPlus [{FAR}, {FAR}] ( {WARM} )"), [-MOST], -MOST - FAR, 1 - MOST - FAR),
        (rules(back(FAR // 2, back(FAR // 2))), [MOST], MOST + FAR, MOST + FAR + 1),
        (rules(back(FAR - 5), "Window(5)"), [MOST], MOST + FAR - 5, MOST + FAR),
        (rules(head=f"BoxPlus [0, {FAR}] ( {HOT} )"), [MOST], MOST, MOST + FAR + 1),
    ],
)
def test_what_ends_in_time_is_exact(text: str, stamps: list[int], begin: int, end: int) -> None:
    assert answers(text, *stamps) == [("+", begin), ("-", end)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (rules(window=f"Window({MOST})"), "R4102"),
        (rules(window=f"Window({MOST + 1})"), "R4102"),
        (rules(back(MOST)), "MTL206"),
        (rules(f"BoxMinus [0, {MOST + 1}] ( {WARM} )"), "MTL206"),
        (rules(back(FAR, back(1))), "R4102"),
        (rules(back(FAR), "Window(1)"), "R4102"),
        (rules(back(FAR), head=f"BoxPlus [0, 1] ( {HOT} )"), "R4102"),
        (rules(f"DiamondMinus [{FAR}, inf) ( {back(1)} )"), "R4102"),
    ],
)
def test_rules_that_reach_beyond_are_refused(text: str, code: str) -> None:
    with pytest.raises(RuleErrors, match=code):
        Engine.from_text(text)


def test_ranges_of_rules_that_join_count_with_those_that_run() -> None:
    engine = Engine.from_text(rules(back(MOST // 2)))
    engine.add_rules(rules(back(MOST // 2 - 2), head="?x[ex:is -> ex:less]"))
    with pytest.raises(RuleErrors, match="R4102"):
        engine.add_rules(rules(back(1), head="?x[ex:is -> ex:more]"))
    with pytest.raises(OutOfRange):
        Engine.from_text(rules(back(FAR)), window="1")


OF_ENGINE: dict[str, Callable[[int], object]] = {
    "a stamp": lambda ticks: answers(rules(), ticks),
    "a stamp of long ago": lambda ticks: answers(rules(), -ticks),
    "an end": lambda ticks: answers(rules(), 1, until=ticks),
    "a delay": lambda ticks: Engine.from_text(rules(), delay=ticks),
    "an advance": lambda ticks: Engine.from_text(rules()).advance(ticks),
    "the end": lambda ticks: Engine.from_text(rules()).finish(ticks),
}


@pytest.mark.parametrize("what", OF_ENGINE)
def test_times_of_an_engine_lie_within(what: str) -> None:
    OF_ENGINE[what](MOST)
    with pytest.raises(OutOfRange, match="beyond 2\\^60 ticks"):
        OF_ENGINE[what](MOST + 1)


def printed(folder: Path, text: str, stamp: int, *options: str) -> CommandOutput:
    (folder / "rules.rif").write_text(text)
    (folder / "stream.nq").write_text(
        "<urn:ex:x> <urn:ex:is> <urn:ex:warm> <urn:g> .\n"
        "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "
        f'"{stamp}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    )
    return call(["run", str(folder / "rules.rif"), str(folder / "stream.nq"), *options])


def test_a_stamp_beyond_is_bad_data(tmp_path: Path) -> None:
    assert len(printed(tmp_path, rules(window="Window(1)"), MOST).lines()) == 1
    beyond = printed(tmp_path, rules(window="Window(1)"), MOST + 1)
    assert (beyond.code, beyond.lines(), "DAT204" in beyond.err) == (0, [], True)


@pytest.mark.parametrize("option", ["--delay", "--drain", "--window"])
def test_durations_of_options_lie_within(tmp_path: Path, option: str) -> None:
    assert printed(tmp_path, rules(), 1, f"{option}={FAR}").code == 0
    assert printed(tmp_path, rules(), 1, f"{option}={MOST + 1}").code == 2


ON = rules(f"Or( {WARM} {HOT} )", head=f"BoxPlus [{MOST // 4}, {MOST // 4}] ( {HOT} )")


def test_what_derives_for_ever_ends_at_a_limit_before_time_does(tmp_path: Path) -> None:
    drained = printed(tmp_path, ON, 0, f"--drain={MOST}")
    begins = [line["at"] for line in map(json.loads, drained.lines()) if line["op"] == "+"]
    assert (drained.code, begins) == (0, [MOST // 4 * times for times in range(1, 5)])
    endless = printed(tmp_path, ON, 0, "--drain")
    assert (endless.code, "beyond 2^60 ticks" in endless.err) == (5, True)


def hypothesised(folder: Path, *offsets: int) -> CommandOutput:
    """Of rules each of which looks so many times ahead."""
    lines = [f"P{n}(X,T) :- P{n + 1}(X,T+{offset})." for n, offset in enumerate(offsets)]
    (folder / "rules.td").write_text("\n".join(lines))
    facts = io.TextIOWrapper(io.BytesIO(b"@0 Temp(a,0)\n"))
    with patch("sys.stdin", facts):
        return call(["hypothesise", str(folder / "rules.td"), "--query", "P0(X,T)", "-"])


def test_offsets_of_temporal_datalog_lie_within_together(tmp_path: Path) -> None:
    assert hypothesised(tmp_path, 2**59).code == 0
    assert hypothesised(tmp_path, 2**59 - 1, 1).code == 0
    for offsets in ((2**59 + 1,), (2**59, 1), (2**59,) * 16):
        beyond = hypothesised(tmp_path, *offsets)
        assert "HYP203" in beyond.err, beyond
        assert beyond.code in {2, 3}


@pytest.mark.parametrize(
    ("program", "at", "code"),
    [
        (f"B :- Diamondminus[{MOST // 9},{MOST // 9}]A", 5, 0),
        (f"B :- Diamondminus[{FAR},{FAR}]A", 5, 3),
        (f"B :- Diamondminus[{MOST},{MOST}]A", 0, 3),
        ("B :- Diamondminus[1,1]A", MOST - 3, 0),
        ("B :- Diamondminus[1,1]A", MOST - 1, 3),
        ("B :- Diamondminus[1,1]A", MOST, 4),
    ],
)
def test_facts_of_a_model_lie_within(tmp_path: Path, program: str, at: int, code: int) -> None:
    (tmp_path / "program.txt").write_text(program)
    (tmp_path / "data.txt").write_text(f"A@{at}\n")
    files = [str(tmp_path / "program.txt"), str(tmp_path / "data.txt")]
    found = call(["mtl", "materialise", *files])
    assert (found.code, code == 0 or "MTL206" in found.err) == (code, True), found
