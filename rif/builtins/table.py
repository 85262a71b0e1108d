"""What a built-in is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rif.terms import GroundTerm

Outcome: TypeAlias = bool | GroundTerm | None
"""Truth of a predicate, value of a function; None outside the domain, where a predicate counts as
false and a function has no value [RIF-DTB 4.1 leaves it open]."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in function or predicate [RIF-DTB 4].

    Attributes:
        name: Its IRI.
        kind: A predicate makes a formula, a function a term.
        least, most: Numbers of arguments it takes; ``most`` None means any number.
        evaluate: Takes that many ground terms. Pure: the same terms, the same outcome.
        patterns: Binding patterns beside the one that has all arguments bound: ``"bu"`` means
            that values for the second are found when the first is bound [RIF-Core 6.1].
        solve: For those patterns: takes the terms, None where unbound, and gives all tuples of
            terms that make the predicate true; None outside the domain.
    """

    name: str
    kind: Literal["predicate", "function"]
    least: int
    most: int | None
    evaluate: Callable[..., Outcome]
    patterns: tuple[str, ...] = ()
    solve: Callable[..., Iterable[tuple[GroundTerm, ...]] | None] | None = None

    @property
    def arities(self) -> tuple[int, int | None]:
        """Least and greatest number of arguments."""
        return self.least, self.most

    def takes(self, count: int) -> bool:
        """May it have ``count`` arguments?"""
        return self.least <= count and (self.most is None or count <= self.most)
