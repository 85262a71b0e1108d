"""An explanation as lines of text, as one JSON object, and as SVG."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final

from r4.explain.datalog_mtl.model_explanation import DataProof, ModelExplanation
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.explanation import (
    AssertedNode,
    BuiltinNode,
    ChainNode,
    DerivedNode,
    FactOrigin,
    InnerNode,
    OperatorNode,
    Statement,
    StretchNode,
    TreeNode,
    descendants,
)
from r4.explain.rendering.grouping import Omission, Shown, shorten
from r4.explain.rendering.lack_forms import lack_lines, lack_values, rule_lines
from r4.explain.rendering.tree_writer import tree_text, tree_values
from r4.explain.tick_spans import TickSpan
from rete.drawing.diagram import Kind
from rete.drawing.export import Json, json_text
from rete.drawing.picture.boxes import Box
from rete.drawing.picture.proof_sheet import Edge, ProofSheet, proof_box
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
    fact = writer.fact(question.key[0], question.terms)
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
    if proof.tree is not None and isinstance(proof.tree.root, AssertedNode):
        return "the data"
    return writer.place(writer.number(proof.rule)) if proof.rule else None


def _changed_facts(proof: DataProof, writer: NotationWriter) -> list[str]:
    """The data of a proof that the other side of an update has not, with what is used of them."""
    return [f"{each.text}@{writer.interval(when)}" for each in proof.data for when in each.changed]


def _lines(found: ModelExplanation, writer: NotationWriter) -> Iterator[str]:
    yield from _head_lines(found, writer)
    for number, proof in enumerate(found.proofs, 1):
        yield ""
        yield from _title_lines(found, number, proof, writer)
        if proof.tree is None:
            yield from (f"  {each.text}@{writer.interval(each.datum)}" for each in proof.data)
        else:
            forms = _NodeForms(writer)
            yield from tree_text(proof.tree.root, forms.line, forms.below, forms.reasons)
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
    if proof.tree is None:
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


class _NodeForms:
    """Writes the nodes of proofs; one that several others need is one object."""

    def __init__(self, writer: NotationWriter) -> None:
        self._writer = writer

    def _text(self, node: TreeNode) -> str:
        """A fact or an operator; nothing for parts of an operand."""
        match node:
            case AssertedNode(fact) | DerivedNode(fact) | ChainNode(fact=Statement() as fact):
                return self._writer.statement(fact)
            case OperatorNode(name, rho):
                return self._writer.operator(name, rho)
        return ""

    def _times(self, node: TreeNode) -> str:
        """When it is needed."""
        assert not isinstance(node, BuiltinNode)
        return self._ticks(node.when if isinstance(node, StretchNode) else node.span)

    def _ticks(self, span: TickSpan) -> str:
        return self._writer.interval(span.cells)

    @staticmethod
    def reasons(node: Shown) -> Hashable | None:
        """A key of what stands below a node."""
        return id(node) if isinstance(node, InnerNode) and node.children else None

    def line(self, node: Shown, like: Shown | None) -> str:
        """A line of the tree."""
        assert not isinstance(node, tuple)
        if isinstance(node, Omission | BuiltinNode):
            return node.text
        text, when = self._text(node), self._times(node)
        line = f"{text}@{when}  in parts" if text else f"in {when}"
        match node:
            case DerivedNode(label=label):
                line = f"{text}@{when}  by {label}"
            case AssertedNode(elements=(datum,), span=span, change=change):
                whole = "" if datum.span == span else f" {self._ticks(datum.span)}"
                line = f"{text}@{when}  data{whole}{f', {change}' if change else ''}"
            case AssertedNode():
                line = text
            case OperatorNode():
                line = f"{text}  in {when}"
        return line if like is None else f"{line} (as above)"

    def below(self, node: Shown, level: int) -> Sequence[Shown]:
        """What is shown below a node at a level: of what is too deep from which data it follows."""
        if level < _DEEPEST or not isinstance(node, InnerNode) or not node.children:
            return self.shown(node)
        leaves = (each for each in descendants(node) if isinstance(each, AssertedNode))
        data = (each for each in leaves if each.origin is FactOrigin.DATA)
        texts = list(dict.fromkeys(f"{self._text(each)}@{self._times(each)}" for each in data))
        more = f" and {len(texts) - _DATA} more" * (len(texts) > _DATA)
        return [Omission(f"… and so on, from {', '.join(texts[:_DATA]) or 'TOP'}{more}")]

    @staticmethod
    def shown(node: Shown) -> Sequence[Shown]:
        """What is shown below a node: of a long chain only some."""
        if isinstance(node, ChainNode | StretchNode):
            return shorten(node.children, _LINKS)
        return node.children if isinstance(node, InnerNode) else ()

    def value(self, node: TreeNode) -> dict[str, Json]:
        """A node without those below it, for JSON."""
        if isinstance(node, BuiltinNode):
            return {"condition": node.text}
        text, when = self._text(node), self._times(node)
        match node:
            case DerivedNode(label=label):
                return {"fact": text, "in": when, "rule": label}
            case AssertedNode(elements=(datum,), change=change):
                data: dict[str, Json] = {"fact": text, "in": when, "data": self._ticks(datum.span)}
                return {**data, "update": change} if change else data
            case AssertedNode() | OperatorNode():
                return {"operator": text, "in": when}
        assert isinstance(node, InnerNode)
        parts: dict[str, Json] = {"parts": len(node.children), "in": when}
        return {**parts, "fact": text} if text else parts

    def box(self, node: Shown) -> Box:
        """The box of a node."""
        assert not isinstance(node, tuple)
        if isinstance(node, Omission | BuiltinNode):
            return proof_box("filter", wrap(node.text, 44), node.text)
        text, when = self._text(node), self._times(node)
        lines, notes = wrap(text or when, 44) or [""], (when,) if text else ()
        match node:
            case DerivedNode(label=label):
                rule, title = self._writer.number(node.rule), str(label)
                return proof_box("rule", lines, f"{text}@{when}", notes, rule=rule, title=title)
            case AssertedNode(elements=(datum,)):
                notes = (f"{when} of {self._ticks(datum.span)}",)
                return proof_box("pattern", lines, f"{text}@{when}", notes)
        kind: Kind = "metric" if isinstance(node, OperatorNode) else "filter"
        return proof_box(kind, lines, f"{text}@{when}", notes)


def as_json(found: ModelExplanation, writer: NotationWriter) -> str:
    """The explanation as one object, without a line end at the end."""
    return json_text(_explanation(found, writer))


def as_json_of_update(sides: Mapping[str, tuple[ModelExplanation, NotationWriter]]) -> str:
    """One object with the explanations ``before`` and ``after`` an update."""
    return json_text({side: _explanation(*each) for side, each in sides.items()})


def _explanation(found: ModelExplanation, writer: NotationWriter) -> Json:
    """A value for `json`; facts and intervals are text of DatalogMTL."""
    value: dict[str, Json] = {
        "fact": writer.fact(found.question.key[0], found.question.terms),
        "in": writer.interval(found.question.when),
        "holds": found.holds,
    }
    if found.holds:
        value["justifications"] = [_proof(proof, writer) for proof in found.proofs]
        value["complete"] = found.complete
        return value
    assert found.missing_at is not None
    if found.taken:
        value["taken"] = [
            {
                "rule": _source_of(proof, writer),
                "facts": list[Json](_changed_facts(proof, writer)),
            }
            for proof in found.taken
        ]
    return value | {
        "held": [*map(writer.interval, found.held)],
        "looked_at": writer.interval(found.shown),
        "missing_at": writer.point(found.missing_at),
        "missing": [*rule_lines(found.missing, writer.times)],
        "lacks": lack_values(found.missing, writer.interval),
    }


def _proof(proof: DataProof, writer: NotationWriter) -> Json:
    value: dict[str, Json] = {
        "size": len(proof.data),
        "facts": [
            {
                "fact": each.text,
                "data": writer.interval(each.datum),
                "used": [*map(writer.interval, each.used)],
            }
            for each in proof.data
        ],
        "in": writer.interval(proof.when),
        "shift": writer.distance(proof.shift),
        "earlier": proof.shift > 0,
    }
    if proof.tree is None:
        return value | {"proof": None}
    return value | tree_values(proof.tree.root, _NodeForms(writer).value)


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
    if proof.tree is None:
        data = (f"{each.text}@{writer.interval(each.datum)}" for each in proof.data)
        return {place: proof_box("pattern", (text,), text) for place, text in enumerate(data)}, []
    forms = _NodeForms(writer)
    boxes: dict[int, Box] = {}
    edges: list[Edge] = []
    numbers: dict[int, int] = {}
    stack: list[tuple[Shown, int | None]] = [(proof.tree.root, None)]
    while stack:
        node, above = stack.pop()
        known = None if isinstance(node, Omission) else numbers.get(id(node))
        if known is None:
            if len(boxes) >= _MOST:
                continue
            known = numbers[id(node)] = len(boxes)
            boxes[known] = forms.box(node)
            stack += ((each, known) for each in reversed(forms.shown(node)))
        if above is not None:
            edges.append((known, above))
    return boxes, edges
