"""``--literals constant`` by its definition: a number in a pattern is a variable of an equal one.

``?s[p -> 1]`` means ``Exists ?n (And(?s[p -> ?n] External(pred:numeric-equal(?n 1))))`` in the
place where it stands; so does the pattern of an event time, with its times. NaN does not occur.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Exists,
    External,
    Formula,
    Frame,
    Implies,
    Member,
    Term,
    Var,
)
from rif.syntax.terms import IRI, PRED, Literal, Variable
from temporal.metric_rif.events import EventFormula
from tests.oracles.rdf.values import number
from tests.oracles.rules.formulas import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
EQUAL = IRI(PRED + "numeric-equal")


def numbers_apart(node: T) -> T:
    """A tree in whose bodies no pattern has a number; heads, built-ins and facts keep theirs."""
    if isinstance(node, Implies):
        body = cast("Formula", _Conditions(count()).apart(node.body))
        return cast("T", replace(node, body=body))
    return cast("T", mapped(node, numbers_apart))


def mapped(node: object, of: Callable[[Any], object]) -> object:
    """A node with ``of`` of each of its parts; what has none stays."""
    if isinstance(node, tuple) and not hasattr(node, "_fields"):
        return tuple(map(of, node))
    if is_dataclass(node) and not isinstance(node, type):
        changed = {one.name: of(getattr(node, one.name)) for one in fields(node) if one.init}
        return replace(node, **changed)
    return node


class _Conditions:
    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._found: list[tuple[Variable, Term]] = []

    def apart(self, node: object) -> object:
        """A condition, or a part of one."""
        if not isinstance(node, Frame | Atom | Member | EventFormula):
            return mapped(node, self.apart)
        self._found = []
        pattern = cast("Formula", mapped(node, self._part))
        if not self._found:
            return node
        tests = [External(EQUAL, (Var(name), term)) for name, term in self._found]
        return Exists(tuple(name for name, _ in self._found), And((pattern, *tests)))

    def _part(self, node: object) -> object:
        if isinstance(node, Constant) and isinstance(node.value, Literal):
            if number(text(node.value)) is None:
                return node
            name = Variable(f"number{next(self._numbers)}")
            self._found.append((name, node))
            return Var(name)
        return mapped(node, self._part)
