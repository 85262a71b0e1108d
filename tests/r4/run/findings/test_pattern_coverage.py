"""Which patterns a head derives facts for: the same as pair by pair, in linear time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r4.run.findings.pattern_coverage import _derived
from rete.nodes.scan import Scan
from rete.terms.relations import TRIPLES, Head, Relation

RELATIONS = [TRIPLES, Relation("<urn:p>", 2)]
TERMS = st.sampled_from([None, "<urn:a>", "<urn:b>"])


@st.composite
def scans(draw: st.DrawFn) -> Scan:
    relation = draw(st.sampled_from(RELATIONS))
    terms = [draw(TERMS) for _ in range(relation.arity)]
    constants = tuple((place, term) for place, term in enumerate(terms) if term is not None)
    return Scan(relation, constants, (), ())


def head_of(scan: Scan) -> Head:
    args = (place if term is None else term for place, term in enumerate(scan.key))
    return Head(scan.relation, tuple(args))


@given(st.lists(scans(), max_size=8), st.lists(scans().map(head_of), max_size=8))
def test_a_pattern_is_derived_if_a_head_unifies_with_it(
    asked: list[Scan], heads: list[Head]
) -> None:
    expected = {
        (scan.relation, scan.key)
        for scan in asked
        if any(head_of(scan).unifies(head) for head in heads)
    }
    assert _derived(asked, heads) == expected
