"""Safeness: can every variable of a rule be given its values from the facts [RIF-Core 6.1]?

Bodies are checked in disjunctive normal form. In a conjunction a variable is *bound* that is an
argument of an atom, frame or membership; that stands in an unbound place of an external
predicate whose bound places are; or that is equated to a bound term. A rule is safe if all
variables of every disjunct are bound in it, and every head variable occurs in every disjunct.

What is negated binds nothing for the conjunction in which the negation stands. Its own variables,
under Exists, are bound in it, given those that the rest of the conjunction binds. The operands of a
kind of formula that RIF-Core does not have are checked by themselves: each disjunct of one binds
all that is free in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from rif.errors.base import RuleError
from rif.errors.checks import BoundOutside, UnboundVariable, UnsafeVariable
from rif.language import Language
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.negation import Naf
from rif.syntax.traversal import free_variables, occurrences, variables_of

_UNDER_NAF: Final = "bind it beside the Naf, or put it under an Exists inside"


def _hyphen_hint(name: str, bound: Container[str]) -> str | None:
    """A hint where the name of a variable looks like a difference: ``?a-1``."""
    left, hyphen, right = name.partition("-")
    if not hyphen or left not in bound:
        return None
    return f"names have hyphens: a difference is ?{left} - {right or '…'}"


_BindingPattern: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""When the variables of the first set are bound, those of the second are."""


def check_rule_safety(
    clause: ast.Implies, disjuncts: DisjunctiveNormalForm, sizes: list[int], language: Language
) -> Iterator[RuleError]:
    """The variables of a rule that are not bound.

    The sizes of the disjuncts of what is negated, or evaluated by itself, are added to ``sizes``.
    """
    inside = _InnerSafety(language, sizes)
    head = occurrences(clause.head)
    reported: set[str] = set()
    where = f"in {'a disjunct of ' * (len(disjuncts.conjunctions) > 1)}the body"
    for conjunction in disjuncts.conjunctions:
        bound = bound_variables(conjunction, language)
        names = disjuncts.original_names
        yield from inside.conjunction(conjunction, bound, where, names, reported, head)
        for name, var in head.items():
            if name not in bound and name not in reported:
                reported.add(name)
                message = f"?{name} is used in the head but bound nowhere {where}"
                yield UnsafeVariable(message, var.span, _hyphen_hint(name, bound))


def _existential_variables(conjunction: Sequence[ast.Formula]) -> frozenset[str]:
    """The free variables that occur in a single place, an existential operand."""
    count: Counter[str] = Counter()
    candidates: set[str] = set()
    for literal in conjunction:
        places: tuple[ast.Formula, ...] = (literal,)
        if operands := literal.existential:
            places = literal.parts
            candidates.update(name for part in operands for name in free_variables(part))
        count.update(name for place in places for name in free_variables(place))
    return frozenset(name for name in candidates if count[name] == 1)


