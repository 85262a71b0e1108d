"""Hypothetical answers by their definition, over a small domain: slow and obvious.

Definitions 1 and 2 of [CruzFilipe22]: rules are instantiated with a few constants and the times 0
to a horizon. A *support* of an answer is a set of input atoms from which it follows and of which
none can be spared; all are found by going through the rules backwards. D ∪ H has an answer iff it
has one of its supports, so the minimal H at an instant are among what supports have beyond D.

Nothing is shared with the packages under test but the classes of the syntax tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from rif.syntax.terms import Variable
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    TemporalAtom,
    TemporalProgram,
    TemporalRule,
    TimeTerm,
)

Fact: TypeAlias = tuple[str, tuple[str, ...], int]
"""Predicate, constants, time."""
Facts: TypeAlias = frozenset[Fact]
Binding: TypeAlias = dict[str, str | int]
Theta: TypeAlias = tuple[str | int, ...]
"""What the variables of the query stand for, in the order in which they occur."""

MOST = 2_000
"""With more supports than this, of one atom, a case is too big."""


class DomainTooBig(Exception):
    """The definition would take too long."""


@dataclass(frozen=True, slots=True)
class Delta:
    """δ: the largest delay of each ground atom.

    Attributes:
        default: of all that nothing else is said of.
        predicates: by predicate.
        instances: predicate, arguments without time (None: any), delay; the narrower the earlier.
    """

    default: int = 0
    predicates: tuple[tuple[str, int], ...] = ()
    instances: tuple[tuple[str, tuple[str | None, ...], int], ...] = ()

    def of(self, predicate: str, args: tuple[str, ...]) -> int:
        """The delay of the facts of an instance."""
        for name, pattern, delay in self.instances:
            if name == predicate and all(
                one in {None, arg} for one, arg in zip(pattern, args, strict=True)
            ):
                return delay
        return dict(self.predicates).get(predicate, self.default)

    def constants(self) -> set[str]:
        """All that patterns name."""
        return {one for _, pattern, _ in self.instances for one in pattern if one is not None}


def is_future_possible(fact: Fact, tau: int, delta: Delta) -> bool:
    """Definition 1."""
    return tau < fact[2] + delta.of(fact[0], fact[1])


@dataclass(frozen=True, slots=True)
class Domain:
    """What variables stand for.

    Attributes:
        horizon: input atoms have no later time.
        beyond: the last time of all, late enough for what leads to input before the horizon.
    """

    constants: tuple[str, ...]
    horizon: int
    beyond: int

    def bindings(self, free: Mapping[str, bool]) -> Iterator[Binding]:
        """All that variables may be; the value of each says whether it is one of time."""
        times = range(self.beyond + 1)
        values: list[Iterable[str | int]] = [
            times if timed else self.constants for timed in free.values()
        ]
        for chosen in product(*values):
            yield dict(zip(free, chosen, strict=True))


def text(term: ObjectTerm) -> str:
    """The constant that a term is."""
    assert not isinstance(term, Variable)
    return term.lexical


def variables(atoms: Iterable[TemporalAtom]) -> dict[str, bool]:
    """Each variable in order, with whether it is one of time."""
    found: dict[str, bool] = {}
    for atom in atoms:
        for arg in atom.args:
            if isinstance(arg, Variable):
                found.setdefault(arg.name, False)
        if atom.time.variable is not None:
            found.setdefault(atom.time.variable, True)
    return found


def instance(atom: TemporalAtom, binding: Mapping[str, str | int]) -> Fact | None:
    """A ground instance; None: its time would be negative."""
    time = _time(atom.time, binding)
    if time < 0:
        return None
    args = tuple(
        str(binding[arg.name]) if isinstance(arg, Variable) else text(arg) for arg in atom.args
    )
    return atom.predicate, args, time


def _time(time: TimeTerm, binding: Mapping[str, str | int]) -> int:
    return time.offset + (0 if time.variable is None else int(binding[time.variable]))


def matched(atom: TemporalAtom, fact: Fact, given: Mapping[str, str | int]) -> Binding | None:
    """The binding that makes an atom a fact; None: there is none."""
    if atom.predicate != fact[0] or len(atom.args) != len(fact[1]):
        return None
    found = dict(given)
    for arg, value in zip(atom.args, fact[1], strict=True):
        if isinstance(arg, Variable):
            if found.setdefault(arg.name, value) != value:
                return None
        elif text(arg) != value:
            return None
    if atom.time.variable is None:
        return found if atom.time.offset == fact[2] else None
    at = fact[2] - atom.time.offset
    return found if at >= 0 and found.setdefault(atom.time.variable, at) == at else None


def model(program: TemporalProgram, facts: Iterable[Fact], last: int) -> set[Fact]:
    """What follows up to a time, by a naive fixpoint."""
    known = set(facts)
    while True:
        new = {fact for rule in program.rules for fact in _concluded(rule, known)} - known
        new = {fact for fact in new if fact[2] <= last}
        if not new:
            return known
        known |= new


def _concluded(rule: TemporalRule, known: Collection[Fact]) -> Iterator[Fact]:
    bindings: list[Binding] = [{}]
    for atom in rule.body:
        tried = (matched(atom, fact, binding) for binding in bindings for fact in known)
        bindings = [one for one in tried if one is not None]
    for binding in bindings:
        head = instance(rule.head, binding)
        if head is not None:
            yield head


def minimal(sets: Iterable[Facts]) -> set[Facts]:
    """Those that have no other within them."""
    kept: list[Facts] = []
    for one in sorted(set(sets), key=len):
        if not any(other <= one for other in kept):
            kept.append(one)
    return set(kept)


class Supports:
    """The minimal sets of input from which something follows, remembered by ground atom."""

    def __init__(self, program: TemporalProgram, domain: Domain) -> None:
        self._rules: dict[str, list[TemporalRule]] = {}
        for rule in program.rules:
            self._rules.setdefault(rule.head.predicate, []).append(rule)
        self._domain = domain
        self._known: dict[Fact, set[Facts]] = {}
        self._pending: set[Fact] = set()

    def of(self, fact: Fact) -> set[Facts]:
        """All supports of a ground atom.

        Raises:
            TooBig: there are too many, or it rests on itself.
        """
        if fact[0] not in self._rules:
            return {frozenset((fact,))} if fact[2] <= self._domain.horizon else set()
        if fact not in self._known:
            if fact in self._pending:
                raise DomainTooBig(fact)
            self._pending.add(fact)
            found: set[Facts] = set()
            for rule in self._rules[fact[0]]:
                for body in self._bodies(rule, fact):
                    found |= self._together(body)
                    if len(found) > 5 * MOST:
                        raise DomainTooBig(fact)
            self._pending.remove(fact)
            self._known[fact] = minimal(found)
        return self._known[fact]

    def _bodies(self, rule: TemporalRule, head: Fact) -> Iterator[tuple[Fact, ...]]:
        given = matched(rule.head, head, {})
        if given is None:
            return
        free = {one: timed for one, timed in variables(rule.body).items() if one not in given}
        for chosen in self._domain.bindings(free):
            body = [instance(atom, given | chosen) for atom in rule.body]
            there = tuple(fact for fact in body if fact and fact[2] <= self._domain.beyond)
            if len(there) == len(body):
                yield there

    def _together(self, body: Iterable[Fact]) -> set[Facts]:
        found: set[Facts] = {frozenset()}
        for fact in body:
            each = self.of(fact)
            if len(found) * len(each) > 10 * MOST:
                raise DomainTooBig(fact)
            found = {one | other for one in found for other in each}
            if len(each) > 1:
                found = minimal(found)
            if len(found) > MOST:
                raise DomainTooBig(fact)
        return found


class Definition:
    """What the definitions say of a query over a domain.

    Attributes:
        supports: those of each answer that has one; its H(Q, D, -1).
    """

    def __init__(
        self, program: TemporalProgram, query: TemporalAtom, delta: Delta, domain: Domain
    ) -> None:
        """Find all supports.

        Raises:
            TooBig: there are too many.
        """
        self._delta = delta
        self.supports: dict[Theta, set[Facts]] = {}
        supports = Supports(program, domain)
        for binding in domain.bindings(variables([query])):
            fact = instance(query, binding)
            if fact and fact[2] <= domain.beyond and (found := supports.of(fact)):
                self.supports[tuple(binding.values())] = found

    def hypothetical(self, seen: Facts, tau: int) -> dict[Theta, set[Facts]]:
        """H(Q, D, τ) of Definition 2, where D delivered ``seen`` until τ."""
        found = {}
        for theta, supports in self.supports.items():
            # Any H that completes the answer has one of these within it, which may come if H may.
            lacking = minimal(support - seen for support in supports)
            possible = {one for one in lacking if self._may_come(one, tau)}
            if possible:
                found[theta] = possible
        return found

    def supported(self, seen: Facts, tau: int) -> set[tuple[Theta, Facts, Facts]]:
        """E(Q, D, τ): each answer with hypotheses, and each minimal evidence that is not empty."""
        found = set()
        for theta, each in self.hypothetical(seen, tau).items():
            for lacking in each:
                enough = (one - lacking for one in self.supports[theta] if one <= seen | lacking)
                found |= {(theta, lacking, one) for one in minimal(enough) if one}
        return found

    def _may_come(self, facts: Facts, tau: int) -> bool:
        return all(is_future_possible(fact, tau, self._delta) for fact in facts)
