"""A query as rdflib's algebra: read, with places, and with the same names each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from logging import LogRecord, getLogger
from typing import Final

import rdflib
from pyparsing import ParseException, ParseResults
from rdflib.plugins.sparql import parser
from rdflib.plugins.sparql.algebra import translateQuery, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.errors import NoCounterpart, NotReadable
from r4.foreign.sparql.query_text import QueryWords
from rif.errors.report import shorten

_UPDATES: Final = ("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE")
DEEP: Final = "it is nested too deeply"


def parse_query(text: str, base: str | None = None) -> CompValue:
    """The algebra of a query; ``text`` has the prologue, too. Blank nodes are numbered.

    It knows its ``prefixes`` and ``base``, the functions that are ``called`` by an IRI, and
    whether it ``is_star``.

    Raises:
        NotReadable: it is no query of SPARQL 1.1.
        NoCounterpart: it is an update.
    """
    with _by_the_letter():
        return _parse(text, base)


@contextmanager
def _by_the_letter() -> Iterator[None]:
    """Meanwhile rdflib keeps literals as they are written, and logs none that is ill-typed."""
    logger = getLogger("rdflib.term")
    logger.addFilter(_none)
    normalizes, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    negated, parser.neg = parser.neg, _negated  # that of rdflib knows no decimals
    try:
        yield
    finally:
        parser.neg = negated
        rdflib.NORMALIZE_LITERALS = normalizes
        logger.removeFilter(_none)


def _negated(literal: rdflib.Literal) -> rdflib.Literal:
    return rdflib.Literal(f"-{literal}", datatype=literal.datatype)


def _none(_: LogRecord) -> bool:
    return False


def _parse(text: str, base: str | None) -> CompValue:
    words = QueryWords(text)
    try:
        tree = parseQuery(text)
    except ParseException as error:
        raise _fault(error, text, words) from None
    except RecursionError:
        raise NotReadable(DEEP, words.first("SELECT", "CONSTRUCT")) from None
    words.mark(tree[1])
    names: dict[rdflib.BNode, rdflib.BNode] = {}

    def numbered(node: object) -> object:
        if isinstance(node, CompValue) and node.name == "GroupAs" and not node.var:
            return traverse(_unwrapped(node.expr), visitPre=numbered)
        if not isinstance(node, rdflib.BNode):
            return None
        return names.setdefault(node, rdflib.BNode(str(len(names) + 1)))

    tree[1] = traverse(tree[1], visitPre=numbered)
    try:
        query = translateQuery(tree, base=base)
    except RecursionError:
        raise NotReadable(DEEP, words.first("SELECT", "CONSTRUCT")) from None
    except Exception as error:  # noqa: BLE001 - rdflib raises it, of unknown prefixes too
        message = shorten(f"{error}" or type(error).__name__, 200)
        raise NotReadable(message, words.first("SELECT", "CONSTRUCT", "ASK")) from None
    algebra: CompValue = query.algebra
    algebra.is_star = not tree[1].projection
    algebra.base = str(query.prologue.base or "")
    algebra.called = _called(algebra)
    algebra.prefixes = sorted((str(prefix), str(iri)) for prefix, iri in _prefixes(tree[0]))
    return algebra


def _unwrapped(expression: object) -> object:
    """``(?s)`` is ``?s``: levels of an expression that do nothing are left out."""
    while isinstance(expression, CompValue) and set(expression) == {"expr"}:
        if expression.name.startswith("Unary"):
            break
        expression = expression.expr
    return expression


def _called(algebra: CompValue) -> frozenset[str]:
    found: list[str] = []

    def look(node: object) -> None:
        if isinstance(node, CompValue) and node.name == "Function":
            found.append(str(node.iri))

    traverse(algebra, visitPre=look)
    return frozenset(found)


def _prefixes(prologue: ParseResults) -> list[tuple[str, str]]:
    return [
        (str(each.prefix or ""), str(each.iri)) for each in prologue if each.name == "PrefixDecl"
    ]


def _fault(error: ParseException, text: str, words: QueryWords) -> NotReadable | NoCounterpart:
    rest = text[error.loc :].split()
    at = min(error.loc, max(len(text) - 1, 0))
    if rest and rest[0].upper() in _UPDATES:
        message = f"{rest[0].upper()} changes a graph, which rules do not: they derive"
        hint = "write CONSTRUCT { … } WHERE { … }; what follows no longer ends by itself"
        return NoCounterpart(message, words.between(at, at + len(rest[0])), hint)
    found = shorten(rest[0]) if rest else "the end"
    message = f"this is no query of SPARQL 1.1, which cannot go on with {found}"
    return NotReadable(message, words.between(at, at + len(rest[0] if rest else "")))
