"""Explanations for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.clock import Clock
from r4.explain.tree import (
    Absence,
    Asserted,
    Concluded,
    Condition,
    Explanation,
    Node,
    Origin,
    Span,
    Tree,
    Went,
)
from r4.explain.wording import rule_name, said, term
from rete.delta import NEG_INF, POS_INF
from rete.explain import Names

_ENDS: Final = {
    Went.EXPIRED: "leaves the window",
    Went.ENDED: "ends",
    Went.RETRACTED: "is taken back",
}
_ELEMENTS: Final = 3
"""So many elements of one fact are named."""


def as_text(found: Explanation, names: Names, clock: Clock) -> str:
    """The explanation as lines of text, without a line end after the last one."""
    return "\n".join(Lines(names, clock).explanation(found))


class Lines:
    """Says it line by line."""

    def __init__(self, names: Names, clock: Clock) -> None:
        self._names = names
        self._clock = clock
        self._day = ""

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
            count = len(found.trees)
            shown = f"the {count}" if count > 1 else "the one"
            if found.known:
                yield f"there may be more justifications than {shown} shown"
            else:
                yield "there may have been more justifications: what ended since then is forgotten"
        if found.last is not None:
            yield ""
            yield self.title_of_last(found.last)
            yield from self.tree(found.last)

    def head(self, found: Explanation) -> Iterator[str]:
        """What stands above the trees; all there is if it does not hold."""
        fact, at = said(self._names, found.fact), self._clock.text(found.at)
        self._day = ""
        if not found.known and found.span is None:
            yield f"{fact} is not known to hold at {at}: what ended since then is forgotten"
            return
        if found.span is None:
            yield f"{fact} does not hold at {at}"
            yield from self._missing(found)
            return
        yield f"{fact} holds at {at}"
        yield self.when(found)
        yield from self.why_until(found)
        if not found.trees:
            yield self.not_kept(found)
        self._day = at.partition("T")[0] if "T" in at else ""

    def when(self, found: Explanation) -> str:
        """Since when and until when it holds."""
        assert found.span is not None
        how = "derived" if found.derived else "asserted"
        always = found.span == Span(NEG_INF, POS_INF)
        known = "" if found.final or always else ", as far as is known"
        return f"{how} {self.span(found.span)}{known}"

    def why_until(self, found: Explanation) -> Iterator[str]:
        """Why it ends when it does: a line each for what ends together."""
        together: dict[tuple[str, str], list[str]] = {}
        for cause in found.causes:
            node = cause.node
            if isinstance(node, Absence):
                together.setdefault(("", node.what), [])
            else:
                key = _ENDS[cause.went], self._by(node)
                together.setdefault(key, []).append(said(self._names, node.fact))
        for (how, what), facts in together.items():
            if not how:
                yield f"it ends as there is {what}"
            elif what:
                yield f"it ends as {what.removeprefix(' by ')} {how}: {', '.join(facts)}"
            else:
                yield f"it ends as this {how}: {', '.join(facts)}"

    def title(self, found: Explanation, number: int, tree: Tree) -> str:
        """What stands above a justification."""
        alone = len(found.trees) == 1 and found.complete
        which = "because of" if alone else f"{number}. because of"
        return f"{which} {self._facts(tree)}, {self.span(tree.span)}"

    def title_of_last(self, tree: Tree) -> str:
        """What stands above a justification that held to the end."""
        return f"at its end because of {self._facts(tree)}, {self.span(tree.span)}"

    @staticmethod
    def _facts(tree: Tree) -> str:
        return f"{tree.size} fact{'' if tree.size == 1 else 's'}"

    def not_kept(self, found: Explanation) -> str:
        """That its input is gone, and which rules gave it."""
        rules = " and ".join(rule_name(self._names, rule) for rule in found.rules)
        by = f"it follows by {rules}; " if rules else ""
        return f"{by}the input it followed from was not kept"

    def _missing(self, found: Explanation) -> Iterator[str]:
        for span in found.spells:
            yield f"it was derived {self.span(span)}"
        if not found.missing:
            yield "it is not asserted then, and no rule derives such a fact"
            return
        yield "what rules lack that could derive it:"
        yield from (f"  {line}" for line in found.missing)

    def span(self, span: Span) -> str:
        """An interval of ticks."""
        if span.since == NEG_INF:
            return "always" if span.until == POS_INF else f"until {self.time(span.until)}"
        since = f"from {self.time(span.since)}"
        return f"{since} on" if span.until == POS_INF else f"{since} to {self.time(span.until)}"

    def time(self, tick: int) -> str:
        """An instant; below the first lines without its day, if that is the one asked about."""
        text = self._clock.text(tick)
        return text.removeprefix(f"{self._day}T") if self._day else text

    def tree(self, tree: Tree) -> Iterator[str]:
        """The tree, without recursion: proofs may be deep."""
        yield self.node(tree.root, tree.span)
        stack = [("", iter(_below(tree.root)), len(_below(tree.root)))]
        while stack:
            indent, rest, left = stack.pop()
            node = next(rest, None)
            if node is None:
                continue
            last = left == 1
            yield f"{indent}{'└─' if last else '├─'} {self.node(node, tree.span)}"
            stack.append((indent, rest, left - 1))
            below = _below(node)
            if below:
                stack.append((f"{indent}{'   ' if last else '│  '}", iter(below), len(below)))

    def node(self, node: Node, whole: Span) -> str:
        """One line of the tree, marked if what it says is the first to end."""
        match node:
            case Condition(text):
                return text
            case Absence(span=span):
                return f"{node.text}{self._ends(span, whole)}"
            case Asserted(fact, _, _, span):
                return f"{said(self._names, fact)}{self.origin(node)}{self._ends(span, whole)}"
            case Concluded(fact, rule, again=again):
                mark = " (as above)" if again else ""
                return f"{said(self._names, fact)}  by {rule_name(self._names, rule)}{mark}"

    @staticmethod
    def _ends(span: Span, whole: Span) -> str:
        ends = span.until == whole.until < POS_INF
        return "  ← ends first" if ends else ""

    def origin(self, leaf: Asserted) -> str:
        """Where a fact comes from."""
        same = "".join(
            f", with {term(self._names, one)} the same as {term(self._names, other)}"
            for one, other in leaf.same
        )
        match leaf.origin:
            case Origin.RULES:
                return f"  stated as {rule_name(self._names, leaf.rule)}{same}"
            case Origin.STATIC:
                return f"  static{same}"
            case Origin.LATER:
                return f"  asserted {self.span(leaf.span)}{same}"
        names = self._by(leaf)
        return f"  asserted{names} {self.span(leaf.span)}{same}"

    def _by(self, leaf: Asserted) -> str:
        named = [term(self._names, each.name) for each in leaf.elements if each.name is not None]
        if not named:
            return ""
        more = len(named) - _ELEMENTS
        shown = ", ".join(named[:_ELEMENTS])
        return f" by {shown} and {more} more" if more > 0 else f" by {shown}"


def _below(node: Node) -> tuple[Node, ...]:
    return node.because if isinstance(node, Concluded) else ()
