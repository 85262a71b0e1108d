"""Fingerprints of plans: equal for rules that become the same nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from rete.graph.plan import Emit, Plan, below


def hash_lines(lines: Iterable[str]) -> str:
    """The SHA-256 of lines, in hexadecimal."""
    digest = sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def plan_lines(emits: Sequence[Emit]) -> Iterator[str]:
    """A line for each plan and each head; linear, as a plan refers to its sources by number."""
    places: dict[Plan, int] = {}
    for plan in below(*(emit.source for emit in emits)):
        own = list(plan.parameters.values())
        sources = [places[source] for source in plan.sources]
        places[plan] = len(places)
        # ascii, as what repr takes for printable is not the same in all versions of Python
        yield f"{type(plan).__name__} {own!a} {sources}"
    for emit in emits:
        yield f"emit {emit.rule} {places[emit.source]} {emit.heads!a}"
