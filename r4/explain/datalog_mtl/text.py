"""An explanation as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.explain.datalog_mtl.explanation import DataProof, ModelExplanation
from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.datalog_mtl.proof_nodes import NodeKind, ProofNode, nodes_of
from rete.drawing.tree_lines import tree_lines
from rete.storage.interval_sets import IntervalSet

_TIMES: Final = 5
"""So many intervals are shown."""
_LINKS: Final = 6
"""Of a longer chain of parts the first and the last are shown."""
_DEEPEST: Final = 12
"""So many levels are shown."""
_DATA: Final = 3
"""So many facts of the data are named in place of deeper levels."""


def as_text(found: ModelExplanation, writer: NotationWriter) -> str:
    """The explanation as lines of text, without a line end after the last one."""
    return "\n".join(_lines(found, writer))


def head_lines(found: ModelExplanation, writer: NotationWriter) -> Iterator[str]:
    """The lines above the proofs; all lines if the fact does not hold."""
    question = found.question
    fact = writer.fact_of(question.key, question.terms)
    when = writer.interval(question.when)
    if found.holds:
        yield f"{fact} holds in {when}"
        if not found.proofs:
            yield "its reasons were not found: they lead too far, and the data are too many"
        return
    if not found.held:
        yield f"{fact} does not hold in {when}"
    else:
        yield f"{fact} does not hold in all of {when}"
        part = "" if found.shown == question.when else f", of {writer.interval(found.shown)}"
        yield f"it holds in {_times(found.held, writer)}{part}"
    assert found.missing_at is not None
    if found.taken:
        yield f"at {writer.point(found.missing_at)} the update took away:"
        for proof in found.taken:
            facts = ", ".join(changed_facts(proof, writer))
            yield f"  {source_of(proof, writer) or 'several rules'}: {facts}"
    if found.missing:
        yield f"what rules lack at {writer.point(found.missing_at)} that could derive it:"
        yield from (f"  {line}" for line in found.missing)
    else:
        yield f"at {writer.point(found.missing_at)} it is not in the data, and no rule derives it"


def source_of(proof: DataProof, writer: NotationWriter) -> str | None:
    """The place of the rule that derives the fact at last, or the data; None: of several."""
    if proof.root is None:
        return None
    if proof.root.kind is NodeKind.DATA:
        return "the data"
    return writer.place(proof.root.rule) if proof.root.rule else None


def changed_facts(proof: DataProof, writer: NotationWriter) -> list[str]:
    """The data of a proof that the other side of an update has not, with what is used of them."""
    return [f"{each.text}@{writer.interval(when)}" for each in proof.data for when in each.changed]


def _lines(found: ModelExplanation, writer: NotationWriter) -> Iterator[str]:
    yield from head_lines(found, writer)
    for number, proof in enumerate(found.proofs, 1):
        yield ""
        yield from title_lines(found, number, proof, writer)
        if proof.root is None:
            yield from (f"  {each.text}@{writer.interval(each.datum)}" for each in proof.data)
        else:
            yield from _tree(proof.root, writer)
    if found.holds and found.proofs and not found.complete:
        yield ""
        yield "there may be more justifications"


def title_lines(
    found: ModelExplanation, number: int, proof: DataProof, writer: NotationWriter
) -> Iterator[str]:
    """The lines above a proof: how many data it has, and which place it is about."""
    count = len(proof.data)
    facts = f"{count} fact{'s' * (count != 1)}"
    alone = len(found.proofs) == 1 and found.complete
    yield f"{'because of' if alone else f'{number}. because of'} {facts}"
    if proof.root is None:
        yield "their derivation is longer than what is searched for"
    elif proof.shift:
        way = "earlier" if proof.shift > 0 else "later"
        when = writer.interval(proof.when)
        yield f"shown where it is the same {writer.distance(proof.shift)} {way}, in {when}"
    elif proof.when != found.question.when:
        yield f"shown in {writer.interval(proof.when)}; beyond, it goes on like that"


def _times(cells: IntervalSet, writer: NotationWriter) -> str:
    shown = ", ".join(map(writer.interval, cells[:_TIMES]))
    more = len(cells) - _TIMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _tree(root: ProofNode, writer: NotationWriter) -> Iterator[str]:
    """The root, and beneath it the tree."""
    explained: set[int] = set()

    def show(node: ProofNode | str, level: int) -> tuple[str, list[ProofNode | str]]:
        if isinstance(node, str):
            return node, []
        line = node_line(node, writer)
        if not node.children:
            return line, []
        if id(node) in explained:
            return f"{line} (as above)", []
        explained.add(id(node))
        return line, [_deeper(node, writer)] if level >= _DEEPEST else shown_children(node)

    yield node_line(root, writer)
    yield from tree_lines(shown_children(root), show)


def _deeper(node: ProofNode, writer: NotationWriter) -> str:
    """The line in place of what is too deep: from which data it follows."""
    data = [each for each in nodes_of(node) if each.kind is NodeKind.DATA]
    texts = list(dict.fromkeys(f"{each.text}@{writer.interval(each.when)}" for each in data))
    more = len(texts) - _DATA
    return (
        f"… and so on, from {', '.join(texts[:_DATA]) or 'TOP'}{f' and {more} more' * (more > 0)}"
    )


def shown_children(node: ProofNode) -> list[ProofNode | str]:
    """What is shown below a node: of a long chain only some."""
    if node.kind is not NodeKind.PARTS or len(node.children) <= _LINKS:
        return list(node.children)
    first, *others, last = node.children
    return [first, f"… {len(others)} more", last]


def node_line(node: ProofNode, writer: NotationWriter) -> str:
    """One line of the tree."""
    when = writer.interval(node.when)
    match node.kind:
        case NodeKind.DERIVED:
            return f"{node.text}@{when}  by {writer.place(node.rule)}"
        case NodeKind.DATA:
            assert node.datum is not None
            whole = "" if node.datum == node.when else f" {writer.interval(node.datum)}"
            changed = f", {node.changed}" if node.changed else ""
            return f"{node.text}@{when}  data{whole}{changed}"
        case NodeKind.OPERATOR:
            return f"{node.text}  in {when}"
        case NodeKind.PARTS:
            return f"{node.text}@{when}  in parts" if node.text else f"in {when}"
    return node.text
