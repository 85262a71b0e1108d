"""Random conditions that are safe by construction."""

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
    Member,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import FUNC, IRI, PRED, GroundList, GroundTerm, Variable
from tests.generators.vocabulary import NUMBERS, TEXTS, TYPE, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.generators.draw import Draw

NAMES = ("x", "y", "z", "w", "v", "u", "s_1", "t-2", "o3", "n", "m", "k", "j", "i")
COMPARISONS = (
    "numeric-less-than",
    "numeric-greater-than",
    "numeric-less-than-or-equal",
    "numeric-greater-than-or-equal",
    "numeric-equal",
    "numeric-not-equal",
)
FUNCTIONS = ("numeric-add", "numeric-subtract", "numeric-multiply")


class Body:
    """A conjunction under construction.

    Attributes:
        items: the conjuncts so far.
        bound: names that have a value in every match, in the order in which they came.
        fillers: those of them that stand where literals can.
    """

    def __init__(self, draw: Draw, words: Vocabulary, sources: Sequence[IRI]) -> None:
        self.items: list[Formula] = []
        self.bound: list[str] = []
        self.fillers: list[str] = []
        self._draw = draw
        self._words = words
        self._sources = sources
        self._count = 0
        self._here: set[str] = set()  # names of the pattern under construction

    # -- terms -----------------------------------------------------------------------------

    def new(self) -> str:
        name = self._unused()
        self.bound.append(name)
        return name

    def _unused(self) -> str:
        self._count += 1
        return NAMES[self._count - 1] if self._count <= len(NAMES) else f"v{self._count}"

    def constant(self, *, filler: bool) -> Constant:
        draw, words = self._draw, self._words
        if filler and draw.chance(45):
            return Constant(draw.choice(words.literals))
        return Constant(draw.choice(words.nodes))

    def term(self, *, filler: bool = False, constants: int = 20) -> Term:
        """A term for a pattern: what is bound, something new, or a constant."""
        draw = self._draw
        if draw.chance(constants):
            return self.constant(filler=filler)
        others = [one for one in self.bound if one not in self._here] or self.bound
        if draw.chance(12):
            others = self.bound
        name = draw.choice(others) if others and draw.chance(55) else self.new()
        self._here.add(name)
        if filler and name not in self.fillers:
            self.fillers.append(name)
        return Var(Variable(name))

    def known(self, *, filler: bool = False) -> Term:
        """A term for a head: what is bound, or a constant."""
        if self.bound and not self._draw.chance(15):
            return Var(Variable(self._draw.choice(self.bound)))
        return self.constant(filler=filler)

    # -- conjuncts -------------------------------------------------------------------------

    def pattern(self) -> Formula:
        """A frame, a membership or an atom; its variables count as bound."""
        self._here = set()
        draw, words = self._draw, self._words
        if words.ops and draw.chance(22):
            op, arity = draw.choice(words.ops)
            return Atom(op, tuple(self.term(filler=True) for _ in range(arity)))
        subject = self.term(constants=12)
        if TYPE in words.data and draw.chance(20):
            return Member(subject, self.kind())
        return Frame(
            subject, tuple(self._slot() for _ in range(draw.weighted((85, 1), (13, 2), (2, 3))))
        )

    def kind(self) -> Term:
        """A class, seldom a variable."""
        if self._draw.chance(15):
            return self.term()
        return Constant(self._draw.choice(self._words.classes))

    def _slot(self) -> tuple[Term, Term]:
        if self._draw.chance(7):
            return self.term(constants=0), self.term(filler=True)
        key = self._draw.choice(self._sources)
        if key == TYPE:
            return Constant(TYPE), self.kind()
        if self.fillers and self._draw.chance(3):
            return Constant(key), self.computed()
        return Constant(key), self.term(filler=True)

    def over(self, names: Sequence[str]) -> Formula:
        """A pattern whose variables are exactly ``names`` (at most two)."""
        draw, words = self._draw, self._words
        key: Term = Constant(draw.choice([one for one in self._sources if one != TYPE]))
        ends: list[Term] = [Var(Variable(name)) for name in names]
        if len(ends) < 2:
            ends.append(self.constant(filler=True))
            if len(ends) < 2:
                ends.append(self.constant(filler=True))
            elif draw.chance(40):
                ends[1] = ends[0]
            elif draw.chance(30):
                ends = [Constant(draw.choice(words.nodes)), ends[0]]
        elif draw.chance(40):
            ends.reverse()
        return Frame(ends[0], ((key, ends[1]),))

    def add_pattern(self) -> None:
        self.items.append(self.pattern())

    def add_alternative(self) -> None:
        """A disjunction; every branch binds the same names."""
        names = self._draw.some(self.bound, 0, 1)
        if not names or self._draw.chance(40):
            names.append(self.new())
            self.fillers.append(names[-1])
        branches: list[Formula] = []
        for _ in range(self._draw.weighted((85, 2), (15, 3))):
            branch = self.over(names)
            if self._draw.chance(20):
                branch = And((branch, self.test([names[-1]])))
            branches.append(branch)
        self.items.append(Or(tuple(branches)))

    def add_existential(self) -> None:
        """A pattern around a name of its own, which may hide one of outside."""
        hides = bool(self.bound) and self._draw.chance(15)
        hidden = self._draw.choice(self.bound) if hides else self._unused()
        others = [name for name in self.bound if name != hidden]
        body = self.over([*self._draw.some(others, 0, 1), hidden])
        if self._draw.chance(20):
            body = And((body, self.test([hidden])))
        self.items.append(Exists((Variable(hidden),), body))

    def add_negation(self) -> None:
        """Something that must not be so; what it hides stands for anything."""
        draw = self._draw
        shared = draw.some(self.bound, 0, 2)
        shape = draw.weighted((45, "one"), (20, "any"), (15, "test"), (10, "or"), (10, "twice"))
        inside = self._negated_pattern(shared)
        if shape == "any" or (shape == "test" and not shared):
            hidden = self._unused()
            inside = self.over([*shared[:1], hidden])
            if draw.chance(40):
                inside = And((inside, self.test([hidden, *self.fillers])))
            inside = Exists((Variable(hidden),), inside)
        elif shape == "test":
            inside = self.test(shared)
            if draw.chance(50):
                inside = And((inside, self._negated_pattern(shared)))
        elif shape == "or":
            inside = Or((inside, self._negated_pattern(draw.some(self.bound, 0, 2))))
        elif shape == "twice":
            inside = Naf(inside)
            if draw.chance(50):
                inside = And((self._negated_pattern(shared), inside))
        self.items.append(Naf(inside))

    def _negated_pattern(self, shared: Sequence[str]) -> Formula:
        """A pattern that binds nothing."""
        draw, words = self._draw, self._words
        if words.ops and draw.chance(30):
            op, arity = draw.choice(words.ops)
            known: list[Term] = [Var(Variable(one)) for one in shared]
            args = [*known, *(self.constant(filler=True) for _ in range(arity))]
            return Atom(op, tuple(args[:arity]))
        pattern = self.over(shared)
        if draw.chance(60) and isinstance(pattern, Frame):
            ((_, filler),) = pattern.slots
            return Frame(pattern.object, ((Constant(draw.choice(words.derived)), filler),))
        return pattern

    def test(self, names: Sequence[str]) -> Formula:
        """A comparison of something in ``names`` with a constant or something else bound."""
        draw = self._draw
        left: Term = Var(Variable(draw.choice(names)))
        if draw.chance(15):
            name = draw.choice(("contains", "starts-with"))
            right: Term = Constant(draw.choice(TEXTS[:3]))
            return External(IRI(PRED + name), (left, right))
        right = Constant(draw.choice(NUMBERS))
        if draw.chance(10):
            right = ExternalTerm(IRI(FUNC + draw.choice(FUNCTIONS)), (left, right))
        if len(names) > 1 and draw.chance(40):
            right = Var(Variable(draw.choice(names)))
        if draw.chance(20):
            left, right = right, left
        if draw.chance(25):
            return Equal(left, right)
        return External(IRI(PRED + draw.choice(COMPARISONS)), (left, right))

    def add_test(self) -> None:
        self.items.append(self.test(self.fillers or self.bound))

    def add_constant(self) -> None:
        """A name that only an equality binds."""
        constant: GroundTerm = self.constant(filler=True).value
        if self._draw.chance(5):
            constant = GroundList((constant, *self._words.nodes[:1]))
        left, right = Var(Variable(self.new())), Constant(constant)
        self.items.append(Equal(right, left) if self._draw.chance(30) else Equal(left, right))

    def add_copy(self) -> None:
        """A name that an equality binds to what another has."""
        known, left = self._draw.choice(self.bound), Var(Variable(self.new()))
        self.items.append(Equal(left, Var(Variable(known))))

    def add_sum(self) -> str:
        """A name for a computed value."""
        value = self.computed()
        name = self.new()
        self.items.append(Equal(Var(Variable(name)), value))
        return name

    def computed(self) -> Term:
        draw = self._draw
        left: Term = Var(Variable(draw.choice(self.fillers or self.bound)))
        right: Term = Constant(draw.choice(NUMBERS[:8]))
        if draw.chance(30):
            right = Var(Variable(draw.choice(self.fillers or self.bound)))
        if draw.chance(20):
            left, right = right, left
        return ExternalTerm(IRI(FUNC + draw.choice(FUNCTIONS)), (left, right))

    def formula(self) -> Formula:
        """The conjunction, in any order; a single conjunct mostly as it is."""
        items = self._draw.some(self.items, len(self.items), len(self.items))
        if len(items) == 1 and not self._draw.chance(30):
            return items[0]
        if len(items) > 2 and self._draw.chance(8):
            patterns = [one for one in items if isinstance(one, Frame | Atom | Member)]
            rest = [one for one in items if one not in patterns]
            return And((*rest, And(tuple(patterns)))) if patterns else And(tuple(items))
        return And(tuple(items))
