"""The mix of cases: runs of text, and stories in which things are taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tests.generators.draw import Draw, from_seed
from tests.generators.stories.ranked_rules import ranked
from tests.generators.stories.retraction import story
from tests.generators.stories.steps import RuleAddition, RuleRemoval, Story
from tests.generators.streams.metric_runs import random_metric_case
from tests.generators.streams.runs import RunCase, random_case

SHARDS: Final = (1, 2, 4, 7)
MIX: Final = (
    *("ranked", "plain", "ranked naf", "metric", "dense"),
    *("ranked", "naf", "ranked boxes", "metric naf", "ranked", "naf story", "ranked naf"),
)
"""The kinds of cases, by seed."""


def case_of(seed: int) -> RunCase | Story:
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
            return without_rule_changes(story(from_seed(seed), kind=kind.removesuffix(" story")))


def _ranked(draw: Draw, kind: str) -> Story:
    """A story of rules in ranks."""
    told = without_rule_changes(story(draw, kind="dense"))
    negation, boxes = kind == "ranked naf", kind == "ranked boxes"
    rules = ranked(draw, negation=negation, boxes=boxes)
    semantics = "facts" if negation or boxes else told.semantics
    # Of what is short several facts are needed for as long as a box is.
    window = draw.integer(2, 3) if boxes else told.window
    return replace(told, document=rules, semantics=semantics, window=window)


def without_rule_changes(told: Story) -> Story:
    """The story of which no rule joins or is dropped: shards know none of that."""
    steps = tuple(step for step in told.steps if not isinstance(step, RuleAddition | RuleRemoval))
    return replace(told, steps=steps, keep=False)
