"""The abstract syntax of Temporal Datalog [CruzFilipe20].

The last argument of a predicate is time; it stands apart here. Constants and variables are those of
`rif.syntax.terms`; constants compare as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rif.syntax.ast import Node
from rif.syntax.terms import Literal, Variable
from temporal.text.writer import write_atom, write_constant

ObjectTerm: TypeAlias = Literal | Variable
SortedVariable: TypeAlias = tuple[bool, str]
"""A variable: whether it stands for a time, and its name; in order objects are before times."""


@dataclass(frozen=True, slots=True)
class TimeTerm:
    """A natural number, which has no variable, or ``T + k`` for any integer k, the offset."""

    variable: str | None
    offset: int

    def __str__(self) -> str:
        if self.variable is None:
            return str(self.offset)
        if not self.offset:
            return self.variable
        return f"{self.variable}{self.offset:+d}"


@dataclass(frozen=True, slots=True)
class TemporalAtom(Node):
    """``predicate(args, time)``."""

    predicate: str
    args: tuple[ObjectTerm, ...]
    time: TimeTerm

    @property
    def arity(self) -> int:
        """Number of arguments, time not among them."""
        return len(self.args)

    def __str__(self) -> str:
        args = (
            arg.name if isinstance(arg, Variable) else write_constant(arg.lexical)
            for arg in self.args
        )
        return write_atom(self.predicate, (*args, str(self.time)))


@dataclass(frozen=True, slots=True)
class TemporalRule(Node):
    """``head :- body``: safe, its body not empty."""

    head: TemporalAtom
    body: tuple[TemporalAtom, ...]

    @property
    def atoms(self) -> Iterator[TemporalAtom]:
        """Head, then body."""
        yield self.head
        yield from self.body


@dataclass(frozen=True, slots=True)
class TemporalProgram(Node):
    """Rules, in the order in which they stand."""

    rules: tuple[TemporalRule, ...]

    @property
    def intensional(self) -> frozenset[str]:
        """The predicates that heads have; all others are those of input."""
        return frozenset(rule.head.predicate for rule in self.rules)

    @property
    def arities(self) -> dict[str, int]:
        """The number of arguments of each predicate, time not among them."""
        return {atom.predicate: atom.arity for rule in self.rules for atom in rule.atoms}


@dataclass(frozen=True, slots=True)
class SchematicAnswer:
    """A schematic answer to a query before any data: the input atoms that it needs.

    Attributes:
        answer: the query, under the substitution of the resolution.
        hypotheses: input atoms, each once; a minimal set among those of the same answer.
        least: per time variable of ``answer`` and ``hypotheses`` the least number that it may be,
            as every time of the derivation is a natural number.
    """

    answer: TemporalAtom
    hypotheses: tuple[TemporalAtom, ...]
    least: tuple[tuple[str, int], ...]


def variables_of(*atoms: TemporalAtom) -> frozenset[SortedVariable]:
    """The variables of some atoms."""
    objects = ((False, arg.name) for e in atoms for arg in e.args if isinstance(arg, Variable))
    times = ((True, e.time.variable) for e in atoms if e.time.variable is not None)
    return frozenset((*objects, *times))


def variables(atoms: Iterable[TemporalAtom]) -> Iterable[str]:
    """The names of their variables of both sorts, as often as they occur, from left to right."""
    for atom in atoms:
        for arg in atom.args:
            if isinstance(arg, Variable):
                yield arg.name
        if atom.time.variable is not None:
            yield atom.time.variable
