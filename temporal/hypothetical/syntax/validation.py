"""Validation of programs: numbers of arguments, sorts of variables, safeness.

Variables are of two sorts, objects and times [CruzFilipe22, section 2.1]; a rule is *safe* if each
variable of its head occurs in its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rif.errors.base import RuleError
from rif.syntax.terms import Variable
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalProgram, TemporalRule
from temporal.hypothetical.syntax.errors import HypUnsafeVariable, TwoSorts, with_hyp_code
from temporal.mtl.validation import arity_clash


def check(program: TemporalProgram) -> Iterator[RuleError]:
    """All faults of a program that could be read, in the order of its rules."""
    known: dict[str, int] = {}
    for rule in program.rules:
        for atom in rule.atoms:
            known.setdefault(atom.predicate, atom.arity)
            yield from _clash(atom, known)
        yield from sort_clashes(rule.atoms)
        yield from _safeness(rule)


def arities(program: TemporalProgram) -> dict[str, int]:
    """The number of arguments of each predicate, time not among them."""
    return {atom.predicate: atom.arity for rule in program.rules for atom in rule.atoms}


def sort_clashes(atoms: Iterable[TemporalAtom]) -> Iterator[RuleError]:
    """Faults for variables that stand for a time and for an object, each once."""
    listed = list(atoms)
    object_names = {name for atom in listed for name in _object_variables(atom)}
    for atom in listed:
        name = atom.time.variable
        if name in object_names:
            object_names.discard(name)
            message = f"{name} is a time here and a thing elsewhere"
            yield TwoSorts(message, atom.span)


def _clash(atom: TemporalAtom, known: Mapping[str, int]) -> Iterator[RuleError]:
    first = known[atom.predicate]
    if first != atom.arity:
        yield with_hyp_code(arity_clash(atom.predicate, atom.arity + 1, first + 1, atom.span))


def _safeness(rule: TemporalRule) -> Iterator[RuleError]:
    bound = {name for atom in rule.body for name in (*_object_variables(atom), atom.time.variable)}
    for name in dict.fromkeys((*_object_variables(rule.head), rule.head.time.variable)):
        if name is not None and name not in bound:
            message = f"{name} of the head is bound nowhere in the body"
            yield HypUnsafeVariable(message, rule.head.span)


def _object_variables(atom: TemporalAtom) -> Iterator[str]:
    for arg in atom.args:
        if isinstance(arg, Variable):
            yield arg.name
