"""The imported graphs of a closure as rows of ids: read, judged, with lists as terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from r4.errors import Counters
from r4.imports.errors import ImportErrors, ListsComputed, ListsTooLong
from r4.imports.import_closure import Closure
from r4.imports.owl_direct import Ontology
from r4.imports.profiles import Profile
from r4.imports.rdf_lists import (
    computes_lists,
    identify,
    lists_of,
    place_of_list_triple,
    triples_of,
)
from r4.rdf.files import UNBOUNDED, ReadingBounds
from rete.arrays.delta import Rows, distinct
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors

_OWL = frozenset({Profile.OWL_DIRECT, Profile.OWL_RDF_BASED})


@dataclass(frozen=True, slots=True)
class GraphRows:
    """Imported graphs as they take part in reasoning.

    Attributes:
        rows: (n, 3) ids: triples that always hold.
        warnings: What there is to say, a graph each.
    """

    rows: Rows
    warnings: tuple[RuleErrors, ...]


def load_graphs(
    closure: Closure, terms: Dictionary, counters: Counters, bounds: ReadingBounds = UNBOUNDED
) -> GraphRows:
    """Read the imported graphs of a closure; ``bounds`` may end that.

    Under OWL Direct, what is no fact to rules is left out. Lists are terms; those that stand in
    the rules bring their triples, if any graph is imported. Linear in the graphs.

    Raises:
        ImportErrors: A graph cannot be read, or cannot be combined with rules.
    """
    read_in = Dictionary()
    rows, warnings = _read(closure, read_in, bounds)
    counters.quads += len(rows)
    if closure.profile is Profile.OWL_DIRECT:
        rows = Ontology(rows, read_in).facts()
    rows, left = identify(_translated(rows, read_in, terms), terms)
    if left:
        fault = ListsTooLong(f"{left} nodes of RDF lists are no lists to rules")
        warnings.append(RuleErrors([fault], name=closure.name))
    parts = [rows]
    if closure.graphs:
        lists = (each for document in closure.documents for each in lists_of(document))
        texts = [text for triple in triples_of(lists) for text in triple]
        parts.append(terms.encode_many(texts).reshape(-1, 3))
    return GraphRows(np.ascontiguousarray(np.concatenate(parts)), tuple(warnings))


def judge_graphs(closure: Closure) -> tuple[RuleErrors, ...]:
    """The warnings about imported graphs, which are read and forgotten; raises as `load_graphs`."""
    return tuple(_read(closure, Dictionary(), UNBOUNDED)[1])


def _read(
    closure: Closure, terms: Dictionary, bounds: ReadingBounds
) -> tuple[Rows, list[RuleErrors]]:
    """All triples (n, 3) as written, and warnings.

    Literals are judged by their lexical forms, which the dictionary of a run may not keep.
    """
    parts: list[Rows] = [np.empty((0, 3), np.int64)]
    refused: list[RuleErrors] = []
    warnings: list[RuleErrors] = []
    if closure.graphs:
        from r4.imports.graph_documents import read_graph  # noqa: PLC0415 - for who imports any
    for graph in closure.graphs:
        name = graph.name
        try:
            rows = read_graph(graph, terms, bounds)
        except RuleErrors as errors:
            refused.append(errors)
            continue
        parts.append(rows)
        if closure.profile in _OWL:
            ontology = Ontology(rows, terms)
            if closure.profile is Profile.OWL_DIRECT and (faults := ontology.faults()):
                refused.append(RuleErrors(faults, name=name))
            if notes := ontology.imports():
                warnings.append(RuleErrors(notes, name=name))
    if refused:
        raise ImportErrors(refused, closure.name)
    if closure.graphs and any(map(computes_lists, closure.documents)):
        warnings += _computed_lists(closure)
    return np.concatenate(parts), warnings


def _computed_lists(closure: Closure) -> Iterator[RuleErrors]:
    """A warning for each document that asks for triples which lists lack that rules compute."""
    for document, source in zip(closure.documents, closure.sources, strict=True):
        place = place_of_list_triple(document)
        if place is not None:
            message = "lists that rules compute have no rdf:first and rdf:rest"
            yield source.notes([ListsComputed(message, place)])


def _translated(rows: Rows, read_in: Dictionary, terms: Dictionary) -> Rows:
    """``rows`` with the ids that ``terms`` gives to the same texts."""
    used = distinct(rows)
    ids = np.zeros(int(used[-1]) + 1 if len(used) else 1, np.int64)
    ids[used] = terms.encode_many(read_in.decode_many(used))
    return ids[rows]
