"""Queries, small graphs at random, and what SPARQL engines make of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

import pyoxigraph as ox
import rdflib

from r4.cli.terminal.console import RULES_REFUSED
from rif.syntax.terms import Literal, parse_canonical
from rif.values.datatypes import canonical_literal
from tests.simulation.command import call

PROLOGUE: Final = (
    "PREFIX ex: <urn:ex:> PREFIX out: <urn:out:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
)

Triple: TypeAlias = tuple[str, str, str]

NODES: Final = tuple(f"<urn:ex:n{number}>" for number in range(4))
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_TIMES: Final = tuple(f'"{year}-01-02T03:04:05Z"^^<{_XSD}dateTime>' for year in (2024, 2025))
LITERALS: Final = (
    *("0", "1", "2", "3", "1.5", "2.0", "2.0e0", "true", "false", *_TIMES),
    *('""', '"a"', '"b"', '"ab"', '"a"@en', '"b"@fr', '"x"^^<urn:dt>', '"y"^^<urn:dt>'),
)


def graph(random: Random) -> str:
    """Up to twenty triples: ``ex:a`` has things, ``ex:c`` numbers, ``ex:b`` and ``ex:d`` all."""
    objects = {"a": NODES, "b": NODES + LITERALS, "c": ("1", "2", "3", "1.5"), "d": LITERALS}
    lines = [
        f"{random.choice(NODES)} <urn:ex:{key}> {random.choice(some)} ."
        for key, some in objects.items()
        for _ in range(random.randint(0, 5))
    ]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def by_oxigraph(query: str, data: str) -> set[Triple]:
    store = ox.Store()
    store.load(data.encode(), format=ox.RdfFormat.TURTLE)
    found = store.query(query)
    assert isinstance(found, ox.QueryTriples)
    return {(str(x.subject), str(x.predicate), value(str(x.object))) for x in found}


def by_rdflib(query: str, data: str) -> set[Triple]:
    """Triples that RDF has: rdflib constructs others, too."""
    found = rdflib.Graph().parse(data=data, format="turtle").query(query).graph
    assert found is not None
    legal = [x for x in found if not isinstance(x[0], rdflib.Literal)]
    return {(s.n3(), p.n3(), value(_text(o))) for s, p, o in legal}


def _text(node: object) -> str:
    """A term as N-Triples."""
    graph = rdflib.Graph()
    graph.add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), node))  # type: ignore[arg-type]
    return graph.serialize(format="nt").strip().removeprefix("<urn:s> <urn:p> ").removesuffix(" .")


def value(text: str) -> str:
    """A term, a literal by its value: engines write the values that they compute in many ways."""
    text = text.removesuffix(f"^^<{_XSD}string>")
    if not text.startswith('"'):
        return text
    literal = parse_canonical(text)
    assert isinstance(literal, Literal)
    known = canonical_literal(literal)
    kind = literal.datatype.removeprefix(_XSD)
    if known is None:
        return text
    if kind in {"integer", "decimal"}:  # a quotient of two integers is a decimal
        return f"{round(Decimal(known.lexical), 12):f}".rstrip("0").rstrip(".")
    return f"{float(known.lexical)} {kind}" if kind in {"float", "double"} else str(known)


def rows_by_oxigraph(query: str, data: str) -> set[tuple[str, ...]]:
    """The rows of a SELECT; "" stands for what is not bound."""
    store = ox.Store()
    store.load(data.encode(), format=ox.RdfFormat.TURTLE)
    found = store.query(query)
    assert isinstance(found, ox.QuerySolutions)
    return {tuple("" if term is None else value(str(term)) for term in row) for row in found}


def rows_by_r4(query: str, data: str, folder: Path) -> set[tuple[str, ...]]:
    found = set()
    for line in _run(query, data, folder):
        terms = _TERM.findall(line["atom"].partition("(")[2])
        found.add(tuple("" if term == _UNBOUND else value(term) for term in terms))
    return found


def by_r4(query: str, data: str, folder: Path) -> set[Triple]:
    return {(x["s"], x["p"], value(x["o"])) for x in _run(query, data, folder)}


class Refused(Exception):
    """A query that R4 refuses; the text says why."""


_UNBOUND: Final = "<urn:r4:unbound>"
_TERM: Final = re.compile(r'<[^>]*>|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?|_:[^ )]+')


def _run(query: str, data: str, folder: Path) -> Iterator[dict[str, str]]:
    (folder / "query.rq").write_text(query, "utf-8")
    (folder / "data.ttl").write_text(data, "utf-8")
    files = [str(folder / "query.rq"), "--static", str(folder / "data.ttl")]
    found = call(["run", *files, "--quiet", "--literals", "term"])
    if found.code == RULES_REFUSED:
        raise Refused(found.err)
    assert found.code == 0, found.err
    return map(json.loads, found.lines())
