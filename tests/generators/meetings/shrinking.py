"""The smallest part of a meeting that still fails: for failures found by seed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.ast import And, Exists, Forall, Formula, Group, Implies, Or
from rif.syntax.negation import Naf
from temporal.metric_rif.events import EventFormula
from temporal.mtl.ast import BinaryOperator, UnaryOperator
from tests.generators.meetings.programs import clauses
from tests.generators.ontologies.rules_above import closed
from tests.generators.shrinking import put, shrink, without_one
from tests.oracles.metric.dependencies import is_metric
from tests.oracles.streams.history import HistoryElement, RuleLeaves, RulesJoin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rif.syntax.ast import Document
    from tests.generators.meetings.histories import Meeting
    from tests.oracles.streams.history import History, HistoryItem


def minimal(case: Meeting, fails: Callable[[Meeting], bool]) -> Meeting:
    """A case from which nothing can be left out without passing."""
    return shrink(case, _smaller, fails)


def _smaller(case: Meeting) -> Iterator[Meeting]:
    """Every case with one thing less, the largest things first."""
    for given in _smaller_histories(case.history):
        yield replace(case, history=given)
    for plainer in (
        replace(case, way="command" if case.way == "shards" else case.way),
        replace(case, forms=tuple("nquads" for _ in case.forms)),
        replace(case, arrival=False),
        replace(case, small=False),
        replace(case, style=0),
    ):
        if plainer != case:
            yield plainer


def _smaller_histories(given: History) -> Iterator[History]:
    yield from _without_an_item(given)
    yield from _without_a_rule(given)
    for statics in without_one(given.statics):
        yield replace(given, statics=statics)
    for place, items in enumerate(given.sources):
        for number, item in enumerate(items):
            for less in _smaller_items(item):
                yield replace(given, sources=put(given.sources, place, put(items, number, less)))
    for document in _smaller_documents(given.document):
        yield replace(given, document=document, metric=is_metric(document))
    for plainer in (
        replace(given, delay=0),
        replace(given, drain=0),
        replace(given, window=None),
        *(replace(given, source_windows=some) for some in without_one(given.source_windows)),
        *(replace(given, predicate_windows=some) for some in without_one(given.predicate_windows)),
        replace(given, semantics="facts"),
        replace(given, regime="none"),
        replace(given, by_value=False),
        replace(given, document=replace(given.document, window=None)),
    ):
        if plainer != given:
            yield plainer


def _without_an_item(given: History) -> Iterator[History]:
    for place, items in enumerate(given.sources):
        for number, item in enumerate(items):
            if not isinstance(item, RulesJoin):
                fewer = (*items[:number], *items[number + 1 :])
                yield replace(given, sources=put(given.sources, place, fewer))


def _without_a_rule(given: History) -> Iterator[History]:
    """A rule less, of the document or of those that join; the others are numbered anew."""
    rules = clauses(given.document)
    for number, fewer in enumerate(without_one(rules), 1):
        if fewer:
            document = replace(given.document, group=Group(fewer))
            metric = is_metric(document)
            sources = tuple(_renumbered(items, number) for items in given.sources)
            yield replace(given, document=document, sources=sources, metric=metric)
    joined = len(rules)
    for place, items in enumerate(given.sources):
        for item in items:
            if isinstance(item, RulesJoin):
                joined += 1
                fewer_items = _renumbered([one for one in items if one is not item], joined)
                yield replace(given, sources=put(given.sources, place, fewer_items))


def _renumbered(
    items: list[HistoryItem] | tuple[HistoryItem, ...], gone: int
) -> tuple[HistoryItem, ...]:
    return tuple(
        RuleLeaves(one.number - 1) if isinstance(one, RuleLeaves) and one.number > gone else one
        for one in items
        if not (isinstance(one, RuleLeaves) and one.number == gone)
    )


def _smaller_items(item: HistoryItem) -> Iterator[HistoryItem]:
    if isinstance(item, RulesJoin):
        for document in _smaller_documents(item.document):
            yield replace(item, document=document)
    if isinstance(item, HistoryElement):
        for triples in without_one(item.triples):
            yield replace(item, triples=triples)
        for names in without_one(item.names):
            yield replace(item, names=names)
        for rows in without_one(item.rows):
            yield replace(item, rows=rows)
        if item.end is not None:
            yield replace(item, end=None)


def _smaller_documents(document: Document) -> Iterator[Document]:
    rules = clauses(document)
    for place, rule in enumerate(rules):
        clause = rule.clause if isinstance(rule, Forall) else rule
        assert isinstance(clause, Implies)
        smaller = [closed(clause.head, body) for body in _smaller_formulas(clause.body)]
        heads = [head.body for head in clause.head if isinstance(head, UnaryOperator)]
        smaller += [closed((head,), clause.body) for head in heads]
        for less in smaller:
            named = replace(less, meta=rule.meta)
            yield replace(document, group=Group(put(rules, place, named)))


def _smaller_formulas(
    formula: Formula,
) -> Iterator[Formula]:
    match formula:
        case And(items) | Or(items):
            yield from items
            for fewer in without_one(items):
                yield replace(formula, items=fewer)
            for number, item in enumerate(items):
                for smaller in _smaller_formulas(item):
                    yield replace(formula, items=put(items, number, smaller))
        case UnaryOperator():
            yield formula.body
            yield from (replace(formula, body=one) for one in _smaller_formulas(formula.body))
        case Exists() | Naf():
            yield from (replace(formula, body=one) for one in _smaller_formulas(formula.body))
        case BinaryOperator():
            yield formula.psi
            yield from (replace(formula, phi=one) for one in _smaller_formulas(formula.phi))
            yield from (replace(formula, psi=one) for one in _smaller_formulas(formula.psi))
        case Aggregate() | AggregateEqual() | EventFormula():
            yield from _smaller_parts(formula)


def _smaller_parts(formula: Formula) -> Iterator[Formula]:
    """The fact of an event, or one part less in the formula."""
    if isinstance(formula, EventFormula):
        yield formula.body
    for number, part in enumerate(formula.parts):
        for smaller in _smaller_formulas(part):
            yield formula.with_parts(put(formula.parts, number, smaller))
    if isinstance(formula, Aggregate):
        for group in without_one(formula.group):
            yield replace(formula, group=group)
