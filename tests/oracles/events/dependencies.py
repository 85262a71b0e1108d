"""Which rule feeds which, and the order in which rules are completed.

A rule feeds another if one of its heads and one of the patterns that the other reads have no
different constants at one place. It reads *earlier* times alone if there is an operator of the past
around the pattern, or of the future around the head, whose range lacks 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rif.syntax.aggregates import Aggregate
from rif.syntax.ast import Atom, Formula, Frame, Member
from rif.syntax.negation import Naf
from temporal.metric_rif.events import At, Ended, From
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus, Since
from tests.oracles.metric.dependencies import unboxed
from tests.oracles.rules.strata import NotStratified, _facts, _meet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.oracles.rules.datalog import Rule
    from tests.oracles.rules.strata import Pattern


class Feed(NamedTuple):
    """A rule that feeds another, both by their place."""

    source: int
    target: int
    negated: bool
    earlier: bool


def conditions(
    formula: Formula, *, negated: bool = False, earlier: bool = False
) -> Iterator[tuple[Pattern, bool, bool]]:
    """The patterns that are read, whether what more is true may make less true, and when."""
    match formula:
        case Frame() | Atom() | Member():
            yield from ((one, negated, earlier) for one in _facts(formula))
            return
        case From():
            return  # of what is asserted alone
        case Naf() | Aggregate() | At() | Ended():
            negated = True
        case DiamondMinus() | BoxMinus() | Since():
            earlier = earlier or 0 not in formula.rho
    for part in formula.parts:
        yield from conditions(part, negated=negated, earlier=earlier)


def feeds(rules: Sequence[Rule]) -> list[Feed]:
    """Every pair of rules of which one feeds the other."""
    made = []
    for rule in rules:
        heads: list[tuple[Pattern, bool]] = []
        for head in rule.head:
            boxes, inner = unboxed(head)
            later = any(isinstance(box, BoxPlus) and 0 not in box.rho for box in boxes)
            heads += [(one, later) for one in _facts(inner)]
        made.append(heads)
    found = set()
    for target, rule in enumerate(rules):
        assert rule.body is not None
        for wanted, negated, earlier in conditions(rule.body):
            for source, heads in enumerate(made):
                for concluded, later in heads:
                    if _meet(concluded, wanted):
                        found.add(Feed(source, target, negated, earlier or later))
    return sorted(found)


class Component(NamedTuple):
    """Rules that feed each other.

    Attributes:
        strata: the rules; those that are needed at the same instant come first.
        in_order: some are negated by others, so earlier instants come first.
        is_recursive: they feed each other, or the one itself.
    """

    strata: list[list[Rule]]
    in_order: bool
    is_recursive: bool


def components(rules: Sequence[Rule]) -> list[Component]:
    """The rules, those that feed others first.

    Raises:
        NotStratified: at one instant a rule needs that something does not follow which follows
            from it.
    """
    pairs = feeds(rules)
    reach = {place: {place} for place in range(len(rules))}
    changed = True
    while changed:
        changed = False
        for feed in pairs:
            for seen in reach.values():
                if feed.source in seen and feed.target not in seen:
                    seen.add(feed.target)
                    changed = True
    left, found = set(reach), list[Component]()
    while left:
        first = min(
            one for one in left if all(other in reach[one] for other in left if one in reach[other])
        )
        together = sorted(one for one in left if one in reach[first] and first in reach[one])
        left -= set(together)
        found.append(_component(rules, together, pairs))
    return found


def _component(rules: Sequence[Rule], places: list[int], pairs: list[Feed]) -> Component:
    within = [feed for feed in pairs if feed.source in places and feed.target in places]
    in_order = any(feed.negated for feed in within)
    level = dict.fromkeys(places, 0)
    now = [feed for feed in within if not feed.earlier] if in_order else []
    changed = True
    while changed:
        changed = False
        for feed in now:
            if level[feed.target] < level[feed.source] + feed.negated:
                level[feed.target] = level[feed.source] + feed.negated
                changed = True
                if level[feed.target] > len(rules):
                    raise NotStratified
    strata = [
        [rules[place] for place in places if level[place] == number]
        for number in sorted({*level.values()})
    ]
    return Component(strata, in_order, bool(within))
