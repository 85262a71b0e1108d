"""Which rules there are while a story is played, and from when until when."""

from __future__ import annotations

import math

from r4.engine.core import Core
from rif.syntax.ast import Document, Group
from tests.generators.stories.steps import Story, items_of
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.formulas import Time
from tests.oracles.streams.retraction import ElementLog
from tests.oracles.streams.rule_changes import ChangingRulesOracle
from tests.simulation.retraction.fresh_engine import FreshEngine
from tests.simulation.retraction.programs import joining


class RuleHistory:
    """The rules of a story, those that joined and those that were dropped.

    Attributes:
        joined: the documents that joined, each with its time, in turn.
        dropped: the numbers of the rules that are there no longer.
        reasoner: the definition of what follows.
    """

    def __init__(self, story: Story) -> None:
        self._story = story
        self.joined: list[tuple[Time, Document]] = []
        self.dropped: set[int] = set()
        self.reasoner = (
            FreshEngine(story)
            if story.regime
            else ChangingRulesOracle(story.document, story.semantics)
        )
        self._numbers = list(range(1, len(rules_of(story.document)) + 1))
        self._times: dict[int, tuple[Time, Time]] = {}

    @property
    def rounds(self) -> int:
        """The most rounds that the oracle took; 0 where it was not asked."""
        return 0 if isinstance(self.reasoner, FreshEngine) else self.reasoner.rounds

    @property
    def left(self) -> list[int]:
        """The numbers of the rules that are there."""
        return [number for number in self._numbers if number not in self.dropped]

    def join(self, document: Document, core: Core, diary: ElementLog) -> None:
        """Rules join those of ``core``, at the frontier."""
        program = joining(document, self._story, core.program)
        first = len(core.program.labels) + 1
        core.add(program)
        numbers = range(first, first + len(rules_of(document)))
        self.joined.append((diary.frontier, document))
        self._numbers += numbers
        self._times.update((number, (diary.frontier, math.inf)) for number in numbers)
        self._change(diary)

    def drop(self, numbers: set[int], core: Core, diary: ElementLog) -> None:
        """Rules leave ``core``, at the frontier."""
        core.drop(numbers)
        self.dropped |= numbers
        for number in numbers:
            since, _ = self._times.get(number, (-math.inf, math.inf))
            self._times[number] = since, diary.frontier
        self._change(diary)

    def _change(self, diary: ElementLog) -> None:
        documents = [self._story.document, *(document for _, document in self.joined)]
        if isinstance(self.reasoner, FreshEngine):
            self.reasoner.change(documents, self._numbers, self._times)
        else:
            items = tuple(item for each in documents for item in items_of(each))
            self.reasoner.change(Document(group=Group(items)), self._times)
        diary.rules_changed()
