"""Values with one thing less, and the smallest of them that still fails: for failures by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from rif.syntax.ast import And, Exists, Forall, Formula, Frame, Group, Implies, Or
from rif.syntax.negation import Naf
from rif.syntax.terms import Variable
from tests.oracles.rules.conjunct_order import bound_by, variables

T = TypeVar("T")
Sentence = Forall | Implies | Formula | Group


def shrink(value: T, smaller: Callable[[T], Iterable[T]], fails: Callable[[T], bool]) -> T:
    """A value of which no smaller one fails, from one that does."""
    while (less := next(filter(fails, smaller(value)), None)) is not None:
        value = less
    return value


def without_one(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    """The items without each of them in turn."""
    for number in range(len(items)):
        yield items[:number] + items[number + 1 :]


def put(items: tuple[T, ...], number: int, item: T) -> tuple[T, ...]:
    """The items with another one in a place."""
    return (*items[:number], item, *items[number + 1 :])


def fewer_sentences(items: tuple[Sentence, ...]) -> Iterator[tuple[Sentence, ...]]:
    """Rules and facts of which one is missing or smaller."""
    yield from without_one(items)
    for place, item in enumerate(items):
        if isinstance(item, Group):
            yield (*items[:place], *item.items, *items[place + 1 :])
        elif item.meta:
            yield put(items, place, replace(item, meta=None))
        clause = item.clause if isinstance(item, Forall) else item
        if isinstance(clause, Implies):
            for rule in _smaller_rules(clause):
                if (closed := _closed(rule)) is not None:
                    yield put(items, place, closed)


def _smaller_rules(rule: Implies) -> Iterator[Implies]:
    for fewer in without_one(rule.head):
        if fewer:
            yield replace(rule, head=fewer)
    for number, head in enumerate(rule.head):
        if isinstance(head, Frame):
            for slots in without_one(head.slots):
                if slots:
                    yield replace(rule, head=put(rule.head, number, replace(head, slots=slots)))
    for body in _smaller_bodies(rule.body):
        yield replace(rule, body=body)


def _smaller_bodies(body: Formula) -> Iterator[Formula]:
    match body:
        case And(items) | Or(items):
            if len(items) == 1:
                yield items[0]
            for fewer in without_one(items):
                yield replace(body, items=fewer)
            for number, item in enumerate(items):
                for smaller in _smaller_bodies(item):
                    yield replace(body, items=put(items, number, smaller))
        case Exists() | Naf():
            yield from (replace(body, body=smaller) for smaller in _smaller_bodies(body.body))
        case Frame(_, slots):
            for fewer_slots in without_one(slots):
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
