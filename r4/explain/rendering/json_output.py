"""An explanation as one JSON object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from r4.explain.explanation import (
    AbsenceNode,
    AssertedNode,
    BuiltinNode,
    ChainNode,
    DerivedNode,
    EndCause,
    Explanation,
    GroupMembers,
    MemberChange,
    OperatorNode,
    ProofTree,
    Statement,
    StretchNode,
    TreeNode,
)
from r4.explain.rendering.lack_forms import lack_values, rule_lines
from r4.explain.rendering.phrases import Phrases
from r4.explain.rendering.tree_writer import tree_values
from r4.explain.tick_spans import TickSpan, to_ticks
from r4.time.ticks import StampFormat
from rete.arrays.delta import NEG_INF, POS_INF
from rete.drawing.export import Json, json_text
from rete.drawing.names import Names
from rete.storage.interval_sets import CellInterval
from rete.terms.relations import ERROR, TRIPLES, event_of


def as_json(found: Explanation, names: Names, clock: StampFormat) -> str:
    """The explanation as one object, its terms in N-Triples, without a line end at the end."""
    return json_text(_JsonWriter(names, clock).explanation(found))


@dataclass(frozen=True, slots=True)
class _JsonWriter:
    """Makes values for `json`."""

    names: Names
    clock: StampFormat

    def explanation(self, found: Explanation) -> Json:
        value: dict[str, Json] = {
            "fact": self.fact(found.fact),
            "at": self.time(found.at),
            "holds": found.holds,
            "known": found.known,
        }
        if found.span is None:
            value["missing"] = [*rule_lines(found.missing, Phrases(self.names, self.clock).cells)]
            value["lacks"] = lack_values(found.missing, self.cells)
            value["held"] = [self.span(span) for span in found.other_spans]
            value["unknown"] = [
                {"term": text, "like": list(close)} for text, close in found.unknown
            ]
            value["dropped"] = self._rules(found.dropped)
            value["near"] = [self.fact(fact) for fact in found.near]
            return value
        return value | {
            "derived": found.derived,
            **self.span(found.span),
            "answer": None if found.answer is None else self.span(found.answer),
            "final": found.final,
            "kept": len(found.trees) > 0,
            "rules": self._rules(found.rules),
            "dropped": self._rules(found.dropped),
            "justifications": [self.tree(tree) for tree in found.trees],
            "complete": found.complete,
            "ends": [self.cause(cause) for cause in found.causes],
            "last": None if found.last is None else self.tree(found.last),
        }

    def _rules(self, numbers: Iterable[int]) -> Json:
        return [self.names.labels.get(number, number) for number in numbers]

    def tree(self, tree: ProofTree) -> Json:
        """A justification."""
        leaves = dict.fromkeys(node for node in tree.nodes if isinstance(node, AssertedNode))
        return {
            "size": tree.size,
            **self.span(tree.span),
            "facts": list[Json](map(self._leaf, leaves)),
            **tree_values(tree.root, self.node),
        }

    def node(self, node: TreeNode) -> dict[str, Json]:  # noqa: PLR0911 - for each kind
        match node:
            case BuiltinNode(text):
                return {"condition": text}
            case AbsenceNode(what, span):
                return {"absent": what, **self.span(span)}
            case AssertedNode():
                return self._leaf(node)
            case DerivedNode():
                value: dict[str, Json] = {
                    "fact": self.fact(node.fact),
                    "rule": node.label,
                    **self.span(node.span),
                }
                return value if node.when is None else value | {"when": self.span(node.when)}
            case OperatorNode():
                value = {
                    "operator": self.names.operator(node.name, node.rho),
                    **self.span(node.span),
                    "when": self.span(node.when),
                }
                if node.event:
                    value["event"] = node.event
                if node.members is not None:
                    value |= self._members(node.members)
                return value | {"kept": False, "of": node.what} if node.what else value
            case StretchNode():
                return {"throughout" if node.throughout else "when": self.span(node.when)}
            case ChainNode():
                return {"chain": len(node.children)}

    def _members(self, group: GroupMembers) -> dict[str, Json]:
        since = None if group.since is None else self.time(group.since.since)
        return {
            "value": group.value,
            "group": list(group.group),
            "members": group.count,
            **({"summed": True} if group.summed else {}),
            "deciding": list(group.deciding),
            "chosen": group.chosen,
            "since": since,
            "came": list(group.came),
            "gone": list(group.gone),
        }

    def _leaf(self, node: AssertedNode) -> dict[str, Json]:
        value: dict[str, Json] = {
            "fact": self.fact(node.fact),
            "asserted": node.origin.value,
            **self.span(node.span),
        }
        if node.elements:
            value["elements"] = [
                {"name": each.name, **self.span(each.span)} for each in node.elements
            ]
        if node.rule:
            value["rule"] = self.names.labels.get(node.rule, node.rule)
        if node.same:
            value["same"] = [[one, other] for one, other in node.same]
        return value

    def cause(self, cause: EndCause) -> Json:
        if isinstance(cause.node, MemberChange):
            return {
                "why": cause.kind.value,
                "operator": cause.node.name,
                "member": cause.node.what,
            }
        return {"why": cause.kind.value, **self.node(cause.node)}

    def span(self, span: TickSpan) -> dict[str, Json]:
        """``from`` and ``until``; null where there is no end."""
        return {"from": self.time(span.since), "until": self.time(span.until)}

    def cells(self, cells: CellInterval) -> Json:
        """An interval of cells."""
        return self.span(to_ticks(*cells))

    def time(self, tick: int) -> Json:
        """An instant as in the lines of a run."""
        if not NEG_INF < tick < POS_INF:
            return None
        text = self.clock.text(tick)
        return text if "T" in text else int(text)

    @classmethod
    def fact(cls, fact: Statement) -> Json:
        if (event := event_of(fact.relation)) is not None:
            word, of = event
            inner = cls.fact(Statement(of, fact.terms[: of.arity]))
            return {"event": word, "of": inner, "terms": list(fact.terms[of.arity :])}
        if fact.relation == TRIPLES:
            s, p, o = fact.terms
            return {"s": s, "p": p, "o": o}
        if fact.relation == ERROR:
            return {"error": True}
        return {"atom": f"{fact.relation.op}({' '.join(fact.terms)})"}
