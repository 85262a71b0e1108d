"""Explanations as JSON."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from typing import Final, TypeAlias

from r4.changes import ERROR
from r4.clock import Clock
from r4.explain.tree import (
    Absence,
    Asserted,
    Cause,
    Concluded,
    Condition,
    Explanation,
    Node,
    Span,
    Statement,
    Tree,
)
from rete.delta import NEG_INF, POS_INF
from rete.explain import Names
from rete.plan import TRIPLES

Value: TypeAlias = "dict[str, Value] | list[Value] | str | int | bool | None"

DEEPEST: Final = 100
"""Levels of a tree; what is deeper is a tree of its own, as many readers recurse."""


def as_json(found: Explanation, names: Names, clock: Clock) -> str:
    """The explanation as one object, its terms in N-Triples, without a line end at the end."""
    return json.dumps(Exported(names, clock).explanation(found), ensure_ascii=False, indent=1)


class Exported:
    """Makes values that JSON can say."""

    def __init__(self, names: Names, clock: Clock) -> None:
        self._names = names
        self._clock = clock

    def explanation(self, found: Explanation) -> Value:
        """All of it."""
        value: dict[str, Value] = {
            "fact": self.fact(found.fact),
            "at": self.time(found.at),
            "holds": found.holds,
            "known": found.known,
        }
        if found.span is None:
            value["missing"] = list(found.missing)
            value["held"] = [self.span(span) for span in found.spells]
            value["unknown"] = [
                {"term": text, "like": list(close)} for text, close in found.unknown
            ]
            value["dropped"] = self._rules(found.dropped)
            value["near"] = [self.fact(fact) for fact in found.near]
            return value
        return value | {
            "derived": found.derived,
            **self.span(found.span),
            "final": found.final,
            "kept": len(found.trees) > 0,
            "rules": self._rules(found.rules),
            "dropped": self._rules(found.dropped),
            "justifications": [self.tree(tree) for tree in found.trees],
            "complete": found.complete,
            "ends": [self.cause(cause) for cause in found.causes],
            "last": None if found.last is None else self.tree(found.last),
        }

    def _rules(self, numbers: Iterable[int]) -> Value:
        return [self._names.labels.get(number, number) for number in numbers]

    def tree(self, tree: Tree) -> Value:
        """A justification; ``continued`` has what is too deep for its place."""
        leaves = {node.fact: node for node in tree.nodes if isinstance(node, Asserted)}
        deeper: deque[Concluded] = deque()
        value: dict[str, Value] = {
            "size": tree.size,
            **self.span(tree.span),
            "facts": [self.node(leaf, deeper, 0) for leaf in leaves.values()],
            "proof": self.node(tree.root, deeper, 0),
        }
        if deeper:
            value["continued"] = list(self._continued(deeper))
        return value

    def _continued(self, deeper: deque[Concluded]) -> Iterable[Value]:
        while deeper:
            yield self.node(deeper.popleft(), deeper, 0)

    def node(self, node: Node, deeper: deque[Concluded], depth: int) -> Value:
        """A node with what is below it."""
        match node:
            case Condition(text):
                return {"condition": text}
            case Absence(what, span):
                return {"absent": what, **self.span(span)}
            case Asserted():
                value: dict[str, Value] = {
                    "fact": self.fact(node.fact),
                    "asserted": node.origin.value,
                    **self.span(node.span),
                }
                if node.elements:
                    value["elements"] = [
                        {"name": each.name, **self.span(each.span)} for each in node.elements
                    ]
                if node.rule:
                    value["rule"] = self._names.labels.get(node.rule, node.rule)
                if node.same:
                    value["same"] = [[one, other] for one, other in node.same]
                return value
            case Concluded():
                value = {
                    "fact": self.fact(node.fact),
                    "rule": node.label,
                    **self.span(node.span),
                }
                if node.again:
                    return value | {"again": True}
                if depth == DEEPEST:
                    deeper.append(node)
                    return value | {"again": True}
                below = [self.node(each, deeper, depth + 1) for each in node.because]
                return value | {"because": below}

    def cause(self, cause: Cause) -> Value:
        """Why something ended."""
        node = self.node(cause.node, deque(), 0)
        assert isinstance(node, dict)
        return {"why": cause.went.value, **node}

    def span(self, span: Span) -> dict[str, Value]:
        """``from`` and ``until``; null where there is no end."""
        return {"from": self.time(span.since), "until": self.time(span.until)}

    def time(self, tick: int) -> Value:
        """An instant as in the lines of a run."""
        if not NEG_INF < tick < POS_INF:
            return None
        text = self._clock.text(tick)
        return text if "T" in text else int(text)

    @staticmethod
    def fact(fact: Statement) -> Value:
        """A fact as in the lines of a run."""
        if fact.relation == TRIPLES:
            s, p, o = fact.terms
            return {"s": s, "p": p, "o": o}
        if fact.relation == ERROR:
            return {"error": True}
        return {"atom": f"{fact.relation.op}({' '.join(fact.terms)})"}
