"""The abstract syntax of a RIF-Core document, with spans.

Every node is frozen and compares without its span, so that ``parse(unparse(x)) == x``. Kinds of
formula that RIF-Core does not have (metric operators, negation) are classes of their own that
derive from `Formula`. A class says what its formulas are made of, so walks over formulas need no
table; how a kind is read and written stands in the `rif.language.Language`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self, TypeAlias

from rif.errors.base import NOWHERE, Span
from rif.syntax.terms import IRI, GroundTerm, Variable


@dataclass(frozen=True, slots=True)
class Node:
    """The base of all syntax: it has a span, which does not take part in equality."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Meta(Node):
    """An annotation ``(* id frames *)``; without meaning for entailment, kept when written back."""

    iri: GroundTerm | None = None
    frames: tuple[Frame, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Is it ``(* *)``, which only holds a place open?"""
        return self.iri is None and not self.frames


@dataclass(frozen=True, slots=True)
class Annotated(Node):
    """A node that an annotation may stand in front of."""

    meta: Meta | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Constant(Annotated):
    """A ground term in the text: a constant or a ground list."""

    value: GroundTerm


@dataclass(frozen=True, slots=True)
class Var(Annotated):
    """A variable in the text."""

    value: Variable


@dataclass(frozen=True, slots=True)
class ListTerm(Annotated):
    """A list that has an external function among its members [RIF-Core, GROUNDTERM]."""

    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class ExternalTerm(Annotated):
    """``External( op(args) )`` where a term is expected: the value of a function."""

    op: IRI
    args: tuple[Term, ...]


Term: TypeAlias = Constant | Var | ListTerm | ExternalTerm


@dataclass(frozen=True, slots=True)
class Formula(Annotated):
    """A condition; the base class of all its kinds.

    ``?n = count{ ?v [?s] | ?s[ex:reads -> ?v] }`` as a kind of its own has the terms ``?n`` and
    ``?s``, one part (the frame), which binds ``?s``, the local variable ``?v``, and the result
    ``?n``. The defaults are those of a formula without parts.

    Attributes:
        is_head: May it be concluded? Then its parts are what may be, too.
    """

    is_head: ClassVar[bool] = False

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The direct sub-formulas, in the order of the text."""
        return ()

    def with_parts(self, parts: Sequence[Formula]) -> Self:
        """The same formula with other sub-formulas, as many, in the same order."""
        assert not parts
        return self

    @property
    def terms(self) -> tuple[Term, ...]:
        """Its own terms, not those of its sub-formulas, left to right."""
        return ()

    def with_terms(self, of: Callable[[Term], Term]) -> Self:  # noqa: ARG002
        """The same formula with others in place of its own terms."""
        assert not self.terms
        return self

    @property
    def local(self) -> tuple[Variable, ...]:
        """The variables that it quantifies: in its parts these names mean other variables."""
        return ()

    @property
    def binding(self) -> tuple[Formula, ...]:
        """The sub-formulas that bind variables for the conjunction in which it stands.

        Every disjunct of one must bind a variable. None of them for a negation.
        """
        return ()

    @property
    def results(self) -> tuple[Var, ...]:
        """The terms of its own to which it gives a value, whatever binds the others."""
        return ()

    @property
    def operands(self) -> tuple[Formula, ...]:
        """The sub-formulas that are evaluated by themselves, at other times or for a group.

        Each must bind its free variables itself, whatever the rest of the conjunction binds.
        """
        return ()

    def binders(self, operand: Formula) -> tuple[Formula, ...]:  # noqa: ARG002
        """The sub-formulas with whose values an operand is asked: they bind its variables."""
        return ()

    @property
    def existential(self) -> tuple[Formula, ...]:
        """The sub-formulas that are true if a value exists for a variable of nowhere else."""
        return ()


@dataclass(frozen=True, slots=True)
class _WithArguments(Formula):
    """A name with arguments."""

    op: GroundTerm
    args: tuple[Term, ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """The arguments."""
        return self.args

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """The same name with other arguments."""
        return replace(self, args=tuple(map(of, self.args)))


@dataclass(frozen=True, slots=True)
class Atom(_WithArguments):
    """``op(args)``: a predicate of any arity, 0 included. ``op`` is an IRI or a local constant."""

    is_head: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Frame(Formula):
    """``object[key -> value …]``: the conjunction of its slots."""

    is_head: ClassVar[bool] = True

    object: Term
    slots: tuple[tuple[Term, Term], ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """The object, then key and value of each slot."""
        return self.object, *(term for slot in self.slots for term in slot)

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """A frame of as many slots."""
        slots = tuple((of(key), of(value)) for key, value in self.slots)
        return replace(self, object=of(self.object), slots=slots)


@dataclass(frozen=True, slots=True)
class Member(Formula):
    """``instance # cls``; the same as ``instance[rdf:type -> cls]`` in combination with RDF."""

    instance: Term
    cls: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """The instance and the class."""
        return self.instance, self.cls

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """A membership of other terms."""
        return replace(self, instance=of(self.instance), cls=of(self.cls))


@dataclass(frozen=True, slots=True)
class Equal(Formula):
    """``left = right``: identity of values."""

    left: Term
    right: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """Both sides."""
        return self.left, self.right

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """An equality of other terms."""
        return replace(self, left=of(self.left), right=of(self.right))


@dataclass(frozen=True, slots=True)
class External(_WithArguments):
    """``External( op(args) )`` where a formula is expected: a built-in predicate."""

    op: IRI


@dataclass(frozen=True, slots=True)
class _Junction(Formula):
    """Any number of formulas under one word."""

    items: tuple[Formula, ...]

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The members."""
        return self.items

    def with_parts(self, parts: Sequence[Formula]) -> Self:
        """The same word over other members."""
        return replace(self, items=tuple(parts))

    @property
    def binding(self) -> tuple[Formula, ...]:
        """The members."""
        return self.items


@dataclass(frozen=True, slots=True)
class And(_Junction):
    """Conjunction; the empty one is true."""


@dataclass(frozen=True, slots=True)
class Or(_Junction):
    """Disjunction; the empty one is false."""


@dataclass(frozen=True, slots=True)
class Exists(Formula):
    """``Exists ?v … ( body )``."""

    variables: tuple[Variable, ...]
    body: Formula

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The body."""
        return (self.body,)

    def with_parts(self, parts: Sequence[Formula]) -> Self:
        """The same quantifier over another body."""
        return replace(self, body=parts[0])

    @property
    def local(self) -> tuple[Variable, ...]:
        """The variables that it quantifies."""
        return self.variables

    @property
    def binding(self) -> tuple[Formula, ...]:
        """The body."""
        return (self.body,)


@dataclass(frozen=True, slots=True)
class Implies(Annotated):
    """``head :- body``; a head of several members is written ``And( … )``."""

    head: tuple[Formula, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall(Annotated):
    """``Forall ?v … ( clause )``."""

    variables: tuple[Variable, ...]
    clause: Implies | Formula


Rule: TypeAlias = Forall | Implies | Formula
"""A rule or a fact: what a group has, apart from groups."""


@dataclass(frozen=True, slots=True)
class Group(Annotated):
    """``Group( … )``: the conjunction of its members, which are rules, facts and groups."""

    items: tuple[Rule | Group, ...] = ()


@dataclass(frozen=True, slots=True)
class Import(Annotated):
    """``Import( <location> <profile>? )``.

    ``location`` is an absolute IRI or, in a document without Base, a reference relative to where
    the document stands [RFC3986, 5.1.3].
    """

    location: str
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Window(Node):
    """``Window( 5 s )``: an element asserted at t holds in [t, t + r) [CoDeR, Definition "Window"].

    ``amount`` is the decimal as written, ``unit`` one of ``us ns ms s m h d`` or ``""`` (ticks).
    """

    amount: str
    unit: str


@dataclass(frozen=True, slots=True)
class Document(Annotated):
    """A whole document; IRIs are already absolute, prefixes kept for writing it back."""

    base: str | None = None
    prefixes: tuple[tuple[str, str], ...] = ()
    imports: tuple[Import, ...] = ()
    window: Window | None = None
    group: Group | None = None
