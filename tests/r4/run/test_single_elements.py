"""Elements taken in row by row: what rows leave to columns, and what they do with much at once."""

from __future__ import annotations

from unittest.mock import patch

import pyoxigraph as ox
import pytest
import rdflib

from r4.api import Engine
from r4.api.values.term_texts import Statements
from rete import kernels
from rete.inference.agenda import Agenda
from tests.simulation.api_engine import line_of
from tests.simulation.executor_turns import Turns, executors
from tests.simulation.shuffled_orders import shuffled_orders

pytestmark = [
    pytest.mark.skipif(kernels.single is None, reason="rows need compiled kernels"),
    pytest.mark.compiled_only,
]
JOIN = """Document( Prefix(e <http://e/>) Window(10) Group(
  Forall ?s ?a ?b ( ?s[e:both -> ?b] :- And( ?s[e:p -> ?a] ?s[e:q -> ?b] ) ) ))"""


def told(rules: str, elements: list[tuple[str, int]], turns: Turns) -> tuple[list[str], int]:
    """The changes, and how many elements rows took in."""
    engine = Engine.from_text(rules)
    found: list[str] = []
    with executors(turns) as taken:
        for text, at in elements:
            engine.add(text, at=at)
            found += map(line_of, engine.changes())
        engine.finish("1h")
    return [*found, *map(line_of, engine.changes())], taken.taken


def triple(s: str, p: str, o: str) -> str:
    return f"<http://e/{s}> <http://e/{p}> <http://e/{o}> .\n"


@pytest.mark.parametrize("count", [1, 64, 65, 3000])
def test_a_triple_may_meet_many(count: int) -> None:
    """More answers at once than rows put in order, more rows than they have pending."""
    many = [(triple("s", "q", f"o{n}"), 1) for n in range(count)]
    elements = [*many, (triple("s", "p", "a"), 2), (triple("x", "p", "a"), 30)]
    found, taken = told(JOIN, elements, "rows")
    assert taken >= len(elements) - 2 - count // 256
    assert len(found) == 2 * count
    assert found == told(JOIN, elements, "columns")[0]


@pytest.mark.parametrize(
    "text",
    [
        "_:b <http://e/p> <http://e/o> .",
        "<http://e/s> e:p <http://e/o> .",
        "<http://e/s> <http://e/p> 5 .",
        "<http://e/s> <http://e/p> <http://e/o> ; <http://e/q> <http://e/o> .",
        "<http://e/s> <http://e/p> <http://e/\\u0041> .",
        '<http://e/s> <http://e/p> "a"@EN .',
        "@prefix x: <http://e/> . x:s x:p x:o .",
        "<http://e/s> <http://e/p> <http://e/o> <http://e/g> .",
        "<http://e/s> <http://e/p> <o> .",
        "<http://e/s> <http://e/p> .",
        'x:s x:p """\n""" .',
    ],
)
def test_what_is_no_plain_line_is_read_as_turtle(text: str) -> None:
    def outcome(turns: Turns) -> object:
        engine = Engine.from_text(JOIN)
        engine.add(triple("s", "q", "o"), at=1)
        with executors(turns):
            try:
                added: object = engine.add(text, at=1)
            except (ValueError, TypeError) as error:
                added = str(error)
        engine.finish(0)
        return added, [*map(line_of, engine.changes())], engine.counters.saved()

    assert outcome("rows") == outcome("columns")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# nothing\n",
        triple("s", "p", "o") * 2,
        f"\n{triple('s', 'p', 'o')}  # a comment\n\n",
        '<http://e/s> <http://e/p> "a \\"b\\" é"@en .',
        '<http://e/s> <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer>.',
    ],
)
def test_plain_lines_are_taken_in_as_rows(text: str) -> None:
    def outcome(turns: Turns) -> tuple[int, object]:
        engine = Engine.from_text(JOIN)
        engine.add(triple("s", "q", "o"), at=1)
        with executors(turns) as taken:
            engine.add(text, at=1)
        engine.finish(0)
        return taken.taken, ([*map(line_of, engine.changes())], engine.counters.saved())

    rows, columns = outcome("rows"), outcome("columns")
    assert rows[0] == 1
    assert columns[0] == 0
    assert rows[1] == columns[1]


S, P, O = (rdflib.URIRef(f"http://e/{name}") for name in "spo")


