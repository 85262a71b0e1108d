"""Why facts of random DatalogMTL models do not hold, judged by the definition."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from r4.explain.datalog_mtl.output_forms import as_json, as_text
from rif.syntax.ast import Constant
from temporal.mtl.ast import (
    BinaryOperator,
    BoxMinus,
    DiamondMinus,
    DiamondPlus,
    Since,
    UnaryOperator,
)
from temporal.text.formula_parser import parse_conjunction
from temporal.text.scanner import LineScanner
from temporal.text.writer import write_formula
from tests.oracles.metric.models import ANYTHING, Model, _evaluate, atoms
from tests.oracles.metric.operators import CellRange, Stretch
from tests.oracles.metric.periodic_models import Undecided
from tests.simulation.explanation.lack_checks import LackCheck, some, split_top
from tests.simulation.metric.explanations import ExplainedCase

if TYPE_CHECKING:
    from r4.explain.lacks import BlockingFact
    from rif.syntax import ast
    from tests.oracles.metric.models import Ground
    from tests.oracles.metric.operators import Truth

ASKED: Final = 5
TURNS: Final = 3
"""So many periods beyond the windows are asked about."""


@dataclass(slots=True)
class MtlFormulas:
    """Texts of explanations of DatalogMTL, evaluated over a model that goes on far enough."""

    one: ExplainedCase
    model: Model
    stretch: Stretch
    _parsed: dict[str, ast.Formula] = field(default_factory=dict)

    @classmethod
    def of(cls, one: ExplainedCase) -> MtlFormulas:
        """The model of a case, by definition, with some turns of what repeats."""
        expected = one.expected
        turn = max(
            (side[1] - side[0] for side in (expected.left, expected.right) if side), default=0
        )
        pad = 2 * (TURNS + 2) * turn + 4 * one.given.depth + 8
        inner = expected.model.stretch
        stretch = Stretch(inner.first - pad, inner.last + pad)
        model = Model(stretch, 0)
        for ground in expected.atoms():
            bits = ("01"[expected.holds(ground, cell)] for cell in reversed(stretch.cells()))
            model.truths[ground] = int("".join(bits), 2)
        return cls(one, model, stretch)

    def formula(self, text: str) -> ast.Formula:
        if text not in self._parsed:
            line = LineScanner(text)
            found = line.read(parse_conjunction)
            assert found is not None, (text, line.faults)
            self._parsed[text] = found
        return self._parsed[text]

    def is_clear(self, text: str) -> bool:
        found = [atom for part in self._parts(text) for atom in atoms(part)]
        return len(found) < 2 or all(
            isinstance(arg, Constant) for atom in found for arg in atom.args
        )

    def _parts(self, text: str) -> list[ast.Formula]:
        return list(map(self.formula, split_top(text, " and ")))

    def truth(self, text: str) -> Truth:
        parts = self._parts(text)
        written = " ".join(map(write_formula, parts))
        names = sorted(
            name.removeprefix("?")
            for name in set(re.findall(r"(?<=[(,])(?:\?\w+|[A-Z]\w*)", written))
        )
        domain = sorted({*self.one.given.names, ANYTHING})

        def truth(env: dict[str, str]) -> Truth:
            found = self.stretch.always
            for part in parts:
                found &= _evaluate(part, env, self.model, self.one.given.scale)
            return found

        return some(names, domain, truth)

    def operands(self, text: str) -> list[str]:
        match self.formula(text):
            case BinaryOperator(phi=phi, psi=psi):
                return [_operand(phi), _operand(psi)]
            case UnaryOperator(body=body):
                return [_operand(body)]
        raise AssertionError(text)

    def is_past(self, text: str) -> bool:
        return isinstance(self.formula(text), DiamondMinus | BoxMinus | Since)

    def normal(self, text: str) -> str:
        return _operand(self.formula(text))

    def applied(self, text: str, *operands: Truth) -> Truth:
        formula = self.formula(text)
        assert isinstance(formula, UnaryOperator | BinaryOperator)
        rho = CellRange.of(formula.rho, self.one.given.scale)
        side = -1 if self.is_past(text) else 1
        if isinstance(formula, BinaryOperator):
            return self.stretch.chain(rho, side, *operands)
        is_diamond = isinstance(formula, DiamondMinus | DiamondPlus)
        return (self.stretch.diamond if is_diamond else self.stretch.box)(rho, side, *operands)

    def body(self, label: str | int) -> Truth:
        """Nothing: conditions are judged alone, as bodies have other instances."""
        assert label
        return 0

    def origin(self, fact: BlockingFact) -> Truth:
        """There is no negation."""
        raise AssertionError(fact)


def _operand(formula: ast.Formula) -> str:
    text = write_formula(formula)
    return f"({text})" if isinstance(formula, BinaryOperator) else text


def check(seed: int) -> Counter[str]:
    """Judge what is said of cells in which facts do not hold; what that was about."""
    try:
        one = ExplainedCase(seed)
    except Undecided:
        return Counter(undecided=1)
    if one.model.limit is not None or one.expected.model.stretch.size > 3000:
        return Counter(limited=1)
    formulas = MtlFormulas.of(one)
    met: Counter[str] = Counter()
    stretch, depth = formulas.stretch, 2 * one.given.depth + 4
    inner = stretch.first + depth, stretch.last - depth
    is_endless = bool(one.expected.left or one.expected.right)
    for _ in range(ASKED):
        ground = _head(one)
        cell = one.draw.integer(inner[0], inner[1] - 1)
        if one.expected.holds(ground, cell):
            continue
        found, why = one.explain(ground, cell, cell + 1)
        told = f"seed {seed}: {ground} in {cell}\n{as_text(found, why.writer)}\n{one.case}"
        assert not found.holds, told
        as_json(found, why.writer)
        judge = LackCheck(formulas, told, stretch.last, Counter(), inner, is_endless)
        judge.lacks(found.missing, (cell, cell + 1))
        met["asked"] += 1
        met.update(dict.fromkeys(+judge.met, 1))
        inside = one.expected.model.stretch
        met["beyond the windows"] += not inside.first <= cell <= inside.last
    return met


def _head(one: ExplainedCase) -> Ground:
    """A fact of a head, of some constants."""
    rule = one.draw.choice(one.case.program.rules)
    head = rule.head[0]
    while isinstance(head, UnaryOperator):
        head = head.body
    known = [ground for ground in one.expected.atoms() if ground[0] == head.op.name]  # type: ignore[attr-defined]
    if known and one.draw.integer(0, 2):
        return one.draw.choice(known)
    names = sorted(one.given.names) or ["a"]
    return head.op.name, tuple(one.draw.choice(names) for _ in head.args)  # type: ignore[attr-defined]
