"""Safeness: can every variable of a rule be given its values from the facts [RIF-Core 6.1]?

Bodies are judged in disjunctive normal form. In a conjunction a variable is *bound* that is an
argument of an atom, frame or membership; that stands in an unbound place of an external
predicate whose bound places are; or that is equated to a bound term. A rule is safe if all
variables of every disjunct are bound in it, and every head variable occurs in every disjunct.

What is negated binds nothing for what stands beside it. Its own variables, under Exists, are bound
in it, given those that are bound beside it. The operands of a kind from outside are judged by
themselves: each disjunct of one binds all that is free in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from rif.builtins import BUILTINS
from rif.errors.base import RuleError
from rif.errors.checks import (
    BoundOutside,
    UnboundVariable,
    UnsafeVariable,
    VariableInFact,
)
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.formula_kinds import BY_NODE
from rif.syntax.negation import Naf
from rif.syntax.traversal import (
    Occurrences,
    free_variables,
    occurrences,
    terms_of,
    variables_of,
)

_UNDER_NAF: Final = "bind it beside the Naf, or put it under an Exists inside"

Binder: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""When the variables of the first set are bound, those of the second are."""


def _fact(fact: ast.Formula) -> Iterator[RuleError]:
    for var in free_variables(fact).values():
        yield VariableInFact(f"{var.value} stands in a fact", var.span)


def _rule(
    clause: ast.Implies, disjuncts: DisjunctiveNormalForm, sizes: list[int]
) -> Iterator[RuleError]:
    """What is not bound; to ``sizes`` go those of the disjuncts that are negated."""
    head: Occurrences = {}
    for item in clause.head:
        for name, var in free_variables(item).items():
            head.setdefault(name, var)
    told: set[str] = set()
    many = len(disjuncts.conjunctions) > 1
    for conjunction in disjuncts.conjunctions:
        bound = bound_variables(conjunction)
        where = "in a disjunct of the body" if many else "in the body"
        for name, var, hint in _unbound(conjunction, bound):
            if name not in told and name not in head:
                told.add(name)
                shown = disjuncts.original.get(name, name)
                yield UnboundVariable(f"?{shown} is bound by nothing {where}", var.span, hint)
        for literal in conjunction:
            yield from _inside(literal, bound, sizes, told)
        for name, var in head.items():
            if name not in bound and name not in told:
                told.add(name)
                where = "nowhere in a disjunct of the body" if many else "nowhere in the body"
                yield UnsafeVariable(f"?{name} is used in the head but bound {where}", var.span)


def _unbound(
    conjunction: Sequence[ast.Formula], bound: AbstractSet[str]
) -> Iterator[tuple[str, ast.Var, str | None]]:
    """The free variables of a conjunction that are not bound, each with a hint of its own.

    Those for which some value is sought need not be.
    """
    beside = occurrences(literal for literal in conjunction if not isinstance(literal, Naf))
    sought: frozenset[str] | None = None
    for name, var in occurrences(conjunction).items():
        if name not in bound:
            sought = existential_variables(conjunction) if sought is None else sought
            if name not in sought:
                yield name, var, None if name in beside else _UNDER_NAF


def existential_variables(conjunction: Sequence[ast.Formula]) -> frozenset[str]:
    """The free variables that occur in a single place, in which some value is sought for them."""
    count: dict[str, int] = {}
    sought: set[str] = set()
    for literal in conjunction:
        kind = BY_NODE.get(type(literal))
        existential = () if kind is None else kind.existential(literal)
        if kind is None or not existential:
            places: tuple[ast.Formula, ...] = (literal,)
        else:
            places = kind.parts(literal)
            sought.update(name for part in existential for name in free_variables(part))
        for place in places:
            for name in free_variables(place):
                count[name] = count.get(name, 0) + 1
    return frozenset(name for name in sought if count[name] == 1)


def _negated(naf: Naf, given: AbstractSet[str], sizes: list[int]) -> Iterator[RuleError]:
    """What nothing binds in a negation, the variables ``given`` being bound beside it."""
    free = free_variables(naf)
    disjuncts = DisjunctiveNormalForm(naf.body, given | set(free))
    told: set[str] = set()
    for conjunction in disjuncts.conjunctions:
        sizes.append(len(conjunction))
        bound = bound_variables(conjunction, given)
        for name, var, hint in _unbound(conjunction, bound):
            if name not in told and name not in free:
                told.add(name)
                shown = disjuncts.original.get(name, name)
                yield UnboundVariable(f"?{shown} is bound by nothing in the Naf", var.span, hint)
        for literal in conjunction:
            yield from _inside(literal, bound, sizes, told)


