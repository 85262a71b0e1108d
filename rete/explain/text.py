"""The network as a tree for a terminal, rule by rule.

What a rule does is a sequence of steps: the first pattern, then what is joined to it, tested and
computed, from top to bottom. What was shown before is not shown again but named by its number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rete.explain.diagram import Diagram, Edge, Node
from rete.explain.names import plain

_NAMED = 4
"""So many rules are listed in a mark before the rest is counted."""

_COUNTED = {
    "rule": "rule",
    "pattern": "pattern",
    "join": "join",
    "filter": "filter",
    "function": "function",
}


def as_text(diagram: Diagram) -> str:
    """The diagram as lines of text, without a line end after the last one."""
    return "\n".join(_Tree(diagram).lines())


def summary(diagram: Diagram) -> str:
    """How much there is of what, in one line."""
    count = Counter(node.kind for node in diagram.nodes)
    count["rule"] = len({node.rules for node in diagram.rules})
    parts = [_counted(count[kind], word) for kind, word in _COUNTED.items() if count[kind]]
    shared = sum(node.shared for node in diagram.nodes)
    parts.append(f"{shared or 'no'} node{'' if shared == 1 else 's'} shared by several rules")
    return ", ".join(parts)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def listed(rules: tuple[int, ...]) -> str:
    """``rules 1, 4``, with a count in place of what would be too long."""
    if len(rules) == 1:
        return f"rule {rules[0]}"
    named = ", ".join(map(str, rules[:_NAMED]))
    more = len(rules) - _NAMED
    return f"rules {named} and {more} more" if more > 0 else f"rules {named}"


class _Tree:
    """The lines, and what has been shown so far."""

    def __init__(self, diagram: Diagram) -> None:
        self._diagram = diagram
        self._shown: set[int] = set()
        self._inputs: dict[int, list[Edge]] = {node.number: [] for node in diagram.nodes}
        self._feeds: dict[int, list[Edge]] = {node.number: [] for node in diagram.nodes}
        for edge in diagram.edges:
            if edge.derived:
                self._feeds[edge.source].append(edge)
            else:
                self._inputs[edge.target].append(edge)

    def lines(self) -> Iterator[str]:
        names = self._diagram.names
        yield f"{names.title}: {summary(self._diagram)}"
        if names.window:
            yield f"A streamed fact holds for {names.window}."
        if names.facts:
            yield f"{_counted(names.facts, 'fact')} of the document always hold{'s' * (names.facts == 1)}."
        for rule in self._diagram.rules:
            yield ""
            yield from self._rule(rule)

    def _rule(self, rule: Node) -> Iterator[str]:
        derived = ", ".join(map(plain, rule.label))
        yield f"{self._diagram.names.rule(rule.rules[0])} derives {derived}"
        bodies = self._inputs[rule.number]
        for i, edge in enumerate(bodies, 1):
            if len(bodies) > 1:
                yield f"│ {'if' if i == 1 else 'or if'}"
            yield from self._steps(edge.source, "")
        yield from _tail([*_renamings(rule), *self._readers(rule)])

    def _readers(self, rule: Node) -> Iterator[str]:
        edges = self._feeds[rule.number]
        if edges:
            numbers = ", ".join(f"#{edge.target}" for edge in edges)
            yield f"its facts may match {numbers}{' (recursive)' * rule.recursive}"

    def _steps(self, last: int, indent: str) -> Iterator[str]:
        """The steps that lead to node ``last``, first to last."""
        spine = [last]
        while spine[-1] not in self._shown and self._inputs[spine[-1]]:
            spine.append(self._inputs[spine[-1]][0].source)
        for number in reversed(spine):
            yield from self._step(self._diagram.node(number), indent)

    def _step(self, node: Node, indent: str) -> Iterator[str]:
        if node.number in self._shown:
            yield f"{indent}├─ {self._again(node)}"
            return
        self._shown.add(node.number)
        line = f"{indent}├─ #{node.number} {self._said(node)}"
        if node.kind != "join":
            yield line + self._marks(node)
            return
        right = self._diagram.node(self._inputs[node.number][1].source)
        marks = self._marks(node)
        if right.number in self._shown:
            yield f"{line} with {self._again(right)}{marks}"
        elif right.kind == "pattern":
            self._shown.add(right.number)
            yield f"{line} with #{right.number} {self._said(right)}{self._marks(right)}{marks}"
        else:
            yield f"{line} with{marks}"
            yield from self._steps(right.number, f"{indent}│  ")

    def _said(self, node: Node) -> str:
        text = " ".join(map(plain, node.label))
        match node.kind:
            case "join":
                return f"join on {text}" if text else "join every pair"
            case "filter":
                return f"keep if {text}{_in_brackets(node.builtin)}"
            case "function":
                return f"let {text}{_in_brackets(node.builtin)}"
        return text

    def _again(self, node: Node) -> str:
        mark = f"shared by {listed(node.rules)}" if node.shared else "again"
        text = f" {self._said(node)}" if node.kind == "pattern" else ""
        return f"#{node.number}{text} ({mark})"

    def _marks(self, node: Node) -> str:
        marks = []
        if node.shared:
            marks.append(f"shared by {listed(node.rules)}")
        if node.fed:
            marks.append(f"{'also ' * node.given}given by {listed(node.fed)}")
        elif node.kind == "pattern" and not node.given:
            marks.append("nothing gives such facts")
        marks += _renamings(node)
        return f" ({'; '.join(marks)})" if marks else ""


def _renamings(node: Node) -> list[str]:
    pairs = dict.fromkeys(pair for source in node.renamed for pair in source)
    return [", ".join(f"{there} as {here}" for there, here in pairs)] if pairs else []


def _in_brackets(builtin: str) -> str:
    return f"  [{builtin}]" if builtin else ""


def _tail(lines: list[str]) -> Iterator[str]:
    for i, line in enumerate(lines, 1):
        yield f"{'└─' if i == len(lines) else '├─'} {line}"
