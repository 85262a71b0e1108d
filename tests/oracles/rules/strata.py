"""Strata of rules, by numbers that grow until they fit, or grow too large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Equal,
    Exists,
    External,
    Formula,
    Frame,
    Member,
    Or,
    Term,
)
from rif.syntax.negation import Naf
from tests.oracles.rules.conjunct_order import patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rif.syntax.terms import GroundTerm

Pattern = tuple["GroundTerm | str | None", ...]
"""What facts look like: the predicate first, None for what is no constant."""


class NotStratified(Exception):
    """A rule needs that something does not follow which follows from it."""


def strata(rules: Sequence[tuple[Sequence[Formula], Formula]]) -> list[int]:
    """The stratum of each rule (heads, body): at least that of each rule that feeds it.

    It is one more than that of a rule that feeds what it negates. A rule feeds another if one of
    its heads and one of the patterns of the other have no different constants at one place.

    Raises:
        NotStratified: there are no such numbers.
    """
    made = [[one for head in heads for one in _facts(head)] for heads, _ in rules]
    read = [list(_conditions(body, negated=False)) for _, body in rules]
    feeds = [
        (source, target, negated)
        for source, heads in enumerate(made)
        for target, conditions in enumerate(read)
        for wanted, negated in conditions
        if any(_meet(head, wanted) for head in heads)
    ]
    found = [0] * len(rules)
    changed = True
    while changed:
        changed = False
        for source, target, negated in feeds:
            if found[target] < found[source] + negated:
                found[target] = found[source] + negated
                changed = True
                if found[target] > len(rules):
                    raise NotStratified
    return found


def _conditions(formula: Formula, *, negated: bool) -> Iterator[tuple[Pattern, bool]]:
    """The patterns in a condition, and whether they are under a negation."""
    match formula:
        case And(items) | Or(items):
            for item in items:
                yield from _conditions(item, negated=negated)
        case Exists(_, body):
            yield from _conditions(body, negated=negated)
        case Naf(body):
            yield from _conditions(body, negated=True)
        case Equal() | External():
            return
        case _:
            yield from ((one, negated) for one in _facts(formula))


def _facts(formula: Formula) -> Iterator[Pattern]:
    assert isinstance(formula, Atom | Frame | Member)
    for terms in patterns(formula):
        yield formula.op if isinstance(formula, Atom) else "triple", *map(_constant, terms)


def _constant(term: Term) -> GroundTerm | None:
    return term.value if isinstance(term, Constant) else None


def _meet(one: Pattern, two: Pattern) -> bool:
    return len(one) == len(two) and all(
        a is None or b is None or a == b for a, b in zip(one, two, strict=True)
    )
