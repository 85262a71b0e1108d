"""The lines of a `History` whose rules have aggregates, event times or a calendar.

As in `tests.oracles.streams.history_answers`, retractions and changes of rules cut time into
stretches; the instants of a stretch are those of the model of all that counts in it, over the whole
time line. What follows from static data alone is a model without time.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from rif.syntax.ast import Constant, Frame, Var
from rif.syntax.terms import IRI, OWL, Variable
from temporal.metric_rif.events import Every
from tests.oracles.events.models import (
    Asserted,
    EventModel,
    Setting,
    formulas_of,
    timeline_of,
)
from tests.oracles.events.timeline import Timeline
from tests.oracles.rdf.schema_rules import schema_rules
from tests.oracles.rules.datalog import Answer, Answers, Rule
from tests.oracles.rules.formulas import Fact, Time, text
from tests.oracles.rules.number_constants import numbers_apart
from tests.oracles.streams.history import History, Reading, read
from tests.oracles.streams.history_answers import in_one_form
from tests.oracles.streams.output_lines import json_of, lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracles.streams.run import Triple

SAME_AS = IRI(OWL + "sameAs")


class StretchModel(NamedTuple):
    """A model, and the instants that it is of: from ``low`` on, before ``high``."""

    low: Time
    high: Time
    model: EventModel


def event_lines(history: History) -> list[str]:
    """What is printed in the order of time.

    Raises:
        TooBig: there is more to look at than can be in a test.
        NotStratified: the rules have no model.
    """
    if history.by_value:
        history = in_one_form(history)
    if history.numbers:
        history = numbers_apart(history)
    reading = read(history)
    names = {each.rule.number: each.rule.name for each in reading.rules}
    until = reading.last + history.drain
    lines = lines_of(answers(history, reading, until), "facts", until)
    return [json_of(line, names, history.clock) for line in lines]


def answers(history: History, reading: Reading, until: Time) -> Answers:
    """E0, and the maximal runs of ticks of each derived fact."""
    background = _without_time(history, reading)
    some = stretches(history, reading, until)
    rules = [each.rule for each in reading.rules]
    cuts = [int(each.low) for each in some if math.isfinite(each.low)]
    begin: Time = min([*(min(each.model.timeline.points, default=0) for each in some), *cuts])
    if any(isinstance(one, Every) for one in formulas_of(rules)):
        begin = reading.begun
    ticks = {tick for each in some for tick in each.model.timeline.changes()}
    ticks |= {*cuts, *([int(begin)] if math.isfinite(begin) else [])}
    runs = []
    facts = {fact for each in some for fact in each.model.derived} | background.keys()
    for fact in facts:
        rule, since = background.get(fact), -math.inf
        for tick in sorted(tick for tick in ticks if begin <= tick <= until):
            now = _rule(some, fact, tick)
            if now and not rule:
                since, rule = tick, now
            elif rule and not now:
                runs.append(Answer(fact, since, tick, rule))
                rule = None
        if rule and since > -math.inf:
            runs.append(Answer(fact, since, math.inf, rule))
    return Answers(background, runs, 0)


def stretches(history: History, reading: Reading, until: Time) -> list[StretchModel]:
    """The model of each stretch of time."""
    setting = Setting(reading.begun, history.clock, history.by_value, _same(history))
    background = background_rules(history)
    known = [Asserted(one.fact, one.name, one.start, one.end) for one in reading.assertions]
    rules = [*(each.rule for each in reading.rules), *background]
    timeline = timeline_of(rules, known, until, setting)
    changes = {each.retracted for each in reading.assertions}
    changes |= {time for each in reading.rules for time in (each.since, each.until)}
    found = []
    for low, high in pairwise(sorted({-math.inf, *changes, math.inf})):
        some = [each.rule for each in reading.rules if each.since <= low < each.until]
        asserted = [
            one for one, each in zip(known, reading.assertions, strict=True) if low < each.retracted
        ]
        found.append(
            StretchModel(low, high, EventModel([*some, *background], asserted, timeline, setting))
        )
    return found


def _rule(some: Sequence[StretchModel], fact: Fact, tick: int) -> int | None:
    """The least rule, of those that are no background, that derives a fact at a tick."""
    (model,) = (each.model for each in some if each.low <= tick < each.high)
    cell = model.timeline.cell_of(tick)
    derived = model.derived.get(fact, {})
    return min((n for n, cells in derived.items() if n > 0 and cell in cells), default=None)


def _without_time(history: History, reading: Reading) -> dict[Fact, int]:
    """What follows from static data alone, by which rule."""
    rules = [each.rule for each in reading.rules if each.since == -math.inf]
    rules += background_rules(history)
    static = [
        Asserted(each.fact, "", -math.inf, math.inf)
        for each in reading.assertions
        if each.start == -math.inf
    ]
    setting = Setting(
        clock=history.clock, by_value=history.by_value, same=_same(history), has_marks=False
    )
    model = EventModel(rules, static, Timeline([]), setting)
    found = {
        fact: min((number for number, cells in of.items() if number > 0 and cells), default=0)
        for fact, of in model.derived.items()
    }
    return {fact: number for fact, number in found.items() if number}


# -- names of one thing --------------------------------------------------------------------


def background_rules(history: History) -> list[Rule]:
    """What a static schema means for triples; their numbers are negative."""
    found = schema_rules(history.regime, history.statics)
    same, triples = _same(history), _triples(history)
    keys = list(dict.fromkeys(key for _, key, _ in triples))
    terms = {text(term): term for triple in triples for term in triple}
    x = Var(Variable("x"))
    for name, others in same.items():
        for other in others:
            for key in keys if other != name and name in terms and other in terms else ():
                one, two = Constant(terms[name]), Constant(terms[other])
                for head, body in (
                    (Frame(two, ((Constant(key), x),)), Frame(one, ((Constant(key), x),))),
                    (Frame(x, ((Constant(key), two),)), Frame(x, ((Constant(key), one),))),
                ):
                    found.append(Rule(-len(found) - 1, "same", (head,), body))
    return found


def _same(history: History) -> dict[str, list[str]]:
    """Each name that static data equate with another: all names of its thing, the least first."""
    if history.regime != "owl-rl":
        return {}
    found: dict[str, set[str]] = {}
    for one, key, two in history.statics:
        if key == SAME_AS:
            union = found.get(text(one), {text(one)}) | found.get(text(two), {text(two)})
            for name in union:
                found[name] = union
    return {name: sorted(names) for name, names in found.items()}


def _triples(history: History) -> list[Triple]:
    found = list(history.statics)
    for source in history.sources:
        for item in source:
            found += getattr(item, "triples", ())
    return found
