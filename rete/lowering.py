"""From the clauses of a document to conjunctions of patterns, tests and lets.

A *pattern* is an atom or one slot of a frame: it binds its variables, and compares terms. A *test*
is a built-in predicate or an equality between bound sides: it compares values. A *let* gives a
variable that no pattern binds the value of a function or of the other side of an equality, a
*solve* all values that make a predicate true. The order of conjuncts has no meaning in RIF, so
what binds a variable is decided by kind, not place. What is *negated* binds nothing; it is a
conjunction of its own, lowered in the knowledge of what is bound beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType
from typing import Final, TypeAlias

from rete.plan import COPY, EQUAL, TRIPLES, Relation
from rif import ast
from rif.builtins import BUILTINS
from rif.dnf import Disjuncts
from rif.naf import Naf
from rif.normal import Clause, singles
from rif.terms import FUNC, IRI, RDF_TYPE, Variable

SLOTLESS: Final = Relation("[]", 1)
"""Frames without slots: a statement about their object, and no triple."""

Argument: TypeAlias = Variable | str
"""A variable, or the canonical text of a constant."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Facts of ``relation`` that have these arguments."""

    relation: Relation
    args: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """A built-in predicate, or `EQUAL`, that must be true of ``args``."""

    predicate: str
    args: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Let:
    """``variable`` is the value of ``function`` (or `COPY`) at ``args``."""

    variable: Variable
    function: str
    args: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Solve:
    """``variable`` takes all values for which the built-in ``predicate`` is true of ``args``.

    It stands in ``args`` itself, once, at a place where the predicate can be solved.
    """

    variable: Variable
    predicate: str
    args: tuple[Argument, ...]


Step: TypeAlias = Test | Let | Solve
"""What is done with rows, one by one."""


def inputs(step: Step) -> set[Variable]:
    """The variables that must be bound before ``step``."""
    found = {arg for arg in step.args if isinstance(arg, Variable)}
    return found - {step.variable} if isinstance(step, Solve) else found


@dataclass(frozen=True, slots=True)
class Conjunction:
    """One body of a rule and what it derives, or a condition that is negated.

    Attributes:
        heads: the facts; their arguments may be variables that a let of ``late`` gives.
        late: the lets that only the heads need, in an order in which they can be computed.
        negated: conditions without heads, none of which may be true; a variable that is bound here
            means the same there, all others stand for some value.
    """

    rule: int
    patterns: tuple[Pattern, ...]
    tests: tuple[Test, ...]
    lets: tuple[Let | Solve, ...]
    heads: tuple[Pattern, ...]
    late: tuple[Let, ...]
    negated: tuple[Conjunction, ...] = ()


def variables_of(conjunction: Conjunction) -> set[Variable]:
    """All variables of a body, those of what it negates too."""
    found = {each.variable for each in conjunction.lets if not isinstance(each, Solve)}
    for part in (*conjunction.patterns, *conjunction.tests, *conjunction.lets):
        found |= {arg for arg in part.args if isinstance(arg, Variable)}
    return found.union(*map(variables_of, conjunction.negated))


def lower(clause: Clause) -> Iterator[Conjunction]:
    """The conjunctions of a rule, one for each disjunct of its body."""
    for body in clause.bodies:
        yield _Lowering(clause.number).conjunction(body, clause.head)


_NONE: Final[frozenset[Variable]] = frozenset()


