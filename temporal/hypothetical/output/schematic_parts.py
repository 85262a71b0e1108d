"""Sets of hypotheses without evidence, or with free variables, that are parts of others.

If hypotheses alone are enough for an answer, those of an entry of which they are a part need no
evidence, or are more than is needed [CruzFilipe22, Definition 2]. So the entry is no supported
answer. Nothing has to be known of when the smaller set may arrive: what it needs, the entry needs
as well. So it follows from the row of the entry, and from what that awaits.

A free variable stands for any term. So a set with one may be a proper part of another set of the
same answer although no atom is the same: ``p(?X,3)`` of ``p(a,3)`` and ``r(a,4)``. Sets without
free variables have equal atoms, and are compared by these (`rival_entries`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.storage.row_algebra import join_rows
from rete.terms.dictionary import Dictionary
from rif.errors.report import shorten
from temporal.containment import StepBudget, TooManySteps
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.output.embeddings import (
    MOST_STEPS,
    Embedding,
    Equality,
    SetForm,
    embeddings,
)
from temporal.hypothetical.output.entry_columns import NO_ATOM, EntryColumns
from temporal.hypothetical.output.rival_states import Mask, RivalStates
from temporal.hypothetical.syntax.ast import (
    SchematicAnswer,
    SortedVariable,
    TemporalAtom,
    variables_of,
)
from temporal.hypothetical.syntax.errors import TimeNotKnown

_MOST_STEPS_OF_WARNING: Final = 20_000
"""After so many steps for a query what is not compared counts as a set to warn of."""


class _Subsumptions(NamedTuple):
    """Pairs of states of which the first subsumes the second.

    Attributes:
        one, other: (n,) the first can be made a part of the second.
        since: (n,) from when.
        atoms: (n,) the bits of the hypotheses of the second that the first becomes.
    """

    one: Column
    other: Column
    since: Column
    atoms: Column


class SchematicParts:
    """Compares sets without evidence, and sets with free variables, with others."""

    def __init__(self, entry_columns: EntryColumns) -> None:
        self._tables, terms = entry_columns.tables, entry_columns.terms
        self._width, self._terms = entry_columns.width, terms
        schematics = dict.fromkeys(table.schematic for table in self._tables)
        self._schematics = [SetForm(each, {}, terms) for each in schematics]
        self._all_bits = np.array([table.all_bits for table in self._tables], np.int64)
        free = [
            not variables_of(*table.schematic.hypotheses) <= {*table.names}
            for table in self._tables
        ]
        self._is_free = np.array(free, np.bool_)
        self._embeddings = cache(self._embeddings_of)
        self._whole_embeddings = cache(self._whole_embeddings_of)

    def have_needless_evidence(self, states: RivalStates) -> Mask:
        """The states of whose hypotheses those of a schematic answer are a part, all of them."""
        found = np.zeros(len(states.at), np.bool_)
        for number in {*states.entries[:, 0].tolist()}:
            known = self._whole_embeddings(number)
            if known == []:
                continue
            some = np.flatnonzero(states.entries[:, 0] == number)
            rows, awaited = states.entries[some], ~states.bits[some]
            if known is None:
                table = self._tables[number]
                forms = (SetForm.of_row(table, row[1:], self._terms) for row in rows.tolist())
                found[some] = [
                    any(own & e.atoms == e.atoms for e in self._found(form, StepBudget()))
                    for own, form in zip(awaited.tolist(), forms, strict=True)
                ]
            for each in known or ():
                found[some] |= (awaited & each.atoms == each.atoms) & each.holds(rows)
        return found

    def _whole_embeddings_of(self, number: int) -> list[Embedding] | None:
        """The conditions for any of them to be a part of the set of a row; None: too long."""
        table = self._tables[number]
        form = SetForm.of_columns(table.schematic, table.names, 1, self._terms)
        return _within_budget(lambda budget: self._found(form, budget))

    def _found(self, form: SetForm, budget: StepBudget) -> Iterator[Embedding]:
        predicates = {atom.name for atom in form.atoms}
        for each in self._schematics:
            if predicates.issuperset(atom.name for atom in each.atoms):
                yield from embeddings(each, form, budget)

    def needless(self, states: RivalStates, some: Column, end: Column) -> tuple[Column, Column]:
        """The states, of some, of which a set with free variables is a proper part; from when.

        Of two that are parts of each other the one with fewer hypotheses stays; of as many both.
        Costs the pairs that agree on an answer and on the terms that must be equal. ``end``, (n,),
        is until when each of ``states`` holds.
        """
        tables = states.entries[some, 0]
        is_source = self._is_free[tables]
        if not np.count_nonzero(is_source):
            return some[:0], some[:0]
        awaited = ~states.bits & self._all_bits[states.entries[:, 0]]
        kinds = np.column_stack([tables, awaited[some]])
        sources = {*map(tuple, kinds[is_source].tolist())}
        jobs = [(*one, other) for one in sources for other in {*tables.tolist()}]
        jobs = [job for job in jobs if self._embeddings(*job) != []]
        if not jobs:
            return some[:0], some[:0]
        head = states.answer[some], states.entries[some], some, awaited[some]
        rows = np.column_stack([*head, states.at[some], end[some]])
        parts = [part for job in jobs for part in self._pairs(rows, *job)]
        found = _Subsumptions(*map(np.concatenate, zip(*parts, strict=True)))
        one, other = found.one, found.other
        sizes = (states.awaited != NO_ATOM).sum(axis=1)
        chosen = found.atoms != awaited[other]
        chosen &= one != other
        close = np.flatnonzero(chosen & (sizes[one] >= sizes[other]))
        if len(close):
            codes = one * len(sizes) + other
            back = other[close] * len(sizes) + one[close]
            chosen[close] = ~np.isin(back, codes)
            chosen[close] &= ~is_within(states.awaited[other[close]], states.awaited[one[close]])
        return other[chosen], found.since[chosen]

    def _pairs(self, rows: Rows, one: int, awaited: int, other: int) -> Iterator[_Subsumptions]:
        """The pairs of rows of two tables: answer, entry, number of the state, awaited bits, when.

        The rows of the first have these ``awaited`` bits.
        """
        mine = rows[(rows[:, 1] == one) & (rows[:, -3] == awaited)]
        theirs = rows[rows[:, 1] == other]
        known = self._embeddings(one, awaited, other)
        if known is None:
            yield self._one_by_one(mine, theirs)
        for each in known or ():
            yield self._joined(mine, theirs, each)

    def _joined(self, mine: Rows, theirs: Rows, each: Embedding) -> _Subsumptions:
        """The pairs of ``mine`` that are parts of ``theirs``."""
        theirs = theirs[theirs[:, -3] & each.atoms == each.atoms]
        theirs = theirs[each.of(range(self._width)).holds(theirs[:, 1:])]
        own = each.of(range(self._width, 2 * self._width))
        mine = mine[own.shifted(-self._width).holds(mine[:, 1:])]
        cross: list[Equality] = sorted(
            each.equalities - own.equalities - each.of(range(self._width)).equalities,
            key=str,
        )
        left, right = [theirs[:, 0]], [mine[:, 0]]
        for column, other, by in cross:
            assert other is not None
            left.append(theirs[:, 1 + other] + by)
            right.append(mine[:, 1 + column - self._width])
        on = range(len(left))
        pairs = join_rows(
            *(np.column_stack([*left, theirs[:, -4], theirs[:, -2:]]), on),
            *(np.column_stack([*right, mine[:, -4], mine[:, -2:]]), on),
            (len(left), ~len(left)),
        )
        return _Subsumptions(pairs[:, 1], pairs[:, 0], pairs[:, 2], pairs[:, 0] * 0 + each.atoms)

    def _one_by_one(self, mine: Rows, theirs: Rows) -> _Subsumptions:
        """The same, with the values of each pair of rows."""
        found: list[tuple[int, int, int, int]] = []
        pairs = join_rows(*_numbered(theirs), *_numbered(mine), (1, ~1)).tolist()
        for other, one, since, _ in pairs:
            form, target = (
                SetForm.of_row(self._tables[int(row[1])], row[2:], self._terms)
                for row in (mine[one], theirs[other])
            )
            parts = embeddings(form, target, StepBudget(), int(mine[one, -3]))
            awaited = int(theirs[other, -3])
            found += (
                (int(mine[one, -4]), int(theirs[other, -4]), since, each.atoms)
                for each in parts
                if awaited & each.atoms == each.atoms
            )
        return _Subsumptions(*np.array(found, np.int64).reshape(-1, 4).T)

    def _embeddings_of(self, one: int, awaited: int, other: int) -> list[Embedding] | None:
        """The conditions for the set of a row to be a part of another's; None: too long."""
        form, target = (
            SetForm.of_columns(table.schematic, table.names, first, self._terms)
            for table, first in ((self._tables[one], 1 + self._width), (self._tables[other], 1))
        )
        return _within_budget(lambda budget: embeddings(form, target, budget, awaited))


