"""Runs of a table on the command line, with rules and mappings to change."""

from __future__ import annotations

import io
import json
import sys

import pytest

from rif.syntax.terms import XSD
from tests.simulation.command import CommandOutput, call

RULES = """Document( Prefix(ex <urn:ex:>) Window(1 h)
  Group( Forall ?a ?k (?a[ex:seen -> ?k] :- ?a[ex:gust -> ?k])
         Forall ?a ?b (?a[ex:by -> ?b] :- And(?a[ex:gust -> ?k] ?a[ex:near -> ?b]))
         Forall ?a (?a[ex:is -> "reported"] :- ?a # ex:Report) ) )""".replace(
    "?a ?b (", "?a ?b ?k ("
)

MAPPING = """
[prefixes]
ex = "urn:ex:"
[rows]
subject = "ex:{station}"
types = ["ex:Report"]
values = [
  { column = "gust", predicate = "ex:gust", datatype = "xsd:integer" },
  { predicate = "ex:near", iri = "ex:{town}" },
]
time = "time"
"""

CSV = """station,time,gust,town
LGA,2013-01-31 07:00:00,37,"Queens, NY"
JFK,2013-01-31 08:00:00,NA,
"""

NDJSON = """
{"station":"LGA","time":"2013-01-31 07:00:00","gust":37,"town":"Queens, NY","more":[1]}
{"station":"JFK","time":"2013-01-31 08:00:00","gust":null}
"""

TOLD = [
    ("07:00", "<urn:ex:LGA>", "<urn:ex:by>", "<urn:ex:Queens%2C%20NY>"),
    ("07:00", "<urn:ex:LGA>", "<urn:ex:is>", '"reported"'),
    ("07:00", "<urn:ex:LGA>", "<urn:ex:seen>", f'"37"^^<{XSD}integer>'),
    ("08:00", "<urn:ex:JFK>", "<urn:ex:is>", '"reported"'),
]


def run(*args: str, standard_input: str = "") -> CommandOutput:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input.encode())))
        return call(["run", "r.rif", *args])


def begun(found: CommandOutput) -> list[tuple[str, ...]]:
    lines = [json.loads(line) for line in found.out.splitlines()]
    return [
        (line["at"][11:16], line["s"], line["p"], line["o"]) for line in lines if line["op"] == "+"
    ]


DECIMALS = """
[rows]
subject = "urn:ex:{s}"
values = [{ column = "v", predicate = "urn:ex:gust", datatype = "xsd:decimal" }]
time = { column = "t", format = "integer" }
delimiter = ";"
"""
