"""Dangling values: those of a stream for which static data have no partner, so no rule sees them.

A tuple that a join leaves out for lack of a partner is dangling. Most are meant to be: rules
select. But a sensor that the list of sensors lacks is left out in silence, too. So a value is told
if each rule that reads it joins it with static data in vain, and one of them looks something up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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
from rete.arrays.state_codec import Mask
from rete.drawing.names import Names
from rete.nodes.scan import Scan

_SHOWN: Final = 5
"""Patterns that are shown."""
_VALUES: Final = 3
"""Values that are shown of each."""
_Kind: TypeAlias = tuple[str, str | None]
"""A kind of facts: their relation, and the predicate of triples."""


class _Partner(NamedTuple):
    """A static pattern that shares one variable with a streamed one.

    Attributes:
        rule: the number of the rule.
        streamed, static: the patterns.
        places: of the variable in each.
        values: of the variable in the streamed one, distinct and in order.
        missing: those that the static one lacks.
    """

    rule: int
    streamed: Scan
    static: Scan
    places: tuple[int, int]
    values: Column
    missing: Column

    @property
    def binds(self) -> bool:
        """Whether the static pattern has another variable; with constants alone it selects."""
        told = {self.places[1], *dict((*self.static.constants, *self.static.numbers))}
        for pair in self.static.equal:
            told |= {*pair} if told & {*pair} else set()
        return len(told) < self.static.relation.arity


_Reading: TypeAlias = dict[int, list[_Partner]]
"""A pattern in the body of a rule: its static partners by place."""


def dangling_tuples(core: Core, names: Callable[[], Names]) -> Iterator[str]:
    """A line for each of the first `_SHOWN` patterns, and the number of others.

    Values are those of rows that are not forgotten yet. O(n log n) in the rows that are held.

    Args:
        core: what ran.
        names: gives what the rules call things; called if there is something to tell.
    """
    held = joined_patterns(core, holding=2)
    if not any(leaf.is_static for _, leaves in held for leaf in leaves):
        return
    read: defaultdict[_Kind, list[_Reading]] = defaultdict(list)
    for rule, leaves in joined_patterns(core):
        for leaf in leaves:
            if not leaf.is_static:
                read[_kind(leaf.scan)].append(_partners(rule, leaf, leaves))
    found = [each for readings in read.values() for each in _dangling(readings)]
    if not found:
        return
    called = names()
    yield from (_line(core, called, *each) for each in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"{len(found) - _SHOWN} further patterns have values without a static partner"


def _dangling(readings: Sequence[_Reading]) -> Iterator[tuple[_Partner, int, Column]]:
    """Per place a partner that lacks values, of how many, and those that no rule sees."""
    for place in sorted({place for reading in readings for place in reading}):
        partners = [each for reading in readings for each in reading.get(place, ())]
        lookups = [each for each in partners if each.binds and len(each.missing)]
        if not lookups or not all(reading.get(place) for reading in readings):
            continue  # some rule reads all values
        values = distinct(np.concatenate([each.values for each in partners]))
        dangling = np.ones(len(values), np.bool_)
        for reading in readings:
            met = _is_in(values, reading[place][0].values)
            for each in reading[place]:
                met &= ~_is_in(values, each.missing)
            dangling &= ~met
        for each in lookups:
            missing = values[dangling & _is_in(values, each.missing)]
            if len(missing):
                yield each, len(values), missing
                break


def _partners(rule: int, leaf: JoinedPattern, leaves: Sequence[JoinedPattern]) -> _Reading:
    """The static patterns of ``leaves`` that share one variable with ``leaf``, by its place."""
    found: defaultdict[int, list[_Partner]] = defaultdict(list)
    for other in leaves:
        shared = leaf.columns.keys() & other.columns.keys()
        if other.is_static and len(shared) == 1:
            (variable,) = shared
            values = leaf.values(variable)
            missing = values[~_is_in(values, other.values(variable))]
            places = leaf.columns[variable][1], other.columns[variable][1]
            found[places[0]].append(_Partner(rule, leaf.scan, other.scan, places, values, missing))
    return found


def _kind(scan: Scan) -> _Kind:
    return scan.relation.op, scan.key[1] if scan.relation.arity > 1 else None


def _is_in(values: Column, others: Column) -> Mask:
    """Which of ``values`` are among ``others``; both are distinct and in order."""
    if not len(others):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(others, values), len(others) - 1)
    found: Mask = others[places] == values
    return found


def _line(core: Core, names: Names, partner: _Partner, count: int, missing: Column) -> str:
    here, there = partner.places
    streamed = pattern_arguments(names, partner.streamed, partner.rule)
    static = pattern_arguments(names, partner.static, partner.rule)
    variable = streamed[here]
    if variable not in static:  # it may have an equal pattern with other variables
        static[there] = variable
    shown = [shown_term(names, text) for text in sorted(core.terms.decode_many(missing))[:_VALUES]]
    return (
        f"{names.rule(partner.rule)}: {len(missing)} of {count} values of {variable} in "
        f"{pattern_text(names, partner.streamed, streamed)} match no static "
        f"{pattern_text(names, partner.static, static)}: {', '.join(shown)}"
        f"{' and others' if len(missing) > _VALUES else ''}"
    )
