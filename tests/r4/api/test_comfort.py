"""What makes the library easy to use: typed options, texts in Turtle, pictures in notebooks."""

from __future__ import annotations

import asyncio
import inspect
import re
import warnings
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from rdflib import BNode, Literal, Namespace, URIRef

from r4.api import Engine, EngineOptions, LateElement, UnboundedMemory
from r4.errors import Counters
from r4.time.ticks import BadDuration
from rif.errors.report import RuleErrors
from rif.syntax.ast import Document
from tests.generators.rules.parsers import parse_bytes

EX = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y]) ) )"""


def told(engine: Engine) -> list[tuple[str, str]]:
    engine.finish()
    return [(str(t[0]), str(t[2])) for change in engine.changes() if (t := change.triple)]


def test_the_options_that_are_typed_are_those_of_the_constructor() -> None:
    options = set(EngineOptions())
    assert set(inspect.signature(Engine).parameters) == {"rules", *options}
    assert set(inspect.signature(Engine.from_file).parameters) == {
        *("path", "lenient", "strict_syntax", "imports"),
        *options,
    }


def test_a_misspelled_option_is_refused_and_mypy_sees_it(tmp_path) -> None:
    with pytest.raises(TypeError, match="windw"):
        Engine.from_text(RULES, windw="5 s")  # type: ignore[call-arg]
    (tmp_path / "r.rif").write_text(RULES)
    with pytest.raises(TypeError, match="windw"):
        Engine.from_file(tmp_path / "r.rif", windw="5 s")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Engine has no option windw; did you mean window\\?"):
        Engine(parse_bytes(RULES.encode()).document, windw="5 s")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"Engine has no option zzz$"):
        Engine.from_text(RULES, zzz=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="'fact' is none"):
        Engine.from_text(RULES, semantics="fact")  # type: ignore[arg-type]


def test_an_engine_of_ones_own_may_have_options_of_its_own() -> None:
    class Titled(Engine):
        def __init__(self, rules: Document, *, title: str) -> None:
            super().__init__(rules, window="5 s")
            self.title = title

    assert Titled(parse_bytes(RULES.encode()).document, title="a").title == "a"


IRI_P, IRI_A = ox.NamedNode("urn:ex:p"), ox.NamedNode("urn:ex:a")
GRAPH = rdflib.Graph()
GRAPH.add((EX.a, EX.p, Literal(1)))
DATASET = rdflib.Dataset()
DATASET.graph(EX.g).add((EX.a, EX.p, Literal(1)))
ONE = ox.Literal("1", datatype=ox.NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
TRIPLE = ox.Triple(IRI_A, IRI_P, ONE)
QUAD = ox.Quad(IRI_A, IRI_P, ONE, IRI_A)
STORE = ox.Store()
STORE.add(QUAD)


@pytest.mark.parametrize(
    "data",
    [
        GRAPH,
        DATASET,
        list(GRAPH),
        (EX.a, EX.p, Literal(1)),
        ((EX.a, EX.p, Literal(1)),),
        TRIPLE,
        QUAD,
        [TRIPLE, QUAD],
        ox.Dataset([QUAD]),
        STORE,
        "ex:a ex:p 1 .",
        "PREFIX e: <urn:ex:> e:a e:p 1 .",
    ],
    ids=lambda data: type(data).__name__,
)
def test_graphs_triples_and_texts_are_data(data) -> None:
    engine = Engine.from_text(RULES)
    engine.add(data, at=1)
    assert told(engine) == [("urn:ex:a", "1")]


def test_texts_are_static_data_too_and_retracted() -> None:
    engine = Engine.from_text(RULES)
    engine.add_static("ex:a ex:p 1, 2 .")
    assert engine.remove_static("ex:a ex:p 1 .") == 1
    engine.add("ex:b ex:p 3 .", at=1)
    assert engine.retract("ex:b ex:p 3 .", at=1) == 1
    assert told(engine) == [("urn:ex:a", "2")]


def test_blank_nodes_of_a_text_are_its_own() -> None:
    engine = Engine.from_text(RULES, window="1")
    for at, text in enumerate(("_:b ex:p 1 .", "[] ex:p 1 .", "_:b ex:p 1 ."), 1):
        engine.add(text, at=at)
    engine.add([(BNode("b"), EX.p, Literal(1))], at=4)
    names = [name for name, _ in told(engine)]
    first, second, again, other = names[0], names[2], names[4], names[6]
    assert len({first, second, other}) == 3
    assert again == first


@pytest.mark.parametrize("text", ["ex:a ex:p", "no:a ex:p 1 .", "ex:a ex:p 1 .\n\n ex:a"])
def test_what_is_no_turtle_is_refused_with_its_line(text: str) -> None:
    engine = Engine.from_text(RULES)
    with pytest.raises(ValueError, match=rf"no Turtle: line {text.count(chr(10)) + 1}: "):
        engine.add(text, at=1)


@pytest.mark.parametrize("kind", [str, type("Text", (str,), {})])
def test_a_text_that_would_exhaust_the_parser_is_refused(kind: type[str]) -> None:
    engine = Engine.from_text(RULES)
    text = "ex:a ex:p " + "<<( ex:a ex:p " * 20_000 + "1 " + ")>> " * 20_000 + "."
    with pytest.raises(TypeError, match=r"no term of RDF 1\.1: a triple term"):
        engine.add(kind(text), at=1)
    engine.add(kind('ex:a ex:p """' + "<<( " * 20_000 + '""" .'), at=1)
    assert len(told(engine)) == 1


def test_a_surrogate_is_no_turtle() -> None:
    engine = Engine.from_text(RULES)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        engine.add("ex:a ex:p '\ud800' .", at=1)


@pytest.mark.parametrize("term", ["<<( ex:a ex:p 1 )>>", '"a"@en--ltr', '"a"@en--rtl'])
def test_a_text_has_no_terms_of_rdf_1_2(term: str) -> None:
    engine = Engine.from_text(RULES.replace("Window(5)", ""), tick="ms")
    at, text = datetime(2020, 1, 1, microsecond=1, tzinfo=UTC), f"ex:a ex:p 2, {term} ."
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnboundedMemory)  # nothing is added
        with pytest.raises(TypeError, match=r"no term of RDF 1\.1"):
            engine.add(text, at=at)
    assert engine.counters == Counters()
    engine.advance(at + timedelta(days=1))
    with pytest.raises(TypeError, match=r"no term of RDF 1\.1"):
        engine.add(text, at=at)  # late
    assert engine.counters == Counters()
    engine.add("ex:a ex:p 1 .", at=at + timedelta(days=2), until=at + timedelta(days=3))
    assert told(engine) == [("urn:ex:a", "1")]


def test_a_single_term_is_no_data() -> None:
    for term in (URIRef("urn:ex:a"), Literal("ex:a ex:p 1 .")):
        with pytest.raises(TypeError, match="one term is no statement"):
            Engine.from_text(RULES).add(term, at=1)


def test_engines_and_explanations_are_pictures_in_notebooks() -> None:
    engine = Engine.from_text(RULES)
    assert engine._repr_svg_() == engine.network_svg()
    assert re.match(r"<svg .*ex:p.*</svg>\s*$", engine.network_svg(), re.DOTALL)
    engine.add("ex:a ex:p 1 .", at=1)
    why = engine.explain("ex:a ex:q 1", at=1)
    assert why.holds
    assert why._repr_svg_() == why.svg()


READS = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?s ?v ( ?s[ex:saw -> ?v] :- ?s[ex:reads -> ?v] ) ) )"""
READING = "<urn:ex:s> <urn:ex:reads> 1 ."


