"""Missing constants: terms that no row of some SteMs has where an atom needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rete.retraction.rule_bodies import BodyTerm
from rete.storage.stem import Stem

_ANY: Final = (-1, 0)
"""A place and term that every row has."""
_PART: Final = 1 << 14
"""So many rows are searched at a time: most terms that are there are found soon."""


class MissingConstants:
    """Terms that were not found in columns of SteMs, and whether they have come since.

    A row that ended counts as long as it is stored.
    """

    def __init__(self) -> None:
        self._terms: dict[Stem, dict[int, set[int]]] = {}
        self._found: dict[tuple[Stem, int, int], bool] = {}
        self._seen: dict[Stem, int] = {}

    def lacks(self, args: Sequence[BodyTerm | None], stem: Stem) -> bool:
        """Whether no row of ``stem`` can match an atom with ``args``, as none has some constant.

        Costs O(rows) for each constant that was not looked for there before.
        """
        constants = [(place, arg) for place, arg in enumerate(args) if isinstance(arg, int)]
        for place, term in (_ANY, *constants):
            if not self._has(stem, place, term):
                self._seen[stem] = stem.came
                self._terms.setdefault(stem, {}).setdefault(place, set()).add(term)
                return True
        return False

    def have_come(self) -> bool:
        """Whether any of the missing terms may be there now. Costs O(rows that came)."""
        for stem, seen in self._seen.items():
            if seen == stem.came:
                continue
            new = stem.rows[max(0, stem.n - (stem.came - seen)) : stem.n]
            if any(
                place == _ANY[0] or not terms.isdisjoint(new[:, place].tolist())
                for place, terms in self._terms[stem].items()
            ):
                return True
            self._seen[stem] = stem.came
        return False

    def _has(self, stem: Stem, place: int, term: int) -> bool:
        asked = stem, place, term
        if asked not in self._found:
            rows = stem.rows[: stem.n]
            self._found[asked] = any(
                place == _ANY[0] or bool((rows[at : at + _PART, place] == term).any())
                for at in range(0, stem.n, _PART)
            )
        return self._found[asked]
