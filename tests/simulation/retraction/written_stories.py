"""Stories of retraction that are written by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from rif.syntax.ast import Document
from rif.syntax.terms import IRI, OWL, RDF
from tests.generators.rules.parsers import parse
from tests.generators.stories.steps import ElementStep, Step, Story
from tests.oracles.streams.run import Triple
from tests.simulation.retraction.story_run import StoryRun

EX = "http://e/"
SAME = IRI(OWL + "sameAs")
TYPE = IRI(RDF + "type")
REACHES = (
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
    "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z]))",
)
CLOSED = (REACHES[0], "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]))")
EITHER = (
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:q -> ?y])",
)


def rules(*texts: str) -> Document:
    return parse(f"Document(Prefix(ex <{EX}>) Group({' '.join(texts)}))").document


def triple(text: str) -> Triple:
    s, p, o = (SAME if word == "same" else IRI(EX + word) for word in text.split())
    return s, p, o


def element(name: str, at: int, *facts: str, back: Iterable[str] = ()) -> ElementStep:
    return ElementStep(name, at, None, tuple(map(triple, facts)), tuple(back))


def facts_after(document: Document, *steps: Step, keep: bool = False, **options: str) -> set[str]:
    """What holds after the steps, of which each was compared with the definitions."""
    return facts_of_story(Story(document, (), steps, keep=keep, **options))  # type: ignore[arg-type]


def facts_of_story(told: Story) -> set[str]:
    """The same of a story."""
    run = StoryRun(told)
    for number, step in enumerate(told.steps):
        run.take(step, number)
    now = int(run.diary.frontier)
    found = {tuple(map(short, each)) for each in run.player.core.derived_at(now)}
    return {" ".join(each) for each in found}


def short(text: str) -> str:
    return text.rpartition("/")[2].rpartition("#")[2].rstrip(">")


both = pytest.mark.parametrize("keep", [False, True])
"""Whether facts are kept for rules that join in later."""
