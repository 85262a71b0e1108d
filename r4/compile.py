"""From documents to plans: what a network is built from, and what holds from the start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

from r4.changes import ERROR
from r4.entailment import rule_name
from r4.time import FinerThanTick, OutOfRange, TimeScale
from rete.lowering import lower
from rete.optimizer.order import plan
from rete.plan import Emit, Relation
from rif.ast import Document, Window
from rif.errors import RuleError, RuleErrors
from rif.normal import clauses
from rif.walk import rules

_REPEATING: Final = frozenset({"eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o"})
"""The rules that repeat a fact for all terms that are the same [OWL2-RL, Table 4]."""
MOST_CONDITIONS: Final = 150
"""Conditions of one body: plans are trees that are walked recursively."""

Fact: TypeAlias = tuple[Relation, tuple[str, ...]]
"""A fact of the rules: its relation and the canonical texts of its arguments."""


@dataclass(frozen=True, slots=True)
class Program:
    """Compiled documents.

    Attributes:
        emits: one for each body of each rule.
        facts: the facts among the clauses; they always hold, and are asserted, not derived.
        labels: per clause, counted from 1, the IRI of its annotation or its number; clauses of
            imported documents come after those of the main one, the background last.
        window: ticks for which an element without an end holds; None: for ever.
        background: as ``emits``, of the background rules; their facts are derived.
        unites: whether those make terms that are the same stand for each other.
    """

    emits: tuple[Emit, ...]
    facts: tuple[Fact, ...]
    labels: tuple[str | int, ...]
    window: int | None
    background: tuple[Emit, ...] = ()
    unites: bool = False

    def in_front(self) -> Program:
        """The same with the background among the rules: what it derives is answers too."""
        return replace(self, emits=self.emits + self.background, background=())


class WindowFinerThanTick(RuleError):
    """A window that is no whole number of ticks."""

    code = "R4101"
    default_hint = "choose a finer tick (--tick us or --tick ns)"


class TooManyConditions(RuleError):
    """A body that is longer than plans can be deep."""

    code = "R4103"
    default_hint = "derive parts of it by rules of their own"


class WindowTooLong(RuleError):
    """A window that leaves the time line."""

    code = "R4102"
    default_hint = "leave the Window out: then facts hold for ever"


def compile_document(
    document: Document,
    scale: TimeScale,
    *,
    imported: Sequence[Document] = (),
    background: Document | None = None,
    before: int = 0,
) -> Program:
    """Compile ``document``.

    Args:
        document: the main document; its window counts.
        scale: what a tick is.
        imported: the other documents of its import closure, without their windows.
        background: rules that give meaning to a vocabulary, such as those of an entailment regime.
        before: so many clauses have numbers already.

    Raises:
        RuleErrors: the window is no whole number of ticks, or a body is too long.
    """
    compiler = _Compiler(before)
    for part in (document, *imported):
        compiler.add(part)
    meaning = () if background is None else tuple(compiler.plans(background, asserts=False))
    if compiler.faults:
        raise RuleErrors(compiler.faults)
    window = None if document.window is None else _ticks(document.window, scale)
    names = {rule_name(rule) for rule in rules(background)} if background is not None else set()
    return Program(
        tuple(compiler.emits),
        tuple(compiler.facts),
        tuple(compiler.labels),
        window,
        meaning,
        unites=names >= _REPEATING,
    )


class _Compiler:
    """What documents are collected in, one after the other."""

    def __init__(self, before: int) -> None:
        self._before = before
        self.emits: list[Emit] = []
        self.facts: list[Fact] = []
        self.labels: list[str | int] = []
        self.faults: list[RuleError] = []

    def add(self, document: Document) -> None:
        """The rules and facts of ``document``."""
        self.emits += self.plans(document, asserts=True)

    def plans(self, document: Document, *, asserts: bool) -> Iterator[Emit]:
        """The plans of the rules of ``document``; of its facts too, unless it ``asserts`` them."""
        before = self._before + len(self.labels)
        for clause in clauses(document):
            number = before + clause.number
            self.labels.append(clause.iri or number)
            longest = max(map(len, clause.bodies), default=0)
            if longest > MOST_CONDITIONS:
                message = f"a body of {longest} conditions; {MOST_CONDITIONS} is the most"
                self.faults.append(TooManyConditions(message, clause.span))
                continue
            for conjunction in lower(replace(clause, number=number)):
                if any(pattern.relation == ERROR for pattern in conjunction.patterns):
                    continue  # nothing follows from an inconsistency
                error = any(head.relation == ERROR for head in conjunction.heads)
                if asserts and clause.is_fact and not conjunction.late and not error:
                    self.facts += [
                        (head.relation, _ground(head.args)) for head in conjunction.heads
                    ]
                else:
                    yield plan(conjunction)


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
