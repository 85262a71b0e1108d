"""Explanations as values: why a fact holds, since when and until when, and why it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from r4.explain.lacks import Lacks
from r4.explain.tick_spans import TickSpan
from rete.arrays.delta import Cells
from rete.terms.relations import Relation


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact: the canonical texts of its terms; of a triple subject, predicate, object."""

    relation: Relation
    terms: tuple[str, ...]


class FactOrigin(Enum):
    """Where an asserted fact comes from."""

    STREAM = "stream"
    STATIC = "static"
    RULES = "rules"
    LATER = "later"
    """It was asserted outside of all elements when time had begun."""
    UNKEPT = "unkept"
    """It is derived, but what it follows from was not kept."""
    DROPPED = "dropped"
    """It was derived by a rule that is there no longer."""
    TRUNCATED = "cut"
    """It is derived, but what it follows from leads too far into the past."""
    DATA = "data"
    """It is in the data of a DatalogMTL program."""


class EndRole(Enum):
    """How something ends a justification."""

    ENDS = "ends"
    PASSES = "passes"
    """It is too long ago for a metric operator."""


@dataclass(frozen=True, slots=True)
class AssertingElement:
    """An element of a stream that asserts a fact.

    Attributes:
        name: its IRI or blank node in canonical text; None: it has none.
        span: when the fact holds by it.
    """

    name: str | None
    span: TickSpan


@dataclass(frozen=True, slots=True)
class AssertedNode:
    """A leaf: a fact that is asserted; of a model, in the part of its time that is needed.

    Attributes:
        elements: those that assert it then, by their time.
        span: the time of all of them together.
        rule: its number among the rules, if it is stated there; or the rule that derived it, if
            what it followed from is gone; else 0.
        same: pairs of canonical texts, a term of the fact and another that is the same by
            owl:sameAs or an equality.
        ends: how it ends the justification, if it is what does.
        change: what an update of the data does to it; "": nothing.
    """

    fact: Statement
    origin: FactOrigin
    elements: tuple[AssertingElement, ...]
    span: TickSpan
    rule: int = 0
    same: tuple[tuple[str, str], ...] = ()
    ends: EndRole | None = None
    change: str = ""


@dataclass(frozen=True, slots=True)
class BuiltinNode:
    """A built-in that was true, with the values it was true of, in the words of the rules."""

    text: str


@dataclass(frozen=True, slots=True)
class AbsenceNode:
    """What a rule negates, and is not there.

    Attributes:
        what: it, in the words of the rule, with the values that are known.
        span: how long it is absent, as far as is known.
        ends: how that ends the justification, if it does.
    """

    what: str
    span: TickSpan
    ends: EndRole | None = None

    @property
    def text(self) -> str:
        """That it is absent."""
        return f"no {self.what}" if " and " not in self.what else f"not ({self.what})"


@dataclass(frozen=True, slots=True)
class DerivedNode:
    """A fact that a rule derives.

    Attributes:
        rule: its number.
        label: the IRI of its annotation, or its number.
        children: what its body is true of, facts first; nothing, if ``again``.
        span: the time in which all holds that this derivation follows from; of a model, in which
            it is needed.
        again: whether it is explained in another place of the tree.
        when: the time at which it is needed, if that is not the instant of the question.
    """

    fact: Statement
    rule: int
    label: str | int
    children: tuple[TreeNode, ...]
    span: TickSpan
    again: bool = False
    when: TickSpan | None = None


@dataclass(frozen=True, slots=True)
class GroupMembers:
    """What stands behind the value of an aggregate.

    Attributes:
        value: its canonical text.
        group: those of the terms that the members share.
        count: how many solutions the group has, less those that were summed up.
        summed: whether some were; see `rete.network.summation`.
        deciding: the canonical texts of the members that make the value.
        chosen: whether only some members make the value, as of ``max`` one; the others are not
            shown.
        since: from when on it has this value; None: it is not known what changed it then.
        came, gone: the members that came then, and those that were gone, in the words of the rules.
    """

    value: str
    group: tuple[str, ...]
    count: int
    summed: bool
    deciding: tuple[str, ...]
    chosen: bool
    since: TickSpan | None
    came: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OperatorNode:
    """An operator that is true, whose operands are so at other times.

    Attributes:
        name: ``DiamondMinus``; of a head under a box that of the box.
        rho: its range in cells; None: it has none.
        head: what a rule concludes under the box; None: the operator is a condition.
        what: its operands in the words of the rules, if the state of these was not kept.
        event: of At and Ended all of it, in the words of the rules; "": it is another operator.
        members: of an aggregate what stands behind its value.
        children: what it is made of: of a diamond what holds at some time; of a box, throughout
            some; of Since two stretches, that of its right side, and then that of its left one.
        when: the time at which that holds.
        span: how long this lets the operator be true; of a model, when it must be.
        throughout: whether what it is made of holds throughout; None: the children say when.
        level: how many operators stand above it.
        again: whether it is explained in another place of the tree.
    """

    name: str
    rho: Cells | None
    children: tuple[TreeNode, ...]
    when: TickSpan
    span: TickSpan
    throughout: bool | None
    level: int = 0
    again: bool = False
    head: Statement | None = None
    what: str = ""
    event: str = ""
    members: GroupMembers | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StretchNode:
    """What holds together at a time.

    Attributes:
        throughout: whether it is needed at all of that time; else some of it is enough.
    """

    when: TickSpan
    children: tuple[TreeNode, ...]
    throughout: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ChainNode:
    """What holds one after the other, so that all of a stretch is covered.

    Attributes:
        fact: what holds through it; None: an operand.
    """

    children: tuple[TreeNode, ...]
    span: TickSpan
    fact: Statement | None = None


