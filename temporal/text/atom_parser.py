"""Predicates with their arguments, in rules and in facts.

In rules an argument is a variable if it begins with a capital letter or ``?``, and not quoted; in
facts it never is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.lexical import MAX_TOKEN
from rif.syntax.terms import Literal
from temporal.errors import BadEscape, BadName, TooLong, UnterminatedString
from temporal.mtl.ast import constant, variable
from temporal.text.scanner import LineScanner

WORD: Final = re.compile(r"[^\W\d]\w*(?:[-.]\w+)*(?::\w+(?:[-.]\w+)*)?")
"""A predicate, perhaps with a prefix, or a word of the syntax."""

BARE: Final = re.compile(r"""[^\s,()\[\]"'#]+""")
"""A constant or variable without quotes."""

_QUOTED: Final = re.compile(r""""(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'""", re.DOTALL)
_PIECE: Final = r"""(?:(?!:-)[^\s,()\[\]{}"'#<>=!≤≥≠.])+"""
COMPARED: Final = re.compile(rf"{_QUOTED.pattern}|\.?{_PIECE}(?:\.+{_PIECE})*", re.DOTALL)
"""A side of a comparison; without quotes no full stop is its last character."""
MAX_ARGUMENTS: Final = 250
"""Arguments of a predicate."""
CAPITAL: Final = "variables begin with a capital"
_VARIABLE: Final = re.compile(r"\??(\w+)")
_SHORT: Final = re.compile(r"[a-z][0-9]?", re.ASCII)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_SOUND: Final = re.compile(r"[\"'\\]|u(?![dD][89a-fA-F]).{4}")
"""What may follow a backslash; half of a surrogate pair is no character."""


def parse_constants(line: LineScanner) -> tuple[str, ...]:
    """The arguments of a fact, brackets and all; none if no bracket comes next."""
    found: list[str] = []
    if line.accept("("):
        while not take_separator(line, len(found)):
            found.append(parse_constant(line))
    return tuple(found)


def parse_terms(line: LineScanner) -> tuple[ast.Constant | ast.Var, ...]:
    """The arguments of an atom in a rule, brackets and all; none if no bracket comes next."""
    found: list[ast.Constant | ast.Var] = []
    if line.accept("("):
        while not take_separator(line, len(found)):
            found.append(parse_term(line))
    return tuple(found)


def is_variable(text: str) -> bool:
    """Does an argument in a rule, written so without quotes, count as a variable?"""
    return text[0] == "?" or text[0].isupper() or text[0].istitle()


def is_like_variable(name: str) -> bool:
    """Whether a constant may be meant as a variable: it is a letter, perhaps with a digit."""
    return _SHORT.fullmatch(name) is not None


def bare_constants(terms: Iterable[ast.Term]) -> Iterator[Literal]:
    """The constants in a rule that have no quotes: whoever writes these means a constant.

    The place of a constant tells, as it has room for quotes, or has not.
    """
    for term in terms:
        value = term.value if isinstance(term, ast.Constant) else None
        if isinstance(value, Literal):
            width = term.span.end_column - term.span.column
            if width <= len(value.lexical):
                yield value


def take_separator(line: LineScanner, before: int) -> bool:
    """Take the bracket that ends the arguments, or the comma before one that is not the first."""
    if line.accept(")"):
        return True
    if before == MAX_ARGUMENTS:
        at = line.begin()
        line.fail(TooLong, f"a predicate has {MAX_ARGUMENTS} arguments at most", at, at + 1, "")
    if before and not line.accept(","):
        hint = "a constant with blanks, brackets or # in it stands in quotes"
        line.unexpected("expected , or ) behind an argument", hint)
    return False


def parse_constant(line: LineScanner) -> str:
    """One argument of a fact."""
    quoted = _quoted(line)
    return _bare(line, "a constant") if quoted is None else quoted


def parse_term(line: LineScanner) -> ast.Constant | ast.Var:
    """One argument of an atom in a rule."""
    return _term(line, BARE)


def parse_compared(line: LineScanner) -> ast.Constant | ast.Var:
    """A side of a comparison."""
    return _term(line, COMPARED)


def _term(line: LineScanner, pattern: re.Pattern[str]) -> ast.Constant | ast.Var:
    start = line.begin()
    quoted = _quoted(line)
    if quoted is not None:
        return ast.Constant(constant(quoted).value, span=line.span(start))
    bare = _bare(line, "a variable or constant", pattern)
    if not is_variable(bare):
        return ast.Constant(constant(bare).value, span=line.span(start))
    named = _VARIABLE.fullmatch(bare)
    if named is None:
        message = f"{shorten(bare)} begins as a variable and is none"
        line.note(BadName, message, start, line.taken)
        return ast.Var(variable("X").value, span=line.span(start))
    return ast.Var(variable(named[1]).value, span=line.span(start))


def _quoted(line: LineScanner) -> str | None:
    start = line.begin()
    if not (line.looks_at('"') or line.looks_at("'")):
        return None
    found = line.match(_QUOTED)
    if found is None:
        line.fail(UnterminatedString, "this quote is not closed", start, len(line.text))
    _check_length(line, found, start)
    for escape in _ESCAPE.finditer(found):
        if not _SOUND.fullmatch(escape[1]):
            position = start + escape.start()
            message = f"\\{escape[1]} is no escape"
            line.note(BadEscape, message, position, position + len(escape[0]))
    return _ESCAPE.sub(_escaped, found[1:-1])


def _escaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1][1:], 16)) if len(escape[1]) > 1 else escape[1]


def _bare(line: LineScanner, expected: str, pattern: re.Pattern[str] = BARE) -> str:
    start = line.begin()
    found = line.match(pattern)
    if found is None:
        line.unexpected(f"expected {expected}")
    _check_length(line, found, start)
    if not found.isprintable():
        message = "this constant has a character that cannot be seen"
        line.note(BadName, message, start, line.taken)
    return found


def _check_length(line: LineScanner, found: str, start: int) -> None:
    if len(found) > MAX_TOKEN:
        message = f"this constant has {len(found)} characters, at most {MAX_TOKEN} are read"
        line.fail(TooLong, message, start, line.taken)
