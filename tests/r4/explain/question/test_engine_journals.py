"""What an engine with a journal says of instants that are gone is what `r4 explain` says."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from rdflib import Namespace

from r4 import Engine
from tests.seeds import parts
from tests.simulation.command import call

ex = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Window({}) Group(
  Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])
  Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]))
  Forall ?x ?y (?x[ex:u -> ?y] :- And(?x[ex:t -> ?y] Naf(?x[ex:q -> ?y]))) ))"""
OPERATORS = """Document( Prefix(ex <urn:ex:>) {} Group(
  Forall ?x ?y (?x[ex:t -> ?y] :- DiamondMinus [0, 3] (?x[ex:p -> ?y]))
  Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:q -> ?y] DiamondMinus [1, 2] (?y[ex:t -> ?z])))
  Forall ?x ?y (?x[ex:u -> ?y] :- And(?x[ex:t -> ?y] Naf(BoxMinus [0, 1] (?x[ex:p -> ?y])))) ))"""
AHEAD = """Document( Prefix(ex <urn:ex:>) {} Group(
  Forall ?x ?y (?x[ex:t -> ?y] :- DiamondPlus [0, 2] (?x[ex:p -> ?y]))
  Forall ?x ?y (?x[ex:u -> ?y] :-
    And(?x[ex:p -> ?y] Naf(DiamondPlus [1, 2] (?x[ex:q -> ?y])))) ))"""
STAMP = '<urn:{}> <http://www.w3.org/ns/prov#{}> "{}"^^<http://www.w3.org/2001/XMLSchema#integer> .'
KNOWN_LATER = {"final", "unknown", "held"}
"""Where the streams end, and what they say after the instant: an engine may not be there yet."""
ABSENT = {"justifications", "ends"}
"""How long something is absent is said as far as is known; and it may come as a fact is lost."""


def story(
    draw: random.Random, kind: str = "", windows: Mapping[str, int] | None = None
) -> tuple[Engine, str, str, int]:
    """An engine that was told and took back, its rules, the same as a stream, the last stamp."""
    rules = RULES.format(draw.randint(3, 9))
    if kind:
        window = f"Window({draw.randint(1, 4)})" if draw.random() < 0.5 else ""
        rules = (OPERATORS if kind == "back" else AHEAD).format(window)
    engine = Engine.from_text(rules, lenient=True, journal=1000, windows=windows or {})
    lines: list[str] = []
    names: list[str] = []
    now = 0
    for number in range(draw.randint(5, 14)):
        now += draw.choice((0, 0, 1, 1, 2))
        name = f"n{number}"
        lines += ["", STAMP.format(name, "generatedAtTime", now)]
        if names and draw.random() < 0.4:
            taken = f"urn:{draw.choice(names)}"
            engine.retract(name=taken, at=now)
            lines.append(f"<urn:{name}> <urn:r4:retracts> <{taken}> .")
            continue
        letters = [(draw.choice("abc"), draw.choice("ppq"), draw.choice("abc")) for _ in range(3)]
        triples = [(ex[s], ex[p], ex[o]) for s, p, o in dict.fromkeys(letters)]
        end = now + draw.randint(1, 8) if draw.random() < 0.3 else None
        engine.add(triples, at=now, until=end, name=f"urn:{name}")
        names.append(name)
        if end is not None:
            lines.append(STAMP.format(name, "invalidatedAtTime", end))
        lines += [
            " ".join(f"<{node}>" for node in [*each, f"urn:{name}"]) + " ." for each in triples
        ]
    engine.advance(now)
    return engine, rules, "\n".join(lines) + "\n", now


