"""Which open facts are certain by now, and by which derivations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.storage.row_algebra import always, join_rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.rif_rules.entries.certain_answers import CertainAnswers
from temporal.hypothetical.rif_rules.entries.evidence_reader import tick_ends


class CertainInstances(NamedTuple):
    """Instances of facts that are certain; of a fact without free variables itself.

    Attributes:
        fact: (n,) the place of the fact.
        instances: (n, width).
    """

    fact: Column
    instances: Rows

    def among(self, facts: Rows) -> tuple[Column, Column]:
        """The pairs of a fact, and of a place in ``facts`` where an instance of it stands."""
        on = range(facts.shape[1])
        mine, theirs = always(self.instances, self.fact), always(facts, np.arange(len(facts)))
        pairs = join_rows(mine, on, theirs, on, (len(on), ~len(on)))
        return pairs[:, 0], pairs[:, 1]


def certain_instances(
    facts: Rows, gained: Rows, certain: CertainAnswers, terms: Dictionary
) -> CertainInstances:
    """The instances of ``facts`` with free variables among ``gained`` facts, with their intervals.

    They were gained for a tick at the frontier or later.
    """
    late = gained[tick_ends(gained)[1] >= certain.frontier, :-2]
    late = late[terms.distinct(np.ascontiguousarray(late))[0]]
    late = late[certain.hold(late)]
    found = [*_instances(facts, late)]
    of = np.concatenate([np.empty(0, np.int64), *(pairs[:, 0] for pairs in found)])
    places = np.concatenate([np.empty(0, np.int64), *(pairs[:, 1] for pairs in found)])
    return CertainInstances(of, late[places])


def _instances(facts: Rows, gained: Rows) -> Iterator[Rows]:
    """Pairs of a place in ``facts`` and one in ``gained``, by the places of free variables."""
    patterns = facts.clip(max=0)
    forms, which = np.unique(patterns, axis=0, return_inverse=True)
    for number, form in enumerate(forms.tolist()):
        if not any(form):
            continue
        mine = np.flatnonzero(which.ravel() == number)
        theirs = np.ones(len(gained), np.bool_)
        first: dict[int, int] = {}
        for column, free in enumerate(form):
            if free:
                theirs &= gained[:, first.setdefault(free, column)] == gained[:, column]
        on = [column for column, free in enumerate(form) if not free]
        chosen = np.flatnonzero(theirs)
        sides = CertainInstances(mine, facts[mine][:, on]).among(gained[chosen][:, on])
        yield np.column_stack([sides[0], chosen[sides[1]]])