@pytest.mark.parametrize("window", ["300 ms", 300, timedelta(milliseconds=300)])
def test_a_duration_is_a_text_ticks_or_a_timedelta(window: str | int | timedelta) -> None:
    engine = Engine.from_text(READS, window=window, delay=window)
    engine.add(READING, at=0)
    engine.finish(drain=window)
    assert [change.at for change in engine.changes()] == [0, 300]


@pytest.mark.parametrize("value", [1.5, True, timedelta(seconds=-1), b"5 s", "soon", -3])
@pytest.mark.parametrize("option", ["window", "delay"])
def test_another_duration_is_refused(option: str, value: object) -> None:
    with pytest.raises(BadDuration, match="is no duration: a decimal number, then ms us"):
        Engine.from_text(READS, **{option: value})  # type: ignore[arg-type]


def test_an_element_that_begins_with_its_time_is_named() -> None:
    with pytest.raises(TypeError, match=r"an element is \(data, at\), not \(at, data\)"):
        list(Engine.from_text(READS).run([(1, READING)]))  # type: ignore[list-item]


@pytest.mark.parametrize("element", [7, "text", (EX.a, EX.p, EX.b), None])
def test_what_is_no_element_is_named(element: object) -> None:
    with pytest.raises(TypeError, match=r"an element is \(data, at\), not"):
        [*Engine.from_text(RULES).run([element])]  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((EX.a, EX.p, 78.5), r"78\.5; rdflib\.Literal\(78\.5\) is one"),
        ((EX.a, EX.p, Literal(1), datetime.now(UTC)), "three terms, or these and a graph"),
        ((EX.a, EX.p), "three terms, or these and a graph"),
        (["time", "value"], "three terms, or these and a graph, not 'time'"),
    ],
)
def test_what_is_no_statement_is_named(data: Any, words: str) -> None:
    engine = Engine.from_text(RULES)
    with pytest.raises(TypeError, match=words):
        engine.add(data, at=1)
    with pytest.raises(TypeError, match=words):
        engine.add_static(data)


