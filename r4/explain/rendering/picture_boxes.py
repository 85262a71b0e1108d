"""The boxes of a picture: facts with the rule that derives them, or with their origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from r4.explain.explanation import (
    AbsenceNode,
    AssertedNode,
    BuiltinNode,
    DerivedNode,
    OperatorNode,
    Statement,
    StretchNode,
    TreeNode,
)
from r4.explain.rendering.grouping import Omission, group_by_subject
from r4.explain.rendering.names import write_rule_name, write_term
from r4.explain.rendering.phrases import ENDS, Phrases
from rete.drawing.names import Label, Piece
from rete.drawing.picture.boxes import Box, wrapped
from rete.drawing.picture.proof_sheet import proof_box

_WIDEST: Final = 44
"""Characters of a line."""


def make_box(nodes: Sequence[TreeNode | Omission], phrases: Phrases) -> Box:
    """The box of nodes that are shown together, marked if it ends the justification."""
    first = nodes[0]
    match first:
        case Omission(text):
            return proof_box("filter", (text,), text)
        case OperatorNode() | StretchNode():
            text = phrases.operator(first)
            return proof_box("metric", _lines(text), text)
        case BuiltinNode():
            texts = [each.text for each in nodes if isinstance(each, BuiltinNode)]
            wide = tuple(line for text in texts for line in _wrap(((Piece(text),),)))
            return proof_box("filter", wide, ", ".join(texts))
        case AbsenceNode():
            lines, ends = _lines(first.text), first.ends is not None
            return proof_box("antijoin", lines, first.text, _marks(first), ends=ends)
    facts = list(
        dict.fromkeys(each.fact for each in nodes if isinstance(each, AssertedNode | DerivedNode))
    )
    lines = tuple(line for some in group_by_subject(facts) for line in _frame(some, phrases))
    text = phrases.frames(facts)
    if isinstance(first, DerivedNode):
        title, span = write_rule_name(phrases.names, first.rule), phrases.span(first.span)
        return proof_box("rule", lines, text, (span,), rule=first.rule, title=title)
    assert isinstance(first, AssertedNode)
    words = tuple((Piece(word),) for word in phrases.origin(first).split())
    notes = tuple("".join(piece.text for piece in line) for line in wrapped(words, _WIDEST + 8))
    ends = first.ends is not None
    return proof_box("pattern", lines, text, notes + _marks(first), ends=ends)


def _marks(node: AssertedNode | AbsenceNode) -> tuple[str, ...]:
    return () if node.ends is None else (ENDS[node.ends],)


def _lines(text: str) -> tuple[str, ...]:
    return _wrap(tuple((Piece(word),) for word in text.split()))


def _frame(facts: Sequence[Statement], phrases: Phrases) -> Iterator[str]:
    """A fact, or facts of one subject, a line each if they fit."""
    names, first = phrases.names, facts[0]
    if len(facts) == 1:
        pieces = [Piece(write_term(names, text)) for text in first.terms]
        yield from _wrap(names.fact(first.relation, pieces))
        return
    yield from _wrap(((Piece(f"{write_term(names, first.terms[0])}["),),))
    for number, fact in enumerate(facts, 1):
        slot, value = (write_term(names, text) for text in fact.terms[1:])
        close = "]" * (number == len(facts))
        for line in _wrap(((Piece(slot),), (Piece("-> "), Piece(f"{value}{close}")))):
            yield f"  {line}"


def _wrap(label: Label) -> tuple[str, ...]:
    return tuple("".join(piece.text for piece in line) for line in wrapped(label, _WIDEST))
