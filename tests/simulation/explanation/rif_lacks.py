"""Why facts of random RIF programs with operators and negation do not hold, by the definition."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from r4.engine.core import Core
from r4.explain.question.explainer import Explainer
from r4.explain.question.playback import Playback
from r4.explain.rendering.json_output import as_json
from r4.explain.rendering.names import collect_names
from r4.explain.rendering.text import as_text
from r4.program.compiler import compile_document
from r4.stream.batch import Batch
from r4.time.ticks import StampFormat, TimeScale
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES
from tests.generators.rules.parsers import parse
from tests.oracles.metric.justifications import MetricState
from tests.oracles.metric.operators import CellRange
from tests.oracles.rules.formulas import Instance
from tests.simulation.explanation.lack_checks import LackCheck, some, split_top

if TYPE_CHECKING:
    from r4.explain.explanation import Explanation
    from r4.explain.lacks import BlockingFact
    from tests.oracles.metric.operators import Stretch, Truth
    from tests.oracles.rules.formulas import Fact

EX = "urn:ex:"
OPERATORS = ["DiamondMinus", "BoxMinus", "DiamondPlus", "BoxPlus"]
BINARY = ["Since", "Until"]
NAMES = {"x": "a", "y": "b"}
DOMAIN = ["a", "b"]
ASKED = 6


class Text(NamedTuple):
    """A formula as rules write it, and as explanations do."""

    rule: str
    told: str


@dataclass(frozen=True, slots=True)
class LackRun:
    """A run.

    Attributes:
        bodies: those of the rules, as explanations write them.
        text: the rules.
        elements: the triples ex:a[… -> ex:b] that are asserted: from when to when, and of what.
    """

    bodies: list[str]
    text: str
    elements: list[tuple[int, int, str]]

    @property
    def last(self) -> int:
        return max(start for start, _, _ in self.elements)


def lack_run(seed: int) -> LackRun:
    """Rules for ex:h, above some for ex:d and ex:e, and elements that assert ex:p, ex:q, ex:n."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    bodies: list[str] = []
    rules: list[str] = []
    for head, below in (("e", "pqn"), ("d", "pqne"), ("h", "pqnde")):
        for _ in range(draw.choice((0, 1, 1, 2)) if head == "e" else draw.choice((1, 1, 2))):
            body = _both(_conditions(draw, below, 2 if head == "h" else 1))
            whole = f"?x[ex:{head} -> ?y]"
            if draw.random() < 1 / 6:
                whole = f"{draw.choice(('BoxMinus', 'BoxPlus'))} {_range(draw)} ( {whole} )"
            bodies.append(body.told)
            rules.append(f"Forall ?x ?y ( {whole} :- {body.rule} )")
    window = draw.randint(1, 3)
    group = "\n".join(rules)
    text = f"Document( Prefix(ex <{EX}>) Window({window}) Group(\n{group} ) )\n"
    elements, time = [], 1
    for _ in range(draw.randint(2, 9)):
        end = time + (window if draw.random() < 3 / 4 else draw.randint(1, 5))
        elements.append((time, end, draw.choice("ppqqn")))
        time += draw.randint(0, 3)
    return LackRun(bodies, text, elements)


def _conditions(draw: random.Random, names: str, depth: int) -> list[Text]:
    found = [_formula(draw, names, depth)]
    if draw.random() < 1 / 3:
        found.append(_formula(draw, names, 1))
    if draw.random() < 1 / 3:
        found.append(_atom(draw, "pq"))
    if draw.random() < 2 / 5:
        found += [_atom(draw, "pq"), _not(_formula(draw, names, 1))]
    draw.shuffle(found)
    return found


def _atom(draw: random.Random, names: str) -> Text:
    text = f"?x[ex:{draw.choice(names)} -> ?y]"
    return Text(text, text)


def _not(one: Text) -> Text:
    return Text(f"Naf( {one.rule} )", f"not ({one.told})")


