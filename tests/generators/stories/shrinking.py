"""The smallest part of a story that still fails: for failures found by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rif.syntax.ast import Group
from tests.generators.shrinking import fewer_sentences, put, shrink, without_one
from tests.generators.stories.steps import (
    ElementStep,
    RuleAddition,
    Step,
    Story,
    TripleStep,
    items_of,
)


def minimal(story: Story, fails: Callable[[Story], bool]) -> Story:
    """A story from which nothing can be left out without passing."""
    return shrink(story, _smaller, fails)


def _smaller(story: Story) -> Iterator[Story]:
    """Every story with one thing less, the largest things first."""
    for steps in without_one(story.steps):
        yield replace(story, steps=steps)
    for sentences in fewer_sentences(items_of(story.document)):
        group = Group(sentences)
        yield replace(story, document=replace(story.document, group=group))
    for statics in without_one(story.statics):
        yield replace(story, statics=statics)
    for place, step in enumerate(story.steps):
        for less in _less(step):
            yield replace(story, steps=put(story.steps, place, less))
    for plainer in (
        replace(story, batch=1),
        replace(story, delay=0),
        replace(story, window=None),
        replace(story, semantics="facts"),
        replace(story, keep=any(isinstance(step, RuleAddition) for step in story.steps)),
        replace(story, small=False),
        replace(story, ends="now"),
    ):
        if plainer != story:
            yield plainer


def _less(step: Step) -> Iterator[Step]:
    if isinstance(step, ElementStep | TripleStep):
        for triples in without_one(step.triples):
            yield replace(step, triples=triples)
    if isinstance(step, ElementStep):
        for names in without_one(step.names):
            yield replace(step, names=names)
        for rows in without_one(step.rows):
            yield replace(step, rows=rows)
        if step.end is not None:
            yield replace(step, end=None)
