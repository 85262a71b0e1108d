"""A kind of node that no module knows does all that the others do.

Two kinds are defined here. Each means what a known one means, and takes its place in the plans of
the same rules: so everything must be the same as with the known kinds, to the letter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import pytest
from rdflib import Namespace

import rete.planning.plan_builder
import temporal.mtl.operator_plans
from r4.api import Engine
from r4.program.compiler import compile_document
from r4.spark.partition.program_partition import partition
from r4.time.ticks import TimeScale
from rete.arrays.delta import Cells, Column, Rows
from rete.drawing.diagram import diagram
from rete.drawing.export import as_dot, as_json
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text
from rete.graph.plan import Call, Label, MetricOperator, OperandTimes, Plan, Shape, Witness
from rete.graph.row_questions import KnownColumns
from rete.graph.streams import RowSearch, Stream
from rete.network.network import Network
from rete.nodes.filter import Filter
from rete.nodes.linear import LinearNode
from rete.nodes.metric.diamond import Dilate
from rete.storage.interval_sets import CellInterval, IntervalSet
from rete.storage.row_algebra import project
from rete.terms.dictionary import Dictionary
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


made: list[Plan] = []


def _differ(source: Plan, test: str, args: tuple[Any, ...], keep: tuple[int, ...]) -> Plan:
    if test != NOT_SAME:
        return Filter(source, test, args, keep)
    made.append(Differ(source, args, keep))
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
        stack.enter_context(patch.object(rete.planning.plan_builder, "Filter", _differ))
        stack.enter_context(patch.object(temporal.mtl.operator_plans, "Dilate", _later))
        yield
    assert {type(plan) for plan in made} == {Differ, Later}


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
