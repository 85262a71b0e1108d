"""Missing constants: terms that no row of some SteMs has where an atom needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rete.arrays.delta import Column, Rows, columns
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
        self._terms: dict[Stem, dict[int, dict[int, None]]] = {}
        self._found: dict[tuple[Stem, int, int], bool] = {}
        self._seen: dict[Stem, tuple[int, int]] = {}

    def lacks(self, args: Sequence[BodyTerm | None], stem: Stem) -> bool:
        """Whether no row of ``stem`` can match an atom with ``args``, as none has some constant.

        Costs O(rows) for each constant that was not looked for there before.
        """
        constants = [(place, arg) for place, arg in enumerate(args) if isinstance(arg, int)]
        for place, term in (_ANY, *constants):
            if not self._has(stem, place, term):
                self._seen[stem] = stem.moves, stem.n
                self._terms.setdefault(stem, {}).setdefault(place, {})[term] = None
                return True
        return False

    def have_come(self) -> bool:
        """Whether any of the missing terms may be there now. Costs O(rows that came)."""
        for stem, (moves, n) in self._seen.items():
            if (moves, n) == (stem.moves, stem.n):
                continue
            new = stem.rows[n if moves == stem.moves else 0 : stem.n]
            if any(
                _any_has(new, place, columns(terms)) for place, terms in self._terms[stem].items()
            ):
                return True
            self._seen[stem] = stem.moves, stem.n
        return False

    def _has(self, stem: Stem, place: int, term: int) -> bool:
        asked = stem, place, term
        if asked not in self._found:
            parts = range(0, stem.n, _PART)
            sought, rows = columns([term]), stem.rows[: stem.n]
            self._found[asked] = any(_any_has(rows[at : at + _PART], place, sought) for at in parts)
        return self._found[asked]


def _any_has(rows: Rows, place: int, terms: Column) -> bool:
    """Whether one of ``rows`` has one of ``terms`` at ``place``, or is there at all."""
    return len(rows) > 0 and (place == _ANY[0] or bool(np.isin(rows[:, place], terms).any()))
