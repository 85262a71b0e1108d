"""Strata of programs with negation, and gates that open where what is negated is known.

Where rules derive for ever, facts are known within a horizon alone, so ``not P(X)`` means nothing
beyond it. There each negation stands beside a *gate*, an atom without arguments whose facts say
where the strata below are known: ``Q(X) :- A(X), not P(X)`` becomes
``Q(X) :- A(X), gate, not P(X)``. A negation within another one needs to be known farther out, as
far as operators between them look, so it has a gate of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rete.graph.plan import Emit
from rete.planning.strata import CycleStep, FactPattern, NotStratified, stratify
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.negation import Naf
from temporal.errors import NotStratifiedProgram
from temporal.mtl import traversal
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import MetricProgram, PredicateKey, atom
from temporal.mtl.guards import guarded_rules
from temporal.mtl.lowering import lower, relation_of
from temporal.mtl.validation import predicate_name

_GATE: Final = "\0gate"
_FROZEN: Final = "\0as it is:"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate.

    Attributes:
        stratum: the highest one that what is negated depends on.
        depth: how many negations stand around it.
    """

    stratum: int
    depth: int

    @property
    def atom(self) -> ast.Atom:
        """Its atom."""
        return atom(f"{_GATE}{self.stratum}.{self.depth}")


@dataclass(frozen=True, slots=True)
class GatedProgram:
    """A program with a gate beside each negation, the gates in order."""

    program: MetricProgram
    gates: tuple[Gate, ...]


def check_strata(program: MetricProgram) -> None:
    """Nothing, if a well-formed program is stratified.

    Raises:
        RuleErrors: a cycle leads through a negation; or a rule cannot be run.
    """
    if traversal.negates(program):
        _stratify(program, is_guarded=False)


def gated(program: MetricProgram) -> GatedProgram:
    """The program with guards and gates; a well-formed one that is stratified."""
    rules = [each for rule in program.rules for each in guarded_rules(rule)]
    patterns = _stratify(MetricProgram(tuple(rules)), is_guarded=True)
    gates: dict[Gate, None] = {}

    def rewritten(formula: ast.Formula, depth: int) -> ast.Formula:
        if isinstance(formula, Naf):
            read = map(_pattern, traversal.atoms(formula))
            gate = Gate(max((patterns[each] for each in read), default=0), depth)
            gates[gate] = None
            return ast.And((gate.atom, replace(formula, body=rewritten(formula.body, depth + 1))))
        return formula.with_parts([rewritten(part, depth) for part in formula.parts])

    found = tuple(replace(rule, body=rewritten(rule.body, 0)) for rule in rules)
    ordered = sorted(gates, key=lambda gate: (gate.stratum, gate.depth))
    return GatedProgram(MetricProgram(found), tuple(ordered))


def frozen(program: MetricProgram) -> MetricProgram:
    """The rules with predicates of their own in what they negate: those of `frozen_key`."""

    def renamed(formula: ast.Formula) -> ast.Formula:
        if isinstance(formula, ast.Atom):
            name, _ = frozen_key((predicate_name(formula), 0))
            return replace(formula, op=atom(name).op)
        return formula.with_parts([renamed(part) for part in formula.parts])

    def inside(formula: ast.Formula) -> ast.Formula:
        if isinstance(formula, Naf):
            return renamed(formula)
        return formula.with_parts([inside(part) for part in formula.parts])

    rules = tuple(replace(rule, body=inside(rule.body)) for rule in program.rules)
    return MetricProgram(rules)


def frozen_key(key: PredicateKey) -> PredicateKey:
    """The predicate of facts that are only negated, and that no rule derives."""
    return f"{_FROZEN}{key[0]}", key[1]


def _stratify(program: MetricProgram, *, is_guarded: bool) -> dict[FactPattern, int]:
    """Of each pattern that is read the highest stratum of the rules that may feed it."""
    emits = lower(program, analyse(program).scale, is_guarded=is_guarded)
    try:
        return stratify(emits).patterns
    except NotStratified as found:
        rule = program.rules[emits[found.cycle[0].emit].rule - 1]
        message = f"not stratified: {_cycle_text(found.cycle, emits, program)}"
        raise RuleErrors([NotStratifiedProgram(message, rule.span)]) from None


def _pattern(read: ast.Atom) -> FactPattern:
    texts = (str(arg.value) if isinstance(arg, ast.Constant) else None for arg in read.args)
    return relation_of(read), tuple(texts)


def _cycle_text(cycle: Sequence[CycleStep], emits: Sequence[Emit], program: MetricProgram) -> str:
    """``P depends on not Q (line 2), Q on P (line 1)``."""
    parts: list[str] = []
    for step in cycle:
        rule = program.rules[emits[step.emit].rule - 1]
        _, head = traversal.unboxed(rule.head[0])
        assert isinstance(head, ast.Atom)
        read = next(
            predicate_name(each)
            for each in traversal.atoms(rule.body)
            if relation_of(each) == step.pattern[0]
        )
        sign = "not " if step.negated else ""
        place = f" (line {rule.span.line})" if rule.span.line else ""
        verb = "on" if parts else "depends on"
        parts.append(f"{predicate_name(head)} {verb} {sign}{read}{place}")
    return ", ".join(parts)
