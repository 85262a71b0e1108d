"""A query of SPARQL as a rule document."""

from __future__ import annotations

import rdflib

from r4.foreign.errors import SaidByOption
from r4.foreign.formulas import prefixes_of
from r4.foreign.sparql.patterns import PatternTranslation
from r4.foreign.sparql.query_parser import parse_query
from r4.foreign.sparql.query_text import QueryWords, tokens
from r4.foreign.sparql.rules import rules_of
from r4.foreign.sparql.solutions import FreshNames
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import RuleError
from rif.errors.dialect import NegationAsFailure
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax import ast


def parse_sparql(text: str, *, name: str, check: bool, language: Language) -> ParsedDocument:
    """The rules of the query that ``text`` holds.

    Raises:
        RuleErrors: it is no query, or has what no rule says.
    """
    try:
        document, warnings = _document(text, language)
    except RuleError as fault:
        raise RuleErrors([fault], text, name) from None
    parsed = check_parsed(document, warnings, text, name, check=check, language=language)
    kept = [each for each in parsed.warnings if not isinstance(each, NegationAsFailure)]
    return ParsedDocument(parsed.document, tuple(kept), text, language)


def _document(text: str, language: Language) -> tuple[ast.Document, list[RuleError]]:
    words = QueryWords(text)
    place = words.first("CONSTRUCT", "SELECT", "ASK", "DESCRIBE")
    query = parse_query(text)
    taken = [token.text[1:] for token in tokens(text) if token.kind == "variable"]
    query.columns = [
        name for name in dict.fromkeys(taken) if rdflib.Variable(name) in (query.PV or ())
    ]
    translation = PatternTranslation(FreshNames(taken), language.builtins, place, words)
    warnings: list[RuleError] = []
    for clause in query.datasetClause or ():
        iri = clause.default or clause.named
        message = f"FROM <{iri}> is not read: no connection is opened"
        hint = "give the file of the graph as --static FILE"
        warnings.append(SaidByOption(message, words.first("FROM"), hint))
    found = rules_of(query, translation)
    group = ast.Group(found.rules)
    prefixes = prefixes_of(found.rules, query.prefixes)
    return ast.Document(prefixes=prefixes, group=group), [*warnings, *found.warnings]
