"""An aggregate that no module knows: a kind of formula, and the kind of node that it is lowered to.

``Count ?n ?y ?x ( ?x[ex:t -> ?y] )`` is true of ?n if so many ?y are true of ?x: it binds its
result ?n, groups by ?x, and ?y is a variable of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from r4.language import LANGUAGE
from rete.arrays.delta import Rows
from rete.graph.plan import KnownColumns, Label, NonPointwise, Plan, questions_about_source
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.planning.lowering import Lowering, Subplan
from rete.planning.operands import lower_operand
from rete.planning.planned_kind import PlannedKind
from rete.storage.row_algebra import (
    all_columns,
    coalesce,
    join_rows,
    probed_columns,
    project,
    subtract,
)
from rete.terms.dictionary import Dictionary
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.formula_kinds import FormulaSink, FormulaSource, XmlForm
from rif.syntax.terms import XSD, Variable


@dataclass(frozen=True)
class Count(NonPointwise):
    """Per group how many rows of the source hold; no row where none does.

    Attributes:
        by: the columns of the source that a group shares.
    """

    computes: ClassVar[bool] = True
    monotone: ClassVar[bool] = False

    source: Plan
    by: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return (*self.by, self.source.width)

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        return (self.by,)

    @property
    def name(self) -> str:
        return "count"

    @property
    def label(self) -> Label:
        return ("by", *self.by)


class CountNode(PlanNode[Count], plan=Count):
    """Takes the old numbers of a group back, and lets the new ones pass."""

    __slots__ = ("_by", "_index", "_stem", "_terms")

    def __init__(self, plan: Count, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._stem = output.sources[0].remember(instances=False)
        self._index = self._stem.index(plan.by)
        self._by = plan.by
        self._terms = terms

    def connect(self) -> None:
        self.output.gate = self
        (source,) = self.output.sources
        source.passed_gates.append(self)
        source.closed_gates.append(self)

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        rows = search.rows(
            self.output.sources[0], *questions_about_source(self.output.plan, asked, known)
        )
        found = self._numbers(coalesce(project(rows, range(self._stem.width))))
        kept = probed_columns(self.output.plan.width).tolist()
        return join_rows(asked, range(len(known)), found, known, kept)

    def note_waiting(self, rows: Rows) -> None:
        pass

    def admit(self, rows: Rows) -> Rows:
        return self._numbers(self._members(rows))

    def project(self, rows: Rows) -> Rows:
        return self._numbers(self._members(rows))

    def closed_by(self, rows: Rows) -> Rows:
        return self._numbers(subtract(self._members(rows), rows))

    def opened_by(self, rows: Rows) -> Rows:
        return rows

    def _members(self, rows: Rows) -> Rows:
        """All rows of the groups of ``rows``, at their times."""
        groups, stem = coalesce(project(rows, self._by)), self._stem
        key, kept = all_columns(len(self._by)), probed_columns(stem.width)
        return stem.probe(groups, key, stem.end, self._index, kept)

    def _numbers(self, rows: Rows) -> Rows:
        """Per group and time how many of ``rows`` there are, each of which is maximal."""
        spans: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
        for row in rows.tolist():
            spans[tuple(row[column] for column in self._by)].append((row[-2], row[-1]))
        found = [
            (*group, number, lo, hi)
            for group, pairs in spans.items()
            for lo, hi in pairwise(sorted({end for pair in pairs for end in pair}))
            if (number := sum(begin <= lo < end for begin, end in pairs))
        ]
        out = np.array(found, np.int64).reshape(len(found), len(self._by) + 3)
        numbers = out[:, -3].tolist()
        out[:, -3] = self._terms.encode_many([f'"{each}"^^<{XSD}integer>' for each in numbers])
        self._terms.touch(np.ascontiguousarray(out[:, -3:-2]), np.ascontiguousarray(out[:, -1]))
        return coalesce(out)


@dataclass(frozen=True, slots=True)
class CountFormula(ast.Formula):
    """``Count ?n ?v ?g … ( F )``: ?n is the number of the ?v of which F is true, for each ?g …."""

    result: ast.Var
    counted: Variable
    group: tuple[ast.Var, ...]
    body: ast.Formula

    @property
    def terms(self) -> tuple[ast.Var, ...]:
        return self.result, *self.group

    def with_terms(self, of: Callable[[ast.Term], ast.Term]) -> CountFormula:
        result, *group = (each for each in map(of, self.terms) if isinstance(each, ast.Var))
        return replace(self, result=result, group=tuple(group))

    @property
    def parts(self) -> tuple[ast.Formula, ...]:
        return (self.body,)

    def with_parts(self, parts: Sequence[ast.Formula]) -> CountFormula:
        return replace(self, body=parts[0])

    @property
    def local(self) -> tuple[Variable, ...]:
        return (self.counted,)

    @property
    def binding(self) -> tuple[ast.Formula, ...]:
        return self.parts

    @property
    def operands(self) -> tuple[ast.Formula, ...]:
        return self.parts

    @property
    def results(self) -> tuple[ast.Var, ...]:
        return (self.result,)


def _var(parser: FormulaSource) -> ast.Var:
    span = parser.here()
    return ast.Var(Variable(parser.expect("var")[1:]), span=span)


def _parse(parser: FormulaSource) -> CountFormula:
    result, counted, *group = _vars(parser)
    return CountFormula(result, counted.value, tuple(group), parser.one_formula())


def _vars(parser: FormulaSource) -> list[ast.Var]:
    found = [_var(parser), _var(parser)]
    while parser.kind == "var":
        found.append(_var(parser))
    return found


def _write(count: CountFormula, writer: FormulaSink) -> list[str]:
    names = (count.result.value, count.counted, *(each.value for each in count.group))
    return writer.call(f"Count {' '.join(map(str, names))} ", [writer.formula(count.body)])


def _from_xml(values: Mapping[str, str], parts: tuple[ast.Formula, ...], _: Span) -> CountFormula:
    result, counted, *group = (Variable(name) for name in values["variables"].split())
    return CountFormula(ast.Var(result), counted, tuple(map(ast.Var, group)), parts[0])


def _to_xml(count: CountFormula) -> Mapping[str, str]:
    names = (count.result.value, count.counted, *(each.value for each in count.group))
    return {"variables": " ".join(each.name for each in names)}


def _lower(lowering: Lowering, count: CountFormula) -> None:
    inner = lower_operand(lowering, count.body, None)
    by = tuple(inner.args.index(each.value) for each in count.group)
    plan = Count(inner.source, by)
    if lowering.observer is not None:
        lowering.observer(plan, (*inner.args, count.result.value))
    args = (*(each.value for each in count.group), count.result.value)
    lowering.subplans.append(Subplan(plan, args))


COUNTING = LANGUAGE.with_kinds(
    PlannedKind(
        "Count",
        CountFormula,
        parse=_parse,
        write=_write,
        xml=XmlForm(("variables",), 1, read=_from_xml, write=_to_xml),
        lower=_lower,
    )
)
"""R4's language with `CountFormula`: the one row that names it."""
