"""The tokens of a query, by the place of their characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""(?P<comment> \#[^\n\r]* )
      | (?P<text> \"{3}(?:[^"\\]|\\.|\"{1,2}(?!\"))*\"{3}
          | '{3}(?:[^'\\]|\\.|'{1,2}(?!'))*'{3}
          | "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*' )
      | (?P<iri> <[^<>"{}|^`\\\x00-\x20]*> )
      | (?P<variable> [?$]\w+ )
      | (?P<name> (?:[^\W\d_][\w.-]*)?:(?:[\w.:%-]|\\.)* )
      | (?P<word> [^\W\d]\w* )
      | (?P<other> \S )""",
    re.VERBOSE | re.DOTALL,
)
"""The tokens of SPARQL, as far as words must be told from what only looks like one."""


class Token(NamedTuple):
    """A token, and its place as numbers of characters."""

    kind: str
    text: str
    begin: int
    end: int

    @property
    def word(self) -> str:
        """A word in capitals; "" for what is none."""
        return self.text.upper() if self.kind == "word" else ""


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a query, without blanks and comments."""
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "other"
        if kind != "comment":
            yield Token(kind, found[0], found.start(), found.end())
