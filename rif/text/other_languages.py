"""Rules of other languages, by how they look: who brings them is told how R4 says the same."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class OtherLanguage(NamedTuple):
    """A language of rules that R4 does not read.

    Attributes:
        name: what people call it.
        looks: what its rules have, and RIF has not, in group 1.
        hint: how R4 says the same.
    """

    name: str
    looks: re.Pattern[str]
    hint: str


_PAGE: Final = "docs/how-do-i-say-it.md has more"
_LONGEST: Final = 10_000
"""So many characters of a text are looked at: rules stand soon."""

LANGUAGES: Final = (
    OtherLanguage(
        "SHACL",
        re.compile(r"(?:^|\s)(sh:(?:NodeShape|PropertyShape|TripleRule|SPARQLRule)\b)"),
        f"a rule derives what a shape reports, as ?x # ex:Bad :- …; {_PAGE}",
    ),
    OtherLanguage(
        "SWRL",
        re.compile(r"(swrl:Imp\b|\bImp\(|\?\w+\s*\)\s*(?:\^|∧)\s*\w)"),
        f"write the head first: ?x[ex:p -> ?y] :- And( ?x # ex:C ?x[ex:q -> ?y] ); {_PAGE}",
    ),
    OtherLanguage(
        "RDFox's Datalog",
        re.compile(r"(\[\s*\?\w+\s*,[^\]\n]{0,200}\])"),
        f"write ?x[ex:p -> ?y] for [?x, ex:p, ?y]; {_PAGE}",
    ),
    OtherLanguage(
        "N3",
        re.compile(r"(?:\}|\btrue|\bfalse)\s*(=>|<=|log:implies\b)\s*(?:\{|(?:true|false)\b)"),
        f"write {{ B }} => {{ H }} as Forall … ( H :- And( B ) ); {_PAGE}",
    ),
    OtherLanguage(
        "Jena",
        re.compile(r"\(\s*\??\w[^()\n]{0,200}\)\s*(->|<-)\s*[\[(\w]"),
        f"r4 run, check and convert read forward rules, [r: (?x ex:p ?y) -> …; {_PAGE}",
    ),
    OtherLanguage(
        "SPARQL",
        re.compile(
            r"(?:^|[\s>])(CONSTRUCT|SELECT|ASK|DESCRIBE|INSERT|DELETE|REGISTER)\s+"
            r"(?:[{?*<]|(?:DISTINCT|WHERE|DATA|QUERY|STREAM)\b)",
            re.IGNORECASE,
        ),
        f"r4 run, check and convert read queries, in files that end in .rq at any rate; {_PAGE}",
    ),
    OtherLanguage(
        "Datalog",
        re.compile(r"(?:^|\n)[ \t]*([A-Za-z]\w{0,99}\([A-Z]\w{0,99}(?:, ?\w{1,99}){0,20}\)\s*:-)"),
        f"r4 mtl reads Datalog with metric operators; in RIF write ex:p(?x) for p(X); {_PAGE}",
    ),
)


def other_language(text: str) -> tuple[OtherLanguage, int, int] | None:
    """The language that ``text`` looks to be in, and the place of what tells it; None: none."""
    beginning = text[:_LONGEST]
    for language in LANGUAGES:
        found = language.looks.search(beginning)
        if found is not None:
            return language, found.start(1), found.end(1)
    return None
