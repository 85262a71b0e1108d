"""A diagram is the network, in every form."""

from __future__ import annotations

import json
import re

import networkx as nx
from hypothesis import example, given
from hypothesis import strategies as st

from rete.drawing.export import as_dot, as_json
from rete.drawing.picture.network_picture import as_svg
from rete.drawing.text_tree import as_text
from rete.graph.plan import below
from rete.graph.streams import Stream
from rete.network.components import dependency_graph
from rete.network.layers import Layers
from rif.syntax.terms import escape
from tests.rete.drawing.diagrams import COLD, HOT, drawn, random_diagram, seeds


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
        for source, stream in dependency_graph(Layers(network), [network]).edges()
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
