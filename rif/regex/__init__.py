"""XPath regular expressions, matched in time linear in the text [XPath-Functions 5.6; XSD G].

`cache` is the public door: it compiles a `pattern`, which searches and replaces. Compilation takes
these steps: `scanner` drops the white space that flag x ignores, `parser` and `classes` read the
text into the `tree`, `automaton` writes the tree for RE2. `character_sets` has sets of characters,
with the case variants that flag i adds; `properties` those with a name. `errors` are the
exceptions.
"""

from __future__ import annotations

from rif.regex.cache import compile_pattern
from rif.regex.errors import BadFlags, BadPattern, BadReplacement, Inexpressible, RegexError

__all__ = [
    "BadFlags",
    "BadPattern",
    "BadReplacement",
    "Inexpressible",
    "RegexError",
    "compile_pattern",
]
