"""Which nodes are shown together: facts of one origin in one frame, a repeated instance once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from r4.explain.explanation import (
    AssertedNode,
    ChainNode,
    DerivedNode,
    InnerNode,
    OperatorNode,
    Statement,
    TreeNode,
    descendants,
)
from rete.terms.relations import TRIPLES

_LINKS: Final = 4
"""Of a longer chain the first link and the last are shown."""
_MEMBERS: Final = 3
"""So many members of an aggregate are shown, and how many others there are."""
_DEEPEST: Final = 6
"""So many operators stand above each other where something is shown."""


@dataclass(frozen=True, slots=True)
class Omission:
    """A line in place of nodes that are left out."""

    text: str


Shown: TypeAlias = TreeNode | Omission | tuple[AssertedNode, ...]
"""A node, or leaves that share a frame."""


def leaf_key(leaf: AssertedNode) -> Hashable:
    """The origin and the subject of a leaf: leaves that agree on it are shown together."""
    fact = leaf.fact
    subject = fact.terms[:1] if fact.relation == TRIPLES else fact
    return subject, leaf.origin, leaf.elements, leaf.span, leaf.rule, leaf.same, leaf.ends


def instance_key(node: DerivedNode) -> Hashable:
    """The instance of a rule: nodes that agree on it follow for the same reasons."""
    below = (
        (each.fact, each.span) if isinstance(each, AssertedNode | DerivedNode) else each
        for each in node.children
    )
    return node.rule, tuple(below)


def shown_children(node: Shown) -> list[Shown]:
    """What is shown below a node: of long chains and of deep operators only some."""
    if not isinstance(node, InnerNode):
        return []
    if isinstance(node, OperatorNode) and node.level >= _DEEPEST:
        facts = {each.fact for each in descendants(node) if isinstance(each, AssertedNode)}
        more = f"… and so on, from {len(facts)} more fact{'s' * (len(facts) > 1)}"
        return [Omission(more)] if facts else []
    found: list[TreeNode | Omission] = []
    children, left_out = list(node.children), 0
    if isinstance(node, OperatorNode) and node.members is not None and len(children) > _MEMBERS + 1:
        left_out = len(children) - _MEMBERS
        del children[_MEMBERS:]
    for each in children:
        found += shorten(each.children, _LINKS) if isinstance(each, ChainNode) else [each]
    rest = [Omission(f"… and {left_out} more")] if left_out else []
    return [*_group_leaves(found), *rest]


def shorten(links: Sequence[TreeNode], most: int) -> list[TreeNode | Omission]:
    """The links of a chain; of more than ``most`` the first and the last."""
    if len(links) <= most:
        return list(links)
    first, *others, last = links
    return [first, Omission(f"… {len(others)} more"), last]


def _group_leaves(nodes: Sequence[TreeNode | Omission]) -> list[Shown]:
    """Nodes side by side; leaves of one key together, in the place of the first of them."""
    found: dict[Hashable, list[TreeNode | Omission]] = {}
    for place, node in enumerate(nodes):
        key = leaf_key(node) if isinstance(node, AssertedNode) else place
        found.setdefault(key, []).append(node)
    return [_together(some) for some in found.values()]


def _together(some: list[TreeNode | Omission]) -> Shown:
    leaves = dict.fromkeys(each for each in some if isinstance(each, AssertedNode))
    ordered = tuple(sorted(leaves, key=lambda leaf: _place(leaf.fact)))
    return ordered if len(ordered) > 1 else some[0]


def _place(fact: Statement) -> tuple[str, ...]:
    """Its place in a frame: by property, whatever the join order of the rule."""
    return fact.terms[1:]


def group_by_subject(facts: Iterable[Statement]) -> list[tuple[Statement, ...]]:
    """Facts in groups of one subject, or alone."""
    found: dict[Hashable, list[Statement]] = {}
    for fact in facts:
        key = fact.terms[0] if fact.relation == TRIPLES else fact
        found.setdefault(key, []).append(fact)
    return [tuple(sorted(some, key=_place)) for some in found.values()]
