"""Near misses: joins in which two terms of one value stood beside each other, and did not meet.

A variable joins terms, so ``"1"^^xsd:integer`` of one pattern does not meet the ``1.0`` of another.
Nothing is wrong with that in RDF, but mostly somebody expects them to meet. So such terms are told
if no two facts of the patterns met in that value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from r4.engine.core import Core
from r4.run.findings.joined_patterns import (
    JoinedPattern,
    joined_patterns,
    pattern_arguments,
    pattern_text,
    shown_term,
)
from rete.arrays.delta import Column, distinct
from rete.arrays.term_columns import KIND_LITERAL
from rete.drawing.names import Names
from rete.terms.dictionary import Dictionary
from rete.terms.literal_values import value_text
from rete.terms.number_constants import matches_number
from rif.errors.report import quantity
from rif.syntax.terms import Variable

_SHOWN: Final = 5
"""Joins that are shown."""
_MOST: Final = 10_000
"""Literals of a run that are no numbers, and are looked at."""

_Key: TypeAlias = tuple[int, ...]
"""The terms of the variables that two patterns share, or what stands for their values."""
_Times: TypeAlias = list[tuple[int, int]]


class _NearMiss(NamedTuple):
    """Two patterns of a rule whose facts differ in the terms of a variable, not in its value.

    Attributes:
        rule: the number of the rule.
        patterns: the two.
        variable: the variable.
        terms: one of each pattern.
        values: how many there are whose terms did not meet.
    """

    rule: int
    patterns: tuple[JoinedPattern, JoinedPattern]
    variable: Variable
    terms: tuple[int, int]
    values: int


def near_misses(core: Core, names: Callable[[], Names]) -> Iterator[str]:
    """A line for each of the first `_SHOWN` joins, and the number of others.

    It is about the facts that are not forgotten yet. O(n log n) in them.

    Args:
        core: what ran.
        names: gives what the rules call things; called if there is something to tell.
    """
    found: list[_NearMiss] = []
    seen: set[tuple[object, ...]] = set()
    values = _Values(core.terms)
    for rule, patterns in joined_patterns(core, holding=2):
        for pair in combinations(patterns, 2):
            if (join := _join_of(pair)) not in seen:  # told of the first rule that has it
                seen.add(join)
                found += _missed(values, rule, pair)
    if not found:
        return
    called = names()
    yield from (_line(core.terms, called, each) for each in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"{len(found) - _SHOWN} further joins have terms of one value that never met"


def _join_of(pair: tuple[JoinedPattern, JoinedPattern]) -> tuple[object, ...]:
    """What tells two patterns that are joined from others, whatever rules call their variables."""
    one, other = (each.columns for each in pair)
    shared = tuple((one[each], other[each]) for each in one if each in other)
    return *((each.scan, len(each.rows)) for each in pair), shared


def _missed(
    known: _Values, rule: int, pair: tuple[JoinedPattern, JoinedPattern]
) -> Iterator[_NearMiss]:
    """Per variable that the patterns share the values whose terms never met."""
    shared = [each for each in pair[0].columns if each in pair[1].columns]
    if not shared or not all(len(each.rows) for each in pair):
        return
    places = [[each.columns[variable][0] for variable in shared] for each in pair]
    ids = distinct(
        np.concatenate([each.rows[:, at].ravel() for each, at in zip(pair, places, strict=True)])
    )
    values = known.shared(ids)
    if not values:
        return
    left, right = (_times_by_value(each, at, values) for each, at in zip(pair, places, strict=True))
    missed: defaultdict[int, list[tuple[_Key, _Key]]] = defaultdict(list)
    for value in left.keys() & right.keys():
        if left[value].keys() & right[value].keys():
            continue  # some term of the value is on both sides
        for mine, theirs in product(left[value], right[value]):
            differ = [n for n, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
            equal = all(known.are_equal(mine[n], theirs[n]) for n in differ)
            if equal and _overlap(left[value][mine], right[value][theirs]):
                missed[differ[0]].append((mine, theirs))
                break
    for place, keys in sorted(missed.items()):
        first = min((mine[place], theirs[place]) for mine, theirs in keys)
        yield _NearMiss(rule, pair, shared[place], first, len(keys))


class _Values:
    """Which terms have one value; what is no number is looked at once."""

    def __init__(self, terms: Dictionary) -> None:
        self._terms = terms
        self._texts: dict[int, str] = {}

    def shared(self, ids: Column) -> dict[int, int]:
        """What stands for the values of those terms that share theirs with others among ``ids``."""
        numbers, classes = self._terms.numeric(ids)
        literals = self._terms.kinds(ids) == KIND_LITERAL
        groups: defaultdict[object, list[int]] = defaultdict(list)
        is_number = classes > 0
        _, place, count = np.unique(numbers[is_number], return_inverse=True, return_counts=True)
        several = count[place] > 1
        some = ids[is_number][several].tolist()
        for term, value in zip(some, place[several].tolist(), strict=True):
            groups[value].append(term)
        if not self._terms.by_value:
            for term, text in self._known(ids[(classes == 0) & literals].tolist()):
                groups[text].append(term)
        return {term: group[0] for group in groups.values() if len(group) > 1 for term in group}

    def _known(self, terms: list[int]) -> Iterator[tuple[int, str]]:
        new = [term for term in terms if term not in self._texts]
        new = new[: max(0, _MOST - len(self._texts))]
        texts = self._terms.decode_many(np.array(new, np.int64))
        self._texts.update(zip(new, map(value_text, texts), strict=True))
        return ((term, self._texts[term]) for term in terms if term in self._texts)

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two terms have one value, to RIF or as numbers."""
        texts = self._terms.decode(one), self._terms.decode(other)
        same = value_text(texts[0]) == value_text(texts[1])
        return same or matches_number(self._terms.term(one), self._terms.term(other))


