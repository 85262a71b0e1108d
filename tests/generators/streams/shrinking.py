"""The smallest part of a case that still fails: for failures found by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from rif.syntax.ast import And, Exists, Forall, Formula, Frame, Group, Implies, Or
from rif.syntax.negation import Naf
from rif.syntax.terms import Variable
from tests.generators.draw import Draw
from tests.generators.rules.text import DocumentWriter
from tests.generators.streams.runs import RunCase
from tests.generators.streams.text import source_text, triples_text
from tests.oracles.rules.conjunct_order import bound_by, variables
from tests.oracles.streams.run import Element, Scenario, ScenarioItem

T = TypeVar("T")
Sentence = Forall | Implies | Formula | Group

PLAIN = Draw(lambda low, _: low)
"""Always the simplest choice."""


def written(scenario: Scenario) -> RunCase:
    """The case of a scenario, in its simplest texts."""
    return RunCase(
        scenario,
        DocumentWriter(PLAIN, scenario.document.prefixes).document(scenario.document),
        tuple(triples_text(PLAIN, triples) for triples in scenario.statics),
        tuple(source_text(PLAIN, items, scenario.clock) for items in scenario.sources),
    )


def minimal(case: RunCase, fails: Callable[[RunCase], bool]) -> RunCase:
    """A case from which nothing can be left out without passing; ``case`` if texts matter."""
    best = written(case.scenario)
    if not fails(best):
        return case
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(best.scenario):
            candidate = written(smaller)
            if fails(candidate):
                best, progress = candidate, True
                break
    return best


def _smaller(scenario: Scenario) -> Iterator[Scenario]:
    """Every scenario with one thing less, the largest things first."""
    for statics in _without_one(scenario.statics):
        yield replace(scenario, statics=statics)
    for sources in _without_one(scenario.sources):
        yield replace(scenario, sources=sources)
    if (group := scenario.document.group) is not None:
        for sentences in _fewer_sentences(group.items):
            document = replace(scenario.document, group=replace(group, items=sentences))
            yield replace(scenario, document=document)
    yield from _less_data(scenario)
    for plainer in (
        replace(scenario, window=None),
        replace(scenario, delay=0),
        replace(scenario, drain=None),
        replace(scenario, semantics="facts"),
        replace(scenario, streams_first=False),
    ):
        if plainer != scenario:
            yield plainer


def _less_data(scenario: Scenario) -> Iterator[Scenario]:
    for number, items in enumerate(scenario.sources):
        for fewer in (*_without_one(items), *_smaller_items(items)):
            yield replace(scenario, sources=_put(scenario.sources, number, fewer))
    for number, triples in enumerate(scenario.statics):
        for less in _without_one(triples):
            yield replace(scenario, statics=_put(scenario.statics, number, less))


def _smaller_items(items: tuple[ScenarioItem, ...]) -> Iterator[tuple[ScenarioItem, ...]]:
    for place, item in enumerate(items):
        if isinstance(item, Element):
            for triples in _without_one(item.triples):
                yield _put(items, place, replace(item, triples=triples))
            if item.end is not None:
                yield _put(items, place, replace(item, end=None))


def _fewer_sentences(items: tuple[Sentence, ...]) -> Iterator[tuple[Sentence, ...]]:
    yield from _without_one(items)
    for place, item in enumerate(items):
        if isinstance(item, Group):
            yield (*items[:place], *item.items, *items[place + 1 :])
        elif item.meta:
            yield _put(items, place, replace(item, meta=None))
        clause = item.clause if isinstance(item, Forall) else item
        if isinstance(clause, Implies):
            for rule in _smaller_rules(clause):
                if (closed := _closed(rule)) is not None:
                    yield _put(items, place, closed)


def _smaller_rules(rule: Implies) -> Iterator[Implies]:
    for fewer in _without_one(rule.head):
        if fewer:
            yield replace(rule, head=fewer)
    for number, head in enumerate(rule.head):
        if isinstance(head, Frame):
            for slots in _without_one(head.slots):
                if slots:
                    yield replace(rule, head=_put(rule.head, number, replace(head, slots=slots)))
    for body in _smaller_bodies(rule.body):
        yield replace(rule, body=body)


def _smaller_bodies(body: Formula) -> Iterator[Formula]:
    match body:
        case And(items) | Or(items):
            if len(items) == 1:
                yield items[0]
            for fewer in _without_one(items):
                yield replace(body, items=fewer)
            for number, item in enumerate(items):
                for smaller in _smaller_bodies(item):
                    yield replace(body, items=_put(items, number, smaller))
        case Exists() | Naf():
            yield from (replace(body, body=smaller) for smaller in _smaller_bodies(body.body))
        case Frame(_, slots):
            for fewer_slots in _without_one(slots):
                if fewer_slots:
                    yield replace(body, slots=fewer_slots)


def _closed(rule: Implies) -> Forall | Implies | None:
    """The rule with its variables declared; ``None`` if its head is no longer bound."""
    bound = bound_by(rule.body, frozenset())
    used = {name for head in rule.head for name in _names(head)}
    if bound is None or not used <= bound:
        return None
    return Forall(tuple(map(Variable, sorted(bound))), rule) if bound else rule


def _names(head: Formula) -> set[str]:
    if isinstance(head, Frame):
        terms = [head.object, *(term for slot in head.slots for term in slot)]
    else:
        terms = list(getattr(head, "args", ()))
    return {name for term in terms for name in variables(term)}


def _without_one(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    for number in range(len(items)):
        yield items[:number] + items[number + 1 :]


def _put(items: tuple[T, ...], number: int, item: T) -> tuple[T, ...]:
    return (*items[:number], item, *items[number + 1 :])
