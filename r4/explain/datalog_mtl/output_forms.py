"""An explanation as lines of text, as one JSON object, and as SVG."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Final

from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.proof_nodes import (
    DataProof,
    ModelExplanation,
    NodeKind,
    ProofNode,
    nodes_of,
)
from r4.explain.rendering.json_output import DEEPEST
from r4.explain.rendering.lack_forms import lack_lines, lack_values, rule_lines
from rete.drawing.export import Json, json_text
from rete.drawing.picture.boxes import Box
from rete.drawing.picture.proof_sheet import Edge, ProofSheet, proof_box
from rete.drawing.text_tree import tree_lines
from rete.storage.interval_sets import IntervalSet

_TIMES: Final = 5
"""So many intervals are shown."""
_LINKS: Final = 6
"""Of a longer chain of parts the first and the last are shown."""
_DEEPEST: Final = 12
"""So many levels are shown."""
_DATA: Final = 3
"""So many facts of the data are named in place of deeper levels."""


def as_text(found: ModelExplanation, writer: NotationWriter) -> str:
    """The explanation as lines of text, without a line end after the last one."""
    return "\n".join(_lines(found, writer))


def _head_lines(found: ModelExplanation, writer: NotationWriter) -> Iterator[str]:
    """The lines above the proofs; all lines if the fact does not hold."""
    question = found.question
    fact = writer.fact_of(question.key[0], question.terms)
    when = writer.interval(question.when)
    if found.holds:
        yield f"{fact} holds in {when}"
        if not found.proofs:
            yield "its reasons were not found: they lead too far, and the data are too many"
        return
    if not found.held:
        yield f"{fact} does not hold in {when}"
    else:
        yield f"{fact} does not hold in all of {when}"
        part = "" if found.shown == question.when else f", of {writer.interval(found.shown)}"
        yield f"it holds in {_times(found.held, writer)}{part}"
    assert found.missing_at is not None
    if found.taken:
        yield f"at {writer.point(found.missing_at)} the update took away:"
        for proof in found.taken:
            facts = ", ".join(_changed_facts(proof, writer))
            yield f"  {_source_of(proof, writer) or 'several rules'}: {facts}"
    if found.missing.rules:
        yield f"what rules lack at {writer.point(found.missing_at)} that could derive it:"
        yield from lack_lines(found.missing, writer.times)
    else:
        yield f"at {writer.point(found.missing_at)} it is not in the data, and no rule derives it"


def _source_of(proof: DataProof, writer: NotationWriter) -> str | None:
    """The place of the rule that derives the fact at last, or the data; None: of several."""
    if proof.root is None:
        return None
    if proof.root.kind is NodeKind.DATA:
        return "the data"
    return writer.place(proof.root.rule) if proof.root.rule else None


def _changed_facts(proof: DataProof, writer: NotationWriter) -> list[str]:
    """The data of a proof that the other side of an update has not, with what is used of them."""
    return [f"{each.text}@{writer.interval(when)}" for each in proof.data for when in each.changed]


def _lines(found: ModelExplanation, writer: NotationWriter) -> Iterator[str]:
    yield from _head_lines(found, writer)
    for number, proof in enumerate(found.proofs, 1):
        yield ""
        yield from _title_lines(found, number, proof, writer)
        if proof.root is None:
            yield from (f"  {each.text}@{writer.interval(each.datum)}" for each in proof.data)
        else:
            yield from _tree(proof.root, writer)
    if found.holds and found.proofs and not found.complete:
        yield ""
        yield "there may be more justifications"


def _title_lines(
    found: ModelExplanation, number: int, proof: DataProof, writer: NotationWriter
) -> Iterator[str]:
    """The lines above a proof: how many data it has, and which place it is about."""
    count = len(proof.data)
    facts = f"{count} fact{'s' * (count != 1)}"
    alone = len(found.proofs) == 1 and found.complete
    yield f"{'because of' if alone else f'{number}. because of'} {facts}"
    if proof.root is None:
        yield "their derivation is longer than what is searched for"
    elif proof.shift:
        way = "earlier" if proof.shift > 0 else "later"
        when = writer.interval(proof.when)
        yield f"shown where it is the same {writer.distance(proof.shift)} {way}, in {when}"
    elif proof.when != found.question.when:
        yield f"shown in {writer.interval(proof.when)}; beyond, it goes on like that"


def _times(cells: IntervalSet, writer: NotationWriter) -> str:
    shown = ", ".join(map(writer.interval, cells[:_TIMES]))
    more = len(cells) - _TIMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _tree(root: ProofNode, writer: NotationWriter) -> Iterator[str]:
    explained: set[int] = set()

    def show(node: ProofNode | str, level: int) -> tuple[str, list[ProofNode | str]]:
        if isinstance(node, str):
            return node, []
        line = _node_line(node, writer)
        if not node.children:
            return line, []
        if id(node) in explained:
            return f"{line} (as above)", []
        explained.add(id(node))
        return line, [_deeper(node, writer)] if level >= _DEEPEST else _shown_children(node)

    yield _node_line(root, writer)
    yield from tree_lines(_shown_children(root), show)


def _deeper(node: ProofNode, writer: NotationWriter) -> str:
    """The line in place of what is too deep: from which data it follows."""
    data = [each for each in nodes_of(node) if each.kind is NodeKind.DATA]
    texts = list(dict.fromkeys(f"{each.text}@{writer.interval(each.when)}" for each in data))
    more = len(texts) - _DATA
    return (
        f"… and so on, from {', '.join(texts[:_DATA]) or 'TOP'}{f' and {more} more' * (more > 0)}"
    )


def _shown_children(node: ProofNode) -> list[ProofNode | str]:
    """What is shown below a node: of a long chain only some."""
    if node.kind is not NodeKind.PARTS or len(node.children) <= _LINKS:
        return list(node.children)
    first, *others, last = node.children
    return [first, f"… {len(others)} more", last]


def _node_line(node: ProofNode, writer: NotationWriter) -> str:
    when = writer.interval(node.when)
    match node.kind:
        case NodeKind.DERIVED:
            return f"{node.text}@{when}  by {writer.place(node.rule)}"
        case NodeKind.DATA:
            assert node.datum is not None
            whole = "" if node.datum == node.when else f" {writer.interval(node.datum)}"
            changed = f", {node.changed}" if node.changed else ""
            return f"{node.text}@{when}  data{whole}{changed}"
        case NodeKind.OPERATOR:
            return f"{node.text}  in {when}"
        case NodeKind.PARTS:
            return f"{node.text}@{when}  in parts" if node.text else f"in {when}"
    return node.text


def as_json(found: ModelExplanation, writer: NotationWriter) -> str:
    """The explanation as one object, without a line end at the end."""
    return json_text(_JsonForm(writer).explanation(found))


def as_json_of_update(sides: Mapping[str, tuple[ModelExplanation, NotationWriter]]) -> str:
    """One object with the explanations ``before`` and ``after`` an update."""
    return json_text(
        {side: _JsonForm(writer).explanation(found) for side, (found, writer) in sides.items()}
    )


class _JsonForm:
    """Makes values for `json`; facts and intervals are text of DatalogMTL."""

    def __init__(self, writer: NotationWriter) -> None:
        self._writer = writer
        self._explained: set[int] = set()

    def explanation(self, found: ModelExplanation) -> Json:
        value: dict[str, Json] = {
            "fact": self._writer.fact_of(found.question.key[0], found.question.terms),
            "in": self._writer.interval(found.question.when),
            "holds": found.holds,
        }
        if found.holds:
            value["justifications"] = [self._proof(proof) for proof in found.proofs]
            value["complete"] = found.complete
            return value
        assert found.missing_at is not None
        if found.taken:
            value["taken"] = [
                {
                    "rule": _source_of(proof, self._writer),
                    "facts": list[Json](_changed_facts(proof, self._writer)),
                }
                for proof in found.taken
            ]
        return value | {
            "held": self._intervals(found.held),
            "looked_at": self._writer.interval(found.shown),
            "missing_at": self._writer.point(found.missing_at),
            "missing": [*rule_lines(found.missing, self._writer.times)],
            "lacks": lack_values(found.missing, self._writer.interval),
        }

    def _proof(self, proof: DataProof) -> Json:
        self._explained.clear()
        deeper: deque[ProofNode] = deque()
        value: dict[str, Json] = {
            "size": len(proof.data),
            "facts": [
                {
                    "fact": each.text,
                    "data": self._writer.interval(each.datum),
                    "used": self._intervals(each.used),
                }
                for each in proof.data
            ],
            "in": self._writer.interval(proof.when),
            "shift": self._writer.distance(proof.shift),
            "earlier": proof.shift > 0,
            "proof": None if proof.root is None else self._node(proof.root, deeper, 0),
        }
        if deeper:
            value["continued"] = continued = list[Json]()
            while deeper:
                continued.append(self._node(deeper.popleft(), deeper, 0))
        return value

    def _node(self, node: ProofNode, deeper: deque[ProofNode], depth: int) -> Json:
        when = self._writer.interval(node.when)
        value: dict[str, Json] = {"in": when}
        match node.kind:
            case NodeKind.DERIVED:
                place = self._writer.place(node.rule)
                value = {"fact": node.text, "in": when, "rule": place}
            case NodeKind.DATA:
                assert node.datum is not None
                data = self._writer.interval(node.datum)
                value = {"fact": node.text, "in": when, "data": data}
                return value | ({"update": node.changed} if node.changed else {})
            case NodeKind.OPERATOR:
                value = {"operator": node.text, "in": when}
            case NodeKind.PARTS:
                value = {"parts": len(node.children), "in": when}
                value |= {"fact": node.text} if node.text else {}
            case NodeKind.TOP:
                return {"operator": node.text, "in": when}
        if id(node) in self._explained and node.children:
            return value | {"again": True}
        if depth == DEEPEST:
            deeper.append(node)
            return value | {"again": True}
        self._explained.add(id(node))
        return value | {"because": [self._node(each, deeper, depth + 1) for each in node.children]}

    def _intervals(self, cells: IntervalSet) -> Json:
        return [self._writer.interval(each) for each in cells]


_MOST: Final = 400
"""So many boxes are drawn of a proof."""


def as_svg(found: ModelExplanation, writer: NotationWriter) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    sheet = ProofSheet(_head_lines(found, writer))
    for number, proof in enumerate(found.proofs, 1):
        title = "; ".join(_title_lines(found, number, proof, writer))
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
                stack += ((each, known) for each in reversed(_shown_children(node)))
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
