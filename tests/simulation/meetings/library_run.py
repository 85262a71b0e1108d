"""A history told to an `Engine`, item by item."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

from r4.api import Engine
from r4.api.options import Entailment
from tests.generators.meetings.text import rules_text
from tests.oracles.rules.datalog import rules_of
from tests.oracles.streams.history import (
    FrontierMove,
    HistoryElement,
    ReferenceEnds,
    ReferenceTriples,
    RuleLeaves,
    RulesJoin,
    SaveAndLoad,
)
from tests.simulation.api_engine import line_of, nodes
from tests.simulation.core_run import tiny_stores

if TYPE_CHECKING:
    from pathlib import Path

    from tests.generators.meetings.histories import Meeting
    from tests.oracles.streams.history import HistoryItem


def library_lines(case: Meeting, folder: Path) -> list[tuple[str, bool]]:
    """The changes as lines, and whether each is undone."""
    with ExitStack() as stack:
        if case.small:
            stack.enter_context(tiny_stores())
        return _LibraryRun(case, folder).lines()


class _LibraryRun:
    def __init__(self, case: Meeting, folder: Path) -> None:
        given = case.history
        self._case = case
        self._snapshot = folder / "engine.r4"
        self._rules = rules_text(given.document, case.style)
        self._added: list[str] = []
        self._joined: list[int | str] = []
        joins = any(isinstance(item, RulesJoin) for item in given.sources[0])
        self._engine = Engine.from_text(
            self._rules,
            semantics="instances" if given.semantics == "instances" else "facts",
            window=None if given.window is None else str(given.window),
            delay=given.delay,
            entailment=cast("Entailment", given.regime),
            literals="value" if given.by_value else "term",
            keep=joins or case.style % 2 == 1,
            order="arrival" if case.arrival else "time",
        )
        self._engine.add_static(map(nodes, given.statics))
        self._told: list[tuple[str, bool]] = []

    def lines(self) -> list[tuple[str, bool]]:
        (items,) = self._case.history.sources
        for item in items:
            self._take(item)
            self._told += [(line_of(one), one.undone) for one in self._engine.changes()]
        self._engine.finish(self._case.history.drain)
        self._told += [(line_of(one), one.undone) for one in self._engine.changes()]
        return self._told

    def _take(self, item: HistoryItem) -> None:
        engine = self._engine
        match item:
            case HistoryElement():
                self._take_element(item)
            case ReferenceTriples(triples):
                engine.add_static(map(nodes, triples))
            case ReferenceEnds(triples):
                engine.remove_static(map(nodes, triples))
            case FrontierMove(to):
                engine.advance(to)
            case RulesJoin(document):
                self._added.append(rules_text(document, self._case.style))
                self._joined += [rule.name for rule in rules_of(document)]
                engine.add_rules(self._added[-1])
            case RuleLeaves(number):
                engine.drop_rules(self._label(number))
            case SaveAndLoad():
                engine.save(self._snapshot)
                self._engine = Engine.load(self._snapshot, self._rules, added=self._added)

    def _take_element(self, item: HistoryElement) -> None:
        engine, start = self._engine, item.start
        for each in item.names:
            engine.retract(name=each, at=start)
        for row, each in item.rows:
            engine.retract([nodes(row)], name=each, at=start)
        if item.triples or not (item.names or item.rows):
            engine.add(map(nodes, item.triples), at=start, until=item.end, name=item.name)

    def _label(self, number: int) -> int | str:
        """What the engine calls a rule: those that joined have names."""
        own = len(rules_of(self._case.history.document))
        return number if number <= own else self._joined[number - own - 1]
