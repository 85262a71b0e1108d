"""Scans: the facts of a relation that match a pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from rete import kernels
from rete.arrays.delta import Rows
from rete.graph.plan import KnownColumns, Label, Plan, Shape
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.storage.row_algebra import positions
from rete.terms.dictionary import Dictionary
from rete.terms.number_constants import NumberIndex, marked
from rete.terms.relations import STAMPED, Relation


@dataclass(frozen=True)
class Scan(Plan):
    """Facts of a relation that match a pattern: an alpha node [Forgy82].

    Attributes:
        constants: (position, text) of the constants, by position.
        equal: pairs of positions that hold the same variable.
        keep: the positions that become columns.
        numbers: (position, text) of numbers that stand for their values, as
            `rete.terms.number_constants.number_text` gives them.
    """

    shape: ClassVar[Shape] = "pattern"

    relation: Relation
    constants: tuple[tuple[int, str], ...]
    equal: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    numbers: tuple[tuple[int, str], ...] = ()

    @property
    def parameters(self) -> dict[str, object]:
        """All fields; without numbers those that a scan had before there were any."""
        found = super().parameters
        return found if self.numbers else {n: each for n, each in found.items() if n != "numbers"}

    @property
    def columns(self) -> tuple[int, ...]:
        """The positions that are kept."""
        return self.keep

    @property
    def inputs(self) -> int:
        """The arguments of the facts."""
        return self.relation.arity

    @cached_property
    def key(self) -> tuple[str | None, ...]:
        """The constants, None at other places."""
        found = dict(self.constants)
        return tuple(map(found.get, range(self.relation.arity)))

    @cached_property
    def pattern(self) -> tuple[str | None, ...]:
        """Its `key`, and the numbers, marked as such."""
        if not self.numbers:
            return self.key
        found = dict(self.constants) | {place: marked(text) for place, text in self.numbers}
        return tuple(map(found.get, range(self.relation.arity)))

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        """Its `equal`."""
        return self.equal

    @cached_property
    def is_injective(self) -> bool:
        """Whether a row tells of which fact it is made."""
        return len(self.places_told) == self.relation.arity

    @property
    def places_told(self) -> dict[int, int | None]:
        """The places that are known of a fact of which a row is given, each with its column.

        None: a constant.
        """
        told: dict[int, int | None] = {place: None for place, _ in self.constants}
        told |= {place: column for column, place in enumerate(self.keep)}
        for _ in self.equal:  # of equal arguments one gives the other
            for a, b in self.equal:
                if a in told:
                    told.setdefault(b, told[a])
                elif b in told:
                    told[a] = told[b]
        return told

    @property
    def keeps_stamp(self) -> bool:
        """Whether rows tell the stamps of elements that assert the fact."""
        return self.relation == STAMPED and STAMPED.arity - 1 in self.keep

    @property
    def evidence(self) -> tuple[int, ...]:
        """The whole fact."""
        return tuple(range(self.relation.arity))

    @property
    def label(self) -> Label:
        """The pattern."""
        return (self.relation,)

    def with_constants(self, text_of: Callable[[str], str]) -> Self:
        """The same pattern with other constants."""
        constants = tuple((place, text_of(text)) for place, text in self.constants)
        return replace(self, constants=constants)


class ScanNode(PlanNode[Scan], plan=Scan):
    """The end of the alpha network for a pattern; `rete.nodes.alpha` finds the facts."""

    __slots__ = ("_terms",)

    def __init__(self, plan: Scan, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The facts."""
        questions, places = scan_questions(self.output, self._plan, asked, known)
        facts = search.facts(self.output, self._plan.relation, questions, places)
        for left, right in self._plan.equal:
            facts = facts[facts[:, left] == facts[:, right]]
        for place, text in self._plan.numbers:
            number = NumberIndex([text])  # made here, as few scans are ever evaluated backwards
            matching = [term for term, _ in number.matches(facts[:, place], self._terms)]
            facts = facts[np.isin(facts[:, place], matching)]
        return facts


def scan_questions(
    stream: Stream, plan: Scan, asked: Rows, known: KnownColumns
) -> tuple[Rows, KnownColumns]:
    """Questions about rows of a scan as questions about facts, and their places in the facts."""
    count = len(plan.constants)
    questions = asked
    if count:
        taken = positions((*(~number for number in range(count)), *range(asked.shape[1] - 2)))
        questions = kernels.project(asked, taken, stream.constants)
    return questions, (*(place for place, _ in plan.constants), *(plan.keep[c] for c in known))
