"""Solutions of a pattern, case by case: what is true in a case, and what it binds.

A pattern of SPARQL is a list of cases. ``{ ?s :a ?x OPTIONAL { ?s :b ?y } }`` has two: one with
both triples, which binds ``?s ?x ?y``, and one with the first triple and not the second, which
binds ``?s ?x``. So in a case it is known of each variable whether it is bound, and what an unbound
one does (an error in a filter, a join with anything) is decided here, not when rules run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, TypeAlias, TypeVar

from r4.foreign.errors import TooManyCases
from r4.foreign.formulas import conjunction, disjunction, exists, negation, same_term, variable
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.traversal import free_variables, rename

NOTHING: frozenset[str] = frozenset()
MOST_CASES: Final = 512
"""Of one pattern."""


class FreshNames:
    """Names that no variable of the query has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._last: Counter[str] = Counter()

    def __call__(self, name: str) -> str:
        """A name like this one."""
        stem = name.rstrip("0123456789").rstrip("_") or "v"
        while True:
            self._last[stem] += 1
            found = f"{stem}_{self._last[stem]}"
            if found not in self._taken:
                self._taken.add(found)
                return found


@dataclass(frozen=True, slots=True)
class Case:
    """Some solutions of a pattern.

    Attributes:
        conditions: what is true of them; other variables than the bound ones are of this case
            alone, and of one solution for each of their values.
        bound: the variables that each of them binds.
        computed: those among them that get their value from an equation, not from a fact.
    """

    conditions: tuple[ast.Formula, ...] = ()
    bound: frozenset[str] = NOTHING
    computed: frozenset[str] = NOTHING

    def where(self, *conditions: ast.Formula) -> Case:
        """The case in which more is true."""
        return replace(self, conditions=(*self.conditions, *conditions))

    def renamed(self, names: Mapping[str, str]) -> Case:
        """The case with other names of variables."""
        if not names:
            return self
        return Case(
            tuple(rename(each, names) for each in self.conditions),
            frozenset(names.get(name, name) for name in self.bound),
            frozenset(names.get(name, name) for name in self.computed),
        )

    @property
    def variables(self) -> list[str]:
        """All variables of the conditions, in their order."""
        return list(
            dict.fromkeys(name for part in self.conditions for name in free_variables(part))
        )

    @property
    def own(self) -> list[str]:
        """The variables that are not bound outside it."""
        return [name for name in self.variables if name not in self.bound]

    def apart(self, fresh: FreshNames, keep: AbstractSet[str] = NOTHING) -> Case:
        """The same, but for ``keep`` with variables that nothing else has."""
        return self.renamed({name: fresh(name) for name in self.variables if name not in keep})

    def given(self, outer: AbstractSet[str], fresh: FreshNames) -> Case:
        """The same where the variables ``outer`` have a value that it must agree with.

        A value that is computed here has to be the same term, and equations ask for the same value.
        """
        names = {name: fresh(name) for name in sorted(outer & self.computed)}
        case = self.renamed(names)
        same = [same_term(variable(new), variable(old)) for old, new in names.items()]
        return replace(case.where(*same), bound=case.bound | (outer & self.bound))


Cases: TypeAlias = Sequence[Case]
_Any = TypeVar("_Any")


def bounded(some: Iterable[_Any], place: Span) -> list[_Any]:
    """All of them; raises `TooManyCases` if they are more than `MOST_CASES`."""
    found = list(islice(some, MOST_CASES + 1))
    if len(found) > MOST_CASES:
        message = f"the query has more than {MOST_CASES} cases"
        raise TooManyCases(message, place)
    return found


UNIT = Case()
"""The one solution that binds nothing."""


def join(left: Case, right: Case, fresh: FreshNames) -> Case:
    """The solutions that agree on the variables that both bind."""
    shared = left.bound & right.bound
    met = right.given(shared, fresh)
    facts = shared - right.computed
    names = {name: fresh(name) for name in sorted(facts & left.computed)}
    left = left.renamed(names)
    same = [same_term(variable(new), variable(old)) for old, new in names.items()]
    return Case(
        (*left.conditions, *met.conditions, *same),
        left.bound | right.bound,
        (left.computed | right.computed) - facts,
    )


def some(cases: Cases, outer: AbstractSet[str], fresh: FreshNames) -> ast.Formula:
    """There is a solution that agrees with the variables ``outer``."""
    return disjunction(exists(case.given(outer, fresh).conditions, outer) for case in cases)


def none(cases: Cases, outer: AbstractSet[str], fresh: FreshNames) -> ast.Formula:
    """There is no solution that agrees with the variables ``outer``."""
    return conjunction(
        negation(exists(case.given(outer, fresh).conditions, outer)) for case in cases
    )


def distinct(cases: Cases) -> list[Case]:
    """Each solution once: a case for all that bind the same variables."""
    together: dict[frozenset[str], list[Case]] = {}
    for case in cases:
        together.setdefault(case.bound, []).append(case)
    return [
        Case(
            (disjunction(exists(case.conditions, bound) for case in same),),
            bound,
            frozenset[str]().union(*(case.computed for case in same)),
        )
        for bound, same in together.items()
    ]
