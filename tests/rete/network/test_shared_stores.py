"""Scans that share the store of their relation find what they find with SteMs of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.graph.plan import Emit
from rete.inference.inference_engine import InferenceEngine
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.storage.view import View
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Head
from rif.syntax.terms import IRI, RDF_TYPE
from tests.rete.nodes.by_cell import cells

if TYPE_CHECKING:
    from rete.arrays.delta import Rows

TYPE, BELOW, OF = str(IRI(RDF_TYPE)), "<urn:below>", "<urn:of>"
TERMS = ("<urn:a>", "<urn:b>", "<urn:c>", "<urn:p>", TYPE, BELOW, OF)


def scan(keep: tuple[int, ...], predicate: str | None = None) -> Scan:
    return Scan(TRIPLES, ((1, predicate),) if predicate else (), (), keep)


RULES = (
    # ?x[rdf:type -> ?d] :- And(?x[rdf:type -> ?c] ?c[:below -> ?d])
    Emit(
        Join(scan((0, 2), TYPE), scan((0, 2), BELOW), ((1, 0),), (0, ~1)),
        1,
        (Head(TRIPLES, (0, TYPE, 1)),),
    ),
    # ?x[rdf:type -> ?c] :- And(?x[?p -> ?y] ?p[:of -> ?c])
    Emit(
        Join(scan((0, 1)), scan((0, 2), OF), ((1, 0),), (0, ~1)),
        2,
        (Head(TRIPLES, (0, TYPE, 1)),),
    ),
    # ?x[?p -> ?z] :- And(?x[?p -> ?y] ?y[?p -> ?z])
    Emit(
        Join(scan((0, 1, 2)), scan((0, 1, 2)), ((2, 0), (1, 1)), (0, 1, ~2)),
        3,
        (Head(TRIPLES, (0, 1, 2)),),
    ),
)

facts = st.tuples(
    *(st.sampled_from(some) for some in (TERMS[:4], TERMS[3:], TERMS[:4])),
    *(st.integers(0, 30), st.integers(1, 20), st.booleans()),
)
batches = st.lists(st.lists(facts, min_size=1, max_size=8), min_size=1, max_size=6)


def engine(
    terms: Dictionary,
    *,
    maintains: bool = False,
    retracts: bool = False,
    instances: bool = False,
) -> InferenceEngine:
    return InferenceEngine(
        (),
        terms,
        background=RULES,
        maintains=maintains,
        retracts=retracts,
        instances=instances,
    )


def derived(of: InferenceEngine, base: list[Rows]) -> set[tuple[int, ...]]:
    """What is derived or asserted from the frontier on."""
    assert of.layers.background is not None
    found = [table.facts.content() for table in of.layers.background.tables]
    return {row for row in cells(*found, *base) if row[-1] >= of.bound}


@given(batches=batches, when=st.integers(0, 8), retracts=st.booleans())
def test_shared_rows_lead_to_the_same_facts(batches, when: int, retracts: bool) -> None:
    terms = Dictionary()
    ids = {text: terms.encode_many([text])[0] for text in TERMS}
    shared, own = engine(terms, retracts=retracts), engine(terms, maintains=True)
    base: list[Rows] = []
    for number, batch in enumerate(batches):
        frontier = 2 * number
        rows = np.array(
            [
                [ids[s], ids[p], ids[o], frontier + lo, frontier + lo + length]
                for s, p, o, lo, length, _ in batch
            ],
            np.int64,
        )
        base.append(rows)
        for each in (shared, own):
            each.assert_facts(TRIPLES, rows)
            if batch[0][-1]:
                each.run()
            if number == when:
                shared.layers.unshare()
            each.settle(frontier)
            if batch[-1][-1]:
                each.expire()
        assert derived(shared, base) == derived(own, base)


@pytest.mark.parametrize("instances", [False, True])
def test_what_has_grown_and_waits_has_its_turn_after_rows_are_shared_no_longer(
    instances: bool,
) -> None:
    """Its node had got all of it with its rows, so it passed nothing on."""
    terms = Dictionary()
    ids = {text: int(terms.encode_many([text])[0]) for text in TERMS}
    a, b, c, p = (ids[text] for text in TERMS[:4])
    of = engine(terms, instances=instances)
    of.assert_facts(TRIPLES, np.array([[a, p, b, 0, 5], [b, p, c, 0, 9]], np.int64))
    of.run()
    of.assert_facts(TRIPLES, np.array([[a, p, b, 0, 9]], np.int64))
    of.layers.unshare()
    of.run()
    assert (a, p, c, 8) in derived(of, [])


def test_an_instance_that_waits_hides_no_other_one_that_is_longer() -> None:
    """Of both a scan keeps subject and predicate, and they begin at the same time."""
    terms = Dictionary()
    ids = {text: int(terms.encode_many([text])[0]) for text in TERMS}
    a, b, c, p = (ids[text] for text in TERMS[:4])
    of = engine(terms, instances=True)
    of.assert_facts(TRIPLES, np.array([[a, p, b, 0, 9]], np.int64))
    of.run()
    rows = [[a, p, c, 0, 5], [p, ids[OF], c, 7, 9]]
    of.assert_facts(TRIPLES, np.array(rows, np.int64))
    of.layers.unshare()
    of.run()
    assert (a, ids[TYPE], c, 8) in derived(of, [])


def test_only_small_scans_have_rows_of_their_own() -> None:
    of = engine(Dictionary())
    assert of.layers.background is not None
    own = {
        stream.plan: stream.own_stem is not None for stream in of.layers.background.streams.values()
    }
    scans = {plan: has for plan, has in own.items() if isinstance(plan, Scan)}
    assert {plan.constants for plan, has in scans.items() if has} == {((1, BELOW),), ((1, OF),)}
    (store,) = of.layers.background.stores.values()
    assert all(table.facts is store for table in of.layers.background.tables)
    of.layers.unshare()
    assert not any(isinstance(stem, View) for stem in of.layers.background.stems)
    assert not of.layers.background.stores


def test_facts_are_kept_once() -> None:
    terms = Dictionary()
    of = engine(terms)
    ids = terms.encode_many([f"<urn:{n}>" for n in range(1000)])
    rows = np.zeros((1000, 5), np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 4] = ids, ids[0], ids[1], 100
    of.assert_facts(TRIPLES, rows)
    of.run()
    assert of.layers.held == 1000
    of.layers.unshare()
    assert of.layers.held > 2000
