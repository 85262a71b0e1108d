"""Justifications and times of answers, compared with those of the definition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from r4.explain.explanation import (
    AssertedNode,
    DerivedNode,
    Explanation,
    ProofTree,
    Statement,
)
from r4.explain.question.explainer import Explainer
from r4.explain.question.playback import Playback
from r4.explain.rendering.names import collect_names
from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF, POS_INF
from rete.inference.errors import LimitReached
from rete.terms.relations import TRIPLES, Relation
from tests.oracles.rules.formulas import Fact, TooBig
from tests.oracles.rules.justifications import justifications
from tests.simulation.explanation.runs import ExplainedRun

MANY = 1000
BIGGEST = 7
"""Facts at an instant: their subsets are all looked at."""


def explanation(run: ExplainedRun, fact: Fact, at: int, limit: int = MANY) -> Explanation:
    """What an engine that plays the run says."""
    relation, texts = _relation(fact)
    ids = run.core.terms.encode_many(texts)
    run.core.terms.pin(ids)
    why = Explainer(run.core, collect_names([run.document], run.core.program, TimeScale()), limit)
    playback = Playback(run.core, why, relation, ids.tolist(), at)
    return playback.run(run.batches, lambda: run.last)


def _relation(fact: Fact) -> tuple[Relation, tuple[str, ...]]:
    if fact[0] == "triple":
        return TRIPLES, fact[1:]
    return Relation(fact[1], len(fact) - 2), fact[2:]


def _fact(said: Statement) -> Fact:
    if said.relation == TRIPLES:
        return ("triple", *said.terms)
    return ("atom", said.relation.op, *said.terms)


def leaves(tree: ProofTree) -> frozenset[Fact]:
    return frozenset(_fact(node.fact) for node in tree.nodes if isinstance(node, AssertedNode))


def check(make: Callable[[int], ExplainedRun], seed: int) -> Counter[str]:
    """Compare what is said of some fact at some instant; what the case has in it."""
    run, draw = make(seed), random.Random(seed)  # noqa: S311 - no secrets here
    times = run.changes()
    if not times:
        return Counter()
    small = [time for time in times if len(run.base(time)) <= BIGGEST]
    if not small:
        return Counter()
    at = max(draw.sample(small, min(2, len(small))), key=lambda time: len(run.base(time)))
    base = run.base(at)
    try:
        derived, _ = run.program.least_model(base)
        facts = [fact for fact in sorted({*derived, *base}) if len(fact) > 1]
        if not facts:
            return Counter()
        some = draw.sample(facts, min(3, len(facts)))
        fact = max(some, key=lambda one: (one not in base, one in derived))
        wanted = justifications(run.program, base, fact)
        found = explanation(run, fact, at)
    except (TooBig, LimitReached):
        return Counter()
    assert found.complete, seed
    assert {leaves(tree) for tree in found.trees} == wanted, seed
    sizes = [len(leaves(tree)) for tree in found.trees]
    assert sizes == [tree.size for tree in found.trees] == sorted(sizes), seed
    assert found.derived == (fact in derived), seed
    for tree in found.trees:
        check_proof(tree)
    if found.derived:
        check_time(run, found, fact, at, seed)
    return Counter(
        {
            "explained": 1,
            "in many ways": len(wanted) > 1,
            "by several steps": any(_steps(tree) > 1 for tree in found.trees),
            "ends": len(found.causes) > 0,
            **{cause.kind.value: 1 for cause in found.causes},
        }
    )


def _steps(tree: ProofTree) -> int:
    return sum(isinstance(node, DerivedNode) for node in tree.nodes)


def check_proof(tree: ProofTree) -> None:
    """No fact is among its own reasons, and what is not explained again is explained."""
    explained = {
        node.fact for node in tree.nodes if isinstance(node, DerivedNode) and not node.again
    }

    def walk(node: AssertedNode | DerivedNode, above: frozenset[Statement]) -> None:
        assert node.fact not in above
        if isinstance(node, DerivedNode):
            assert node.fact in explained
            for each in node.children:
                if isinstance(each, AssertedNode | DerivedNode):
                    walk(each, above | {node.fact})

    assert isinstance(tree.root, AssertedNode | DerivedNode)
    walk(tree.root, frozenset())


def check_time(run: ExplainedRun, found: Explanation, fact: Fact, at: int, seed: int) -> None:
    """It is derived as long as the definition says, and something ends when it does."""

    def holds(now: int) -> bool:
        return fact in run.program.least_model(run.base(now))[0]

    first, last = run.changes()[0] - 1, run.changes()[-1] + 1
    since = until = at
    while since > first and holds(since - 1):
        since -= 1
    while until <= last and holds(until):
        until += 1
    assert found.span is not None
    known = max(found.span.since, first), min(found.span.until, last + 1)
    assert known == (since, until), seed
    assert found.span.since > NEG_INF or since == first
    if found.span.until < POS_INF:
        assert found.causes, seed
