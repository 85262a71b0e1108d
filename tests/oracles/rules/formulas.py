"""Evaluation of formulas by recursion on the syntax tree, over facts with valid time."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Equal,
    Exists,
    External,
    Formula,
    Frame,
    ListTerm,
    Member,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, BlankNode, GroundList, GroundTerm, Literal, Local
from tests.oracles.rdf.values import FUNCTIONS, PREDICATES, value
from tests.oracles.rules.conjunct_order import Names, ordered, parts, patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RIF_ERROR = "<http://www.w3.org/2007/rif#error>"
XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

Fact = tuple[str, ...]
"""``("triple", s, p, o)``, ``("atom", op, *arguments)`` or ``("error",)``; canonical texts."""

Time = int | float
"""A tick, or minus or plus infinity."""

_NAMED = {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", '"': '\\"', "\\": "\\\\"}


class Instance(NamedTuple):
    """A fact that holds in [e, n)."""

    fact: Fact
    e: Time
    n: Time


class Match(NamedTuple):
    """Values for variables that make a formula true in [e, n)."""

    env: Mapping[str, str]
    e: Time
    n: Time


ALWAYS = Match({}, -math.inf, math.inf)

MOST = 4_000_000
"""How many instances may be looked at in one run: some seconds; one case in thousands has more."""


class TooBig(Exception):
    """A program has more matches than can be enumerated naively."""


def text(term: GroundTerm) -> str:
    """Canonical text of a constant."""
    match term:
        case IRI(iri):
            return f"<{iri}>"
        case BlankNode(label):
            return f"_:{label}"
        case Local(name, document):
            return f"_:d{document}_{name}"
        case GroundList(items):
            return f"List({' '.join(text(item) for item in items)})"
        case Literal(lexical, datatype, tag):
            quoted = "".join(
                _NAMED.get(char) or (char if " " <= char != "\x7f" else f"\\u{ord(char):04X}")
                for char in lexical
            )
            if tag:
                return f'"{quoted}"@{tag.lower()}'
            return f'"{quoted}"' if datatype == XSD_STRING else f'"{quoted}"^^<{datatype}>'


class Store:
    """Instances by the predicate of their fact; ``None`` stands for all triples.

    Attributes:
        negated: the store in which a negation must find nothing to be true; by default itself.
    """

    def __init__(self, instances: Iterable[Instance], negated: Store | None = None) -> None:
        self.negated = self if negated is None else negated
        self.by_predicate: dict[str | None, list[Instance]] = defaultdict(list)
        for instance in instances:
            kind, *rest = instance.fact
            if kind == "triple":
                self.by_predicate[rest[1]].append(instance)
                self.by_predicate[None].append(instance)
            elif kind == "atom":
                self.by_predicate["atom " + rest[0]].append(instance)


class Evaluator:
    """Evaluates formulas and heads of one document; it caches orders and texts only."""

    def __init__(self) -> None:
        self._orders: dict[tuple[int, Names], list[Formula]] = {}
        self._texts: dict[int, str] = {}
        self._looked_at = 0

    def term(self, term: Term, env: Mapping[str, str]) -> str | None:
        """The term under ``env``; ``None`` while unknown, or where a function has no value."""
        if isinstance(term, Var):
            return env.get(term.value.name)
        if isinstance(term, Constant):
            if id(term) not in self._texts:
                self._texts[id(term)] = text(term.value)
            return self._texts[id(term)]
        found = [self.term(part, env) for part in parts(term)]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        if isinstance(term, ListTerm):
            return f"List({' '.join(known)})"
        return FUNCTIONS[term.op.value](*known)

    def heads(self, head: Formula, env: Mapping[str, str]) -> Iterator[Fact]:
        """The facts a head stands for; one in which a function has no value is left out."""
        assert isinstance(head, Atom | Frame)
        for pattern in patterns(head):
            found = [self.term(term, env) for term in pattern]
            known = [one for one in found if one is not None]
            if len(known) < len(found):
                continue
            if isinstance(head, Frame):
                yield ("triple", *known)
            else:
                op = text(head.op)
                yield ("error",) if op == RIF_ERROR else ("atom", op, *known)

    def solve(  # noqa: C901 - a case a kind of formula
        self, formula: Formula, given: Match, store: Store
    ) -> Iterator[Match]:
        """Every way to make ``formula`` true that extends ``given``."""
        match formula:
            case Frame(_, slots) if len(slots) != 1:
                yield from self._and(formula, (formula,), given, store)
            case Frame() | Member() | Atom():
                yield from self._meet(formula, given, store)
            case And(items):
                yield from self._and(formula, items, given, store)
            case Or(items):
                for item in items:
                    yield from self.solve(item, given, store)
            case Exists(variables, body):
                yield from self._exists({one.name for one in variables}, body, given, store)
            case External(op, args):
                known = [self.term(arg, given.env) for arg in args]
                if None not in known and PREDICATES[op.value](*known):
                    yield given
            case Equal(left, right):
                yield from self._equal(left, right, given)
            case Naf(body):
                if not any(True for _ in self.solve(body, given, store.negated)):
                    yield given
            case _:
                message = f"the oracle does not know {type(formula).__name__}"
                raise TypeError(message)

    def _meet(self, formula: Frame | Member | Atom, given: Match, store: Store) -> Iterator[Match]:
        """Instances that fit a pattern: terms are compared as they are written."""
        (pattern,) = patterns(formula)
        atom = "atom " + text(formula.op) if isinstance(formula, Atom) else None
        known = [self.term(term, given.env) for term in pattern]
        candidates = store.by_predicate.get(atom or known[1], [])
        self._looked_at += len(candidates)
        if self._looked_at > MOST:
            raise TooBig
        for fact, begin, end in candidates:
            values = fact[2:] if atom else fact[1:]
            e, n = max(given.e, begin), min(given.n, end)
            if e >= n or len(values) != len(pattern):
                continue
            env = dict(given.env)
            for term, wanted, actual in zip(pattern, known, values, strict=True):
                if wanted is None and isinstance(term, Var):
                    if env.setdefault(term.value.name, actual) != actual:
                        break
                elif wanted != actual:
                    break
            else:
                yield Match(env, e, n)

    def _and(
        self, formula: Formula, items: tuple[Formula, ...], given: Match, store: Store
    ) -> Iterator[Match]:
        key = id(formula), frozenset(given.env)
        if key not in self._orders:
            found = ordered(items, key[1])
            if found is None:
                message = f"no order of evaluation: {formula}"
                raise ValueError(message)
            self._orders[key] = found[0]
        matches = [given]
        for item in self._orders[key]:
            matches = [new for old in matches for new in self.solve(item, old, store)]
        yield from matches

    def _exists(
        self, hidden: set[str], body: Formula, given: Match, store: Store
    ) -> Iterator[Match]:
        """Values of the hidden names neither come in nor go out."""
        outside = {name: term for name, term in given.env.items() if name in hidden}
        inside = {name: term for name, term in given.env.items() if name not in hidden}
        for env, e, n in self.solve(body, Match(inside, given.e, given.n), store):
            kept = {name: term for name, term in env.items() if name not in hidden}
            yield Match(kept | outside, e, n)

    def _equal(self, left: Term, right: Term, given: Match) -> Iterator[Match]:
        """A variable without a value takes the other side's term; else values are compared."""
        one, two = self.term(left, given.env), self.term(right, given.env)
        if one is not None and two is not None:
            if value(one) == value(two):
                yield given
        elif one is not None and isinstance(right, Var):
            yield Match({**given.env, right.value.name: one}, given.e, given.n)
        elif two is not None and isinstance(left, Var):
            yield Match({**given.env, left.value.name: two}, given.e, given.n)
