"""Brute force agrees with a SPARQL store that holds, at each instant, what holds then."""

from __future__ import annotations

import hashlib
import json
import re
from decimal import Decimal
from functools import cache

import pytest
from pyoxigraph import Literal, NamedNode, QuerySolutions, RdfFormat, Store

from bench.peers.store_requery import CLOSURE, PREFIXES
from bench.peers.store_requery import QUERIES as SPARQL
from bench.workloads.catalogue import STATIC, STREAMS, WORKLOADS
from bench.workloads.expected_answers import QUERIES, count_q1, expect, expect_each, lines
from bench.workloads.stream_terms import instant

COUNT = 1300
ELEMENTS = {name: list(STREAMS[name](COUNT)) for name in ("offers", "observations")}


def store_at(stream: str, static: str, at: int, window: int) -> Store:
    """What holds at an instant: elements of ``(at - window, at]``, and static data."""
    store = Store()
    if static:
        store.load(closed(static), format=RdfFormat.N_QUADS)
    held = ELEMENTS[stream][max(0, (at - window) // 10 + 1) : at // 10 + 1]
    # A store renames blank nodes, so these become IRIs.
    named = re.sub(r"_:([orv]\d+)", r"<urn:x:d2_\1>", "".join(held))
    store.load(named, format=RdfFormat.N_QUADS)
    return store


@cache
def closed(static: str) -> bytes:
    """A static file, closed under subclasses."""
    store = Store()
    graph = NamedNode("urn:x:static")
    store.load("".join(STATIC[static]()), format=RdfFormat.N_TRIPLES, to_graph=graph)
    store.update(PREFIXES + CLOSURE)
    dumped = store.dump(format=RdfFormat.N_QUADS)
    assert dumped is not None
    return dumped


def asked(query: str, store: Store) -> set[tuple[str, ...]]:
    found = store.query(PREFIXES + SPARQL[query], use_default_graph_as_union=True)
    assert isinstance(found, QuerySolutions)
    return {tuple(map(text, row)) for row in found}


def text(term: object) -> str:
    """As streams have it: the store knows decimals by value, prices have two decimals."""
    if isinstance(term, Literal):
        return f'"{Decimal(term.value):.2f}"^^{term.datatype}'
    return re.sub("<urn:x:(.*)>", r"_:\1", str(term))


def states(query: str, window: int) -> list[set[tuple[str, ...]]]:
    """After each element, what the lines so far say that holds."""
    told = [json.loads(line) for line in lines(query, COUNT, window)]
    changes = [line for line in told if line["at"] is not None]
    state: set[tuple[str, ...]] = set()
    found = []
    position = 0
    for number in range(COUNT):
        while position < len(changes) and changes[position]["at"] == instant(10 * number):
            line = changes[position]
            fact = (line["s"], line["p"], line["o"])
            assert (fact in state) == (line["op"] == "-")
            state ^= {fact}
            position += 1
        found.append(set(state))
    assert position == len(changes)
    return found


@pytest.mark.parametrize("window", [10, 1000, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("query", QUERIES)
def test_the_lines_say_what_a_store_says_at_each_instant(query, window):
    workload = WORKLOADS[query]
    said = states(query, window)
    for number in (0, 1, 99, 100, 101, 500, 777, 1000, COUNT - 1):
        store = store_at(workload.stream, workload.static, 10 * number, window)
        assert said[number] == asked(query, store), number
    assert any(said) or (query, window) == ("q3", 10)


@pytest.mark.parametrize("query", ["q2", "q4"])
def test_what_static_data_say_alone_comes_first(query):
    workload = WORKLOADS[query]
    static = [json.loads(line) for line in lines(query, 5, 1000)]
    static = [line for line in static if line["at"] is None]
    store = Store()
    store.load("".join(STATIC[workload.static]()), format=RdfFormat.N_TRIPLES)
    plain = set(store)
    store.update(PREFIXES + re.sub(r"GRAPH <urn:x:static> \{(.*?)\}", r"\1", CLOSURE))
    derived = {(str(q.subject), str(q.predicate), str(q.object)) for q in set(store) - plain}
    assert [(line["s"], line["p"], line["o"]) for line in static] == sorted(derived)


@pytest.mark.parametrize("query", QUERIES)
def test_counts_and_digest_are_those_of_the_lines(query):
    found = expect(query, 700, 1000)
    told = list(lines(query, 700, 1000))
    ops = [json.loads(line) for line in told]
    assert found.static == sum(line["at"] is None for line in ops)
    assert found.inserted + found.static == sum(line["op"] == "+" for line in ops)
    assert found.deleted == sum(line["op"] == "-" for line in ops)
    assert found.digest == hashlib.sha256("".join(f"{x}\n" for x in told).encode()).hexdigest()


@pytest.mark.parametrize("window", [10, 1000, pytest.param(5000, marks=pytest.mark.slow)])
def test_counting_alone_agrees_with_writing_down(window):
    found = expect("q1", COUNT, window)
    assert count_q1(COUNT, window) == (found.inserted, found.deleted)


@pytest.mark.parametrize(
    "window",
    [1990, pytest.param(1000, marks=pytest.mark.slow), pytest.param(5000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("query", QUERIES)
def test_who_looks_each_second_counts_the_differences_of_what_is_seen(query, window):
    seen = states(query, window)[::100]
    # The last element comes between two looks, and the last look after it.
    workload = WORKLOADS[query]
    seen.append(asked(query, store_at(workload.stream, workload.static, 13_000, window)))
    pairs = list(zip([set(), *seen], seen, strict=False))
    inserted = sum(len(now - before) for before, now in pairs)
    deleted = sum(len(before - now) for before, now in pairs)
    assert expect_each(query, COUNT, window) == (inserted, deleted)
