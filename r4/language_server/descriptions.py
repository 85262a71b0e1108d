"""What is known of built-ins and keywords, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from r4.language import LANGUAGE
from rif.builtins.signatures import Builtin, Signature

AGGREGATES: Final[Mapping[str, str]] = {
    "count": "`count{ ?v [?s] | F }`: the number of solutions of F, for each ?s.",
    "sum": "`sum{ ?v [?s] | F }`: the exact sum of the ?v of all solutions, rounded once.",
    "avg": "`avg{ ?v [?s] | F }`: the mean of the ?v of all solutions, rounded once.",
    "min": "`min{ ?v [?s] | F }`: the least ?v.",
    "max": "`max{ ?v [?s] | F }`: the greatest ?v.",
    "median": "`median{ ?v [?s] | F }`: the middle ?v, or the mean of the two in the middle.",
    "quantile": "`quantile 0.95{ ?v [?s] | F }`: the least ?v that so many of all do not exceed.",
    "stddev": "`stddev{ ?v [?s] | F }`: the sample standard deviation of two or more ?v.",
    "list": "`list{ ?v ?o [?s] | F }`: the list of all ?v, ordered by ?o.",
    "first": "`first{ ?v ?o [?s] | F }`: the ?v with the least ?o; `first 3{ … }`: a list.",
    "last": "`last{ ?v ?o [?s] | F }`: the ?v with the greatest ?o; `last 3{ … }`: a list.",
}
"""Word of an aggregate → how it is written, and what it gives."""

WORDS: Final[Mapping[str, str]] = {
    "And": "`And( F … )`: all of them hold; `And()` is true. In a body `F, G` is short for it.",
    "Or": "`Or( F … )`: one of them holds; `Or()` is false.",
    "Exists": "`Exists ?x … ( F )`: F holds for some value of ?x.",
    "Forall": "`Forall ?x … ( clause )`: a rule; without it the variables of a clause are meant.",
    "External": "`External( p(t …) )`: a call of a built-in; the word may be left out.",
    "List": "`List( t … )`: a list.",
    "If": "`If body Then head`: the same as `head :- body`.",
    "Then": "`If body Then head`: the same as `head :- body`.",
    "not": "`not F`: F does not hold; variables of this F alone are quantified in it.",
    "DiamondMinus": "`DiamondMinus [0 s, 5 m] ( F )`: F held at some time so long ago.",
    "DiamondPlus": "`DiamondPlus [0 s, 5 m] ( F )`: F will hold at some time so far ahead.",
    "BoxMinus": "`BoxMinus [0 s, 5 m] ( F )`: F held at all times so long ago.",
    "BoxPlus": "`BoxPlus [0 s, 5 m] ( F )`: F will hold at all times so far ahead.",
    "Since": "`Since [0 s, 5 m] ( F G )`: G held at some time so long ago, and F ever since.",
    "Until": "`Until [0 s, 5 m] ( F G )`: G will hold at some time so far ahead, and F up to it.",
    "Document": "`Document( directives Group( … ) )`: a document of plain RIF.",
    "Group": "`Group( … )`: rules, facts and groups.",
    "Base": "`Base( <iri> )`: what relative IRIs are resolved against.",
    "Prefix": "`Prefix( p <iri> )`: p:name is short for the IRI with the name behind it.",
    "Import": "`Import( <location> )`: rules of another document; with a profile a graph.",
    "Window": "`Window( 5 s )`: how long an element without an end holds.",
    "@prefix": "`@prefix ex: <iri> .`: ex:name is short for the IRI with the name behind it.",
    "@base": "`@base <iri> .`: what relative IRIs are resolved against.",
    "@window": "`@window 5 s .`: how long an element without an end holds.",
    "@import": "`@import <location> .`: rules of another document; with a profile a graph.",
}
"""Word of the grammar, or of metric time → how it is written, and what it means."""

_OF_KINDS: Final = {
    word: kind
    for word, kind in LANGUAGE.by_keyword.items()
    if word not in WORDS and word.lower() != "aggregate"
}
"""The kinds of formula that their docstring describes; aggregates have words of their own."""

KEYWORDS: Final = (*WORDS, *_OF_KINDS, *AGGREGATES)
"""All words that have a description."""


def keyword(word: str) -> str | None:
    """What a keyword means, in Markdown; None: it is none."""
    if word in _OF_KINDS:
        first, _, _ = (_OF_KINDS[word].node.__doc__ or "").partition("\n\n")
        return " ".join(first.replace("``", "`").split())
    return WORDS.get(word) or AGGREGATES.get(word)


def arguments(builtin: Builtin | Signature) -> str:
    """How many it takes: ``2``, ``2 or 3``, ``1 or more``."""
    if builtin.most is None:
        return f"{builtin.least} or more"
    few, many = builtin.least, builtin.most
    return str(few) if few == many else f"{few} or {many}"


def docstring(thing: object) -> str:
    """The docstring of a class or function, in one line of Markdown."""
    return " ".join((thing.__doc__ or "").replace("``", "`").split())
