"""OWL 2 RL/RDF as its tables say, by nested loops [OWL 2 Profiles, 4.3, Tables 4 to 9].

Of all literals only those of the graph are looked at; dt-diff only of those that are said to be the
same, as `every_pair` is what the table says.
"""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, Literal
from tests.oracles.rdf.rule_tables import NAMES, Graph, Rule, Triple, rules_of
from tests.oracles.rdf.value_spaces import OWL_RL, is_ill_typed, spaces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rif.syntax.terms import GroundTerm

TABLE = """
eq-ref | ?s ?p ?o => ?s sameAs ?s, ?p sameAs ?p, ?o sameAs ?o
eq-sym | ?x sameAs ?y => ?y sameAs ?x
eq-trans | ?x sameAs ?y, ?y sameAs ?z => ?x sameAs ?z
eq-rep-s | ?s sameAs ?s2, ?s ?p ?o => ?s2 ?p ?o
eq-rep-p | ?p sameAs ?p2, ?s ?p ?o => ?s ?p2 ?o
eq-rep-o | ?o sameAs ?o2, ?s ?p ?o => ?s ?p ?o2
eq-diff1 | ?x sameAs ?y, ?x differentFrom ?y => false
prp-dom | ?p domain ?c, ?x ?p ?y => ?x type ?c
prp-rng | ?p range ?c, ?x ?p ?y => ?y type ?c
prp-fp | ?p type FunctionalProperty, ?x ?p ?y1, ?x ?p ?y2 => ?y1 sameAs ?y2
prp-ifp | ?p type InverseFunctionalProperty, ?x1 ?p ?y, ?x2 ?p ?y => ?x1 sameAs ?x2
prp-irp | ?p type IrreflexiveProperty, ?x ?p ?x => false
prp-symp | ?p type SymmetricProperty, ?x ?p ?y => ?y ?p ?x
prp-asyp | ?p type AsymmetricProperty, ?x ?p ?y, ?y ?p ?x => false
prp-trp | ?p type TransitiveProperty, ?x ?p ?y, ?y ?p ?z => ?x ?p ?z
prp-spo1 | ?p1 subPropertyOf ?p2, ?x ?p1 ?y => ?x ?p2 ?y
prp-eqp1 | ?p1 equivalentProperty ?p2, ?x ?p1 ?y => ?x ?p2 ?y
prp-eqp2 | ?p1 equivalentProperty ?p2, ?x ?p2 ?y => ?x ?p1 ?y
prp-pdw | ?p1 propertyDisjointWith ?p2, ?x ?p1 ?y, ?x ?p2 ?y => false
prp-inv1 | ?p1 inverseOf ?p2, ?x ?p1 ?y => ?y ?p2 ?x
prp-inv2 | ?p1 inverseOf ?p2, ?x ?p2 ?y => ?y ?p1 ?x
prp-npa1 | ?x sourceIndividual ?i1, ?x assertionProperty ?p, ?x targetIndividual ?i2, ?i1 ?p ?i2 => false
prp-npa2 | ?x sourceIndividual ?i, ?x assertionProperty ?p, ?x targetValue ?lt, ?i ?p ?lt => false
cls-thing | => Thing type owlClass
cls-nothing1 | => Nothing type owlClass
cls-nothing2 | ?x type Nothing => false
cls-com | ?c1 complementOf ?c2, ?x type ?c1, ?x type ?c2 => false
cls-svf1 | ?x someValuesFrom ?y, ?x onProperty ?p, ?u ?p ?v, ?v type ?y => ?u type ?x
cls-svf2 | ?x someValuesFrom Thing, ?x onProperty ?p, ?u ?p ?v => ?u type ?x
cls-avf | ?x allValuesFrom ?y, ?x onProperty ?p, ?u type ?x, ?u ?p ?v => ?v type ?y
cls-hv1 | ?x hasValue ?y, ?x onProperty ?p, ?u type ?x => ?u ?p ?y
cls-hv2 | ?x hasValue ?y, ?x onProperty ?p, ?u ?p ?y => ?u type ?x
cls-maxc1 | ?x maxCardinality 0, ?x onProperty ?p, ?u type ?x, ?u ?p ?y => false
cls-maxc2 | ?x maxCardinality 1, ?x onProperty ?p, ?u type ?x, ?u ?p ?y1, ?u ?p ?y2 => ?y1 sameAs ?y2
cls-maxqc1 | ?x maxQualifiedCardinality 0, ?x onProperty ?p, ?x onClass ?c, ?u type ?x, ?u ?p ?y, ?y type ?c => false
cls-maxqc2 | ?x maxQualifiedCardinality 0, ?x onProperty ?p, ?x onClass Thing, ?u type ?x, ?u ?p ?y => false
cls-maxqc3 | ?x maxQualifiedCardinality 1, ?x onProperty ?p, ?x onClass ?c, ?u type ?x, ?u ?p ?y1, ?y1 type ?c, ?u ?p ?y2, ?y2 type ?c => ?y1 sameAs ?y2
cls-maxqc4 | ?x maxQualifiedCardinality 1, ?x onProperty ?p, ?x onClass Thing, ?u type ?x, ?u ?p ?y1, ?u ?p ?y2 => ?y1 sameAs ?y2
cax-sco | ?c1 subClassOf ?c2, ?x type ?c1 => ?x type ?c2
cax-eqc1 | ?c1 equivalentClass ?c2, ?x type ?c1 => ?x type ?c2
cax-eqc2 | ?c1 equivalentClass ?c2, ?x type ?c2 => ?x type ?c1
cax-dw | ?c1 disjointWith ?c2, ?x type ?c1, ?x type ?c2 => false
scm-cls | ?c type owlClass => ?c subClassOf ?c, ?c equivalentClass ?c, ?c subClassOf Thing, Nothing subClassOf ?c
scm-sco | ?c1 subClassOf ?c2, ?c2 subClassOf ?c3 => ?c1 subClassOf ?c3
scm-eqc1 | ?c1 equivalentClass ?c2 => ?c1 subClassOf ?c2, ?c2 subClassOf ?c1
scm-eqc2 | ?c1 subClassOf ?c2, ?c2 subClassOf ?c1 => ?c1 equivalentClass ?c2
scm-op | ?p type ObjectProperty => ?p subPropertyOf ?p, ?p equivalentProperty ?p
scm-dp | ?p type DatatypeProperty => ?p subPropertyOf ?p, ?p equivalentProperty ?p
scm-spo | ?p1 subPropertyOf ?p2, ?p2 subPropertyOf ?p3 => ?p1 subPropertyOf ?p3
scm-eqp1 | ?p1 equivalentProperty ?p2 => ?p1 subPropertyOf ?p2, ?p2 subPropertyOf ?p1
scm-eqp2 | ?p1 subPropertyOf ?p2, ?p2 subPropertyOf ?p1 => ?p1 equivalentProperty ?p2
scm-dom1 | ?p domain ?c1, ?c1 subClassOf ?c2 => ?p domain ?c2
scm-dom2 | ?p2 domain ?c, ?p1 subPropertyOf ?p2 => ?p1 domain ?c
scm-rng1 | ?p range ?c1, ?c1 subClassOf ?c2 => ?p range ?c2
scm-rng2 | ?p2 range ?c, ?p1 subPropertyOf ?p2 => ?p1 range ?c
scm-hv | ?c1 hasValue ?i, ?c1 onProperty ?p1, ?c2 hasValue ?i, ?c2 onProperty ?p2, ?p1 subPropertyOf ?p2 => ?c1 subClassOf ?c2
scm-svf1 | ?c1 someValuesFrom ?y1, ?c1 onProperty ?p, ?c2 someValuesFrom ?y2, ?c2 onProperty ?p, ?y1 subClassOf ?y2 => ?c1 subClassOf ?c2
scm-svf2 | ?c1 someValuesFrom ?y, ?c1 onProperty ?p1, ?c2 someValuesFrom ?y, ?c2 onProperty ?p2, ?p1 subPropertyOf ?p2 => ?c1 subClassOf ?c2
scm-avf1 | ?c1 allValuesFrom ?y1, ?c1 onProperty ?p, ?c2 allValuesFrom ?y2, ?c2 onProperty ?p, ?y1 subClassOf ?y2 => ?c1 subClassOf ?c2
scm-avf2 | ?c1 allValuesFrom ?y, ?c1 onProperty ?p1, ?c2 allValuesFrom ?y, ?c2 onProperty ?p2, ?p1 subPropertyOf ?p2 => ?c2 subClassOf ?c1
prp-ap | => label type AnnotationProperty, comment type AnnotationProperty, seeAlso type AnnotationProperty, isDefinedBy type AnnotationProperty, deprecated type AnnotationProperty, versionInfo type AnnotationProperty, priorVersion type AnnotationProperty, backwardCompatibleWith type AnnotationProperty, incompatibleWith type AnnotationProperty
"""  # noqa: E501 - a rule is a line, as it is a row of its table
"""The rules without lists and data values."""

