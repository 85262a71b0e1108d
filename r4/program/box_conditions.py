"""Boxes in bodies that streams hardly ever make true: over instants, and of one value throughout.

Under metric operators an element without an end holds at its instant alone where there is no
window. So a box of some length is never true of such elements, only of what lasts: static data,
facts of rules, what a diamond or a head under a box gives, elements with an end of their own. And
a variable that is free in a box has one value throughout, also if it occurs nowhere else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from r4.program.program import Program
from r4.time.ticks import TimeScale
from rete.arrays.delta import Cells
from rete.graph.plan import Emit, NonPointwise, Plan, below
from rete.nodes.metric.box import Erode
from rete.nodes.metric.diamond import Dilate
from rete.nodes.scan import Scan
from rete.nodes.unit import Unit
from rete.terms.relations import TRIPLES, Relation
from rif.syntax import ast
from rif.syntax.clauses import merge
from rif.syntax.traversal import (
    clause_of,
    free_variables,
    rules,
    subformulas,
    variables_of,
)
from temporal.mtl.ast import Box


class BoxKey(NamedTuple):
    """A box in the body of a rule, by the number of that, its range and its direction."""

    rule: int
    rho: Cells
    future: bool

    @property
    def name(self) -> str:
        """``BoxMinus``, ``BoxPlus``."""
        return "BoxPlus" if self.future else "BoxMinus"


@dataclass(frozen=True, slots=True)
class BoxCondition:
    """What must be so for a box to be true.

    Attributes:
        is_brief: whether it has a length, and nothing that it asks for lasts but static data, and
            elements for as long as they say, or the window.
        window: the ticks for which elements without an end hold at most that it asks for; None: at
            their instant alone.
        fixed: names of its variables that are values there alone: they are the same throughout.
        compared: those of them that a test in the box asks about, as `?v > 3`.
    """

    is_brief: bool
    window: int | None = None
    fixed: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()

    def fixed_values(self, *, compared: bool = False) -> Iterator[str]:
        """A sentence for each variable of `fixed`, or of `compared`."""
        for name in self.compared if compared else self.fixed:
            yield f"?{name} is one value throughout: Exists ?{name} inside lets it change"


BoxConditions: TypeAlias = Mapping[BoxKey, BoxCondition]


def box_conditions(
    program: Program, documents: Sequence[ast.Document], scale: TimeScale
) -> BoxConditions:
    """The conditions of all boxes in the bodies of ``documents``, the main one first."""
    boxes: defaultdict[BoxKey, list[Plan]] = defaultdict(list)
    for emit in program.emits:
        for plan in below(emit.source):
            if isinstance(plan, Erode):
                boxes[BoxKey(emit.rule, plan.rho, plan.future)].append(plan.source)
    if not boxes:
        return {}
    names: defaultdict[BoxKey, dict[str, bool]] = defaultdict(dict)
    for key, name, compared in _value_names(merge(program.closed(documents, scale)), scale):
        names[key][name] = compared
    lasting = _LastingFacts(program)
    return {
        key: BoxCondition(
            _has_length(key.rho) and not any(map(lasting.lasts, sources)),
            max((_longest_window(program, source) for source in sources), key=lambda w: w or -1),
            tuple(names[key]),
            tuple(name for name, compared in names[key].items() if compared),
        )
        for key, sources in sorted(boxes.items())
    }


def _longest_window(program: Program, source: Plan) -> int | None:
    """How long elements without an end may be what ``source`` asks for; None: an instant."""
    kinds = {_kind(each.relation, each.key) for each in below(source) if isinstance(each, Scan)}
    derived = {_kind(head.relation, head.key) for emit in program.emits for head in emit.heads}
    if kinds & derived or program.background:  # which follow from any elements
        kinds = {(TRIPLES, None)}
    longest = [max(program.windows_of(predicate), default=-1) for _, predicate in kinds]
    least = min(longest, default=-1)
    return None if least < 0 else least


def _has_length(rho: Cells) -> bool:
    return rho[1] - rho[0] > 1


class _LastingFacts:
    """Facts that may hold longer than an instant, if those of elements do not.

    They are told apart by relation, triples by predicate too.
    """

    def __init__(self, program: Program) -> None:
        self._kinds = {_kind(fact.relation, fact.texts) for fact in program.facts}
        left = [*program.emits, *program.background]
        before = -1
        while len(left) != before:
            before = len(left)
            left = [emit for emit in left if not self._enter(emit)]

    def _enter(self, emit: Emit) -> bool:
        if not self.lasts(emit.source):
            return False
        self._kinds |= {_kind(head.relation, head.key) for head in emit.heads}
        return True

    def lasts(self, plan: Plan) -> bool:
        """Whether a row of the plan may hold longer than an instant."""
        match plan:
            case Scan():
                relation, predicate = asked = _kind(plan.relation, plan.key)
                if relation == TRIPLES and predicate is None:
                    return any(each == relation for each, _ in self._kinds)
                return asked in self._kinds or (relation, None) in self._kinds
            case Dilate():
                return _has_length(plan.rho) or self.lasts(plan.source)
            case Erode():
                return self.lasts(plan.source)
            case NonPointwise() | Unit():
                return True
        return all(map(self.lasts, plan.joined))


def _kind(relation: Relation, key: Sequence[str | None]) -> tuple[Relation, str | None]:
    return relation, key[1] if relation == TRIPLES else None


def _value_names(document: ast.Document, scale: TimeScale) -> Iterator[tuple[BoxKey, str, bool]]:
    """A box, the name of a variable that is a value there alone, and whether a test asks for it."""
    for number, rule in enumerate(rules(document), 1):
        clause = clause_of(rule)
        if not isinstance(clause, ast.Implies):
            continue
        boxes = [each for each in subformulas(clause.body) if isinstance(each, Box)]
        if not boxes:
            continue
        everywhere = Counter(name for part in (*clause.head, clause.body) for name in _uses(part))
        for box in boxes:
            uses = Counter(_uses(box))
            key = BoxKey(number, box.rho.cells(scale.per_second), not box.is_past)
            for name in free_variables(box.body):
                here, all_uses = (
                    [count[name, use] for use in ("value", "test", "term")]
                    for count in (uses, everywhere)
                )
                values, tests, terms = here
                if values and not terms and here == all_uses:
                    yield key, name, bool(tests)


_Use: TypeAlias = Literal["value", "test", "term"]
"""A variable is the value of a slot, or in a test, or anywhere else, as in ``?v = 7``."""


def _uses(formula: ast.Formula) -> Iterator[tuple[str, _Use]]:
    """Each occurrence of a variable in a formula, with its use."""
    for part in subformulas(formula):
        values = [value for _, value in part.slots] if isinstance(part, ast.Frame) else []
        is_test = isinstance(part, ast.External)
        for term in part.terms:
            use: _Use = (
                "test" if is_test else "value" if any(term is each for each in values) else "term"
            )
            for var in variables_of(term):
                yield var.value.name, use
