"""From rules of DatalogMTL to plans: metric operators over joins.

A formula becomes a plan whose columns are its variables, as many as are needed. Diamonds and the
right side of Since need no more columns than what is above them; a box, and the left side of Since,
are about each value of all their variables, so there none is projected away. A conjunction is
ordered as those of other rules are (`rete.optimizer`). A head under boxes holds around its body:
that is a `Dilate` of the whole body for each box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rete.lowering import Argument, Conjunction, Pattern, Subplan
from rete.optimizer.build import rows
from rete.plan import Dilate, Emit, Erode, Head, Relation, Since, Unit
from rif import ast
from rif.errors import RuleErrors
from rif.terms import Variable
from temporal import walk
from temporal.ast import (
    Binary,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    DiamondPlus,
    Program,
    Until,
)
from temporal.errors import TooManyConditions
from temporal.guards import guarded

MOST_CONDITIONS: Final = 150
"""Atoms of one body: plans are trees that are walked recursively."""

_Needed = frozenset[Variable]


def lower(program: Program, scale: int) -> tuple[Emit, ...]:
    """The plans of the rules of a well-formed program, numbered from 1.

    ``scale`` ticks make the unit of time.

    Raises:
        RuleErrors: a body is too long, or a number too far from 0 for such ticks.
    """
    faults = list(_too_long(program))
    if faults:
        raise RuleErrors(faults)
    return tuple(emit(rule, number, scale) for number, rule in enumerate(program.rules, 1))


def emit(rule: ast.Implies, number: int, scale: int) -> Emit:
    """The plan of one rule, which has one head.

    Raises:
        OutOfBounds: a number of it is too far from 0.
    """
    rule = guarded(rule)
    (head,) = rule.head
    boxes: list[BoxMinus | BoxPlus] = []
    while isinstance(head, BoxMinus | BoxPlus):
        boxes.append(head)
        head = head.body
    assert isinstance(head, ast.Atom)
    concluded = _pattern(head)
    body = _rows(rule.body, _variables(concluded.args), scale)
    source = body.source
    for box in boxes:
        source = Dilate(source, box.rho.cells(scale), future=isinstance(box, BoxMinus))
    args = tuple(
        body.args.index(arg) if isinstance(arg, Variable) else arg for arg in concluded.args
    )
    return Emit(source, number, (Head(concluded.relation, args),))


def relation_of(atom: ast.Atom) -> Relation:
    """What the facts of an atom belong to."""
    return Relation(str(atom.op), len(atom.args))


def _rows(formula: ast.Formula, needed: _Needed, scale: int) -> Subplan:
    """The rows of a formula, with the ``needed`` variables that it binds among its columns."""
    match formula:
        case ast.Atom() | ast.And():
            return _conjunction(formula, needed, scale)
        case DiamondMinus() | DiamondPlus():
            inner = _rows(formula.body, needed, scale)
            rho, future = formula.rho.cells(scale), isinstance(formula, DiamondPlus)
            return Subplan(Dilate(inner.source, rho, future=future), inner.args)
        case BoxMinus() | BoxPlus():
            inner = _rows(formula.body, _all(formula.body), scale)
            rho, future = formula.rho.cells(scale), isinstance(formula, BoxPlus)
            return Subplan(Erode(inner.source, rho, future=future), inner.args)
        case Binary():
            return _binary(formula, needed, scale)
    message = f"no formula of DatalogMTL: {formula!r}"
    raise TypeError(message)


def _conjunction(formula: ast.Formula, needed: _Needed, scale: int) -> Subplan:
    items = list(_flat(formula))
    if not items:
        return Subplan(Unit(), ())
    patterns = [_pattern(item) for item in items if isinstance(item, ast.Atom)]
    subplans: list[Subplan] = []
    for place, item in enumerate(items):
        if not isinstance(item, ast.Atom):
            others = (*items[:place], *items[place + 1 :])
            subplans.append(_rows(item, needed.union(*map(_all, others)), scale))
    if not patterns and len(subplans) == 1:
        return subplans[0]
    wanted = Pattern(Relation("", len(needed)), tuple(sorted(needed, key=str)))
    whole = Conjunction(
        0,
        tuple(dict.fromkeys(patterns)),
        (),
        (),
        (wanted,),
        (),
        subplans=tuple(dict.fromkeys(subplans)),
    )
    return rows(whole, needed)


def _binary(formula: Binary, needed: _Needed, scale: int) -> Subplan:
    """Since or Until; with 0 in the range, only columns of psi can be told."""
    left = _rows(formula.phi, _all(formula.phi), scale)
    right = _rows(formula.psi, needed | _all(formula.phi), scale)
    on = tuple((left.args.index(v), c) for c, v in enumerate(right.args) if v in left.args)
    kept = [(~column, name) for column, name in enumerate(right.args) if name in needed]
    if 0 not in formula.rho:
        kept += [
            (column, name)
            for column, name in enumerate(left.args)
            if name in needed and name not in right.args
        ]
    keep, names = tuple(column for column, _ in kept), tuple(name for _, name in kept)
    rho, future = formula.rho.cells(scale), isinstance(formula, Until)
    return Subplan(Since(left.source, right.source, on, keep, rho, future=future), names)


def _flat(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The conjuncts, none of which is a conjunction."""
    if isinstance(formula, ast.And):
        for item in formula.items:
            yield from _flat(item)
    else:
        yield formula


def _pattern(atom: ast.Atom) -> Pattern:
    return Pattern(relation_of(atom), tuple(map(_argument, atom.args)))


def _argument(term: ast.Term) -> Argument:
    if isinstance(term, ast.Var):
        return term.value
    assert isinstance(term, ast.Constant)
    return str(term.value)


def _variables(args: Iterable[Argument]) -> _Needed:
    return frozenset(arg for arg in args if isinstance(arg, Variable))


def _all(formula: ast.Formula) -> _Needed:
    return frozenset(var.value for var in walk.variables(formula))


def _too_long(program: Program) -> Iterator[TooManyConditions]:
    for rule in program.rules:
        size = sum(1 for _ in walk.subformulas(rule.body))
        if size > MOST_CONDITIONS:
            message = f"a body of {size} formulas; {MOST_CONDITIONS} is the most"
            yield TooManyConditions(message, rule.span)
