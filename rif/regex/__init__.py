"""XPath regular expressions, matched in time linear in the text [XPath-Functions 5.6; XSD G].

`compile_pattern` makes a `pattern`, which searches and replaces. Compilation takes these steps:
`scanner` drops the white space that flag x ignores, and has the exceptions; `parser` and `classes`
read the text into the `tree`, `automaton` writes the tree for RE2. `character_sets` has sets of
characters, with the case variants that flag i adds; `properties` those with a name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rif.regex.scanner import BadFlags, BadPattern, BadReplacement, Inexpressible, RegexError

if TYPE_CHECKING:
    from rif.regex.pattern import Pattern

__all__ = [
    "BadFlags",
    "BadPattern",
    "BadReplacement",
    "Inexpressible",
    "RegexError",
    "compile_pattern",
]


def compile_pattern(pattern: str, flags: str = "") -> Pattern:
    """The regular expression of XPath with flags ``s m i x q`` [XPath-Functions 5.6].

    Compiling is linear in the automaton, whose size is bounded: some milliseconds, a few tenths of
    a second at worst. The last 128 are kept.

    Raises:
        BadPattern: it is not in the language.
        Inexpressible: it is, but it has a back-reference, or is beyond a bound.
    """
    compiled = _compile(pattern, flags)
    if isinstance(compiled, RegexError):
        raise compiled.with_traceback(None)
    return compiled


@lru_cache(maxsize=128)
def _compile(pattern: str, flags: str) -> Pattern | RegexError:
    """Faults are kept too: a pattern in the data that is wrong comes with every row."""
    # It takes 0.02 s to load, and few rules have regular expressions.
    from rif.regex.pattern import Pattern  # noqa: PLC0415

    try:
        return Pattern(pattern, flags)
    except RegexError as fault:
        return fault