def _both(some: list[Text]) -> Text:
    if len(some) == 1:
        return some[0]
    rules, told = zip(*some, strict=True)
    return Text(f"And( {' '.join(rules)} )", " and ".join(told))


def _range(draw: random.Random) -> str:
    begin = draw.randint(0, 2)
    end = begin + draw.randint(0, 3)
    if begin == end:
        return f"[{begin}, {end}]"
    return f"{draw.choice('[[[(')}{begin}, {end}{draw.choice(']])')}"


def _formula(draw: random.Random, names: str, depth: int) -> Text:
    """A formula with operators nested so deep."""
    kind = draw.random() if depth else 1.0
    if kind < 0.55:
        head, one = f"{draw.choice(OPERATORS)} {_range(draw)}", _operand(draw, names, depth - 1)
        return Text(f"{head} ( {one.rule} )", f"{head} ({one.told})")
    if kind < 0.85:
        head = f"{draw.choice(BINARY)} {_range(draw)}"
        one, other = (_operand(draw, names, depth - 1) for _ in range(2))
        return Text(f"{head} ( {one.rule} {other.rule} )", f"{head} ({one.told}; {other.told})")
    return _atom(draw, names)


def _operand(draw: random.Random, names: str, depth: int) -> Text:
    """A formula, or one with another or a negation."""
    kind = draw.random()
    one = _formula(draw, names, depth)
    if kind < 0.7:
        return one
    if kind < 0.8:
        return _both([one, _atom(draw, "pq")])
    if kind < 0.9:
        return _both([_atom(draw, "pq"), _not(one)])
    other = _formula(draw, names, depth)
    return Text(f"Or( {one.rule} {other.rule} )", f"{one.told} or {other.told}")


class RifFormulas:
    """Texts of explanations of RIF, evaluated over a state by definition."""

    def __init__(self, run: LackRun, state: MetricState) -> None:
        self._run = run
        self._state = state
        self.stretch: Stretch = state.model.stretch

    def is_clear(self, text: str) -> bool:
        return "?" not in text or text.count("[ex:") == 1

    def truth(self, text: str) -> Truth:
        names = sorted(set(re.findall(r"\?(\w+)", text)))
        return some(names, DOMAIN, lambda env: self._truth(text, env))

    def _truth(self, text: str, env: dict[str, str]) -> Truth:
        parts = split_top(text, " or ")
        if len(parts) > 1:
            found = 0
            for part in parts:
                found |= self._truth(part, env)
            return found
        parts = split_top(text, " and ")
        if len(parts) > 1:
            found = self.stretch.always
            for part in parts:
                found &= self._truth(part, env)
            return found
        if text.startswith("not ("):
            return self.stretch.always & ~self._truth(text[5:-1], env)
        if text.startswith("("):
            return self._truth(text[1:-1], env)
        found_atom = re.fullmatch(r"(\S+)\[ex:(\w+) -> (\S+)\]", text)
        if found_atom is not None:
            s, p, o = (_name(each, env) for each in found_atom.groups())
            return self._state.model.truth(_fact(s, p, o))
        return self.applied(text, *(self._truth(each, env) for each in self.operands(text)))

    def operands(self, text: str) -> list[str]:
        inner = re.fullmatch(r"\w+ [\[(][\d, ]+[\])] \((.*)\)", text)
        assert inner is not None, text
        return split_top(inner[1], "; ")

    def is_past(self, text: str) -> bool:
        return text.split(maxsplit=1)[0] in {"DiamondMinus", "BoxMinus", "Since"}

    def normal(self, text: str) -> str:
        return text

    def applied(self, text: str, *operands: Truth) -> Truth:
        name, bounds = text.split(" ", 1)
        found = re.match(r"([\[(])(\d+), ?(\d+)([\])])", bounds)
        assert found is not None, text
        left, low, high, right = found.groups()
        rho = CellRange(2 * int(low), 2 * int(high), left == "[", right == "]")
        side = -1 if self.is_past(text) else 1
        if name.startswith("Diamond"):
            return self.stretch.diamond(rho, side, *operands)
        if name.startswith("Box"):
            return self.stretch.box(rho, side, *operands)
        phi, psi = operands
        return self.stretch.chain(rho, side, phi, psi)

    def body(self, label: str | int) -> Truth:
        assert isinstance(label, int)
        return self._truth(self._run.bodies[label - 1], NAMES)

    def origin(self, fact: BlockingFact) -> Truth:
        found = re.fullmatch(r"ex:(\w+)\[ex:(\w+) -> ex:(\w+)\]", fact.text)
        assert found is not None, fact
        if fact.rule is not None:
            assert isinstance(fact.rule, int)
            derived = self._state.model.derived[_fact(*found.groups())]
            assert derived[fact.rule]
            held = 0
            for truth in derived.values():
                held |= truth
            return held
        held = 0
        assert fact.elements
        for name in fact.elements:
            lo, hi, predicate = self._run.elements[int(name.strip("<>").rpartition(":")[2])]
            assert predicate == found[2], fact
            held |= self.stretch.between(2 * lo, 2 * hi)
        return held


