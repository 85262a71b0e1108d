"""Confidences: how probable it is that all comes that an entry waits for.

An entry may have several rows of evidence, which last for longer or less: the greatest of their
confidences is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import TypeAlias

from r4.possible.arrival_chances import UnitProspects
from r4.possible.tracking.answer_writer import AnswerWriter
from r4.possible.tracking.live_entries import EntryGroup, EvidenceRow, LiveEntry
from r4.time.ticks import Tick
from temporal.ranking.arrival_probability import AwaitedArrivals
from temporal.ranking.top_k import OrderText, TopK

Lackings: TypeAlias = tuple[AwaitedArrivals, ...]
"""What each row of an entry waits for, each once."""


def awaited_units(rows: Mapping[EvidenceRow, int]) -> Lackings:
    """That of rows, with the last ticks, in cells, at which they hold."""
    return tuple(dict.fromkeys(reader.lacking(ids, last) for (reader, ids), last in rows.items()))


def risk(
    prospects: UnitProspects, each: Iterable[AwaitedArrivals], at: Tick
) -> tuple[Fraction, Tick]:
    """The least of the risks of rows, and when one of them changes; see `UnitProspects.grade`."""
    found = [prospects.grade(lacking, at) for lacking in each]
    return min(one for one, _ in found), min(until for _, until in found)


def likeliest(
    prospects: UnitProspects, rows: Mapping[EvidenceRow, int], at: Tick
) -> tuple[Mapping[EvidenceRow, int], Fraction | None]:
    """The rows of the greatest confidence, and that; all, and None, if it is not told."""
    if not prospects.are_told:
        return rows, None
    risks = {
        row: prospects.grade(row[0].lacking(row[1], last), at)[0] for row, last in rows.items()
    }
    least = min(risks.values())
    return {row: rows[row] for row, each in risks.items() if each == least}, 1 - least


Minimal = Mapping[EntryGroup, Sequence[LiveEntry]]
"""By group its minimal entries."""


class EntryTopK:
    """What is held.

    Args:
        most: so many entries.
        prospects: of what they wait for.
        scribe: writes what orders equal ones.
    """

    def __init__(self, most: int, prospects: UnitProspects, scribe: AnswerWriter) -> None:
        self._prospects = prospects
        self._scribe = scribe
        self._cap: TopK[LiveEntry, Lackings] = TopK(most, self._grade)
        self._groups: dict[LiveEntry, EntryGroup] = {}
        self._numbers = count()

    @property
    def dropped(self) -> int:
        """How many entries were, so far."""
        return self._cap.dropped

    def cut(self, minimal: Minimal, at: Tick) -> dict[EntryGroup, list[LiveEntry]]:
        """Drop what is too much at the end of a moment.

        Args:
            minimal: the groups that have changed.
            at: the largest stamp.

        Returns:
            Of these groups, and of those of which something was dropped, what is held.
        """
        cap, groups = self._cap, self._groups
        for group in minimal:
            for entry in group.held:
                cap.remove(entry)
                del groups[entry]
        cap.advance(at)
        for group, some in minimal.items():
            for entry in self._eligible(group, some):
                groups[entry] = group
                cap.offer(entry, self._text(group, entry), awaited_units(entry.rows), at)
        touched = dict.fromkeys(minimal)
        touched.update({groups.pop(entry): None for entry in cap.settle()})
        return {
            group: [entry for entry in minimal.get(group, group.held) if entry in cap]
            for group in touched
        }

    def chosen(self, minimal: Minimal, at: Tick) -> dict[EntryGroup, list[LiveEntry]]:
        """What would be held if the moment ended now; ``minimal`` are all groups."""
        rivals = [
            (
                (self._grade(awaited_units(entry.rows), at)[0], self._text(group, entry)),
                group,
                entry,
            )
            for group, some in minimal.items()
            for entry in self._eligible(group, some)
        ]
        found: dict[EntryGroup, list[LiveEntry]] = {}
        for _, group, entry in sorted(rivals, key=lambda each: each[0])[: self._cap.most]:
            found.setdefault(group, []).append(entry)
        return found

    @staticmethod
    def _eligible(group: EntryGroup, minimal: Sequence[LiveEntry]) -> list[LiveEntry]:
        """What was held, and what was not possible before."""
        return [each for each in minimal if each in group.held or each not in group.minimal]

    def _grade(self, each: Lackings, at: Tick) -> tuple[Fraction, Tick]:
        return risk(self._prospects, each, at)

    def _text(self, group: EntryGroup, entry: LiveEntry) -> OrderText:
        """By which entries of the same confidence are ordered."""
        rows = {row[0]: row for row in entry.rows}.values()
        return *min(self._scribe.text(group.fact, row) for row in rows), next(self._numbers)
