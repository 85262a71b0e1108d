"""Answers that have one entry at a time: what is said of them, in columns.

So it is if there is one schematic answer, all its hypotheses have the same variables, and the
answer has them too. Then an entry is an answer, each of its states has hypotheses that no other
has, and what the tally tells is what is to be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rete.delta import Column, Rows
from rete.texts import Ids
from temporal.hypothetical.ast import Atom, Premises
from temporal.hypothetical.lines import (
    END_OF_INPUT,
    Form,
    Pattern,
    Piece,
    Slot,
    Status,
    Writings,
    filled,
    inside,
    line,
    of_answer,
    of_atom,
)
from temporal.hypothetical.masks import names_of
from temporal.hypothetical.tally import States, Tally, Turns

NO_REASON = -1


def is_sole(premises: Sequence[Premises]) -> bool:
    """Whether each answer has one entry at a time, whose atoms have an order that is known."""
    if len(premises) != 1:
        return False
    hypotheses = premises[0].hypotheses
    names = names_of(premises[0].answer)
    if any(names_of(atom) != names for atom in hypotheses):
        return False
    places = {(atom.time.offset, atom.predicate) for atom in hypotheses}
    clocks = {atom.time.variable for atom in hypotheses}
    return len(places) == len(hypotheses) and len(clocks) == 1


class Sole:
    """Makes lines of the turns of the one tally that there is."""

    __slots__ = ("_answer", "_atoms", "_key", "_order", "_patterns", "_tally", "_writings")

    def __init__(self, query: Atom, premises: Premises, tally: Tally) -> None:
        self._tally = tally
        names = tally.names
        self._writings = Writings(tally.terms)
        hypotheses = premises.hypotheses
        self._order = sorted(
            range(len(hypotheses)),
            key=lambda i: (hypotheses[i].time.offset, f"{hypotheses[i].predicate}("),
        )
        self._atoms = [inside(of_atom(atom, names)) for atom in hypotheses]
        self._answer = list(of_answer(query, premises.answer, names))
        self._key = [piece for piece in self._answer if isinstance(piece, Slot)]
        self._patterns: dict[tuple[Status, int], Pattern] = {}

    def tell(self, told: Sequence[tuple[Tally, Turns]], frontier: int) -> list[str]:  # noqa: ARG002
        """The lines of what happened until the frontier, in order."""
        ((tally, (begun, ended)),) = told
        status = np.where(begun.bits == tally.all_bits, Status.ANSWER, Status.SUPPORTED)
        return self._lines(
            np.concatenate([ended.values, begun.values]),
            np.concatenate([ended.at, begun.at]),
            np.concatenate([np.full(len(ended.at), Status.WITHDRAWN), status]),
            np.concatenate([self._impossible(ended), begun.bits]),
        )

    def drain(self, tau: int) -> list[str]:
        """The lines of what is still open at the end of input."""
        open_ = self._tally.waiting()
        count = len(open_.bits)
        return self._lines(
            open_.values,
            np.full(count, tau),
            np.full(count, Status.WITHDRAWN),
            np.full(count, NO_REASON),
        )

    @property
    def held(self) -> int:
        """How many entries wait for something."""
        return self._tally.held

    def things(self) -> Iterable[Ids]:
        """The ids that are known here alone: none."""
        return ()

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._writings.forget()

    def _impossible(self, ended: States) -> Column:
        """Per entry that ended the first hypothesis that is no longer possible."""
        found = np.full(len(ended.at), NO_REASON)
        deadlines = self._tally.deadlines.of(ended.values)
        for place in reversed(self._order):
            missed = (deadlines[:, place] <= ended.at) & (ended.bits >> place & 1 == 0)
            found[missed] = place
        return found

    def _lines(self, values: Rows, at: Column, status: Column, detail: Column) -> list[str]:
        ranks = [self._rank(slot, values[:, slot.column]) for slot in reversed(self._key)]
        order = np.lexsort((*ranks, status, at))
        values, at, status, detail = values[order], at[order], status[order], detail[order]
        out = np.empty(len(at), object)
        for kind in Status:
            rows = np.flatnonzero(status == kind)
            details, which = np.unique(detail[rows], return_inverse=True)
            for number, each in enumerate(details.tolist()):
                chosen = rows[which == number]
                pattern = self._pattern(kind, each)
                texts = filled(pattern, values[chosen], self._writings, at[chosen])
                out[chosen] = list(texts)
        found: list[str] = out.tolist()
        return found

    def _rank(self, slot: Slot, column: Column) -> Column:
        """The order of values in texts of answers.

        No value is the beginning of another, with the quote or bracket behind it; so texts are in
        the order of their values, from left to right.
        """
        distinct, which = np.unique(column, return_inverse=True)
        if slot.time:
            texts = [f"{number + slot.offset}}}" for number in distinct.tolist()]
        else:
            texts = self._writings.column(distinct, Form.APART)
        ranks = np.empty(len(texts), np.int64)
        ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        return ranks[which]

    def _pattern(self, status: Status, detail: int) -> Pattern:
        found = self._patterns.get((status, detail))
        if found is None:
            found = Pattern.of(self._pieces(status, detail))
            self._patterns[status, detail] = found
        return found

    def _pieces(self, status: Status, detail: int) -> list[Piece]:
        if status is Status.WITHDRAWN:
            because = [END_OF_INPUT] if detail == NO_REASON else self._atoms[detail]
            return list(line(status, self._answer, because=because))
        evidence = [self._atoms[i] for i in self._order if detail >> i & 1]
        hypotheses = [self._atoms[i] for i in self._order if not detail >> i & 1]
        return list(line(status, self._answer, evidence, hypotheses))