@pytest.mark.parametrize("windows", [{}, {"ex:p": 2}, {"ex:p": 6, "ex:q": 1}])
@pytest.mark.parametrize("block", parts(1, check=0, test=2, soak=8))
def test_an_engine_with_a_journal_says_what_is_said_of_the_streams(
    block: int, windows: Mapping[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    held = 0
    for seed in range(10 * block, 10 * block + 10):
        draw = random.Random(seed)  # noqa: S311 - no secrets here
        engine, rules, stream, last = story(draw, windows=windows)
        Path("rules.rif").write_text(rules)
        Path("stream.nq").write_text(stream)
        for at in draw.sample(range(last), min(last, 3)):
            fact = f"ex:{draw.choice('abc')} ex:{draw.choice('ttup')} ex:{draw.choice('abc')}"
            args = ["--lenient", "--fact", fact, "--at", str(at), "--as", "json"]
            args += [f"--window={key}={ticks}" for key, ticks in windows.items()]
            due = json.loads(call(["explain", "rules.rif", "stream.nq", *args]).out)
            found = json.loads(engine.explain(fact, at=at).json())
            held += due["holds"]
            left_out = KNOWN_LATER | ABSENT if "ex:u" in fact else KNOWN_LATER
            for key in (due.keys() | found.keys()) - left_out:
                assert found.get(key) == due.get(key), (seed, fact, at, key)
    assert held > 3


@pytest.mark.parametrize("kind", ["back", "ahead"])
@pytest.mark.parametrize("block", parts(1, check=0, test=1, soak=8))
def test_so_it_does_where_operators_look_at_what_was_retracted(
    block: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a fact holds; of justifications at other times another one may be shown."""
    monkeypatch.chdir(tmp_path)
    held = 0
    for seed in range(20 * block, 20 * block + 20):
        draw = random.Random(seed)  # noqa: S311 - no secrets here
        engine, rules, stream, last = story(draw, kind)
        Path("rules.rif").write_text(rules)
        Path("stream.nq").write_text(stream)
        for at in draw.sample(range(last), min(last, 3)):
            fact = f"ex:{draw.choice('abc')} ex:{draw.choice('ttup')} ex:{draw.choice('abc')}"
            args = ["--lenient", "--fact", fact, "--at", str(at), "--as", "json"]
            due = json.loads(call(["explain", "rules.rif", "stream.nq", *args]).out)
            found = json.loads(engine.explain(fact, at=at).json())
            held += due["holds"]
            assert found["holds"] == due["holds"], (seed, fact, at)
    assert held > 3


WARM, HOT = (f"?x[ex:is -> ex:{name}]" for name in ("warm", "hot"))
BACK = f"Document( Prefix(ex <urn:ex:>) {{}} Group( Forall ?x ({HOT} :- {{}}) ))"


@pytest.mark.parametrize("window", ["", "Window(4)"])
def test_what_had_ended_when_it_was_retracted_is_seen_until_then(
    window: str, tmp_path: Path
) -> None:
    rules = BACK.format(window, f"DiamondMinus [0, 20] ({WARM})")
    engine = Engine.from_text(rules, journal=100)
    engine.add([(ex.d, ex["is"], ex.warm)], at=1, name="urn:report")
    engine.retract(name="urn:report", at=8)
    engine.advance(30)
    engine.save(tmp_path / "engine.r4")
    for each in (engine, Engine.load(tmp_path / "engine.r4", rules)):
        held = [at for at in range(12) if each.explain("ex:d ex:is ex:hot", at=at).holds]
        assert held == list(range(1, 8))


def test_what_was_retracted_before_it_began_was_looked_ahead_to() -> None:
    engine = Engine.from_text(BACK.format("", f"DiamondPlus [0, 9] ({WARM})"), journal=100, delay=9)
    engine.add([(ex.d, ex["is"], ex.warm)], at=9, name="urn:report")
    engine.retract(name="urn:report", at=12)
    engine.advance(30)
    held = [at for at in range(12) if engine.explain("ex:d ex:is ex:hot", at=at).holds]
    assert held == [0, 1, 2]


@pytest.mark.slow
def test_a_journal_of_instants_is_bounded() -> None:
    engine = Engine.from_text(BACK.format("", f"DiamondMinus [0, 2] ({WARM})"), journal=100)
    for at in range(5000):
        engine.add([(ex[f"d{at}"], ex["is"], ex.warm)], at=at)
    assert engine._run.journal is not None
    assert len(engine._run.journal.ids) < 2000