class _Lowering:
    """What one conjunction is collected in."""

    def __init__(
        self, rule: int, fresh: Iterator[int] | None = None, given: AbstractSet[Variable] = _NONE
    ) -> None:
        """Begin; ``fresh`` numbers new variables, ``given`` are bound beside what is negated."""
        self.rule = rule
        self.patterns: list[Pattern] = []
        self.tests: list[Test] = []
        self.lets: list[Let | Solve] = []
        self.nafs: list[Naf] = []
        self._fresh = fresh or count(1)
        self._bound = set(given)

    def conjunction(self, body: Sequence[ast.Formula], head: Sequence[ast.Formula]) -> Conjunction:
        binding = (ast.Equal, ast.External)
        for literal in body:
            if not isinstance(literal, binding):
                LITERALS[type(literal)](self, literal)
        self._bound |= {
            arg for pattern in self.patterns for arg in pattern.args if isinstance(arg, Variable)
        } | {let.variable for let in self.lets}
        pending = [literal for literal in body if isinstance(literal, binding)]
        # An equality with one known side gives the other, a predicate that can be solved its
        # unknown argument; the first in the text goes first.
        while pending:
            ready = next(filter(self._is_ready, pending), pending[0])
            pending.remove(ready)
            if isinstance(ready, ast.Equal):
                self._equal(ready)
            else:
                self._external(ready)
        negated = dict.fromkeys(each for naf in self.nafs for each in self._negated(naf))
        late_from = len(self.lets)
        heads = tuple(self.pattern(literal) for literal in head)
        late = tuple(let for let in self.lets[late_from:] if isinstance(let, Let))
        return Conjunction(
            self.rule,
            tuple(dict.fromkeys(self.patterns)),
            tuple(dict.fromkeys(self.tests)),
            tuple(self.lets[:late_from]),
            heads,
            late,
            tuple(negated),
        )

    def _negated(self, naf: Naf) -> Iterator[Conjunction]:
        """The disjuncts of what is negated: each of them must be false."""
        names = {variable.name for variable in self._bound}
        for disjunct in Disjuncts(naf.body, names).conjunctions:
            literals = [single for literal in disjunct for single in singles(literal)]
            yield _Lowering(self.rule, self._fresh, self._bound).conjunction(literals, ())

    def _is_ready(self, literal: ast.Equal | ast.External) -> bool:
        if isinstance(literal, ast.Equal):
            return self._known(literal.left) or self._known(literal.right)
        return all(map(self._known, literal.args)) or self._unknown(literal) is not None

    def _unknown(self, literal: ast.External) -> Variable | None:
        """The one unknown argument of a predicate that can be solved for it."""
        shape = "".join("b" if self._known(arg) else "u" for arg in literal.args)
        if shape not in BUILTINS[literal.op.value].patterns:
            return None
        arg = literal.args[shape.index("u")]
        return arg.value if isinstance(arg, ast.Var) else None

    def _external(self, literal: ast.External) -> None:
        unknown = self._unknown(literal)
        args = tuple(map(self.argument, literal.args))
        if unknown is None:
            self.tests.append(Test(literal.op.value, args))
        else:
            self._bound.add(unknown)
            self.lets.append(Solve(unknown, literal.op.value, args))

    def _known(self, term: ast.Term) -> bool:
        match term:
            case ast.Var():
                return term.value in self._bound
            case ast.ExternalTerm():
                return all(map(self._known, term.args))
            case ast.ListTerm():
                return all(map(self._known, term.items))
        return True

    def _equal(self, literal: ast.Equal) -> None:
        left, right = literal.left, literal.right
        if not self._known(left):
            left, right = right, left
        if self._known(right) or not isinstance(right, ast.Var):
            self.tests.append(Test(EQUAL, (self.argument(left), self.argument(right))))
        else:
            self._bound.add(right.value)
            self._let(right.value, left)

    def pattern(self, literal: ast.Formula) -> Pattern:
        """The relation and arguments of an atom, a slot or a membership."""
        match literal:
            case ast.Atom():
                relation = Relation(str(literal.op), len(literal.args))
                return Pattern(relation, tuple(map(self.argument, literal.args)))
            case ast.Frame(slots=()):
                return Pattern(SLOTLESS, (self.argument(literal.object),))
            case ast.Frame():
                ((key, value),) = literal.slots
                return Pattern(TRIPLES, tuple(map(self.argument, (literal.object, key, value))))
            case ast.Member():
                cls = self.argument(literal.cls)
                return Pattern(TRIPLES, (self.argument(literal.instance), str(IRI(RDF_TYPE)), cls))
        message = f"no pattern: {literal!r}"
        raise TypeError(message)

    def argument(self, term: ast.Term) -> Argument:
        """A term as an argument; functions go to a let of their own."""
        match term:
            case ast.Constant():
                return str(term.value)
            case ast.Var():
                return term.value
        variable = Variable(f"{next(self._fresh)}")  # no name of a rule begins with a digit
        self._let(variable, term)
        return variable

    def _let(self, variable: Variable, term: ast.Term) -> None:
        match term:
            case ast.ExternalTerm():
                args = tuple(map(self.argument, term.args))
                self.lets.append(Let(variable, term.op.value, args))
            case ast.ListTerm():
                args = tuple(map(self.argument, term.items))
                self.lets.append(Let(variable, FUNC + "make-list", args))
            case _:
                self.lets.append(Let(variable, COPY, (self.argument(term),)))


def _pattern(lowering: _Lowering, literal: ast.Formula) -> None:
    lowering.patterns.append(lowering.pattern(literal))


def _naf(lowering: _Lowering, literal: ast.Formula) -> None:
    assert isinstance(literal, Naf)
    lowering.nafs.append(literal)


LITERALS: Final[Mapping[type[ast.Formula], Callable[[_Lowering, ast.Formula], None]]] = (
    MappingProxyType(
        {
            ast.Atom: _pattern,
            ast.Frame: _pattern,
            ast.Member: _pattern,
            Naf: _naf,
        }
    )
)
"""How each kind of literal enters a conjunction, but those that wait for what others bind."""
