"""An order of conjuncts in which each finds its inputs bound: in RIF their order has no meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Equal,
    Exists,
    External,
    ExternalTerm,
    Formula,
    Frame,
    ListTerm,
    Member,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI

if TYPE_CHECKING:
    from collections.abc import Iterable

RDF_TYPE = Constant(IRI("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"))

Names = frozenset[str]


def parts(term: ListTerm | ExternalTerm) -> tuple[Term, ...]:
    return term.items if isinstance(term, ListTerm) else term.args


def variables(term: Term) -> set[str]:
    """The names of the variables that occur in a term."""
    if isinstance(term, Constant):
        return set()
    if isinstance(term, Var):
        return {term.value.name}
    return {name for part in parts(term) for name in variables(part)}


def conjuncts(items: Iterable[Formula]) -> tuple[Formula, ...]:
    """The items, but of a frame with several slots each slot on its own."""
    return tuple(
        part
        for item in items
        for part in (
            [Frame(item.object, (slot,)) for slot in item.slots]
            if isinstance(item, Frame) and len(item.slots) != 1
            else [item]
        )
    )


def patterns(formula: Frame | Member | Atom) -> list[tuple[Term, ...]]:
    """The terms to be met: subject, key and filler of each triple; the arguments of an atom."""
    match formula:
        case Frame(subject, slots):
            return [(subject, key, filler) for key, filler in slots]
        case Member(instance, cls):
            return [(instance, RDF_TYPE, cls)]
        case Atom(_, args):
            return [args]


def ordered(items: tuple[Formula, ...], bound: Names) -> tuple[list[Formula], Names] | None:
    """An order of conjuncts and what it binds; ``None`` if there is none.

    Patterns stand before formulas that have parts, those before an ``=`` that binds: a variable
    keeps the term of the data where data bind it. What is negated stands last.
    """
    rest, order = list(conjuncts(items)), []
    while rest:
        ready = [(item, after) for item in rest if (after := bound_by(item, bound)) is not None]
        if not ready:
            return None
        item, after = min(ready, key=lambda one: _rank(one[0], binds=one[1] != bound))
        bound = after
        rest = [one for one in rest if one is not item]
        order.append(item)
    return order, bound


def _rank(item: Formula, *, binds: bool) -> int:
    match item:
        case Frame() | Member() | Atom():
            return 0
        case External():
            return 1
        case Equal():
            return 3 if binds else 1
        case Naf():
            return 4
    return 2


def bound_by(formula: Formula, bound: Names) -> Names | None:
    """The variables that have a value after ``formula``; ``None`` if it has to wait."""
    after: Names | None = None
    match formula:
        case Frame(_, slots) if len(slots) > 1:
            found = ordered((formula,), bound)
            after = None if found is None else found[1]
        case Frame() | Member() | Atom():
            after = _after_patterns([one for each in patterns(formula) for one in each], bound)
        case Equal(left, right):
            after = _after_equal(left, right, bound)
        case External(_, args):
            after = bound if all(variables(arg) <= bound for arg in args) else None
        case And(items):
            found = ordered(items, bound)
            after = None if found is None else found[1]
        case Or(items):
            each = [bound_by(item, bound) for item in items]
            known = [one for one in each if one is not None]
            if len(known) == len(each):
                after = frozenset.intersection(*known) if known else bound
        case Exists(hidden, body):
            names = {one.name for one in hidden}
            inside = bound_by(body, bound - names)
            after = None if inside is None else (inside - names) | bound
        case Naf(negated):
            inside = bound_by(negated, bound) if free(negated) <= bound else None
            after = None if inside is None else bound
    return after


def free(formula: Formula) -> Names:
    """The names that mean the same inside and outside of a formula."""
    match formula:
        case And(items) | Or(items):
            return frozenset().union(*map(free, items))
        case Exists(hidden, body):
            return free(body) - {one.name for one in hidden}
        case Naf(body):
            return free(body)
        case Frame() | Member() | Atom():
            terms = [one for each in patterns(formula) for one in each]
            terms += [formula.object] if isinstance(formula, Frame) else []
        case Equal(left, right):
            terms = [left, right]
        case External(_, args):
            terms = list(args)
    return frozenset(name for one in terms for name in variables(one))


def _after_patterns(terms: Iterable[Term], bound: Names) -> Names | None:
    """A pattern binds its variables; what stands under a function must be bound before."""
    terms = list(terms)
    inputs = {name for one in terms if not isinstance(one, Var) for name in variables(one)}
    if inputs <= bound:
        return bound | {one.value.name for one in terms if isinstance(one, Var)}
    return None


def _after_equal(left: Term, right: Term, bound: Names) -> Names | None:
    """One side must be known; then the other is compared, or is a variable and takes it."""
    one, two = variables(left) <= bound, variables(right) <= bound
    if (one and two) or (one and isinstance(right, Var)) or (two and isinstance(left, Var)):
        return bound | variables(left) | variables(right)
    return None
