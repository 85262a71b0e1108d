"""An aggregate that no module knows does all that a kind of node does."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from rdflib import Namespace

import r4.program.compiler
import rif.text.parser
from r4.api import Engine
from r4.api.values.term_texts import DATA
from r4.imports import Locations, load
from r4.spark.partition.program_partition import partition
from r4.spark.partition.routes import ByHash
from r4.time.ticks import TimeScale
from rete.drawing.diagram import diagram
from rete.drawing.export import as_dot
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text
from rete.network.network import Network
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from rif.syntax.terms import PRED
from rif.text.writer import unparse
from rif.xml.parser import parse_xml
from rif.xml.writer import write_xml
from tests.generators.draw import from_seed
from tests.generators.stories.steps import ElementStep, Step, Story, SweepStep
from tests.laws.counts import COUNTING
from tests.oracles.streams.run import named
from tests.simulation.retraction.checkpoint import CheckpointRun, lines_of_story
from tests.simulation.retraction.written_stories import triple
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork, run_story

parse = partial(rif.text.parser.parse, language=COUNTING)
compile_document = partial(r4.program.compiler.compile_document, language=COUNTING)


def _text(*rules: str) -> str:
    return (
        f"Document(Prefix(ex <http://e/>) Prefix(pred <{PRED}>) Window(6) Group({' '.join(rules)}))"
    )


COPY = "Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])"
COUNT = "Forall ?x ?n (?x[ex:n -> ?n] :- Count ?n ?y ?x (?x[ex:t -> ?y]))"
MORE = """Forall ?x ?n (?x[ex:m -> ?n] :-
    And(Count ?n ?y ?x (?x[ex:t -> ?y]) External(pred:numeric-greater-than(?n 1))))"""
NONE = """Forall ?x ?y (?x[ex:z -> ?y] :-
    And(?x[ex:q -> ?y] Naf(Exists ?n (Count ?n ?z ?y (?y[ex:t -> ?z])))))"""
RULES = (
    COPY,
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
    "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]))",
    COUNT,
    "Forall ?n (ex:all[ex:n -> ?n] :- Count ?n ?x (?x[ex:p -> ex:b]))",
    "Forall ?x ?y ?c (?x[ex:u -> ?c] :- DiamondMinus [2, 2] (?x[ex:n -> ?c]))",
    "Forall ?x ?y ?c (?x[ex:v -> ?y] :- And(?x[ex:p -> ?y] ?y[ex:n -> ?c] Naf(?x[ex:n -> ?c])))",
    "Forall ?x ?y ?c (?x[ex:w -> ?y] :- And(?x[ex:p -> ?y] ?y[ex:n -> ?c] ?x[ex:n -> ?c]))",
    MORE,
    NONE,
)
DOCUMENT = parse(_text(*RULES), lenient=True).document
END = 60
WINDOW = 6


def _story(seed: int, *, retracts: bool = True) -> Story:
    draw = from_seed(seed)
    steps: list[Step] = []
    at = 0
    for number in range(14):
        at += draw.choice((0, 1, 1, 2, 3))
        facts = {
            f"{draw.choice('abcd')} p {draw.choice('abcd')}" for _ in range(draw.integer(0, 3))
        }
        is_back = retracts and number and draw.chance(40)
        back = (f"e{draw.integer(0, number - 1)}",) if is_back else ()
        end = at + draw.integer(1, 7) if draw.chance(30) else None
        triples = tuple(map(triple, sorted(facts)))
        steps.append(ElementStep(f"e{number}", at, end, triples, back))
        if draw.chance(30):
            steps.append(SweepStep())
    return Story(
        DOCUMENT, (), (*steps, ElementStep("last", END, None, ())), window=WINDOW, language=COUNTING
    )


Facts = dict[str, set[tuple[str, str]]]


def _held(story: Story, met: str = "qtnuwmz") -> list[Facts]:
    """Per tick the answers by predicate; of ``met`` there are some."""
    run = SingleNetwork(compile_document(story.document, TimeScale()), instances=False)
    run_story(story, run)
    held: list[Facts] = [defaultdict(set) for _ in range(END)]
    begun: dict[tuple[str, str, str], int] = {}
    for line in map(json.loads, run.lines):
        s, p, o = fact = _short(line["s"]), _short(line["p"]), _short(line["o"])
        if line["op"] == "+":
            begun[fact] = line["from"]
        else:
            for tick in range(begun.pop(fact), min(line["until"], END)):
                held[tick][p].add((s, o))
    assert not begun
    assert set(met) <= {p for facts in held for p in facts}
    return held


def _short(term: str) -> str:
    """What stands at the end of an IRI, or in a literal."""
    return term.split('"')[1] if term[0] == '"' else term.strip("<>").rpartition("/")[2]


def _counted(story: Story, at: int, since: int) -> set[tuple[str, str]]:
    """The numbers at a tick by what is not taken back up to the tick ``since``."""
    said = [step for step in story.steps if isinstance(step, ElementStep)]
    gone = {name for step in said if step.start <= since for name in step.names}
    edges: set[tuple[str, str]] = set()
    for step in said:
        end = step.start + WINDOW if step.end is None else step.end
        if step.name not in gone and step.start <= at < end:
            for facts in step.triples:
                _, x, _, y = map(_short, named(facts, 0))
                edges.add((x, y))
    closed = _closure(edges)
    ends = sum(y == "b" for _, y in edges)
    numbers = {(x, str(n)) for x, n in Counter(x for x, _ in closed).items()}
    return numbers | ({("all", str(ends))} if ends else set())


def _closure(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    closed = set(edges)
    while more := {(x, z) for x, y in closed for w, z in closed if y == w} - closed:
        closed |= more
    return closed


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_those_of_the_facts_that_are_counted(seed: int) -> None:
    story = _story(seed)
    held = _held(story)
    for tick, facts in enumerate(held):
        numbers = {(x, str(n)) for x, n in Counter(x for x, _ in facts["t"]).items()}
        ends = sum(y == "b" for _, y in facts["q"])
        assert facts["n"] == numbers | ({("all", str(ends))} if ends else set())
        assert facts["u"] == _counted(story, tick - 2, tick)
        of = dict(numbers)
        same = {(x, y) for x, y in facts["q"] if y in of and of[x] == of[y]}
        assert facts["w"] == same
        assert facts["m"] == {(x, n) for x, n in numbers if int(n) > 1}
        assert facts["z"] == {(x, y) for x, y in facts["q"] if y not in of}
        assert facts["v"] == {(x, y) for x, y in facts["q"] if y in of} - same


@pytest.mark.parametrize("seed", range(8))
def test_numbers_stay_terms_as_long_as_rows_have_them(seed: int) -> None:
    """Behind a retraction, and under operators, terms are touched anew; here they are not."""
    document = parse(_text(*RULES[:5]), lenient=True).document
    story = replace(_story(seed, retracts=False), document=document)
    for tick, facts in enumerate(_held(story, "qtn")):
        assert facts["n"] == _counted(story, tick, tick)


@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_stops_goes_on(seed: int, tmp_path: Path) -> None:
    def save_and_resume(run: CheckpointRun) -> None:
        run.save(tmp_path / "saved.r4")
        run.resume(tmp_path / "saved.r4")

    story = _story(seed)
    for arrival in (False, True):
        told = lines_of_story(story, arrival=arrival)
        for at in (4, 9):
            assert lines_of_story(story, arrival=arrival, at=at, then=save_and_resume) == told


@pytest.mark.parametrize("seed", range(3))
def test_shards_find_the_same(seed: int) -> None:
    story = _story(seed)
    program = compile_document(DOCUMENT, TimeScale())
    one = SingleNetwork(program, instances=False)
    run_story(story, one)
    for shards in (2, 3):
        several = ShardedNetwork(partition(program, shards), instances=False)
        run_story(story, several)
        assert sorted(several.lines) == sorted(one.lines)


def test_it_is_read_as_it_is_written_in_both_syntaxes() -> None:
    assert parse(unparse(DOCUMENT, COUNTING)).document == DOCUMENT
    text = write_xml(DOCUMENT, COUNTING)
    assert '<r4:Count xmlns:r4="urn:r4:rif#" variables="n y x">' in text
    assert parse_xml(text.encode(), language=COUNTING).document == DOCUMENT


def test_its_own_variable_means_nothing_outside() -> None:
    outside = "Forall ?x ?y ?n (?x[ex:n -> ?y] :- Count ?n ?y ?x (?x[ex:t -> ?y]))"
    with pytest.raises(RuleErrors, match=r"RIF301 \?y is used in the head but bound nowhere"):
        parse(_text(outside))


def test_a_body_is_split_by_the_group() -> None:
    program = compile_document(parse(_text(COUNT), lenient=True).document, TimeScale())
    (body,) = partition(program, 3).bodies
    assert body.routes == (ByHash(0),)


def test_a_cycle_through_a_count_is_refused() -> None:
    back = "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:n -> ?y])"
    with pytest.raises(RuleErrors) as found:
        compile_document(parse(_text(COUNT, back), lenient=True).document, TimeScale())
    (fault,) = found.value.errors
    assert fault.code == "R4105"
    assert " asks for all of ?[ex:t -> ?], which rule 2 (" in fault.message


def test_pictures_say_what_it_does() -> None:
    emits = compile_document(parse(_text(COUNT), lenient=True).document, TimeScale()).emits
    drawn = diagram(Network(emits, Dictionary()))
    assert "count by ?x1" in as_text(drawn)
    assert "count by ?x1" in as_dot(drawn)
    assert "computes a value" in as_svg(drawn)
    assert "moves what holds in time" not in as_svg(drawn)


EXPLAINED = """\
1. because of 3 facts, from 2 to 4
ex:a[ex:n -> 3]  by rule 4
└─ count  at 2
   ├─ ex:a[ex:t -> ex:b]  by rule 2
   │  └─ ex:a[ex:p -> ex:b]  asserted from 1 to 7
   ├─ ex:a[ex:t -> ex:c]  by rule 2
   │  └─ ex:a[ex:p -> ex:c]  asserted from 1 to 7
   └─ ex:a[ex:t -> ex:d]  by rule 3
      ├─ ex:a[ex:t -> ex:b]  by rule 2 (as above)
      └─ ex:b[ex:t -> ex:d]  by rule 2
         └─ ex:b[ex:p -> ex:d]  asserted from 2 to 8
"""


def test_an_explanation_has_all_that_was_counted() -> None:
    ex = Namespace("http://e/")
    engine = Engine(load(parse(_text(*RULES), lenient=True), None, Locations(), DATA + 1))
    engine.add([(ex.a, ex.p, ex.b), (ex.a, ex.p, ex.c)], at=1)
    engine.add([(ex.b, ex.p, ex.d)], at=2)
    engine.add([(ex.a, ex.p, ex.e)], at=4)
    assert EXPLAINED in str(engine.explain("ex:a ex:n 3", at=2))
    assert "because of 2 facts, from 1 to 2" in str(engine.explain("ex:a ex:n 2", at=1))
    later = str(engine.explain("ex:a ex:u 3", at=4))
    assert "because of 3 facts" in later
    assert "└─ DiamondMinus [2, 2]  from 2 to 4" in later
    ends = str(engine.explain("ex:all ex:n 1", at=1))
    assert "it ends as this leaves the window: ex:a[ex:p -> ex:b]" in ends
    assert "not so: count (ex:a[ex:t -> ?y])" in str(engine.explain("ex:a ex:n 3", at=4))
