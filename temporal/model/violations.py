"""Constraints: rules with the head BOTTOM, where a model violates them and by what.

In the network a constraint is a rule like others, and BOTTOM a relation without arguments. Its rows
are the times of inconsistency. No interpretation has BOTTOM at any time. So a program with its data
has a model if and only if these rows are none, and otherwise it entails every fact. The head
``Boxplus[0,3]BOTTOM`` is BOTTOM at every time of the box: it never holds, as a range is not empty,
so its rule says that the body never does. What is inconsistent then is every time of the box.

What violates a constraint is asked only once there is such a time: the rules are run once more over
the model, each with a head of its own that has the variables of the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rete.arrays.delta import Rows
from rete.inference.inference_engine import InferenceEngine
from rete.kernels import clip
from rif.syntax import ast
from rif.syntax.terms import Local
from rif.syntax.traversal import map_formula
from temporal.facts.bulk_writer import lexical
from temporal.model.least_model import Model
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BOTTOM_KEY,
    BOTTOM_NAME,
    Box,
    MetricProgram,
    atom,
    constant,
    variable,
)
from temporal.mtl.lowering import lower, relation_named
from temporal.mtl.validation import bound_variables
from temporal.periods.unfolding import coalesce


@dataclass(frozen=True, slots=True)
class Violation:
    """An instance of a constraint whose body holds.

    Attributes:
        number: of the rule, from 1.
        rule: the instance; variables that need no value are left in it.
        times: (n, 2) when it makes the model inconsistent: maximal cells, ascending.
    """

    number: int
    rule: ast.Implies
    times: Rows


def inconsistent_times(model: Model) -> Rows:
    """(n, 2) When a model is inconsistent, in its segment: maximal cells, ascending."""
    rows = model.periodic.facts.get(BOTTOM_KEY)
    if rows is None or not len(rows):
        return np.empty((0, 2), np.int64)
    return coalesce(clip(rows, *model.periodic.segment))


def find_violations(model: Model, program: MetricProgram) -> tuple[Violation, ...]:
    """The violated instances of constraints in the segment of a model: by rule, time, constants.

    Beyond the segment they repeat with it. Costs what the constraints cost in a materialisation.
    """
    begin, end = model.periodic.segment
    numbered = enumerate(program.rules, 1)
    rules = {number: rule for number, rule in numbered if traversal.is_constraint(rule)}
    named = {
        number: replace(rule, head=(_named_head(rule.head[0], number, _variables(rule)),))
        for number, rule in rules.items()
    }
    inference = InferenceEngine(
        lower(MetricProgram(tuple(named.values())), model.scale), model.terms
    )
    reach = 2 * model.periodic.right.width  # windows are twice the depth long, cells half a tick
    for key, rows in model.periodic.around(begin - reach, end + reach):
        inference.assert_facts(relation_named(*key), rows)
    inference.run()
    numbers = {str(Local(_name(number))): number for number in rules}
    found: list[tuple[tuple[str, ...], Violation]] = []
    for table in inference.network.tables:
        number = numbers[table.relation.op]
        rule = rules[number]
        for terms, times in _by_terms(clip(coalesce(table.facts.content()), begin, end)):
            words = tuple(map(lexical, model.terms.decode_many(terms)))
            given = dict(zip(_variables(rule), map(constant, words), strict=True))
            found.append((words, Violation(number, _instance(rule, given), times)))
    found.sort(key=lambda each: (each[1].number, each[1].times[0].tolist(), each[0]))
    return tuple(violation for _, violation in found)


def _name(number: int) -> str:
    """The predicate of a constraint: no text can have it, as none can have BOTTOM's."""
    return f"{BOTTOM_NAME}{number}"


def _variables(rule: ast.Implies) -> list[str]:
    return sorted(bound_variables(rule.body))


def _named_head(head: ast.Formula, number: int, names: list[str]) -> ast.Formula:
    if isinstance(head, Box):
        return replace(head, body=_named_head(head.body, number, names))
    return atom(_name(number), *map(variable, names))


def _by_terms(rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """The times of each group of equal terms, of sorted rows."""
    if len(rows):
        changes = (rows[1:, :-2] != rows[:-1, :-2]).any(axis=1)
        for group in np.split(rows, np.flatnonzero(changes) + 1):
            yield group[0, :-2], group[:, -2:].copy()


def _instance(rule: ast.Implies, given: Mapping[str, ast.Constant]) -> ast.Implies:
    return replace(rule, body=map_formula(rule.body, lambda var: given.get(var.value.name, var)))