class _InnerSafety:
    """Checks conjunctions and what stands within their literals, all with one language.

    Attributes:
        sizes: Gets the sizes of the disjuncts that were checked.
    """

    __slots__ = ("_language", "sizes")

    def __init__(self, language: Language, sizes: list[int]) -> None:
        self._language = language
        self.sizes = sizes

    def conjunction(  # noqa: PLR0913, PLR0917
        self,
        literals: Sequence[ast.Formula],
        bound: AbstractSet[str],
        where: str,
        original_names: Mapping[str, str],
        reported: set[str],
        others: Container[str] = (),
    ) -> Iterator[RuleError]:
        """The unbound variables of a conjunction and within it, once each.

        Existential ones need not be bound; ``others`` are reported elsewhere.
        """
        not_negated = occurrences(literal for literal in literals if not isinstance(literal, Naf))
        existential: frozenset[str] | None = None
        for name, var in occurrences(literals).items():
            if name in bound or name in reported or name in others:
                continue
            if existential is None:
                existential = _existential_variables(literals)
            if name not in existential:
                reported.add(name)
                message = f"?{original_names.get(name, name)} is bound by nothing {where}"
                hint = _hyphen_hint(name, bound)
                hint = hint if name in not_negated or hint else _UNDER_NAF
                yield UnboundVariable(message, var.span, hint)
        for literal in literals:
            yield from self._literal(literal, bound, reported)

    def _literal(
        self, literal: ast.Formula, bound: AbstractSet[str], reported: AbstractSet[str]
    ) -> Iterator[RuleError]:
        """The unbound variables within a literal; those ``reported`` are not reported again."""
        if isinstance(literal, Naf):
            yield from self._negation(literal, bound)
        elif operands := literal.operands:
            keyword = self._language.kind_of(literal).keyword
            local = frozenset(variable.name for variable in literal.local)
            for part in operands:
                binders = literal.binders(part)
                given = frozenset[str]().union(
                    *(bound_in_all(binder, self._language) for binder in binders)
                )
                yield from self._operand(part, keyword, reported - local, given)

    def _negation(self, naf: Naf, already_bound: AbstractSet[str]) -> Iterator[RuleError]:
        """The unbound variables of a negation; its conjunction binds ``already_bound``."""
        free = free_variables(naf)
        disjuncts = DisjunctiveNormalForm(naf.body, already_bound | set(free))
        reported: set[str] = set()
        for conjunction in disjuncts.conjunctions:
            self.sizes.append(len(conjunction))
            bound = bound_variables(conjunction, self._language, already_bound)
            names = disjuncts.original_names
            yield from self.conjunction(conjunction, bound, "in the Naf", names, reported, free)

    def _operand(
        self,
        part: ast.Formula,
        keyword: str,
        reported_outside: AbstractSet[str],
        given: AbstractSet[str],
    ) -> Iterator[RuleError]:
        """The variables of an operand of a ``keyword`` that it does not bind, nor are ``given``."""
        free = free_variables(part)
        disjuncts = DisjunctiveNormalForm(part, free)
        reported = set(reported_outside)
        where = f"{'in a disjunct ' * (len(disjuncts.conjunctions) > 1)}under {keyword}"
        for conjunction in disjuncts.conjunctions:
            self.sizes.append(len(conjunction))
            bound = bound_variables(conjunction, self._language, given)
            for name, var in free.items():
                if name not in bound and name not in reported:
                    reported.add(name)
                    yield BoundOutside(f"?{name} is not bound {where}", var.span)
            names = disjuncts.original_names
            yield from self.conjunction(conjunction, bound, where, names, reported)


def bound_variables(
    conjunction: Iterable[ast.Formula], language: Language, already_bound: Iterable[str] = ()
) -> set[str]:
    """The variables that a conjunction of literals binds: a fixpoint, linear in its size.

    Those ``already_bound`` are bound without it.
    """
    bound: set[str] = set()
    patterns_of: dict[str, list[int]] = {}
    missing: list[int] = []
    provides: list[frozenset[str]] = []
    ready: list[str] = list(already_bound)
    for literal in conjunction:
        for required, names in _binding_patterns(literal, language):
            if required:
                for name in required:
                    patterns_of.setdefault(name, []).append(len(provides))
                missing.append(len(required))
                provides.append(names)
            else:
                ready.extend(names)
    while ready:
        name = ready.pop()
        if name in bound:
            continue
        bound.add(name)
        for index in patterns_of.get(name, ()):
            missing[index] -= 1
            if not missing[index]:
                ready.extend(provides[index])
    return bound


_NO_NAMES: frozenset[str] = frozenset()


def _binding_patterns(literal: ast.Formula, language: Language) -> Iterator[_BindingPattern]:
    """The variables that a literal binds, with those that must be bound for that."""
    match literal:
        case ast.Atom() | ast.Frame() | ast.Member():
            terms = literal.terms
            yield _NO_NAMES, frozenset(t.value.name for t in terms if isinstance(t, ast.Var))
        case ast.Equal():
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(side, ast.Var):
                    yield _names(other), _names(side)
        case ast.External():
            yield from _external_patterns(literal, language)
        case _:
            local = frozenset(variable.name for variable in literal.local)
            for part in literal.binding:
                yield _NO_NAMES, bound_in_all(part, language) - local
            yield _NO_NAMES, frozenset(var.value.name for var in literal.results)


def _external_patterns(external: ast.External, language: Language) -> Iterator[_BindingPattern]:
    for pattern in language.patterns_of(external.op.value):
        required: set[str] = set()
        provided: set[str] = set()
        for place, arg in zip(pattern, external.args, strict=False):
            if place == "u" and isinstance(arg, ast.Var):
                provided.add(arg.value.name)
            else:
                required |= _names(arg)
        yield frozenset(required), frozenset(provided)


def bound_in_all(formula: ast.Formula, language: Language) -> frozenset[str]:
    """The free variables that every disjunct of a formula binds."""
    free = free_variables(formula)
    conjunctions = DisjunctiveNormalForm(formula, free).conjunctions
    return frozenset(free).intersection(*(bound_variables(each, language) for each in conjunctions))


def _names(term: ast.Term) -> frozenset[str]:
    return frozenset(var.value.name for var in variables_of(term))
