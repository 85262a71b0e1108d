"""A kind of node that no module knows does all that the others do.

Four kinds are defined here, one for each way to be fed, and one that moves rows in time. Each means
what a known one means, and takes its place in the plans of the same rules: so everything must be
the same as with the known kinds, to the letter. Only why single rows do not pass is told of
negations and linear nodes alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import pytest
from rdflib import Namespace

import r4.program.compiler
import rete.planning.plan_builder
import temporal.mtl.operator_plans
from r4.api import Engine
from r4.program.compiler import compile_document
from r4.spark.partition.program_partition import partition
from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF, Cells, Column, Rows, columns, empty
from rete.drawing.diagram import diagram
from rete.drawing.export import as_dot, as_json
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text
from rete.graph.plan import Call, Emit, Label, MetricOperator, OperandTimes, Plan, Shape, Witness
from rete.graph.row_questions import KnownColumns, questions_about_source
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.network.network import Network
from rete.nodes.filter import Filter
from rete.nodes.join import JoinSide
from rete.nodes.linear import LinearNode
from rete.nodes.metric.diamond import Dilate
from rete.planning.lowering import Conjunction
from rete.planning.plan_builder import build_plan
from rete.storage.interval_sets import CellInterval, IntervalSet
from rete.storage.row_algebra import project
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head
from rif.builtins.extensions import R4_BUILTIN
from rif.text.parser import parse
from tests.generators.stories.steps import Story
from tests.simulation.retraction.checkpoint import CheckpointRun, lines_of_story
from tests.simulation.retraction.written_stories import element
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork, run_story

NOT_SAME = R4_BUILTIN + "not-same-term"


@dataclass(frozen=True)
class Differ(Plan):
    """Rows of which two columns are different terms: a `Filter`."""

    shape: ClassVar[Shape] = "filter"

    source: Plan
    pair: tuple[int, int]
    keep: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return self.keep

    @property
    def evidence(self) -> tuple[int, ...]:
        return self.pair

    @property
    def label(self) -> Label:
        return (Call(NOT_SAME, self.pair),)


class DifferNode(LinearNode, plan=Differ):
    __slots__ = ("_plan",)

    def __init__(self, plan: Differ, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._plan = plan

    def apply(self, rows: Rows) -> Rows:
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        one, other = self._plan.pair
        origins = np.flatnonzero(rows[:, one] != rows[:, other])
        return origins, project(rows[origins], self._plan.keep)


@dataclass(frozen=True)
class Later(MetricOperator):
    """When a row of the source held so many cells ago: a `Dilate`."""

    source: Plan
    by: int

    @property
    def rho(self) -> Cells:  # type: ignore[override]
        return self.by, self.by + 1

    @property
    def future(self) -> bool:  # type: ignore[override]
        return False

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(range(self.source.width))

    @property
    def name(self) -> str:
        return "DiamondMinus"

    def lateness(self, late: Sequence[int]) -> int:
        return max(0, late[0] - self.by)

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        return (own + self.by if retracts else 0,)

    def reach(self, pair: CellInterval) -> Sequence[CellInterval]:
        return ((pair[0] - self.by, pair[1] - self.by),)

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        return tuple((lo + self.by, hi + self.by) for lo, hi in operands[0])

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        ((there, after),) = self.reach((at, at + 1))
        run = operands[0].latest((there, after))
        if run is not None:
            hi = min(run[1] + self.by, end)
            yield Witness(hi, ((0, (there, hi - self.by)),))


class LaterNode(LinearNode, plan=Later):
    __slots__ = ("_by",)

    def __init__(self, plan: Later, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._by = plan.by

    def apply(self, rows: Rows) -> Rows:
        rows = rows.copy()
        rows[:, -2:] += self._by
        return rows

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        asked = asked.copy()
        asked[:, -2:] -= self._by
        return self.apply(search.rows(self.output.sources[0], asked, known))


@dataclass(frozen=True)
class Meet(Plan):
    """Pairs of rows that agree on a key: a `Join`."""

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(c if c >= 0 else self.left.width + ~c for c in self.keep)

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        return tuple((mine, self.left.width + theirs) for mine, theirs in self.on)

    @property
    def label(self) -> Label:
        return tuple(mine for mine, _ in self.on)

    @property
    def condition(self) -> Label:
        return ()


class MeetNode(PlanNode, plan=Meet):
    __slots__ = ("_plan",)

    def __init__(self, plan: Meet, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._plan = plan

    def connect(self) -> None:
        (left, right), on, keep = self.output.sources, self._plan.on, self._plan.keep
        instances = self.output.network.instances
        mine, other = left.remember(instances=instances), right.remember(instances=instances)
        back, mirror = tuple((b, a) for a, b in on), tuple(~c for c in keep)
        left.sides.append(JoinSide(other, on, keep, self.output, sees_before=left is right))
        right.sides.append(JoinSide(mine, back, mirror, self.output, sees_before=False))

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        return search.pairs(self.output, asked, known)


@dataclass(frozen=True)
class Without(Plan):
    """Left rows as long as no right row agrees with them: an `AntiJoin`."""

    shape: ClassVar[Shape] = "antijoin"
    negated: ClassVar[int | None] = 1

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    correlated: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        return self.keep

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        return tuple((mine, self.left.width + theirs) for mine, theirs in self.on)

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        return None, tuple(theirs for _, theirs in self.on)

    @property
    def evidence(self) -> tuple[int, ...]:
        return tuple(mine for mine, _ in self.on)

    @property
    def label(self) -> Label:
        return self.evidence


class WithoutNode(PlanNode, plan=Without):
    __slots__ = ("_keep", "_left", "_mine", "_right", "_theirs")

    def __init__(self, plan: Without, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._left, self._right = (each.remember(instances=False) for each in output.sources)
        self._mine = tuple(mine for mine, _ in plan.on)
        self._theirs = tuple(theirs for _, theirs in plan.on)
        self._keep = plan.keep

    def connect(self) -> None:
        self.output.gate = self
        left, right = self.output.sources
        left.passed_gates.append(self)
        right.closed_gates.append(self)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        about = questions_about_source(self.output.plan, asked, known)
        return self._free(search.rows(self.output.sources[0], *about))

    def admit(self, rows: Rows) -> Rows:
        return self.project(self._free(self._left.meet(rows, NEG_INF)))

    def project(self, rows: Rows) -> Rows:
        return project(rows, self._keep)

    def closed_by(self, rows: Rows) -> Rows:
        return self._partners(rows, self._keep)

    def opened_by(self, rows: Rows) -> Rows:
        return self._partners(rows, range(self._left.width))

    def _free(self, rows: Rows) -> Rows:
        return self._right.uncovered(rows, columns(self._mine), self._right.index(self._theirs))

    def _partners(self, rows: Rows, keep: Sequence[int]) -> Rows:
        left = self._left
        key, kept = columns(self._theirs), columns([~c for c in keep])
        return left.probe(rows, key, left.n, left.index(self._mine), kept)


Pairs = tuple[tuple[int, int], ...]
made: list[Plan] = []


def _differ(source: Plan, test: str, args: tuple[Any, ...], keep: tuple[int, ...]) -> Plan:
    if test != NOT_SAME:
        return Filter(source, test, args, keep)
    made.append(Differ(source, args, keep))
    return made[-1]


def _meet(left: Plan, right: Plan, on: Pairs, keep: tuple[int, ...]) -> Plan:
    made.append(Meet(left, right, on, keep))
    return made[-1]


def _without(left: Plan, right: Plan, on: Pairs, keep: tuple[int, ...], correlated: bool) -> Plan:
    made.append(Without(left, right, on, keep, correlated))
    return made[-1]


def _later(source: Plan, rho: Cells, future: bool) -> Plan:
    if future or rho[1] != rho[0] + 1:
        return Dilate(source, rho, future)
    made.append(Later(source, rho[0]))
    return made[-1]


@contextmanager
def new_kinds() -> Iterator[None]:
    """Rules are planned with the kinds that are defined here."""
    made.clear()
    with ExitStack() as stack:
        for name, kind in (("Filter", _differ), ("Join", _meet), ("AntiJoin", _without)):
            stack.enter_context(patch.object(rete.planning.plan_builder, name, kind))
        stack.enter_context(patch.object(temporal.mtl.operator_plans, "Dilate", _later))
        yield
    assert {type(plan) for plan in made} == {Differ, Later, Meet, Without}


RULES = f"""Document(Prefix(ex <http://e/>) Prefix(r4 <{R4_BUILTIN}>) Window(6) Group(
    Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(
        ?x[ex:p -> ?y] ?y[ex:p -> ?z] External(r4:not-same-term(?x ?z))))
    Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]
        External(r4:not-same-term(?x ?z))))
    Forall ?x ?y (?x[ex:u -> ?y] :- And(?x[ex:q -> ?y] DiamondMinus [2, 2] (?x[ex:t -> ?y])))
    Forall ?x ?y (?x[ex:v -> ?y] :- And(?x[ex:t -> ?y] Naf(?x[ex:u -> ?y])))))"""

DOCUMENT = parse(RULES, lenient=True).document
STORY = Story(
    DOCUMENT,
    (),
    (
        element("one", 0, "a p b", "b p c", "c p a"),
        element("two", 1, "c p d", "a q c"),
        element("three", 2, "a q c", "a q d", "b q d"),
        element("four", 3, "b p d", back=["one"]),
        element("five", 4, "a q d", "d p a", back=["three"]),
        element("six", 6, "b q d", "c q a"),
        element("seven", 9, "a p b", back=["two"]),
        element("eight", 12, "b p c"),
    ),
    window=6,
)


def _told() -> list[str]:
    return lines_of_story(STORY, arrival=False)


def _told_early() -> list[str]:
    return lines_of_story(STORY, arrival=True)


def _resumed(folder: Path) -> list[str]:
    at, path = 5, folder / "saved.r4"

    def save_and_resume(run: CheckpointRun) -> None:
        run.save(path)
        run.resume(path)

    return lines_of_story(STORY, arrival=False, at=at, then=save_and_resume)


def _in_shards() -> list[str]:
    program = compile_document(DOCUMENT, TimeScale())
    one = SingleNetwork(program, instances=False)
    run_story(STORY, one)
    for shards in (2, 3):
        several = ShardedNetwork(partition(program, shards), instances=False)
        run_story(STORY, several)
        assert sorted(several.lines) == sorted(one.lines)
    return one.lines


def _split() -> str:
    return repr(partition(compile_document(DOCUMENT, TimeScale()), 3).bodies[0].routes)


def _drawn() -> list[str]:
    drawn = diagram(Network(compile_document(DOCUMENT, TimeScale()).emits, Dictionary()))
    found = json.loads(as_json(drawn))
    for node in found["nodes"]:
        del node["operator"]  # the name of the class, and its fields
    return [as_text(drawn), as_dot(drawn), as_svg(drawn), json.dumps(found)]


def _explained() -> list[str]:
    ex = Namespace("http://e/")
    engine = Engine.from_text(RULES, lenient=True)
    for at, triples in enumerate((((ex.a, ex.p, ex.b), (ex.b, ex.p, ex.c)), ((ex.b, ex.p, ex.d),))):
        engine.add(triples, at=at)
    engine.add([(ex.a, ex.q, ex.c)], at=2)
    facts = (
        "ex:a ex:t ex:c",
        "ex:a ex:u ex:c",
        "ex:a ex:v ex:c",
        "ex:a ex:t ex:a",
        "ex:c ex:u ex:a",
    )
    return [str(engine.explain(f"ex:{fact}", at=at)) for fact in facts for at in (1, 2, 3)]


@pytest.mark.parametrize(
    "run", [_told, _told_early, _resumed, _in_shards, _split, _drawn, _explained]
)
def test_a_kind_that_no_module_knows_does_what_the_known_one_does(
    run: Callable[..., object], tmp_path: Path
) -> None:
    args = (tmp_path,) if run is _resumed else ()
    known = run(*args)
    assert known
    with new_kinds():
        assert run(*args) == known


def test_of_rows_that_cannot_be_traced_it_is_told_that_their_conditions_are_not_so() -> None:
    ex = Namespace("http://e/")
    rule = "?x[ex:v -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:u -> ?y]))"
    with patch.object(rete.planning.plan_builder, "AntiJoin", _without):
        engine = Engine.from_text(
            f"Document(Prefix(ex <http://e/>) Group(Forall ?x ?y ({rule})))", lenient=True
        )
    engine.add([(ex.a, ex.p, ex.b), (ex.a, ex.u, ex.b), (ex.c, ex.p, ex.b)], at=1)
    told = str(engine.explain("ex:a ex:v ex:b", at=1))
    assert "rule 1: not so: ex:a[ex:p -> ex:b] and not (ex:a[ex:u -> ex:b])" in told
    assert "rule 1: there is no ex:b[ex:p -> ex:b]" in str(engine.explain("ex:b ex:v ex:b", at=1))
    assert "holds" in str(engine.explain("ex:c ex:v ex:b", at=1))


@dataclass(frozen=True)
class Both(Plan):
    """One row where both sources have rows, with a value; its node never has any."""

    computes: ClassVar[bool] = True

    left: Plan
    right: Plan

    @property
    def columns(self) -> tuple[int, ...]:
        return 0, self.left.width + self.right.width


class BothNode(PlanNode, plan=Both):
    __slots__ = ()

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:  # noqa: ARG002
        return empty(self.output.plan.inputs)


def test_of_two_sources_with_a_value_it_is_told_that_their_conditions_are_not_so() -> None:
    def build(conjunction: Conjunction) -> Emit:
        emit = build_plan(conjunction)
        head = Head(emit.heads[0].relation, (0, "<http://e/v>", 1))
        return replace(emit, source=Both(emit.source, emit.source), heads=(head,))

    ex = Namespace("http://e/")
    with patch.object(r4.program.compiler, "build_plan", build):
        engine = Engine.from_text(
            "Document(Prefix(ex <http://e/>)"
            " Group(Forall ?x ?y (?x[ex:v -> ?y] :- ?x[ex:p -> ?y])))"
        )
    engine.add([(ex.a, ex.p, ex.b)], at=1)
    told = str(engine.explain("ex:a ex:v ex:b", at=1))
    assert "rule 1: not so: ex:a[ex:p -> ?y] and ?x[ex:p -> ?y]" in told