def test_a_missing_time_of_pandas_and_its_nanoseconds_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    engine = Engine.from_text(RULES, tick="ns", window="300 ns")
    for call in (engine.advance, lambda at: engine.add((EX.a, EX.p, EX.b), at=at)):
        with pytest.raises(TypeError, match="a time is a datetime or an integer, not NaT"):
            call(pandas.NaT)
    fine = pandas.Timestamp("2026-01-01T10:00:00.0000009Z")
    with pytest.raises(ValueError, match="a datetime has whole microseconds"):
        engine.add((EX.a, EX.p, EX.b), at=fine)
    assert engine.add((EX.a, EX.p, EX.b), at=fine.floor("us"))


def test_stamps_that_are_rounded_to_the_tick_are_counted() -> None:
    engine = Engine.from_text(RULES)
    begin = datetime(2026, 1, 1, 10, microsecond=900, tzinfo=UTC)
    engine.add((EX.a, EX.p, EX.b), at=begin, until=begin + timedelta(seconds=1))
    engine.add((EX.a, EX.p, EX.b), at=datetime(2026, 1, 1, 10, 1, tzinfo=UTC))
    assert engine.counters.rounded == 2


def test_a_change_is_explained_at_its_time() -> None:
    engine = Engine.from_text(RULES, journal=9)
    engine.add((EX.a, EX.p, EX.b), at=1)
    engine.advance(20)
    begin, _ = engine.changes()
    assert begin.triple is not None
    assert str(engine.explain(begin)) == str(engine.explain(begin.triple, at=1))
    assert "because" in str(engine.explain(begin))


def test_the_name_of_a_file_is_no_text_of_rules() -> None:
    with pytest.raises(RuleErrors, match=r"hint: Engine\.from_file reads a file"):
        Engine.from_text("twice.rif")


def test_late_elements_of_a_run_are_warned_of_once() -> None:
    elements = [(READING, at) for at in (9, 3, 2, 10)]
    with pytest.warns(LateElement, match="the element at 3 is late .* delay=") as found:
        list(Engine.from_text(READS).run(elements))
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(Engine.from_text(READS, delay=9).run(elements))


def test_late_elements_that_arrive_are_warned_of() -> None:
    async def arrive() -> AsyncIterator[tuple[str, int]]:
        for at in (9, 3, 2):
            yield READING, at

    async def follow() -> None:
        async for _ in Engine.from_text(READS).arun(arrive()):
            pass

    with pytest.warns(LateElement) as found:
        asyncio.run(follow())
    assert len(found) == 1


FOR_EVER = RULES.replace("Window(5)", "")


def test_facts_that_hold_for_ever_are_warned_of_once_for_each_engine() -> None:
    for _ in range(2):
        engine = Engine.from_text(FOR_EVER)
        with pytest.warns(UnboundedMemory, match=r"no Window: .* not bounded.* until=") as found:
            engine.add(READING, at=1)
        assert [each.filename for each in found] == [__file__]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            engine.add(READING, at=2)


def test_whoever_takes_the_changes_of_a_run_is_warned_of_facts_that_hold_for_ever() -> None:
    with pytest.warns(UnboundedMemory) as found:
        list(Engine.from_text(FOR_EVER).run([(READING, 1), (READING, 2)]))
    assert [each.filename for each in found] == [__file__]

    async def arrive() -> AsyncIterator[tuple[str, int]]:
        for at in (1, 2):
            yield READING, at

    async def follow() -> None:
        async for _ in Engine.from_text(FOR_EVER).arun(arrive()):
            pass

    with pytest.warns(UnboundedMemory) as found:
        asyncio.run(follow())
    assert [each.filename for each in found] == [__file__]


def test_a_range_without_end_is_warned_of() -> None:
    engine = Engine.from_text(
        RULES.replace("?x[ex:p -> ?y])", "DiamondMinus [0, inf) (?x[ex:p -> ?y]))")
    )
    with pytest.warns(UnboundedMemory, match="a range to inf looks back on"):
        engine.add(READING, at=1)


def test_nothing_is_warned_of_where_facts_end_or_no_time_is_used() -> None:
    def static(engine: Engine) -> None:
        engine.add_static(READING)
        engine.finish()

    def ends(engine: Engine) -> None:
        engine.add(READING, at=1, until=5)
        engine.advance(3)

    def follows(engine: Engine) -> None:  # what is removed from the graph ends
        graph = rdflib.Graph()
        engine.attach(graph)
        graph.add((EX.a, EX.p, EX.b))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for use in (static, ends, follows):
            use(Engine.from_text(FOR_EVER))
        Engine.from_text(FOR_EVER, window=5).add(READING, at=1)
        Engine.from_text(RULES).add(READING, at=1)
        metric = RULES.replace("Window(5)", "").replace(
            "?x[ex:p -> ?y])", "DiamondMinus [0, 9] (?x[ex:p -> ?y]))"
        )
        Engine.from_text(metric).add(READING, at=1)


def test_a_warning_that_is_an_error_has_no_effect_on_the_engine() -> None:
    engine = Engine.from_text(FOR_EVER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnboundedMemory):
            engine.add(READING, at=1)
        assert engine.counters.elements == 0
        engine.add(READING, at=1)
    assert engine.counters.elements == 1
