"""What is taken back under metric rules is, from the frontier on, as if it had never been said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rif.text.parser import parse
from tests.generators.draw import Draw, from_seed
from tests.generators.rules.metric import MetricWriter, metric_document
from tests.generators.vocabulary import vocabulary
from tests.oracles.metric.streams import MetricProgram
from tests.oracles.rules.formulas import Instance, TooBig
from tests.oracles.streams.output_lines import Line, lines_of
from tests.oracles.streams.retraction import Assertion, ElementLog
from tests.seeds import parts
from tests.simulation.retraction.core_player import CorePlayer
from tests.simulation.retraction.core_player import engine_form as as_told

if TYPE_CHECKING:
    from rif.syntax.ast import Document
    from tests.generators.stories.steps import Story

PART = 20
STEPS = 9


class Reasoner:
    """The oracle for assertions that are known beforehand."""

    def __init__(self, document: Document) -> None:
        self._program = MetricProgram(document)
        self.until = 0

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        found = [Instance(one.fact, one.start, one.end) for one in assertions]
        return lines_of(self._program.facts(found, self.until), "facts", self.until)


def difference(seed: int, *, negation: bool) -> str | None:
    """How what is told differs from the oracle, step by step; None: it does not."""
    draw = from_seed(seed)
    words = vocabulary(draw)
    words = replace(words, nodes=words.nodes[:3], literals=words.literals[:1])
    document = replace(metric_document(draw, words, negation=negation), window=None)
    text = MetricWriter(draw, document.prefixes).document(document)
    program = compile_document(parse(text).document, TimeScale())
    story = cast("Story", SimpleNamespace(semantics="facts"))
    player = CorePlayer(program, story, keep=draw.chance(50))
    ahead = int(player.core.lookahead)
    reasoner = Reasoner(document)
    window = draw.integer(1, 4)
    diary = ElementLog(reasoner, (), window=window, delay=0, instances=False)
    player.begin(())
    told: list[Line] = []
    since: float = -math.inf
    log = [text]
    try:
        for step in range(STEPS):
            now = int(max(diary.last, 0)) + draw.integer(0, 3)
            diary.arrive(now)
            reasoner.until = now + 1
            if step and draw.chance(40):
                name = str(draw.integer(0, 2))
                log.append(f"at {now} take {name}")
                _tell(told, diary, since, now - ahead)
                since = now - ahead
                diary.retract(name)
                player.step([], now, now, [name])
            else:
                name = str(draw.integer(0, 2))
                facts = [_fact(draw, words) for _ in range(draw.integer(1, 3))]
                log.append(f"at {now} say {name} {facts} until {now + window}")
                diary.add(name, now, None, facts)
                _tell(told, diary, since, now - ahead)
                since = now - ahead
                player.step(diary.assertions[-len(facts) :], now, now)
            if player.lines != told:
                return "\n".join([*log, f"expected {told}", f"told     {player.lines}"])
        end = int(diary.last) + 6
        reasoner.until = end
        diary.rules_changed()
        _tell(told, diary, since, end - ahead)
        player.close(end)
    except TooBig:
        return None
    if player.lines != told:
        return "\n".join([*log, f"expected {told}", f"told     {player.lines}"])
    return None


def _fact(draw: Draw, words) -> tuple[str, ...]:
    nodes = [f"<{one.value}>" for one in words.nodes if hasattr(one, "value")]
    key = draw.choice([one for one in words.data if one.value.startswith("http://e/")])
    return "triple", draw.choice(nodes), f"<{key.value}>", draw.choice(nodes)


def _tell(told: list[Line], diary: ElementLog, since: float, to: float) -> None:
    diary.rules_changed()
    told += map(as_told, diary.due(since, to))


@pytest.mark.parametrize("negation", [False, True], ids=["positive", "naf"])
@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=2))
def test_what_is_taken_back_had_never_been_said_from_the_frontier_on(first, negation) -> None:
    for seed in range(first, first + PART):
        fault = difference(seed, negation=negation)
        assert fault is None, f"seed {seed}\n{fault}"
