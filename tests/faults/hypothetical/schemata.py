"""Faults in what a query needs of its input."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.resolution import resolver, subsumption, unification
from temporal.hypothetical.resolution.goals import Clause
from temporal.hypothetical.resolution.subsumption import ClauseIndex
from temporal.hypothetical.resolution.unification import VariableScope
from temporal.hypothetical.syntax.ast import TemporalAtom
from tests.faults.detection import Fault


def times_may_be_negative() -> AbstractContextManager[object]:
    """No variable has a bound."""
    right = unification.remaining_bounds

    def bounds(*args: object) -> dict[str, int] | None:
        found = right(*args)  # type: ignore[arg-type]
        return found and dict.fromkeys(found, 0)

    return patch.object(resolver, "remaining_bounds", bounds)


def needless_schemata_stay() -> AbstractContextManager[object]:
    """It does not matter what other schemata say."""
    return patch.object(ClauseIndex, "subsuming", lambda *_, **__: iter(()))


def needless_hypotheses_stay() -> AbstractContextManager[object]:
    """It does not matter what other hypotheses of a schema say."""
    return patch.object(resolver, "condense", lambda clause, _: clause)


def one_schema_is_enough() -> AbstractContextManager[object]:
    """Of several schemata the last is forgotten."""
    right = subsumption.minimise

    def minimal(clauses: Iterable[Clause], effort: object) -> tuple[Clause, ...]:
        found = right(clauses, effort)  # type: ignore[arg-type]
        return found[:-1] if len(found) > 1 else found

    return patch.object(resolver, "minimise", minimal)


def names_are_those_farthest() -> AbstractContextManager[object]:
    """Of two variables the one farther from the query stays."""
    right = VariableScope.is_nearer

    def is_nearer(here: VariableScope, name: str, other: str) -> bool:
        if here.is_query(name) or here.is_query(other):
            return right(here, name, other)
        return not right(here, name, other)

    return patch.object(VariableScope, "is_nearer", is_nearer)


def atoms_have_the_delay_of_others() -> AbstractContextManager[object]:
    """Where an atom has variables, nobody asks for its instances."""

    def of(here: DelayBounds, atom: TemporalAtom) -> int:
        args = [getattr(arg, "lexical", None) for arg in atom.args]
        return here.of_instance(atom.predicate, args)

    return patch.object(DelayBounds, "of", of)


FAULTS: Final[tuple[Fault, ...]] = (
    times_may_be_negative,
    needless_schemata_stay,
    needless_hypotheses_stay,
    one_schema_is_enough,
    names_are_those_farthest,
    atoms_have_the_delay_of_others,
)
