"""At most so many: which entries are held at the end of each moment, where there is a cap.

It is a layer over what is possible: an entry that becomes minimal is offered, and what has the
least confidence is dropped. What is dropped stays where it is, makes others needless, and comes
back only if it is possible anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import count

from r4.possible.chances import Prospects
from r4.possible.confidence import Lackings, lackings, risk
from r4.possible.entries import Entry, Group
from r4.possible.writing import Scribe
from r4.time import Tick
from temporal.cap import Cap, Text

Minimal = Mapping[Group, Sequence[Entry]]
"""By group its minimal entries."""


class Most:
    """What is held.

    Args:
        most: so many entries.
        prospects: of what they wait for.
        scribe: writes what orders equal ones.
    """

    def __init__(self, most: int, prospects: Prospects, scribe: Scribe) -> None:
        self._prospects = prospects
        self._scribe = scribe
        self._cap: Cap[Entry, Lackings] = Cap(most, self._grade)
        self._groups: dict[Entry, Group] = {}
        self._numbers = count()

    @property
    def dropped(self) -> int:
        """How many entries were, so far."""
        return self._cap.dropped

    def cut(self, minimal: Minimal, at: Tick) -> dict[Group, list[Entry]]:
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
                cap.offer(entry, self._text(group, entry), lackings(entry.rows), at)
        touched = dict.fromkeys(minimal)
        touched.update({groups.pop(entry): None for entry in cap.settle()})
        return {
            group: [entry for entry in minimal.get(group, group.held) if entry in cap]
            for group in touched
        }

    def chosen(self, minimal: Minimal, at: Tick) -> dict[Group, list[Entry]]:
        """What would be held if the moment ended now; ``minimal`` are all groups."""
        rivals = [
            ((self._grade(lackings(entry.rows), at)[0], self._text(group, entry)), group, entry)
            for group, some in minimal.items()
            for entry in self._eligible(group, some)
        ]
        found: dict[Group, list[Entry]] = {}
        for _, group, entry in sorted(rivals, key=lambda each: each[0])[: self._cap.most]:
            found.setdefault(group, []).append(entry)
        return found

    @staticmethod
    def _eligible(group: Group, minimal: Sequence[Entry]) -> list[Entry]:
        """What was held, and what was not possible before."""
        return [each for each in minimal if each in group.held or each not in group.minimal]

    def _grade(self, each: Lackings, at: Tick) -> tuple[Fraction, Tick]:
        return risk(self._prospects, each, at)

    def _text(self, group: Group, entry: Entry) -> Text:
        """By which entries of the same confidence are ordered."""
        rows = {row[0]: row for row in entry.rows}.values()
        return *min(self._scribe.text(group.fact, row) for row in rows), next(self._numbers)
