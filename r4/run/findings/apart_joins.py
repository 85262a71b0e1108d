"""Joins apart: two patterns of a rule with a variable in common, which has no value in both.

So no facts of these meet, whatever their times. Mostly one side writes its terms otherwise: with
another datatype, or an IRI in capital letters. So the two terms that are most alike are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from r4.engine.core import Core
from r4.run.findings.joined_patterns import (
    JoinedPattern,
    joined_patterns,
    pattern_arguments,
    pattern_text,
    shown_term,
)
from r4.run.findings.similar_terms import alike
from rete.arrays.delta import Column
from rete.drawing.names import Names
from rete.terms.literal_values import value_text
from rif.syntax.terms import Variable

_SHOWN: Final = 5
"""Joins that are shown."""
_COMPARED: Final = 1000
"""Values of each side that are compared."""


class _Apart(NamedTuple):
    """Two patterns of a rule whose values of a variable are all different.

    Attributes:
        rule: the number of the rule.
        patterns: the two.
        variable: the variable.
        values: those of each.
    """

    rule: int
    patterns: tuple[JoinedPattern, JoinedPattern]
    variable: Variable
    values: tuple[Column, Column]


def apart_joins(core: Core, names: Callable[[], Names]) -> Iterator[str]:
    """A line for each of the first `_SHOWN` joins, and the number of others.

    Where two terms have one value, `near_misses` tells of it. It is about the facts that are not
    forgotten yet. O(n log n) in them.

    Args:
        core: what ran.
        names: gives what the rules call things; called if there is something to tell.
    """
    found = list(_apart(core))
    if found:
        called = names()
        yield from (_line(core, called, each) for each in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"{len(found) - _SHOWN} further joins are of patterns without a value in common"


def _apart(core: Core) -> Iterator[_Apart]:
    seen: set[tuple[object, ...]] = set()
    for rule, patterns in joined_patterns(core):
        for pair in combinations(patterns, 2):
            one, other = pair
            for variable in one.columns:
                if variable not in other.columns:
                    continue
                values = _values(one, variable), _values(other, variable)
                join = tuple((each.scan, each.columns[variable]) for each in pair)
                if join in seen or not all(map(len, values)):
                    continue  # told of the first rule that has it
                seen.add(join)
                if not (len(np.intersect1d(*values)) or _are_equal(core, *values)):
                    yield _Apart(rule, pair, variable, values)


def _are_equal(core: Core, one: Column, other: Column) -> bool:
    """Whether a term of each side has the same value."""
    if core.terms.by_value:
        return False
    numbers = [_numbers(core, each) for each in (one, other)]
    if numbers[0] & numbers[1]:
        return True
    texts = [core.terms.decode_many(each[:_COMPARED]) for each in (one, other)]
    return not {*map(value_text, texts[0])}.isdisjoint(map(value_text, texts[1]))


def _numbers(core: Core, terms: Column) -> set[float]:
    numbers, kinds = core.terms.numeric(terms)
    return set(numbers[kinds > 0].tolist())


def _values(pattern: JoinedPattern, variable: Variable) -> Column:
    return np.unique(pattern.rows[:, pattern.columns[variable][0]])


def _line(core: Core, names: Names, apart: _Apart) -> str:
    texts = [sorted(core.terms.decode_many(each[:_COMPARED])) for each in apart.values]
    sides = []
    for pattern in apart.patterns:
        arguments = pattern_arguments(names, pattern.scan, apart.rule)
        variable = arguments[pattern.columns[apart.variable][1]]
        sides.append((variable, pattern_text(names, pattern.scan, arguments)))
    (variable, here), (_, there) = sides
    near = next(((one, two) for one in texts[0] if (two := alike(one, texts[1]))), None)
    one, two = near or (texts[0][0], texts[1][0])
    return (
        f"{names.rule(apart.rule)}: {variable} has no value both in {here} and in {there}: "
        f"{shown_term(names, one)} in the first {'is much like' if near else 'but'} "
        f"{shown_term(names, two)} in the second"
    )
