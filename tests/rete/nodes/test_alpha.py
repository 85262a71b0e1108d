"""The alpha network: what a fact costs does not depend on how many patterns there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete import kernels
from rete.graph.streams import Stream
from rete.nodes.alpha import Alpha
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.number_constants import matches_number
from rete.terms.relations import TRIPLES, Relation
from rif.syntax.terms import XSD, parse_canonical

Facts = list[tuple[str, ...]]
ATOMS = Relation("<urn:p>", 4)


def pattern(relation: Relation, *args: str | None) -> Scan:
    """A scan with these constants, integers by value; None: any."""
    found = [(p, text) for p, text in enumerate(args) if text is not None]
    constants = tuple(pair for pair in found if "integer" not in pair[1])
    numbers = tuple(pair for pair in found if "integer" in pair[1])
    keep = tuple(p for p, text in enumerate(args) if text is None)
    return Scan(relation, constants, (), keep, numbers)


def number(text: str, kind: str = "integer") -> str:
    return f'"{text}"^^<{XSD}{kind}>'


class Routed:
    """An alpha network of some scans."""

    def __init__(self, scans: list[Scan]) -> None:
        self.terms = Dictionary()
        self.alpha = Alpha(scans[0].relation, self.terms)
        for scan in scans:
            self.alpha.add(Stream(scan), scan)

    def __call__(self, facts: Facts) -> Iterator[tuple[Stream, np.ndarray]]:
        ids = self.terms.encode_many([text for fact in facts for text in fact])
        times = np.tile(np.array([[0, 2]], np.int64), (len(facts), 1))
        return self.alpha.route(np.hstack((ids.reshape(len(facts), -1), times)))


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows that each call of a kernel is given to look at."""
    seen: list[int] = []
    route, select = kernels.route, kernels.select

    def routing(rows, *rest):
        seen.append(len(rows))
        return route(rows, *rest)

    def selecting(rows, order, start, stop, *rest):
        seen.append(stop - start)
        return select(rows, order, start, stop, *rest)

    monkeypatch.setattr(kernels, "route", routing)
    monkeypatch.setattr(kernels, "select", selecting)
    return seen


TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

