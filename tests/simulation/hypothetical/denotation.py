"""What schematic entries denote, to be held against the definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from tests.oracles.hypothetical.definitions import Definition, Domain, Facts, Theta, minimal
from tests.oracles.hypothetical.output_lines import LineOracle
from tests.oracles.hypothetical.resolution import Pattern, Var
from tests.oracles.hypothetical.states import Entry, applied, ground


def instances(entry: Entry, oracle: LineOracle, domain: Domain) -> Iterator[tuple[Theta, Facts]]:
    """The answers, each with hypotheses, that an entry denotes in a domain."""
    least = dict(entry.least)
    bindings: list[dict[Var, str | int]] = [{}]
    for one in entry.hypotheses:
        bindings = [
            more for each in bindings for more in _bound(applied(one, each), each, least, domain)
        ]
    for binding in bindings:
        answer = applied(entry.answer, binding)
        hypotheses = {ground(applied(one, binding)) for one in entry.hypotheses}
        if answer.offset <= domain.beyond:
            theta = tuple(value for value in oracle.theta(answer) if not isinstance(value, Var))
            yield theta, frozenset(fact for fact in hypotheses if fact)


def _bound(
    one: Pattern, given: dict[Var, str | int], least: dict[Var, int], domain: Domain
) -> Iterator[dict[Var, str | int]]:
    """The bindings that make an atom one of the domain."""
    free = sorted({arg for arg in one.args if isinstance(arg, Var)})
    times: Iterable[int | None] = [None]
    if one.base is not None:
        times = range(least.get(one.base, 0), domain.horizon - one.offset + 1)
    elif one.offset > domain.horizon:
        return
    for chosen in product(domain.constants, repeat=len(free)):
        for time in times:
            found = {**given, **dict(zip(free, chosen, strict=True))}
            if one.base is not None and time is not None:
                found[one.base] = time
            yield found


def denotation_before_data(oracle: LineOracle, domain: Domain) -> dict[Theta, set[Facts]]:
    """The minimal hypotheses of each answer that entries without evidence denote."""
    found: dict[Theta, set[Facts]] = {}
    for entry in oracle.state:
        for theta, hypotheses in instances(entry, oracle, domain):
            found.setdefault(theta, set()).add(hypotheses)
    return {theta: minimal(each) for theta, each in found.items()}


def denotation(
    oracle: LineOracle, definition: Definition, domain: Domain, tau: int
) -> set[tuple[Theta, Facts, Facts]]:
    """The supported answers that entries denote.

    Not meant are instances that are no hypothetical answers: others of them may come, or less is
    enough; these are left out by Definition 6, too, when they are ground [CruzFilipe22, section 4].
    """
    possible = definition.hypothetical(oracle.seen, tau)
    found: dict[tuple[Theta, Facts], set[Facts]] = {}
    for entry in oracle.state:
        if entry.evidence:
            for theta, lacking in instances(entry, oracle, domain):
                if lacking in possible.get(theta, ()) and lacking not in definition.supports[theta]:
                    found.setdefault((theta, lacking), set()).add(entry.evidence)
    return {(*key, evidence) for key, each in found.items() for evidence in minimal(each)}
