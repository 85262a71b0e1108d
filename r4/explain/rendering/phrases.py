"""Phrases of explanations: times, origins, ends, and what is known of a fact that does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from r4.explain.explanation import (
    AbsenceNode,
    AssertedNode,
    EndCause,
    EndKind,
    EndRole,
    Explanation,
    FactOrigin,
    GroupMembers,
    MemberChange,
    OperatorNode,
    Statement,
    StretchNode,
)
from r4.explain.rendering.grouping import group_by_subject
from r4.explain.rendering.lack_forms import lack_lines
from r4.explain.rendering.names import write_facts, write_rule_name, write_term, write_value
from r4.explain.tick_spans import TickSpan, to_ticks
from r4.time.ticks import StampFormat
from rete.arrays.delta import NEG_INF, POS_INF
from rete.drawing.names import Names
from rete.storage.interval_sets import CellInterval

_ENDS: Final = {
    EndKind.EXPIRED: "leaves the window",
    EndKind.ENDED: "ends",
    EndKind.RETRACTED: "is taken back",
    EndKind.OVER: "ends or is taken back",
    EndKind.DROPPED: "is dropped",
    EndKind.PASSED: "is too long ago",
}
ENDS: Final = {
    EndRole.ENDS: "ends first",
    EndRole.PASSES: "the first to be too long ago",
}
"""The marks of what ends a justification."""
_ELEMENTS: Final = 3
"""So many elements of one fact are named."""


@dataclass(slots=True)
class Phrases:
    """Writes phrases in the names of the rules.

    Attributes:
        names: the names in the rules.
        clock: how time is written.
        day: the day that is left out of instants; empty: none is.
    """

    names: Names
    clock: StampFormat
    day: str = ""

    def time(self, tick: int) -> str:
        """An instant, without its day if that is `day`."""
        text = self.clock.text(tick)
        return text.removeprefix(f"{self.day}T") if self.day else text

    def span(self, span: TickSpan) -> str:
        """An interval of ticks: ``from A to B``; ``through B`` if it has that, ``at A`` alone."""
        if span.since == NEG_INF:
            return "always" if span.until == POS_INF else self._end("until", span)
        since = span.since - span.after
        if span.until == POS_INF:
            return (
                f"{'after' if span.after else 'from'} {self.time(since)}{' on' * (not span.after)}"
            )
        if span.through and not span.after and span.until == since + 1:
            return f"at {self.time(since)}"
        if span.until <= span.since and not span.through:
            return f"just before {self.time(span.until)}"
        return f"{'after' if span.after else 'from'} {self.time(since)} {self._end('to', span)}"

    def _end(self, word: str, span: TickSpan) -> str:
        return f"{'through' if span.through else word} {self.time(span.until - span.through)}"

    def cells(self, cells: CellInterval) -> str:
        """An interval of cells, be there no tick in it: ``between 4 and 5``."""
        span = to_ticks(*cells)
        if span.after and not span.through and span.until <= span.since:
            return f"between {self.time(span.since - 1)} and {self.time(span.until)}"
        return self.span(span)

    def throughout(self, span: TickSpan) -> str:
        """All of an interval, whether or not it has its ends."""
        if span.since >= span.until:
            return f"at {self.time(span.until)}"
        begin = "" if span.since <= NEG_INF else f" {self.time(span.since)}"
        return f"throughout{begin} to {self.time(span.until)}"

    def operator(self, node: OperatorNode | StretchNode) -> str:  # noqa: PLR0911 - for each kind
        """``DiamondMinus [0 m, 10 m]  at 06:24:00Z``: an operator, and when its operands are true.

        Or what a rule concludes for other times, and when it does; or when a side of Since holds.
        """
        if isinstance(node, StretchNode):
            return self.throughout(node.when) if node.throughout else self.span(node.when)
        name = self.names.operator(node.name, node.rho)
        if node.event:
            how = "held" if node.when.until < POS_INF else "derived"
            return f"{node.event}  {how} {self.span(node.when)}"
        if node.members is not None:
            at = f" {self.span(node.when)}" if node.level else ""
            return f"{name}{at} is {self.members(node.members)}"
        if node.what:
            return f"{name} {node.what}; what it was made of was not kept"
        if node.head is not None:
            return f"{name} ({self.frames([node.head])})  concluded {self.span(node.when)}"
        if node.throughout is None:
            return name
        return f"{name}  {self.throughout(node.when) if node.throughout else self.span(node.when)}"

    def members(self, group: GroupMembers) -> str:
        """``33 of 2 members, since 110, as ex:a[ex:reads -> 20] left``: a value, and what of."""
        s = "" if group.count == 1 else "s"
        older = " and older ones that were summed up" if group.summed else ""
        text = f"{write_value(self.names, group.value)} of {group.count} member{s}{older}"
        if group.since is None:
            return text
        changes = [f"{_some(group.came)} came"] if group.came else []
        changes += [f"{_some(group.gone)} left"] if group.gone else []
        at = group.since.since - group.since.after
        since = f"{'after' if group.since.after else 'since'} {self.time(at)}"
        return f"{text}, {since}, as {' and '.join(changes)}"

    def frames(self, facts: Iterable[Statement]) -> str:
        """Facts as text, those of one subject in one frame."""
        return ", ".join(write_facts(self.names, *some) for some in group_by_subject(facts))

    def ends(self, causes: Sequence[EndCause]) -> Iterator[str]:
        """Why something ends: a line each for what ends together."""
        together: dict[tuple[str, str], list[Statement]] = {}
        for cause in causes:
            node = cause.node
            if isinstance(node, MemberChange):
                what = "comes to" if cause.kind is EndKind.CAME else "leaves"
                together.setdefault(("", f"{node.what} {what} the {node.name}"), [])
                continue
            if isinstance(node, AbsenceNode):
                passed = cause.kind is EndKind.PASSED
                text = f"the time without {node.what} is too long ago"
                together.setdefault(("", text if passed else f"there is {node.what}"), [])
                continue
            by = self.named_elements(node)
            if cause.kind is EndKind.DROPPED:
                by = f" by {write_rule_name(self.names, node.rule)}"
            together.setdefault((_ENDS[cause.kind], by), []).append(node.fact)
        for (how, what), facts in together.items():
            if not how:
                yield f"it ends as {what}"
            elif what:
                yield f"it ends as {what.removeprefix(' by ')} {how}: {self.frames(facts)}"
            else:
                yield f"it ends as this {how}: {self.frames(facts)}"

    def origin(self, leaf: AssertedNode) -> str:  # noqa: PLR0911 - a way out for each kind
        """Where a fact comes from."""
        same = "".join(
            f", with {write_term(self.names, one)} the same as {write_term(self.names, other)}"
            for one, other in leaf.same
        )
        rule = write_rule_name(self.names, leaf.rule) if leaf.rule else ""
        match leaf.origin:
            case FactOrigin.RULES:
                return f"  stated as {rule}{same}"
            case FactOrigin.STATIC:
                return f"  static data{same}"
            case FactOrigin.UNKEPT:
                by = f"by {rule}, " if rule else ""
                return f"  {by}{self.span(leaf.span)}; what it follows from was not kept"
            case FactOrigin.TRUNCATED:
                return f"  {self.span(leaf.span)}; what it follows from leads too far back"
            case FactOrigin.DROPPED:
                return f"  by {rule}, which has been dropped, {self.span(leaf.span)}"
            case FactOrigin.LATER:
                return f"  asserted {self.span(leaf.span)}{same}"
        return f"  asserted{self.named_elements(leaf)} {self.span(leaf.span)}{same}"

    def named_elements(self, leaf: AssertedNode) -> str:
        """By which elements a fact is asserted."""
        named = [
            write_term(self.names, each.name) for each in leaf.elements if each.name is not None
        ]
        if not named:
            return ""
        return f" by {_some(named)}"


def _some(texts: Sequence[str]) -> str:
    """The first of these names, and how many others there are."""
    more = len(texts) - _ELEMENTS
    shown = ", ".join(texts[:_ELEMENTS])
    return f"{shown} and {more} more" if more > 0 else shown


def absence_lines(found: Explanation, phrases: Phrases) -> Iterator[str]:
    """All that is known of a fact that does not hold, line by line."""
    yield from other_span_lines(found, phrases)
    for text, close in found.unknown:
        meant = ", ".join(write_term(phrases.names, each) for each in close)
        asks = f"; is it {meant}?" if close else ""
        yield f"{write_term(phrases.names, text)} is not known from rules or data{asks}"
    if found.near:
        yield f"what holds then: {phrases.frames(found.near)}"
    if found.missing.rules:
        yield "what rules lack that could derive it:"
        yield from lack_lines(found.missing, phrases.cells)
    elif not found.other_spans:
        yield "it is not asserted then, and no rule derives such a fact"


def other_span_lines(found: Explanation, phrases: Phrases) -> Iterator[str]:
    """When it held before, and will."""
    before = [span for span in found.other_spans if span.until <= found.at]
    after = [span for span in found.other_spans if span.since > found.at]
    if before:
        last = phrases.span(before[-1])
        times = f"{len(before)} times before, last {last}" if len(before) > 1 else last
        by = ""
        if found.dropped:
            rules = " and ".join(write_rule_name(phrases.names, rule) for rule in found.dropped)
            by = f" by {rules}, which {'has' if len(found.dropped) == 1 else 'have'} been dropped"
        yield f"it held {times}{by}"
    if after:
        yield f"it holds next {phrases.span(after[0])}"
