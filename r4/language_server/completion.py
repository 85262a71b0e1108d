"""The names and words that may go on at an offset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from r4.language import LANGUAGE
from r4.language_server.descriptions import KEYWORDS, arguments, keyword
from r4.language_server.rule_text import RuleText, read_text
from rif.builtins import BUILTINS
from rif.syntax.terms import CUSTOMARY_PREFIXES, IRI

_OPEN = re.compile(r"<[^<>\s\"{}|^`]*\Z|(?<!\")@\Z")
"""An IRI that is not closed, or the sign of a directive: neither is a token yet."""
_TYPED = frozenset(("curie", "name", "local", "lang", "iri"))
"""The kinds of tokens that may be gone on with."""


class Completion(NamedTuple):
    """One of the texts that may go on.

    Attributes:
        text: All of it, from `Completions.begin` on.
        kind: What it is.
        detail: A line about it; ``""``: there is none.
    """

    text: str
    kind: Literal["prefix", "builtin", "keyword", "predicate"]
    detail: str = ""


class Completions(NamedTuple):
    """What may stand in place of the text between ``begin`` and the offset that was asked for."""

    begin: int
    items: list[Completion]


def completions(text: str, offset: int, data_names: Iterable[str] = ()) -> Completions:
    """What may go on at ``offset``: declared prefixes, built-ins, keywords, predicates.

    Predicates are those of the text and ``data_names``; none stands twice. Without what is in
    capitals or not, each begins with what is typed. Nothing in comments, strings and variables.
    """
    rules = read_text(text)
    begin = _begin(rules, text, offset)
    if begin is None:
        return Completions(offset, [])
    typed = text[begin:offset].casefold()
    found: dict[str, Completion] = {}
    for each in _all(rules, begin, data_names):
        if each.text.casefold().startswith(typed):
            found.setdefault(each.text, each)
    return Completions(begin, list(found.values()))


def _begin(rules: RuleText, text: str, offset: int) -> int | None:
    """Where what is typed at ``offset`` begins; None: nothing goes on there."""
    comments = rules.tokens.comments
    # Behind a line that is a comment its text goes on, behind (* *) it does not.
    if any(a < offset < b or (offset == b and text[a] == "#") for a, b in comments):
        return None
    line = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    if opened := _OPEN.search(text[line:offset]):
        return line + opened.start()
    if text.endswith('"@', line, offset):  # a language
        return None
    token = rules.token_at(offset)
    if token is None or rules.tokens.starts[token] == offset:
        return offset
    kind = rules.tokens.kinds[token]
    if kind in _TYPED:
        return rules.tokens.starts[token]
    return None if kind in {"var", "string", "number"} else offset


def _all(rules: RuleText, begin: int, data_names: Iterable[str]) -> Iterator[Completion]:
    known = {"pred": CUSTOMARY_PREFIXES["pred"], "func": CUSTOMARY_PREFIXES["func"]}
    for prefix, namespace in {**known, **rules.prefixes}.items():
        yield Completion(f"{prefix}:", "prefix", namespace)
    write = rules.writer().constant
    starts = rules.tokens.starts
    in_text = (iri for token, iri in rules.predicates() if starts[token] != begin)
    for iri in sorted({*in_text, *data_names}):
        yield Completion(write(IRI(iri)), "predicate")
    for word in KEYWORDS:
        yield Completion(word, "keyword", keyword(word) or "")
    for name, builtin in sorted(BUILTINS.items()):
        detail = f"{builtin.kind}, arguments: {arguments(builtin)}"
        yield Completion(write(IRI(name)), "builtin", detail)
    for name in sorted(LANGUAGE.builtins.keys() - BUILTINS.keys()):
        yield Completion(write(IRI(name)), "builtin", "function of a package")
