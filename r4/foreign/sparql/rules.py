"""A query as rules: a CONSTRUCT derives its template, a SELECT an atom for each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import rdflib
from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.errors import LeftOut, NoCounterpart, ReadsItsOwn
from r4.foreign.formulas import holds, negation, placed, rule
from r4.foreign.sparql.aggregation import UNBOUND
from r4.foreign.sparql.patterns import PatternTranslation
from r4.foreign.sparql.resolution import Conditions, conjuncts, resolved
from r4.foreign.sparql.solutions import Case
from r4.foreign.sparql.terms import term_of
from rif.errors.base import NOWHERE, RuleError, Span
from rif.syntax import ast
from rif.syntax.terms import IRI
from rif.syntax.traversal import subformulas

ANSWER: Final = "urn:r4:answer"
"""The predicate of the rows of a SELECT that has no name."""


@dataclass(frozen=True, slots=True)
class QueryRules:
    """The rules of a query, and what is to be said of them."""

    rules: tuple[ast.Rule, ...]
    warnings: tuple[RuleError, ...]


def rules_of(query: CompValue, translation: PatternTranslation, name: str = ANSWER) -> QueryRules:
    """The rules of a query in rdflib's algebra; the rows of a SELECT are atoms of ``name``.

    Raises:
        NoCounterpart: R4 has none for a part of it.
        TooManyCases: it has too many.
    """
    place = translation.place
    found: list[ast.Rule] = []
    match query.name:
        case "ConstructQuery":
            template = _template(query, place)
            found += _construct(template, translation.cases(query.p))
            translation.warnings += _reads_its_own(template, found, place)
        case "SelectQuery":
            columns = [str(each) for each in query.columns or query.PV]
            found += [_row(name, columns, case) for case in translation.cases(query.p)]
        case "AskQuery":
            found += [_row(name, [], case) for case in translation.cases(query.p)]
        case _:
            message = "DESCRIBE asks for what the machine thinks of a thing"
            raise NoCounterpart(message, place, "write CONSTRUCT, which says of what")
    if not found:
        message = "no rule follows from this query: nothing makes it true, or gives its variables"
        translation.warnings.append(LeftOut(message, place))
    rules = tuple(placed(each, place) for each in (*found, *translation.made.all))
    return QueryRules(rules, tuple(translation.warnings))


def _row(name: str, columns: Sequence[str], case: Case) -> ast.Rule:
    row = (
        term_of(rdflib.Variable(column)) if column in case.bound else UNBOUND for column in columns
    )
    return rule([ast.Atom(IRI(name), tuple(row))], case.conditions)


# templates


def _template(query: CompValue, place: Span) -> list[tuple[object, object, object]]:
    """The triples to construct; those of the pattern, if only that is written."""
    triples = query.template
    if triples is None:
        triples = [each for node in _patterns(query.p) for each in node.triples]
        if any(not isinstance(key, rdflib.URIRef | rdflib.Variable) for _, key, _ in triples):
            message = "CONSTRUCT WHERE has no paths"
            raise NoCounterpart(message, place)
    elif any(isinstance(term, rdflib.BNode) for triple in triples for term in triple):
        message = "the template has a blank node, and rules make none"
        raise NoCounterpart(message, place, "name it: BIND(IRI(CONCAT(…)) AS ?node), or an IRI")
    return list(triples)


def _patterns(node: object) -> Iterator[CompValue]:
    if isinstance(node, CompValue):
        if node.name == "BGP":
            yield node
        for each in node.values():
            yield from _patterns(each)


def _construct(
    template: Iterable[tuple[object, object, object]], cases: Iterable[Case]
) -> Iterator[ast.Rule]:
    """The rules: for each condition the triples of which all variables are bound under it."""
    conditions: dict[ast.Formula, list[Conditions]] = {}
    for case in cases:
        known = _positions(case)
        for triple in dict.fromkeys(template):
            if all(str(each) in case.bound for each in triple if isinstance(each, rdflib.Variable)):
                subject, key, value = map(term_of, triple)
                head: ast.Formula = ast.Frame(subject, ((key, value),))
                needed = (*case.conditions, *_guards(subject, key, known))
                conditions.setdefault(head, []).append(conjuncts(needed))
    together: dict[Conditions, list[ast.Formula]] = {}
    for head, bodies in conditions.items():
        for body in resolved(bodies):
            together.setdefault(body, []).append(head)
    return (rule(heads, body) for body, heads in together.items())


def _guards(
    subject: ast.Term, key: ast.Term, known: Mapping[ast.Term, set[str]]
) -> Iterator[ast.Formula]:
    """What makes a triple one of RDF: a subject is no literal, a predicate an IRI."""
    if isinstance(subject, ast.Var) and not known.get(subject):
        yield negation(holds("is-literal", subject))
    if isinstance(key, ast.Var) and "key" not in known.get(key, ()):
        yield holds("is-iri", key)


def _positions(case: Case) -> dict[ast.Term, set[str]]:
    """Where the variables of a case stand in triples that it asks for."""
    found: dict[ast.Term, set[str]] = {}
    for condition in case.conditions:
        for part in _binding_parts(condition):
            if isinstance(part, ast.Frame):
                found.setdefault(part.object, set()).add("subject")
                for key, _ in part.slots:
                    found.setdefault(key, set()).add("key")
    return found


def _binding_parts(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The formulas that are true if a formula is, and bind its variables."""
    if isinstance(formula, ast.And):
        for part in formula.items:
            yield from _binding_parts(part)
    elif len(formula.binding) == 1 and not formula.local and not isinstance(formula, ast.Or):
        yield from _binding_parts(formula.binding[0])
    yield formula


def _reads_its_own(
    template: Sequence[tuple[object, object, object]], found: Sequence[ast.Rule], place: Span
) -> Iterator[RuleError]:
    """The warning of a query whose pattern may match what it constructs."""
    heads = [tuple(map(term_of, triple)) for triple in template]
    for each in found:
        clause = each.clause if isinstance(each, ast.Forall) else each
        if not isinstance(clause, ast.Implies):
            continue
        for part in subformulas(clause.body):
            if not isinstance(part, ast.Frame):
                continue
            for key, value in part.slots:
                if any(_unify(head, (part.object, key, value)) for head in heads):
                    message = "the query may match what it constructs, and goes on with that"
                    yield ReadsItsOwn(message, place if part.span == NOWHERE else part.span)
                    return


def _unify(head: Sequence[ast.Term], pattern: Sequence[ast.Term]) -> bool:
    return all(
        one == two or not (isinstance(one, ast.Constant) and isinstance(two, ast.Constant))
        for one, two in zip(head, pattern, strict=True)
    )
