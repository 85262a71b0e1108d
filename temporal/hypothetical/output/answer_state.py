"""The state of one answer: the sets of hypotheses that it awaits, and their changes at a moment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from temporal.hypothetical.output.entry_schema import FREE, PROSPECT, TIME, HypothesisRecord
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals

Evidence: TypeAlias = list[HypothesisRecord]


class HypothesisSet(NamedTuple):
    """A set of hypotheses that an entry awaits.

    Attributes:
        atoms: the atoms.
        least: of free times the least numbers that they may be, by name.
    """

    atoms: frozenset[HypothesisRecord]
    least: tuple[tuple[str, int], ...]

    @property
    def awaited(self) -> AwaitedArrivals:
        """The arrivals that it awaits."""
        return [(one[PROSPECT], None if one[FREE] else one[TIME]) for one in self.atoms]

    def makes_redundant(self, other: HypothesisSet) -> bool:
        """Whether ``other``, of the same answer, has more hypotheses than are needed."""
        if not self.atoms < other.atoms:
            return False
        theirs = dict(other.least)
        return all(number <= theirs.get(name, 0) for name, number in self.least)


@dataclass(slots=True)
class AnswerState:
    """The state of an answer.

    Attributes:
        alive: its sets of hypotheses, with how many entries have them.
        dropped: those that are reported no more, as too many were kept, or as these make them
            redundant.
        reported: the atoms of those that were reported, or dropped at once.
        is_open: whether it was reported as supported, and not yet as certain or withdrawn.
        waits: whether it had entries at the last moment.
        is_confirmed: whether it is certain, so that nothing more is reported of it.
        because: the first atom that did not arrive, since it has no entry.
    """

    alive: dict[HypothesisSet, int] = field(default_factory=dict)
    dropped: dict[HypothesisSet, int] = field(default_factory=dict)
    reported: set[frozenset[HypothesisRecord]] = field(default_factory=set)
    is_open: bool = False
    waits: bool = False
    is_confirmed: bool = False
    because: str = ""

    def makes_redundant(self, hypotheses: HypothesisSet) -> bool:
        """Whether an entry that is alive makes others with ``hypotheses`` redundant."""
        return len(self.alive) > 1 and any(
            other.makes_redundant(hypotheses) for other in self.alive
        )

    def minimal(self) -> list[HypothesisSet]:
        """The sets of hypotheses of which none is redundant: those that are kept."""
        return [some for some in self.alive if not self.makes_redundant(some)]

    def count(self, hypotheses: HypothesisSet, by: int) -> None:
        """Count an entry, or less by one."""
        here = self.dropped if hypotheses in self.dropped else self.alive
        here[hypotheses] = here.get(hypotheses, 0) + by
        if not here[hypotheses]:
            del here[hypotheses]

    def drop(self, hypotheses: HypothesisSet) -> None:
        """Drop a set of hypotheses, and those that it makes redundant."""
        for some in list(self.alive):
            if some == hypotheses or hypotheses.makes_redundant(some):
                self.dropped[some] = self.alive.pop(some)

    def confirm(self) -> None:
        """The answer is certain."""
        self.is_confirmed, self.is_open = True, False
        for some in (self.alive, self.dropped, self.reported):
            some.clear()

    def report(
        self, begun: Mapping[HypothesisSet, list[Evidence]]
    ) -> Collection[dict[HypothesisSet, Evidence]]:
        """The sets that are to be reported for the first time, with the least evidence of each.

        Sets of the same atoms that differ in the bounds of free times are reported as one.
        """
        new: dict[frozenset[HypothesisRecord], dict[HypothesisSet, Evidence]] = {}
        for some, evidences in begun.items():
            if self.is_confirmed or self._was_dropped(some):
                continue
            if some.atoms not in self.reported and not self.makes_redundant(some):
                new.setdefault(some.atoms, {})[some] = min(evidences)
        self.reported.update(new)
        return new.values()

    def _was_dropped(self, hypotheses: HypothesisSet) -> bool:
        """Whether a set of hypotheses is dropped, or becomes so by one that is."""
        if any(other.makes_redundant(hypotheses) for other in self.dropped):
            self.drop(hypotheses)
        return hypotheses in self.dropped


@dataclass(slots=True)
class MomentChanges:
    """The changes of the entries of an answer at a moment.

    Attributes:
        begun: per set of hypotheses the evidence of those that began.
        ended: the hypotheses of those that ended, with those that are no longer possible.
        answered: the evidence of those that have no hypotheses.
    """

    begun: dict[HypothesisSet, list[Evidence]] = field(default_factory=dict)
    ended: dict[HypothesisSet, list[HypothesisRecord]] = field(default_factory=dict)
    answered: list[Evidence] = field(default_factory=list)

    @property
    def missed(self) -> Iterator[HypothesisRecord]:
        """The hypotheses that ended minimal sets."""
        for some, missed in self.ended.items():
            if not any(other.makes_redundant(some) for other in self.ended):
                yield from missed
