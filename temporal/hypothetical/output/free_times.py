"""Sets of hypotheses that another one makes needless only if their times are late enough.

A time that is not known counts as possible from 0 on, even if all that is left of it has passed
[CruzFilipe22, Definition 3]. So a set of which a smaller one is a part from a later time on is
minimal by definition, and is printed, although what it waits for may come later only: then it would
do without its evidence, or without some of its hypotheses. Which sets these may be follows from the
schematic answers, before any data.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from rete.terms.dictionary import Dictionary
from rif.errors.report import shorten
from temporal.containment import StepBudget, TooManySteps
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.output.embeddings import SetForm, embeddings
from temporal.hypothetical.syntax.ast import (
    SchematicAnswer,
    SortedVariable,
    TemporalAtom,
    variables_of,
)
from temporal.hypothetical.syntax.errors import TimeNotKnown

_MOST_STEPS: Final = 20_000
"""After so many steps for a query what is not compared counts as such a set."""


class _EntrySets:
    """The sets of hypotheses of all entries in which the same variables are bound.

    Attributes:
        schematic: the schematic answer.
        free_times: the times that are not known.
        awaited: the bits of the hypotheses with free variables, of which none has arrived.
        predicates: those of these hypotheses.
        form: as rows whose columns begin with a given number.
    """

    __slots__ = ("awaited", "form", "free_times", "predicates", "schematic")

    def __init__(
        self,
        schematic: SchematicAnswer,
        names: Collection[SortedVariable],
        first: int,
        terms: Dictionary,
    ) -> None:
        """The entries in which ``names`` are bound, whose columns begin with ``first``."""
        free = [variables_of(atom).difference(names) for atom in schematic.hypotheses]
        waiting = [atom for atom, own in zip(schematic.hypotheses, free, strict=True) if own]
        self.schematic = schematic
        self.free_times = sorted({name for own in free for is_time, name in own if is_time})
        self.awaited = sum(1 << place for place, own in enumerate(free) if own)
        self.predicates = frozenset((atom.predicate, atom.arity) for atom in waiting)
        self.form = SetForm.of_columns(schematic, names, first, terms)


def warn_of_free_times(
    query: TemporalAtom, tables: Sequence[EntryTable], terms: Dictionary
) -> TimeNotKnown | None:
    """The warning about such sets of ``query``; None: there are none.

    Costs a search with backtracking for each two tables with free times: 0.2 s at most for all.
    """
    schematics = dict.fromkeys(table.schematic for table in tables)
    width = max((len(table.names) for table in tables), default=0)
    bound = [(each, ()) for each in schematics] + [(each.schematic, each.names) for each in tables]
    parts = [_EntrySets(each, names, width, terms) for each, names in bound]
    parts = [each for each in parts if each.free_times]
    budget = StepBudget(_MOST_STEPS)
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
