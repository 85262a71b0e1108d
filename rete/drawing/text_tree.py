"""The network as a tree for a terminal, rule by rule.

What a rule does is a sequence of steps: the first pattern, then what is joined to it, tested,
computed and taken away, from top to bottom. What was shown before is not shown again but named by
its number.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from rete.arrays.delta import POS_INF
from rete.drawing.diagram import Diagram, DiagramEdge, DiagramNode, Kind
from rete.drawing.names import duration_text, plain
from rif.errors.report import counted

Node = TypeVar("Node")


def tree_lines(
    roots: Iterable[Node], show: Callable[[Node, int], tuple[str, Iterable[Node]]]
) -> Iterator[str]:
    """``├─ a``, ``│  └─ b``: each node beneath that above it. No recursion, as trees may be deep.

    ``show`` gives the line of a node at a level, from 1, and the nodes below it. It is called in
    the order of the lines.
    """
    stack = [("", deque(roots))]
    while stack:
        indent, rest = stack[-1]
        if not rest:
            stack.pop()
            continue
        line, below = show(rest.popleft(), len(stack))
        yield f"{indent}{'├─' if rest else '└─'} {line}"
        stack.append((f"{indent}{'│  ' if rest else '   '}", deque(below)))


_COUNTED: Final[tuple[Kind, ...]] = ("rule", "pattern", "join", "antijoin", "filter", "function")
_NAMED: Final = 4
"""So many rules are listed in a mark before the rest is counted."""


def as_text(diagram: Diagram) -> str:
    """The diagram as lines of text, without a line end after the last one."""
    return "\n".join(_DiagramLines(diagram).lines())


def summary(diagram: Diagram) -> str:
    """How much there is of what, in one line."""
    count: Counter[Kind] = Counter(node.kind for node in diagram.nodes)
    count["rule"] = len({node.rules for node in diagram.rules})
    count["function"] += count["solve"]
    counts = [counted(count[kind], kind) for kind in _COUNTED if count[kind]]
    shared = sum(node.shared for node in diagram.nodes)
    return ", ".join([*counts, f"{counted(shared, 'node')} shared by several rules"])


def listed(rules: Sequence[int]) -> str:
    """``rules 1, 4``, with a count in place of what would be too long."""
    if len(rules) == 1:
        return f"rule {rules[0]}"
    named = ", ".join(map(str, rules[:_NAMED]))
    more = len(rules) - _NAMED
    return f"rules {named} and {more} more" if more > 0 else f"rules {named}"


_Item: TypeAlias = "tuple[str, list[_Item]]"
"""A line of the tree and what hangs on it."""


class _DiagramLines:
    """The lines, and what has been shown so far."""

    def __init__(self, diagram: Diagram) -> None:
        self._diagram = diagram
        self._shown: set[int] = set()
        self._feeds: dict[int, list[DiagramEdge]] = defaultdict(list)
        for edge in diagram.edges:
            if edge.derived:
                self._feeds[edge.source].append(edge)

    def lines(self) -> Iterator[str]:
        names = self._diagram.names
        yield f"{names.title}: {summary(self._diagram)}"
        if names.window:
            yield f"a streamed fact holds for {names.window}"
        if names.facts:
            yield f"{counted(names.facts, 'fact')} among the rules"
        for rule in self._diagram.rules:
            yield ""
            begin = f"{names.rule(rule.rules[0])} derives "
            for fact in rule.label:
                yield begin + plain(fact)
                begin = " " * len(begin)
            yield from tree_lines(self._rule(rule), lambda item, _: item)

    def _rule(self, rule: DiagramNode) -> list[_Item]:
        if len(rule.sources) == 1:
            items = self._steps(rule.sources[0])
        else:
            items = [
                ("or if" if i else "if", self._steps(source))
                for i, source in enumerate(rule.sources)
            ]
        items += [(f"({text})", []) for text in rule.renamings]
        edges = self._feeds[rule.number]
        if edges:
            numbers = ", ".join(f"#{edge.target}" for edge in edges)
            mark = " (recursive)" if rule.recursive else ""
            items.append((f"its facts may match {numbers}{mark}", []))
        return items

    def _steps(self, last: int) -> list[_Item]:
        spine = [self._diagram.node(last)]
        while spine[-1].number not in self._shown and spine[-1].sources:
            spine.append(self._diagram.node(spine[-1].sources[0]))
        return [self._step(node) for node in reversed(spine)]

    def _step(self, node: DiagramNode) -> _Item:
        if node.number in self._shown:
            return self._again(node), []
        self._shown.add(node.number)
        line = f"#{node.number} {_phrase(node)}"
        per_second = self._diagram.names.per_second
        marks = _marks(node, per_second)
        if len(node.sources) < 2:  # noqa: PLR2004 - nothing comes in from the side
            return line + marks, []
        begin = f"{line}{marks}{':' if node.kind == 'antijoin' else ' with'}"
        right = self._diagram.node(node.sources[1])
        if right.number in self._shown:
            return f"{begin} {self._again(right)}", []
        if not right.sources:
            self._shown.add(right.number)
            return f"{begin} #{right.number} {_phrase(right)}{_marks(right, per_second)}", []
        return begin, self._steps(right.number)

    @staticmethod
    def _again(node: DiagramNode) -> str:
        mark = f"shared by {listed(node.rules)}" if node.shared else "again"
        text = "" if node.sources else f" {_phrase(node)}"
        return f"#{node.number}{text} ({mark})"


def _phrase(node: DiagramNode) -> str:
    text = " ".join(map(plain, node.label))
    match node.kind:
        case "join":
            return f"join on {text}" if text else "join every pair"
        case "antijoin":
            return f"keep unless for {text}" if text else "keep unless"
        case "filter":
            return f"keep if {text}{_bracketed(node)}"
        case "function":
            return f"let {text}{_bracketed(node)}"
        case "solve":
            return f"for {text}{_bracketed(node)}"
    return text


def _bracketed(node: DiagramNode) -> str:
    return f" [{node.builtin}]" if node.signed else ""


def _marks(node: DiagramNode, per_second: int) -> str:
    """What there is to say of a node, in brackets; ``per_second`` as of `Names`."""
    marks = [f"shared by {listed(node.rules)}"] if node.shared else []
    if node.fed:
        marks.append(f"{'also ' * node.given}given by {listed(node.fed)}")
    elif node.unmatched:
        marks.append("nothing gives such facts")
    if node.retention >= POS_INF:
        marks.append("kept for ever")
    elif node.retention >> 1:
        marks.append(f"kept {duration_text(node.retention >> 1, per_second)} after the end")
    marks += node.renamings
    return f" ({'; '.join(marks)})" if marks else ""
