"""Random small graphs in the words of OWL and RDFS: a few axioms about a few names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.cases import axioms, scenes
from tests.cases.axioms import Writer
from tests.draw import Draw, from_hypothesis

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.oracles.patterns import Triple

OWL_AXIOMS = (
    (6, axioms.assertion),
    (2, axioms.equality),
    (1, axioms.pairwise),
    (2, axioms.property_kind),
    (2, axioms.property_axiom),
    (1, axioms.domain_or_range),
    (1, axioms.chain),
    (1, axioms.key),
    (1, axioms.denial),
    (2, axioms.class_axiom),
    (2, axioms.class_list),
    (1, axioms.declaration),
    (2, axioms.restriction),
    (8, scenes.row),
    (3, scenes.list_scene),
    (1, axioms.value_scene),
)


RDFS_AXIOMS = ((3, axioms.assertion), (3, axioms.schema), (1, axioms.value_scene))


@st.composite
def ontologies(draw: st.DrawFn) -> list[Triple]:
    return graph_of(from_hypothesis(draw), OWL_AXIOMS)


@st.composite
def schemas(draw: st.DrawFn) -> list[Triple]:
    return graph_of(from_hypothesis(draw), RDFS_AXIOMS)


def graph_of(draw: Draw, axioms: tuple[tuple[int, Callable[[Writer], None]], ...]) -> list[Triple]:
    to = Writer(draw)
    for _ in range(draw.integer(1, 12)):
        draw.weighted(*axioms)(to)
    return to.triples
