"""Derivations all of whose units are missing: they make sets of hypotheses needless.

What must hold besides the units comes and goes, with no evidence. So for each group of such
conditions that share variables one more rule is added to the program. Its rows have those variables
that the units, the conclusion or a test have, too. Groups are apart because all rows of one would
meet all rows of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from rete.graph.plan import Emit
from rete.terms.relations import Relation
from rif.syntax import ast
from rif.syntax.terms import IRI
from rif.syntax.traversal import free_variables
from temporal.hypothetical.rif_rules.rewriting.arrival_units import ArrivalUnit, Derivation
from temporal.hypothetical.rif_rules.rewriting.evidence_rules import (
    POSSIBLE,
    EvidenceShape,
    PartialMatch,
    added_rule,
    shape_of_row,
    under_operators,
)
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    AtomPattern,
    names_in,
    pattern_of,
    text_of,
)


class _Group(NamedTuple):
    """Conditions that share variables."""

    formulas: tuple[ast.Formula, ...]
    names: frozenset[str]


def hypothetical_shape(
    derivation: Derivation, number: int, scale: int
) -> tuple[EvidenceShape, tuple[Emit, ...]]:
    """The shape of a derivation of which nothing has arrived, and the plans of its rules.

    Args:
        derivation: the derivation.
        number: its own, for the names of relations.
        scale: ticks to the second.
    """
    _, taken, waiting = derivation.bound(())
    patterns = (pattern_of(each).args for unit in derivation.units for each in unit.formulas)
    shared = set(names_in(chain(derivation.head.args, *patterns)))
    shared = shared.union(*(step.needs for step in waiting))
    conditions = [
        _Group(tuple(under_operators(unit)), frozenset(unit.names)) for unit in derivation.required
    ]
    conditions += (
        _Group((step.formula,), frozenset(free_variables(step.formula))) for step in taken
    )
    required: list[tuple[Relation, Sequence[str]]] = []
    emits: list[Emit] = []
    for place, group in enumerate(_connected(conditions)):
        name, columns = IRI(f"{POSSIBLE}{number}:{place}"), sorted(group.names & shared)
        relation, more = added_rule(derivation.rule, name, columns, group.formulas, scale)
        required.append((relation, columns))
        emits += more
    parts = PartialMatch([], derivation.units, waiting)
    return shape_of_row(derivation, Relation(POSSIBLE, 0), [], parts, required), tuple(emits)


def _connected(conditions: Iterable[_Group]) -> list[_Group]:
    """Conditions, in order, in groups that share no variables."""
    found: list[_Group] = []
    for each in conditions:
        near = [group for group in found if group.names & each.names]
        found = [group for group in found if not group.names & each.names]
        formulas = chain.from_iterable(group.formulas for group in (*near, each))
        found.append(_Group(tuple(formulas), each.names.union(*(group.names for group in near))))
    return found


def may_make_needless(one: Derivation, other: Derivation) -> bool:
    """May all units of ``one`` be among what a row of ``other`` lacks?"""
    if one.head.relation != other.head.relation or not _may_equal(one.head, other.head):
        return False
    return any(
        all(any(_may_equal(a, b) for b in _patterns(lacking)) for a in _patterns(one.units))
        for lacking in (
            [unit for unit in other.units if unit is not arrived] for arrived in other.units
        )
    )


def _patterns(units: Iterable[ArrivalUnit]) -> Iterator[AtomPattern]:
    return (pattern_of(each) for unit in units for each in unit.formulas)


def _may_equal(one: AtomPattern, other: AtomPattern) -> bool:
    """Have they the same constants, where both have one?"""
    pairs = zip(one.args, other.args, strict=True)
    return one.relation == other.relation and all(
        not (isinstance(a, ast.Constant) and isinstance(b, ast.Constant))
        or text_of(a) == text_of(b)
        for a, b in pairs
    )
