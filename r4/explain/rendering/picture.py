"""An explanation as a picture in SVG: what is asserted on the left, what follows on the right.

Each fact is in one box, however often it is used, with those of the same key. A colour
is a rule, as in the picture of a network.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from r4.explain.explanation import (
    AbsenceNode,
    AssertedNode,
    BuiltinNode,
    DerivedNode,
    Explanation,
    InnerNode,
    OperatorNode,
    ProofTree,
    Statement,
    StretchNode,
    TreeNode,
)
from r4.explain.rendering.grouping import (
    Omission,
    group_by_subject,
    instance_key,
    leaf_key,
    shown_children,
)
from r4.explain.rendering.names import write_rule_name, write_term
from r4.explain.rendering.phrases import ENDS, Phrases
from r4.explain.rendering.prefixes import with_prefixes
from r4.explain.rendering.text import TextWriter
from r4.time.ticks import StampFormat
from rete.drawing.names import Label, Names, Piece
from rete.drawing.picture.boxes import Box, wrapped
from rete.drawing.picture.proof_sheet import Edge, ProofSheet, proof_box

_WIDEST: Final = 44
"""Characters of a line."""


def as_svg(found: Explanation, names: Names, clock: StampFormat) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    names, new = with_prefixes(found, names)
    lines = TextWriter(names, clock)
    sheet = ProofSheet(lines.head(found))
    titled = [(lines.title(found, i, tree), tree) for i, tree in enumerate(found.trees, 1)]
    if found.last is not None:
        titled.append((lines.title_of_last(found.last), found.last))
    for title, tree in titled:
        sheet.add_tree(title, *_boxes_of(tree, lines.phrases))
    for prefix, iri in new:
        if any(f"{prefix}:" in part for part in sheet.parts):
            sheet.add_note(f"{prefix}: is short for {iri}")
    return sheet.svg()


def _boxes_of(tree: ProofTree, phrases: Phrases) -> tuple[dict[int, Box], list[Edge]]:
    groups, edges = _box_groups(tree)
    numbers = {key: number for number, key in enumerate(groups)}
    boxes = {numbers[key]: _box(nodes, phrases) for key, nodes in groups.items()}
    return boxes, [(numbers[begin], numbers[end]) for begin, end in edges]


def _box_groups(
    tree: ProofTree,
) -> tuple[dict[Hashable, list[TreeNode | Omission]], list[tuple[Hashable, Hashable]]]:
    """The nodes of a tree by the keys of their boxes, and the edges between these."""
    groups: dict[Hashable, list[TreeNode | Omission]] = {}
    keys: dict[Hashable, Hashable] = {}
    below: dict[Hashable, list[TreeNode | Omission]] = {}
    stack: list[TreeNode | Omission] = [tree.root]
    while stack:
        node = stack.pop()
        if isinstance(node, BuiltinNode) or (isinstance(node, DerivedNode) and node.again):
            continue
        key = _key(node)
        if isinstance(node, InnerNode):
            parts = (part if isinstance(part, tuple) else (part,) for part in shown_children(node))
            mine: list[TreeNode | Omission] = [each for part in parts for each in part]
            tests = [each for each in mine if isinstance(each, BuiltinNode)]
            if key not in groups and tests:
                groups[_tests(key)] = list(tests)
            below.setdefault(key, []).extend(mine)
            stack += reversed(mine)
        groups.setdefault(key, []).append(node)
        keys[_place(node)] = key
    edges = [
        (_tests(key) if isinstance(each, BuiltinNode) else keys[_place(each)], key)
        for key, nodes in below.items()
        for each in nodes
    ]
    return groups, edges


def _place(node: TreeNode | Omission) -> Hashable:
    """A key by which a repeated node finds the one that is explained."""
    return (node.fact, node.span) if isinstance(node, AssertedNode | DerivedNode) else node


def _tests(key: Hashable) -> Hashable:
    """The key of the box of the tests of a box."""
    return key, "if"


def _key(node: TreeNode | Omission) -> Hashable:
    """A key of the box of a node: equal keys share a box."""
    match node:
        case AssertedNode():
            return leaf_key(node)
        case DerivedNode():
            return instance_key(node)
    return node


def _box(nodes: Sequence[TreeNode | Omission], phrases: Phrases) -> Box:
    """The box of nodes that are shown together, marked if it ends the justification."""
    first = nodes[0]
    match first:
        case Omission(text):
            return proof_box("filter", (text,), text)
        case OperatorNode() | StretchNode():
            text = phrases.operator(first)
            return proof_box("metric", _lines(text), text)
        case BuiltinNode():
            texts = [each.text for each in nodes if isinstance(each, BuiltinNode)]
            wide = tuple(line for text in texts for line in _wrap(((Piece(text),),)))
            return proof_box("filter", wide, ", ".join(texts))
        case AbsenceNode():
            lines, ends = _lines(first.text), first.ends is not None
            return proof_box("antijoin", lines, first.text, _marks(first), ends=ends)
    facts = list(
        dict.fromkeys(each.fact for each in nodes if isinstance(each, AssertedNode | DerivedNode))
    )
    lines = tuple(line for some in group_by_subject(facts) for line in _frame(some, phrases))
    text = phrases.frames(facts)
    if isinstance(first, DerivedNode):
        title, span = write_rule_name(phrases.names, first.rule), phrases.span(first.span)
        return proof_box("rule", lines, text, (span,), rule=first.rule, title=title)
    assert isinstance(first, AssertedNode)
    notes = _lines(phrases.origin(first), _WIDEST + 8)
    ends = first.ends is not None
    return proof_box("pattern", lines, text, notes + _marks(first), ends=ends)


def _marks(node: AssertedNode | AbsenceNode) -> tuple[str, ...]:
    return () if node.ends is None else (ENDS[node.ends],)


def _lines(text: str, most: int = _WIDEST) -> tuple[str, ...]:
    return _wrap(tuple((Piece(word),) for word in text.split()), most)


def _frame(facts: Sequence[Statement], phrases: Phrases) -> Iterator[str]:
    """A fact, or facts of one subject, a line each if they fit."""
    names, first = phrases.names, facts[0]
    if len(facts) == 1:
        pieces = [Piece(write_term(names, text)) for text in first.terms]
        yield from _wrap(names.fact(first.relation, pieces))
        return
    yield from _wrap(((Piece(f"{write_term(names, first.terms[0])}["),),))
    for number, fact in enumerate(facts, 1):
        slot, value = (write_term(names, text) for text in fact.terms[1:])
        close = "]" * (number == len(facts))
        for line in _wrap(((Piece(slot),), (Piece("-> "), Piece(f"{value}{close}")))):
            yield f"  {line}"


def _wrap(label: Label, most: int = _WIDEST) -> tuple[str, ...]:
    return tuple("".join(piece.text for piece in line) for line in wrapped(label, most))
