"""Peer: a pyoxigraph store of what the window holds, asked anew at every second of event time.

At a second the graphs that came since the last one are loaded, those that have left the window
removed, the query is evaluated, and the difference to the answers before is written, as `r4 run`
writes lines. So it sees full seconds only, which is less than the rules ask for: answers that
begin and end in between are lost; and decimals come out in the store's own form. Types are closed
under subclasses once, when the static file is loaded, so that no query need follow them.

usage: store_requery.py QUERY STREAM STATIC WINDOW_IN_MS
"""

from __future__ import annotations

import json
import sys
from collections import deque
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from pyoxigraph import NamedNode, QuerySolutions, RdfFormat, Store

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
STAMP = b" <http://www.w3.org/ns/prov#generatedAtTime> "
SECOND = timedelta(seconds=1)
Answers: TypeAlias = dict[tuple[str, str, str], datetime]


def main(query: str, stream: str, static: str, window: timedelta) -> None:
    """Follow the stream second by second."""
    store, asked = Store(), PREFIXES + QUERIES[query]
    store.load(path=static, format=RdfFormat.N_TRIPLES, to_graph=NamedNode("urn:x:static"))
    store.update(PREFIXES + CLOSURE)
    answers: Answers = {}
    held: deque[tuple[datetime, NamedNode]] = deque()
    waiting: list[bytes] = []
    tick = at = datetime(1, 1, 1, tzinfo=UTC)

    def evaluate() -> None:
        nonlocal answers
        store.load(b"".join(waiting), format=RdfFormat.N_QUADS)
        waiting.clear()
        while held and held[0][0] + window <= tick:
            store.remove_graph(held.popleft()[1])
        found = store.query(asked, use_default_graph_as_union=True)
        assert isinstance(found, QuerySolutions)
        new = {(str(s), str(p), str(o)) for s, p, o in found}
        for answer in sorted(answers.keys() - new):
            write("-", tick, answer, answers[answer])
        for answer in sorted(new - answers.keys()):
            write("+", tick, answer, tick)
        answers = {answer: answers.get(answer, tick) for answer in new}

    with Path(stream).open("rb") as lines:
        for line in lines:
            if STAMP in line:
                name, _, rest = line.partition(STAMP)
                at = datetime.fromisoformat(rest[1 : rest.index(b'"', 1)].decode())
                if at > tick:
                    if waiting:
                        evaluate()
                    tick = at if at.microsecond == 0 else at.replace(microsecond=0) + SECOND
                held.append((at, NamedNode(name.decode()[1:-1])))
            else:
                waiting.append(line)
    if waiting:
        evaluate()


def write(op: str, at: datetime, answer: tuple[str, str, str], since: datetime) -> None:
    """One line, as `r4 run` has it."""
    s, p, o = answer
    when, start = f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{since:%Y-%m-%dT%H:%M:%SZ}"
    until = when if op == "-" else None
    line = {"op": op, "at": when, "s": s, "p": p, "o": o, "from": start, "until": until}
    sys.stdout.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], timedelta(milliseconds=int(sys.argv[4])))
