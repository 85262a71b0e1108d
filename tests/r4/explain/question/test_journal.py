"""What an engine with a journal says of instants that are gone is what `r4 explain` says."""

from __future__ import annotations

import json
import random
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
STAMP = '<urn:{}> <http://www.w3.org/ns/prov#{}> "{}"^^<http://www.w3.org/2001/XMLSchema#integer> .'
KNOWN_LATER = {"final", "unknown", "held"}
"""Where the streams end, and what they say after the instant: an engine may not be there yet."""
ABSENT = {"justifications", "ends"}
"""How long something is absent is said as far as is known; and it may come as a fact is lost."""


def story(draw: random.Random) -> tuple[Engine, str, str, int]:
    """An engine that was told and took back, its rules, the same as a stream, the last stamp."""
    rules = RULES.format(draw.randint(3, 9))
    engine = Engine.from_text(rules, lenient=True, journal=1000)
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


@pytest.mark.parametrize("block", parts(1, check=2, test=8, soak=8))
def test_an_engine_with_a_journal_says_what_is_said_of_the_streams(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    held = 0
    for seed in range(10 * block, 10 * block + 10):
        draw = random.Random(seed)  # noqa: S311 - no secrets here
        engine, rules, stream, last = story(draw)
        Path("rules.rif").write_text(rules)
        Path("stream.nq").write_text(stream)
        for at in draw.sample(range(last), min(last, 3)):
            fact = f"ex:{draw.choice('abc')} ex:{draw.choice('ttup')} ex:{draw.choice('abc')}"
            args = ["--lenient", "--fact", fact, "--at", str(at), "--as", "json"]
            due = json.loads(call(["explain", "rules.rif", "stream.nq", *args]).out)
            found = json.loads(engine.explain(fact, at=at).json())
            held += due["holds"]
            left_out = KNOWN_LATER | ABSENT if "ex:u" in fact else KNOWN_LATER
            for key in (due.keys() | found.keys()) - left_out:
                assert found.get(key) == due.get(key), (seed, fact, at, key)
    assert held > 3
