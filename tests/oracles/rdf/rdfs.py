"""RDF and RDFS entailment as [RDF 1.1 Semantics, 8 and 9] have it, by nested loops.

Of the container membership properties rdf:_n there are those in the graph, and rdf:_1.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, RDF, RDF_LANG_STRING, XSD_STRING, Literal
from tests.oracles.rdf.rule_tables import NAMES, Graph, Rule, Triple, rules_of
from tests.oracles.rdf.value_spaces import SAMPLES, is_ill_typed, spaces

if TYPE_CHECKING:
    from collections.abc import Iterator

RDF_TABLE = """
rdfD2 | ?x ?p ?y => ?p type Property
axioms | => type type Property, subject type Property, predicate type Property, object type Property, first type Property, rest type Property, value type Property, nil type List
"""  # noqa: E501 - a rule is a line
RDFS_TABLE = """
rdfs2 | ?p domain ?c, ?x ?p ?y => ?x type ?c
rdfs3 | ?p range ?c, ?x ?p ?y => ?y type ?c
rdfs4 | ?x ?p ?y => ?x type Resource, ?y type Resource
rdfs5 | ?p subPropertyOf ?q, ?q subPropertyOf ?r => ?p subPropertyOf ?r
rdfs6 | ?p type Property => ?p subPropertyOf ?p
rdfs7 | ?p subPropertyOf ?q, ?x ?p ?y => ?x ?q ?y
rdfs8 | ?c type Class => ?c subClassOf Resource
rdfs9 | ?c subClassOf ?d, ?x type ?c => ?x type ?d
rdfs10 | ?c type Class => ?c subClassOf ?c
rdfs11 | ?c subClassOf ?d, ?d subClassOf ?e => ?c subClassOf ?e
rdfs12 | ?p type ContainerMembershipProperty => ?p subPropertyOf member
rdfs13 | ?d type Datatype => ?d subClassOf Literal
axioms1 | => type domain Resource, domain domain Property, range domain Property, subPropertyOf domain Property, subClassOf domain Class, subject domain Statement, predicate domain Statement, object domain Statement, member domain Resource, first domain List, rest domain List
axioms2 | => seeAlso domain Resource, isDefinedBy domain Resource, comment domain Resource, label domain Resource, value domain Resource
axioms3 | => type range Class, domain range Class, range range Class, subPropertyOf range Property, subClassOf range Class, subject range Resource, predicate range Resource, object range Resource, member range Resource, first range Resource, rest range List
axioms4 | => seeAlso range Resource, isDefinedBy range Resource, comment range Literal, label range Literal, value range Resource
axioms5 | => Alt subClassOf Container, Bag subClassOf Container, Seq subClassOf Container, ContainerMembershipProperty subClassOf Property, isDefinedBy subPropertyOf seeAlso, Datatype subClassOf Class
"""  # noqa: E501 - a rule is a line

TYPE = NAMES["type"]
_CONTAINER = re.compile(re.escape(RDF) + "_[1-9][0-9]*")


def _containers(graph: Graph) -> set[IRI]:
    terms = {term for triple in graph.triples for term in triple if isinstance(term, IRI)}
    return {term for term in terms if _CONTAINER.fullmatch(term.value)} | {IRI(RDF + "_1")}


def _container_properties(graph: Graph) -> Iterator[Triple]:
    for p in _containers(graph):
        yield p, TYPE, NAMES["Property"]


def _container_axioms(graph: Graph) -> Iterator[Triple]:
    for p in _containers(graph):
        yield p, TYPE, NAMES["ContainerMembershipProperty"]
        yield p, NAMES["domain"], NAMES["Resource"]
        yield p, NAMES["range"], NAMES["Resource"]


def _datatypes(recognised: frozenset[str], _: Graph) -> Iterator[Triple]:
    for datatype in recognised:
        yield IRI(datatype), TYPE, NAMES["Datatype"]


def _values(recognised: frozenset[str], graph: Graph) -> Iterator[Triple | None]:
    """A thing has the types in whose spaces it is, and no other [RDF 1.1 Semantics, 7]."""
    things = {term for triple in graph.triples for term in triple}
    for thing in things:
        typed = {o.value for o in graph.objects(thing, TYPE) if isinstance(o, IRI)} & recognised
        if isinstance(thing, Literal):
            own = spaces(thing)
            yield from ((thing, TYPE, IRI(datatype)) for datatype in own & recognised)
            if thing.datatype in recognised and is_ill_typed(thing):
                yield None
            if own & recognised and typed - own:
                yield None
        if typed and not any(typed <= spaces(sample) for sample in SAMPLES):
            yield None


def rules(regime: str, recognised: frozenset[str]) -> list[Rule]:
    """The rules of ``rdf`` or ``rdfs``."""
    recognised |= {XSD_STRING, RDF_LANG_STRING}
    found: list[Rule] = [
        *rules_of(RDF_TABLE).values(),
        _container_properties,
        partial(_values, recognised),
    ]
    if regime == "rdfs":
        found += [*rules_of(RDFS_TABLE).values(), _container_axioms]
        found.append(partial(_datatypes, recognised))
    return found
