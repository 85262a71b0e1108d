"""The predicates of times, in data that lack the one that was asked for."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from r4.nearest_name import nearest_name
from r4.stream.elements.segmentation import OBJECT, PREDICATE
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD

_SAMPLED: Final = 4096
"""Statements of a call that are looked at, at most."""
_MOST: Final = 1 << 16
"""Statements that are looked at in all."""
_DATE_TIME: Final = f"^^<{XSD}dateTime>"
_INTEGER: Final = f"^^<{XSD}integer>"


class TimePredicates:
    """The predicates of dateTimes and of integers, as far as statements were looked at."""

    __slots__ = ("_dates", "_looked_at", "_numbers")

    def __init__(self) -> None:
        self._dates: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._looked_at = 0

    def note(self, statements: Rows, dictionary: Dictionary) -> None:
        """Look at some of ``statements``, (n, 3) and more columns."""
        if self._looked_at >= _MOST or not len(statements):
            return
        some = statements[:: -(-len(statements) // _SAMPLED)]
        self._looked_at += len(some)
        texts = dictionary.decode_many(np.ascontiguousarray(some[:, OBJECT]))
        for ending, found in ((_DATE_TIME, self._dates), (_INTEGER, self._numbers)):
            timed = [place for place, text in enumerate(texts) if text.endswith(ending)]
            predicates = np.ascontiguousarray(some[timed, PREDICATE])
            found.update(dictionary.decode_many(predicates))

    def likely(self, asked: str) -> str | None:
        """The one that is most likely meant by ``asked``, both in brackets; None: there is none.

        The one whose name is most like it, else the one that has most dateTimes. Integers are
        mostly values, so those count only if the name is alike.
        """
        if near := nearest_name(asked, [*self._dates, *self._numbers]):
            return near
        return next((name for name, _ in self._dates.most_common(1)), None)
