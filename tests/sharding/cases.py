"""The mix of cases: runs of text, and stories in which things are taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tests.cases.ranked_rules import ranked
from tests.cases.story import Drop, Join, Story
from tests.cases.taking_back import story
from tests.draw import Draw, from_seed
from tests.metric_cases import random_metric_case
from tests.strategies import Case, random_case

SHARDS: Final = (1, 2, 4, 7)
MIX: Final = (
    *("ranked", "plain", "ranked naf", "metric", "dense"),
    *("ranked", "naf", "ranked boxes", "metric naf", "ranked", "naf story", "ranked naf"),
)
"""The kinds of cases, by seed."""


def case_of(seed: int) -> Case | Story:
    """The case of a seed, in the mix."""
    match MIX[seed % len(MIX)]:
        case "plain":
            return random_case(seed)
        case "naf":
            return random_case(seed, negation=True)
        case "metric":
            return random_metric_case(seed)
        case "metric naf":
            return random_metric_case(seed, negation=True)
        case "ranked" | "ranked naf" | "ranked boxes" as kind:
            return _ranked(from_seed(seed), kind)
        case kind:
            return kept(story(from_seed(seed), kind=kind.removesuffix(" story")))


def _ranked(draw: Draw, kind: str) -> Story:
    """A story of rules in ranks."""
    told = kept(story(draw, kind="dense"))
    negation, boxes = kind == "ranked naf", kind == "ranked boxes"
    rules = ranked(draw, negation=negation, boxes=boxes)
    semantics = "facts" if negation or boxes else told.semantics
    # Of what is short several facts are needed for as long as a box is.
    window = draw.integer(2, 3) if boxes else told.window
    return replace(told, document=rules, semantics=semantics, window=window)


def kept(told: Story) -> Story:
    """The story of which no rule joins or is dropped: shards know none of that."""
    steps = tuple(step for step in told.steps if not isinstance(step, Join | Drop))
    return replace(told, steps=steps, keep=False)
