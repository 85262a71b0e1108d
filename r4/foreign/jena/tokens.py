"""The tokens of Jena's rules, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from r4.foreign.places import Places
from rif.errors.base import Span

_TOKEN: Final = re.compile(
    r"""(?P<comment> (?:\#|//)[^\n\r]* )
      | (?P<iri> <[^<>"{}|^`\\\x00-\x20]*> )
      | (?P<variable> \?[\w$-]+ | _(?![\w:]) )
      | (?P<text> "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*' )
      | (?P<language> @[A-Za-z]+(?:-[A-Za-z0-9]+)*(?=\s*[,)]) )
      | (?P<directive> @[A-Za-z]+ )
      | (?P<number> [+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w) )
      | (?P<arrow> -> | <- )
      | (?P<type> \^\^ )
      | (?P<name> [^\W\d]?[\w-]*:(?:[\w:/?&=~%+;!*\#.-]*[\w/\#~=-])? | [^\W\d][\w-]* )
      | (?P<mark> [][(),.:] )
      | (?P<other> \S )""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A token and its place."""

    kind: str
    text: str
    span: Span


def tokens(text: str) -> Iterator[Token]:
    """The tokens, without blanks and comments; at the end one of the kind ``end``."""
    places = Places(text)
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "other"
        if kind != "comment":
            yield Token(kind, found[0], places.span(found.start(), found.end()))
    yield Token("end", "the end", places.span(len(text), len(text)))
