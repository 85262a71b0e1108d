"""A kind of node that no module knows does all that the others do.

Those of `tests.laws.node_kinds` take the places of known ones in the plans of the same rules: so
everything must be the same as with the known kinds, to the letter. Only why single rows do not pass
is told of negations and linear nodes alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import pytest
from rdflib import Namespace

import r4.program.compiler
import rete.planning.plan_builder
from r4.api import Engine
from r4.program.compiler import compile_document
from r4.spark.partition.program_partition import partition
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows, empty
from rete.drawing.diagram import diagram
from rete.drawing.export import as_dot, as_json
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text
from rete.graph.plan import Emit, KnownColumns, Plan
from rete.graph.streams import PlanNode, RowSearch
from rete.network.network import Network
from rete.planning.lowering import Conjunction
from rete.planning.plan_builder import build_plan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head
from rif.builtins.extensions import R4_BUILTIN
from tests.generators.rules.parsers import parse
from tests.generators.stories.steps import Story
from tests.laws.node_kinds import new_kinds, without
from tests.simulation.retraction.checkpoint import CheckpointRun, lines_of_story
from tests.simulation.retraction.written_stories import element
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork, run_story

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
    with patch.object(rete.planning.plan_builder, "AntiJoin", without):
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


class BothNode(PlanNode[Both], plan=Both):
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
