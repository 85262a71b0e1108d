"""Random cases: a program, streams, options, and the texts of all of them.

`case` makes one from choices, wherever they come from: `random_case` takes them from a seed (fast,
for mass runs), `cases` from Hypothesis (so that a failure shrinks). Both are the same code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.generators.draw import Draw, from_hypothesis, from_seed
from tests.generators.rules.documents import document
from tests.generators.rules.text import DocumentWriter
from tests.generators.streams.elements import scenario
from tests.generators.streams.text import source_text, triples_text
from tests.generators.vocabulary import vocabulary

if TYPE_CHECKING:
    from tests.oracles.streams.run import Scenario


SHORT, LONG = 10, 300
"""How many elements a case has at most."""


@dataclass(frozen=True, slots=True)
class RunCase:
    """What the oracle reads (``scenario``) and what the engine reads (texts), of one run."""

    scenario: Scenario
    rules: str
    statics: tuple[str, ...]
    sources: tuple[str, ...]

    def options(self) -> list[str]:
        """The options of the run, files aside."""
        given = self.scenario
        found = ["--semantics", given.semantics, "--literals", "term"]
        if given.window is not None:
            found += ["--window", str(given.window)]
        if given.delay:
            found += ["--delay", str(given.delay)]
        if given.drain is not None:
            found.append("--drain" if math.isinf(given.drain) else f"--drain={given.drain}")
        return found

    def __str__(self) -> str:
        """Everything that is needed to see it fail by hand."""
        parts = [f"options: {' '.join(self.options())}", self.rules]
        parts += [f"--static:\n{text}" for text in self.statics]
        parts += [f"stream:\n{text}" for text in self.sources]
        return "\n".join(parts)


def case(draw: Draw, *, long: bool = False, negation: bool = False) -> RunCase:
    """A case; at the smallest choices one rule of one pattern and two elements.

    A long one has so many elements that stores grow and shrink, and terms come and go. One with
    ``negation`` is about facts: instances have no negation.
    """
    words = vocabulary(draw, long=long)
    rules = document(draw, words, bounded=long, negation=negation)
    run = scenario(draw, words, rules, most=LONG if long else SHORT)
    if negation:
        run = replace(run, semantics="facts")
    return RunCase(
        run,
        DocumentWriter(draw, rules.prefixes).document(rules),
        tuple(triples_text(draw, triples) for triples in run.statics),
        tuple(source_text(draw, items, run.clock) for items in run.sources),
    )


def random_case(seed: int, *, long: bool = False, negation: bool = False) -> RunCase:
    """The case of a seed."""
    return case(from_seed(seed), long=long, negation=negation)


@st.composite
def cases(draw: st.DrawFn, *, negation: bool = False) -> RunCase:
    """Cases that shrink."""
    return case(from_hypothesis(draw), negation=negation)
