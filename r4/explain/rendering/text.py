"""An explanation as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from r4.explain.explanation import (
    AbsenceNode,
    AssertedNode,
    BuiltinNode,
    DerivedNode,
    Explanation,
    OperatorNode,
    ProofTree,
    StretchNode,
)
from r4.explain.rendering.grouping import Omission, Shown, instance_key, shown_children
from r4.explain.rendering.names import write_facts, write_rule_name
from r4.explain.rendering.phrases import ENDS, Phrases, absence_lines, other_span_lines
from r4.explain.rendering.prefixes import with_prefixes
from r4.explain.rendering.tree_writer import tree_text
from r4.explain.tick_spans import TickSpan
from r4.time.ticks import StampFormat
from rete.arrays.delta import NEG_INF, POS_INF
from rete.drawing.names import Names

_FORGOTTEN: Final = "what ended since then is forgotten; Engine(…, journal=N) keeps N triples"


def as_text(found: Explanation, names: Names, clock: StampFormat) -> str:
    """The explanation as lines of text, without a line end after the last one."""
    longer, new = with_prefixes(found, names)
    lines = list(TextWriter(longer, clock).explanation(found))
    used = [(prefix, iri) for prefix, iri in new if any(f"{prefix}:" in line for line in lines)]
    if used and len(lines) > 1:
        lines += ["", *(f"{prefix}: is short for {iri}" for prefix, iri in used)]
    return "\n".join(lines)


class TextWriter:
    """Writes an explanation line by line."""

    def __init__(self, names: Names, clock: StampFormat) -> None:
        self.phrases = Phrases(names, clock)
        self._names = names

    def explanation(self, found: Explanation) -> Iterator[str]:
        """All of it."""
        yield from self.head(found)
        if not found.holds:
            return
        for number, tree in enumerate(found.trees, 1):
            yield ""
            yield self.title(found, number, tree)
            yield from self.tree(tree)
        if found.trees and not found.complete:
            yield ""
            shown = f"the {len(found.trees)}" if len(found.trees) > 1 else "the one"
            if found.known:
                yield f"there may be more justifications than {shown} shown"
            else:
                yield f"there may have been more justifications: {_FORGOTTEN}"
        if found.last is not None:
            yield ""
            yield self.title_of_last(found.last)
            yield from self.tree(found.last)

    def head(self, found: Explanation) -> Iterator[str]:
        """The lines above the trees; all lines if the fact does not hold."""
        phrases = self.phrases
        phrases.day = ""
        fact, at = write_facts(self._names, found.fact), phrases.time(found.at)
        if not found.known and found.span is None:
            yield f"{fact} is not known to hold at {at}: {_FORGOTTEN}"
            yield from other_span_lines(found, phrases)
            return
        if found.span is None:
            yield f"{fact} does not hold at {at}"
            yield from absence_lines(found, phrases)
            return
        yield f"{fact} holds at {at}"
        yield self.span(found)
        yield from phrases.ends(found.causes)
        if not found.trees:
            yield self.not_kept(found)
        phrases.day = at.partition("T")[0] if "T" in at else ""

    def span(self, found: Explanation) -> str:
        """Since when and until when it holds."""
        assert found.span is not None
        how = "derived" if found.derived else "asserted"
        always = found.span == TickSpan(NEG_INF, POS_INF)
        known = "" if found.final or always else ", as far as is known"
        answer = ""
        if found.derived and found.answer is None:
            answer = f", no answer at {self.phrases.time(found.at)}: only the regime derives it"
        elif found.answer is not None and not found.answer.same_ticks(found.span):
            answer = f", an answer {self.phrases.span(found.answer)}"
        return f"{how} {self.phrases.span(found.span)}{answer}{known}"

    def title(self, found: Explanation, number: int, tree: ProofTree) -> str:
        """The line above a justification."""
        alone = len(found.trees) == 1 and found.complete
        which = "because of" if alone else f"{number}. because of"
        return f"{which} {self._facts(tree)}, {self.phrases.span(tree.span)}"

    def title_of_last(self, tree: ProofTree) -> str:
        """The line above a justification that held to the end."""
        return f"at its end because of {self._facts(tree)}, {self.phrases.span(tree.span)}"

    @staticmethod
    def _facts(tree: ProofTree) -> str:
        return f"{tree.size} fact{'' if tree.size == 1 else 's'}"

    def not_kept(self, found: Explanation) -> str:
        """The line of a fact whose input is gone: which rules derived it."""
        rules = " and ".join(write_rule_name(self._names, rule) for rule in found.rules)
        if found.rules and found.dropped == found.rules:
            has = "has" if len(found.dropped) == 1 else "have"
            return f"it follows by {rules}, which {has} been dropped"
        by = f"it follows by {rules}; " if rules else ""
        return f"{by}the input it followed from was not kept; a journal keeps it"

    def tree(self, tree: ProofTree) -> Iterator[str]:
        """The root, and beneath it the tree."""

        def reasons(node: Shown) -> Hashable | None:
            return instance_key(node) if isinstance(node, DerivedNode) and not node.again else None

        return tree_text(tree.root, self.line, lambda node, _: shown_children(node), reasons)

    def line(self, node: Shown, like: Shown | None) -> str:  # noqa: PLR0911 - for each kind
        """One line of the tree, marked if the node is the first to end.

        ``like``: one above that follows from the same facts by the same rule.
        """
        match node:
            case BuiltinNode(text) | Omission(text):
                return text
            case AbsenceNode():
                return f"{node.text}{self._ends(node)}"
            case DerivedNode(fact, rule, again=again, when=when):
                at = "" if when is None else f", {self.phrases.span(when)}"
                mark = " (as above)" if again else ""
                if isinstance(like, DerivedNode):
                    mark = f", for the reasons of {write_facts(self._names, like.fact)}"
                by = write_rule_name(self._names, rule)
                return f"{write_facts(self._names, fact)}  by {by}{at}{mark}"
            case OperatorNode(again=again):
                return f"{self.phrases.operator(node)}{' (as above)' if again else ''}"
            case StretchNode():
                return self.phrases.operator(node)
            case AssertedNode():
                return self._leaves((node,))
            case tuple():
                return self._leaves(node)
        message = "a chain is shown link by link"
        raise AssertionError(message)

    def _leaves(self, leaves: tuple[AssertedNode, ...]) -> str:
        first = leaves[0]
        text = write_facts(self._names, *(leaf.fact for leaf in leaves))
        return f"{text}{self.phrases.origin(first)}{self._ends(first)}"

    @staticmethod
    def _ends(node: AssertedNode | AbsenceNode) -> str:
        return "" if node.ends is None else f"  ← {ENDS[node.ends]}"
