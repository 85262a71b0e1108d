"""The regular expressions of a rule, where they are constants: wrong ones are reported at once.

A pattern that is computed, or whose flags are, is checked when it is used; then a wrong one is
outside the domain of the built-in [RIF-DTB 4.7].
"""

from __future__ import annotations

from typing import Final

from rif.builtins.strings import string
from rif.errors.base import RuleError
from rif.errors.checks import BadRegularExpression, RegularExpressionNotLinear
from rif.regex import compile_pattern
from rif.regex.errors import BadFlags, BadReplacement, Inexpressible, RegexError
from rif.syntax import ast
from rif.syntax.terms import FUNC, PRED

_REPLACE: Final = FUNC + "replace"
_FLAGS: Final = {PRED + "matches": 2, _REPLACE: 3}
"""Index of the flags among the arguments, from 0; the pattern has 1, the replacement 2."""


def check_regular_expression(external: ast.External | ast.ExternalTerm) -> RuleError | None:
    """The fault in the regular expression of a built-in that has as many arguments as it takes.

    None also for any other built-in. Costs what compiling it does, which the run need not repeat.
    """
    name, args = external.op.value, external.args
    if name not in _FLAGS:
        return None
    pattern = _constant(args[1])
    flags = _constant(args[_FLAGS[name]]) if len(args) > _FLAGS[name] else ""
    if pattern is None or flags is None:
        return None
    try:
        compiled = compile_pattern(pattern, flags)
        replacement = _constant(args[2]) if name == _REPLACE else None
        if replacement is not None:
            compiled.replacement_parts(replacement)
    except RegexError as fault:
        faulty = args[1]
        if isinstance(fault, BadReplacement):
            faulty = args[2]
        elif isinstance(fault, BadFlags):
            faulty = args[_FLAGS[name]]
        where = f", at character {fault.position + 1}" if fault.position else ""
        if isinstance(fault, Inexpressible):
            return RegularExpressionNotLinear(fault.message + where, faulty.span)
        return BadRegularExpression(fault.message + where, faulty.span)
    return None


def _constant(term: ast.Term) -> str | None:
    """The text of a string that stands in the rule."""
    return string(term.value) if isinstance(term, ast.Constant) else None
