"""A text of rules as editors have it: it may have faults, and is read as far as it can be."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from r4.language import LANGUAGE
from rif.builtins import DTB
from rif.builtins.signatures import Builtin, UnavailableBuiltin
from rif.syntax import ast
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.iri import is_absolute, resolve
from rif.syntax.terms import CUSTOMARY_PREFIXES, IRI
from rif.text.document_parser import DocumentParser
from rif.text.lexer import Tokens
from rif.text.writer import TextWriter

NAMES: Final = frozenset(("curie", "iri"))
"""The kinds of tokens that name something by its IRI."""
_ESCAPE = re.compile(r"\\(.)")
_KEPT: Final = 8
"""Texts of which what was read is kept: of each change an editor asks several things."""


@dataclass(frozen=True, slots=True)
class RuleText:
    """A text, its tokens, and what could be read of it.

    Attributes:
        tokens: All of them, with comments.
        document: The rules without faults.
        prefixes: Prefix to namespace, as declared.
        base: What relative IRIs are resolved against.
    """

    tokens: Tokens
    document: ast.Document
    prefixes: Mapping[str, str]
    base: str | None

    def token_at(self, offset: int) -> int | None:
        """The token that has the character at ``offset``, or ends there; None: there is none."""
        starts, values = self.tokens.starts, self.tokens.values
        at = bisect_right(starts, offset) - 1
        if at > 0 and starts[at] == offset and self.tokens.kinds[at] not in _WORDS:
            at -= 1  # the cursor stands behind a word, before a bracket
        is_within = at >= 0 and values[at] != "" and offset <= starts[at] + len(values[at])
        return at if is_within else None

    def is_comment(self, offset: int) -> bool:
        """Is the place inside of a comment?"""
        return any(begin < offset < end for begin, end in self.tokens.comments)

    def iri(self, token: int) -> str | None:
        """The IRI that a token names; None: it names none, or its prefix is not known."""
        kind, value = self.tokens.kinds[token], self.tokens.values[token]
        if kind == "curie":
            prefix, _, local = value.partition(":")
            namespace = self.prefixes.get(prefix) or CUSTOMARY_PREFIXES.get(prefix)
            return None if namespace is None else namespace + _ESCAPE.sub(r"\1", local)
        if kind != "iri":
            return None
        text = value[1:-1]
        return text if self.base is None or is_absolute(text) else resolve(text, self.base)

    def predicates(self) -> Iterator[tuple[int, str]]:
        """Tokens that name a predicate, the key of a slot or a class, each with its IRI."""
        kinds = self.tokens.kinds
        for token, kind in enumerate(kinds):
            if kind not in NAMES:
                continue
            is_class = token > 0 and kinds[token - 1] in {"#", "##"}
            if not (is_class or kinds[token + 1] in {"(", "->"}):
                continue
            iri = self.iri(token)
            if iri is not None and iri not in DTB and builtin(iri) is None:
                yield token, iri

    def writer(self) -> TextWriter:
        """Writes names as this text does."""
        return TextWriter({**CUSTOMARY_PREFIXES, **self.prefixes}, LANGUAGE)

    def written(self, iri: str) -> str:
        """A name as it is written here."""
        return self.writer().constant(IRI(iri))


_WORDS: Final = NAMES | {"name", "local", "lang", "var", "string", "number"}


@lru_cache(_KEPT)
def read_text(text: str) -> RuleText:
    """The text as far as it can be read. Linear."""
    with collector_paused():
        parser = DocumentParser(text, {}, None, LANGUAGE, lenient=False)
        document = parser.read_all(parser.document)
    return RuleText(parser.tokens, document or ast.Document(), dict(parser.prefixes), parser.base)


def builtin(iri: str) -> Builtin | None:
    """The built-in of a name; None: there is none that is evaluated."""
    try:
        return LANGUAGE.builtins.get(iri)
    except UnavailableBuiltin:
        return None
