"""The most probable entries, where there is a cap, and the confidence of an entry.

The confidence is the probability that all arrives that the entry waits for. An entry may have
several rows of evidence, which last for longer or less; the greatest of their confidences is its
own.
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

AwaitedUnits: TypeAlias = tuple[AwaitedArrivals, ...]
"""What the rows of an entry wait for, each set once."""


def awaited_units(rows: Mapping[EvidenceRow, int]) -> AwaitedUnits:
    """What ``rows`` wait for; they have the last ticks, in cells, at which they hold."""
    return tuple(
        dict.fromkeys(reader.awaited_arrivals(ids, last) for (reader, ids), last in rows.items())
    )


def risk(
    prospects: UnitProspects, each: Iterable[AwaitedArrivals], at: Tick
) -> tuple[Fraction, Tick]:
    """The least of the risks of rows, and when one of them changes; see `UnitProspects.grade`."""
    found = [prospects.grade(lacking, at) for lacking in each]
    return min(one for one, _ in found), min(until for _, until in found)


def likeliest(
    prospects: UnitProspects, rows: Mapping[EvidenceRow, int], at: Tick
) -> tuple[Mapping[EvidenceRow, int], Fraction | None]:
    """The rows of the greatest confidence, and that; without chances all rows, and None."""
    if not prospects.has_chances:
        return rows, None
    risks = {
        row: prospects.grade(row[0].awaited_arrivals(row[1], last), at)[0]
        for row, last in rows.items()
    }
    least = min(risks.values())
    return {row: rows[row] for row, each in risks.items() if each == least}, 1 - least


Minimal = Mapping[EntryGroup, Sequence[LiveEntry]]
"""By group its minimal entries."""


class EntryTopK:
    """The entries that are held under a cap.

    Args:
        limit: so many entries.
        prospects: those of what they wait for.
        writer: writes the texts that order entries of equal confidence.
    """

    def __init__(self, limit: int, prospects: UnitProspects, writer: AnswerWriter) -> None:
        self._prospects = prospects
        self._writer = writer
        self._cap: TopK[LiveEntry, AwaitedUnits] = TopK(limit, self._grade)
        self._groups: dict[LiveEntry, EntryGroup] = {}
        self._numbers = count()

    @property
    def dropped(self) -> int:
        """How many entries were dropped so far."""
        return self._cap.dropped

    def drop_excess(self, minimal: Minimal, at: Tick) -> dict[EntryGroup, list[LiveEntry]]:
        """Drop what exceeds the cap, when a stamp is done.

        Args:
            minimal: the groups that have changed.
            at: the largest stamp.

        Returns:
            The entries that are held of these groups, and of those that lost an entry.
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

    def best(self, minimal: Minimal, at: Tick) -> dict[EntryGroup, list[LiveEntry]]:
        """What would be held if the stamp were done now; ``minimal`` has all groups."""
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
        """The entries that were held, or were not possible before."""
        return [each for each in minimal if each in group.held or each not in group.minimal]

    def _grade(self, each: AwaitedUnits, at: Tick) -> tuple[Fraction, Tick]:
        return risk(self._prospects, each, at)

    def _text(self, group: EntryGroup, entry: LiveEntry) -> OrderText:
        """The sort key of entries of the same confidence."""
        rows = {row[0]: row for row in entry.rows}.values()
        return *min(self._writer.text(group.fact, row) for row in rows), next(self._numbers)