def _inside(
    literal: ast.Formula, given: AbstractSet[str], sizes: list[int], told: AbstractSet[str]
) -> Iterator[RuleError]:
    """What nothing binds within a literal; variables that were ``told`` are not again."""
    if isinstance(literal, Naf):
        yield from _negated(literal, given, sizes)
    elif (kind := BY_NODE.get(type(literal))) is not None:
        for part in kind.operands(literal):
            yield from _operand(part, kind.keyword, sizes, told)


def _operand(
    part: ast.Formula, keyword: str, sizes: list[int], told: AbstractSet[str]
) -> Iterator[RuleError]:
    """What an operand of a ``keyword`` does not bind."""
    free = free_variables(part)
    disjuncts = DisjunctiveNormalForm(part, free)
    faulty = set(told)
    many = len(disjuncts.conjunctions) > 1
    for conjunction in disjuncts.conjunctions:
        sizes.append(len(conjunction))
        bound = bound_variables(conjunction)
        where = f"in a disjunct under {keyword}" if many else f"under {keyword}"
        for name, var in free.items():
            if name not in bound and name not in faulty:
                faulty.add(name)
                yield BoundOutside(f"?{name} is not bound {where}", var.span)
        for name, var, hint in _unbound(conjunction, bound):
            if name not in faulty:
                faulty.add(name)
                shown = disjuncts.original.get(name, name)
                yield UnboundVariable(f"?{shown} is bound by nothing {where}", var.span, hint)
        for literal in conjunction:
            yield from _inside(literal, bound, sizes, faulty)


def bound_variables(conjunction: Iterable[ast.Formula], given: Iterable[str] = ()) -> set[str]:
    """The variables that a conjunction of literals binds: a fixpoint, linear in its size.

    Those ``given`` are bound without it.
    """
    bound: set[str] = set()
    waiting: dict[str, list[int]] = {}
    missing: list[int] = []
    gives: list[frozenset[str]] = []
    ready: list[str] = list(given)
    for literal in conjunction:
        for needs, names in binding_patterns(literal):
            if needs:
                for name in needs:
                    waiting.setdefault(name, []).append(len(gives))
                missing.append(len(needs))
                gives.append(names)
            else:
                ready.extend(names)
    while ready:
        name = ready.pop()
        if name in bound:
            continue
        bound.add(name)
        for index in waiting.get(name, ()):
            missing[index] -= 1
            if not missing[index]:
                ready.extend(gives[index])
    return bound


_NOTHING: frozenset[str] = frozenset()


def binding_patterns(literal: ast.Formula) -> Iterator[Binder]:
    """What a literal binds, and what has to be bound for that."""
    match literal:
        case ast.Atom() | ast.Frame() | ast.Member():
            terms = terms_of(literal)
            yield _NOTHING, frozenset(t.value.name for t in terms if isinstance(t, ast.Var))
        case ast.Equal():
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(side, ast.Var):
                    yield _names(other), frozenset((side.value.name,))
        case ast.External():
            yield from _external(literal)
        case _:
            for part in BY_NODE[type(literal)].binding(literal):
                yield _NOTHING, _bound_in_all(part)


def _external(external: ast.External) -> Iterator[Binder]:
    builtin = BUILTINS.get(external.op.value)
    for pattern in builtin.patterns if builtin else ():
        needs: set[str] = set()
        gives: set[str] = set()
        for place, arg in zip(pattern, external.args, strict=False):
            if place == "u" and isinstance(arg, ast.Var):
                gives.add(arg.value.name)
            else:
                needs |= _names(arg)
        yield frozenset(needs), frozenset(gives)


def _bound_in_all(formula: ast.Formula) -> frozenset[str]:
    """The free variables that every disjunct of a formula binds."""
    free = free_variables(formula)
    conjunctions = DisjunctiveNormalForm(formula, free).conjunctions
    return frozenset(free).intersection(*map(bound_variables, conjunctions))


def _names(term: ast.Term) -> frozenset[str]:
    return frozenset(var.value.name for var in variables_of(term))
