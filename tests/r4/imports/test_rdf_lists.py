"""RDF lists are RIF lists: against the definition, read off a graph node by node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from r4.imports import rdf_lists
from r4.imports.rdf_lists import EMPTY, FIRST, NIL, REST, Triple, identify, lists_of, triples_of
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import GroundList, parse_canonical
from tests.generators.rules.parsers import parse

P = "<urn:p>"


def identified(triples: list[Triple], room: int = rdf_lists.ROOM) -> tuple[list[Triple], int]:
    terms = Dictionary()
    ids = terms.encode_many([text for triple in triples for text in triple]).reshape(-1, 3)
    rows, left = identify(ids, terms, room)
    texts = terms.decode_many(np.ascontiguousarray(rows).ravel())
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True)), left


def list_of(text: str) -> GroundList:
    found = parse_canonical(text)
    assert isinstance(found, GroundList)
    return found


class Oracle:
    """The lists of a graph by definition."""

    def __init__(self, triples: list[Triple]) -> None:
        self.triples = set(triples)

    def objects(self, node: str, predicate: str) -> list[str]:
        return [o for s, p, o in self.triples if (s, p) == (node, predicate)]

    def ends_well(self, node: str, seen: tuple[str, ...] = ()) -> bool:
        if node == NIL:
            return True
        first, rest = self.objects(node, FIRST), self.objects(node, REST)
        one_each = node.startswith("_:") and len(first) == len(rest) == 1
        return one_each and node not in seen and self.ends_well(rest[0], (*seen, node))

    def members(self, node: str, around: tuple[str, ...]) -> list[str]:
        if node == NIL:
            return []
        if node in around:
            raise RecursionError
        (first,), (rest,) = self.objects(node, FIRST), self.objects(node, REST)
        inside = (*around, node)
        return [self.text(first, inside), *self.members(rest, inside)]

    def text(self, node: str, around: tuple[str, ...] = ()) -> str:
        if not self.ends_well(node):
            return node
        return f"List({' '.join(self.members(node, around))})"

    def term(self, node: str) -> str:
        try:
            return self.text(node)
        except RecursionError:
            return node

    def graph(self) -> set[Triple]:
        """With lists in place of nodes; what is said of rdf:nil is said of the empty list too."""
        found = set()
        for s, p, o in self.triples:
            one, two = (x if x == NIL else self.term(x) for x in (s, o))
            found.add((one, p, two))
            one, two = (EMPTY if x == NIL else x for x in (one, two))
            found.add((one, p, two))
        return found


NODES = [*(f"_:d1_b{i}" for i in range(5)), NIL, "<urn:i>", '"x y)"']
nodes = st.sampled_from(NODES)
things = st.tuples(nodes, st.sampled_from([FIRST, REST, P]), nodes)
chains = st.lists(nodes, max_size=5).map(
    lambda members: [
        triple
        for at, member in enumerate(members)
        for node, rest in [(NODES[at], NODES[at + 1] if at + 1 < len(members) else NIL)]
        for triple in ((node, FIRST, member), (node, REST, rest))
    ]
)
graphs = st.tuples(chains, st.lists(things, max_size=3)).map(lambda parts: parts[0] + parts[1])

A, B = NODES[:2]


@given(graphs)
@example([(A, FIRST, "<urn:i>"), (A, REST, NIL), (A, REST, B)])
@example([(A, FIRST, A), (A, REST, NIL), (B, FIRST, A), (B, REST, NIL)])
@example([(A, FIRST, NIL), (A, REST, NIL), ("<urn:i>", P, A)])
@example([(A, FIRST, B), (A, REST, B), (B, FIRST, NIL), (B, REST, NIL)])
@example([("<urn:i>", FIRST, NIL), ("<urn:i>", REST, NIL), (A, FIRST, NIL), (A, REST, "<urn:i>")])
def test_lists_are_those_of_the_definition(triples) -> None:
    found, left = identified(triples)
    assert set(found) == Oracle(triples).graph()
    assert left == 0
    assert not any("List(" in p for _, p, _ in found)


def test_a_graph_without_lists_stays_as_it_is() -> None:
    triples = [("<urn:a>", P, '"List("'), ("_:d1_x", P, "_:d1_x")]
    assert identified(triples) == (triples, 0)
    assert identified([]) == ([], 0)


def chain(length: int, prefix: str = "b") -> list[Triple]:
    label = [f"_:d1_{prefix}{at}" for at in range(length)]
    rests = [*label[1:], NIL]
    firsts = ((node, FIRST, f'"{at}"') for at, node in enumerate(label))
    return [*firsts, *((node, REST, rest) for node, rest in zip(label, rests, strict=True))]


def test_lists_beyond_the_room_stay_nodes_the_longest_first() -> None:
    triples = [*chain(60), *chain(2, "c")]
    found, left = identified(triples, room=1000)
    assert 0 < left < 60
    texts = {text for triple in found for text in triple}
    assert 'List("0" "1")' in texts
    assert sum(map(len, texts)) < 3000
    assert sum(text.startswith("_:") for text in texts) == left


def test_lists_that_double_with_each_level_fill_no_memory() -> None:
    triples: list[Triple] = []
    for level in range(200):
        one, two, inner = f"_:d1_x{level}", f"_:d1_y{level}", f"_:d1_x{level - 1}"
        inner = inner if level else '"leaf"'
        triples += [(one, FIRST, inner), (one, REST, two), (two, FIRST, inner), (two, REST, NIL)]
    found, left = identified(triples, room=10_000)
    assert left > 350
    assert sum(len(text) for text in {text for triple in found for text in triple}) < 40_000


def test_the_lists_of_rules_bring_their_triples() -> None:
    (fact,) = triples_of([list_of("List(<urn:a>)")])[:1]
    assert fact == ("List(<urn:a>)", FIRST, "<urn:a>")
    found = triples_of([list_of('List(<urn:a> List("x"))')])
    assert set(found) == {
        ('List(<urn:a> List("x"))', FIRST, "<urn:a>"),
        ('List(<urn:a> List("x"))', REST, 'List(List("x"))'),
        ('List(List("x"))', FIRST, 'List("x")'),
        ('List(List("x"))', REST, EMPTY),
        ('List(List("x"))', REST, NIL),
        ('List("x")', FIRST, '"x"'),
        ('List("x")', REST, EMPTY),
        ('List("x")', REST, NIL),
    }
    assert triples_of([list_of("List()")]) == []


@given(st.lists(st.lists(st.sampled_from(['"0"', "<urn:i>", "List()"]), max_size=4), max_size=3))
def test_a_list_has_the_same_triples_whether_rules_or_a_graph_have_it(members) -> None:
    triples: list[Triple] = []
    for number, items in enumerate(members):
        label = [f"_:d{number}_{at}" for at in range(len(items))]
        for node, item, rest in zip(label, items, [*label[1:], NIL], strict=False):
            triples += [(node, FIRST, NIL if item == "List()" else item), (node, REST, rest)]
    from_graph = {triple for triple in identified(triples)[0] if triple[2] != NIL}
    texts = [f"List({' '.join(items)})" for items in members]
    from_rules = {triple for triple in triples_of(map(list_of, texts)) if triple[2] != NIL}
    assert from_graph == from_rules


def test_a_long_list_of_the_rules_finds_no_room() -> None:
    long = list_of(f"List({' '.join(['<urn:a>'] * 100)})")
    short = list_of("List(<urn:b>)")
    assert {s for s, _, _ in triples_of([long, short], room=1000)} == {"List(<urn:b>)"}


@pytest.mark.parametrize(
    "rule",
    [
        "<urn:p>(List(1))",
        "<urn:o>[<urn:k> -> List(1)]",
        "Forall ?x ( <urn:p>(?x) :- ?x = List(1) )",
        "Forall ?x ( <urn:p>(?x) :- Or( And( ?x # List(1) ) Exists ?y ( <urn:q>(?x ?y) ) ) )",
        "Forall ?x ( <urn:p>(External(func:append(List(1) ?x))) :- <urn:q>(?x) )",
    ],
)
def test_lists_are_found_wherever_they_stand_in_rules(rule) -> None:
    func = "http://www.w3.org/2007/rif-builtin-function#"
    text = f"Document( Prefix(func <{func}>) Group( <urn:p>(0) {rule} ) )"
    found = list(lists_of(parse(text, check=False).document))
    assert [str(item) for item in found] == [f'List("1"^^<{XSD}integer>)']


XSD = "http://www.w3.org/2001/XMLSchema#"
