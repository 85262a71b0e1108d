"""From the clauses of a document to conjunctions of patterns, tests and lets.

A *pattern* is an atom or one slot of a frame: it binds its variables, and compares terms. A *test*
is a built-in predicate or an equality between bound sides: it compares values. A *let* gives a
variable that no pattern binds the value of a function or of the other side of an equality, a
*solve* all values that make a predicate true. The order of conjuncts has no meaning in RIF, so
what binds a variable is decided by kind, not place. What is *negated* binds nothing: it is a
conjunction of its own, lowered with the variables that are bound beside it.

A kind of formula that other packages add is a `PlannedKind` of the language: it says itself how it
is lowered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import count, product
from typing import Final, TypeAlias

from rete.graph.plan import Emit, Plan
from rete.nodes.filter import EQUAL, SAME_MEMBERS
from rete.nodes.function import COPY
from rete.planning.planned_kind import HeadBox, PlannedKind, planned_kind
from rete.terms.number_constants import NO_NUMBER, number_of
from rete.terms.relations import TRIPLES, Relation
from rif.checks.safety import bound_variables
from rif.language import Language
from rif.syntax import ast
from rif.syntax.clauses import Clause, split_conjuncts
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.negation import ClosedNaf, Naf
from rif.syntax.terms import FUNC, IRI, RDF_TYPE, GroundList, GroundTerm, Literal, Variable
from rif.syntax.traversal import free_variables

TYPE: Final = ast.Constant(IRI(RDF_TYPE))
SLOTLESS: Final = Relation("[]", 1)
"""Frames without slots: a statement about their object, and no triple."""

Argument: TypeAlias = Variable | str
"""A variable, or the canonical text of a constant."""
OperatorObserver: TypeAlias = Callable[[Plan | Emit, tuple[Argument, ...]], object]
"""Called with each operator of a plan, and with what the rule calls its inputs: the arguments of a
scan, else the columns of its sources, and last the column that it adds, if any."""


@dataclass(frozen=True, slots=True)
class AtomPattern:
    """Facts of ``relation`` that have these arguments.

    Attributes:
        by_value: whether numbers among them stand for their values.
    """

    relation: Relation
    args: tuple[Argument, ...]
    by_value: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Subplan:
    """The rows of a plan, whose columns are these distinct variables: of a formula with operators.

    In a conjunction it is joined like a pattern.
    """

    source: Plan
    args: tuple[Variable, ...]


Leaf: TypeAlias = AtomPattern | Subplan
"""What is joined."""


@dataclass(frozen=True, slots=True)
class Test:
    """A built-in predicate, or `EQUAL`, that must be true of ``args``.

    Attributes:
        negated: whether it must not be true; outside its domain it is not.
    """

    predicate: str
    args: tuple[Argument, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Let:
    """``variable`` is the value of ``function`` (or `COPY`) at ``args``."""

    variable: Variable
    function: str
    args: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class SolveFor:
    """``variable`` takes all values for which the built-in ``predicate`` is true of ``args``.

    It stands in ``args`` itself, once, at a place where the predicate can be solved.
    """

    variable: Variable
    predicate: str
    args: tuple[Argument, ...]


RowStep: TypeAlias = Test | Let | SolveFor
"""An operation on rows, one by one."""


def input_variables(step: RowStep) -> set[Variable]:
    """The variables that must be bound before ``step``."""
    found = {arg for arg in step.args if isinstance(arg, Variable)}
    return found - {step.variable} if isinstance(step, SolveFor) else found


@dataclass(frozen=True, slots=True)
class Conjunction:
    """One body of a rule and what it derives, or a condition that is negated.

    Attributes:
        heads: the facts; their arguments may be variables that a let of ``late`` gives.
        late: the lets that only the heads need, in an order in which they can be computed.
        negated: conditions without heads, none of which may be true; a variable that is bound here
            means the same there, all others stand for some value.
        subplans: rows of formulas that have plans already.
        boxes: the boxes over all heads, from the outside.
    """

    rule: int
    patterns: tuple[AtomPattern, ...]
    tests: tuple[Test, ...]
    lets: tuple[Let | SolveFor, ...]
    heads: tuple[AtomPattern, ...]
    late: tuple[Let, ...]
    negated: tuple[Conjunction, ...] = ()
    subplans: tuple[Subplan, ...] = ()
    boxes: tuple[HeadBox, ...] = ()


def fresh_variable(number: int) -> Variable:
    """A variable that no rule has: no name in a rule begins with a digit."""
    return Variable(f"{number}")


def is_fresh_variable(variable: Variable) -> bool:
    """Whether `fresh_variable` made it."""
    return variable.name[:1].isdigit()


def variables_of(conjunction: Conjunction) -> set[Variable]:
    """All variables of a body, those of what it negates too."""
    found = {each.variable for each in conjunction.lets if not isinstance(each, SolveFor)}
    parts = (*conjunction.patterns, *conjunction.subplans, *conjunction.tests, *conjunction.lets)
    for part in parts:
        found |= {arg for arg in part.args if isinstance(arg, Variable)}
    return found.union(*map(variables_of, conjunction.negated))


def negated_test(condition: Conjunction) -> Test | None:
    """The test that is true where ``condition`` is not; None: it is not one test alone.

    A filter keeps nothing. An anti-join would remember all rows beside the negation, and those of
    which the condition is true once more.
    """
    others = condition.patterns, condition.subplans, condition.lets, condition.negated
    if any(others) or len(condition.tests) != 1:
        return None
    (test,) = condition.tests
    return replace(test, negated=not test.negated)


MILLISECONDS: Final = 1000
"""Ticks to the second where nothing else is said."""


def lower(
    clause: Clause,
    language: Language,
    scale: int = MILLISECONDS,
    observer: OperatorObserver | None = None,
) -> Iterator[Conjunction]:
    """The conjunctions of a rule: one for each disjunct of its body and heads under equal boxes.

    After them come those of the auxiliary relations, made for disjunctions under operators.

    The ranges of operators have ``scale`` ticks to the second. The observer is of the plans of
    operands.

    Raises:
        OutOfBounds: a range has a cell that is too far from 0.
    """
    heads: dict[tuple[HeadBox, ...], list[ast.Formula]] = {}
    for head in clause.head:
        boxes, inner = _unboxed(head, language, scale)
        heads.setdefault(boxes, []).extend(split_conjuncts(inner))
    auxiliary: dict[Conjunction, None] = {}
    for body in clause.bodies:
        for literals in split_alternatives(body, free_names(clause.head), language):
            for boxes, members in heads.items():
                lowering = Lowering(clause.number, language, scale=scale, observer=observer)
                yield replace(lowering.conjunction(literals, members), boxes=boxes)
                auxiliary.update(dict.fromkeys(lowering.auxiliary))
    yield from auxiliary


def _planned_kind(
    formula: ast.Formula, language: Language
) -> PlannedKind[ast.Formula, Lowering] | None:
    """The kind of a formula that has a plan of its own; None: `Lowering` knows it."""
    return None if type(formula) in _OWN else planned_kind(formula, language)


def _unboxed(
    head: ast.Formula, language: Language, scale: int
) -> tuple[tuple[HeadBox, ...], ast.Formula]:
    """The boxes over a head, from the outside, and the head itself."""
    boxes: list[HeadBox] = []
    while (kind := _planned_kind(head, language)) is not None and kind.unbox is not None:
        box, head = kind.unbox(head, scale)
        boxes.append(box)
    return tuple(boxes), head


def split_alternatives(
    body: Sequence[ast.Formula],
    elsewhere: AbstractSet[str],
    language: Language,
    given: AbstractSet[str] = frozenset(),
) -> Iterator[Sequence[ast.Formula]]:
    """The conjunctions that a conjunction is split into, as some of its literals are disjunctions.

    ``elsewhere`` are the names of variables that occur outside of it, too, ``given`` those that are
    bound there.
    """
    kinds = [_planned_kind(literal, language) for literal in body]
    if not any(kind is not None and (kind.split or kind.complete) for kind in kinds):
        yield body
        return
    plain = [one for one, kind in zip(body, kinds, strict=True) if not (kind and kind.complete)]
    choices: list[tuple[ast.Formula, ...]] = []
    for place, (literal, kind) in enumerate(zip(body, kinds, strict=True)):
        if kind is not None and kind.split is not None:
            others = free_names((*body[:place], *body[place + 1 :])) | elsewhere
            choices.append(kind.split(literal, others))
        elif kind is not None and kind.complete is not None:
            choices.append(kind.complete(literal, bound_variables(plain, language, given)))
        else:
            choices.append((literal,))
    for chosen in product(*choices):
        yield [single for literal in chosen for single in split_conjuncts(literal)]


def disjuncts_of(
    formula: ast.Formula,
    outer: AbstractSet[str],
    language: Language,
    given: AbstractSet[str] = frozenset(),
) -> Iterator[Sequence[ast.Formula]]:
    """The disjuncts of a condition, each as literals.

    ``outer`` are the names of variables that occur outside, too, ``given`` those bound there.
    """
    for disjunct in DisjunctiveNormalForm(formula, outer).conjunctions:
        literals = [single for literal in disjunct for single in split_conjuncts(literal)]
        yield from split_alternatives(literals, outer, language, given)


def free_names(formulas: Iterable[ast.Formula]) -> set[str]:
    """The names of their free variables."""
    return set[str]().union(*map(free_variables, formulas))


_NONE: Final[frozenset[Variable]] = frozenset()


def pattern_terms(formula: ast.Formula) -> tuple[Relation, tuple[ast.Term, ...]]:
    """The relation and the terms of an atom, a slot or a membership.

    Raises:
        TypeError: it is none of these.
    """
    match formula:
        case ast.Atom():
            return Relation(str(formula.op), len(formula.args)), formula.args
        case ast.Frame(slots=()):
            return SLOTLESS, (formula.object,)
        case ast.Frame(slots=((key, value),)):
            return TRIPLES, (formula.object, key, value)
        case ast.Member():
            return TRIPLES, (formula.instance, TYPE, formula.cls)
    message = f"no pattern: {formula!r}"
    raise TypeError(message)


class Lowering:
    """Collects the parts of one conjunction.

    Attributes:
        rule, language, scale, observer: see `lower`.
        auxiliary: conjunctions of the auxiliary relations that it reads.
        needed: the variables that occur in more than one literal, or around the conjunction.
    """

    def __init__(  # noqa: PLR0913 - all that it depends on
        self,
        rule: int,
        language: Language,
        *,
        fresh: Iterator[int] | None = None,
        given: AbstractSet[Variable] = _NONE,
        scale: int = MILLISECONDS,
        observer: OperatorObserver | None = None,
    ) -> None:
        """Begin; ``fresh`` numbers new variables, ``given`` are bound outside of a negation."""
        self.rule = rule
        self.language = language
        self.scale = scale
        self.observer = observer
        self.patterns: list[AtomPattern] = []
        self.tests: list[Test] = []
        self.lets: list[Let | SolveFor] = []
        self.nafs: list[Naf] = []
        self.subplans: list[Subplan] = []
        self.auxiliary: list[Conjunction] = []
        self.needed: frozenset[Variable] = frozenset()
        self.fresh = fresh or count(1)
        self._given = given
        self._bound = set(given)

    def conjunction(
        self,
        body: Sequence[ast.Formula],
        head: Sequence[ast.Formula],
        needed: AbstractSet[Variable] = _NONE,
    ) -> Conjunction:
        """The conjunction of the literals of ``body``, in which ``needed`` are bound variables."""
        waits = [self._is_late(literal) for literal in body]
        if not all(type(literal) in _PLAIN for literal in body):
            self.needed = self._shared(body, head) | self._given | needed
        for literal, is_late in zip(body, waits, strict=True):
            if not is_late:
                self._literal(literal)
        self._bound |= {
            arg for pattern in self.patterns for arg in pattern.args if isinstance(arg, Variable)
        } | {let.variable for let in self.lets}
        self._bound.update(*(subplan.args for subplan in self.subplans))
        pending = [literal for literal, is_late in zip(body, waits, strict=True) if is_late]
        # An equality with one known side gives the other, a predicate that can be solved its
        # unknown argument; the first in the text goes first, and aggregates last: their groups are
        # those that the others give.
        while pending:
            known = [literal for literal in pending if self._is_ready(literal)]
            simple = (each for each in known if isinstance(each, ast.Equal | ast.External))
            ready = next(simple, next(iter(known), pending[0]))
            pending.remove(ready)
            if isinstance(ready, ast.Equal):
                self.equal(ready)
            elif isinstance(ready, ast.External):
                self._external(ready)
            else:
                self._literal(ready)
        conditions = (each for naf in self.nafs for each in self._negated(naf))
        negated = self._without_tests(conditions)
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
            negated,
            tuple(dict.fromkeys(self.subplans)),
        )

    def _without_tests(self, conditions: Iterable[Conjunction]) -> tuple[Conjunction, ...]:
        """Negated conditions but for those that are one test of bound values: tests as well."""
        found: dict[Conjunction, None] = {}
        for each in conditions:
            test = negated_test(each)
            if test is not None and input_variables(test) <= self._bound:
                self.tests.append(test)
            else:
                found[each] = None
        return tuple(found)

    def _is_late(self, literal: ast.Formula) -> bool:
        """Whether it may bind what nothing else binds, or compare it."""
        if isinstance(literal, ast.Equal | ast.External):
            return True
        kind = _planned_kind(literal, self.language)
        return kind is not None and kind.is_late

    def _literal(self, literal: ast.Formula) -> None:
        """A literal that needs nothing that others bind."""
        if isinstance(literal, Naf):
            self.nafs.append(literal)
        elif (kind := _planned_kind(literal, self.language)) is not None:
            kind.lower(self, literal)
        else:
            self.ask(*pattern_terms(literal))

    @staticmethod
    def _shared(body: Sequence[ast.Formula], head: Sequence[ast.Formula]) -> frozenset[Variable]:
        """The variables that occur in a head, or in more than one literal."""
        count: Counter[str] = Counter()
        for literal in body:
            count.update(free_variables(literal).keys())
        shared = {name for name, times in count.items() if times > 1} | free_names(head)
        return frozenset(map(Variable, shared))

    def _negated(self, naf: Naf) -> Iterator[Conjunction]:
        """The disjuncts of a negated condition: each of them must be false."""
        bound = {variable.name for variable in self._bound}
        given = frozenset[str]() if isinstance(naf, ClosedNaf) else bound
        for chosen in disjuncts_of(naf.body, bound, self.language, given):
            inner = self.inside(self._bound)
            yield inner.conjunction(chosen, ())
            self.auxiliary += inner.auxiliary

    def inside(self, given: AbstractSet[Variable] = _NONE) -> Lowering:
        """The lowering of a conjunction within this one; ``given`` are bound outside of it."""
        return Lowering(
            self.rule,
            self.language,
            fresh=self.fresh,
            given=given,
            scale=self.scale,
            observer=self.observer,
        )

    def _is_ready(self, literal: ast.Formula) -> bool:
        if isinstance(literal, ast.Equal):
            return self.known(literal.left) or self.known(literal.right)
        if not isinstance(literal, ast.External):
            return True
        return all(map(self.known, literal.args)) or self._unknown(literal) is not None

    def _unknown(self, literal: ast.External) -> Variable | None:
        """The one unknown argument of a predicate that can be solved for it."""
        shape = "".join("b" if self.known(arg) else "u" for arg in literal.args)
        if shape not in self.language.patterns_of(literal.op.value):
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
            self.lets.append(SolveFor(unknown, literal.op.value, args))

    def bind(self, subplan: Subplan) -> None:
        """Let the rows of a plan enter; all of its variables are bound by that."""
        self.subplans.append(subplan)
        self._bound.update(subplan.args)

    def known(self, term: ast.Term) -> bool:
        """Whether the variables of a term are bound."""
        match term:
            case ast.Var():
                return term.value in self._bound
            case ast.ExternalTerm():
                return all(map(self.known, term.args))
            case ast.ListTerm():
                return all(map(self.known, term.items))
        return True

    def equal(self, literal: ast.Equal) -> None:
        """Compare two sides, or give the one that is not bound the value of the other."""
        left, right = literal.left, literal.right
        if not self.known(left):
            left, right = right, left
        if self.known(right) or not isinstance(right, ast.Var):
            self.tests.append(Test(EQUAL, (self.argument(left), self.argument(right))))
        else:
            self._bound.add(right.value)
            self._let(right.value, left)

    def pattern(self, literal: ast.Formula) -> AtomPattern:
        """The pattern that an atom, a slot or a membership is."""
        relation, terms = pattern_terms(literal)
        return AtomPattern(relation, tuple(map(self.argument, terms)))

    def ask(self, relation: Relation, terms: Sequence[ast.Term]) -> None:
        """Let a pattern enter as a condition, in which numbers may stand for their values."""
        by_value = self.language.numbers_by_value
        args = tuple(map(self._asked if by_value else self.argument, terms))
        self.patterns.append(AtomPattern(relation, args, by_value))

    def _asked(self, term: ast.Term) -> Argument:
        numbers = _numbers_in(term)
        if not isinstance(numbers, GroundList):
            return self.argument(term)
        found = fresh_variable(next(self.fresh))
        self.tests.append(Test(SAME_MEMBERS, (found, self.argument(term), str(numbers))))
        return found

    def argument(self, term: ast.Term) -> Argument:
        """A term as an argument; functions go to a let of their own."""
        match term:
            case ast.Constant():
                return str(term.value)
            case ast.Var():
                return term.value
        variable = fresh_variable(next(self.fresh))
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


def _numbers_in(term: ast.Term | GroundTerm) -> GroundTerm:
    """A term as the third argument of `matches_members`; `NO_NUMBER`: it has none."""
    if isinstance(term, ast.Constant):
        term = term.value
    if isinstance(term, ast.ListTerm | GroundList):
        found = tuple(map(_numbers_in, term.items))
        return GroundList(found) if any(each != NO_NUMBER for each in found) else NO_NUMBER
    return term if isinstance(term, Literal) and number_of(term) is not None else NO_NUMBER


_PLAIN: Final = frozenset(
    {ast.Atom, ast.Frame, ast.Member, ast.Equal, ast.External, Naf, ClosedNaf}
)
"""Kinds of literals whose lowering does not read `Lowering.needed`."""

_OWN: Final = _PLAIN | {ast.And}
"""Kinds of formula, in bodies and heads, that `Lowering` knows."""
