"""Many stories by seed: the mix of kinds, and what they exercise."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import networkx as nx

from rete.agenda import LimitReached
from rif.ast import Group
from tests.cases.finite import made_by, read_by
from tests.cases.story import Join, Say, Sentence, Story, items_of
from tests.cases.taking_back import story
from tests.draw import from_seed
from tests.oracles.formulas import TooBig
from tests.retracting.run import Run
from tests.retracting.showing import Disagreement, shown

MIX: Final = (*("dense", "plain", "naf") * 8, "regime")
"""The kinds of stories, by seed. One above a regime takes ten times as long as another."""


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


def mixed(seed: int) -> Story:
    """The story of a seed, in the mix."""
    return story(from_seed(seed), kind=kind_of(seed))


def features_of(told: Story) -> set[str]:
    """What can be said of a story before it is played."""
    found = {told.semantics, f"kind {told.kind}", f"ends {told.ends}"}
    joined = [step.document for step in told.steps if isinstance(step, Join)]
    items = [item for each in (told.document, *joined) for item in items_of(each)]
    circles = [one for one in _circles(items) if len(one) > 1]
    if circles:
        found.add("mutual recursion of predicates")
    if "Naf(" in repr(items):
        found.add("negation")
    return found


def _circles(items: Sequence[Sentence]) -> Iterator[set[str]]:
    """The sets of predicates each of which rests on each."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for item in items:
        if not isinstance(item, Group):
            graph.add_edges_from(product(read_by(item), made_by(item)))
    yield from nx.strongly_connected_components(graph)


def _sort(step: object) -> str:
    if isinstance(step, Say) and step.takes_back:
        return "retract"
    return {
        "Say": "assert",
        "Always": "assert without a name",
        "Move": "advance",
        "Forget": "forget",
        "Join": "add rules",
        "Drop": "drop a rule",
    }[type(step).__name__]


def fault_of(told: Story, *, every: int = 1) -> tuple[set[str], str | None]:
    """What a story exercises, and where the engine is wrong; None: nowhere."""
    run = None
    try:
        run = Run(told, every=every)
        run.play()
    except Disagreement as found:
        return set() if run is None else run.found, f"{found}\n{shown(told)}"
    except (TooBig, LimitReached):
        return {"too big"}, None
    except Exception:  # noqa: BLE001 - to be shown with its story
        return set(), f"{traceback.format_exc()}\n{shown(told)}"
    return run.found, None


def compare(
    count: int, first: int = 0, *, kind: str = "mixed", every: int = 3
) -> tuple[Profile, dict[int, str]]:
    """What ``count`` stories by seed exercise, and where the engine disagrees."""
    profile = Profile()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        told = mixed(seed) if kind == "mixed" else story(from_seed(seed), kind=kind)
        found, fault = fault_of(told, every=every)
        profile.note(told, found)
        if fault:
            faults[seed] = fault
    return profile, faults
