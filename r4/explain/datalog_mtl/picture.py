"""An explanation as a picture in SVG: data on the left, what follows on the right."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from r4.explain.datalog_mtl.explanation import DataProof, ModelExplanation
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.proof_nodes import NodeKind, ProofNode
from r4.explain.datalog_mtl.text import head_lines, shown_children, title_lines
from r4.explain.rendering.picture import BoxDrawing, page
from r4.explain.rendering.picture_boxes import Box
from rete.drawing.picture import svg

_MARGIN: Final = 24.0
_LINE: Final = 120
"""Characters of a line above."""
_MOST: Final = 400
"""So many boxes are drawn of a proof."""


def as_svg(found: ModelExplanation, writer: NotationWriter) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    head = list(head_lines(found, writer))
    parts: list[str] = [svg.text((_MARGIN, 38), head[0], "title")]
    at, widest = 60.0, len(head[0]) * 13.0
    for line in (line for text in head[1:] for line in wrap(text, _LINE)):
        parts.append(svg.text((_MARGIN, at), line, "sub"))
        at, widest = at + 18, max(widest, len(line) * 7.5)
    for number, proof in enumerate(found.proofs, 1):
        title = "; ".join(title_lines(found, number, proof, writer))
        at += 28
        parts.append(svg.text((_MARGIN, at), title, "zone"))
        widest = max(widest, len(title) * 8.4)
        boxes, edges = _boxes(proof, writer)
        drawn = BoxDrawing(boxes, edges, (_MARGIN, at + 18))
        parts += drawn.parts()
        at += 18 + drawn.layout.height
        widest = max(widest, drawn.right)
    return page(head[0], parts, (widest + 2 * _MARGIN, at + _MARGIN))


def _boxes(
    proof: DataProof, writer: NotationWriter
) -> tuple[dict[int, Box], list[tuple[int, int]]]:
    """The boxes of a proof, and from which to which lines lead."""
    if proof.root is None:
        data = (f"{each.text}@{writer.interval(each.datum)}" for each in proof.data)
        return {place: Box("pattern", (text,), (), text) for place, text in enumerate(data)}, []
    boxes: dict[int, Box] = {}
    edges: list[tuple[int, int]] = []
    numbers: dict[int, int] = {}
    stack: list[tuple[ProofNode | str, int | None]] = [(proof.root, None)]
    while stack:
        node, above = stack.pop()
        known = numbers.get(id(node)) if isinstance(node, ProofNode) else None
        if known is None:
            if len(boxes) >= _MOST:
                continue
            known = len(boxes)
            boxes[known] = _box(node, writer)
            if isinstance(node, ProofNode):
                numbers[id(node)] = known
                stack += ((each, known) for each in reversed(shown_children(node)))
        if above is not None:
            edges.append((known, above))
    return boxes, edges


def _box(node: ProofNode | str, writer: NotationWriter) -> Box:
    if isinstance(node, str):
        return Box("filter", (node,), (), node)
    when = writer.interval(node.when)
    text = f"{node.text}@{when}"
    lines = tuple(_wrapped(node.text or when))
    notes = (when,) if node.text else ()
    match node.kind:
        case NodeKind.DERIVED:
            return Box("rule", lines, notes, text, node.rule, writer.place(node.rule))
        case NodeKind.DATA:
            assert node.datum is not None
            return Box("pattern", lines, (f"{when} of {writer.interval(node.datum)}",), text)
        case NodeKind.OPERATOR:
            return Box("metric", lines, notes, text)
    return Box("filter", lines, notes, text)


def _wrapped(text: str) -> Iterator[str]:
    yield from wrap(text, 44) or [""]