TYPE, SAME, DIFFERENT = NAMES["type"], NAMES["sameAs"], NAMES["differentFrom"]


def _lists(graph: Graph, predicate: str) -> Iterator[tuple[GroundTerm, tuple[GroundTerm, ...]]]:
    """``T(x, predicate, y), LIST[y, e1 … en]``."""
    for x, head in graph.pairs(predicate):
        for items in graph.lists(head):
            yield x, items


def _pairwise(
    cls: str, predicate: str, clash: Callable[[Graph, GroundTerm, GroundTerm], bool]
) -> Rule:
    """False if two members of the list of an instance of ``cls`` clash."""

    def apply(graph: Graph) -> Iterator[None]:
        for x, items in _lists(graph, predicate):
            if graph.has(x, TYPE, NAMES[cls]) and any(
                clash(graph, *pair) for pair in combinations(items, 2)
            ):
                yield None

    return apply


def _same(graph: Graph, one: GroundTerm, other: GroundTerm) -> bool:
    return graph.has(one, SAME, other)


def _share_a_triple(graph: Graph, one: GroundTerm, other: GroundTerm) -> bool:
    return any(p == one and graph.has(s, other, o) for s, p, o in graph.triples)


def _share_an_instance(graph: Graph, one: GroundTerm, other: GroundTerm) -> bool:
    return any(graph.has(x, TYPE, other) for x in graph.subjects(TYPE, one))


