"""Facts, intervals, operators, rules and conditions, as DatalogMTL writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from r4.explain.explanation import Statement
from r4.explain.justification.rule_instances import NegatedMatch
from r4.explain.rendering.condition_text import ConditionWriter
from rete.arrays.delta import POS_INF, Cells
from rete.drawing.names import Names
from rete.graph.plan import NonPointwise, Plan
from rete.nodes.scan import Scan
from rete.planning.lowering import Argument
from rete.storage.interval_sets import CellInterval
from rete.terms.relations import Relation
from rif.syntax import ast
from rif.syntax.terms import Local, Variable
from temporal.facts.bulk_writer import lexical
from temporal.intervals.notation import format_distance
from temporal.model.least_model import Model
from temporal.mtl import traversal
from temporal.mtl.ast import BOTTOM_NAME, MetricProgram
from temporal.mtl.operators import BOTTOM_WORD
from temporal.mtl.traversal import unboxed
from temporal.mtl.validation import arities, predicate_name
from temporal.text.writer import write_atom, write_constant, write_rule, write_variable


class NotationWriter:
    """Writes what a network of rules has, in the words of the program.

    Attributes:
        title: what the program is called.
        model: the model, whose notation of times it is.
        change: an update: the model on its other side, and what is said of data that this one has
            not; None: there is no update.
    """

    def __init__(
        self, model: Model, program: MetricProgram, numbers: Mapping[int, int], title: str
    ) -> None:
        """Begin; ``numbers`` has for each rule of the network its number in the program."""
        self.title = title
        self.model = model
        self.change: tuple[Model, str] | None = None
        self._rules = program.rules
        self._numbers = numbers
        self._predicates = {str(Local(name)): name for name in arities(program)}
        self._predicates |= {str(Local(name)): name for name, _ in model.explicit}

    def fact(self, name: str, terms: Iterable[int]) -> str:
        """``Hot(t1)``, by the name of its predicate, which rules and data need not have."""
        return _written(name, map(self.model.terms.decode, terms))

    def statement(self, fact: Statement) -> str:
        """The same, of a fact as texts."""
        return _written(self.predicate(fact.relation), fact.terms)

    def change_of(self, relation: Relation, terms: Iterable[int], when: CellInterval) -> str:
        """What is said of data that the other side of an update has not; else nothing."""
        if self.change is None:
            return ""
        other, word = self.change
        rows = other.explicit.get((self.predicate(relation), relation.arity))
        if rows is None:
            return word
        same = (rows[:, :-2] == np.array([*terms], np.int64)).all(axis=1)
        holds = same & (rows[:, -2] <= when[0]) & (when[1] <= rows[:, -1])
        return "" if holds.any() else word

    def predicate(self, relation: Relation) -> str:
        """The name of a predicate."""
        return self._predicates.get(relation.op, relation.op)

    def interval(self, when: CellInterval) -> str:
        """``[3,5)``."""
        return str(self.model.interval(*when))

    def times(self, when: CellInterval) -> str:
        """``in [3,5)``."""
        return f"in {self.interval(when)}"

    def point(self, cell: int) -> str:
        """A time in a cell: the instant, or the middle of the gap."""
        scale = 2 * self.model.scale
        at = self.model.notation.point(Fraction(cell, scale))
        return at.text_of(Fraction(cell, scale))

    def distance(self, ticks: int) -> str:
        """So many ticks."""
        return format_distance(Fraction(abs(ticks), self.model.scale), self.model.notation)

    def range(self, rho: Cells) -> str:
        """The range of an operator, from its cells."""
        scale = self.model.scale
        ends = (
            format_distance(
                None if abs(cell) >= POS_INF else Fraction(cell >> 1, scale), self.model.notation
            )
            for cell in rho
        )
        left, right = "(" if rho[0] & 1 else "[", "]" if rho[1] & 1 else ")"
        return f"{left}{','.join(ends)}{right}"

    def operator(self, name: str, rho: Cells | None) -> str:
        """``Boxminus[0,2]``."""
        return f"{name.capitalize()}{'' if rho is None else self.range(rho)}"

    def number(self, rule: int) -> int:
        """The number in the program of a rule of the network."""
        return self._numbers[rule]

    def boxes(self, rule: int) -> int:
        """How many boxes stand over the head of a rule of the network."""
        return len(unboxed(self._rules[self._numbers[rule] - 1].head[0])[0])

    def place(self, number: int) -> str:
        """``rules.txt:4``: where a rule of the program stands."""
        span = self._rules[number - 1].span
        return f"{self.title}:{span.line}" if span.line else f"rule {number}"

    def rule(self, number: int) -> str:
        """A rule of the program."""
        return write_rule(self._rules[number - 1])

    def variables(self, plan: Scan) -> list[Variable]:
        """The arguments of the first atom of the rules that a scan may be of."""
        for rule in self._rules:
            for atom in traversal.atoms(rule.body):
                if predicate_name(atom) == self.predicate(plan.relation) and _fits(atom, plan):
                    return [
                        arg.value if isinstance(arg, ast.Var) else Variable("?")
                        for arg in atom.args
                    ]
        return [Variable(f"X{place + 1}") for place in range(plan.relation.arity)]


@dataclass(frozen=True, slots=True)
class _RulePlaces(Names):
    """Names of rules that are their places."""

    writer: NotationWriter | None = None

    def rule(self, number: int) -> str:
        """See the base."""
        assert self.writer is not None
        return self.writer.place(self.writer.number(number))


class MetricConditionWriter(ConditionWriter):
    """Writes the conditions of plans as DatalogMTL does, for what rules lack."""

    def __init__(self, writer: NotationWriter) -> None:
        super().__init__(writer.model.terms, _RulePlaces(title=writer.title, writer=writer))
        self._writer = writer

    def conditions(
        self, plan: Plan, known: Sequence[Argument | None], given: Plan | None = None
    ) -> Iterator[str]:
        """See the base."""
        if isinstance(plan, NonPointwise) and plan != given:
            yield self._applied(plan, known)
            return
        found = super().conditions(plan, known, given)
        if plan.negated is None or plan == given:
            yield from found
            return
        *others, _ = found
        yield from others
        yield self._not(self._negated(plan, self._inputs(plan, known)))

    def negation(self, absent: NegatedMatch) -> str:
        """``not Off(a)``: what is negated, with the values that are known."""
        plan = absent.stream.plan
        key = map(self._terms.decode, absent.key)
        return self._not(self._negated(plan, self._values(plan, plan.evidence or (), key)))

    @staticmethod
    def _not(conditions: Iterable[str]) -> str:
        texts = list(conditions)
        return f"not ({', '.join(texts)})" if len(texts) != 1 else f"not {texts[0]}"

    def _argument(self, argument: Argument | None) -> str:
        if argument is None:
            return "?"
        if isinstance(argument, Variable):
            return write_variable(argument.name)
        return write_constant(lexical(argument))

    def _applied(self, plan: NonPointwise, known: Sequence[Argument | None]) -> str:
        sees = self._values(plan, plan.columns, known)
        texts = [
            self.together(source, sees[begin : begin + source.width])
            for source, begin in zip(plan.sources, plan.begins, strict=True)
        ]
        operator = self._writer.operator(plan.name, plan.distances)
        return f"{operator}{texts[0]}" if len(texts) == 1 else f" {operator} ".join(texts)

    def together(self, plan: Plan, known: Sequence[Argument | None]) -> str:
        """See the base."""
        parts = list(self.conditions(plan, known))
        text = ", ".join(parts) or "TOP"
        is_binary = isinstance(plan, NonPointwise) and len(plan.sources) > 1
        return f"({text})" if is_binary or len(parts) > 1 else text

    def rule_label(self, number: int) -> str:
        """See the base."""
        return self.names.rule(number)

    def head_boxes(self, number: int) -> int:
        """See the base."""
        return self._writer.boxes(number)

    def pattern(self, plan: Scan, known: Sequence[Argument | None]) -> str:
        """See the base."""
        args = self._arguments(plan, self._writer.variables(plan), known)
        written = (
            write_variable(arg.name) if isinstance(arg, Variable) else write_constant(lexical(arg))
            for arg in args
        )
        return write_atom(self._writer.predicate(plan.relation), written)


def _written(name: str, terms: Iterable[str]) -> str:
    """A fact by the canonical texts of its terms."""
    args = (write_constant(lexical(text)) for text in terms)
    return BOTTOM_WORD if name == BOTTOM_NAME else write_atom(name, args)


def _fits(atom: ast.Atom, plan: Scan) -> bool:
    constants, equal = dict(plan.constants), set(plan.equal)
    known: dict[str, int] = {}
    for place, arg in enumerate(atom.args):
        if isinstance(arg, ast.Var):
            first = known.setdefault(arg.value.name, place)
            if first != place and (first, place) not in equal:
                return False
    return len(equal) == sum(isinstance(arg, ast.Var) for arg in atom.args) - len(known) and all(
        constants.get(place) == (None if isinstance(arg, ast.Var) else str(arg.value))
        for place, arg in enumerate(atom.args)
        if isinstance(arg, ast.Var | ast.Constant)
    )