@pytest.mark.parametrize(
    "data",
    [
        [(rdflib.URIRef("http://e/s> <http://e/p> <http://e/o> .\n<http://e/s"), P, O)],
        [(S, P, rdflib.URIRef("http://e/o> . #"))],
        [(S, P, rdflib.Literal('x" . #'))],
        [(S, P, rdflib.Literal("x\\"))],
        [(S, P, rdflib.Literal("x\ny"))],
        [(S, P, rdflib.Literal("x", datatype=rdflib.URIRef("http://e/t> . #")))],
        [(S, P, rdflib.Literal("x", datatype=rdflib.XSD.string))],
        [(S, P, rdflib.Literal("x", lang="EN"))],
        [(S, P, rdflib.Literal("x\u2028y"))],
        [(S, P, rdflib.BNode("x"))],
        [(S, P, rdflib.Literal(True)), (S, P, O, rdflib.URIRef("http://e/g"))],
        [(S, P, O, rdflib.URIRef("http://e/g"), O)],
        [(S, P)],
        (S, P, O),
        (S, P, 5),
        [(S, rdflib.URIRef("p"), O)],
        [S],
        ["abc"],
        ox.Triple(ox.NamedNode("http://e/s"), ox.NamedNode("http://e/p"), ox.Literal("a>b\n")),
        [ox.Triple(ox.NamedNode("http://e/s"), ox.NamedNode("http://e/p"), ox.Literal(5))],
        [ox.Triple(ox.BlankNode("b"), ox.NamedNode("http://e/p"), ox.Literal(5))],
        [
            each.triple
            for each in ox.parse(
                "<http://e/s> <http://e/p> <http://e/o\\u003E> .",
                ox.RdfFormat.N_TRIPLES,
                lenient=True,
            )
        ],
    ],
)
def test_nodes_are_taken_in_as_they_are_or_refused(data: Statements) -> None:
    def outcome(turns: Turns) -> object:
        engine = Engine.from_text(JOIN.replace("e:both -> ?b", "e:both -> ?a"))
        engine.add(triple("s", "q", "o"), at=1)
        with executors(turns):
            try:
                added: object = engine.add(data, at=1)
            except (ValueError, TypeError) as error:
                added = str(error)
        engine.finish(0)
        return added, [*map(line_of, engine.changes())], engine.counters.saved()

    assert outcome("rows") == outcome("columns")


def test_answers_of_an_instant_are_in_the_order_of_their_text() -> None:
    names = ["é", "z", "a", "Z", "10", "9", "aa", "ab"]
    elements = [(triple(name, "q", "o") + triple(name, "p", "a"), 1) for name in names]
    found, taken = told(JOIN, [*elements, (triple("x", "p", "y"), 2)], "rows")
    assert taken == len(names)
    begun = [line for line in found if '"op":"+"' in line]
    assert begun == sorted(begun)


def test_terms_of_what_ended_are_forgotten() -> None:
    engine = Engine.from_text(JOIN)
    with executors("rows") as taken:
        for n in range(100_000):
            engine.add(triple(f"s{n}", "p", f"o{n}"), at=n)
    assert taken.taken > 99_000
    assert engine.status().terms < 60_000
    assert engine.status().rows < 2000


def test_what_rows_asserted_is_retracted_by_its_name() -> None:
    engine = Engine.from_text(JOIN)
    with executors("rows") as taken:
        engine.advance(0)
        engine.add(triple("s", "p", "a"), at=1, name="http://e/1")
        engine.add(triple("s", "q", "b"), at=1, until=5)
    assert taken.taken == 2
    assert engine.retract(name="http://e/1") == 1
    engine.finish("1h")
    assert list(engine.changes()) == []


def test_joins_keep_their_order_while_rows_of_theirs_are_pending() -> None:
    """What a join had made was lost, as it came into another order before columns went on."""
    rules = """Document( Prefix(e <http://e/>) Window(10) Group( Forall ?s ?a ?b ?c (
      And( ?a[e:near -> ?b] ?b[e:near -> ?c] ) :-
      And( ?s[e:p -> ?a] ?s[e:q -> ?b] ?s[e:r -> ?c] ) ) ))"""
    many = "".join(triple(f"s{n % 3}", key, f"o{n}") for n in range(6) for key in "pqr")

    def outcome(turns: Turns) -> list[str]:
        engine = Engine.from_text(rules)
        with executors(turns), shuffled_orders(1, 100):
            for at in range(12):
                order = engine._run.core._inference._adaptive_order
                assert order is not None
                order.next_look = 0
                engine.add(many, at=at)
        engine.finish("1h")
        return [*map(line_of, engine.changes())]

    wanted = outcome("columns")
    assert wanted
    with (
        patch("rete.inference.row_plan.MOST_PENDING", 6),
        patch.object(Agenda, "is_order_due", property(lambda _: False)),
    ):
        assert outcome("rows") == wanted
