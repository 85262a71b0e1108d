"""A fresh engine as the definition, where the oracle of Datalog does not know the background.

It is told each assertion with the time in which it counts. Rules that come and go are there from
the first, with one more condition: a fact that is asserted while they are there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF, POS_INF
from rif.syntax.ast import And, Atom, Document, Forall, Group, Implies
from rif.syntax.terms import IRI
from tests.generators.shrinking import Sentence
from tests.generators.stories.steps import Story, items_of
from tests.oracles.rules.formulas import Time
from tests.oracles.streams.output_lines import Line
from tests.oracles.streams.retraction import Assertion
from tests.oracles.streams.rule_changes import Times
from tests.simulation.retraction.core_player import CorePlayer
from tests.simulation.retraction.programs import compiled, joining

_THERE: Final = "urn:there:"


class FreshEngine:
    """All lines of a run, from an engine that takes nothing back."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._documents = [story.document]
        self._numbers: Sequence[int] = range(1, len(items_of(story.document)) + 1)
        self._times: Times = {}

    def change(self, documents: Sequence[Document], numbers: Sequence[int], times: Times) -> None:
        """The rules, with the numbers they have in turn, and when they are there."""
        self._documents, self._numbers, self._times = list(documents), list(numbers), dict(times)

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        """What is told of these."""
        player = self._player()
        player.begin(
            [one.fact for one in assertions if one.start == -math.inf],
            lambda: self._say_when(player, static=True),
        )
        self._say_when(player, static=False)
        said = [one for one in assertions if one.start > -math.inf and one.counts]
        changes = [time for both in self._times.values() for time in both if math.isfinite(time)]
        starts = [int(one.start) for one in said] + [int(time) for time in changes]
        if starts:
            player.step(said, min(starts), max(starts))
            player.finish(max(starts))
        return player.lines

    def _player(self) -> CorePlayer:
        numbers = iter(self._numbers)
        first, *more = (_with_conditions(each, numbers, self._times) for each in self._documents)
        player = CorePlayer(compiled(first, self._story), self._story, keep=bool(more))
        for each in more:
            player.core.add(joining(each, self._story, player.core.program))
        return player

    def _say_when(self, player: CorePlayer, *, static: bool) -> None:
        """Assert the conditions, and the facts of rules, which are no answers, themselves."""
        items = (item for document in self._documents for item in items_of(document))
        for number, item in zip(self._numbers, items, strict=True):
            since, until = self._times.get(number, (math.nan, math.nan))
            if since < until and static == (since == -math.inf):
                said = [_there(number)] if _is_rule(item) else [item]
                for relation, texts, _ in compile_document(_document(said), TimeScale()).facts:
                    ids = player.core.terms.encode_many(texts).tolist()
                    fact = np.array([[*ids, _cell(since), _cell(until)]], np.int64)
                    player.core.assertions.enter(relation, fact)


def _cell(time: Time) -> int:
    return NEG_INF if time == -math.inf else POS_INF if time == math.inf else 2 * int(time)


def _there(number: int) -> Atom:
    return Atom(IRI(f"{_THERE}{number}"), ())


def _with_conditions(
    document: Document, numbers: Iterator[int], times: Mapping[int, object]
) -> Document:
    """The rules, those of which it is said when they are there with that as a condition."""
    items = []
    for item in items_of(document):
        number = next(numbers)
        items.append(_if_there(item, number) if number in times else item)
    return _document(items)


def _document(items: Iterable[Sentence]) -> Document:
    return Document(group=Group(tuple(items)))


def _if_there(item: Sentence, number: int) -> Sentence:
    if isinstance(item, Forall):
        clause = _if_there(item.clause, number)
        assert isinstance(clause, Implies)
        return replace(item, clause=clause)
    if isinstance(item, Implies):
        return replace(item, body=And((_there(number), item.body)))
    assert not isinstance(item, Group)
    return Implies((item,), _there(0))  # never: it is asserted


def _is_rule(item: Sentence) -> bool:
    return isinstance(item.clause if isinstance(item, Forall) else item, Implies)