SHAPES: dict[str, tuple[Callable[[int], Scan], Callable[[int], tuple[str, ...]]]] = {
    "classes": (
        lambda i: pattern(TRIPLES, None, TYPE, f"<urn:C{i}>"),
        lambda i: ("<urn:x>", TYPE, f"<urn:C{i}>"),
    ),
    "properties": (
        lambda i: pattern(TRIPLES, None, f"<urn:p{i}>", None),
        lambda i: ("<urn:x>", f"<urn:p{i}>", "<urn:y>"),
    ),
    "objects of any property": (
        lambda i: pattern(TRIPLES, None, None, f"<urn:o{i}>"),
        lambda i: ("<urn:x>", "<urn:p>", f"<urn:o{i}>"),
    ),
    "subjects": (
        lambda i: pattern(TRIPLES, f"<urn:s{i}>", "<urn:p>", None),
        lambda i: (f"<urn:s{i}>", "<urn:p>", "<urn:y>"),
    ),
    "subjects of any property": (
        lambda i: pattern(TRIPLES, f"<urn:s{i}>", None, None),
        lambda i: (f"<urn:s{i}>", "<urn:p>", "<urn:y>"),
    ),
    "numbers": (
        lambda i: pattern(TRIPLES, None, "<urn:p>", number(f"{i}")),
        lambda i: ("<urn:x>", "<urn:p>", number(f"{i}.0", "decimal")),
    ),
    "numbers of any property": (
        lambda i: pattern(TRIPLES, None, None, number(f"{i}")),
        lambda i: ("<urn:x>", "<urn:p>", number(f"{i}.0", "double")),
    ),
    "two numbers": (
        lambda i: pattern(ATOMS, "<urn:a>", number("1"), None, number(f"{i}")),
        lambda i: ("<urn:a>", number("01"), "<urn:c>", number(f"{i}.0", "decimal")),
    ),
    "first arguments": (
        lambda i: pattern(ATOMS, f"<urn:a{i}>", None, None, None),
        lambda i: (f"<urn:a{i}>", "<urn:b>", "<urn:c>", "<urn:d>"),
    ),
    "last arguments": (
        lambda i: pattern(ATOMS, None, "<urn:b>", None, f"<urn:d{i}>"),
        lambda i: ("<urn:a>", "<urn:b>", "<urn:c>", f"<urn:d{i}>"),
    ),
    "all arguments": (
        lambda i: pattern(ATOMS, "<urn:a>", "<urn:b>", "<urn:c>", f"<urn:d{i}>"),
        lambda i: ("<urn:a>", "<urn:b>", "<urn:c>", f"<urn:d{i}>"),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_fact_costs_the_same_among_thousands_of_patterns(shape: str, visits: list[int]) -> None:
    scan, fact = SHAPES[shape]
    costs, costs_of_none = [], []
    for count in (1, 3_000):
        routed = Routed([scan(i) for i in range(count)])
        visits.clear()
        ((stream, rows),) = routed([fact(count - 1)])
        assert (stream.plan, len(rows)) == (scan(count - 1), 1)
        costs.append(visits.copy())
        visits.clear()
        assert list(routed([fact(count)])) == []  # nothing asks for it
        costs_of_none.append(visits.copy())
    assert costs[0] == costs[1]
    assert costs_of_none[0] == costs_of_none[1]


SMALL = st.sampled_from(["<urn:1>", "<urn:2>", "<urn:3>"])


@given(
    st.integers(1, 5).flatmap(
        lambda arity: st.tuples(
            st.lists(
                st.tuples(
                    st.lists(st.none() | SMALL, min_size=arity, max_size=arity),
                    st.lists(st.tuples(*[st.integers(0, arity - 1)] * 2), max_size=1),
                ),
                min_size=1,
                max_size=12,
                unique_by=repr,
            ),
            st.lists(st.tuples(*[SMALL] * arity), min_size=1, max_size=12, unique=True),
        )
    )
)
def test_every_fact_reaches_the_patterns_that_it_matches(drawn) -> None:
    patterns, facts = drawn
    relation = TRIPLES if len(facts[0]) == 3 else Relation("<urn:p>", len(facts[0]))
    places = tuple(range(relation.arity))
    scans = [
        Scan(
            relation,
            tuple((p, text) for p, text in enumerate(args) if text is not None),
            tuple(equal),
            places,
        )
        for args, equal in patterns
    ]
    routed = Routed(scans)
    found = {
        (stream.plan, fact)
        for stream, rows in routed(facts)
        for fact in zip(
            *[iter(routed.terms.decode_many(rows[:, :-2].ravel()))] * relation.arity, strict=True
        )
    }
    assert found == {
        (scan, fact)
        for scan in scans
        for fact in facts
        if all(fact[p] == text for p, text in scan.constants)
        and all(fact[a] == fact[b] for a, b in scan.equal)
    }


INTEGERS = st.sampled_from(["<urn:1>", *map(number, ("1", "2", "9007199254740993"))])
SPELLINGS = st.sampled_from(
    [
        "<urn:1>",
        *map(number, ("1", "01", "9007199254740993")),
        *(number(text, "decimal") for text in ("1.0", "2.5", "9007199254740992")),
        *(number(text, "double") for text in ("1", "9007199254740992", "NaN")),
        *(number(text, "float") for text in ("2", "INF")),
    ]
)


@given(
    st.lists(st.tuples(*[st.none() | INTEGERS] * 3), min_size=1, max_size=12, unique=True),
    st.lists(st.tuples(*[SPELLINGS] * 3), min_size=1, max_size=12, unique=True),
    st.integers(1, 3),
)
def test_every_fact_reaches_the_patterns_whose_numbers_it_matches(
    patterns: list[tuple[str | None, ...]], facts: Facts, parts: int
) -> None:
    scans = [replace(pattern(TRIPLES, *args), keep=(0, 1, 2)) for args in patterns]
    routed = Routed(scans)
    found = {
        (stream.plan, fact)
        for part in range(min(parts, len(facts)))  # what is known of a term is used again
        for stream, rows in routed(facts[part::parts])
        for fact in zip(*[iter(routed.terms.decode_many(rows[:, :-2].ravel()))] * 3, strict=True)
    }
    assert found == {
        (scan, fact)
        for scan in scans
        for fact in facts
        if all(fact[p] == text for p, text in scan.constants)
        and all(
            matches_number(parse_canonical(fact[p]), parse_canonical(text))
            for p, text in scan.numbers
        )
    }
