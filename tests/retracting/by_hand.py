"""Stories of retraction that are written by hand."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from rif.ast import Document
from rif.parser import parse
from rif.terms import IRI, OWL, RDF
from tests.cases.story import Say, Step, Story
from tests.oracles.stream import Triple
from tests.retracting.run import Run

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


def say(name: str, at: int, *facts: str, back: Iterable[str] = ()) -> Say:
    return Say(name, at, None, tuple(map(triple, facts)), tuple(back))


def holds(document: Document, *steps: Step, keep: bool = False, **options: str) -> set[str]:
    """What holds after the steps, of which each was compared with the definitions."""
    return left(Story(document, (), steps, keep=keep, **options))  # type: ignore[arg-type]


def left(told: Story) -> set[str]:
    """The same of a story."""
    run = Run(told)
    for number, step in enumerate(told.steps):
        run.take(step, number)
    now = int(run.diary.frontier)
    found = {tuple(map(short, each)) for each in run.player.core.derived_at(now)}
    return {" ".join(each) for each in found}


def short(text: str) -> str:
    return text.rpartition("/")[2].rpartition("#")[2].rstrip(">")


both = pytest.mark.parametrize("keep", [False, True])
"""Whether facts are kept for rules that join in later."""
