"""Where stamps stand of elements that have none: apart from their triples, or in another graph."""

from __future__ import annotations

from typing import Final

import numpy as np

from r4.errors import Flaw
from r4.stream.elements.judged_elements import (
    BAD,
    ELEMENT,
    FLAW,
    NAME,
    RETRACTED,
    SIZE,
    JudgedElements,
)
from r4.stream.elements.segmentation import PREDICATE, SUBJECT
from rete.arrays.delta import Column
from rete.terms.dictionary import Dictionary

_MOST: Final = 1 << 14
"""So many names of a kind are remembered: of a million graphs in any order some are in both."""
_LONGEST: Final = 100
"""Characters of a name that are shown."""


class StampPlaces:
    """Names of elements without a stamp, of stamps without triples, and of stamps within graphs.

    They are hashes of texts: ids of what was left out may be forgotten, and texts be long.
    """

    __slots__ = ("_bare", "_dictionary", "_empty", "_inner", "_start")

    def __init__(self, dictionary: Dictionary, start: int) -> None:
        self._dictionary = dictionary
        self._start = start
        self._bare: dict[int, str] = {}
        self._empty: set[int] = set()
        self._inner: dict[int, str] = {}

    def note(self, elements: JudgedElements, bad: Column) -> None:
        """Look at elements that were not admitted yet; those at the places ``bad`` are `BAD`.

        O(n), and a step in Python for each name. Where nothing is bad, and each element has a
        triple, it is one pass over a column.
        """
        if len(bad):
            self._note_bad(elements, bad)
        table = elements.table
        if len(self._empty) >= _MOST or np.count_nonzero(table[:, SIZE]) == len(table):
            return
        of_none = (table[:, SIZE] == 0) & (table[:, RETRACTED] == 0)
        empty = np.flatnonzero(of_none & elements.where(ELEMENT))
        if len(empty):
            self._empty.update(map(hash, self._texts(table[empty[:_MOST], NAME])))

    def _note_bad(self, elements: JudgedElements, bad: Column) -> None:
        table = elements.table
        if len(self._bare) < _MOST:
            bare = bad[table[bad, FLAW] == Flaw.NO_STAMP]
            names = self._texts(table[bare[:_MOST], NAME])
            self._bare |= {hash(name): name[:_LONGEST] for name in names}
        if len(self._inner) < _MOST:
            self._note_inner(elements)

    def _note_inner(self, elements: JudgedElements) -> None:
        owner = np.repeat(np.arange(len(elements)), elements.table[:, SIZE])
        of_bad = elements.where(BAD)[owner]
        stamps = np.flatnonzero(of_bad & (elements.triples[:, PREDICATE] == self._start))
        stamps = stamps[:_MOST]
        subjects = self._texts(elements.triples[stamps, SUBJECT])
        graphs = self._texts(elements.table[owner[stamps], NAME])
        self._inner |= {
            hash(subject): graph[:_LONGEST]
            for subject, graph in zip(subjects, graphs, strict=True)
            if subject != graph
        }

    @property
    def apart(self) -> str:
        """The name of an element whose stamp stands apart from its triples; "": none is known."""
        return next((name for key, name in self._bare.items() if key in self._empty), "")

    @property
    def apart_count(self) -> int:
        """How many elements are known whose stamp stands apart from their triples."""
        return len(self._bare.keys() & self._empty)

    @property
    def is_full(self) -> bool:
        """Whether more names may have come than are remembered."""
        return max(len(self._bare), len(self._empty)) >= _MOST

    @property
    def other_graph(self) -> str:
        """The graph of triples that has the stamp of another one; "": none is known."""
        return next((self._inner[key] for key in self._bare if key in self._inner), "")

    def _texts(self, ids: Column) -> list[str]:
        return self._dictionary.decode_many(np.ascontiguousarray(ids))
