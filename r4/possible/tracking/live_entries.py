"""The entries of a run: possible answers by fact, and which of them are minimal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeAlias

from r4.possible.tracking.evidence_reader import EvidenceReader
from r4.possible.tracking.subsumption import (
    Form,
    Hypotheses,
    HypothesisAtom,
    Mark,
    Values,
    canonical_form,
    marks,
    subsumes,
)
from rete.terms.relations import Relation

EvidenceRow: TypeAlias = tuple[EvidenceReader, Values]
"""A row of evidence: what reads it, and the ids of its columns."""


class SchematicFact(NamedTuple):
    """A fact with free variables, which are the numbers -1, -2 … in the order of arguments."""

    relation: Relation
    args: Values

    @property
    def free_count(self) -> int:
        """How many free variables it has."""
        return max(0, -min(self.args, default=0))

    def matches(self, args: Values) -> bool:
        """Are ``args``, all ids, an instance of it?"""
        found: dict[int, int] = {}
        return all(
            own == arg if own >= 0 else found.setdefault(own, arg) == arg
            for own, arg in zip(self.args, args, strict=True)
        )


class LostRow(NamedTuple):
    """A row of evidence that an entry had: with the last tick, in cells, at which it held."""

    row: EvidenceRow
    last: int


@dataclass(slots=True, eq=False)
class LiveEntry:
    """A fact and what it waits for.

    Attributes:
        hypotheses: what it waits for.
        marks: what every set that these subsume has, too.
        rows: the evidence, each row with the last tick, in cells, at which it holds.
        lost: rows that it has lost since it was last reported.
    """

    hypotheses: Hypotheses
    marks: frozenset[Mark]
    rows: dict[EvidenceRow, int] = field(default_factory=dict)
    lost: list[LostRow] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class EntryGroup:
    """The entries of one fact.

    Attributes:
        fact: the fact.
        entries: per set of hypotheses as a row gives it; what differs by the names of free
            variables alone has one entry.
        minimal: those entries that were minimal when last reported.
        held: those of them that are held, if there is a cap; else all.
        is_open: whether it was reported as supported, and neither confirmed nor withdrawn since.
        row: the evidence with which it was last reported as supported, if it was.
    """

    fact: SchematicFact
    entries: dict[Hypotheses, LiveEntry] = field(default_factory=dict)
    minimal: dict[LiveEntry, None] = field(default_factory=dict)
    held: dict[LiveEntry, None] = field(default_factory=dict)
    is_open: bool = False
    row: EvidenceRow | None = None
    _instances: dict[Values, int] = field(default_factory=dict)
    _by_form: dict[Form, list[LiveEntry]] = field(default_factory=dict)

    def entry(self, hypotheses: Hypotheses) -> LiveEntry:
        """The entry with these hypotheses, new if there is none."""
        found = self.entries.get(hypotheses)
        if found is None:
            fixed = self.fact.free_count
            similar = self._by_form.setdefault(canonical_form(hypotheses, fixed), [])
            found = next((each for each in similar if self._is_alike(each, hypotheses)), None)
            if found is None:
                found = LiveEntry(hypotheses, marks(hypotheses, fixed))
                similar.append(found)
            self.entries[hypotheses] = found
        return found

    def distinct(self) -> Iterator[LiveEntry]:
        """Each entry once, in the order in which they came."""
        return iter(dict.fromkeys(self.entries.values()))

    def possible(self) -> list[LiveEntry]:
        """The entries that have evidence, and are minimal.

        An entry is compared with those whose rarest mark it has.
        """
        held = [each for each in self.distinct() if each.rows]
        if len(held) < 2:  # noqa: PLR2004 - one alone is minimal
            return held
        counts = Counter(chain.from_iterable(each.marks for each in held))
        by_mark: dict[Mark | None, list[LiveEntry]] = {}
        for each in held:
            rarest = min(each.marks, key=counts.__getitem__, default=None)
            by_mark.setdefault(rarest, []).append(each)
        return [
            each
            for each in held
            if not any(
                self._beats(other, each)
                for mark in (None, *each.marks)
                for other in by_mark.get(mark, ())
            )
        ]

    def forget(self) -> None:
        """Drop entries without evidence, and what is reported by now."""
        self._instances.clear()
        for entry in self.distinct():
            entry.lost.clear()
        if all(entry.rows for entry in self.entries.values()):
            return
        self.entries = {key: entry for key, entry in self.entries.items() if entry.rows}
        self._by_form.clear()
        for entry in self.distinct():
            self._by_form.setdefault(
                canonical_form(entry.hypotheses, self.fact.free_count), []
            ).append(entry)

    def note(self, args: Values, last: int) -> None:
        """An instance of the fact was derived, up to the tick ``last``, in cells."""
        self._instances[args] = max(self._instances.get(args, last), last)

    def derived(self, since: int) -> list[Values]:
        """The instances noted since the last report that are derived at ``since`` or later."""
        return [args for args, last in self._instances.items() if last >= since]

    def _beats(self, one: LiveEntry, other: LiveEntry) -> bool:
        mine, theirs, fixed = one.hypotheses, other.hypotheses, self.fact.free_count
        if one is other or not one.marks <= other.marks or not subsumes(mine, theirs, fixed):
            return False
        return _order(mine) < _order(theirs) or not subsumes(theirs, mine, fixed)

    def _is_alike(self, entry: LiveEntry, hypotheses: Hypotheses) -> bool:
        fixed = self.fact.free_count
        mine = entry.hypotheses
        return subsumes(mine, hypotheses, fixed) and subsumes(hypotheses, mine, fixed)


def _order(hypotheses: Hypotheses) -> tuple[int, list[HypothesisAtom]]:
    """The order of sets that subsume each other, of which the least stays: the size, the atoms."""
    return len(hypotheses), sorted(hypotheses)
