"""A scenario for the library: its elements as rdflib has them, changes as lines of the command."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction

import pyoxigraph as ox
import rdflib
from hypothesis import assume
from rdflib.term import Node

from r4.api import Change, Instant
from r4.api.values.term_texts import Statements
from rif.syntax.terms import IRI, BlankNode, GroundTerm, Literal
from tests.generators.streams.text import EPOCH
from tests.oracles.rules.formulas import text
from tests.oracles.streams.run import (
    DefaultGraphTriple,
    Element,
    Scenario,
    ScenarioItem,
    Triple,
)

FRAME_WITH_LIST = re.compile(r"(?P<s>.+?)\[(?P<p>.+?) -> (?P<o>.+)\]")
"""A fact with a list as a term: a triple for the command, a text for the library (rdflib has no
such term). A fact that is no frame ends with a parenthesis."""


def as_one_document(scenario: Scenario) -> Scenario:
    """The run as the library has it: one source of good elements, static triples ahead of them."""
    assume(len(scenario.sources) == 1)
    (source,) = scenario.sources
    first = next((n for n, one in enumerate(source) if isinstance(one, Element)), 0)
    ahead = [item for item in source[:first] if isinstance(item, DefaultGraphTriple)]
    static = [DefaultGraphTriple(triple) for triples in scenario.statics for triple in triples]
    good: list[ScenarioItem] = [
        one for one in source if isinstance(one, Element) and not one.is_bad()
    ]
    return replace(scenario, statics=(), sources=((*static, *ahead, *good),), drain=math.inf)


def nodes(triple: Triple) -> tuple[Node, Node, Node]:
    s, p, o = map(node, triple)
    return s, p, o


DATA_FORMS = "text", "nodes", "ox", "graph"
"""Forms in which an engine takes the triples of an element."""


def data_of(triples: Sequence[Triple], form: str = "text") -> Statements:
    """Triples as `Engine.add` takes them; in N-Triples only if no blank node is among them."""
    has_blank = any(isinstance(term, BlankNode) for triple in triples for term in triple)
    if form == "graph":
        graph = rdflib.Graph()
        for triple in triples:
            graph.add(nodes(triple))
        return graph
    lines = [f"{' '.join(map(str, triple))} .\n" for triple in triples]
    if form == "nodes" or has_blank:
        return [nodes(triple) for triple in triples]
    if form == "ox":
        quads = ox.parse("".join(lines), ox.RdfFormat.N_TRIPLES)
        return [quad.triple for quad in quads]
    return "".join(lines)


def node(term: GroundTerm) -> Node:
    match term:
        case IRI(iri):
            return rdflib.URIRef(iri)
        case BlankNode(label):
            return rdflib.BNode(label)
        case Literal(lexical, datatype, tag):
            if tag:
                return rdflib.Literal(lexical, lang=tag)
            return rdflib.Literal(lexical, datatype=rdflib.URIRef(datatype), normalize=False)
    raise TypeError(term)


def instant(time: Fraction | int, clock: str) -> Instant:
    if clock == "integer":
        return int(time)
    return EPOCH + timedelta(microseconds=int(time * 1000))


def line_of(change: Change) -> str:
    """The line that the command prints of a change."""
    what: dict[str, object] = {"error": True}
    if change.triple is not None:
        what = dict(zip("spo", map(text_of, change.triple), strict=True))
    elif change.atom is not None:
        frame = FRAME_WITH_LIST.fullmatch(change.atom)
        what = frame.groupdict() if frame else {"atom": change.atom}
    members = {
        "op": change.op,
        "at": printed(change.at),
        **what,
        "from": printed(change.start),
        "until": printed(change.until),
        "rule": change.rule,
    }
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def text_of(term: Node) -> str:
    match term:
        case rdflib.BNode():
            return f"_:{term}"
        case rdflib.Literal():
            if term.language:
                return text(Literal(str(term), "", term.language))
            return text(Literal(str(term), str(term.datatype or rdflib.XSD.string)))
    return f"<{term}>"


def printed(time: Instant | str | None) -> int | str | None:
    if not isinstance(time, datetime):
        return time
    whole, fraction = time.strftime("%Y-%m-%dT%H:%M:%S"), f"{time.microsecond:06}".rstrip("0")
    return f"{whole}{'.' if fraction else ''}{fraction}Z"
