"""Static triples while they come in, and the terms that they state to be equal."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.arrays.term_columns import KIND_LITERAL
from rete.terms.dictionary import Dictionary
from rete.terms.equality_classes import EqualityClasses
from rif.syntax.terms import RDF

_WORD: Final = f"<{RDF}"


class StaticTriples:
    """The triples that always hold, of representatives: asserted and derived ones.

    Attributes:
        open: whether more may come, and the background alone is shown them; what states later that
            terms are equal is left to the rules.
    """

    __slots__ = ("_facts", "_kept", "_pairs", "_same", "_same_as", "_terms", "open")

    def __init__(
        self, same: EqualityClasses, terms: Dictionary, kept: Column, same_as: int
    ) -> None:
        """Begin with none.

        Args:
            same: learns which terms are equal.
            terms: the dictionary of all ids.
            kept: ids that no other may represent, as scans ask for them.
            same_as: the id of the predicate that makes two terms equal; 0: none does.
        """
        self._same = same
        self._terms = terms
        self._kept = kept
        self._same_as = same_as
        self._facts: list[Rows] = []
        self._pairs: list[Rows] = []
        self.open = True

    def note(self, rows: Rows) -> Rows:
        """Keep what is static of triples; returns all but those that make two terms equal."""
        static = holds_always(rows)
        pairs = static & (rows[:, 1] == self._same_as) & (rows[:, 0] != rows[:, 2])
        if pairs.any():
            pairs[pairs] = self._can_merge(rows[pairs][:, [0, 2]])
            if pairs.any():
                self._pairs.append(rows[pairs][:, [0, 2]])
            rows, static = rows[~pairs], static[~pairs]
        self._facts.append(rows if static.all() else rows[static])
        return rows

    def united(self) -> Rows:
        """Facts to be asserted again, as their terms were found to be equal to others.

        No rows: nothing was found since the last call.
        """
        if not self._pairs:
            return empty(3)
        pairs = concat(self._pairs)
        self._pairs = []
        changed = self._same.unite(pairs)
        facts = self.facts()
        self._facts = [facts]
        again = facts[np.isin(facts[:, :3], changed).any(axis=1)]
        themselves = np.empty((len(changed), 5), np.int64)
        themselves[:] = 0, self._same_as, 0, NEG_INF, POS_INF
        themselves[:, 0] = themselves[:, 2] = changed
        return np.concatenate([again, _distinct(self._same.of(themselves))])

    def facts(self) -> Rows:
        """All of them, (n, 5), each once; before `seal`."""
        assert self.open
        return _distinct(self._same.of(concat([empty(3), *self._facts])))

    def seal(self) -> Rows:
        """All static data are in, and kept no longer: the facts, (n, 5), some of them twice."""
        facts = self._same.of(concat([empty(3), *self._facts]))
        self.open = False
        self._facts = []
        return facts

    def saved(self) -> State:
        """What came in so far; nothing, once all of it is in."""
        return {
            "open": self.open,
            "facts": concat([empty(3), *self._facts]),
            "pairs": concat([empty(0), *self._pairs]),
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved."""
        self.open = given.flag("open")
        self._facts = [given.rows("facts", 3, alive)]
        pairs = given.array("pairs", np.int64, None, 2)
        given.living("pairs", pairs, alive)
        self._pairs = [pairs] if len(pairs) else []

    def _can_merge(self, pairs: Rows) -> npt.NDArray[np.bool_]:
        """Which pairs of terms can have one representative.

        Not a constant that some scan asks for, as it must go on to match; not a literal, as it is
        identified by its value; not a word of RDF, as rules recognise ``rdf:_2`` by its text: these
        are left to the rules.
        """
        ids, place = np.unique(pairs.ravel(), return_inverse=True)
        words = np.array([text.startswith(_WORD) for text in self._terms.decode_many(ids)])
        kept = (self._terms.kinds(ids) == KIND_LITERAL) | words | np.isin(ids, self._kept)
        some: npt.NDArray[np.bool_] = kept[place].reshape(pairs.shape).any(axis=1)
        return ~some


def holds_always(rows: Rows) -> Mask:
    """Which rows hold at all times."""
    mask: Mask = (rows[:, -2] == NEG_INF) & (rows[:, -1] == POS_INF)
    return mask


def _distinct(rows: Rows) -> Rows:
    """Each row of facts that always hold once, in no order."""
    if len(rows) < 2:  # noqa: PLR2004 - nothing to compare with
        return rows
    ordered = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    first: npt.NDArray[np.bool_] = np.ones(len(rows), np.bool_)
    first[1:] = (ordered[1:, :3] != ordered[:-1, :3]).any(axis=1)
    return ordered[first]