def _within_budget(search: Callable[[StepBudget], Iterable[Embedding]]) -> list[Embedding] | None:
    """What a search finds; None: it takes too long."""
    with suppress(TooManySteps):
        return [*search(StepBudget(MOST_STEPS))]
    return None


def _numbered(rows: Rows) -> tuple[Rows, Sequence[int]]:
    numbers = np.arange(len(rows))
    return np.column_stack([rows[:, 0], numbers, rows[:, -2:]]), (0,)


def is_within(one: Rows, other: Rows) -> Column:
    """Whether all ranks of each row are among those of the other."""
    among = (one[:, :, None] == other[:, None, :]) | (one == NO_ATOM)[:, :, None]
    found: Column = among.any(axis=2).all(axis=1)
    return found


class _EntrySets:
    """The sets of hypotheses of all entries in which the same variables are bound.

    Attributes:
        free_times: the times that are not known.
        awaited: the bits of the hypotheses with free variables, of which none has arrived.
        predicates: the predicates of these hypotheses.
    """

    def __init__(
        self,
        schematic: SchematicAnswer,
        names: Collection[SortedVariable],
        first: int,
        terms: Dictionary,
    ) -> None:
        """The entries in which ``names`` are bound, whose columns begin with ``first``."""
        free = [variables_of(atom).difference(names) for atom in schematic.hypotheses]
        self.free_times = sorted({name for own in free for is_time, name in own if is_time})
        self.awaited = sum(1 << place for place, own in enumerate(free) if own)
        self.form = SetForm.of_columns(schematic, names, first, terms)
        pairs = zip(self.form.atoms, free, strict=True)
        self.predicates = frozenset(atom.name for atom, own in pairs if own)