def _chain(graph: Graph) -> Iterator[Triple]:
    for p, steps in _lists(graph, "propertyChainAxiom"):
        pairs = {(s, s) for s, _, _ in graph.triples}
        for step in steps:
            pairs = {(first, o) for first, last in pairs for o in graph.objects(last, step)}
        yield from ((first, p, last) for first, last in pairs)


def _key(graph: Graph) -> Iterator[Triple]:
    for c, properties in _lists(graph, "hasKey"):
        for x, y in product(graph.subjects(TYPE, c), repeat=2):
            if all(set(graph.objects(x, p)) & set(graph.objects(y, p)) for p in properties):
                yield x, SAME, y


def _int1(graph: Graph) -> Iterator[Triple]:
    for c, parts in _lists(graph, "intersectionOf"):
        for y, _ in list(graph.pairs("type")):
            if all(graph.has(y, TYPE, part) for part in parts):
                yield y, TYPE, c


def _int2(graph: Graph) -> Iterator[Triple]:
    for c, parts in _lists(graph, "intersectionOf"):
        yield from product(graph.subjects(TYPE, c), [TYPE], parts)


def _uni(graph: Graph) -> Iterator[Triple]:
    for c, parts in _lists(graph, "unionOf"):
        yield from ((y, TYPE, c) for part in parts for y in graph.subjects(TYPE, part))


def _one_of(graph: Graph) -> Iterator[Triple]:
    for c, members in _lists(graph, "oneOf"):
        yield from ((member, TYPE, c) for member in members)


def _scm_int(graph: Graph) -> Iterator[Triple]:
    for c, parts in _lists(graph, "intersectionOf"):
        yield from ((c, NAMES["subClassOf"], part) for part in parts)


def _scm_uni(graph: Graph) -> Iterator[Triple]:
    for c, parts in _lists(graph, "unionOf"):
        yield from ((part, NAMES["subClassOf"], c) for part in parts)


def _literals(graph: Graph) -> set[Literal]:
    return {term for triple in graph.triples for term in triple if isinstance(term, Literal)}


def _datatypes_typed(_: Graph) -> Iterator[Triple]:
    for datatype in (*map(IRI, OWL_RL), NAMES["Literal"]):
        yield datatype, TYPE, NAMES["Datatype"]


def _literals_typed(graph: Graph) -> Iterator[Triple]:
    for literal in _literals(graph):
        for datatype in spaces(literal) & OWL_RL:
            yield literal, TYPE, IRI(datatype)
            yield literal, TYPE, NAMES["Literal"]


def _literals_same(graph: Graph) -> Iterator[Triple]:
    yield from ((one, SAME, one) for one in _literals(graph) if spaces(one) & OWL_RL)


def every_pair(graph: Graph) -> Iterator[Triple]:
    """dt-diff of all literals of the graph."""
    valued = [literal for literal in _literals(graph) if spaces(literal)]
    yield from ((one, DIFFERENT, other) for one, other in permutations(valued, 2))


def _literals_different(graph: Graph) -> Iterator[Triple]:
    for one, _, other in every_pair(graph):
        if graph.has(one, SAME, other):
            yield one, DIFFERENT, other


def _literals_mistyped(graph: Graph) -> Iterator[None]:
    for literal in _literals(graph):
        own = spaces(literal)
        typed = {o.value for o in graph.objects(literal, TYPE) if isinstance(o, IRI)}
        if is_ill_typed(literal) or (own and typed & OWL_RL - own):
            yield None


RULES: dict[str, Rule] = {
    **rules_of(TABLE),
    "eq-diff2": _pairwise("AllDifferent", "members", _same),
    "eq-diff3": _pairwise("AllDifferent", "distinctMembers", _same),
    "prp-spo2": _chain,
    "prp-adp": _pairwise("AllDisjointProperties", "members", _share_a_triple),
    "prp-key": _key,
    "cls-int1": _int1,
    "cls-int2": _int2,
    "cls-uni": _uni,
    "cls-oo": _one_of,
    "cax-adc": _pairwise("AllDisjointClasses", "members", _share_an_instance),
    "dt-type1": _datatypes_typed,
    "dt-type2": _literals_typed,
    "dt-eq": _literals_same,
    "dt-diff": _literals_different,
    "dt-not-type": _literals_mistyped,
    "scm-int": _scm_int,
    "scm-uni": _scm_uni,
}
"""The 78 rules by name."""
