"""Random small graphs in the words of OWL and RDFS: a few axioms about a few names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.generators.draw import Draw, from_hypothesis
from tests.generators.ontologies import axioms, rule_triggers
from tests.generators.ontologies.axioms import AxiomWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.oracles.rdf.rule_tables import Triple

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
    (8, rule_triggers.row),
    (3, rule_triggers.list_scene),
    (1, axioms.value_scene),
)


RDFS_AXIOMS = ((3, axioms.assertion), (3, axioms.schema), (1, axioms.value_scene))


@st.composite
def ontologies(draw: st.DrawFn) -> list[Triple]:
    return graph_of(from_hypothesis(draw), OWL_AXIOMS)


@st.composite
def schemas(draw: st.DrawFn) -> list[Triple]:
    return graph_of(from_hypothesis(draw), RDFS_AXIOMS)


def graph_of(
    draw: Draw, axioms: tuple[tuple[int, Callable[[AxiomWriter], None]], ...]
) -> list[Triple]:
    to = AxiomWriter(draw)
    for _ in range(draw.integer(1, 12)):
        draw.weighted(*axioms)(to)
    return to.triples
