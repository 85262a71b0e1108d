"""Justifications through metric operators, compared with those of the definition."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

from r4.explain.explanation import (
    AssertedNode,
    Explanation,
    OperatorNode,
    ProofTree,
)
from r4.explain.question.explainer import Explainer
from r4.explain.question.playback import Playback
from r4.explain.rendering.names import collect_names
from r4.explain.tick_spans import TickSpan
from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF, POS_INF
from rete.inference.errors import LimitReached
from rete.terms.relations import TRIPLES, Relation
from tests.oracles.metric.justifications import Given, MetricState
from tests.oracles.rules.formulas import Fact, TooBig
from tests.simulation.explanation.metric_runs import MetricRun, metric_run

MANY = 1000
FEW = 7
"""Facts whose subsets are all looked at."""


def explanation(run: MetricRun, fact: Fact, at: int) -> Explanation:
    relation = TRIPLES if fact[0] == "triple" else Relation(fact[1], len(fact) - 2)
    texts = fact[1:] if fact[0] == "triple" else fact[2:]
    ids = run.core.terms.encode_many(texts)
    run.core.terms.pin(ids)
    why = Explainer(run.core, collect_names([run.rules], run.core.program, TimeScale()), MANY)
    playback = Playback(run.core, why, relation, ids.tolist(), at)
    return playback.run(run.batches, lambda: run.last)


def cells(span: TickSpan) -> tuple[int | None, int | None]:
    lo = None if span.since == NEG_INF else 2 * span.since - span.after
    hi = None if span.until == POS_INF else 2 * span.until - span.through
    return lo, hi


def leaves(tree: ProofTree, whole: MetricState) -> list[Given]:
    """What a tree says is asserted, each with the time of the elements that it names."""
    found = dict.fromkeys(node for node in tree.nodes if isinstance(node, AssertedNode))
    stretch = whole.model.stretch
    return [(_fact(node), stretch.between(*cells(node.span))) for node in found]


def _fact(node: AssertedNode) -> Fact:
    relation = node.fact.relation
    return ("triple", *node.fact.terms) if relation == TRIPLES else ("atom", relation.op)


def check(seed: int, *, negation: bool = False) -> Counter[str]:
    """Compare what is said of some fact at some instant; what the case has in it."""
    run, draw = metric_run(seed, negation=negation), random.Random(seed)  # noqa: S311 - no secrets here
    try:
        whole = MetricState(run.document, run.assertions, run.last)
        stretch = whole.model.stretch
        held = [
            (fact, cell // 2)
            for fact in sorted(whole.model.derived)
            for cell in stretch.cells()
            if cell % 2 == 0 and 0 <= cell // 2 <= run.last + 4
            if stretch.holds(whole.derived(fact), cell)
        ]
        if not held:
            return Counter(nothing=1)
        fact, at = draw.choice(held)
        found = explanation(run, fact, at)
    except (TooBig, LimitReached):
        return Counter()
    assert found.holds, seed
    check_times(found, whole, fact, seed)
    assert found.trees, seed
    for tree in found.trees:
        check_tree(tree, whole, fact, at, seed)
    several = check_whole(found, run, whole, fact, at, seed)
    operated = [
        node for tree in found.trees for node in tree.nodes if isinstance(node, OperatorNode)
    ]
    return Counter(
        {
            "explained": 1,
            "through an operator": bool(operated),
            "nested": any(node.level for node in operated),
            "in many ways": several,
            "all found": found.complete,
            "ends": bool(found.causes),
            **{node.name: 1 for node in operated},
            **{cause.kind.value: 1 for cause in found.causes},
        }
    )


def check_tree(tree: ProofTree, whole: MetricState, fact: Fact, at: int, seed: int) -> None:
    """Its facts alone derive the answer, and none of them can be left out."""
    stretch = whole.model.stretch
    given = leaves(tree, whole)
    assert tree.size == len(given), seed
    assert all(truth & ~whole.model.asserted[one] == 0 for one, truth in given), seed
    held = whole.from_some(given, fact)
    assert stretch.holds(held, 2 * at), seed
    for place in range(len(given)):
        rest = given[:place] + given[place + 1 :]
        assert not stretch.holds(whole.from_some(rest, fact), 2 * at), (seed, given[place])
    said = stretch.between(*cells(tree.span))
    assert said & ~held == 0, seed
    assert stretch.holds(said, 2 * at), seed


def ticks(cells: tuple[int, int]) -> range:
    """The ticks in an interval of cells."""
    return range((cells[0] + 1) // 2, (cells[1] + 1) // 2)


def check_times(found: Explanation, whole: MetricState, fact: Fact, seed: int) -> None:
    """It is derived as long as the definition says, and something ends when it does.

    At each tick of that time; in between it need not be.
    """
    assert found.span is not None
    stretch = whole.model.stretch
    runs = [each for each in stretch.runs(whole.derived(fact)) if ticks(each)]
    place = next(place for place, (lo, hi) in enumerate(runs) if lo <= 2 * found.at < hi)
    first = last = place
    while first and ticks(runs[first - 1])[-1] == ticks(runs[first])[0] - 1:
        first -= 1
    while runs[last + 1 :] and ticks(runs[last + 1])[0] == ticks(runs[last])[-1] + 1:
        last += 1
    lo, hi = runs[first][0], runs[last][1]
    since, until = (lo + 1) // 2, (hi + 1) // 2
    if lo > stretch.first:
        assert found.span.since == since, seed
    if not found.final:
        assert hi > stretch.last, seed
    elif hi < stretch.last:
        assert found.span.until == until, seed
        if not stretch.holds(whole.model.asserted[fact], 2 * found.at):
            assert found.causes, seed


def check_whole(
    found: Explanation, run: MetricRun, whole: MetricState, fact: Fact, at: int, seed: int
) -> bool:
    """If all are said to be found, each minimal set of facts, at all their times, is among them."""
    facts = sorted({each.fact for each in run.assertions})
    if not found.complete or len(facts) > FEW:
        return False
    minimal: list[frozenset[Fact]] = []
    for size in range(len(facts) + 1):
        for some in map(frozenset, combinations(facts, size)):
            if not any(one <= some for one in minimal):
                given = [(one, whole.model.asserted[one]) for one in sorted(some)]
                if whole.model.stretch.holds(whole.from_some(given, fact), 2 * at):
                    minimal.append(some)
    said = {frozenset(one for one, _ in leaves(tree, whole)) for tree in found.trees}
    assert set(minimal) <= said, seed
    return len(minimal) > 1