def _name(text: str, env: dict[str, str]) -> str:
    return env[text[1:]] if text.startswith("?") else text.removeprefix("ex:")


def _fact(s: str, p: str, o: str) -> Fact:
    return ("triple", *(f"<{EX}{each}>" for each in (s, p, o)))


def explanations(run: LackRun, at: int) -> tuple[Explanation, str]:
    """What the engine says of ex:a[ex:h -> ex:b] at an instant, as a value and as text."""
    rules = parse(run.text, lenient=True).document
    core = Core(compile_document(rules, TimeScale()), Dictionary(), limit=3000)
    batches = []
    for number, (start, end, predicate) in enumerate(run.elements):
        rows = core.terms.encode_many(_fact("a", predicate, "b")[1:]).reshape(1, 3)
        name = core.terms.encode_many([f"<urn:element:{number}>"])
        core.terms.pin(name)
        starts, ends = np.full(1, start), np.full(1, end)
        batches.append(Batch(rows, starts, ends, start, start, (rows,), name))
    ids = core.terms.encode_many(_fact("a", "h", "b")[1:])
    core.terms.pin(ids)
    names = collect_names([rules], core.program, TimeScale())
    playback = Playback(core, Explainer(core, names, 1), TRIPLES, ids.tolist(), at)
    found = playback.run(batches, lambda: run.last)
    clock = StampFormat()
    as_json(found, names, clock)
    return found, as_text(found, names, clock)


def check(seed: int) -> Counter[str]:
    """Judge what is said of instants at which the fact does not hold; what that was about."""
    run, draw = lack_run(seed), random.Random(seed)  # noqa: S311 - no secrets here
    document = parse(run.text, lenient=True).document
    asserted = [Instance(_fact("a", p, "b"), lo, hi) for lo, hi, p in run.elements]
    state = MetricState(document, asserted, run.last + 12)
    stretch, holds = state.model.stretch, state.derived(_fact("a", "h", "b"))
    ticks = [tick for tick in range(run.last + 5) if not stretch.holds(holds, 2 * tick)]
    met: Counter[str] = Counter()
    for at in draw.sample(ticks, min(ASKED, len(ticks))):
        found, text = explanations(run, at)
        told = f"seed {seed}\n{run.text}{run.elements}\n{text}"
        assert not found.holds, told
        judge = LackCheck(RifFormulas(run, state), told, 2 * at + 1, Counter())
        judge.lacks(found.missing, (2 * at, 2 * at + 1))
        assert not judge.met["nothing told"], told
        met["asked"] += 1
        met.update(dict.fromkeys(+judge.met, 1))
    return met
