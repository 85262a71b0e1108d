"""The diagram for other programs: as JSON, and in the language of Graphviz."""

from __future__ import annotations

import json
from typing import TypeAlias

from rete.arrays.delta import POS_INF
from rete.drawing.diagram import Diagram, DiagramEdge, DiagramNode, Kind
from rete.drawing.names import plain
from rete.graph.plan import Plan
from rete.terms.relations import Relation

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_SHAPES: dict[Kind, str] = {
    "pattern": "box",
    "true": "box",
    "join": "ellipse",
    "antijoin": "ellipse",
    "filter": "hexagon",
    "function": "parallelogram",
    "solve": "parallelogram",
    "metric": "cds",
    "rule": "note",
}


def as_json(diagram: Diagram) -> str:
    """The diagram as a JSON object; keys and arrays in a fixed order."""
    names = diagram.names
    content: dict[str, Json] = {
        "title": names.title,
        "window": names.window or None,
        "rules": [_rule(diagram, node) for node in diagram.rules],
        "nodes": [_node(node) for node in diagram.nodes],
        "edges": [_edge(edge) for edge in diagram.edges],
    }
    return json_text(content)


def json_text(content: Json) -> str:
    """JSON for programs that people read, without a line end at the end."""
    return json.dumps(content, ensure_ascii=False, indent=1)


def _rule(diagram: Diagram, node: DiagramNode) -> dict[str, Json]:
    (number,) = node.rules
    return {
        "rule": number,
        "name": diagram.names.labels.get(number),
        "node": node.number,
        "derives": [plain(label) for label in node.label],
    }


def _node(node: DiagramNode) -> dict[str, Json]:
    return {
        "id": node.number,
        "kind": node.kind,
        "label": [plain(label) for label in node.label],
        "builtin": node.builtin or None,
        "sources": list(node.sources),
        "columns": list(node.columns),
        "renamed": [dict(pairs) for pairs in node.renamed],
        "rules": list(node.rules),
        "shared_by": len(node.rules),
        "given": node.given,
        "fed_by": list(node.fed),
        "remembers": node.remembers,
        "retention": "inf" if node.retention >= POS_INF else node.retention >> 1,
        "operator": None if node.plan is None else operator_as_json(node.plan),
    }


def _edge(edge: DiagramEdge) -> dict[str, Json]:
    return {
        "from": edge.source,
        "to": edge.target,
        "place": edge.place,
        "derived": edge.derived,
        "recursive": edge.recursive,
    }


def operator_as_json(plan: Plan) -> dict[str, Json]:
    """A plan operator without its sources, which are edges."""
    own = {name: _value(value) for name, value in plan.parameters.items()}
    return {"operator": type(plan).__name__, **own}


def _value(value: object) -> Json:
    match value:
        case str() | int() | None:
            return value
        case Relation():
            return {"predicate": value.op or None, "arity": value.arity}
        case tuple():
            return [_value(item) for item in value]
    message = f"no part of a plan: {value!r}"
    raise TypeError(message)


def as_dot(diagram: Diagram) -> str:
    """The diagram in DOT, for ``dot -Tpdf`` and its like."""
    lines = [
        "digraph network {",
        "  rankdir=LR;",
        f"  label={dot_string(diagram.names.title)};",
        '  node [fontname="monospace", fontsize=10];',
    ]
    for node in diagram.nodes:
        style = ", style=filled, fillcolor=lightyellow, penwidth=2" if node.shared else ""
        label = _dot_label(diagram, node)
        lines.append(f"  n{node.number} [shape={_SHAPES[node.kind]}, label={label}{style}];")
    ends = "; ".join(f"n{node.number}" for node in diagram.rules)
    if ends:
        lines.append(f"  {{ rank=sink; {ends} }}")
    lines += [f"  {_dot_edge(edge)};" for edge in diagram.edges]
    return "\n".join([*lines, "}"])


def _dot_label(diagram: Diagram, node: DiagramNode) -> str:
    texts = [plain(label) for label in node.label]
    if node.kind == "rule":
        texts.insert(0, diagram.names.rule(node.rules[0]))
    elif node.kind == "join":
        texts = [f"⋈ {texts[0]}" if texts else "× every pair"]
    elif node.kind == "antijoin":
        texts = [" ".join(["▷", *texts])]
    if node.signed:
        texts.append(node.builtin)
    texts += node.renamings
    if node.shared:
        texts.append(f"shared by rules {', '.join(map(str, node.rules))}")
    return dot_string("\n".join([f"#{node.number} {texts[0]}", *texts[1:]]))


def _dot_edge(edge: DiagramEdge) -> str:
    line = f"n{edge.source} -> n{edge.target}"
    if not edge.derived:
        return line
    weight = ", penwidth=2" if edge.recursive else ""
    return f"{line} [style=dashed, constraint=false{weight}]"


def dot_string(text: str) -> str:
    """``text`` as a quoted string of DOT."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
