"""What is said of a fact that does not hold: when it does, what may be meant, what rules lack."""

from __future__ import annotations

from collections.abc import Iterator

from r4.explain.phrases import Phrases
from r4.explain.tree import Explanation, Span
from r4.explain.wording import rule_name, term
from rete.delta import POS_INF


def of_absence(found: Explanation, phrases: Phrases) -> Iterator[str]:
    """All that is known of a fact that does not hold, line by line."""
    yield from spells(found, phrases)
    for text, close in found.unknown:
        meant = ", ".join(term(phrases.names, each) for each in close)
        asks = f"; is it {meant}?" if close else ""
        yield f"{term(phrases.names, text)} is not known from rules or data{asks}"
    if found.near:
        yield f"what holds then: {phrases.said(found.near)}"
    if found.missing:
        yield "what rules lack that could derive it:"
        yield from (f"  {line}" for line in found.missing)
    elif not found.spells:
        yield "it is not asserted then, and no rule derives such a fact"


def spells(found: Explanation, phrases: Phrases) -> Iterator[str]:
    """When it held before, and will."""
    before = [span for span in found.spells if span.until <= found.at]
    after = [span for span in found.spells if span.since > found.at]
    if before:
        last = phrases.span(before[-1])
        times = f"{len(before)} times before, last {last}" if len(before) > 1 else last
        by = ""
        if found.dropped:
            rules = " and ".join(rule_name(phrases.names, rule) for rule in found.dropped)
            by = f" by {rules}, which {'has' if len(found.dropped) == 1 else 'have'} been dropped"
        yield f"it held {times}{by}"
    if after:
        yield f"it holds next {phrases.span(after[0])}"


def united(spans: list[Span]) -> tuple[Span, ...]:
    """Intervals as few that do not touch, in order of time."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.since, each.until)):
        if found and span.since <= found[-1].until:
            found[-1] = Span(found[-1].since, max(found[-1].until, span.until))
        elif span.since < min(span.until, POS_INF):
            found.append(span)
    return tuple(found)
