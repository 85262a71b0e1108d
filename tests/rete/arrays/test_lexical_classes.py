"""Terms of one lexical class are alike to every built-in that is evaluated by class."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, columns
from rete.arrays.lexical_classes import UNCLASSED, UNSEEN, lexical_class
from rete.graph.streams import Stream
from rete.kernels import Backend
from rete.nodes.filter import Filter, FilterNode
from rete.nodes.scan import Scan
from rete.nodes.solve import Solve, SolveNode
from rete.terms.builtin_calls import FEW
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES
from rif.builtins import BUILTINS
from rif.builtins.extensions import R4_BUILTIN
from rif.syntax.terms import IRI, RDF, RDF_LANG_STRING, XSD, BlankNode, GroundTerm, Literal
from rif.values.datatypes import RANGES

BACKENDS: list[Backend] = ["pure", "compiled"]
BY_CLASS = sorted(name for name, builtin in BUILTINS.items() if builtin.by_class)
DATATYPES = [IRI(XSD + name) for name in (*RANGES, "string", "token", "Name", "double", "date")]
LIMITS = sorted({end for ends in RANGES.values() for end in ends if end is not None})

WORDS = st.one_of(
    st.text('aZ9-_:. \t\n"\\é', max_size=6),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.lists(st.text("aZ9", min_size=1, max_size=9), max_size=3).map("-".join),
    st.sampled_from(["", " a", "a ", "a  b", "a b", "é", "é b", "ab:c", "-a", "9a", ".", "\x01"]),
)
NUMBERS = st.one_of(
    st.tuples(st.sampled_from(LIMITS), st.integers(-1, 1)).map(sum).map(str),
    st.decimals(-300, 300, places=1).map(str),
    st.sampled_from(["1e3", "NaN", "-INF", "0.0", "-0", "+5", "007", "1.", "x", "", "9" * 30]),
)
LITERALS = st.one_of(
    WORDS.map(Literal),
    st.builds(Literal, WORDS, st.just(RDF_LANG_STRING), st.just("en")),
    st.builds(
        Literal, NUMBERS,
        st.sampled_from([XSD + name for name in (*RANGES, "decimal", "double", "float")]),
    ),
    st.builds(
        Literal, st.sampled_from(["true", "2024-01-31", "PT0S", "2024-01-31T00:00:00Z", "a"]),
        st.sampled_from([XSD + name for name in ("boolean", "date", "dateTime", "token", "new")]),
    ),
)  # fmt: skip
MEMBERS = ["_1", "_10", "_01", "_0", "_", "_1a", "_-1", "_১", "first"]
TERMS = st.one_of(
    LITERALS,
    st.sampled_from([IRI(RDF + name) for name in MEMBERS]),
    st.sampled_from([IRI("http://example.org/a"), BlankNode("b")]),
)


def dictionary(
    backend: Backend, terms: list[GroundTerm], *, by_value: bool
) -> tuple[Dictionary, list[int]]:
    """A dictionary with these terms, and the ids of those it tells apart."""
    found = Dictionary(backend, by_value=by_value)
    return found, sorted(set(found.encode_many(list(map(str, terms))).tolist()))


@pytest.mark.parametrize("backend", BACKENDS)
@given(terms=st.lists(TERMS, min_size=1, max_size=20), by_value=st.booleans())
def test_classes_are_those_of_the_texts(
    backend: Backend, terms: list[GroundTerm], by_value: bool
) -> None:
    words, ids = dictionary(backend, terms, by_value=by_value)
    expected = [lexical_class(text) for text in words.decode_many(columns(ids))]
    assert words.lexical_classes(columns(ids)).tolist() == expected
    assert UNSEEN not in expected


@given(terms=st.lists(TERMS, min_size=2, max_size=40), datatype=st.sampled_from(DATATYPES))
def test_terms_of_a_class_have_one_outcome(terms: list[GroundTerm], datatype: IRI) -> None:
    by_class = sorted(terms, key=lambda term: lexical_class(str(term)))
    for found, members in groupby(by_class, key=lambda term: lexical_class(str(term))):
        if found == UNCLASSED:
            continue
        alike = list(members)
        for name in BY_CLASS:
            builtin = BUILTINS[name]
            more = (datatype,) if builtin.most == 2 else ()
            assert len({builtin.evaluate(term, *more) for term in alike}) == 1, (name, alike)
            if solve := builtin.solve:
                solved = {tuple(each[1] for each in solve(term, None) or ()) for term in alike}
                assert len(solved) == 1, (name, alike)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BY_CLASS)
def test_many_rows_are_what_each_is(backend: Backend, name: str) -> None:
    texts = ["a", "b", "a b", "ä", "ä b", "a:b", "en-GB", " a", "a\n", "a\x01", "9", ""]
    terms: list[GroundTerm] = [
        *map(Literal, texts),
        *(Literal(str(n), XSD + "integer") for n in range(-130, 300, 7)),
        *(Literal(f"{n}.5", XSD + "decimal") for n in range(5)),
        *(Literal("1e3", XSD + kind) for kind in ("float", "double")),
        *(Literal(text, XSD + "byte") for text in ("5", "500")),
        *(Literal(f"2024-01-0{n}", XSD + "date") for n in range(4)),
        *(IRI(RDF + name) for name in ("_1", "_01", "type")),
        BlankNode("b"),
    ]  # fmt: skip
    words, ids = dictionary(backend, terms, by_value=False)
    rows = np.array([(term, 0, 0, 0, POS_INF) for term in ids], np.int64)
    assert len(rows) > FEW
    source = Scan(TRIPLES, (), (), (0, 1, 2))
    evaluate, solve = BUILTINS[name].evaluate, BUILTINS[name].solve
    every = [words.term(term) for term in ids]
    if solve is None:
        test = FilterNode(Filter(source, name, (0,), (0,)), Stream(source), words)
        passed = [words.term(term) for term in test.apply(rows)[:, 0].tolist()]
        assert passed == [term for term in every if evaluate(term)]
    else:
        solver = SolveNode(Solve(source, name, (0, None), (0,)), Stream(source), words)
        found = [tuple(map(words.term, each)) for each in solver.apply(rows)[:, :2].tolist()]
        assert found == [each for term in every for each in solve(term, None) or ()]


def test_a_sweep_forgets_classes() -> None:
    terms = Dictionary()
    old = terms.encode_many([str(Literal(f"a{n}")) for n in range(9)])
    assert len(set(terms.lexical_classes(old).tolist())) == 1
    terms.sweep(0)
    new = terms.encode_many([str(Literal(f"a {n}")) for n in range(9)])
    assert set(new.tolist()) == set(old.tolist())
    expected = [lexical_class(text) for text in terms.decode_many(new)]
    assert terms.lexical_classes(new).tolist() == expected


def test_by_class_is_for_what_a_class_decides() -> None:
    assert R4_BUILTIN + "declared-datatype" not in BY_CLASS
    assert len(BY_CLASS) > 60
