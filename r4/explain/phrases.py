"""What explanations say of times, of where facts come from, and of why they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from r4.clock import Clock
from r4.explain.grouping import by_subject
from r4.explain.tree import Absence, Asserted, Cause, Origin, Span, Statement, Went
from r4.explain.wording import rule_name, said, term
from rete.delta import NEG_INF, POS_INF
from rete.explain import Names

_ENDS: Final = {
    Went.EXPIRED: "leaves the window",
    Went.ENDED: "ends",
    Went.RETRACTED: "is taken back",
    Went.DROPPED: "is dropped",
}
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
        """An interval of ticks."""
        if span.since == NEG_INF:
            return "always" if span.until == POS_INF else f"until {self.time(span.until)}"
        since = f"from {self.time(span.since)}"
        return f"{since} on" if span.until == POS_INF else f"{since} to {self.time(span.until)}"

    def said(self, facts: Iterable[Statement]) -> str:
        """Facts, those of one subject in one frame."""
        return ", ".join(said(self.names, *some) for some in by_subject(facts))

    def ends(self, causes: Sequence[Cause]) -> Iterator[str]:
        """Why something ends: a line each for what ends together."""
        together: dict[tuple[str, str], list[Statement]] = {}
        for cause in causes:
            node = cause.node
            if isinstance(node, Absence):
                together.setdefault(("", node.what), [])
                continue
            by = self.by(node)
            if cause.went is Went.DROPPED:
                by = f" by {rule_name(self.names, node.rule)}"
            together.setdefault((_ENDS[cause.went], by), []).append(node.fact)
        for (how, what), facts in together.items():
            if not how:
                yield f"it ends as there is {what}"
            elif what:
                yield f"it ends as {what.removeprefix(' by ')} {how}: {self.said(facts)}"
            else:
                yield f"it ends as this {how}: {self.said(facts)}"

    def origin(self, leaf: Asserted) -> str:
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
