"""Facts as one text, sorted: what the bulk writer gives of united facts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from temporal.mtl.ast import MetricFact
from temporal.text.writer import write_fact

SortKey: TypeAlias = tuple[str, tuple[str, ...], bool, Fraction, bool]


def write_facts(facts: Iterable[MetricFact]) -> str:
    """One fact a line, sorted by predicate, arguments, left end."""
    return "".join(f"{write_fact(fact)}\n" for fact in sorted(facts, key=_sort_key))


def _sort_key(fact: MetricFact) -> SortKey:
    """By predicate, arguments, left end; of two that begin at one number the closed one first."""
    left = fact.interval.left
    is_open = not fact.interval.left_closed
    return fact.predicate, fact.args, left is not None, left or Fraction(0), is_open
