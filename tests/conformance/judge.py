"""Does a premise entail a conclusion? Close the one, then look for the other in it.

A conclusion is a query: its blank nodes may stand for anything that the closure names, literals
too [RDF11-MT, Interpolation Lemma].
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import pyoxigraph as ox

from r4.entailment import regime
from rif.datatypes import value_of
from rif.terms import IRI, OWL, RDF_TYPE, BlankNode, Literal
from tests.conformance.closing import Triple, close

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rif.terms import GroundTerm

FORMATS = {
    ".rdf": ox.RdfFormat.RDF_XML,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".ttl": ox.RdfFormat.TURTLE,
}
BASE = "http://base.example/"


class Verdict(NamedTuple):
    """An inconsistent premise entails everything."""

    entailed: bool
    inconsistent: bool


def entails(
    premises: Sequence[Path],
    conclusion: Path | None,
    regime_name: str,
    recognised: frozenset[str] | None = None,
) -> Verdict:
    """What is to be said of a case; without a conclusion, ``entailed`` is whether all follows."""
    closed = close(_premise(premises, recognised), regime(regime_name, recognised))
    if closed.inconsistent or conclusion is None:
        return Verdict(closed.inconsistent, closed.inconsistent)
    wanted = [
        triple
        for triple in _values(read(conclusion, "c_"), recognised)
        if triple[1:] != (IRI(RDF_TYPE), IRI(OWL + "Ontology"))
    ]
    return Verdict(any(True for _ in mappings(wanted, closed.triples)), inconsistent=False)


def _premise(paths: Sequence[Path], recognised: frozenset[str] | None) -> list[Triple]:
    """The merge of graphs."""
    return [
        triple
        for number, path in enumerate(paths, 1)
        for triple in _values(read(path, f"p{number}_"), recognised)
    ]


def _values(triples: Iterable[Triple], recognised: frozenset[str] | None) -> Iterator[Triple]:
    """Literals of recognised datatypes as their values; others stand for themselves."""
    for s, p, o in triples:
        literal = isinstance(o, Literal) and (recognised is None or o.datatype in recognised)
        yield s, p, value_of(o) if literal else o


def read(path: Path, scope: str) -> Iterator[Triple]:
    """The triples of a document; ``scope`` keeps its blank nodes apart from those of others."""
    for quad in ox.parse(path=str(path), format=FORMATS[path.suffix], base_iri=BASE):
        yield (
            term(quad.subject, scope),
            term(quad.predicate, scope),
            term(quad.object, scope),
        )


def term(part: ox.NamedNode | ox.BlankNode | ox.Literal, scope: str) -> GroundTerm:
    if isinstance(part, ox.NamedNode):
        return IRI(part.value)
    if isinstance(part, ox.BlankNode):
        return BlankNode(scope + part.value)
    return Literal(part.value, part.datatype.value, (part.language or "").lower())


def mappings(
    wanted: Sequence[Triple], given: Iterable[Triple]
) -> Iterator[Mapping[BlankNode, GroundTerm]]:
    """The ways to map the blank nodes of ``wanted`` so that all of it is ``given``."""
    by_predicate: dict[GroundTerm, list[Triple]] = defaultdict(list)
    for triple in given:
        by_predicate[triple[1]].append(triple)
    yield from _extended({}, list(wanted), by_predicate)


def _extended(
    found: dict[BlankNode, GroundTerm],
    rest: list[Triple],
    given: Mapping[GroundTerm, list[Triple]],
) -> Iterator[Mapping[BlankNode, GroundTerm]]:
    """Every extension of ``found`` to ``rest``, beginning with what has the fewest matches."""
    if not rest:
        yield found
        return
    choices = {triple: list(_matches(found, triple, given[triple[1]])) for triple in rest}
    first = min(choices, key=lambda triple: len(choices[triple]))
    others = [triple for triple in rest if triple != first]
    for more in choices[first]:
        yield from _extended(more, others, given)


def _matches(
    found: dict[BlankNode, GroundTerm], wanted: Triple, given: Iterable[Triple]
) -> Iterator[dict[BlankNode, GroundTerm]]:
    for actual in given:
        more = dict(found)
        for want, have in zip(wanted, actual, strict=True):
            if isinstance(want, BlankNode):
                if more.setdefault(want, have) != have:
                    break
            elif want != have:
                break
        else:
            yield more
