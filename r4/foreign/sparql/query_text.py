"""The words of a query with their places, so that what is refused can be shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.places import Places
from r4.foreign.sparql.tokens import Token, tokens
from rif.errors.base import NOWHERE, Span

_WORDS: Final = {
    "OptionalGraphPattern": "OPTIONAL",
    "MinusGraphPattern": "MINUS",
    "ServiceGraphPattern": "SERVICE",
    "GraphGraphPattern": "GRAPH",
    "InlineData": "VALUES",
    "ValuesClause": "VALUES",
    "Bind": "BIND",
    "Filter": "FILTER",
    "OrderClause": "ORDER",
    "LimitOffsetClauses": "LIMIT",
    "GroupClause": "GROUP",
    "HavingClause": "HAVING",
    "Builtin_NOTEXISTS": "EXISTS",
    "Aggregate_GroupConcat": "GROUP_CONCAT",
}
"""The word that a part of the parse tree begins with, or has."""


class QueryWords:
    """Where each word of a query stands, in the order of the text."""

    def __init__(self, text: str) -> None:
        self._places = Places(text)
        self._by_word: dict[str, list[Token]] = defaultdict(list)
        for token in tokens(text):
            key = token.word or token.text
            self._by_word[key].append(token)

    def first(self, *words: str) -> Span:
        """The place of the first of these words; `NOWHERE`: the text has none of them."""
        found = [self._by_word[word][0] for word in words if self._by_word.get(word)]
        if not found:
            return NOWHERE
        first = min(found, key=lambda token: token.begin)
        return self.between(first.begin, first.end)

    def between(self, begin: int, end: int) -> Span:
        """The place of some characters."""
        return self._places.span(begin, end)

    def mark(self, tree: object) -> None:
        """Note in each part of a parse tree, as ``place``, where its word stands.

        The parser does not say it. Parts and words have the same order, so the third part with a
        word has the third of these words.
        """
        taken: dict[str, int] = defaultdict(int)
        for node in _parts(tree):
            word = _WORDS.get(node.name) or node.name.rpartition("_")[2].upper()
            found = self._by_word.get(word, [])
            if taken[word] < len(found):
                token = found[taken[word]]
                taken[word] += 1
                node.place = self.between(token.begin, token.end)


def _parts(tree: object) -> Iterator[CompValue]:
    """The parts of a parse tree, each before what is in it."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, CompValue):
            yield node
            waiting += reversed(list(node.values()))
        elif isinstance(node, list | tuple) or type(node).__name__ == "ParseResults":
            waiting += reversed(list(node))  # type: ignore[call-overload]
