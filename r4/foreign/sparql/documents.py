"""A query of SPARQL as a rule document."""

from __future__ import annotations

from urllib.parse import quote

import rdflib

from r4.foreign.errors import NotReadable, SaidByOption
from r4.foreign.formulas import depth, prefixes_of
from r4.foreign.sparql.continuous import ContinuousQuery
from r4.foreign.sparql.patterns import PatternTranslation, WindowContent
from r4.foreign.sparql.query_parser import DEEP, parse_query
from r4.foreign.sparql.query_text import QueryWords
from r4.foreign.sparql.rules import ANSWER, rules_of
from r4.foreign.sparql.solutions import FreshNames
from r4.foreign.sparql.tokens import tokens
from r4.foreign.sparql.windows import windows_of
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import RuleError
from rif.errors.dialect import NegationAsFailure
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax import ast
from rif.syntax.iri import is_absolute
from rif.syntax.lexical import MAX_DEPTH
from rif.syntax.traversal import formulas_of


def parse_sparql(text: str, *, name: str, check: bool, language: Language) -> ParsedDocument:
    """The rules of the query that ``text`` holds.

    Raises:
        RuleErrors: it is no query, or has what no rule says.
    """
    try:
        document, warnings = _document(text, language)
    except RuleError as fault:
        raise RuleErrors([fault], text, name) from None
    except RecursionError:
        raise RuleErrors([NotReadable(DEEP)], text, name) from None
    parsed = check_parsed(document, warnings, text, name, check=check, language=language)
    kept = [each for each in parsed.warnings if not isinstance(each, NegationAsFailure)]
    return ParsedDocument(parsed.document, tuple(kept), text, language)


def _document(text: str, language: Language) -> tuple[ast.Document, list[RuleError]]:
    continuous = ContinuousQuery.of(text)
    windows = windows_of(continuous)
    text = continuous.text
    words = QueryWords(text)
    place = words.first("CONSTRUCT", "SELECT", "ASK", "DESCRIBE")
    query = parse_query(text)
    taken = [token.text[1:] for token in tokens(text) if token.kind == "variable"]
    seen = [name for name in taken if name not in continuous.asked]
    columns = dict.fromkeys(seen) if query.is_star else map(str, query.PV or ())
    query.columns = [name for name in columns if rdflib.Variable(name) in (query.PV or ())]
    graphs = {str(each.named): WindowContent() for each in query.datasetClause or () if each.named}
    translation = PatternTranslation(
        FreshNames(taken),
        language.builtins,
        place,
        words,
        called=query.called,
        base=query.base,
        windows={**graphs, **windows.content},
    )
    warnings = list(windows.warnings)
    for clause in query.datasetClause or ():
        iri = clause.default or clause.named
        message = f"FROM <{iri}> is not read: no connection is opened"
        hint = "give the file of the graph as --static FILE; all such files are one graph"
        warnings.append(SaidByOption(message, words.first("FROM"), hint))
    found = rules_of(query, translation, _predicate(continuous.name))
    if any(depth(part) > MAX_DEPTH for each in found.rules for part in formulas_of(each)):
        raise NotReadable(DEEP, place)
    group = ast.Group(found.rules)
    prefixes = prefixes_of(found.rules, query.prefixes)
    document = ast.Document(prefixes=prefixes, window=windows.document, group=group)
    return document, [*warnings, *found.warnings]


def _predicate(name: str) -> str:
    """The predicate of the rows of a query that is registered by this name."""
    if not name:
        return ANSWER
    return name if is_absolute(name) else f"{ANSWER}#{quote(name)}"
