"""Peer: a pyoxigraph store of what the window holds, asked anew at every second of event time.

At a second the graphs that came since the last one are loaded, those that have left the window
removed, and the query is evaluated (`full_seconds`). Decimals come out in the store's own form.
Types are closed under subclasses once, when the static file is loaded, so that no query need
follow them.

QUERY is one of `QUERIES`, or a file of SPARQL: what that selects is a triple, or an atom if its
first variable is ``?name``.

usage: store_requery.py QUERY STREAM STATIC WINDOW_IN_MS
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from pyoxigraph import NamedNode, QuerySolutions, RdfFormat, Store

from bench.peers.full_seconds import Answer, follow

PREFIXES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX dc: <http://purl.org/dc/elements/1.1/>
PREFIX bsbm: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/>
PREFIX inst: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/>
PREFIX ssn: <http://purl.oclc.org/NET/ssnx/ssn#>
PREFIX ext: <http://www.semsorgrid4env.eu/ontologies/SsnExtension.owl#>
PREFIX weather: <http://knoesis.wright.edu/ssw/ont/weather.owl#>
PREFIX yago: <http://dbpedia.org/class/yago/>
PREFIX dbpprop: <http://dbpedia.org/property/>
"""
OFFER = """?offer a bsbm:Offer ; bsbm:product ?s ; bsbm:vendor ?vendor ; bsbm:price ?o ;
    bsbm:validFrom ?from ; bsbm:validTo ?to ; bsbm:deliveryDays ?delivery ;
    bsbm:offerWebpage ?webpage ; dc:publisher ?publisher ; dc:date ?date ."""
QUERIES = {
    "q1": f"SELECT DISTINCT ?s (bsbm:offerPrice AS ?p) ?o {{ {OFFER} }}",
    "q2": f"SELECT DISTINCT ?s (bsbm:offerPrice AS ?p) ?o {{ {OFFER} ?s a inst:ProductType3 }}",
    "q3": """SELECT DISTINCT ?s (bsbm:undercuts AS ?p) ?o {
        ?s bsbm:product ?product ; bsbm:price ?less . ?o bsbm:product ?product ; bsbm:price ?more .
        FILTER(?less < ?more) }""",
    "q4": """SELECT DISTINCT ?s (ssn:observedWeatherType AS ?p) (yago:Hurricane111467018 AS ?o) {
        ?s ssn:observedProperty weather:_WindSpeed ; ssn:observedBy ?sensor ;
            ssn:observationResult/ssn:hasValue/ext:hasQuantityValue ?v .
        ?hur a yago:Hurricane111467018 ; dbpprop:1MinWinds ?wind . FILTER(?v > ?wind) }""",
}
CLOSURE = """INSERT { GRAPH <urn:x:static> { ?x a ?super } }
    WHERE { GRAPH <urn:x:static> { ?x a ?class . ?class rdfs:subClassOf+ ?super } }"""


def main(query: str, stream: Path, static: str, window: timedelta) -> None:
    """Follow the stream second by second."""
    named = QUERIES.get(query)
    asked = Path(query).read_text(encoding="utf-8") if named is None else PREFIXES + named
    store = Store()
    store.load(path=static, format=RdfFormat.N_TRIPLES, to_graph=NamedNode("urn:x:static"))
    store.update(PREFIXES + CLOSURE)

    def evaluate(come: Sequence[bytes], gone: Sequence[str]) -> set[Answer]:
        store.load(b"".join(come), format=RdfFormat.N_QUADS)
        for name in gone:
            store.remove_graph(NamedNode(name))
        found = store.query(asked, use_default_graph_as_union=True)
        assert isinstance(found, QuerySolutions)
        of_atoms = found.variables[0].value == "name"
        rows = (tuple(map(str, solution)) for solution in found)
        return {(f"{row[0]}({' '.join(row[1:])})",) for row in rows} if of_atoms else set(rows)

    follow(stream, window, evaluate)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], timedelta(milliseconds=int(sys.argv[4])))
