"""Rules of Jena as a rule document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from r4.foreign.errors import LeftOut, NoCounterpart, SaidByOption
from r4.foreign.formulas import conjunction, prefixes_of, rule
from r4.foreign.jena.built_ins import IGNORED, condition
from r4.foreign.jena.parser import KNOWN_PREFIXES, Call, JenaRule, Triple, parse_file
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import RuleError, Span
from rif.errors.dialect import NegationAsFailure
from rif.language import Language
from rif.syntax import ast
from rif.syntax.terms import IRI
from rif.syntax.traversal import free_variables

RULE: Final = "urn:r4:rule#"
"""How the IRI of a rule begins that has a name; the name follows."""

_REGIMES: Final = {"rdfs": "rdfs", "owl": "owl-rl", "owlmicro": "owl-rl", "owlmini": "owl-rl"}


def parse_jena(text: str, *, name: str, check: bool, language: Language) -> ParsedDocument:
    """The rules that ``text`` holds.

    Raises:
        RuleErrors: they cannot be read, or say what R4 cannot; all such faults.
    """
    file = parse_file(text)
    faults = list(file.faults)
    faults += [_include(location, span) for location, span in file.includes]
    found: list[ast.Rule] = []
    for each in file.rules:
        try:
            found += _rule(each, faults)
        except RuleError as fault:
            faults.append(fault)
    prefixes = {**_used(text), **file.prefixes}
    document = ast.Document(
        prefixes=prefixes_of(found, prefixes.items()), group=ast.Group(tuple(found))
    )
    parsed = check_parsed(document, faults, text, name, check=check, language=language)
    kept = [each for each in parsed.warnings if not isinstance(each, NegationAsFailure)]
    return ParsedDocument(parsed.document, tuple(kept), text, language)


def _used(text: str) -> dict[str, str]:
    """The prefixes that need no declaration and are used."""
    return {name: iri for name, iri in KNOWN_PREFIXES.items() if f"{name}:" in text}


def _include(location: str, span: Span) -> RuleError:
    regime = _REGIMES.get(location.lower())
    if regime is not None:
        message = f"@include <{location}> is not read"
        return SaidByOption(message, span, f"--entailment {regime} has these rules")
    message = f"@include <{location}> is not read"
    hint = "in RIF, Document( Import(<a.rules>) Import(<b.rules>) ) puts files together"
    return NoCounterpart(message, span, hint)


def _rule(given: JenaRule, faults: list[RuleError]) -> Iterator[ast.Rule]:
    """The rule, or fact, that a rule of Jena is; none if it derives nothing."""
    triples = [_frame(each) for each in given.body if isinstance(each, Triple)]
    bound = {name for frame in triples for name in free_variables(frame)}
    known = set(bound)
    for call in _calls(given.body, faults):
        if call.name != "noValue":
            known |= {name for term in call.args for name in _names(term)}
    body = [
        _frame(each) if isinstance(each, Triple) else condition(each, known)
        for each in given.body
        if isinstance(each, Triple) or each.name not in IGNORED
    ]
    head = [_frame(each) for each in given.head if isinstance(each, Triple)]
    for call in _calls(given.head, faults):
        condition(call, known)
        message = f"{call.name} is no conclusion"
        raise NoCounterpart(message, call.span, "conclude triples")
    if not head:
        return
    meta = ast.Meta(IRI(RULE + given.name)) if given.name else None
    if not body:
        yield from (replace(each, meta=meta) for each in head)
        return
    made = rule(head, [conjunction(body)])
    if isinstance(made, ast.Forall):
        clause = replace(made.clause, span=given.span)
        yield replace(made, clause=clause, span=given.span, meta=meta)
    else:
        yield replace(made, span=given.span, meta=meta)


def _calls(terms: tuple[Triple | Call, ...], faults: list[RuleError]) -> Iterator[Call]:
    """The calls of built-ins that derive something; of the others it is said that they do not."""
    for each in terms:
        if isinstance(each, Triple):
            continue
        if each.name in IGNORED:
            message = f"{each.name} derives nothing, and is left out"
            faults.append(LeftOut(message, each.span, IGNORED[each.name]))
        else:
            yield each


def _frame(triple: Triple) -> ast.Frame:
    subject, key, value = triple.terms
    return ast.Frame(subject, ((key, value),), span=triple.span)


def _names(term: ast.Term) -> list[str]:
    return [term.value.name] if isinstance(term, ast.Var) else []
