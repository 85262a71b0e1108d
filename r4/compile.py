"""From a document to plans: what a network is built from, and what holds from the start."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from r4.changes import ERROR
from r4.time import FinerThanTick, OutOfRange, TimeScale
from rete.lowering import lower
from rete.optimizer.order import plan
from rete.plan import Emit, Relation
from rif.ast import Document, Window
from rif.errors import RuleError, RuleErrors
from rif.normal import clauses

MOST_CONDITIONS: Final = 150
"""Conditions of one body: plans are trees that are walked recursively."""

Fact: TypeAlias = tuple[Relation, tuple[str, ...]]
"""A fact of the rules: its relation and the canonical texts of its arguments."""


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled document.

    Attributes:
        emits: one for each body of each rule.
        facts: the facts among the clauses; they always hold, and are asserted, not derived.
        labels: per clause, counted from 1, the IRI of its annotation or its number.
        window: ticks for which an element without an end holds; None: for ever.
    """

    emits: tuple[Emit, ...]
    facts: tuple[Fact, ...]
    labels: tuple[str | int, ...]
    window: int | None


class WindowFinerThanTick(RuleError):
    """A window that is no whole number of ticks."""

    code = "R4101"
    default_hint = "choose a finer tick (--tick us or --tick ns)"


class TooManyConditions(RuleError):
    """A body that is longer than plans can be deep."""

    code = "R4103"
    default_hint = "derive parts of it by rules of their own"


class NotBuilt(RuleError):
    """A part of RIF-Core that is to come."""

    code = "R4104"
    default_hint = "put the rules of the imported document into this one, and data into --static"


class WindowTooLong(RuleError):
    """A window that leaves the time line."""

    code = "R4102"
    default_hint = "leave the Window out: then facts hold for ever"


def compile_document(document: Document, scale: TimeScale) -> Program:
    """Compile ``document``.

    Raises:
        RuleErrors: the window is no whole number of ticks, or a body is too long.
    """
    emits: list[Emit] = []
    facts: list[Fact] = []
    labels: list[str | int] = []
    faults: list[RuleError] = [
        NotBuilt("Import is not built yet", directive.span) for directive in document.imports
    ]
    for clause in clauses(document):
        labels.append(clause.iri or clause.number)
        longest = max(map(len, clause.bodies), default=0)
        if longest > MOST_CONDITIONS:
            message = f"a body of {longest} conditions; {MOST_CONDITIONS} is the most"
            faults.append(TooManyConditions(message, clause.span))
            continue
        for conjunction in lower(clause):
            if any(pattern.relation == ERROR for pattern in conjunction.patterns):
                continue  # nothing follows from an inconsistency
            error = any(head.relation == ERROR for head in conjunction.heads)
            if clause.is_fact and not conjunction.late and not error:
                facts += [(head.relation, _ground(head.args)) for head in conjunction.heads]
            else:
                emits.append(plan(conjunction))
    if faults:
        raise RuleErrors(faults)
    window = None if document.window is None else _ticks(document.window, scale)
    return Program(tuple(emits), tuple(facts), tuple(labels), window)


def _ground(args: tuple[object, ...]) -> tuple[str, ...]:
    texts = tuple(arg for arg in args if isinstance(arg, str))
    assert len(texts) == len(args), args
    return texts


def _ticks(window: Window, scale: TimeScale) -> int:
    try:
        return scale.ticks(Fraction(window.amount), window.unit)
    except FinerThanTick as error:
        raise RuleErrors([WindowFinerThanTick(str(error), window.span)]) from None
    except OutOfRange as error:
        raise RuleErrors([WindowTooLong(str(error), window.span)]) from None
