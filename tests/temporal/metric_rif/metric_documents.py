"""Documents of metric rules, streams for them, and what they print."""

from __future__ import annotations

import json

from rdflib import Namespace

from tests.simulation.command import CommandOutput

EX = Namespace("http://e/")

PROV = "http://www.w3.org/ns/prov#"

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def document(*rules: str, window: str = "") -> str:
    return f"Document(Prefix(ex <http://e/>) {window} Group({' '.join(rules)}))"


def rule(body: str, head: str = "?x[ex:t -> ex:y]", more: str = "") -> str:
    return f"Forall ?x {more} ({head} :- {body})"


P = "?x[ex:p -> ex:y]"


def element(number: int, at: int, *triples: str, end: int | None = None) -> str:
    lines = [f'<urn:g:{number}> <{PROV}generatedAtTime> "{at}"^^<{INTEGER}> .']
    if end is not None:
        lines.append(f'<urn:g:{number}> <{PROV}invalidatedAtTime> "{end}"^^<{INTEGER}> .')
    for triple in triples or ("a p y",):
        names = " ".join(f"<http://e/{name}>" for name in triple.split())
        lines.append(f"{names} <urn:g:{number}> .")
    return "\n".join(lines) + "\n"


def stream(*times: int) -> str:
    return "".join(element(number, at) for number, at in enumerate(times))


def spells(printed: CommandOutput) -> list[tuple[int | None, int]]:
    """From and until of what ended."""
    assert printed.code == 0, printed.err
    lines = map(json.loads, printed.lines())
    return [(line["from"], line["until"]) for line in lines if line["op"] == "-"]
