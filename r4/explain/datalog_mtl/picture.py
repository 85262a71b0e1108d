"""An explanation as a picture in SVG: data on the left, what follows on the right."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from r4.explain.datalog_mtl.explanation import DataProof, ModelExplanation
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.proof_nodes import NodeKind, ProofNode
from r4.explain.datalog_mtl.text import head_lines, shown_children, title_lines
from rete.drawing.picture.boxes import Box
from rete.drawing.picture.proof_sheet import Edge, ProofSheet, proof_box

_MOST: Final = 400
"""So many boxes are drawn of a proof."""


def as_svg(found: ModelExplanation, writer: NotationWriter) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    sheet = ProofSheet(head_lines(found, writer))
    for number, proof in enumerate(found.proofs, 1):
        title = "; ".join(title_lines(found, number, proof, writer))
        sheet.add_tree(title, *_boxes(proof, writer))
    return sheet.svg()


def _boxes(proof: DataProof, writer: NotationWriter) -> tuple[dict[int, Box], list[Edge]]:
    """The boxes of a proof, and from which to which lines lead."""
    if proof.root is None:
        data = (f"{each.text}@{writer.interval(each.datum)}" for each in proof.data)
        return {place: proof_box("pattern", (text,), text) for place, text in enumerate(data)}, []
    boxes: dict[int, Box] = {}
    edges: list[Edge] = []
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
        return proof_box("filter", (node,), node)
    when = writer.interval(node.when)
    text = f"{node.text}@{when}"
    lines = wrap(node.text or when, 44) or [""]
    notes = (when,) if node.text else ()
    match node.kind:
        case NodeKind.DERIVED:
            place = writer.place(node.rule)
            return proof_box("rule", lines, text, notes, rule=node.rule, title=place)
        case NodeKind.DATA:
            assert node.datum is not None
            notes = (f"{when} of {writer.interval(node.datum)}",)
            return proof_box("pattern", lines, text, notes)
    return proof_box("metric" if node.kind is NodeKind.OPERATOR else "filter", lines, text, notes)
