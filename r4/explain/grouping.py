"""What is shown together: facts that come alike in one frame, what follows alike once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from r4.explain.tree import Asserted, Concluded, Node, Statement
from rete.plan import TRIPLES

Shown = Node | tuple[Asserted, ...]
"""A node, or leaves that one frame says."""


def source(leaf: Asserted) -> Hashable:
    """Where a leaf comes from and of what it speaks: what agrees on that is shown together."""
    fact = leaf.fact
    subject = fact.terms[:1] if fact.relation == TRIPLES else fact
    return subject, leaf.origin, leaf.elements, leaf.span, leaf.rule, leaf.same


def reasons(node: Concluded) -> Hashable:
    """The instance of a rule; what agrees on it follows alike."""
    below = (each.fact if isinstance(each, Asserted | Concluded) else each for each in node.because)
    return node.rule, tuple(below)


def grouped(nodes: Sequence[Node]) -> list[Shown]:
    """Nodes side by side; leaves that come alike together, where the first of them stands."""
    found: dict[Hashable, list[Node]] = {}
    for place, node in enumerate(nodes):
        key = source(node) if isinstance(node, Asserted) else place
        found.setdefault(key, []).append(node)
    return [_together(some) for some in found.values()]


def _together(some: list[Node]) -> Shown:
    leaves = tuple(dict.fromkeys(each for each in some if isinstance(each, Asserted)))
    return leaves if len(leaves) > 1 else some[0]


def by_subject(facts: Iterable[Statement]) -> list[tuple[Statement, ...]]:
    """Facts, those together that one frame says."""
    found: dict[Hashable, list[Statement]] = {}
    for fact in facts:
        key = fact.terms[0] if fact.relation == TRIPLES else fact
        found.setdefault(key, []).append(fact)
    return [tuple(some) for some in found.values()]
