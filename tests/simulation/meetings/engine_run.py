"""A history told to an `Engine`, item by item."""

from __future__ import annotations

from contextlib import ExitStack
from operator import methodcaller
from typing import TYPE_CHECKING, TypeAlias, cast

from r4.api import Engine
from r4.options.engine_options import Entailment
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
from tests.simulation.api_engine import data_of, line_of, nodes
from tests.simulation.core_run import tiny_stores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.generators.meetings.histories import Meeting


def library_lines(case: Meeting, folder: Path) -> list[tuple[str, bool]]:
    """The changes as lines, and whether each is undone."""
    with ExitStack() as stack:
        if case.small:
            stack.enter_context(tiny_stores())
        return _lines(case, folder)


class SavedEngine:
    """The engine is to be saved, and another one loaded, with these rules added."""

    def __init__(self, added: Sequence[str]) -> None:
        self.added = tuple(added)


EngineCall: TypeAlias = "Callable[[Engine], object]"


def begun_engine(case: Meeting, state: Path | None = None) -> Engine:
    """An engine for the rules of a case."""
    given = case.history
    joins = any(isinstance(item, RulesJoin) for item in given.sources[0])
    return Engine.from_text(
        rules_text(given.document, case.style),
        semantics="instances" if given.semantics == "instances" else "facts",
        window=None if given.window is None else str(given.window),
        windows={key.value: ticks for key, ticks in given.predicate_windows},
        delay=given.delay,
        entailment=cast("Entailment", given.regime),
        literals="value" if given.by_value else "constant" if given.numbers else "term",
        keep=joins or case.style % 2 == 1,
        order="arrival" if case.arrival else "time",
        state=state,
    )


def engine_calls(case: Meeting) -> Iterator[EngineCall | SavedEngine]:
    """The calls that tell a history, from static data to the end."""
    given = case.history
    added: list[str] = []
    joined: list[int | str] = []
    own = len(rules_of(given.document))
    yield methodcaller("add_static", [nodes(each) for each in given.statics])
    for item in given.sources[0]:
        match item:
            case HistoryElement():
                yield from _element_calls(item)
            case ReferenceTriples(triples):
                yield methodcaller("add_static", [nodes(each) for each in triples])
            case ReferenceEnds(triples):
                yield methodcaller("remove_static", [nodes(each) for each in triples])
            case FrontierMove(to):
                yield methodcaller("advance", to)
            case RulesJoin(document):
                added.append(rules_text(document, case.style))
                joined += [rule.name for rule in rules_of(document)]
                yield methodcaller("add_rules", added[-1])
            case RuleLeaves(number):  # those that joined have names
                yield methodcaller(
                    "drop_rules", number if number <= own else joined[number - own - 1]
                )
            case SaveAndLoad():
                yield SavedEngine(added)
    yield methodcaller("finish", given.drain)


def _element_calls(item: HistoryElement) -> Iterator[EngineCall]:
    start = item.start
    for each in item.names:
        yield methodcaller("retract", name=each, at=start)
    for row, each in item.rows:
        yield methodcaller("retract", [nodes(row)], name=each, at=start)
    if item.triples or not (item.names or item.rows):
        yield methodcaller("add", data_of(item.triples), at=start, until=item.end, name=item.name)


def _lines(case: Meeting, folder: Path) -> list[tuple[str, bool]]:
    engine, snapshot = begun_engine(case), folder / "engine.r4"
    told: list[tuple[str, bool]] = []
    for call in engine_calls(case):
        if isinstance(call, SavedEngine):
            engine.save(snapshot)
            rules = rules_text(case.history.document, case.style)
            engine = Engine.load(snapshot, rules, added=call.added)
        else:
            call(engine)
        told += [(line_of(one), one.undone) for one in engine.changes()]
    return told
