"""Many worlds by seed: where engine and oracle disagree, and what the worlds are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

from temporal.hypothetical.rif_rules.reports.status_reports import WITHOUT_EVIDENCE, StatusReport
from tests.generators.hypothetical.worlds import DERIVED, DOMAIN, FRESH, of_seed
from tests.oracles.possible.states import states
from tests.oracles.possible.worlds import World, WorldTooBig, is_variable
from tests.simulation.possible.comparison import WorldRun, disagreement, run


def disagreements(seeds: Iterable[int], folder: Path) -> Iterator[tuple[int, str]]:
    """The seeds of worlds that the engine does not tell as the oracle does, and how."""
    for seed in seeds:
        with suppress(WorldTooBig):
            fault = disagreement(of_seed(seed), folder)
            if fault is not None:
                yield seed, fault


def profile(seeds: Iterable[int], folder: Path) -> Counter[str]:
    """In how many worlds each thing happens."""
    found: Counter[str] = Counter()
    for seed in seeds:
        world = of_seed(seed)
        with suppress(WorldTooBig):
            list(states(world, DOMAIN, FRESH))
            found["compared"] += 1
        found.update(set(_features(world, run(world, folder))))
    return found


def _spread(entries: Iterable[StatusReport]) -> bool:
    return len({each.confidence for each in entries}) > 1


def _features(world: World, ran: WorldRun) -> Iterator[str]:
    told = [each for some in ran.told for each in some]
    held = [entry for _, entries in ran.states for entry in entries]
    yield from (each.status.name.lower() for each in told)
    happens = {
        "a fact with free variables": any(is_variable(t) for e in held for t in e.fact.args),
        "a test that waits": any(entry.tests for entry in held),
        "evidence of several triples": any(len(entry.evidence) > 1 for entry in held),
        "no deadline": any(entry.deadline is None for entry in held),
        "more than three at once": any(len(entries) > 3 for _, entries in ran.states),
        "evidence taken back": any(each.retracted is not None for each in told),
        "delays": held and (world.delay or world.delays),
        "delays of predicates": held and world.delays,
        "operators": held and world.metric,
        "a derived relation": held and any(rule.head[1] == DERIVED for rule in world.rules),
        "chances": any(e.confidence not in {None, Fraction(0), Fraction(1)} for e in held),
        "several confidences at once": any(_spread(entries) for _, entries in ran.states),
        "dropped": "dropped: " in ran.printed.err,
        "dropped, with chances": world.chances and "dropped: " in ran.printed.err,
        "withdrawn as dropped": any(str(each.because).startswith("dropped") for each in told),
        "withdrawn as possible without evidence": any(e.because == WITHOUT_EVIDENCE for e in told),
        "--expect": held and world.expect is not None,
        "refused": ran.printed.code == 3,
        "R4503": "R4503" in ran.printed.err,
    }
    yield from (name for name, does in happens.items() if does)
