"""What explanations say of times, of where facts come from, and of why they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from r4.clock import Clock
from r4.explain.grouping import by_subject
from r4.explain.tree import (
    Absence,
    Asserted,
    Cause,
    Ending,
    Operated,
    Origin,
    Span,
    Statement,
    Stretch,
    Went,
)
from r4.explain.wording import operator_name, rule_name, said, term
from rete.delta import NEG_INF, POS_INF
from rete.explain import Names

_ENDS: Final = {
    Went.EXPIRED: "leaves the window",
    Went.ENDED: "ends",
    Went.RETRACTED: "is taken back",
    Went.OVER: "ends or is taken back",
    Went.DROPPED: "is dropped",
    Went.PASSED: "is too long ago",
}
ENDS: Final = {
    Ending.ENDS: "ends first",
    Ending.PASSES: "the first to be too long ago",
}
"""How what ends a justification is marked."""
_ELEMENTS: Final = 3
"""So many elements of one fact are named."""


class Phrases:
    """Says it in the names of the rules."""

    def __init__(self, names: Names, clock: Clock) -> None:
        self.names = names
        self._clock = clock
        self.day = ""

    def time(self, tick: int) -> str:
        """An instant; without its day, if that is ``day``."""
        text = self._clock.text(tick)
        return text.removeprefix(f"{self.day}T") if self.day else text

    def span(self, span: Span) -> str:
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

    def _end(self, word: str, span: Span) -> str:
        return f"{'through' if span.through else word} {self.time(span.until - span.through)}"

    def throughout(self, span: Span) -> str:
        """All of an interval, of whose ends nothing is said."""
        if span.since >= span.until:
            return f"at {self.time(span.until)}"
        begin = "" if span.since <= NEG_INF else f" {self.time(span.since)}"
        return f"throughout{begin} to {self.time(span.until)}"

    def moved(self, node: Operated | Stretch) -> str:
        """``DiamondMinus [0 m, 10 m]  at 06:24:00Z``: what is true, and when what it is made of is.

        Or what a rule concludes for other times, and when it does; or when a side of Since holds.
        """
        if isinstance(node, Stretch):
            return self.throughout(node.when) if node.throughout else self.span(node.when)
        name = operator_name(self.names, node.name, node.rho)
        if node.what:
            return f"{name} {node.what}; what it was made of was not kept"
        if node.head is not None:
            return f"{name} ({self.said([node.head])})  concluded {self.span(node.when)}"
        if node.name in {"Since", "Until"}:
            return name
        boxed = node.name.startswith("Box")
        return f"{name}  {self.throughout(node.when) if boxed else self.span(node.when)}"

    def said(self, facts: Iterable[Statement]) -> str:
        """Facts, those of one subject in one frame."""
        return ", ".join(said(self.names, *some) for some in by_subject(facts))

    def ends(self, causes: Sequence[Cause]) -> Iterator[str]:
        """Why something ends: a line each for what ends together."""
        together: dict[tuple[str, str], list[Statement]] = {}
        for cause in causes:
            node = cause.node
            if isinstance(node, Absence):
                passed = cause.went is Went.PASSED
                said = f"the time without {node.what} is too long ago"
                together.setdefault(("", said if passed else f"there is {node.what}"), [])
                continue
            by = self.by(node)
            if cause.went is Went.DROPPED:
                by = f" by {rule_name(self.names, node.rule)}"
            together.setdefault((_ENDS[cause.went], by), []).append(node.fact)
        for (how, what), facts in together.items():
            if not how:
                yield f"it ends as {what}"
            elif what:
                yield f"it ends as {what.removeprefix(' by ')} {how}: {self.said(facts)}"
            else:
                yield f"it ends as this {how}: {self.said(facts)}"

    def origin(self, leaf: Asserted) -> str:  # noqa: PLR0911 - a way out for each kind
        """Where a fact comes from."""
        same = "".join(
            f", with {term(self.names, one)} the same as {term(self.names, other)}"
            for one, other in leaf.same
        )
        rule = rule_name(self.names, leaf.rule) if leaf.rule else ""
        match leaf.origin:
            case Origin.RULES:
                return f"  stated as {rule}{same}"
            case Origin.STATIC:
                return f"  static data{same}"
            case Origin.UNKEPT:
                by = f"by {rule}, " if rule else ""
                return f"  {by}{self.span(leaf.span)}; what it follows from was not kept"
            case Origin.CUT:
                return f"  {self.span(leaf.span)}; what it follows from leads too far back"
            case Origin.DROPPED:
                return f"  by {rule}, which has been dropped, {self.span(leaf.span)}"
            case Origin.LATER:
                return f"  asserted {self.span(leaf.span)}{same}"
        return f"  asserted{self.by(leaf)} {self.span(leaf.span)}{same}"

    def by(self, leaf: Asserted) -> str:
        """By which elements a fact is asserted."""
        named = [term(self.names, each.name) for each in leaf.elements if each.name is not None]
        if not named:
            return ""
        more = len(named) - _ELEMENTS
        shown = ", ".join(named[:_ELEMENTS])
        return f" by {shown} and {more} more" if more > 0 else f" by {shown}"
