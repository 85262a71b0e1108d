"""The network for people: that it is the network, in the words of the rules, and can be read."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import networkx as nx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from r4.compile import compile_document
from r4.time import TimeScale
from rete.dictionary import Dictionary
from rete.explain import (
    Diagram,
    Names,
    as_dot,
    as_json,
    as_svg,
    as_text,
    diagram,
    names_of,
    summary,
    svg,
)
from rete.explain.boxes import box, shortened, units, units_of, wrapped
from rete.explain.diagram import below
from rete.explain.layout import Layout, arrange
from rete.explain.names import Piece, plain
from rete.explain.scene import Scene
from rete.feeding import feeding
from rete.layers import Layers
from rete.network import Network
from rete.nodes.base import Stream
from rete.plan import Join, Scan
from rif.ast import Document
from rif.parser import parse
from rif.terms import Literal, escape
from tests.cases.rules import document as random_document
from tests.cases.vocabulary import vocabulary
from tests.draw import from_seed

PROLOGUE = """
Document( Prefix(ex <http://example.org/>) Prefix(exa <http://example.org/a/>)
          Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)
          Prefix(rdfs <http://www.w3.org/2000/01/rdf-schema#>)
          Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
          Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
          Window(5 s)
          Group( """
SUBCLASS = """
(* ex:subclass *) Forall ?thing ?class ?super (
  ?thing[rdf:type -> ?super] :- And(?thing[rdf:type -> ?class] ?class[rdfs:subClassOf -> ?super]))
"""
HOT = """
Forall ?obs ?sensor ?value (ex:hot(?sensor) :- And(
  ?obs[ex:by -> ?sensor] ?obs[ex:value -> ?value]
  External(pred:numeric-greater-than(?value 30))))
"""
COLD = """
Forall ?o ?s ?v (ex:cold(?s) :- And(
  ?o[ex:by -> ?s] ?o[ex:value -> ?v] External(pred:numeric-less-than(?v 5))))
"""


def parsed(*rules: str) -> Document:
    return parse(PROLOGUE + "\n".join(rules) + "))").document


def network_of(document: Document) -> Network:
    return Network(compile_document(document, TimeScale()).emits, Dictionary())


def drawn(*rules: str) -> Diagram:
    document = parsed(*rules)
    return diagram(network_of(document), names_of(document, "rules.rif"))


def labels(of: Diagram, kind: str) -> list[str]:
    return [" ".join(map(plain, node.label)) for node in of.nodes if node.kind == kind]


def random_diagram(seed: int) -> tuple[Network, Diagram]:
    draw = from_seed(seed)
    document = random_document(draw, vocabulary(draw))
    network = network_of(document)
    return network, diagram(network, names_of(document))


seeds = st.integers(0, 2**32)


# What it says


def test_a_network_reads_like_its_rules() -> None:
    assert as_text(drawn(SUBCLASS, HOT)) == (
        "rules.rif: 2 rules, 4 patterns, 2 joins, 1 filter, no nodes shared by several rules\n"
        "a streamed fact holds for 5 s\n"
        "\n"
        "rule 1 ex:subclass derives ?thing[rdf:type -> ?super]\n"
        "├─ #1 ?class[rdfs:subClassOf -> ?super]\n"
        "├─ #3 join on ?class with #2 ?thing[rdf:type -> ?class] (also given by rule 1)\n"
        "└─ its facts may match #2 (recursive)\n"
        "\n"
        "rule 2 derives ex:hot(?sensor)\n"
        "├─ #5 ?obs[ex:by -> ?sensor]\n"
        "└─ #8 join on ?obs with\n"
        "   ├─ #6 ?obs[ex:value -> ?value]\n"
        "   └─ #7 keep if ?value > 30 [pred:numeric-greater-than]"
    )


def test_what_is_shared_is_said_and_not_shown_twice() -> None:
    text = as_text(drawn(HOT, COLD))
    assert "2 nodes shared by several rules" in text
    assert "#1 ?obs[ex:by -> ?sensor] (shared by rules 1, 2)" in text
    assert text.count("#2 ?obs[ex:value -> ?value] (shared by rules 1, 2)") == 2
    assert "?s[ex:by" not in text


def test_a_rule_that_meets_names_of_another_says_which_is_which() -> None:
    text = as_text(drawn(HOT, COLD))
    assert "keep if ?v < 5 [pred:numeric-less-than] (?obs as ?o, ?value as ?v)" in text
    assert "join on ?o (#1: ?obs as ?o, ?sensor as ?s) with" in text


def test_a_pattern_joined_with_itself_says_both_names() -> None:
    rule = "Forall ?a ?b ?c (?a[ex:twin -> ?b] :- And(?a[ex:p -> ?c] ?b[ex:p -> ?c]))"
    made = drawn(rule)
    (join,) = (node for node in made.nodes if node.kind == "join")
    assert join.sources == (1, 1)
    assert join.renamings == ["#1: ?a as ?b"]
    assert "with #1 ?a[ex:p -> ?c] (again)" in as_text(made)


def test_a_rule_of_two_bodies_is_one_conclusion() -> None:
    made = drawn("Forall ?x (ex:p(?x) :- Or(ex:q(?x) ex:r(?x)))")
    assert len(made.rules) == 1
    assert len(made.rules[0].sources) == 2
    assert "├─ if\n│  └─ #1 ex:q(?x)" in as_text(made)
    assert "└─ or if\n   └─ #2 ex:r(?x)" in as_text(made)


def test_tests_and_values_are_written_with_their_signs_and_names() -> None:
    made = drawn(
        """Forall ?x ?y ?z (?x[ex:q -> External(func:numeric-add(?y 1))] :- And(
             ?x[ex:p -> ?y] ?x[ex:r -> ?z] ?y = ?z External(pred:starts-with("a b" ?z))))"""
    )
    assert labels(made, "filter") == ['pred:starts-with("a b" ?z)', "?y = ?z"]
    assert labels(made, "function") == ["?1 := ?y + 1"]
    assert [node.builtin for node in made.nodes if node.kind == "function"] == ["func:numeric-add"]


def test_a_predicate_that_is_solved_names_what_it_finds() -> None:
    made = drawn("Forall ?x ?t (ex:q(?x) :- And(ex:p(?t) External(pred:iri-string(?x ?t))))")
    assert labels(made, "solve") == ["each ?x: pred:iri-string(?x ?t)"]
    assert "└─ #2 for each ?x: pred:iri-string(?x ?t)" in as_text(made)
    assert "1 function" in summary(made)
    assert "finds each value" in as_svg(made)


def test_a_variable_that_nobody_needs_is_free() -> None:
    made = drawn("Forall ?x ?y (ex:q(?x) :- ?x[ex:p -> ?y])")
    pieces = [piece for word in made.nodes[0].label[0] for piece in word]
    assert {piece.text: piece.ink for piece in pieces if piece.text.startswith("?")} == {
        "?x": "bound",
        "?y": "free",
    }


def test_a_pattern_that_nothing_can_match_says_so() -> None:
    text = as_text(drawn("Forall ?x (ex:q(?x) :- And(ex:p(?x) ex:r(?x)))", "ex:r(1)"))
    assert "ex:p(?x) (nothing gives such facts)" in text
    assert "1 fact among the rules" in text
    assert text.count("nothing gives") == 1


def test_recursion_is_told_from_what_only_feeds_another_rule() -> None:
    made = drawn(
        "Forall ?x ?y ?z (?x[ex:p -> ?z] :- And(?x[ex:p -> ?y] ?y[ex:next -> ?z]))",
        "Forall ?x (ex:q(?x) :- ?x[ex:p -> ex:end])",
    )
    derived = {
        (made.node(e.source).rules[0], " ".join(map(plain, made.node(e.target).label)), e.recursive)
        for e in made.edges
        if e.derived
    }
    assert derived == {(1, "?x[ex:p -> ?y]", True), (1, "?x[ex:p -> ex:end]", False)}
    assert [rule.recursive for rule in made.rules] == [True, False]


def test_two_rules_that_feed_each_other_are_recursive() -> None:
    made = drawn(
        "Forall ?x (ex:p(?x) :- ex:q(?x))",
        "Forall ?x (ex:q(?x) :- ex:p(?x))",
    )
    assert [rule.recursive for rule in made.rules] == [True, True]


# Names


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("<http://example.org/a>", "ex:a"),
        ("<http://example.org/a/b>", "exa:b"),
        ("<http://example.org/a/>", "exa:"),
        ("<http://example.org/b/c>", "<http://example.org/b/c>"),
        ("<http://www.w3.org/2007/rif-builtin-function#concat>", "func:concat"),
        ('"5"^^<http://www.w3.org/2001/XMLSchema#integer>', "5"),
        ('"five"^^<http://www.w3.org/2001/XMLSchema#integer>', '"five"^^xs:integer'),
        ('"-0.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', "-0.5"),
        ('"a \\"b\\""@en', '"a \\"b\\""@en'),
        ("_:d0_here", "_here"),
        ("_:d1_b0", "_:d1_b0"),
        ('List(<http://example.org/a> List("x"))', 'List(ex:a List("x"))'),
    ],
)
def test_terms_are_as_short_as_the_document_could_write_them(text: str, short: str) -> None:
    prefixes = (("ex", "http://example.org/"), ("exa", "http://example.org/a/"))
    assert Names(prefixes=prefixes).term(text) == short


@given(st.text())
def test_a_prefixed_name_stands_for_its_iri(local: str) -> None:
    names = Names(prefixes=(("ex", "http://example.org/"),))
    short = names.iri("http://example.org/" + local)
    assert short in {f"ex:{local}", f"<http://example.org/{local}>"}
    assert re.fullmatch(r"ex:[\w.-]*|<.*>", short, re.DOTALL)


def test_a_network_without_names_can_be_shown() -> None:
    document = parsed(SUBCLASS, HOT)
    made = diagram(network_of(document))
    assert labels(made, "pattern")[:1] == [
        "?x1[<http://www.w3.org/2000/01/rdf-schema#subClassOf> -> ?x3]"
    ]
    ET.fromstring(as_svg(made))  # noqa: S314 - our own text


@given(seeds)
def test_names_follow_the_values_through_every_operator(seed: int) -> None:
    network, made = random_diagram(seed)
    names = made.names
    for emit in network.emits:
        assert len(names.views[emit]) == emit.source.width
    for node in made.nodes:
        plan = node.plan
        if plan is None:
            continue
        assert len(node.columns) == plan.width
        view = names.views.get(plan, ())
        if isinstance(plan, Join):
            width = plan.left.width
            assert all(view[left] == view[width + right] for left, right in plan.on)
            assert len(set(node.columns)) == len(node.columns)
        if isinstance(plan, Scan):
            assert all(view[place] == text for place, text in plan.constants)
            assert all(view[a] == view[b] for a, b in plan.equal)


# What it is


@given(seeds)
def test_the_diagram_is_the_network(seed: int) -> None:
    network, made = random_diagram(seed)
    operators = {node.plan: node for node in made.nodes if node.plan is not None}
    assert operators.keys() == network.streams.keys()
    for plan, node in operators.items():
        assert [made.node(source).plan for source in node.sources] == list(plan.sources)
        rules = {emit.rule for emit in network.emits if plan in set(below(emit.source))}
        assert node.rules == tuple(sorted(rules))
    fed = {
        stream.plan
        for source, stream in feeding(Layers(network), [network]).edges
        if not isinstance(source, Stream) and isinstance(stream, Stream)
    }
    assert fed == {node.plan for node in made.nodes if node.fed}


@given(seeds)
def test_an_edge_is_recursive_iff_it_lies_on_a_circle(seed: int) -> None:
    _, made = random_diagram(seed)
    graph: nx.DiGraph[int] = nx.DiGraph((edge.source, edge.target) for edge in made.edges)
    for edge in made.edges:
        if edge.derived:
            assert edge.recursive == nx.has_path(graph, edge.target, edge.source)


@given(seeds)
def test_sources_come_first(seed: int) -> None:
    _, made = random_diagram(seed)
    assert [node.number for node in made.nodes] == list(range(1, len(made.nodes) + 1))
    assert all(source < node.number for node in made.nodes for source in node.sources)


@given(seeds)
def test_all_forms_are_the_same_every_time(seed: int) -> None:
    forms = (as_text, as_dot, as_json, as_svg)
    _, made = random_diagram(seed)
    _, again = random_diagram(seed)
    assert [form(made) for form in forms] == [form(again) for form in forms]


def test_json_has_all_of_it() -> None:
    made = drawn(HOT, COLD)
    content = json.loads(as_json(made))
    assert content["title"] == "rules.rif"
    assert [rule["derives"] for rule in content["rules"]] == [["ex:hot(?sensor)"], ["ex:cold(?s)"]]
    first = content["nodes"][0]
    assert first["kind"] == "pattern"
    assert first["rules"] == [1, 2]
    assert first["shared_by"] == 2
    assert first["operator"]["operator"] == "Scan"
    assert first["operator"]["constants"] == [[1, "<http://example.org/by>"]]
    assert len(content["edges"]) == len(made.edges)


@given(st.text())
@example('"\\\n')
def test_dot_quotes_what_it_writes(text: str) -> None:
    rule = f'Forall ?x (ex:h(?x) :- ?x[ex:p -> "{escape(text)}"])'
    for line in as_dot(drawn(rule)).split("\n"):
        unquoted = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert '"' not in unquoted


# Layout


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[int, tuple[float, float]], list[tuple[int, int]]]:
    count = draw(st.integers(0, 14))
    sides = st.floats(10, 80)
    sizes = {node: (draw(sides), draw(sides)) for node in range(count)}
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    return sizes, draw(st.lists(st.sampled_from(pairs), max_size=25)) if pairs else []


def columns_of(layout: Layout) -> list[list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for vertex in sorted(layout.middles, key=layout.middles.__getitem__):
        found.setdefault(vertex[1], []).append(vertex)
    return [found[layer] for layer in sorted(found)]


SIZES = dict.fromkeys(range(11), (10.0, 10.0)) | {0: (10.0, 53.0), 3: (10.0, 29.0)}


@given(graphs())
@example((SIZES, [(0, 1), (1, 4), (3, 4), (4, 6)]))
def test_nothing_of_a_column_overlaps(
    graph: tuple[dict[int, tuple[float, float]], list[tuple[int, int]]],
) -> None:
    sizes, edges = graph
    ends = set(sizes) - {source for source, _ in edges}
    layout = arrange(sizes, edges, ends)

    def half(vertex: tuple[int, int]) -> float:
        node, layer = vertex
        return sizes[node][1] / 2 if layout.layers[node] == layer else 0.0

    for column in columns_of(layout):
        for above, under in pairwise(column):
            room = layout.middles[under] - layout.middles[above] - half(above) - half(under)
            assert room > 8.9
    assert all(layout.layers[a] < layout.layers[b] for a, b in edges)
    assert len({layout.layers[node] for node in ends}) <= 1
    for source, target in edges:
        way = layout.way(source, target)
        assert all(vertex in layout.middles for vertex in way)
        assert [layer for _, layer in way] == list(
            range(layout.layers[source], layout.layers[target] + 1)
        )
    assert all(
        -1e-6 <= layout.middles[v] - half(v) <= layout.middles[v] + half(v) <= layout.height + 1e-6
        for v in layout.middles
    )


def test_parts_that_have_nothing_in_common_stand_close() -> None:
    sizes = dict.fromkeys(range(40), (50.0, 20.0))
    edges = [(0, 1)] + [(a, a + 1) for a in range(2, 39, 2)]
    layout = arrange(sizes, edges)
    assert layout.height == pytest.approx(20 * 20 + 19 * 28, abs=1)


def test_a_chain_is_a_straight_line() -> None:
    layout = arrange(dict.fromkeys(range(5), (50.0, 20.0)), [(n, n + 1) for n in range(4)])
    assert len(set(layout.middles.values())) == 1


# Picture


def elements(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter())  # noqa: S314 - our own text


def texts(svg: str) -> str:
    return "\n".join(
        "".join(element.itertext()) for element in elements(svg) if element.tag.endswith("text")
    )


@given(seeds)
def test_a_picture_is_plain_svg_of_a_few_elements(seed: int) -> None:
    _, made = random_diagram(seed)
    tags = {element.tag.partition("}")[2] for element in elements(as_svg(made))}
    assert tags <= {"svg", "title", "desc", "style", "rect", "path", "text", "tspan", "g"}


@given(st.text(max_size=30))
@example("]]> <script>alert(1)</script> &amp;")
@example("\x00\x1b[2J\ufffe\ud7ff\U000e0001")
@example("漢字" * 20)
def test_whatever_a_literal_holds_the_picture_is_well_formed(text: str) -> None:
    made = drawn(f'Forall ?x (?x[ex:q -> "{escape(text)}"] :- ?x[ex:p -> ex:o])')
    shown = as_svg(made)
    assert not any("script" in element.tag for element in elements(shown))
    (label,) = made.rules[0].label
    assert plain(label) == f"?x[ex:q -> {made.names.term(str(Literal(text)))}]"
    assert plain(label).isprintable()


def test_every_text_is_in_the_picture() -> None:
    made = drawn(SUBCLASS, HOT, COLD)
    shown = texts(as_svg(made))
    for node in made.nodes:
        for line in box(node, made.names).lines:
            assert "".join(piece.text for piece in line).strip() in shown
    for text in ("shared by 2", "rule 1 ex:subclass", "pred:numeric-less-than", "#1", "recursive"):
        assert text in shown
    assert summary(made) in shown


@given(seeds)
def test_texts_fit_their_boxes(seed: int) -> None:
    _, made = random_diagram(seed)
    for node in made.nodes:
        found = box(node, made.names)
        inner = found.width - 2 * found.side
        # The widest of the usual fonts with a fixed pitch have 0.6022 of their size.
        assert all(units_of(line) * 12 * 0.6022 + found.indent <= inner for line in found.lines)
        assert all(units(note) * 9.5 * 0.6022 <= inner for note in found.notes)


@given(seeds)
def test_boxes_do_not_overlap(seed: int) -> None:
    _, made = random_diagram(seed)
    scene = Scene(made)
    spots = [
        (*scene.corner(number), found.width, found.height) for number, found in scene.boxes.items()
    ]
    for i, (x, y, width, height) in enumerate(spots):
        for other_x, other_y, other_width, other_height in spots[:i]:
            assert (
                x + width < other_x
                or other_x + other_width < x
                or y + height < other_y
                or other_y + other_height < y
            )


words = st.lists(st.text(st.characters(exclude_characters=" "), min_size=1), max_size=8)


@given(words, st.integers(12, 50))
def test_lines_are_no_wider_than_asked(found: list[str], most: int) -> None:
    lines = wrapped(tuple((Piece(word),) for word in found), most)
    assert all(units_of(line) <= most for line in lines)
    if all(units(word) <= most - 2 for word in found):
        said = " ".join("".join(piece.text for piece in line).strip(" ") for line in lines)
        assert said == " ".join(found)


@given(st.text(), st.integers(1, 30))
def test_a_shortened_text_keeps_its_ends(text: str, most: int) -> None:
    short = shortened(text, most)
    assert units(short) <= max(most, 1)
    head, mark, tail = short.partition("…")
    if short != text:
        assert mark or "…" in text
        assert text.startswith(head)
        assert text.endswith(tail)


def test_what_goes_back_is_dashed_and_stands_once_a_rule() -> None:
    shown = as_svg(drawn(SUBCLASS, HOT))
    dashed = [e for e in elements(shown) if "stroke-dasharray" in e.attrib]
    legend = 1
    trunk, stem, branch = 1, 1, 1
    assert len(dashed) == trunk + stem + branch + legend


def test_more_rules_than_lanes_share_one() -> None:
    rules = [f"Forall ?x (?x[ex:p -> ex:c{i + 1}] :- ?x[ex:p -> ex:c{i}])" for i in range(40)]
    scene = Scene(drawn(*rules))
    assert scene.lanes == 1
    (way,) = scene.returns()
    assert way.rules == tuple(range(1, 40))
    assert any("also from rule 7" in found.notes for found in scene.boxes.values())


def test_whatever_a_file_is_called_the_picture_is_well_formed() -> None:
    document = parsed(HOT)
    made = diagram(network_of(document), names_of(document, "<&\x1b\udcff" + "long " * 50))
    (root, *_) = elements(as_svg(made).encode().decode())
    assert float(root.attrib["width"]) < 1500
    json.loads(as_json(made).encode())


def test_documents_with_nothing_to_derive_have_a_picture_too() -> None:
    assert "nothing to derive" in as_svg(drawn("ex:p(1)"))
    assert "nothing to derive" in as_svg(diagram(network_of(Document()), names_of(Document())))
    assert as_text(drawn("ex:p(1)")).endswith("1 fact among the rules")


def test_a_rule_without_conditions_always_holds() -> None:
    made = drawn("ex:p(1) :- And()")
    assert labels(made, "true") == ["always"]
    ET.fromstring(as_svg(made))  # noqa: S314 - our own text


@pytest.mark.slow
def test_hundreds_of_rules_are_drawn() -> None:
    rules = [
        f"""Forall ?x ?y ?z ?v (?x[ex:d{i} -> ?z] :- And(
              ?x[ex:p{i % 70} -> ?y] ?y[ex:q{i % 90} -> ?z] ?x[ex:d{i * 7 % 300} -> ?v]
              External(pred:numeric-greater-than(?v {i}))))"""
        for i in range(300)
    ]
    made = drawn(*rules)
    assert len(made.rules) == 300
    assert len(elements(as_svg(made))) > len(made.nodes)


def test_a_frame_is_written_like_a_frame() -> None:
    made = drawn("Forall ?x (ex:p(?x) :- And(?x[] ?x[ex:q -> ?x]))")
    assert "?x[]" in labels(made, "pattern")


def test_what_xml_has_no_character_for_is_shown_as_missing() -> None:
    text = "\0<a\x0b&\ufffe\ud800\t\U0001f600>"
    (found,) = elements(f"<a>{svg.escaped(text)}</a>")
    assert found.text == "\ufffd<a\ufffd&\ufffd\ufffd\t\U0001f600>"