def warn_of_free_times(
    query: TemporalAtom, tables: Sequence[EntryTable], terms: Dictionary
) -> TimeNotKnown | None:
    """The warning about sets that another one makes needless only if their times are late enough.

    A time that is not known counts as possible from 0 on, even if all that is left of it has passed
    [CruzFilipe22, Definition 3]. So a set of which a smaller one is a part from a later time on is
    minimal by definition, and is printed, although what it waits for may come later only. Which
    sets these may be follows from the schematic answers, before any data.

    Costs a search with backtracking for each two tables with free times: 0.2 s at most for all.
    """
    schematics = dict.fromkeys(table.schematic for table in tables)
    width = max((len(table.names) for table in tables), default=0)
    bound = [(each, ()) for each in schematics] + [(each.schematic, each.names) for each in tables]
    parts = [_EntrySets(each, names, width, terms) for each, names in bound]
    parts = [each for each in parts if each.free_times]
    budget = StepBudget(_MOST_STEPS_OF_WARNING)
    for table in tables:
        other = _EntrySets(table.schematic, table.names, 0, terms)
        if other.free_times and any(_is_part_later(one, other, budget) for one in parts):
            name = other.free_times[0]
            atoms = (atom for atom in table.schematic.hypotheses if atom.time.variable == name)
            message = (
                f"a set of hypotheses of {shorten(str(query))} may be told although a part of it "
                f"is enough: {', '.join(map(str, atoms))} may come for any {name} from 0 on"
            )
            return TimeNotKnown(message, query.span)
    return None


def _is_part_later(one: _EntrySets, other: _EntrySets, budget: StepBudget) -> bool:
    """Whether a set of ``one`` is a part of one of ``other`` from a later time on only."""
    if not one.predicates <= other.predicates:
        return False
    try:
        budget.spend()
        later = embeddings(one.form, other.form, budget, one.awaited, ignores_least=True)
        always = embeddings(one.form, other.form, budget, one.awaited) if later else []
    except TooManySteps:
        return True
    return not all(any(each.implies(known) for known in always) for each in later)
