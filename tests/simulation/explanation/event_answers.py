"""What `r4 explain` says where rules have aggregates and event times.

All times of a fact are those of lines of `r4 run` on the same input, and the members of groups
those of the definition.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rif.syntax.aggregates import Aggregate
from tests.generators.events.histories import random_event_case
from tests.oracles.events.answers import StretchModel, stretches
from tests.oracles.events.conditions import Conditions
from tests.oracles.events.dependencies import components
from tests.oracles.events.models import formulas_of, valued
from tests.oracles.rules.aggregate_values import Item, aggregate_value
from tests.oracles.streams.history import History, Reading, read
from tests.oracles.streams.history_answers import in_one_form
from tests.simulation.command import call
from tests.simulation.explanation.meeting_comparison import answers_of
from tests.simulation.meetings.command_run import command_files, command_options

_DRAIN = 40
_ASKED = 3
"""Answers of a case that are explained."""


def check(seed: int, folder: Path) -> Counter[str]:
    """Ask for answers of a case, when they hold and when they do not."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    case = random_event_case(seed)
    history = replace(case.history, drain=0)
    if case.way == "library" or history.semantics != "facts" or history.clock != "integer":
        return Counter()
    case = replace(case, history=history, way="command", small=False, arrival=False)
    given = [*command_files(case, folder), *command_options(case)]
    printed = call(["run", *given, f"--drain={_DRAIN}"])
    if printed.code:
        return Counter()
    reading = read(in_one_form(history) if history.by_value else history)
    if reads_itself(reading):
        return Counter()  # their answers still depend on how time moves
    members, over = _Members(history, reading), int(reading.last) + _DRAIN
    place = given.index("--semantics")  # explanations are about facts
    asked = [*given[:place], *given[place + 2 :], "--as", "json", "--limit", "2"]
    met: Counter[str] = Counter()
    asserted = {" ".join(one.fact[1:]) for one in reading.assertions}
    answers = answers_of(printed.lines())
    for fact, (begin, end) in draw.sample(answers, min(_ASKED, len(answers))):
        if begin is None or fact in asserted or fact.startswith("List"):
            continue  # of what is asserted other times are told, too; no fact begins with a list
        last = begin + 3 if end is None else end - 1
        at = draw.choice((begin, last, draw.randint(begin, last), begin - 1, last + 1))
        if at < over:
            found = call(["explain", *asked, "--fact", fact, "--at", str(at)])
            assert found.out, (seed, fact, at, found.err)
            spans = [span for one, span in answers if one == fact]
            met += _Said(json.loads(found.out), at, (seed, fact, at)).checked(spans, members, over)
    return met


def reads_itself(reading: Reading) -> bool:
    """Whether rules read their own earlier answers."""
    bodies = [each.rule for each in reading.rules if each.rule.body is not None]
    return any(each.in_order for each in components(bodies))


class _Said(NamedTuple):
    """What is said of a fact at an instant."""

    value: Any
    at: int
    where: tuple[object, ...]

    def checked(
        self, spans: list[tuple[int | None, int | None]], members: _Members, over: int
    ) -> Counter[str]:
        """Compare with when it was printed to hold; ``over``: lines go up to there."""
        value = self.value
        if not value["holds"]:
            assert not any(_has(span, self.at) for span in spans), self.where
            for other in value["held"]:
                since = other["from"]
                if since is None or since < over:
                    ends = [end for start, end in spans if start == since]
                    assert ends in ([other["until"]], [None]), (*self.where, other)
            return Counter(asked=1, fails=1)
        ((begin, end),) = (span for span in spans if _has(span, self.at))
        told = value["answer"]
        end = end if value["final"] else told["until"]
        assert (told["from"], told["until"]) == (begin, end), (*self.where, told)
        assert value["justifications"], self.where
        met = Counter(asked=1)
        for tree in [*value["justifications"], *filter(None, [value["last"]])]:
            for node in _nodes(tree):
                met.update(_kinds(node))
                if "members" in node:
                    members.check(node, self.where)
        return met


def _has(span: tuple[int | None, int | None], at: int) -> bool:
    begin, end = span
    return (begin is None or begin <= at) and (end is None or at < end)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    stack = [tree["proof"], *tree.get("continued", ())]
    while stack:
        node = stack.pop()
        yield node
        stack += node.get("because", ())


def _kinds(node: dict[str, Any]) -> Iterator[str]:
    if "members" in node:
        yield "aggregate"
        yield "of some members" if node["chosen"] else "of all members"
        yield from ("changed by " + which for which in ("came", "gone") if node[which])
    if "event" in node:
        yield node["operator"]
    if "asserted" in node and "event" in node["fact"]:
        yield node["fact"]["event"]


class _Bag(NamedTuple):
    aggregate: Aggregate
    items: list[Item]


class _Members:
    """The groups of the aggregates of a history, by definition."""

    def __init__(self, history: History, reading: Reading) -> None:
        self._history = in_one_form(history) if history.by_value else history
        self._reading = reading
        self._by_value = history.by_value
        self._stretches: list[StretchModel] | None = None
        self._aggregates: list[Aggregate] = []

    def check(self, node: dict[str, Any], where: object) -> None:
        """The members of a group are those of some aggregate of the rules."""
        if node["when"]["from"] is None or node.get("kept") is False:
            return
        tick = node["when"]["from"]
        if not node.get("again"):
            assert len(node["because"]) >= len(node["deciding"]), (where, node)
        if node["when"]["until"] == tick:
            return  # between two ticks
        group, deciding = tuple(node["group"]), Counter(node["deciding"])
        bags = list(self._bags(node["operator"], tick, group))
        for aggregate, items in bags:
            values = Counter(one.value for one in items)
            rest = [one for one in items if one.value in deciding]
            if (
                len(items) == node["members"]
                and _value(aggregate, items, by_value=self._by_value) == node["value"]
                and _value(aggregate, rest, by_value=self._by_value) == node["value"]
                and deciding <= values
                and (node["chosen"] or deciding == values)
            ):
                return
        raise AssertionError(where, node, bags)

    def _bags(self, name: str, tick: int, group: tuple[str, ...]) -> Iterator[_Bag]:
        if self._stretches is None:
            reading = self._reading
            self._stretches = stretches(self._history, reading, reading.last + _DRAIN)
            formulas = formulas_of([each.rule for each in reading.rules])
            self._aggregates = [each for each in formulas if isinstance(each, Aggregate)]
        (model,) = (each.model for each in self._stretches if each.low <= tick < each.high)
        conditions = Conditions(model)
        for aggregate in self._aggregates:
            size = "" if aggregate.size is None else str(aggregate.size)
            words = aggregate.function, aggregate.share, aggregate.part, size
            if " ".join(filter(None, words)) != name:
                continue
            bags: dict[tuple[str, ...], list[Item]] = defaultdict(list)
            for row in conditions.rows(aggregate.body, model.timeline.cell_of(tick)):
                env = dict(row)
                by = "" if aggregate.order is None else env[aggregate.order.name]
                item = Item(env[aggregate.value.name], by)
                bags[tuple(env[each.value.name] for each in aggregate.group)].append(item)
            if group in bags:
                yield _Bag(aggregate, bags[group])


def _value(of: Aggregate, items: list[Item], *, by_value: bool) -> str | None:
    found = aggregate_value(of.function, items, share=of.share, part=of.part, size=of.size)
    return valued(found) if found is not None and by_value else found
