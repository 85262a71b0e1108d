"""XPath regular expressions, matched in time linear in the text [XPath-Functions 5.6; XSD G].

`cache` is the public door: it gives a `pattern`, which searches and replaces. On the way there,
`source` drops the white space that flag x ignores, `parser` and `classes` read the text into
the `tree`, and `program` writes the tree for RE2. `ranges` has sets of characters, `properties`
those with a name, `case` the variants that flag i adds; `replacement` reads ``$1``. `faults` are
the exceptions; `check` judges the constants of a rule.
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
