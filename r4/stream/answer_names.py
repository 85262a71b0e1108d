"""Names of the elements of answers, kept apart by stream.

What R4 writes as RDF names an element by when its answers began, so two runs write the same names.
Where both are streams of one run, a triple that ends in one of them must not end in the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r4.rdf.chunks import Chunk
from r4.stream.elements.segmentation import GRAPH, OBJECT, PREDICATE, SUBJECT
from r4.stream.source import ANSWERS
from rete.arrays.delta import Column, columns, distinct
from rete.terms.dictionary import Dictionary


class AnswerNames:
    """Gives the elements of answers in a stream names that no other stream of the run has."""

    def __init__(self, number: int, dictionary: Dictionary, ends: int) -> None:
        """Begin.

        Args:
            number: of the stream.
            dictionary: of all ids.
            ends: the predicate that says where triples began that end.
        """
        self._mark = f"#{number}>"
        self._dictionary = dictionary
        self._ends = ends

    def apart(self, chunk: Chunk) -> Chunk:
        """The chunk with the names of this stream. Costs O(rows), and some µs for each name."""
        rows = chunk.rows
        plain = (rows[:, GRAPH] == 0).nonzero()[0]
        ended = plain[rows[plain, PREDICATE] == self._ends]
        places = [(plain, SUBJECT), (ended, OBJECT), ((rows[:, GRAPH] > 0).nonzero()[0], GRAPH)]
        used = distinct(np.concatenate([*(rows[at] for at in places), chunk.ending]))
        texts = self._dictionary.decode_many(used)
        some = columns(i for i, text in enumerate(texts) if text.startswith(f"<{ANSWERS}"))
        if not len(some):
            return chunk
        names = [f"{texts[i][:-1]}{self._mark}" for i in some.tolist()]
        known, new = used[some], self._dictionary.encode_many(names)

        def renamed(ids: Column) -> Column:
            place = np.searchsorted(known, ids).clip(max=len(known) - 1)
            return np.where(known[place] == ids, new[place], ids)

        rows = rows.copy()
        for at in places:
            rows[at] = renamed(rows[at])
        return replace(chunk, rows=rows, ending=renamed(chunk.ending))
