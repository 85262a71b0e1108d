"""Explanations of facts of models, compared with the definition of what follows from which data.

The data of a justification alone entail the fact in all of its interval, even the parts of them
that the proof uses; without any one of them they do not. Each step of the proof is one of its rule:
the facts below it alone derive it by that rule.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from r4.explain.datalog_mtl.explainer import ModelExplainer
from r4.explain.datalog_mtl.model_explanation import DataProof, IntervalQuestion, ModelExplanation
from r4.explain.datalog_mtl.output_forms import as_json, as_svg, as_text
from r4.explain.explanation import (
    AssertedNode,
    ChainNode,
    DerivedNode,
    FactOrigin,
    InnerNode,
    OperatorNode,
)
from temporal.facts.fact_parser import parse_fact
from temporal.mtl import traversal
from temporal.mtl.ast import constant
from tests.generators.draw import from_seed
from tests.generators.metric.programs import case_of
from tests.oracles.metric.models import problem
from tests.oracles.metric.periodic_models import Undecided, entails_with, solve
from tests.simulation.metric.models import materialised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from r4.explain.datalog_mtl.notation_writer import NotationWriter
    from r4.explain.explanation import TreeNode
    from temporal.model.least_model import Model
    from tests.generators.draw import Draw
    from tests.generators.metric.programs import MetricCase
    from tests.oracles.metric.models import Cells, Ground, Problem
    from tests.oracles.metric.periodic_models import Endless

LIMIT: Final = 40
FEW: Final = 6
"""Facts of the data all of whose subsets are looked at."""
FAR: Final = 1_000_003
"""How many turns away the farthest questions are."""


class ExplainedCase:
    """A random program with its model, by definition and by the engine.

    Raises:
        Undecided: the definition does not say what the model is.
    """

    def __init__(self, seed: int, drawn: Callable[[int], MetricCase] = case_of) -> None:
        self.case: MetricCase = drawn(seed)
        self.draw: Draw = from_seed(2_000_003 + seed)
        self.given: Problem = problem(self.case.program, self.case.facts)
        self.expected: Endless = solve(self.given)
        self.model: Model = materialised(self.case.program, self.case.facts)

    def explain(self, ground: Ground, lo: int, hi: int) -> tuple[ModelExplanation, ModelExplainer]:
        name, args = ground
        texts = [str(constant(arg).value) for arg in args]
        ids = tuple(self.model.terms.encode_many(texts).tolist())
        question = IntervalQuestion((name, len(args)), ids, (lo, hi))
        why = ModelExplainer(self.model, self.case.program, question, "rules")
        return why.explain(LIMIT), why

    def entailed(self, data: Iterable[tuple[Ground, Cells]], ground: Ground, when: Cells) -> bool:
        """Do these data alone entail a fact, by the definition?"""
        posed = replace(self.given, data=_grouped(data))
        assert when[0] is not None
        assert when[1] is not None
        return self._solved(posed).throughout(ground, when[0], when[1])

    def _solved(self, posed: Problem) -> Endless:
        """What is negated is that of the whole model."""
        if not traversal.negates(self.case.program):
            return solve(posed)
        ends = self.given.ends or [0]
        data = {**posed.data, ("", ()): [(ends[0], ends[-1] + 1)]}
        return entails_with(replace(posed, data=data), self.expected)

    def by_rule(
        self, number: int, facts: Iterable[tuple[Ground, Cells]], ground: Ground, when: Cells
    ) -> bool:
        """Do these facts alone derive a fact by one rule?"""
        rules = (self.case.program.rules[number - 1],)
        posed = replace(self.given, rules=rules, data=_grouped(facts))
        assert when[0] is not None
        assert when[1] is not None
        return self._solved(posed).throughout(ground, when[0], when[1])


def compare(seed: int, drawn: Callable[[int], MetricCase] = case_of) -> Counter[str]:
    """What the case of a seed has in it; little if the definition does not say what its model is.

    Raises:
        AssertionError: an explanation is wrong.
    """
    try:
        one = ExplainedCase(seed, drawn)
    except Undecided:
        return Counter(undecided=1)
    if one.model.limit is not None:
        return Counter(limited=1)
    derived = [ground for ground in one.expected.atoms() if _is_derived(one, ground)]
    if not derived:
        return Counter(nothing=1)
    ground = one.draw.choice(derived)
    met = _compare_holding(one, ground, seed)
    _compare_absent(one, ground, seed)
    return met


def _is_derived(one: ExplainedCase, ground: Ground) -> bool:
    stretch = one.expected.model.stretch
    asserted = 0
    for lo, hi in one.given.data.get(ground, ()):
        asserted |= stretch.between(lo, hi)
    return bool(one.expected.model.truths[ground] & ~asserted)


def _compare_holding(one: ExplainedCase, ground: Ground, seed: int) -> Counter[str]:
    lo, hi, far = _question(one, ground)
    assert one.expected.throughout(ground, lo, hi), seed
    found, why = one.explain(ground, lo, hi)
    told = f"seed {seed}: {ground} in {lo}..{hi}\n{as_text(found, why.writer)}\n{one.case}"
    assert found.holds, told
    assert found.proofs, told
    as_json(found, why.writer)
    as_svg(found, why.writer)
    features: Counter[str] = Counter({"explained": 1, "far away": far})
    try:
        for proof in found.proofs:
            _check_data(one, proof, (ground, (lo, hi)), told)
            if proof.tree is not None:
                features.update(_check_steps(one, proof, why.writer, told))
            else:
                features["without a proof"] += 1
        features["all found"] += _check_whole(one, found, (ground, (lo, hi)), told)
        features["after a deletion"] = _compare_deleted(one, found, (ground, (lo, hi)), told)
    except Undecided:
        return Counter(undecided=1)
    first = found.proofs[0]
    features["shifted"] += bool(first.shift)
    features["several sets"] += len(found.proofs) > 1
    features["several facts"] += len(first.data) > 1
    return features


def _compare_deleted(
    one: ExplainedCase, found: ModelExplanation, question: tuple[Ground, tuple[int, int]], told: str
) -> bool:
    """After all data of an atom of a proof are deleted: what holds, and what the proof says."""
    ground, when = question
    texts = sorted({each.text for each in found.proofs[0].data})
    if not texts:
        return False
    gone = _ground(one.draw.choice(texts))
    rest = tuple(each for each in one.case.facts if (each.predicate, each.args) != gone)
    data = {atom: runs for atom, runs in one.given.data.items() if atom != gone}
    model = materialised(one.case.program, rest)
    if model.scale != one.model.scale or model.limit is not None:
        return False
    program, key = one.case.program, found.question.key
    ids = model.terms.encode_many([str(constant(arg).value) for arg in ground[1]])
    asked = IntervalQuestion(key, tuple(ids.tolist()), when)
    after = ModelExplainer(model, program, asked, "rules").explain(1)
    holds = solve(replace(one.given, data=data)).throughout(ground, *when)
    assert after.holds == holds, f"without {gone}: {told}"
    before = ModelExplainer(one.model, program, found.question, "rules")
    before.writer.change = _without(one.model, gone), "deleted"
    for proof in before.explain(1).proofs:
        for node in [] if proof.tree is None else proof.tree.nodes:
            if isinstance(node, AssertedNode):
                is_gone = _is_data(node) and _fact(node, before.writer) == gone
                assert node.change == ("deleted" if is_gone else ""), f"without {gone}: {told}"
    return True


def _without(model: Model, gone: Ground) -> Model:
    """A model whose data lack those of an atom."""
    name, args = gone
    ids = [model.terms.lookup(str(constant(arg).value)) for arg in args]
    explicit = dict(model.explicit)
    rows = explicit[name, len(args)]
    explicit[name, len(args)] = rows[(rows[:, :-2] != ids).any(axis=1)]
    return replace(model, explicit=explicit)


def _question(one: ExplainedCase, ground: Ground) -> tuple[int, int, bool]:
    """Cells in which it holds, derived at least in part if it can be; and whether they are far."""
    draw, expected = one.draw, one.expected
    stretch = expected.model.stretch
    runs = stretch.runs(expected.model.truths[ground])
    asserted = 0
    for first, last in one.given.data.get(ground, ()):
        asserted |= stretch.between(first, last)
    fresh = stretch.runs(expected.model.truths[ground] & ~asserted)
    since, until = draw.choice(fresh)
    at = draw.integer(since, until - 1)
    begin, end = next(run for run in runs if run[0] <= at < run[1])
    lo = max(begin, at - draw.choice((0, 0, 1, 2, 5)))
    hi = min(end, at + 1 + draw.choice((0, 0, 1, 2, 5)))
    for side, sign in ((expected.right, 1), (expected.left, -1)):
        beyond = side is not None and (lo > side[1] + expected.width if sign > 0 else hi <= side[0])
        if side is not None and (beyond or _repeats(one, ground, lo, hi, side, sign)):
            turns = draw.choice((0, 1, 3, 40, FAR))
            shift = sign * turns * (side[1] - side[0])
            return lo + shift, hi + shift, turns >= 40
    return lo, hi, False


def _repeats(
    one: ExplainedCase, ground: Ground, lo: int, hi: int, side: tuple[int, int], sign: int
) -> bool:
    """Does it hold a turn farther out, and many?"""
    turn = side[1] - side[0]
    shifts = [sign * turn * count for count in (1, 3, 40, FAR)]
    return all(one.expected.throughout(ground, lo + each, hi + each) for each in shifts)


def _check_data(
    one: ExplainedCase,
    proof: DataProof,
    question: tuple[Ground, tuple[int, int]],
    told: str,
) -> None:
    whole = [(_ground(each.text), each.datum) for each in proof.data]
    for ground, datum in whole:
        assert _stands(one, ground, datum), told
    shown = proof.when[0] + 2 * proof.shift, proof.when[1] + 2 * proof.shift
    assert _inside(shown, question[1]), told
    assert shown[0] == question[1][0] or shown[1] == question[1][1] or not proof.shift, told
    if proof.tree is not None:
        assert proof.tree.span.cells == proof.tree.root.span.cells == proof.when, told
        assert proof.tree.size == len(proof.data), told
    if proof.tree is not None and not proof.shift and proof.when == question[1]:
        used = [
            (ground, cells)
            for (ground, _), each in zip(whole, proof.data, strict=True)
            for cells in each.used
        ]
        assert all(_inside(cells, each.datum) for each in proof.data for cells in each.used), told
        assert one.entailed(used, *question), told
    assert one.entailed(map(_open, whole), *question), told
    for place in range(len(whole)):
        rest = [*whole[:place], *whole[place + 1 :]]
        assert not one.entailed(map(_open, rest), *question), f"{whole[place]} {told}"


def _stands(one: ExplainedCase, ground: Ground, datum: tuple[int, int]) -> bool:
    """Is it among the data, as a maximal interval?"""
    stretch = one.expected.model.stretch
    truth = 0
    for lo, hi in one.given.data.get(ground, ()):
        truth |= stretch.between(lo, hi)
    lo, hi = _open((ground, datum))[1]
    run = (stretch.first if lo is None else lo, stretch.last + 1 if hi is None else hi)
    return run in stretch.runs(truth)


def _inside(cells: tuple[int, int], datum: tuple[int, int]) -> bool:
    return datum[0] <= cells[0] < cells[1] <= datum[1]


def _check_steps(
    one: ExplainedCase, proof: DataProof, writer: NotationWriter, told: str
) -> Counter[str]:
    assert proof.tree is not None
    nodes = list(proof.tree.nodes)
    for node in nodes:
        if not isinstance(node, DerivedNode | AssertedNode) or _is_top(node):
            continue
        ground, when = _fact(node, writer), node.span.cells
        assert one.expected.throughout(ground, *when), f"{ground} {told}"
        if isinstance(node, DerivedNode):
            facts = [(_fact(each, writer), each.span.cells) for each in _facts_below(node)]
            rule = writer.number(node.rule)
            assert one.by_rule(rule, facts, ground, when), f"{ground} {told}"
            assert node.label == writer.place(rule), told
        else:
            assert _inside(when, node.elements[0].span.cells), told
    operators = {node.name.capitalize() for node in nodes if isinstance(node, OperatorNode)}
    derived = [node for node in nodes if isinstance(node, DerivedNode)]
    return Counter(
        {
            "proved": 1,
            "by several rules": len({node.rule for node in derived}) > 1,
            "recursive": len({node.fact.relation for node in derived}) < len(derived),
            "nested": any(
                isinstance(below, OperatorNode)
                for node in nodes
                if isinstance(node, OperatorNode)
                for below in node.children
            ),
            **dict.fromkeys(operators & _OPERATORS, 1),
        }
    )


def _is_data(node: TreeNode) -> bool:
    return isinstance(node, AssertedNode) and node.origin is FactOrigin.DATA


def _is_top(node: TreeNode) -> bool:
    return isinstance(node, AssertedNode) and node.origin is FactOrigin.STATIC


def _fact(node: AssertedNode | DerivedNode | ChainNode, writer: NotationWriter) -> Ground:
    assert node.fact is not None
    return _ground(writer.statement(node.fact))


_OPERATORS: Final = {"Diamondminus", "Diamondplus", "Boxminus", "Boxplus", "Since", "Until"}


def _facts_below(node: InnerNode) -> Iterator[AssertedNode | DerivedNode | ChainNode]:
    """The nearest facts below a node."""
    for each in node.children:
        if isinstance(each, AssertedNode | DerivedNode | ChainNode) and each.fact is not None:
            if not _is_top(each):
                yield each
        elif isinstance(each, InnerNode):
            yield from _facts_below(each)


def _check_whole(
    one: ExplainedCase,
    found: ModelExplanation,
    question: tuple[Ground, tuple[int, int]],
    told: str,
) -> bool:
    """If all are said to be found, each minimal set of facts is among them."""
    data = {ground: [_open((ground, cells)) for cells in runs] for ground, runs in _united(one)}
    if not found.complete or len(data) > FEW:
        return False
    minimal: list[frozenset[Ground]] = []
    for size in range(len(data) + 1):
        for some in map(frozenset, combinations(sorted(data), size)):
            if not any(known <= some for known in minimal):
                given = [each for ground in sorted(some) for each in data[ground]]
                if one.entailed(given, *question):
                    minimal.append(some)
    said = {frozenset(_ground(each.text) for each in proof.data) for proof in found.proofs}
    assert set(minimal) <= said, told
    return True


def _united(one: ExplainedCase) -> Iterator[tuple[Ground, list[Cells]]]:
    for ground, runs in one.given.data.items():
        yield ground, list(runs)


def _compare_absent(one: ExplainedCase, ground: Ground, seed: int) -> None:
    """Where it does not hold throughout, that is said, and where it does."""
    stretch = one.expected.model.stretch
    lo = one.draw.integer(stretch.first, stretch.last)
    hi = lo + one.draw.choice((1, 2, 9, 30))
    if one.expected.throughout(ground, lo, hi):
        return
    found, why = one.explain(ground, lo, hi)
    told = f"seed {seed}: {ground} in {lo}..{hi}\n{as_text(found, why.writer)}\n{one.case}"
    assert not found.holds, told
    assert list(found.held) == one.expected.runs(ground, found.shown[0], found.shown[1] - 1), told
    assert lo <= found.shown[0] < found.shown[1] <= hi, told
    assert found.missing_at is not None
    assert not one.expected.holds(ground, found.missing_at), told
    as_json(found, why.writer)
    as_svg(found, why.writer)


def _ground(text: str) -> Ground:
    fact = parse_fact(f"{text}@0")
    return fact.predicate, fact.args


def _open(given: tuple[Ground, tuple[int, int] | Cells]) -> tuple[Ground, Cells]:
    """With no ends where they are infinite."""
    ground, (lo, hi) = given
    return ground, (_finite(lo), _finite(hi))


def _finite(cell: int | None) -> int | None:
    return None if cell is None or abs(cell) >= 2**61 else cell


def _grouped(data: Iterable[tuple[Ground, Cells]]) -> dict[Ground, list[Cells]]:
    """The data by atom, their runs united, as those of a dataset are."""
    found: dict[Ground, list[tuple[float, float]]] = {}
    for ground, (lo, hi) in map(_open, data):
        run = -math.inf if lo is None else lo, math.inf if hi is None else hi
        found.setdefault(ground, []).append(run)
    return {ground: list(_unite(sorted(runs))) for ground, runs in found.items()}


def _unite(runs: list[tuple[float, float]]) -> Iterator[Cells]:
    begin, end = runs[0]
    for lo, hi in [*runs[1:], (math.inf, math.inf)]:
        if lo > end or lo == math.inf:
            yield None if begin == -math.inf else int(begin), None if end == math.inf else int(end)
            begin, end = lo, hi
        end = max(end, hi)