TreeNode: TypeAlias = (
    AssertedNode | DerivedNode | BuiltinNode | AbsenceNode | OperatorNode | StretchNode | ChainNode
)
ProofRoot: TypeAlias = AssertedNode | DerivedNode | ChainNode
"""Nodes that a proof begins with."""
InnerNode: TypeAlias = DerivedNode | OperatorNode | StretchNode | ChainNode
"""Nodes that others stand below."""


@dataclass(frozen=True, slots=True)
class ProofTree:
    """A justification as a tree.

    Attributes:
        root: the fact that is explained; a chain, if it follows in several parts of its time.
        size: how many asserted facts it follows from, each as often as it has intervals of its own.
        span: when all of them hold, and nothing is there that must be absent.
    """

    root: ProofRoot
    size: int
    span: TickSpan

    @property
    def nodes(self) -> Iterator[TreeNode]:
        """All nodes, each once, from the root on."""
        return descendants(self.root)


def without_ends(root: ProofRoot) -> ProofRoot:
    """The same tree, in which nothing is marked as what ends it."""
    made: dict[int, TreeNode] = {}
    stack: list[TreeNode] = [root]
    while stack:
        node = stack[-1]
        below = node.children if isinstance(node, InnerNode) else ()
        rest = [each for each in below if id(each) not in made]
        if rest:
            stack += rest
            continue
        stack.pop()
        if isinstance(node, InnerNode):
            made[id(node)] = replace(node, children=tuple(made[id(each)] for each in below))
        else:
            made[id(node)] = node if isinstance(node, BuiltinNode) else replace(node, ends=None)
    found = made[id(root)]
    assert isinstance(found, AssertedNode | DerivedNode | ChainNode)
    return found


def descendants(node: TreeNode) -> Iterator[TreeNode]:
    """A node and all below it, each once."""
    stack, seen = [node], {id(node)}
    while stack:
        one = stack.pop()
        yield one
        if isinstance(one, InnerNode):
            new = [each for each in one.children if id(each) not in seen]
            seen.update(map(id, new))
            stack += reversed(new)


class EndKind(Enum):
    """How something ended that a fact followed from."""

    EXPIRED = "expired"
    """Its time in the window was over."""
    ENDED = "ended"
    """Its element says so."""
    RETRACTED = "retracted"
    OVER = "over"
    """It ended or was taken back, and which of both is forgotten."""
    DROPPED = "dropped"
    """The rule that stated or derived it was dropped."""
    PASSED = "passed"
    """It is too long ago for a metric operator."""
    APPEARED = "appeared"
    """What had to be absent is there."""
    CAME = "came"
    """The group of an aggregate has a member more, so another value."""
    GONE = "gone"
    """It has one less."""


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A member that came to a group, or left it.

    Attributes:
        what: it, in the words of the rules.
        name: the aggregate, as it is written before the braces.
    """

    what: str
    name: str


@dataclass(frozen=True, slots=True)
class EndCause:
    """How something ended, so that a fact ended."""

    kind: EndKind
    node: AssertedNode | AbsenceNode | MemberChange


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a fact holds at an instant; or that it does not, and what is missing.

    Attributes:
        at: the instant, in ticks.
        span: when it holds; None: it does not hold at that instant.
        answer: when it is an answer, as `r4 run` prints it; None: not at that instant. Shorter than
            ``span`` where an entailment regime derives the fact, too.
        derived: whether it is derived; else it is asserted alone.
        trees: its justifications, smallest first; none if it holds, but its input was not kept.
        complete: whether there are no others.
        causes: why it ends when it does.
        last: a justification that held to the end, if ``trees`` do not have it.
        final: whether ``span`` is; else it is what is known so far.
        missing: what the rules that could derive it lack, nearest first.
        other_spans: when else it held or will, as far as is known, in order of time.
        unknown: its terms that are in no rule and no data, each with those it may be meant for.
        near: facts that hold then and have the same subject and predicate.
        known: whether all that held at the instant is; else there may be more justifications, and
            it may have held though ``span`` is None.
        rules: numbers of the rules that gave it, if what they used was not kept.
        dropped: those of them that are there no longer; or those that gave it before, if it holds
            no longer.
    """

    fact: Statement
    at: int
    span: TickSpan | None
    derived: bool = False
    answer: TickSpan | None = None
    trees: tuple[ProofTree, ...] = ()
    complete: bool = True
    causes: tuple[EndCause, ...] = ()
    last: ProofTree | None = None
    final: bool = True
    missing: Lacks = field(default_factory=Lacks)
    other_spans: tuple[TickSpan, ...] = ()
    unknown: tuple[tuple[str, tuple[str, ...]], ...] = ()
    near: tuple[Statement, ...] = ()
    known: bool = True
    rules: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it holds at the instant."""
        return self.span is not None

    @property
    def all_trees(self) -> tuple[ProofTree, ...]:
        """All that it shows."""
        return self.trees if self.last is None else (*self.trees, self.last)
