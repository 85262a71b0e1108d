"""Validation of programs: heads, numbers of arguments, safeness [Brandt18], and size of numbers.

A variable is *bound* in an atom that it occurs in. Diamonds and boxes bind what their body binds.
What is negated, and a comparison, bind nothing: their variables are bound elsewhere in the body.
Since and Until bind what their right side binds, and what the left side does if 0 is not in the
range: else the right side alone may do. A variable bound nowhere stands for any value, which is
sound only where one is sought in one place: all its occurrences are in the left side of one Since
or Until. Where that stands under a box, or on another left side, evaluation needs two rules in
place of one (`temporal.mtl.guards`), so few may stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from itertools import count
from math import lcm
from typing import Final

from rif.errors.base import RuleError, Span
from rif.syntax import ast
from rif.syntax.negation import Naf
from temporal.errors import (
    ArityClash,
    BottomFormula,
    MixedTimes,
    NotAHead,
    OutOfBounds,
    UnboundVariable,
    UnsafeVariable,
)
from temporal.intervals.interval import MAX_SCALE, common_scale
from temporal.intervals.notation import Notation, common_notation, notation_of_range
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BinaryOperator,
    Box,
    Comparison,
    MetricFormula,
    MetricProgram,
    UnaryOperator,
    is_bottom,
)

MOST_APART: Final = 3
"""Since and Until below boxes, or on left sides, with variables of their own, of one rule."""
_ELSEWHERE: Final = 0
_NAMED: Final = {Naf: "a negation", Comparison: "a comparison"}


def check(program: MetricProgram) -> list[RuleError]:
    """All faults of a program that could be read, in the order of its rules; of equal ones once."""
    faults: list[RuleError] = []
    arities: dict[str, int] = {}
    operators: list[MetricFormula] = []
    for rule in dict.fromkeys(program.rules):
        in_heads, in_body = traversal.parts(*rule.head), traversal.parts(rule.body)
        atoms = [part for part in in_heads if isinstance(part, ast.Atom)]
        conditions = [part for part in in_body if isinstance(part, ast.Atom)]
        atoms += conditions
        if len(atoms) < len(in_heads) + len(in_body):
            both = (*in_heads, *in_body)
            operators += [part for part in both if isinstance(part, MetricFormula)]
        faults += [fault for atom in atoms if (fault := arity_fault(atom, arities))]
        for head in rule.head:
            faults += _head(head)
        faults += [_bottom(atom) for atom in conditions if is_bottom(atom)]
        if any(atom.args for atom in atoms):
            faults += _safeness(rule)
    try:
        _common_notation(operators)
    except MixedTimes as mixed:
        faults.append(mixed)
    faults += _cell_faults(operators)
    return faults


def _cell_faults(operators: Iterable[MetricFormula]) -> Iterator[RuleError]:
    """Ranges too fine for cells, with those before them; or too far, with ticks so fine."""
    scale = 1
    scaled = []
    for part in operators:
        refined = lcm(scale, common_scale([part.rho]))
        if refined <= MAX_SCALE:
            scale = refined
            scaled.append(part)
        else:
            message = "no tick divides the ends of this range and those before it, or one too small"
            yield OutOfBounds(message, part.span)
    for part in scaled:
        try:
            part.rho.cells(scale)
        except OutOfBounds as fault:
            yield OutOfBounds(fault.message, part.span)


def notation_of(program: MetricProgram) -> Notation | None:
    """The notation of the facts for a program.

    Raises:
        MixedTimes: it has ranges of numbers, and of durations; at the first that differs.
    """
    parts = traversal.parts(*traversal.formulas(program))
    return _common_notation(part for part in parts if isinstance(part, MetricFormula))


def _common_notation(operators: Iterable[MetricFormula]) -> Notation | None:
    found: Notation | None = None
    for part in operators:
        try:
            found = common_notation(found, notation_of_range(part.rho))
        except MixedTimes as fault:
            raise MixedTimes(fault.message, part.span) from None
    return found


def arities(program: MetricProgram) -> dict[str, int]:
    """The number of arguments of each predicate of a program that `check` finds nothing in."""
    return {
        predicate_name(atom): len(atom.args)
        for formula in traversal.formulas(program)
        for atom in traversal.atoms(formula)
    }


def predicate_name(atom: ast.Atom) -> str:
    """The name of an atom's predicate as DatalogMTL writes it."""
    return str(getattr(atom.op, "name", atom.op))


def arity_fault(atom: ast.Atom, known: MutableMapping[str, int]) -> RuleError | None:
    """The fault in the number of arguments, if any; a new predicate is added to ``known``."""
    name, here = predicate_name(atom), len(atom.args)
    first = known.setdefault(name, here)
    return None if first == here else arity_clash(name, here, first, atom.span)


