"""The lines of the oracle for a case, and what the case exercises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.generators.hypothetical.queries import QueryCase
from tests.oracles.hypothetical.definitions import Definition, variables
from tests.oracles.hypothetical.output_lines import END, EntryLine, LineOracle, dumped
from tests.oracles.hypothetical.resolution import Schema, resolved
from tests.simulation.hypothetical.denotation import denotation, denotation_before_data


class DefinitionsDisagree(Exception):
    """Something is not as the definitions say."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The lines, and what was exercised.

    Attributes:
        lines: until the input ends, then of its end.
        is_rigid: whether the names of variables are beyond dispute.
        held: how many sets of hypotheses are left before that.
        ranked: those, the most probable first, with their confidences.
        dropped: how many were dropped, as there were too many.
        features: what the case exercises.
    """

    lines: list[str]
    is_rigid: bool
    held: int
    ranked: list[tuple[Fraction, str]]
    dropped: int
    features: set[str]


def expected(case: QueryCase, *, against: Definition | None = None) -> Expectation:
    """The lines of the oracle; its states are compared with Definitions 1 and 2, if they are given.

    Raises:
        Disagreement: an entry denotes what is no supported answer, or one is denoted by none.
        TooBig: the resolution does not end soon.
    """
    oracle = LineOracle(case.program, case.query, case.delta, case.channel, case.most)
    domain = case.domain()
    if against and denotation_before_data(oracle, domain) != against.supports:
        message = "before any data"
        raise DefinitionsDisagree(message)
    lines: list[EntryLine] = []
    features = set(_features_of(case))
    for tau, facts in case.slices:
        new_lines = oracle.slice(tau, facts)
        lines += new_lines
        features |= oracle.features
        if any(line["tau"] < tau for line in new_lines):
            features.add("deadline between slices")
        if against:
            wanted = against.supported(oracle.seen, tau)
            found = denotation(oracle, against, domain, tau)
            if found != wanted:
                message = (
                    f"at {tau}: more {list(found - wanted)[:3]}, less {list(wanted - found)[:3]}"
                )
                raise DefinitionsDisagree(message)
    held, ranked = oracle.held, oracle.ranked()
    lines += oracle.drain()
    return Expectation(
        list(map(dumped, lines)),
        oracle.is_rigid,
        held,
        [(confidence, dumped(line)) for confidence, line in ranked],
        oracle.dropped,
        features | set(_features_in(lines)),
    )


def _features_of(case: QueryCase) -> Iterator[str]:
    schemata = resolved(case.program, case.query).schemata
    yield from _shapes(schemata)
    facts = [fact for _, arrived in case.slices for fact in arrived]
    if any(tau > fact[2] for tau, arrived in case.slices for fact in arrived):
        yield "facts come late"
    if len(set(facts)) < len(facts):
        yield "facts come again"
    if case.delta.instances:
        yield "instances have delays"
    if case.channel:
        yield "chances"
        if case.channel.instances:
            yield "instances have chances"
    if case.most:
        yield "a cap"
    if not variables([case.query]):
        yield "query without variables"
    names = [rule.head.predicate for rule in case.program.rules]
    if any(a.predicate == r.head.predicate for r in case.program.rules for a in r.body):
        yield "recursion"
    if len(set(names)) > 1:
        yield "several layers"


def _shapes(schemata: Sequence[Schema]) -> Iterator[str]:
    if len(schemata) != 1:
        yield "several schemata" if schemata else "no schema"
    for schema in schemata:
        times = [one.base for one in (schema.answer, *schema.hypotheses)]
        free = {var for one in schema.hypotheses for var in one.variables}
        names = [one.predicate for one in schema.hypotheses]
        found = {
            "several time variables": len({*times} - {None}) > 1,
            "numbers as times": None in times,
            "times before a variable": any(o.base and o.offset < 0 for o in schema.hypotheses),
            "variables not of the query": not free.issubset(schema.answer.variables),
            "names that clash": any(var.name[-1].isdigit() for var in free if var.depth),
            "a predicate twice": len({*names}) < len(names),
            "bounds on times": any(schema.least.values()),
            "three hypotheses or more": len(names) > 2,
        }
        yield from (name for name, is_so in found.items() if is_so)


def _features_in(lines: list[EntryLine]) -> Iterator[str]:
    """The features of lines."""
    new_lines: Counter[tuple[int, str]] = Counter()
    withdrawn: set[str] = set()
    for line in lines:
        answer = dumped(line["answer"])
        ended = line["because"] == END
        yield END if ended else line["status"]
        if any("?" in atom for atom in line["hypotheses"]):
            yield "free hypotheses"
        if line["status"] == "supported":
            yield from _features_of_confidence(line.get("confidence"))
            new_lines[line["tau"], answer] += 1
            if "?" in answer:
                yield "free answer"
        if answer in withdrawn:
            yield "again after it was withdrawn"
        if line["status"] == "withdrawn":
            withdrawn.add(answer)
    if any(count > 1 for count in new_lines.values()):
        yield "several sets of hypotheses at once"


def _features_of_confidence(confidence: Fraction | None) -> Iterator[str]:
    if confidence is not None and confidence < 1:
        yield "confidence below 1" if confidence else "confidence 0"
