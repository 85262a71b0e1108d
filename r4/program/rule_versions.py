"""Versions of a rule document: which clauses join and which leave when it is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from r4.program.errors import ImmutablePart
from rif.errors.base import NOWHERE, RuleError
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import Variable
from rif.syntax.traversal import rules


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """How a version of a rule document differs from the one that runs.

    Attributes:
        joined: a document of the clauses that are new, in their order; None: none is.
        dropped: the numbers of the clauses that are gone.
    """

    joined: ast.Document | None
    dropped: tuple[int, ...]

    @property
    def is_empty(self) -> bool:
        """Whether all clauses stay."""
        return self.joined is None and not self.dropped


class RuleVersions:
    """The clauses of a rule document that run, by number, and how other versions of it differ.

    Clauses are the same if they have the same annotation and say the same, but for the names of
    variables. Where they stand makes no difference.
    """

    def __init__(self, document: ast.Document) -> None:
        """Begin with the first version, whose clauses are numbered from 1."""
        self._document = document
        self._numbers: dict[object, list[int]] = {}
        self._number(list(rules(document)), 1)

    def difference(self, document: ast.Document) -> VersionDifference:
        """How ``document`` differs from the version that runs. Linear in both.

        Raises:
            RuleErrors: its imports or its window are others.
        """
        if faults := self._fixed(document):
            raise RuleErrors(faults)
        rest = {key: list(numbers) for key, numbers in self._numbers.items()}
        joined: list[ast.Rule] = []
        for rule in rules(document):
            known = rest.get(_key(rule))
            if known:
                known.pop(0)
            else:
                joined.append(rule)
        dropped = sorted(number for numbers in rest.values() for number in numbers)
        added = replace(document, imports=(), window=None, group=ast.Group(tuple(joined)))
        return VersionDifference(added if joined else None, tuple(dropped))

    def follow(self, difference: VersionDifference, first: int) -> None:
        """Clauses have joined, with numbers from ``first`` on, and left."""
        gone = set(difference.dropped)
        for numbers in self._numbers.values():
            numbers[:] = [number for number in numbers if number not in gone]
        self._numbers = {key: numbers for key, numbers in self._numbers.items() if numbers}
        if difference.joined is not None:
            self._number(list(rules(difference.joined)), first)

    def _number(self, joined: Sequence[ast.Rule], first: int) -> None:
        for number, rule in enumerate(joined, first):
            self._numbers.setdefault(_key(rule), []).append(number)

    def _fixed(self, document: ast.Document) -> list[RuleError]:
        """What of ``document`` would have to be as in the first version."""
        known, faults = self._document, list[RuleError]()
        if document.imports != known.imports:
            span = document.imports[0].span if document.imports else NOWHERE
            message = "imports cannot change while the rules run"
            faults.append(ImmutablePart(message, span))
        if document.window != known.window:
            span = NOWHERE if document.window is None else document.window.span
            message = "the window cannot change while the rules run"
            faults.append(ImmutablePart(message, span))
        return faults


def _key(rule: ast.Rule) -> object:
    """The rule with its variables numbered in the order in which they stand."""
    return _renamed(rule, {})


def _renamed(value: object, names: dict[Variable, Variable]) -> object:
    if isinstance(value, Variable):
        return names.setdefault(value, Variable(f"v{len(names)}"))
    if isinstance(value, tuple):
        return tuple(_renamed(item, names) for item in value)
    if isinstance(value, ast.Node):
        changed: dict[str, Any] = {
            each.name: _renamed(getattr(value, each.name), names)
            for each in fields(value)
            if each.compare
        }
        return replace(value, **changed)
    return value
