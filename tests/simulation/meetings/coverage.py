"""How often each pair of dimensions meets, and how often there are answers then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from tests.generators.meetings.dimensions import PAIRS

Pair = tuple[str, str]


@dataclass(slots=True)
class Coverage:
    """Cases by the pairs of dimensions that meet in them.

    Attributes:
        cases, answers: how many there were, and how many had answers.
        met: how many had both of a pair.
        answered: how many of those had answers.
    """

    cases: int = 0
    answers: int = 0
    met: Counter[Pair] = field(default_factory=Counter)
    answered: Counter[Pair] = field(default_factory=Counter)

    def add(self, dimensions: Iterable[str], *, answers: bool) -> None:
        """A case."""
        pairs = list(combinations(sorted(dimensions), 2))
        self.cases += 1
        self.answers += answers
        self.met.update(pairs)
        if answers:
            self.answered.update(pairs)

    def lacking(self, least: int) -> list[Pair]:
        """Pairs that can meet and did so in fewer cases, or mostly without answers."""
        return [
            pair
            for pair in PAIRS
            if self.met[pair] < least or 2 * self.answered[pair] < self.met[pair]
        ]

    def features(self) -> Counter[str]:
        """All counts by name."""
        found = Counter({"with answers": self.answers})
        for one, other in PAIRS:
            found[f"{one} × {other}"] = self.met[one, other]
            found[f"{one} × {other}, with answers"] = self.answered[one, other]
        return found