def arity_clash(name: str, here: int, first: int, span: Span) -> RuleError:
    """The fault that a predicate has another number of arguments than before."""
    return ArityClash(f"{name} has {_arguments(here)} here and {first} before", span)


def bound_variables(formula: ast.Formula) -> frozenset[str]:
    """The variables that a formula gives values to wherever it holds."""
    if isinstance(formula, ast.Atom):
        return traversal.names(formula)
    return frozenset[str]().union(*map(bound_variables, formula.binding))


def _head(formula: ast.Formula) -> Iterator[RuleError]:
    _, formula = traversal.unboxed(formula)
    if not isinstance(formula, ast.Atom):
        name = _NAMED.get(type(formula)) or type(formula).__name__
        if isinstance(formula, ast.And):
            name = "a conjunction" if formula.items else "TOP"
        yield NotAHead(f"{name} cannot be concluded", formula.span)


def _bottom(atom: ast.Atom) -> RuleError:
    return BottomFormula("BOTTOM is a condition that holds at no time", atom.span)


def _safeness(rule: ast.Implies) -> Iterator[RuleError]:
    bound = bound_variables(rule.body)
    if all(traversal.names(formula) <= bound for formula in (*rule.head, rule.body)):
        return
    owners: dict[str, set[int]] = {}
    _note_owners(rule.body, owners, count(1), free=True)
    atoms = traversal.names(traversal.positive(rule.body))
    reported = set(bound)
    for head in rule.head:
        for var in traversal.variables(head):
            name = var.value.name
            if name in reported:
                continue
            reported.add(name)
            if name in atoms:
                message = f"{name} of the head is bound only in what need not hold"
                yield UnboundVariable(message, var.span)
            else:
                yield UnsafeVariable(f"{name} of the head is bound nowhere in the body", var.span)
    yield from _unbound_in_body(rule.body, owners, reported, bound)


def _unbound_in_body(
    body: ast.Formula,
    owners: Mapping[str, set[int]],
    reported: set[str],
    bound: frozenset[str],
) -> Iterator[RuleError]:
    """The faults of variables of a body, of which those that were ``reported`` have one."""
    atoms = traversal.names(traversal.positive(body))
    apart = {number for name, numbers in owners.items() if name not in bound for number in numbers}
    too_many = sum(number < 0 for number in apart) > MOST_APART
    for var in traversal.variables(body):
        name = var.value.name
        if name in reported:
            continue
        if name not in atoms:
            message = f"{name} of a negation or comparison is bound nowhere in the body"
            hint = "let it occur in an atom of the body that is not negated"
            if any(name in traversal.names(atom) for atom in traversal.atoms(body)):
                hint += f"; for no {name} at all negate Some(X), with a rule Some(X) :- P(X,{name})"
            yield UnsafeVariable(message, var.span, hint)
            reported.add(name)
            continue
        if len(owners[name]) > 1 or _ELSEWHERE in owners[name]:
            message = f"{name} is used in several places and bound only in what need not hold"
        elif too_many and min(owners[name]) < 0:
            message = f"{name} is bound only in what need not hold, as in {MOST_APART} more places"
        else:
            continue
        reported.add(name)
        yield UnboundVariable(message, var.span)


def _note_owners(
    formula: ast.Formula, owners: dict[str, set[int]], numbers: Iterator[int], *, free: bool
) -> None:
    """Enter for each variable the left sides in which a value is sought, or `_ELSEWHERE`.

    ``free``: is a value that was found in `formula` one for the whole rule? Else the numbers of
    left sides are negative.
    """
    match formula:
        case ast.Atom() | Naf() | Comparison():
            for name in traversal.names(formula):
                owners.setdefault(name, set()).add(_ELSEWHERE)
        case BinaryOperator():
            number = next(numbers) if free else -next(numbers)
            _note_owners(formula.psi, owners, numbers, free=free)
            inner: dict[str, set[int]] = {}
            _note_owners(formula.phi, inner, numbers, free=False)
            sought = bound_variables(formula.phi) if 0 in formula.rho else frozenset[str]()
            for name, found in inner.items():
                owners.setdefault(name, set()).update({number} if name in sought else found)
        case UnaryOperator():
            free = free and not isinstance(formula, Box)
            _note_owners(formula.body, owners, numbers, free=free)
        case _:
            for part in formula.parts:
                _note_owners(part, owners, numbers, free=free)


def _arguments(number: int) -> str:
    return "1 argument" if number == 1 else f"{number} arguments"
