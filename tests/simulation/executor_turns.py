"""Rows and columns taking turns: the same calls of an engine, whoever takes in the elements.

What columns do is compared with definitions elsewhere; here rows must do the same.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, Literal, TypeAlias
from unittest.mock import patch

from r4.api import Engine
from r4.run.single_elements import SingleElements
from rete.kernels.single.interface import ElementData
from rif.errors.report import RuleErrors
from tests.generators.meetings.histories import random_meeting
from tests.generators.streams.metric_runs import random_metric_case
from tests.generators.streams.runs import RunCase, random_case
from tests.oracles.streams.run import DefaultGraphTriple, Element, Scenario
from tests.simulation.api_engine import (
    DATA_FORMS,
    as_one_document,
    data_of,
    instant,
    line_of,
    nodes,
    text_of,
)
from tests.simulation.meetings.engine_run import library_lines
from tests.simulation.shuffled_orders import shuffled_orders

_RULE: Final = "Document( Prefix(e <http://e/>) Group( Forall ?s ?o ( ?s[e:{} -> ?o] :- {} ) ) )"
_AHEAD: Final = (
    "DiamondPlus [0 ms, 5 ms] (?s[e:p -> ?o])",
    "DiamondPlus [1 ms, 3 ms] (?s[e:p -> ?o])",
    "BoxPlus [0 ms, 1 ms] (DiamondPlus [0 ms, 9 ms] (?s[e:p -> ?o]))",
    "Until [0 ms, 4 ms] (?s[e:q -> ?o] ?s[e:p -> ?o])",
)
"""What looks ahead."""

Turns: TypeAlias = Literal["rows", "columns", "mixed"]
Told: TypeAlias = list[object]
"""What an engine told, call by call."""
_COLUMNS: Final = 0.4
"""How often columns take an element in, where rows might."""


class Taken:
    """How many elements were offered to rows, and how many they took in."""

    def __init__(self) -> None:
        self.offered = self.taken = 0


@contextmanager
def executors(turns: Turns, seed: int = 0) -> Iterator[Taken]:
    """Elements are taken in by rows where that is possible, by columns, or by chance."""
    random = Random(seed)  # noqa: S311 - no secret
    taken, read = Taken(), SingleElements.read

    def turn(self: SingleElements, data: ElementData) -> bool:
        taken.offered += 1
        if turns == "columns" or (turns == "mixed" and random.random() < _COLUMNS):
            return False
        found = read(self, data)
        taken.taken += found
        return found

    with patch.object(SingleElements, "read", turn):
        yield taken


def disagreement(seed: int, turns: Turns) -> tuple[str, Taken, Told]:
    """Where rows, or both in turns, tell other changes than columns; empty: nowhere.

    In a third of the cases joins come into orders of chance meanwhile, in half of them rows soon
    leave what is pending to columns.
    """
    case = _case(seed)
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with executors("columns"):
            told = case()
        orders = shuffled_orders(seed) if seed % 3 == 0 else nullcontext()
        with executors(turns, seed) as taken, orders, ExitStack() as stack:
            if seed % 2:
                stack.enter_context(patch("rete.inference.row_plan.MOST_PENDING", 1 + seed % 4))
                stack.enter_context(patch("r4.run.single_elements._LOOK", 40))
            found = case()
    if found == told:
        return "", taken, told
    number = next((n for n, (a, b) in enumerate(zip(told, found, strict=False)) if a != b), -1)
    return f"{number}: {told[number]} of columns, {found[number]} of {turns}", taken, told


def compare(size: int, first: int, kind: str) -> tuple[Counter[str], dict[int, str]]:
    """Of cases of some seeds what they exercise, and where something is wrong. Kind: the turns."""
    features, wrong = Counter[str](), dict[int, str]()
    for seed in range(first, first + size):
        turns: Turns = "rows" if kind == "rows" or (not kind and seed % 2) else "mixed"
        found, taken, told = disagreement(seed, turns)
        features["rows take an element in"] += taken.taken > 0
        features["answers"] += any(isinstance(each, str) for each in told)
        if found:
            wrong[seed] = found
    return features, wrong


def _case(seed: int) -> Callable[[], Told]:
    """One in eight is a meeting of all dimensions, two have metric operators, two negation.

    In one of sixteen rules join others that look ahead, and begin half-way through their facts.
    """
    if seed % 16 == 3:
        return lambda: _told_of_rules_that_join(seed)
    if seed % 8 == 0:
        meeting = random_meeting(seed)

        def lines() -> Told:
            with TemporaryDirectory() as folder:
                return [each for line in library_lines(meeting, Path(folder)) for each in line]

        return lines
    drawn = (_drawn(number, seed % 4) for number in count(seed, 1000))
    case = next(each for each in drawn if len(each.scenario.sources) == 1)
    return lambda: _told(case, as_one_document(case.scenario), seed)


def _drawn(seed: int, kind: int) -> RunCase:
    if kind == 1:
        return random_metric_case(seed, negation=seed % 8 == 1)
    return random_case(seed, long=seed % 5 == 0, negation=kind == 2)


def _told(case: RunCase, scenario: Scenario, seed: int) -> Told:
    """What an engine tells, to which other calls are made between elements, drawn by the seed."""
    random = Random(seed)  # noqa: S311 - no secret
    engine = Engine.from_text(
        case.rules,
        window=None if scenario.window is None else str(scenario.window),
        delay=scenario.delay,
        literals="term",
    )
    source = scenario.sources[0]
    static = [item.triple for item in source if isinstance(item, DefaultGraphTriple)]
    engine.add_static(map(nodes, static))
    told: Told = []
    names: list[str] = []
    added: list[str] = []
    for item in source:
        if not isinstance(item, Element) or item.start is None:
            continue
        at = instant(item.start, scenario.clock)
        until = None if item.end is None else instant(item.end, scenario.clock)
        name = f"http://e/{len(names)}" if random.random() < 0.2 else None
        names += [] if name is None else [name]
        data = data_of(item.triples, random.choice(DATA_FORMS))
        told.append(bool(engine.add(data, at=at, until=until, name=name)))
        engine = _other_calls(engine, case, random, names, added, told)
    engine.finish(0)
    told += [*map(line_of, engine.changes()), engine.counters.saved()]
    return told


def _told_of_rules_that_join(seed: int) -> Told:
    """What an engine tells of a rule that joins: it, or the one before it, looks ahead.

    What such a rule derives begins before the frontier; the rule that joins sees nothing there.
    """
    random = Random(seed)  # noqa: S311 - no secret
    first, second = random.choice(_AHEAD), random.choice([*_AHEAD, "?s[e:first -> ?o]"])
    engine = Engine.from_text(_RULE.format("first", first))
    told: Told = []
    at, joins = 0, random.randrange(1, 7)
    for number in range(12):
        at += random.randrange(4)
        if number == joins:
            engine.add_rules(_RULE.format("second", second))
        subject, predicate = random.choice("ab"), random.choice("pq")
        told.append(
            engine.add(f"<http://e/{subject}> <http://e/{predicate}> <http://e/o> .", at=at)
        )
        told += map(line_of, engine.changes())
    engine.finish(None)
    return [*told, *map(line_of, engine.changes())]


def _other_calls(
    engine: Engine,
    case: RunCase,
    random: Random,
    names: list[str],
    added: list[str],
    told: Told,
) -> Engine:
    drawn = random.random()
    if drawn < 0.6:
        told += map(line_of, engine.changes())
    elif drawn < 0.66:
        told.append(sorted(" ".join(map(text_of, each)) for each in engine.current()))
    elif drawn < 0.76 and names:
        told.append(engine.retract(name=random.choice(names)))
    elif drawn < 0.78:
        told.append(engine.drop_rules(1))
    elif drawn < 0.82:
        with suppress(RuleErrors):
            engine.add_rules(case.rules)
            added.append(case.rules)
    elif drawn < 0.83:
        with TemporaryDirectory() as folder:
            engine.save(Path(folder) / "saved")
            return Engine.load(Path(folder) / "saved", case.rules, added=added)
    return engine
