"""The lines of a `History`: a model of what counts, at every instant.

Retractions and changes of rules cut time into stretches; in each the same assertions and the same
rules count. Its instants are those of the model of them all over the whole time line
(`tests.oracles.metric.streams`): what is looked back on, or ahead, counts there as it counts now.
An instance is cut where a part of it is retracted.
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar, cast

from rif.syntax.ast import Document, Group
from rif.syntax.terms import Literal
from tests.oracles.metric.dependencies import layers
from tests.oracles.metric.streams import Model, stretch_of
from tests.oracles.rdf.canonical_form import one_form
from tests.oracles.rdf.schema_rules import schema_rules
from tests.oracles.rdf.values import parts
from tests.oracles.rules.datalog import Answer, Answers
from tests.oracles.rules.formulas import Fact, Instance, Time, text
from tests.oracles.rules.number_constants import numbers_apart
from tests.oracles.streams.history import History, Reading, RulesJoin, read
from tests.oracles.streams.output_lines import Line, json_of, lines_of
from tests.oracles.streams.retraction import Assertion
from tests.oracles.streams.rule_changes import ChangingRulesOracle

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")


def expected_lines(history: History) -> list[str]:
    """What is printed in the order of time.

    Raises:
        TooBig: there is more to look at than can be in a test.
    """
    if history.by_value:
        history = in_one_form(history)
    if history.numbers:
        history = numbers_apart(history)
    reading = read(history)
    names = {each.rule.number: each.rule.name for each in reading.rules}
    lines = (_instances if history.semantics == "instances" else _facts)(history, reading)
    return [json_of(line, names, history.clock) for line in lines]


def _until(history: History, reading: Reading) -> Time:
    return reading.last + history.drain


def _stretches(reading: Reading) -> Iterator[tuple[Time, Time]]:
    """From one retraction or change of rules to the next."""
    changes = {each.retracted for each in reading.assertions}
    changes |= {time for each in reading.rules for time in (each.since, each.until)}
    yield from pairwise(sorted({-math.inf, *changes, math.inf}))


# -- facts ---------------------------------------------------------------------------------


def _facts(history: History, reading: Reading) -> list[Line]:
    until = _until(history, reading)
    stretches = list(_stretches(reading))
    models = [_model(history, reading, since, until) for since, _ in stretches]
    changes = [int(low) for low, _ in stretches if low > -math.inf]
    begin = min([*(model.stretch.first // 2 for model in models), *changes])
    background, runs = {}, []
    for fact in {fact for model in models for fact in model.derived}:
        rule = _rule(models[0], fact, models[0].stretch.first)
        if rule:
            background[fact] = rule
        since: Time = -math.inf
        for (low, high), model in zip(stretches, models, strict=True):
            for tick in range(int(max(low, begin)), int(min(high, until + 1))):
                now = _rule(model, fact, 2 * tick)
                if now and not rule:
                    since, rule = tick, now
                elif rule and not now:
                    runs.append(Answer(fact, since, tick, rule))
                    rule = None
        if rule and since > -math.inf:
            runs.append(Answer(fact, since, math.inf, rule))
    return lines_of(Answers(background, runs, 0), "facts", until)


def _rule(model: Model, fact: Fact, cell: int) -> int | None:
    """The least rule, of those that are no background, that derives a fact in a cell."""
    for number, truth in sorted(model.derived.get(fact, {}).items()):
        if number > 0 and model.stretch.holds(truth, cell):
            return number
    return None


def _model(history: History, reading: Reading, now: Time, until: Time) -> Model:
    """What follows from all that counts at ``now``, over the whole time line."""
    rules = [each.rule for each in reading.rules if each.since <= now < each.until]
    known = [
        Instance(each.fact, each.start, each.end)
        for each in reading.assertions
        if now < each.retracted
    ]
    strata = layers([*rules, *schema_rules(history.regime, history.statics)])
    model = Model(strata, known, stretch_of(strata, known, until))
    for some in strata:
        model.complete(some)
    return model


# -- instances -----------------------------------------------------------------------------


def _instances(history: History, reading: Reading) -> list[Line]:
    joined = [item for source in history.sources for item in source if isinstance(item, RulesJoin)]
    documents = [history.document, *(item.document for item in joined)]
    groups = tuple(one.group for one in documents if one.group is not None)
    oracle = ChangingRulesOracle(Document(group=Group(groups)), "instances")
    until = _until(history, reading)
    found = []
    for low, high in _stretches(reading):
        oracle.change(
            Document(group=Group(groups)),
            {
                each.rule.number: (each.since, each.until if each.until <= low else math.inf)
                for each in reading.rules
            },
        )
        known = [
            Assertion(one.fact, one.name, one.start, min(one.end, one.retracted))
            if one.retracted <= low
            else Assertion(one.fact, one.name, one.start, one.end)
            for one in reading.assertions
        ]
        found += [one for one in oracle.lines(known) if low <= one.at < high and one.at <= until]
    return found


# -- literals ------------------------------------------------------------------------------


def in_one_form(node: T) -> T:
    """A tree in which each literal stands for its value."""
    if isinstance(node, Literal):
        found = parts(one_form(text(node)))
        assert found is not None
        return cast("T", Literal(*found))
    if isinstance(node, tuple):
        if hasattr(node, "_fields"):  # a duration
            return node
        return cast("T", tuple(map(in_one_form, node)))
    if is_dataclass(node) and not isinstance(node, type):
        changed = {
            one.name: in_one_form(getattr(node, one.name)) for one in fields(node) if one.init
        }
        return replace(node, **changed)
    return node
