"""Operands of metric operators as plans of their own.

An operand is evaluated by itself, at all times. Its plan has exactly the columns that are needed,
for a box over *some* value is more than the box of each. If it is a disjunction, the disjuncts are
the bodies of an auxiliary relation, whose facts are no answers.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

from rete.nodes.filter import SAME_TERM, Filter
from rete.planning.lowering import Conjunction, Lowering, Subplan, disjuncts_of
from rete.planning.plan_builder import build_subplan
from rete.terms.relations import Relation, is_event, is_repeated
from rif.syntax import ast
from rif.syntax.terms import IRI, Variable
from rif.syntax.traversal import free_variables

AUXILIARY: Final = "urn:r4:or:"
"""What the IRIs of auxiliary relations begin with.

The rest is a hash of the formula as Python shows it, so other names of classes or fields of the
syntax tree are other IRIs: plans read otherwise, and checkpoints are refused.
"""


def lower_operand(
    lowering: Lowering, formula: ast.Formula, needed: AbstractSet[Variable] | None
) -> Subplan:
    """The plan of ``formula``, its columns those of its free variables that are ``needed``.

    None: all of them.
    """
    free = [Variable(name) for name in free_variables(formula)]
    columns = tuple(variable for variable in free if needed is None or variable in needed)
    bodies = list(disjuncts_of(formula, {variable.name for variable in free}, lowering.language))
    if len(bodies) == 1:
        inner = lowering.inside()
        condition = inner.conjunction(bodies[0], (), frozenset(columns))
        lowering.auxiliary += inner.auxiliary
        return _planned(lowering, condition, columns)
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL

    digest = sha256(f"{lowering.scale} {formula!r}".encode()).hexdigest()
    head = ast.Atom(IRI(f"{AUXILIARY}{digest[:32]}"), tuple(map(ast.Var, free)))
    for body in bodies:
        inner = lowering.inside()
        lowering.auxiliary += (inner.conjunction(body, [head]), *inner.auxiliary)
    auxiliary = lowering.pattern(head)
    condition = Conjunction(lowering.rule, (auxiliary,), (), (), (), ())
    return _planned(lowering, condition, columns)


def is_auxiliary(relation: Relation) -> bool:
    """Whether the relation was made for a disjunction under an operator, or repeats another."""
    return is_disjunction(relation) or is_repeated(relation) or is_event(relation)


def is_disjunction(relation: Relation) -> bool:
    """Whether the relation was made for a disjunction under an operator."""
    return relation.op.startswith(f"<{AUXILIARY}")


def _planned(lowering: Lowering, condition: Conjunction, columns: tuple[Variable, ...]) -> Subplan:
    """The rows of a condition, with these columns only."""
    found = build_subplan(condition, frozenset(columns), lowering.observer)
    if len(found.args) == len(columns):
        return found
    keep = tuple(found.args.index(variable) for variable in columns)
    return Subplan(Filter(found.source, SAME_TERM, (0, 0), keep), columns)