def _times_by_value(
    pattern: JoinedPattern, places: Sequence[int], values: Mapping[int, int]
) -> dict[_Key, dict[_Key, _Times]]:
    """When the facts hold that have such terms, by what stands for their values, and by terms."""
    found: dict[_Key, dict[_Key, _Times]] = {}
    rows = pattern.rows[np.isin(pattern.rows[:, places], [*values]).any(axis=1)]
    for row in rows[:, [*places, -2, -1]].tolist():
        *key, lo, hi = row
        value = tuple(values.get(term, term) for term in key)
        found.setdefault(value, {}).setdefault(tuple(key), []).append((lo, hi))
    return found


def _overlap(some: _Times, others: _Times) -> bool:
    """Whether an interval of ``some`` has an instant with one of ``others``; both are sorted."""
    left, right = sorted(some), sorted(others)
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i][0] < right[j][1] and right[j][0] < left[i][1]:
            return True
        if left[i][1] <= right[j][1]:
            i += 1
        else:
            j += 1
    return False


def _line(terms: Dictionary, names: Names, miss: _NearMiss) -> str:
    sides = []
    for pattern, term in zip(miss.patterns, miss.terms, strict=True):
        arguments = pattern_arguments(names, pattern.scan, miss.rule)
        variable = arguments[pattern.columns[miss.variable][1]]
        text = pattern_text(names, pattern.scan, arguments)
        sides.append((variable, shown_term(names, terms.decode(term)), text))
    (variable, one, here), (_, other, there) = sides
    texts = [terms.decode(term) for term in miss.terms]
    hint = "two variables and numeric-equal join them"
    if value_text(texts[0]) == value_text(texts[1]):
        hint = "--literals value joins them"
    others = quantity(miss.values - 1, "more value")
    more = f", and {others} likewise" if miss.values > 1 else ""
    return (
        f"{names.rule(miss.rule)}: {variable} is {one} in {here} and {other} in {there}{more}: "
        f"equal values, but two terms, which never met; {hint}"
    )
