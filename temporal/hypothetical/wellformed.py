"""Has a program a meaning? Numbers of arguments, sorts of variables, safeness.

Variables are of two sorts, things and times [CruzFilipe22, section 2.1]; a rule is *safe* if each
variable of its head occurs in its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rif.errors import RuleError
from rif.terms import Variable
from temporal.hypothetical.ast import Atom, Program, Rule
from temporal.hypothetical.errors import (
    TwoSorts,
    UnsafeVariable,
    coded,
)
from temporal.wellformed import clash


def check(program: Program) -> Iterator[RuleError]:
    """All faults of a program that could be read, in the order of its rules."""
    known: dict[str, int] = {}
    for rule in program.rules:
        for atom in rule.atoms:
            known.setdefault(atom.predicate, atom.arity)
            yield from _clash(atom, known)
        yield from two_sorts(rule.atoms)
        yield from _safeness(rule)


def arities(program: Program) -> dict[str, int]:
    """The number of arguments of each predicate, time not among them."""
    return {atom.predicate: atom.arity for rule in program.rules for atom in rule.atoms}


def two_sorts(atoms: Iterable[Atom]) -> Iterator[RuleError]:
    """The variables that stand for a time and for a thing, each once."""
    listed = list(atoms)
    things = {name for atom in listed for name in _things(atom)}
    for atom in listed:
        name = atom.time.variable
        if name in things:
            things.discard(name)
            message = f"{name} is a time here and a thing elsewhere"
            yield TwoSorts(message, atom.span)


def _clash(atom: Atom, known: Mapping[str, int]) -> Iterator[RuleError]:
    first = known[atom.predicate]
    if first != atom.arity:
        yield coded(clash(atom.predicate, atom.arity + 1, first + 1, atom.span))


def _safeness(rule: Rule) -> Iterator[RuleError]:
    given = {name for atom in rule.body for name in (*_things(atom), atom.time.variable)}
    for name in dict.fromkeys((*_things(rule.head), rule.head.time.variable)):
        if name is not None and name not in given:
            message = f"{name} of the head is bound nowhere in the body"
            yield UnsafeVariable(message, rule.head.span)


def _things(atom: Atom) -> Iterator[str]:
    for arg in atom.args:
        if isinstance(arg, Variable):
            yield arg.name
