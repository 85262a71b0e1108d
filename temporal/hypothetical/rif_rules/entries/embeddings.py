"""With which values one set of hypotheses is a part of another: equalities between their columns.

A hypothesis is a triple with its time, or a test. Its time is known if evidence binds all its terms
and holds at one tick, and the missing unit lies at one distance before that: then it is a stamp. A
triple with free variables may be any triple at any time. What a set needs at two distances are two.
A test is a part of the other set, too, if it is true of terms that this has; one on a variable that
is free there, too, is compared as it is written.

A set without evidence is of any fact that its head can be, at any time. So its form has the fact as
one more atom, and its times are known but for when the head holds. What must hold besides is about
its variables, so a conjunction says what these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, combinations
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.terms.builtin_outcome import outcome
from rete.terms.dictionary import Dictionary
from rif.syntax import ast
from rif.syntax.terms import GroundTerm, parse_canonical
from rif.values.datatypes import same_value
from temporal.containment import containments, weakest
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask, TimeKind
from temporal.hypothetical.rif_rules.rewriting.arrival_units import terms_of
from temporal.hypothetical.rif_rules.rewriting.evidence_rules import Places

_TRIPLE = ""
_Pair = tuple[int, int]


class HypothesisAtom(NamedTuple):
    """A triple or a test that is missing.

    Attributes:
        content: the form of a test, "" of a triple; and its terms.
        nearest: the least distance before the head at which it may lie, in cells.
    """

    content: tuple[str, Places]
    nearest: int
    kind: TimeKind


class Conjunction(NamedTuple):
    """Equalities with which a set of hypotheses is a part of another.

    Attributes:
        cross: pairs of a place of the one and a place of the other.
        inner: pairs of places of the other.
        shift: how many cells later the one holds last than the other; None: any.
        least: it does so at least so many cells later; None: or earlier.
        terms: pairs of a variable about which something must hold besides, and its place.
        tests: what must be true.
    """

    cross: frozenset[_Pair] = frozenset()
    inner: frozenset[_Pair] = frozenset()
    shift: int | None = None
    least: int | None = None
    terms: frozenset[_Pair] = frozenset()
    tests: frozenset[TestInstance] = frozenset()

    def implies(self, other: Conjunction) -> bool:
        """Does it hold only if ``other`` holds?"""
        shifted = other.shift is None or other.shift == self.shift
        later = other.least is None or (self.least is not None and other.least <= self.least)
        equal = other.cross <= self.cross and other.inner <= self.inner
        tested = other.tests <= self.tests
        return shifted and later and equal and tested and other.terms == self.terms


class HypothesisForm:
    """The hypotheses of a shape, as far as all its rows have them alike.

    Attributes:
        used: the columns of a row that the atoms mention.
        timed: whether the times of some are known.
        is_supported: whether they are those of rows of evidence.
        required: the free variables about which something must hold besides.
        fixed: how many free variables the fact has: -1, -2 …, which mean the same in all its sets.
    """

    def __init__(self, reader: EvidenceReader, *, point: bool, names_fact: bool = False) -> None:
        """The form of the rows of ``reader``; ``point``: they hold at one tick.

        With ``names_fact`` the fact is one of the atoms, so that sets of all facts compare.
        """
        shape = reader.shape
        self._width, self._tail = reader.width, reader.tail
        self.is_supported = bool(shape.evidence)
        self.tests = {each.form for each in shape.tests}
        self.required = {
            self._tail[place - self._width] for each in shape.required for place in each.args
        }
        triples = (
            HypothesisAtom((_TRIPLE, each), unit.reach[0], reader.kind(each, unit, point=point))
            for unit in reader.awaited
            for each in unit.triples
        )
        others = [(each.form, each.args) for each in shape.tests]
        others += [(f"{shape.head}", shape.fact)] * names_fact
        atoms = dict.fromkeys(chain(triples, (HypothesisAtom(e, 0, TimeKind.ANY) for e in others)))
        self.atoms = tuple(
            atom
            for atom in atoms
            if atom.kind is not TimeKind.SPREAD or atom._replace(kind=TimeKind.KNOWN) not in atoms
        )
        mentioned = {place for atom in self.atoms for place in atom.content[1]}
        self.used = sorted(place for place in mentioned if place < self._width)
        self.timed = any(atom.kind is TimeKind.KNOWN for atom in self.atoms)
        self._alike = [*self._pairs_alike()]
        free = [-(self.value(place) or 0) for place in shape.fact]
        self.fixed = 0 if names_fact else max(0, *free, 0)

    @property
    def equality(self) -> Conjunction:
        """The condition that two sets are equal."""
        shift = 0 if self.timed else None
        return Conjunction(frozenset((p, p) for p in self.used), frozenset(), shift)

    def value(self, place: int) -> int | None:
        """The constant at a place, or its free variable, a negative number; None: a column."""
        return None if place < self._width else self._tail[place - self._width]

    def sizes(self, values: Rows) -> Column:
        """How many different atoms each row has."""
        same = np.zeros((len(values), len(self.atoms)), np.bool_)
        for number, pairs in self._alike:
            same[:, number] |= np.all([values[:, a] == values[:, b] for a, b in pairs], axis=0)
        found: Column = len(self.atoms) - same.sum(axis=1)
        return found

    def _pairs_alike(self) -> Iterator[tuple[int, list[_Pair]]]:
        """The numbers of atoms that may be an atom before them, if pairs of columns are equal."""
        for (_, one), (number, other) in combinations(enumerate(self.atoms), 2):
            alike = one.kind is other.kind is TimeKind.ANY or one[1:] == other[1:]
            if one.content[0] == other.content[0] and alike:
                pairs = [*zip(one.content[1], other.content[1], strict=True)]
                known = [(self.value(a), self.value(b)) for a, b in pairs]
                if all(None in each or each[0] == each[1] for each in known):
                    yield number, pairs


class _Mapped(NamedTuple):
    """Some atoms mapped: the pairs, the equalities that it takes, the places of free variables."""

    pairs: tuple[tuple[HypothesisAtom, HypothesisAtom], ...] = ()
    condition: Conjunction = Conjunction()
    bound: Mapping[int, int] = {}


def conjunctions(one: HypothesisForm, other: HypothesisForm) -> list[Conjunction]:
    """With which equalities a set of ``one`` is a part of a set of ``other``, of the same fact.

    Costs the search of `containments`; the atoms with the fewest ways to map come first.
    """
    if one.fixed != other.fixed:
        return []
    return weakest(_Mapping(one, other).conjunctions(), (Conjunction(),))


class _Mapping(NamedTuple):
    """The search for what maps the atoms of one set to those of another."""

    one: HypothesisForm
    other: HypothesisForm

    def conjunctions(self) -> Iterator[Conjunction]:
        """The conditions with what must hold besides; nothing holds of free variables."""
        value = self.one.value

        def place_of(atom: HypothesisAtom) -> tuple[bool, int]:
            form, places = atom.content
            return form in self.one.tests, sum((value(place) or 0) < 0 for place in places)

        atoms = sorted(self.one.atoms, key=place_of)
        for state in containments(atoms, _Mapped(), self._images):
            places = [(variable, state.bound[variable]) for variable in self.one.required]
            if all((self.other.value(place) or 0) >= 0 for _, place in places):
                yield state.condition._replace(terms=frozenset(places))

    def _images(self, atom: HypothesisAtom, state: _Mapped) -> Iterator[_Mapped]:
        for target in self.other.atoms:
            if not self._times_differ(atom, target, state):
                yield from self.mapped(atom, target, state)
        if atom.content[0] in self.one.tests:
            yield from self.called(atom, state)

    def called(self, atom: HypothesisAtom, state: _Mapped) -> Iterator[_Mapped]:
        """``state`` with a test that must be true, if rows have all its terms."""
        form, places = atom.content
        args: list[tuple[bool, int]] = []
        for place in places:
            own = self.one.value(place)
            bound = None if own is None else state.bound.get(own)
            is_other, at = (False, place) if bound is None else (True, bound)
            if ((self.other if is_other else self.one).value(at) or 0) < 0:
                return
            args.append((is_other, at))
        tests = state.condition.tests | {TestInstance(form, tuple(args))}
        condition = state.condition._replace(tests=tests)
        yield _Mapped((*state.pairs, (atom, atom)), condition, state.bound)

    def _times_differ(self, atom: HypothesisAtom, target: HypothesisAtom, state: _Mapped) -> bool:
        """Is ``target`` of another time than ``atom``, or taken by what is of another time?"""
        if self.one.is_supported and atom.kind not in {TimeKind.ANY, target.kind}:
            return True
        shifts = {None, atom.nearest - target.nearest}
        if atom.kind is target.kind is TimeKind.KNOWN and state.condition.shift not in shifts:
            return True
        return any(
            before.nearest != atom.nearest
            and image.nearest == target.nearest
            and (
                before.content == atom.content
                or (image == target and TimeKind.ANY is not atom.kind)
            )
            for before, image in state.pairs
        )

    def mapped(
        self, atom: HypothesisAtom, target: HypothesisAtom, state: _Mapped
    ) -> Iterator[_Mapped]:
        """``state`` with ``atom`` as ``target``, unless nothing can make their terms equal."""
        (form, places), (other_form, goals) = atom.content, target.content
        if form != other_form or len(places) != len(goals):
            return
        one, other, condition = self.one, self.other, state.condition
        cross, inner, *_ = condition
        bound = dict(state.bound)
        for place, goal in zip(places, goals, strict=True):
            own, its = one.value(place), other.value(goal)
            if own is not None and own < -one.fixed:
                before = bound.setdefault(own, goal)
                own = other.value(before)
                if before != goal and (own is None or its is None):
                    inner |= {(min(before, goal), max(before, goal))}
            elif own is None or its is None:
                cross |= {(place, goal)}
            is_fixed = own is not None and its is not None
            if own != its and (is_fixed or min(own or 0, its or 0) < 0):
                return
        condition = condition._replace(cross=cross, inner=inner)
        if target.kind is TimeKind.KNOWN:
            later = atom.nearest - target.nearest  # cells farther before the head
            if atom.kind is TimeKind.KNOWN:
                condition = condition._replace(shift=later)
            elif atom.kind is TimeKind.SPREAD:
                least = later if condition.least is None else max(condition.least, later)
                condition = condition._replace(least=least)
        yield _Mapped((*state.pairs, (atom, target)), condition, bound)


_MOST_KNOWN: Final = 1 << 12
"""So many results are remembered."""


class TestInstance(NamedTuple):
    """The form of a test; per term whether it is of the other set, and its place in rows."""

    form: str
    args: tuple[tuple[bool, int], ...]


class Evaluation:
    """Evaluates the tests of all shapes."""

    def __init__(self, readers: Iterable[EvidenceReader], terms: Dictionary) -> None:
        self._terms = terms
        self._tests = {test.form: test for each in readers for test in each.shape.tests}
        self._passes = lru_cache(_MOST_KNOWN)(self._evaluate)

    def passes(self, call: TestInstance, ones: Rows, others: Rows) -> Mask:
        """For which pairs of rows of both sets a test is true.

        Costs a call of its built-ins for each distinct tuple of terms.
        """
        ids = np.empty((len(ones), len(call.args)), np.int64)
        for column, (is_other, place) in enumerate(call.args):
            ids[:, column] = (others if is_other else ones)[:, place]
        firsts, which = self._terms.distinct(ids)
        texts = self._terms.decode_many(ids[firsts].ravel())
        width = len(call.args)
        found = [
            self._passes(call.form, tuple(texts[start : start + width]))
            for start in range(0, width * len(firsts), width)
        ]
        mask: Mask = np.array(found, np.bool_)[which]
        return mask

    def _evaluate(self, form: str, texts: tuple[str, ...]) -> bool:
        test = self._tests[form]
        given = dict(zip(test.names, map(parse_canonical, texts), strict=True))
        args = terms_of(test.formula)
        values = [v for each in args if (v := _value(each, given, self._terms)) is not None]
        if len(values) < len(args):
            return False
        if isinstance(test.formula, ast.External):
            builtin = self._terms.builtins[test.formula.op.value]
            return outcome(builtin, values, self._terms) is True
        return same_value(*values)


def _value(term: ast.Term, given: Mapping[str, GroundTerm], terms: Dictionary) -> GroundTerm | None:
    """The value of a term; None: a function has none, or it is a list."""
    if isinstance(term, ast.Var):
        return given[term.value.name]
    if isinstance(term, ast.Constant):
        return term.value
    if not isinstance(term, ast.ExternalTerm):
        return None
    values = [value for each in term.args if (value := _value(each, given, terms)) is not None]
    if len(values) < len(term.args):
        return None
    found = outcome(terms.builtins[term.op.value], values, terms)
    return None if isinstance(found, bool) else found
