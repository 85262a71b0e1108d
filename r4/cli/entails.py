"""``r4 entails``: does a premise entail a conclusion?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import click
import numpy as np

from r4.cli.common import LIMIT, NO, RULES_REFUSED, read_bytes, say
from r4.cli.imports import import_options, locations, read_closure
from r4.conclusion import as_formula
from r4.entails import MOST, Premise, Verdict, entails
from r4.faults import Counters
from r4.files import plain_suffix
from r4.imports import Closure, Locations, load_graphs
from r4.imports.graphs import graph_at, read
from r4.imports.locations import Place
from r4.imports.profiles import Profile
from r4.meaning import background_of, regimes_of
from r4.outside import told
from r4.rdf import SUFFIXES
from rete.delta import Rows
from rete.dictionary import Dictionary
from rif import ast
from rif.datatypes import KNOWN
from rif.errors import RuleErrors
from rif.reading import parse_bytes, parse_conclusion
from rif.terms import OWL
from rif.unparse import unparse_formula

_RULES: Final = {".rif", ".rifps"}
_NO_DATATYPE: Final = "none"
_IMPORTS: Final = f"<{OWL}imports>"
_BEGINS = re.compile(
    rb"\s*(?:Document|Group|And|Or|Exists|External|\(\*)\b|\s*\(\*|.{0,4096}www\.w3\.org/2007/rif#",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Question:
    """What the command line says beside the two documents."""

    where: Locations
    entailment: str
    recognised: frozenset[str] | None

    def background(self, profile: Profile | None) -> ast.Document | None:
        return background_of(self.entailment, profile, self.recognised)

    def has_owl(self, profile: Profile | None) -> bool:
        return "owl-rl" in regimes_of(self.entailment, profile)


@click.command()
@click.argument("premise")
@click.argument("conclusion")
@import_options
@click.option(
    "--entailment",
    type=click.Choice(["none", "simple", "rdf", "rdfs", "d", "owl-rl"]),
    default="none",
    help="What the vocabulary of graphs means, beside what imports say.",
)
@click.option(
    "--recognise",
    multiple=True,
    metavar="IRI",
    help="A datatype whose literals have a meaning; without it all that are known have. "
    f"{_NO_DATATYPE}: none has.",
)
@click.option("--limit", type=click.IntRange(1), default=MOST, help="The most facts to derive.")
@click.option("--strict-builtins", is_flag=True, help="Say what was outside a built-in's domain.")
def command(  # noqa: PLR0913, PLR0917 - the options of the command
    premise: str,
    conclusion: str,
    import_map: tuple[str, ...],
    import_root: str | None,
    entailment: str,
    recognise: tuple[str, ...],
    limit: int,
    *,
    strict_builtins: bool,
) -> int:
    """Say whether PREMISE entails CONCLUSION: yes (exit 0) or no (exit 1).

    Either is a RIF document or condition in either syntax, or an RDF graph. Exit 3 if one of them
    is refused, 5 if the premise has no end within the limit and the answer is not found by then.
    """
    if premise == conclusion == "-":
        message = "standard input can be read once"
        raise click.UsageError(message)
    where = locations(import_map, import_root)
    recognised = frozenset(recognise or KNOWN) - {_NO_DATATYPE}
    question = _Question(where, entailment, recognised)
    try:
        found = _ask(premise, conclusion, question, limit)
    except RuleErrors as errors:
        say(errors.report())
        return RULES_REFUSED
    if found is None:
        return RULES_REFUSED
    if strict_builtins:
        for line in told(found.outside):
            say(line)
        if found.outside and not found.holds:
            say("the standard leaves open what holds there; here nothing follows from it")
    return _answer(found, limit)


def _answer(verdict: Verdict, limit: int) -> int:
    if verdict.holds is None:
        say(f"not known: more than {limit:,} facts were derived; --limit allows more")
        return LIMIT
    if verdict.inconsistent:
        say("the premise is inconsistent, so it entails everything")
    elif not verdict.holds:
        missing = [goal for goal, met in zip(verdict.goals, verdict.met, strict=True) if not met]
        for goal in missing[:_SHOWN]:
            say(f"does not follow: {' '.join(unparse_formula(goal).split())}")
        if len(missing) > _SHOWN:
            say(f"and {len(missing) - _SHOWN} more")
    click.echo("yes" if verdict.holds else "no")
    return 0 if verdict.holds else NO


_SHOWN: Final = 3


def _ask(premise: str, conclusion: str, question: _Question, limit: int) -> Verdict | None:
    """The verdict; None: something is refused, and that is said."""
    given = _premise(premise, question)
    if given is None:
        return None
    prefixes = dict(given.documents[0].prefixes) if given.documents else {}
    if not _is_rule_text(conclusion):
        terms = Dictionary()
        rows = read(graph_at(Place.of(conclusion), 0, Profile.SIMPLE, ast.NOWHERE), terms)
        return entails(given, as_formula(rows, terms, headers=not given.same_as), most=limit)
    data = read_bytes(conclusion)
    if data is None:
        return None
    name = "<stdin>" if conclusion == "-" else conclusion
    wanted = parse_conclusion(data, name=name, prefixes=prefixes)
    try:
        return entails(given, wanted, most=limit)
    except RuleErrors as errors:
        raise RuleErrors(errors.errors, "", name) from None


def _premise(path: str, question: _Question) -> Premise | None:
    if not _is_rule_text(path):
        return Premise(
            background=question.background(None),
            triples=_graph(path, question),
            same_as=question.has_owl(None),
        )
    data = read_bytes(path)
    if data is None:
        return None
    parsed = parse_bytes(data, name="<stdin>" if path == "-" else path)
    if parsed.warnings:
        say(parsed.report(path))
    closure = read_closure(parsed, path, question.where, 1, lenient=False)
    if closure is None:
        return None
    return Premise(
        closure.documents,
        question.background(closure.profile),
        _graphs(closure),
        question.has_owl(closure.profile),
    )


def _graphs(closure: Closure) -> Callable[[Dictionary], Iterator[Rows]]:
    def triples(terms: Dictionary) -> Iterator[Rows]:
        loaded = load_graphs(closure, terms, Counters())
        for warning in loaded.warnings:
            say(warning.report())
        yield loaded.rows

    return triples


def _graph(path: str, question: _Question) -> Callable[[Dictionary], Iterator[Rows]]:
    """The triples of a graph and, under OWL, of what it imports and the catalogue has."""

    def triples(terms: Dictionary) -> Iterator[Rows]:
        waiting, seen = [Place.of(path)], set[str]()
        while waiting:
            place = waiting.pop()
            if place.key in seen:
                continue
            seen.add(place.key)
            rows = read(graph_at(place, len(seen), Profile.SIMPLE, ast.NOWHERE), terms)
            yield rows
            if question.has_owl(None):
                waiting += _imported(rows, terms, question.where)

    return triples


def _imported(rows: Rows, terms: Dictionary, where: Locations) -> Iterator[Place]:
    objects = np.unique(rows[rows[:, 1] == terms.lookup(_IMPORTS), 2])
    for text in terms.decode_many(objects):
        iri = text.removeprefix("<").removesuffix(">")
        if file := where.catalogue.get(iri):
            yield Place.of(str(file), iri)
        else:
            say(f"{text} is imported, but not read: give it with --import-map IRI=FILE")


def _is_rule_text(path: str) -> bool:
    """Is it RIF, and not an RDF graph? By the suffix or, where that is open, by how it begins."""
    suffix = plain_suffix(path)
    if path == "-" or suffix in _RULES:
        return True
    if suffix in SUFFIXES and suffix != ".xml":
        return False
    data = read_bytes(path)
    return data is not None and _BEGINS.match(data) is not None
