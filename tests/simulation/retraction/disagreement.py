"""A disagreement, and its story, to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rif.syntax.ast import Document
from tests.generators.rules.parsers import unparse
from tests.generators.stories.steps import ElementStep, RuleAddition, Story, TripleStep
from tests.oracles.streams.run import Triple, named


class Disagreement(Exception):
    """The engine is not as the definitions say."""


def raise_disagreement(what: str, found: Sequence[object], wanted: Sequence[object]) -> None:
    """Say what of the one is not in the other.

    Raises:
        Disagreement: always.
    """
    more = [one for one in found if one not in wanted]
    less = [one for one in wanted if one not in found]
    if not more and not less:  # the same in another order, or not as often
        more, less = list(found), list(wanted)
    text = [what]
    text += [f"  engine: {one}" for one in more[:6]]
    text += [f"  oracle: {one}" for one in less[:6]]
    raise Disagreement("\n".join(text))


def story_text(story: Story) -> str:
    """All that is needed to see it fail by hand."""
    options = replace(story, document=Document(), statics=(), steps=())
    lines = [str(options), unparse(story.document)]
    lines += [f"static {triple}" for triple in map(_short, story.statics)]
    for step in story.steps:
        match step:
            case ElementStep(name, start, end, triples, names, rows):
                back = [*names, *(f"{_short(row)} of {of}" for row, of in rows)]
                lines.append(
                    f"{name} {start}..{end} says {list(map(_short, triples))}, takes back {back}"
                )
            case RuleAddition(more):
                lines.append(f"join {unparse(more)}")
            case TripleStep(triples):
                lines.append(f"always {list(map(_short, triples))}")
            case _:
                lines.append(str(step))
    return "\n".join(lines)


def _short(triple: Triple) -> str:
    return " ".join(named(triple, 0)[1:])
