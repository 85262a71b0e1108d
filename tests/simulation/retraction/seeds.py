"""Many stories by seed: the mix of kinds, and what they exercise."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import networkx as nx

from rete.inference.errors import LimitReached
from rif.syntax.ast import Group
from tests.generators.draw import from_seed
from tests.generators.rules.termination import made_by, read_by
from tests.generators.shrinking import Sentence
from tests.generators.stories.retraction import story
from tests.generators.stories.steps import (
    ElementStep,
    FrontierStep,
    RuleAddition,
    RuleRemoval,
    Story,
    SweepStep,
    TripleStep,
    items_of,
)
from tests.oracles.rules.formulas import TooBig
from tests.simulation.retraction.disagreement import Disagreement, story_text
from tests.simulation.retraction.story_run import StoryRun

MIX: Final = (*("dense", "plain", "naf") * 8, "regime")
"""The kinds of stories, by seed. One above a regime takes ten times as long as another."""
_STEP_NAMES: Final[dict[type, str]] = {
    ElementStep: "assert",
    TripleStep: "assert without a name",
    FrontierStep: "advance",
    SweepStep: "forget",
    RuleAddition: "add rules",
    RuleRemoval: "drop a rule",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """In how many stories something is, and how many steps there are of each sort."""

    features: Counter[str] = field(default_factory=Counter)
    steps: Counter[str] = field(default_factory=Counter)

    def note(self, told: Story, found: set[str]) -> None:
        """Count a story that exercises this."""
        self.features.update(found | features_of(told))
        if found & {"second round", "expiry"}:
            self.features["second round or expiry"] += 1
        self.steps.update(map(_sort, told.steps))


def kind_of(seed: int) -> str:
    """The kind of the story of a seed, in the mix."""
    return MIX[seed % len(MIX)]


def story_of_seed(seed: int) -> Story:
    """The story of a seed, in the mix."""
    return story(from_seed(seed), kind=kind_of(seed))


def features_of(told: Story) -> set[str]:
    """What can be said of a story before it is played."""
    found = {told.semantics, f"kind {told.kind}", f"ends {told.ends}"}
    joined = [step.document for step in told.steps if isinstance(step, RuleAddition)]
    items = [item for each in (told.document, *joined) for item in items_of(each)]
    circles = [one for one in _circles(items) if len(one) > 1]
    if circles:
        found.add("mutual recursion of predicates")
    if "Naf(" in repr(items):
        found.add("negation")
    return found


def _circles(items: Sequence[Sentence]) -> Iterator[set[str]]:
    """The sets of predicates each of which depends on each."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for item in items:
        if not isinstance(item, Group):
            graph.add_edges_from(product(read_by(item), made_by(item)))
    yield from nx.strongly_connected_components(graph)


def _sort(step: object) -> str:
    if isinstance(step, ElementStep) and step.takes_back:
        return "retract"
    return _STEP_NAMES[type(step)]


def disagreement_of(told: Story, *, every: int = 1) -> tuple[set[str], str | None]:
    """What a story exercises, and where the engine is wrong; None: nowhere."""
    run = None
    try:
        run = StoryRun(told, every=every)
        run.play()
    except Disagreement as found:
        return set() if run is None else run.found, f"{found}\n{story_text(told)}"
    except (TooBig, LimitReached):
        return {"too big"}, None
    except Exception:  # noqa: BLE001 - to be shown with its story
        return set(), f"{traceback.format_exc()}\n{story_text(told)}"
    return run.found, None


def compare(
    count: int, first: int = 0, *, kind: str = "mixed", every: int = 3
) -> tuple[Profile, dict[int, str]]:
    """What ``count`` stories by seed exercise, and where the engine disagrees."""
    profile = Profile()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        told = story_of_seed(seed) if kind == "mixed" else story(from_seed(seed), kind=kind)
        found, fault = disagreement_of(told, every=every)
        profile.note(told, found)
        if fault:
            faults[seed] = fault
    return profile, faults
