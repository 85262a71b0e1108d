"""The rules of a story as programs of the engine."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.regimes import regime
from r4.time.ticks import TimeScale
from rif.syntax.ast import Document, Group
from tests.generators.stories.steps import Story

BEFORE: Final = 100
"""The rules of a regime have numbers from here on."""


def compiled(rules: Document, story: Story) -> Program:
    """The program of ``rules``, above the regime of the story."""
    instances = story.semantics == "instances"
    mine = compile_document(rules, TimeScale(), instances=instances)
    if story.regime:
        given = _background(story.regime)
        labels = (*mine.labels, *range(len(mine.labels), BEFORE), *given.labels)
        mine = replace(given, emits=mine.emits, facts=mine.facts, labels=labels, places=mine.places)
    return replace(mine, window=story.window)


def joining(rules: Document, story: Story, running: Program) -> Program:
    """The program of ``rules`` that join those of ``running``."""
    instances = story.semantics == "instances"
    return compile_document(rules, TimeScale(), running=running, instances=instances)


@cache
def _background(name: str) -> Program:
    nothing = Document(group=Group(()))
    return compile_document(nothing, TimeScale(), background=regime(name), before=BEFORE)
