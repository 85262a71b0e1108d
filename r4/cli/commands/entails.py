"""``r4 entails``: decides whether a premise entails a conclusion."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

import click
import numpy as np

from r4.cli.options.declared_options import with_options
from r4.cli.options.document_argument import DocumentArgument
from r4.cli.options.iri_names import IriNames
from r4.cli.options.rule_documents import (
    compile_closure,
    locations,
    may_not_end,
    read_closure,
    say_unused,
)
from r4.cli.terminal.console import LIMIT, NO, RULES_REFUSED, refuse, say
from r4.entailment.decision import MOST, Premise, Verdict, entails
from r4.entailment.query_parts import NoPremise, as_formula
from r4.errors import Counters
from r4.imports import Closure, Locations, load_graphs
from r4.imports.errors import StreamNotRead
from r4.imports.graph_documents import GraphDocument, graph_at, read_graph
from r4.imports.locations import DocumentPlace
from r4.imports.profiles import Profile
from r4.imports.rdf_lists import identify
from r4.language import LANGUAGE
from r4.options.option import Topic, argument, flag, option, several
from r4.options.shared_options import ImportOptions, LimitOptions, PrefixOptions
from r4.options.values import MemoryOptions, byte_count
from r4.program.regimes.background import background_of, regimes_of
from r4.rdf.files import ReadingBounds
from r4.run.notes import domain_error_lines
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows
from rete.memory_limit import MemoryLimit
from rete.terms.dictionary import Dictionary
from rif.checks.document import ParsedDocument
from rif.errors.base import NOWHERE, RuleError
from rif.errors.nearest import nearest_word
from rif.errors.report import RuleErrors
from rif.parser import parse_bytes, parse_conclusion, parse_either
from rif.syntax import ast
from rif.syntax.iri import local_name
from rif.syntax.terms import OWL, RDF, XSD
from rif.text.writer import unparse_formula
from rif.values.datatypes import KNOWN, OPAQUE

_NONE: Final = "none"
_NAMED: Final = KNOWN | OPAQUE | {RDF + "PlainLiteral", XSD + "string"}


def _near(iri: str) -> str:
    """``; did you mean …?``, or nothing."""
    by_name = {local_name(known).lower(): known for known in sorted(_NAMED)}
    near = nearest_word(local_name(iri).lower(), by_name)
    return "" if near is None else f"; did you mean {by_name[near]}?"


_IMPORTS: Final = f"<{OWL}imports>"
_SHOWN: Final = 3
_NO_NAME: Final = RuleErrors([]).name


@dataclass(frozen=True, kw_only=True)
class EntailsOptions(PrefixOptions, LimitOptions, MemoryOptions, ImportOptions):
    """All options of ``r4 entails``."""

    recognised: tuple[str, ...] = several(
        "A datatype whose literals have a meaning; without it all that are known have. "
        f"{_NONE}: none has.",
        Topic.RULES,
        spelling="--recognise",
        metavar="IRI",
    )
    premise: str = argument()
    conclusion: str = argument()
    entailment: Literal["none", "simple", "rdf", "rdfs", "d", "owl-rl"] = option(
        "What the vocabulary of graphs means, beside what imports say.",
        Topic.RULES,
        shows_default=True,
        default="none",
    )
    strict_builtins: bool = flag("Say what was outside a built-in's domain.", Topic.COMMAND)

    def background(self, profile: Profile | None, iri_names: IriNames) -> ast.Document | None:
        """What the vocabularies mean."""
        iris = [iri_names.expand(name) for name in self.recognised]
        for iri in iris:
            if iri != _NONE and iri not in _NAMED:
                refuse(f"--recognise {iri}: no such datatype is known{_near(iri)}")
        return background_of(self.entailment, profile, frozenset(iris or KNOWN) - {_NONE})

    def has_owl(self, profile: Profile | None) -> bool:
        """Whether OWL is among the regimes."""
        return "owl-rl" in regimes_of(self.entailment, profile)


@click.command()
@with_options(EntailsOptions)
def command(options: EntailsOptions) -> int:
    """Say whether PREMISE entails CONCLUSION: yes (exit 0) or no (exit 1).

    PREMISE is a RIF document in either syntax, or an RDF graph; CONCLUSION may be a RIF condition,
    too. Exit 3 if one of them is refused, 5 if the premise has no end within the limit or the
    memory and the answer is not found by then.
    """
    premise, conclusion = options.premise, options.conclusion
    if premise == conclusion == "-":
        refuse("standard input can be read once")
    premise_doc, goal_doc = DocumentArgument.of(premise), DocumentArgument.of(conclusion)
    if premise_doc is None or goal_doc is None:
        return RULES_REFUSED
    try:
        found = _ask(premise_doc, goal_doc, options)
    except RuleErrors as errors:
        say(errors.report())
        return RULES_REFUSED
    if found is None:
        return RULES_REFUSED
    if options.strict_builtins:
        for line in domain_error_lines(found.outside):
            say(line)
        if found.outside and not found.holds:
            say("the standard leaves open what holds there; here nothing follows from it")
    return _answer(found, options.limit or MOST)


def _answer(verdict: Verdict, limit: int) -> int:
    if verdict.holds is None:
        say(f"not known: more than {limit:,} facts were derived; --limit allows more")
        return LIMIT
    if verdict.inconsistent:
        say("the premise is inconsistent, so it entails everything")
    elif not verdict.holds:
        missing = [goal for goal, met in zip(verdict.goals, verdict.met, strict=True) if not met]
        for goal in missing[:_SHOWN]:
            say(f"does not follow: {' '.join(unparse_formula(goal, language=LANGUAGE).split())}")
        if len(missing) > _SHOWN:
            say(f"and {len(missing) - _SHOWN} more")
    click.echo("yes" if verdict.holds else "no")
    return 0 if verdict.holds else NO


def _ask(
    premise_doc: DocumentArgument, goal_doc: DocumentArgument, options: EntailsOptions
) -> Verdict | None:
    """The verdict; None: a document is refused, which is reported."""
    closure, endless = None, False
    memory = None if options.memory is None else byte_count(options.memory)
    bounds = MemoryLimit(memory)
    parsed = _document(premise_doc) if premise_doc.is_rules else None
    declared = IriNames.of(None if parsed is None else parsed.document)
    iri_names = declared.with_prefixes(options.prefixes)
    where = locations(options.import_map, options.import_root, iri_names)
    if parsed is not None:
        if parsed.warnings:
            say(parsed.report(premise_doc.name))
        closure = read_closure(parsed, premise_doc.path, where, 1, lenient=False)
        if closure is None:
            return None
        endless = may_not_end(parsed, closure)
        notes = [
            StreamNotRead(f"{each.path} is a stream, which is not read") for each in closure.streams
        ]
        if notes:
            say(RuleErrors(notes, name=premise_doc.name).report())
        premise = Premise(
            closure.documents,
            options.background(closure.profile, iri_names),
            partial(_graphs, closure, bounds),
            options.has_owl(closure.profile),
        )
    else:
        same_as = options.has_owl(None)
        triples = partial(_graph, premise_doc, where, same_as, bounds)
        premise = Premise((), options.background(None, iri_names), triples, same_as)
    formula = _conclusion_of(goal_doc, premise, options, bounds)
    try:
        most = options.limit or (MOST if endless else sys.maxsize)
        found = entails(premise, formula, most=most, memory=memory)
    except RuleErrors as errors:
        if errors.name != _NO_NAME:  # of a graph of the premise, which is read only now
            raise
        if closure is not None and _is_refused(closure, premise):
            return None
        raise RuleErrors(errors.errors, goal_doc.text, goal_doc.name) from None
    if closure is None:
        say_unused(where)
    return found


def _document(premise_doc: DocumentArgument) -> ParsedDocument:
    assert premise_doc.data is not None
    try:
        return parse_bytes(premise_doc.data, name=premise_doc.name, language=LANGUAGE)
    except RuleErrors as errors:
        found = None
        with suppress(RuleErrors):
            found = parse_either(
                premise_doc.data, name=premise_doc.name, check=False, language=LANGUAGE
            )
        if not isinstance(found, ast.Formula):
            raise errors from None
        fault = NoPremise("a condition is no premise", found.span)
        raise RuleErrors([fault], premise_doc.text, premise_doc.name) from None


def _is_refused(closure: Closure, premise: Premise) -> bool:
    """Whether the premise has faults, which are reported; its Window does not count here."""
    main, *imported = closure.documents
    without_window = replace(closure, documents=(replace(main, window=None), *imported))
    return compile_closure(without_window, TimeScale(), premise.background) is None


def _conclusion_of(
    goal_doc: DocumentArgument, premise: Premise, options: EntailsOptions, bounds: ReadingBounds
) -> ast.Formula | ast.Document:
    if goal_doc.is_rules:
        assert goal_doc.data is not None
        known = dict(premise.documents[0].prefixes) if premise.documents else {}
        return parse_conclusion(
            goal_doc.data,
            name=goal_doc.name,
            prefixes={**known, **options.prefixes},
            language=premise.language,
        )
    terms = Dictionary()
    return as_formula(
        read_graph(goal_doc.graph(0), terms, bounds), terms, headers=not premise.same_as
    )


def _graphs(closure: Closure, bounds: ReadingBounds, terms: Dictionary) -> Iterator[Rows]:
    loaded = load_graphs(closure, terms, Counters(), bounds)
    for warning in loaded.warnings:
        say(warning.report())
    yield loaded.rows


def _graph(
    premise_doc: DocumentArgument,
    where: Locations,
    imports: bool,  # noqa: FBT001 - by position in a partial
    bounds: ReadingBounds,
    terms: Dictionary,
) -> Iterator[Rows]:
    """The triples of a graph and, with ``imports``, of what it imports and the catalogue has.

    As in imported graphs, lists are terms.
    """
    graphs, seen = [premise_doc.graph(1)], set[str]()
    found: list[Rows] = []
    for graph in graphs:  # which grows
        rows = read_graph(graph, terms, bounds)
        found.append(rows)
        if imports:
            seen.add(DocumentPlace.of(graph.path).key)
            graphs += _imported(rows, terms, where, seen, len(graphs) + 1)
    rows, left = identify(np.ascontiguousarray(np.concatenate(found)), terms)
    if left:
        say(f"{premise_doc.name}: {left} nodes of RDF lists are too long to be lists")
    yield rows


def _imported(
    rows: Rows, terms: Dictionary, where: Locations, seen: set[str], number: int
) -> Iterator[GraphDocument]:
    """The graphs that a graph imports and that were not ``seen``, numbered from ``number``.

    Raises:
        RuleErrors: one of them cannot be read.
    """
    objects = np.unique(rows[rows[:, 1] == terms.lookup(_IMPORTS), 2])
    for text in terms.decode_many(objects):
        iri = text.removeprefix("<").removesuffix(">")
        file = where.catalogue.get(iri)
        if file is None:
            say(f"{text} is imported, but not read: give it with --import-map IRI=FILE")
            continue
        place = DocumentPlace.of(str(file), iri)
        if place.key in seen:
            continue
        seen.add(place.key)
        try:
            yield graph_at(place, number, NOWHERE)
        except RuleError as fault:
            raise RuleErrors([fault], name=place.path) from None
        number += 1
