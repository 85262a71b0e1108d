"""An explanation as one JSON object."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from r4.explain.datalog_mtl.explanation import DataProof, ModelExplanation
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.proof_nodes import NodeKind, ProofNode
from r4.explain.datalog_mtl.text import changed_facts, source_of
from r4.explain.rendering.json_output import DEEPEST
from rete.drawing.export import Json, json_text
from rete.storage.interval_sets import IntervalSet


def as_json(found: ModelExplanation, writer: NotationWriter) -> str:
    """The explanation as one object, without a line end at the end."""
    return json_text(_JsonWriter(writer).explanation(found))


def as_json_of_update(sides: Mapping[str, tuple[ModelExplanation, NotationWriter]]) -> str:
    """One object with the explanations ``before`` and ``after`` an update."""
    return json_text(
        {side: _JsonWriter(writer).explanation(found) for side, (found, writer) in sides.items()}
    )


class _JsonWriter:
    """Makes values for `json`; facts and intervals are text of DatalogMTL."""

    def __init__(self, writer: NotationWriter) -> None:
        self._writer = writer
        self._explained: set[int] = set()

    def explanation(self, found: ModelExplanation) -> Json:
        """All of it."""
        value: dict[str, Json] = {
            "fact": self._writer.fact_of(found.question.key, found.question.terms),
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
                    "rule": source_of(proof, self._writer),
                    "facts": list[Json](changed_facts(proof, self._writer)),
                }
                for proof in found.taken
            ]
        return value | {
            "held": self._intervals(found.held),
            "looked_at": self._writer.interval(found.shown),
            "missing_at": self._writer.point(found.missing_at),
            "missing": list(found.missing),
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
