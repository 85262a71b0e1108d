"""Query parts: a conclusion as conditions that are asked one by one, and must all be true.

A conclusion is closed, so conditions that share no variable are asked apart. Each part becomes a
rule with an atom of its own as head; so the network that closes the premise evaluates it. The
conclusion may also be a graph: blank nodes are its variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import networkx as nx

from r4.program.lookahead import open_range_errors
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from rif.checks.document import check_document
from rif.errors.base import RuleError, Span
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate
from rif.syntax.clauses import split_conjuncts
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, OWL, RDF_TYPE, BlankNode, GroundTerm, Variable, parse_canonical
from rif.syntax.traversal import formulas_of, free_variables, rules
from temporal.metric_rif.events import EventFormula, Every

_GOAL: Final = "urn:r4:goal#"


class NoCondition(RuleError):
    """A conclusion has a rule in it: only facts and conditions can be asked for."""

    code = "R4111"
    default_hint = "ask for facts, or for a condition: And, Or, Exists, …"


class NegationAsked(RuleError):
    """A conclusion has a negation: what does not follow today may follow tomorrow."""

    code = "R4112"
    default_hint = "ask for what is negated, and take a no for an answer; or derive it by a rule"


class NoPremise(RuleError):
    """A condition stands where a premise is due."""

    code = "R4113"
    default_hint = "a premise is a graph or a document: Document( Group( fact … ) )"


class TimeAsked(RuleError):
    """A premise or conclusion has an aggregate, or asks for times: entailment knows neither."""

    code = "R4118"
    default_hint = "r4 run derives it from the same rules and data"


class ImportAsked(RuleError):
    """A conclusion has an import, which is not read."""

    code = "R4115"
    default_hint = "write what is imported into the conclusion, or ask for each document"


def refuse_times(documents: Sequence[ast.Document]) -> None:
    """Refuse aggregates, event times, and ranges that end in variables.

    Raises:
        RuleErrors: there are some.
    """
    faults: list[RuleError] = [
        TimeAsked(f"{_word_of(formula)} has no entailment", formula.span)
        for document in documents
        for rule in rules(document)
        for formula in formulas_of(rule)
        if isinstance(formula, Aggregate | EventFormula | Every)
    ]
    faults += open_range_errors(documents, "in a premise")
    if faults:
        raise RuleErrors(faults)


def _word_of(formula: Aggregate | EventFormula | Every) -> str:
    return formula.function if isinstance(formula, Aggregate) else type(formula).__name__


def query_parts(conclusion: ast.Formula | ast.Document) -> tuple[ast.Formula, ...]:
    """The conditions that ``conclusion`` is the conjunction of; no two share a variable.

    Raises:
        RuleErrors: a document imports, has a rule that is no fact, or a negation stands in it.
    """
    if isinstance(conclusion, ast.Formula):
        negations = [NegationAsked("a negation is no conclusion", s) for s in _nafs(conclusion)]
        if negations:
            raise RuleErrors(negations)
        return tuple(_parts(conclusion))
    found: list[ast.Formula] = []
    faults: list[RuleError] = [
        ImportAsked("a conclusion cannot import", each.span) for each in conclusion.imports
    ]
    for rule in rules(conclusion):
        if isinstance(rule, ast.Formula):
            found += _parts(rule)
        else:
            faults.append(NoCondition("a rule is no condition", rule.span))
    if faults:
        raise RuleErrors(faults)
    return tuple(found)


def _nafs(formula: ast.Formula) -> Iterator[Span]:
    """The places of the negations in a condition, the outermost ones."""
    if isinstance(formula, Naf):
        yield formula.span
    else:
        for part in formula.parts:
            yield from _nafs(part)


def _parts(formula: ast.Formula) -> Iterator[ast.Formula]:
    if not isinstance(formula, ast.Exists):
        for single in split_conjuncts(formula):
            if isinstance(single, ast.Exists):
                yield from _parts(single)
            else:
                yield single
        return
    names = {variable.name for variable in formula.variables}
    linked: nx.Graph[object] = nx.Graph()
    members = list(split_conjuncts(formula.body))
    for place, member in enumerate(members):
        linked.add_node(place)
        linked.add_edges_from((place, name) for name in free_variables(member) if name in names)
    for component in nx.connected_components(linked):
        places = sorted(node for node in component if isinstance(node, int))
        variables = tuple(Variable(name) for name in sorted(set(map(str, component - set(places)))))
        body = ast.And(tuple(members[place] for place in places), span=formula.span)
        if not variables:
            yield from split_conjuncts(body)
        else:
            yield ast.Exists(variables, body, span=formula.span)


def part_relation(number: int) -> Relation:
    """The relation of the atom in the head of the rule of part ``number``."""
    return Relation(str(IRI(f"{_GOAL}{number}")), 0)


def part_rules(parts: tuple[ast.Formula, ...], language: Language) -> ast.Document:
    """A document with a rule for each of ``parts``, which `query_parts` gives.

    Raises:
        RuleErrors: a part cannot be evaluated.
    """
    made = tuple(
        ast.Implies(
            (ast.Atom(IRI(f"{_GOAL}{number}"), ()),),
            part,
            span=part.span,
        )
        for number, part in enumerate(parts)
    )
    document = ast.Document(group=ast.Group(made))
    faults = [fault for fault in check_document(document, language) if fault.severity == "error"]
    if faults:
        raise RuleErrors(faults)
    return document


_HEADER = (IRI(RDF_TYPE), IRI(OWL + "Ontology"))


def as_formula(rows: Rows, terms: Dictionary, *, headers: bool) -> ast.Formula:
    """The condition that the triples (n, 3) state.

    Args:
        rows: ids of ``terms``.
        terms: their dictionary.
        headers: whether ``x rdf:type owl:Ontology`` is asked for; that a document is an ontology
            says nothing about what it describes.
    """
    variables: dict[GroundTerm, Variable] = {}
    frames: list[ast.Formula] = []
    texts = iter(terms.decode_many(rows.ravel()))
    for triple in zip(texts, texts, texts, strict=True):
        terms_of = tuple(map(parse_canonical, triple))
        if headers or terms_of[1:] != _HEADER:
            s, p, o = (_term(each, variables) for each in terms_of)
            frames.append(ast.Frame(s, ((p, o),)))
    body = ast.And(tuple(frames))
    return ast.Exists(tuple(variables.values()), body) if variables else body


def _term(term: GroundTerm, variables: dict[GroundTerm, Variable]) -> ast.Term:
    if not isinstance(term, BlankNode):
        return ast.Constant(term)
    number = len(variables) + 1
    return ast.Var(variables.setdefault(term, Variable(f"b{number}")))
