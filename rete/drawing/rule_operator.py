"""The operators in the body of one rule, with what this rule calls their inputs.

A plan that several rules share has one node, whose names are those of the first rule; and two
patterns of one rule that differ by variables alone are one plan. So names are read from the head
downwards: what an operator passes on is called what its reader calls it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rete.drawing.names import INFIX, Label, Names, Piece, label_words, plain
from rete.graph.plan import Emit, LabelPart, Plan
from rete.nodes.function import Apply
from rete.nodes.scan import Scan
from rete.planning.lowering import Argument, is_fresh_variable
from rete.terms.relations import Operand
from rif.syntax.terms import Variable


@dataclass(frozen=True, slots=True)
class RuleOperator:
    """An operator in the body of a rule, and what this rule calls its inputs; see `Plan.joined`."""

    plan: Plan
    inputs: tuple[Argument, ...]
    sources: tuple[RuleOperator, ...]

    @property
    def columns(self) -> list[Argument]:
        """What the rule calls its columns."""
        return [self.inputs[place] for place in self.plan.columns]

    def label(self, names: Names) -> Label:
        """What the operator does."""
        return self._words(names, self.plan.label)

    def value(self, names: Names, argument: Argument) -> str:
        """A variable or a constant; the call that gives it, if the rule has no name for it."""
        if isinstance(argument, Variable) and is_fresh_variable(argument):
            for operator in _operators(self.sources):
                plan = operator.plan
                if isinstance(plan, Apply) and operator.inputs[-1] == argument:
                    text = operator.call(names)
                    return f"({text})" if plan.function in INFIX else text
        return names.argument(argument)

    def call(self, names: Names) -> str:
        """The last word of the label: the built-in of a test or a function, with its arguments."""
        return plain(self._words(names, self.plan.label[-1:]))

    def _words(self, names: Names, parts: Sequence[LabelPart | tuple[LabelPart, ...]]) -> Label:
        def piece(operand: Operand | None) -> Piece:
            place = -1 if operand is None else operand
            argument = self.inputs[place] if isinstance(place, int) else place
            return Piece(self.value(names, argument))

        return label_words(names, parts, piece, lambda: list(map(piece, range(len(self.inputs)))))


def _operators(sources: Sequence[RuleOperator]) -> Iterator[RuleOperator]:
    for source in sources:
        yield source
        yield from _operators(source.sources)


def operator_tree(names: Names, emit: Emit) -> RuleOperator:
    """The operators of the body of a rule, from the last one down."""
    return _read(names, emit.rule, emit.source, names.view(emit, emit.rule))


def _read(names: Names, rule: int, plan: Plan, columns: Sequence[Argument | None]) -> RuleOperator:
    """An operator whose columns have these names; None: its reader has none."""
    inputs: list[Argument | None] = [None] * plan.inputs
    for place, name in zip(plan.columns, columns, strict=False):
        inputs[place] = name
    for pair in plan.equated * 2:
        if max(pair) < len(inputs):
            left, right = pair
            inputs[left] = inputs[left] or inputs[right]
            inputs[right] = inputs[right] or inputs[left]
    if isinstance(plan, Scan):
        for place, text in plan.constants:
            inputs[place] = text
    own = names.view(plan, rule)
    for place, name in enumerate(own[: len(inputs)]):
        inputs[place] = inputs[place] or name
    sources = tuple(
        _read(names, rule, source, inputs[begin : begin + source.width])
        for source, begin in zip(plan.joined, plan.begins, strict=False)
    )
    below = [name for source in sources for name in source.columns]
    made_up = [*below, *(Variable(f"x{place + 1}") for place in range(len(below), len(inputs)))]
    return RuleOperator(
        plan,
        tuple(name or other for name, other in zip(inputs, made_up, strict=True)),
        sources,
    )
