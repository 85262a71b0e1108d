"""The abstract syntax of a RIF-Core document, with spans.

Every node is frozen and compares without its span, so that ``parse(unparse(x)) == x``. Kinds of
formula that RIF-Core does not have (metric operators, negation) are classes of their own that
derive from `Formula`; they register in `rif.syntax.formula_kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

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
    """A condition; the base class of all its kinds."""


@dataclass(frozen=True, slots=True)
class Atom(Formula):
    """``op(args)``: a predicate of any arity, 0 included. ``op`` is an IRI or a local constant."""

    op: GroundTerm
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Frame(Formula):
    """``object[key -> value …]``: the conjunction of its slots."""

    object: Term
    slots: tuple[tuple[Term, Term], ...]


@dataclass(frozen=True, slots=True)
class Member(Formula):
    """``instance # cls``; the same as ``instance[rdf:type -> cls]`` in combination with RDF."""

    instance: Term
    cls: Term


@dataclass(frozen=True, slots=True)
class Equal(Formula):
    """``left = right``: identity of values."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class External(Formula):
    """``External( op(args) )`` where a formula is expected: a built-in predicate."""

    op: IRI
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class And(Formula):
    """Conjunction; the empty one is true."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or(Formula):
    """Disjunction; the empty one is false."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Exists(Formula):
    """``Exists ?v … ( body )``."""

    variables: tuple[Variable, ...]
    body: Formula


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
