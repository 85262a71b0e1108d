"""Well-formedness of aggregates, in whichever syntax: their variables, and what each takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rif.errors.base import RuleError
from rif.errors.checks import BadAggregate, LocalVariableOutside
from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.aggregates import AGGREGATES, OF_SOME, Aggregate
from rif.syntax.traversal import Occurrences, clause_of, free_variables

_ENDS = ("first", "last")
SIZE: Final = re.compile(r"0*[1-9][0-9]{0,8}\Z")
"""How many members ``last N`` takes, as text."""
SHARE: Final = re.compile(r"(?:0*\.[0-9]*[1-9][0-9]*|0*1(?:\.0*)?)\Z")
"""The Q of ``quantile Q``, as text: 0 < Q ≤ 1."""


def fault_of_words(  # noqa: PLR0911 - one for each fault
    function: str, share: str | None, part: str | None, size: str | None
) -> str | None:
    """What is wrong with what stands before the braces, if anything; None: it is not there."""
    if function not in AGGREGATES:
        return f"{shorten(function)!a} is no aggregate"
    if (share is not None) is not (function == "quantile"):
        return "quantile has a share, and nothing else"
    if share is not None and not SHARE.match(share):
        return f"{shorten(share)!a} is no share above 0 and up to 1"
    if part is not None and part not in _ENDS:
        return f"{shorten(part)!a} is neither first nor last"
    if (size is None) is not (part is None) and function not in _ENDS:
        return "a part has a size, and nothing else"
    if size is not None and not SIZE.match(size):
        return f"{shorten(size)!a} is no number of members, 1 or more"
    return None


def check_aggregates(rule: ast.Rule) -> Iterator[RuleError]:
    """The faults of the aggregates of a rule. Costs its size, times the depth of quantifiers."""
    clause = clause_of(rule)
    heads = clause.head if isinstance(clause, ast.Implies) else (clause,)
    if isinstance(clause, ast.Implies):
        yield from _check(clause.body, free_variables(clause))
    for head in heads:
        yield from _check(head, {})


def _check(formula: ast.Formula, outside: Occurrences) -> Iterator[RuleError]:
    """The faults within a formula, in whose scope there are the variables ``outside``."""
    if isinstance(formula, Aggregate):
        yield from _check_parts(formula)
        named = {formula.value, formula.order}
        for variable in formula.local:  # value and order may occur outside, as other variables
            if variable.name in outside and variable not in named:
                message = f"{variable} is of the aggregate alone, but occurs outside of it"
                yield LocalVariableOutside(message, outside[variable.name].span)
    inner = outside
    if formula.local:
        inner = dict(outside)
        for part in formula.parts:
            inner.update(free_variables(part))
    for part in formula.parts:
        yield from _check(part, inner)


def _check_parts(found: Aggregate) -> Iterator[RuleError]:
    group = [each.value for each in found.group]
    word, value, order = found.function, found.value, found.order
    if found.part and word not in OF_SOME:
        hint = f"write {found.part} {found.size}{{ … }}"
        yield BadAggregate(f"{word} is not of the {found.part} members alone", found.span, hint)
    if value in group:
        hint = "the value may differ from solution to solution, the group is what they share"
        yield BadAggregate(f"{value} is the value, and groups", found.span, hint)
    if order is not None and order in group:
        yield BadAggregate(f"{order} is the order, and groups", found.span)
    free = free_variables(found.body)
    for variable in dict.fromkeys((value, *(() if order is None else (order,)), *group)):
        if variable.name not in free:
            yield BadAggregate(f"{variable} does not occur in the condition", found.span)
    is_ordered = bool(found.part) or word in _ENDS
    if is_ordered and order is None:
        hint = "the second variable is the order: last{ ?value ?time [?group] | … }"
        yield BadAggregate(f"{found.part or word} needs an order", found.span, hint)
    if order is not None and not is_ordered and word != "list":
        hint = f"if it groups, write [{order}]"
        yield BadAggregate(f"{word} has no order, as {order} would be", found.span, hint)
