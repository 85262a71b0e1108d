"""Peer: FuXi, a Rete network over RDF in Python, which derives all anew at every second.

Its network takes facts and takes none back, so at a second (`full_seconds`) it is emptied and fed
with the static data and what the window holds. Rules are N3. Its comparisons take no decimals, so
these are doubles here. The Python that has FuXi runs this file, and need not have R4's packages.

usage: fuxi_rete.py QUERY STREAM STATIC WINDOW_IN_MS
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from pathlib import Path

from rdflib import XSD, BNode, Literal, URIRef
from rdflib.term import Identifier

from bench.peers.full_seconds import Answer, follow

PREFIXES = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix math: <http://www.w3.org/2000/10/swap/math#> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix bsbm: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/> .
@prefix inst: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/> .
@prefix ssn: <http://purl.oclc.org/NET/ssnx/ssn#> .
@prefix ext: <http://www.semsorgrid4env.eu/ontologies/SsnExtension.owl#> .
@prefix weather: <http://knoesis.wright.edu/ssw/ont/weather.owl#> .
@prefix yago: <http://dbpedia.org/class/yago/> .
@prefix dbpprop: <http://dbpedia.org/property/> .
"""
OFFER = """?offer rdf:type bsbm:Offer . ?offer bsbm:product ?s . ?offer bsbm:vendor ?vendor .
    ?offer bsbm:price ?o . ?offer bsbm:validFrom ?from . ?offer bsbm:validTo ?to .
    ?offer bsbm:deliveryDays ?delivery . ?offer bsbm:offerWebpage ?webpage .
    ?offer dc:publisher ?publisher . ?offer dc:date ?date ."""
CLASSES = "{ ?x rdf:type ?class . ?class rdfs:subClassOf ?super . } => { ?x rdf:type ?super } ."
RULES = {
    "q1": f"{{ {OFFER} }} => {{ ?s bsbm:offerPrice ?o }} .",
    "q2": f"""{CLASSES}
        {{ {OFFER} ?s rdf:type inst:ProductType3 . }} => {{ ?s bsbm:offerPrice ?o }} .""",
    "q3": """{ ?s bsbm:product ?product . ?o bsbm:product ?product . ?s bsbm:price ?less .
        ?o bsbm:price ?more . ?less math:lessThan ?more } => { ?s bsbm:undercuts ?o } .""",
    "q4": f"""{CLASSES} {{ ?s ssn:observedProperty weather:_WindSpeed . ?s ssn:observedBy ?sensor .
        ?s ssn:observationResult ?result . ?result ssn:hasValue ?value .
        ?value ext:hasQuantityValue ?v . ?hur rdf:type yago:Hurricane111467018 .
        ?hur dbpprop:1MinWinds ?wind . ?v math:greaterThan ?wind }}
        => {{ ?s ssn:observedWeatherType yago:Hurricane111467018 }} .""",
}
PROPERTIES = {
    **dict.fromkeys(("q1", "q2"), "vocabulary/offerPrice"),
    "q3": "vocabulary/undercuts",
    "q4": "ssn#observedWeatherType",
}
"""Query → the end of the property of its answers."""
TERM = re.compile(r'<([^>]*)>|_:(\S+)|"((?:[^"\\]|\\.)*)"(?:\^\^<([^>]*)>)?')
Fact = tuple[Identifier, Identifier, Identifier]


def main(query: str, stream: Path, static: Path, window: timedelta) -> None:
    """Follow the stream second by second."""
    # Imported here, as the other Python has them.
    from fuxi.Horn.HornRules import horn_from_n3  # noqa: PLC0415
    from fuxi.Rete.RuleStore import setup_rule_store  # noqa: PLC0415
    from fuxi.Rete.Util import generate_token_set  # noqa: PLC0415

    _, _, network = setup_rule_store(make_network=True)
    for rule in horn_from_n3(StringIO(PREFIXES + RULES[query])):
        network.build_network_from_clause(rule)
    with static.open(encoding="utf-8") as triples:
        always = [_fact(triple) for triple in triples]
    held: dict[str, list[Fact]] = {}

    def evaluate(come: Sequence[bytes], gone: Sequence[str]) -> set[Answer]:
        for line in come:
            quad = line.decode()
            name = quad[quad.rindex("<") + 1 : quad.rindex(">")]
            held.setdefault(name, []).append(_fact(quad))
        for name in gone:
            held.pop(name, None)
        network.reset()
        facts = [*always, *(fact for facts in held.values() for fact in facts)]
        network.feed_facts_to_add(generate_token_set(facts))
        found = network.inferred_facts
        ends = PROPERTIES[query]
        return {(s.n3(), p.n3(), o.n3()) for s, p, o in found if p.endswith(ends)}

    follow(stream, window, evaluate)


def _fact(line: str) -> Fact:
    """The triple of a line as this benchmark writes them."""
    s, p, o = (_term(match) for match, _ in zip(TERM.finditer(line), range(3), strict=False))
    return s, p, o


def _term(match: re.Match[str]) -> Identifier:
    iri, blank, text, datatype = match.groups()
    if iri is not None:
        return URIRef(iri)
    if blank:
        return BNode(blank)
    named = datatype and URIRef(datatype)
    return Literal(text, datatype=XSD.double if named == XSD.decimal else named)


if __name__ == "__main__":
    main(
        sys.argv[1],
        Path(sys.argv[2]),
        Path(sys.argv[3]),
        timedelta(milliseconds=int(sys.argv[4])),
    )
