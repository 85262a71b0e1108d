"""Groups and aggregates of SPARQL as aggregates of R4 [SPARQL 11; 18.5].

SPARQL counts the solutions of a pattern, R4 the values of the free variables of a condition. So
each case of the pattern is one disjunct of the condition, in which a variable more has the number
of the case; variables that a case does not bind have a value there that no fact has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import rdflib
from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.errors import NoCounterpart, NotReadable
from r4.foreign.formulas import (
    conjunction,
    constant,
    disjunction,
    exists,
    negation,
    variable,
)
from r4.foreign.sparql.expressions import Expressions, assigned
from r4.foreign.sparql.solutions import Case, Cases, FreshNames, distinct
from r4.foreign.sparql.terms import number
from rif.errors.base import NOWHERE, Span
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.terms import IRI, Variable

UNBOUND: Final = constant(IRI("urn:r4:unbound"))
"""Stands for the value of a variable that is not bound."""

_FUNCTIONS: Final = {
    "Aggregate_Count": "count",
    "Aggregate_Sum": "sum",
    "Aggregate_Avg": "avg",
    "Aggregate_Min": "min",
    "Aggregate_Max": "max",
    "Aggregate_Sample": "first",
}

Evaluate: TypeAlias = Callable[[frozenset[str]], Expressions]
"""Translates expressions over variables that are bound."""


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Translates the aggregates over one pattern.

    Attributes:
        keys: the variables that group; None: all solutions are one group, even without any.
        evaluate: translates expressions.
        fresh: gives names to other variables.
        place: where the query stands.

    Raises:
        NotReadable: a variable that is asked for is neither grouped nor aggregated.
    """

    keys: tuple[str, ...] | None
    evaluate: Evaluate
    fresh: FreshNames
    place: Span

    def cases(self, members: Cases, aggregates: Sequence[CompValue]) -> Iterator[Case]:
        """The groups with the values of ``aggregates``, by the keys that are bound in them."""
        together: dict[frozenset[str], list[Case]] = {}
        for case in members:
            together.setdefault(case.bound & frozenset(self.keys or ()), []).append(case)
        if self.keys is None and not together:
            together[frozenset()] = []
        for keys, some in together.items():
            yield from self._group(some, keys, aggregates)

    def _group(
        self, members: Cases, keys: frozenset[str], aggregates: Sequence[CompValue]
    ) -> Iterator[Case]:
        """The groups by ``keys``, with and without a value of each aggregate."""
        names = {key: self.fresh(key) for key in sorted(keys)}
        members = [case.renamed(names) for case in members]
        grouping = frozenset(names.values())
        some = disjunction(exists(case.conditions, grouping) for case in members)
        found = [Case(() if self.keys is None else (some,), grouping)]
        results: dict[str, str] = {}
        for aggregate in aggregates:
            result = str(aggregate.res)
            key = str(aggregate.vars) if aggregate.name == "Aggregate_Sample" else ""
            if key in names and names[key] not in results:
                results[names[key]] = result
            elif key in names:
                equal = ast.Equal(variable(result), variable(names[key]))
                found = [_binding(case.where(equal), result) for case in found]
            elif aggregate.name == "Aggregate_Sample" and key in (self.keys or ()):
                continue  # of this group the key is not bound
            elif aggregate.name == "Aggregate_Sample" and aggregate.place is None:
                message = f"?{key} is neither grouped nor aggregated"
                hint = (
                    f"GROUP BY ?{key}, or SAMPLE(?{key}) AS another variable; "
                    f"where ?{key} is a column of the same SELECT, write what it is computed from"
                )
                raise NotReadable(message, self.place, hint)
            else:
                values = list(self._aggregate(aggregate, members, grouping, names))
                found = [each for case in found for each in _with(case, result, values)]
        unused = grouping - results.keys()
        for case in found:
            yield replace(case, bound=case.bound - unused).renamed(results)

    def _aggregate(
        self,
        node: CompValue,
        members: Cases,
        grouping: frozenset[str],
        names: dict[str, str],
    ) -> Iterator[tuple[list[ast.Formula], ast.Term | Aggregate | None]]:
        """The ways in which an aggregate has a value, and the one in which it has none."""
        function = _FUNCTIONS.get(node.name)
        if function is None:
            message = f"{node.name.removeprefix('Aggregate_').upper()} has no counterpart"
            hint = "the texts of a group have no order; list{ ?v ?t | … } of RIF has one"
            raise NoCounterpart(message, node.place or NOWHERE, hint)
        scope = self._scope(node.vars, names)
        valued, faulty = self._valued(scope, members, grouping)
        none = disjunction(exists(case.conditions, grouping) for case in members)
        empty = [] if self.keys is not None else [negation(none)]
        if not valued:  # of no member it has a value
            if function == "count" or (self.keys is None and function in {"sum", "avg"}):
                yield [] if function == "count" else empty, number(0)
            if function != "count":
                yield [none], None
            return
        body, value = self._body(valued, grouping, once=bool(node.distinct), function=function)
        group = tuple(variable(name) for name in sorted(grouping))
        order = Variable(value) if function == "first" else None
        aggregate = Aggregate(function, Variable(value), body, group, order)
        if function == "count":
            yield [], aggregate
            return
        whole = [negation(exists(case.conditions, grouping)) for case in faulty]
        yield whole, aggregate
        if function == "avg" and self.keys is None:
            yield empty, number(0)
        result = self.fresh("value")
        has_value = ast.Exists(
            (Variable(result),), AggregateEqual(variable(result), self._apart(aggregate))
        )
        missing = negation(conjunction([*whole, has_value]))
        zero = [none] if function == "avg" and self.keys is None else []
        yield [*zero, missing], None

    def _apart(self, aggregate: Aggregate) -> Aggregate:
        """The aggregate with other local variables."""
        group = {each.value.name for each in aggregate.group}
        case = Case((aggregate.body,)).renamed(
            names := {each.name: self.fresh(each.name) for each in aggregate.local}
        )
        assert not group & names.keys()
        order = aggregate.order
        return replace(
            aggregate,
            value=Variable(names[aggregate.value.name]),
            body=case.conditions[0],
            order=None if order is None else Variable(names[order.name]),
        )

    def _scope(self, expression: object, names: dict[str, str]) -> object:
        """The expression with the names that its variables have now."""
        return _renamed(expression, names)

    def _valued(
        self, expression: object, members: Cases, grouping: frozenset[str]
    ) -> tuple[list[tuple[Case, str | None]], list[Case]]:
        """The cases with the variable that has the value to aggregate, and those without one."""
        valued: list[tuple[Case, str | None]] = []
        faulty: list[Case] = []
        for case in members:
            if expression == "*":
                valued.append((case, None))
                continue
            if isinstance(expression, rdflib.Variable) and str(expression) in case.bound - grouping:
                valued.append((case, str(expression)))
                continue
            expressions = self.evaluate(case.bound)
            value = expressions.value(expression)
            for each in value:
                name = self.fresh("value")
                valued.append((_binding(case.where(*assigned(name, each)), name), name))
            faulty.append(case.where(expressions.has_no_value(value)))
        return valued, [case for case in faulty if not _is_false(case)]

    def _body(
        self,
        valued: Sequence[tuple[Case, str | None]],
        grouping: frozenset[str],
        *,
        once: bool,
        function: str,
    ) -> tuple[ast.Formula, str]:
        """The condition of an aggregate, and the variable of its members."""
        value = self.fresh("value")
        if all(name is None for _, name in valued):
            cases = [case for case, _ in valued]
            return self._numbered(distinct(cases) if once else cases, grouping, value), value
        cases = [case.renamed({name: value}) for case, name in valued if name is not None]
        if once or function in {"min", "max", "first"}:
            keep = grouping | {value}
            return disjunction(exists(case.conditions, keep) for case in cases), value
        if len(cases) == 1:
            return conjunction(cases[0].apart(self.fresh, grouping | {value}).conditions), value
        return self._numbered(cases, grouping | {value}, self.fresh("case")), value

    def _numbered(self, cases: Cases, keep: frozenset[str], which: str) -> ast.Formula:
        """One of the cases, in each of which all variables have a value."""
        every = dict.fromkeys(name for case in cases for name in case.variables)
        names = {name: self.fresh(name) for name in every if name not in keep}
        parts = [case.renamed(names) for case in cases]
        every = dict.fromkeys(names.get(name, name) for name in every)
        found: list[ast.Formula] = []
        for which_number, case in enumerate(parts, 1):
            missing = [name for name in every if name not in case.variables]
            found.append(
                conjunction(
                    [
                        *case.conditions,
                        ast.Equal(variable(which), number(which_number)),
                        *(ast.Equal(variable(name), UNBOUND) for name in missing),
                    ]
                )
            )
        return disjunction(found)


def _with(
    case: Case,
    result: str,
    values: Sequence[tuple[list[ast.Formula], ast.Term | Aggregate | None]],
) -> Iterator[Case]:
    for conditions, value in values:
        if value is None:
            yield case.where(*conditions)
        elif isinstance(value, Aggregate):
            equal: ast.Formula = AggregateEqual(variable(result), value)
            yield _binding(case.where(*conditions, equal), result)
        else:
            yield _binding(case.where(*conditions, ast.Equal(variable(result), value)), result)


def _binding(case: Case, name: str) -> Case:
    return replace(case, bound=case.bound | {name}, computed=case.computed | {name})


def _is_false(case: Case) -> bool:
    return conjunction(case.conditions) == ast.Or(())


def _renamed(node: object, names: dict[str, str]) -> object:
    """An expression with other names for variables."""
    if isinstance(node, rdflib.Variable):
        return rdflib.Variable(names.get(str(node), str(node)))
    if isinstance(node, CompValue):
        found = node.clone()
        found.place = node.place
        for key, value in node.items():
            found[key] = _renamed(value, names)
        return found
    if isinstance(node, list):
        return [_renamed(each, names) for each in node]
    return node
