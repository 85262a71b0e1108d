"""Many cases by seed: where engine and oracles disagree, and what the cases exercise."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction

from temporal.hypothetical.syntax.errors import TooManyHypotheses
from tests.generators.hypothetical.queries import QueryCase, random_case
from tests.generators.hypothetical.text import (
    shown_channel,
    shown_delays,
    shown_facts,
    shown_program,
    shown_query,
)
from tests.oracles.hypothetical.definitions import Definition, DomainTooBig
from tests.oracles.hypothetical.resolution import resolved
from tests.simulation.hypothetical.engine import CUTS, QueryRun, tiny_query_stores
from tests.simulation.hypothetical.expectation import DefinitionsDisagree, Expectation, expected
from tests.simulation.hypothetical.variable_names import canonical_names

LONG = 40
"""One case of so many is long."""
CONNECTED = 8
"""One case of so many is connected."""
NESTED = 10
"""In one case of so many a rule asks more than another."""


def case_of(seed: int) -> QueryCase:
    """The case of a seed, in the mix."""
    return random_case(
        seed,
        long=is_long(seed),
        connected=seed % CONNECTED == CONNECTED // 2 - 1,
        nested=seed % NESTED == NESTED // 2 - 1,
    )


def is_long(seed: int) -> bool:
    """Whether the case of a seed is too long for the definitions."""
    return seed % LONG == LONG - 1


@dataclass(frozen=True, slots=True)
class EngineOutput:
    """The lines of the engine for a case.

    Attributes:
        lines: to the end of input.
        held, ranked, dropped: as of `Expectation`.
    """

    lines: list[str]
    held: int
    ranked: list[tuple[Fraction, str]]
    dropped: int


def engine_output(case: QueryCase, number: int = 0) -> EngineOutput:
    """The lines of the engine for a case; it keeps no more entries than it may.

    The text of the case is cut, and much is forgotten, as a number says.
    """
    with tiny_query_stores() if number % 2 else nullcontext():
        player = QueryRun(
            shown_program(case.program),
            shown_query(case.query),
            shown_delays(case.delta),
            shown_channel(case.channel),
            case.most,
        )
        lines = list(player.lines(shown_facts(case.slices), CUTS[number % len(CUTS)]))
    assert not player.intake.refused.counts
    assert case.most is None or player.most_held <= case.most
    return EngineOutput(lines, player.held, player.ranked, player.online.reports.dropped)


def without_cap(case: QueryCase) -> QueryCase:
    """The case without its cap, if it may depend on the names of variables what is dropped.

    Raises:
        TooBig: the resolution does not end soon.
    """
    if case.most is None or resolved(case.program, case.query).is_rigid:
        return case
    return replace(case, most=None)


def oracle_output(case: QueryCase, *, by_definition: bool = True) -> Expectation:
    """What the oracles tell of a case; they are compared with each other.

    Raises:
        Disagreement: they differ.
        TooBig: it would take too long.
    """
    against = None
    if by_definition:
        against = Definition(case.program, case.query, case.delta, case.domain())
    return expected(case, against=against)


def disagreement_of(
    case: QueryCase, number: int = 0, *, by_definition: bool = True
) -> tuple[set[str], str | None]:
    """What a case exercises, and what is wrong; None: nothing."""
    try:
        case = without_cap(case)
        want = oracle_output(case, by_definition=by_definition)
    except DomainTooBig:
        return {"too big"}, None
    except DefinitionsDisagree as found:
        return set(), f"the oracles disagree {found}\n{case}"
    try:
        return want.features, disagreement_in(engine_output(case, number), want, case)
    except TooManyHypotheses:
        return want.features | {"too many hypotheses"}, None
    except Exception:  # noqa: BLE001 - to be shown with its case
        return want.features, f"{traceback.format_exc()}\n{case}"


def disagreement_in(found: EngineOutput, want: Expectation, case: QueryCase) -> str | None:
    """How the lines of the engine, and the entries that it keeps, differ from the expected ones."""
    same = found.lines == want.lines
    if not want.is_rigid:
        same = canonical_names(found.lines) == canonical_names(want.lines)
    if not same:
        return f"{difference(found.lines, want.lines)}\n{case}"
    ranked = _ranking(found.ranked, want) == _ranking(want.ranked, want)
    if not ranked or (found.held, found.dropped) != (want.held, want.dropped):
        return f"it holds {found.held}: {found.ranked}, and not {want.ranked}\n{case}"
    return None


def _ranking(ranked: list[tuple[Fraction, str]], want: Expectation) -> object:
    """What is compared of a ranking."""
    if want.is_rigid:
        return ranked
    return [confidence for confidence, _ in ranked], canonical_names(line for _, line in ranked)


def difference(found: Sequence[str], want: Sequence[str]) -> str:
    """What of the one is not in the other, to be read."""
    more = [line for line in found if line not in want]
    less = [line for line in want if line not in found]
    if not more and not less:
        more, less = list(found), list(want)
    return "\n".join([*(f"  engine: {one}" for one in more), *(f"  oracle: {one}" for one in less)])


def compare(
    count: int, first: int = 0, *, by_definition: bool = True
) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed exercise, and where something is wrong."""
    profile: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        exact = by_definition and not is_long(seed)
        features, fault = disagreement_of(case_of(seed), seed, by_definition=exact)
        profile.update(features)
        if fault:
            faults[seed] = fault
    return profile, faults
