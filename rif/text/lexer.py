"""The text of a rule document split into tokens.

Splitting never fails: what begins no token is recorded as a fault and skipped, so that one stray
character does not hide the faults behind it. Names follow SPARQL 1.1 (PNAME_LN, VARNAME, ECHAR),
with one difference: ``-`` before ``>`` is never part of a name, so that ``ex:a->1`` is a slot.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from rif.errors.base import MAX_FAULTS, RuleError, Span
from rif.errors.syntax import (
    BadCharacter,
    BadIri,
    OpenComment,
    TooLong,
    TooManyTokens,
    UnterminatedString,
)
from rif.syntax.lexical import MAX_NUMBER, MAX_TEXT, MAX_TOKEN, name_character, name_start

_START = name_start()
_NAME = rf"(?:{name_character('.')}++|-(?!>))*+"
_LOCAL = rf"(?:{name_character('.')}++|-(?!>)|:(?!-)|%[0-9A-Fa-f]{{2}}|\\[_~.\-!$&'()*+,;=/?#@%])*+"
_STRING = r'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_CODE = r"(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"
_IRI_CHARACTER = r'[^\x00-\x20<>"{}|^`\\]'
_IRI = rf"<{_IRI_CHARACTER}*+(?:\\{_CODE}{_IRI_CHARACTER}*+)*+>"

_LINE = r"| (?P<line> (?<![^\r\n]) \# [^\r\n]*+ )"
"""A line that is a comment."""
_TOKEN = rf"""
    (?P<blank> [ \t\r\n\ufeff]++ ) {_LINE}
  | (?P<mark> \(\* | \*\) | :- | -> | \#\# | \^\^ | >= | != | = (?: (?={_IRI}) | (?![=<>]) )
      | [()\[\]{{}}\#,>] | \|(?!\|) | \*(?!\*) | /(?![/*]) | [+-](?=\s) | \.(?=\s|\(\*|\Z) )
  | (?P<var> \? (?: {name_start("0123456789")} {_NAME} | {_STRING} ) )
  | (?P<word> (?: {_START} {_NAME} | (?=:(?!-)) ) (?: :(?!-) {_LOCAL} )?+ )
  | (?P<number> [+-]?+ (?: [0-9]++ (?: \.[0-9]++ )?+ | \.[0-9]++ ) (?: [eE][+-]?+[0-9]++ )?+ )
  | (?P<string> {_STRING} )
  | (?P<iri> {_IRI} )
  | (?P<lang> @[A-Za-z]++ (?: -[A-Za-z0-9]++ )*+ )
  | (?P<openstring> "[^\r\n]*+ )
  | (?P<less> <=?+ )
  | (?P<bad> => | == | =< | && | \|\| | // | /\*
      | [^\s()\[\]{{}}?<>"\#=,|@:A-Za-z0-9_+-]++ | . | [^\S\r\n] )
    """


@cache
def _token(*, strict: bool) -> re.Pattern[str]:
    """A token; ``strict``: no line is a comment."""
    return re.compile(_TOKEN.replace(_LINE, "") if strict else _TOKEN, re.VERBOSE | re.DOTALL)


_BAD_IRI = re.compile(r'<(?:[^<>\r\n"]*+>|[^\s<>()\[\]"]*+)')
_OPERANDS = frozenset(
    ("var", "curie", "iri", "name", "local", "number", "string", "lang", ")", "]", "}")
)
"""What an operand ends with: behind it ``<`` is less-than, if no IRI begins there."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n|\r|\n")

ARROW = "a rule is written conclusion :- condition, or If condition Then conclusion"
"""A hint where the arrow is another one."""

END = "end"
"""The kind of the token behind the last one."""


@dataclass(slots=True)
class Tokens:
    """The tokens of a text, in columns.

    Attributes:
        text: The whole text.
        kinds: ``var curie name local number string iri lang end``, or the mark itself
            (``( ) [ ] { } (* *) :- -> # ## = ^^ , | . < <= > >= != + - * /``). A name is a word
            without colon, a local constant one that begins with ``_``.
        values: The token as written.
        starts: Offset of its first character.
        faults: What was skipped, or is no legal token, in order.
        fault_starts: Their offsets.
        comments: Where comments begin and end, as offsets, in order.
    """

    text: str
    kinds: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    faults: list[RuleError] = field(default_factory=list)
    fault_starts: list[int] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def span(self, first: int, last: int) -> Span:
        """From the first character of token ``first`` to the last of token ``last``."""
        return self.span_between(self.starts[first], self.starts[last] + len(self.values[last]))

    def span_between(self, start: int, end: int) -> Span:
        """From offset ``start`` to offset ``end``, exclusive."""
        lines = self._lines
        line = bisect_right(lines, start)
        begin = lines[line - 1]
        if line == len(lines) or end < lines[line]:
            return Span(line, start - begin + 1, line, end - begin + 1)
        end_line = bisect_right(lines, end)
        return Span(line, start - begin + 1, end_line, end - lines[end_line - 1] + 1)

    def begins_line(self, token: int) -> bool:
        """Does only blank space stand before the token on its line?"""
        lines, starts = self._lines, self.starts
        return token == 0 or bisect_right(lines, starts[token - 1]) < bisect_right(
            lines, starts[token]
        )

    def has_fault_at(self, token: int) -> bool:
        """Is a fault recorded at the token already?"""
        start = self.starts[token]
        at = bisect_left(self.fault_starts, start)
        return at < len(self.fault_starts) and self.fault_starts[at] == start

    def fault(
        self, kind: type[RuleError], message: str, at: int, end: int, hint: str | None = None
    ) -> None:
        """Record what is wrong between two offsets."""
        self.faults.append(kind(message, self.span_between(at, end), hint))
        self.fault_starts.append(at)


def tokenise(text: str, *, strict: bool = False) -> Tokens:
    """The tokens of ``text``, ended by one of kind `END`. Linear.

    ``strict``: no line is a comment.
    """
    tokens = Tokens(text)
    surrogate = _SURROGATE.search(text)
    if len(text) > MAX_TEXT:
        message = f"the text has {len(text)} characters, at most {MAX_TEXT} are read"
        tokens.fault(TooManyTokens, message, 0, 0)
    elif surrogate:
        message = "half of a surrogate pair, which is no character"
        tokens.fault(BadCharacter, message, *surrogate.span())
    else:
        _split(tokens, strict=strict)
    tokens.kinds.append(END)
    tokens.values.append("")
    tokens.starts.append(len(text))
    return tokens


def _split(tokens: Tokens, *, strict: bool) -> None:
    text, kinds, values, starts = tokens.text, tokens.kinds, tokens.values, tokens.starts
    match = _token(strict=strict).match
    at, end = 0, len(text)
    while at < end:
        token = match(text, at)
        assert token is not None  # the last alternative takes any character
        kind = token.lastgroup or ""
        value = token[0]
        if kind == "blank":
            at += len(value)
            continue
        if kind == "line" or (value == "(*" and not _begins_annotation(text, at + 2)):
            stop = at + len(value) if kind == "line" else _comment_end(tokens, at)
            tokens.comments.append((at, stop))
            at = stop
            continue
        if kind == "mark":
            kind = value
        elif kind in _NAMED:
            kind, value = _name(kind, value)
        if len(value) > MAX_NUMBER:
            _check_length(tokens, kind, value, at)
        if kind in _FAULTY:
            kind, value = _FAULTY[kind](tokens, value, at)
            if len(tokens.faults) >= MAX_FAULTS:
                return
        if kind:
            kinds.append(kind)
            values.append(value)
            starts.append(at)
        at += len(value)


_CURIE = rf"(?:{_START}{_NAME})?+:(?!-){_LOCAL}"
_CONSTANT = rf"(?:{_IRI}|{_CURIE}|_{_NAME}|{_STRING}(?:\^\^(?:{_IRI}|{_CURIE})|@[\w-]++)?+)\s*+"
_OTHER_OBJECT = rf"(?:\?(?:{_NAME}|{_STRING})|[+-]?+[0-9.][0-9.eE+-]*+)\s*+\["
_SPACE = re.compile(r"\s*+")
_AFTER_NAME = rf"\*\)|\(\*|\[|{_OTHER_OBJECT}|(?:And|List|External)\s*+\("


@cache
def _annotation_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A constant, and what else an annotation has behind its name; many rules have no comment."""
    return re.compile(_CONSTANT), re.compile(_AFTER_NAME)


def _begins_annotation(text: str, at: int) -> bool:
    """Does an annotation of the grammar begin with this ``(*``? All else up to ``*)`` is prose."""
    constant, after_name = _annotation_patterns()
    space = _SPACE.match(text, at)
    assert space is not None  # it may be empty
    name = constant.match(text, space.end())
    at = (name or space).end()
    if after_name.match(text, at):
        return True
    described = constant.match(text, at)
    return described is not None and text.startswith("[", described.end())


_COMMENT_MARK = re.compile(r"\(\*|\*\)")


def _comment_end(tokens: Tokens, at: int) -> int:
    """The offset behind the comment that begins at ``at``; comments nest."""
    depth = 0
    for mark in _COMMENT_MARK.finditer(tokens.text, at):
        depth += 1 if mark[0] == "(*" else -1
        if depth == 0:
            return mark.end()
    tokens.fault(OpenComment, "this comment is not closed", at, at + 2)
    return len(tokens.text)


def _less_than(tokens: Tokens, value: str, at: int) -> tuple[str, str]:
    """The kind of a ``<`` that begins no IRI, and its text: what looks like one is a faulty IRI."""
    text = tokens.text
    if tokens.kinds and tokens.kinds[-1] in _OPERANDS and not text.startswith(("<-", "<<"), at):
        return value, value
    found = _BAD_IRI.match(text, at)
    assert found is not None  # a ``<`` is enough
    return _bad_iri(tokens, found[0], at)


_NAMED = frozenset(("word", "var"))


def _name(kind: str, value: str) -> tuple[str, str]:
    """The kind of a name, and the name without full stops behind it."""
    if value[-1] == "." and not value.endswith("\\."):
        value = value.rstrip(".")
    if kind == "word":
        kind = "curie" if ":" in value else "local" if value[0] == "_" else "name"
    return kind, value


def _check_length(tokens: Tokens, kind: str, value: str, at: int) -> None:
    limit = MAX_NUMBER if kind == "number" else MAX_TOKEN
    if len(value) > limit:
        message = f"this {kind} has {len(value)} characters, at most {limit} are read"
        tokens.fault(TooLong, message, at, at + len(value))


def _open_string(tokens: Tokens, value: str, at: int) -> tuple[str, str]:
    """Taken to the end of its line as a string, so that the rest of the rule still reads."""
    tokens.fault(UnterminatedString, "this string is not closed on its line", at, at + len(value))
    return "string", value


def _bad_iri(tokens: Tokens, value: str, at: int) -> tuple[str, str]:
    message = f"{_short(value)} is no IRI in angle brackets"
    hint = 'an IRI has no blanks and none of < > " { } | ^ ` \\'
    if value.startswith("<-"):
        hint = ARROW
    tokens.fault(BadIri, message, at, at + len(value), hint)
    return "iri", value


_HINTS = (
    ("=>", ARROW),
    ("==", "equality is written ="),
    ("=<", "less-than-or-equal is written <="),
    ("!", "negation is written not, and what differs !="),
    ("/", "a comment is written (* … *)"),
    ("||", "write Or( … )"),
    ("+", "an operator has a blank behind it: ?a + ?b"),
    ("-", "an operator has a blank behind it: ?a - ?b"),
    ("*", "a power is written <urn:r4:builtin#power>(?x 2)"),
    ("'", 'strings stand between double quotes: "text"'),
    (";", "a clause ends with a full stop"),
    (".", "the full stop behind a clause has a blank behind it"),
    ("?", "a variable is ? and a name, without a blank"),
    ("&", "conditions are separated by commas, or stand in And( … )"),
    (":", "a rule arrow is :- and a prefixed name p:local"),
    ("@", 'a language tag is written "text"@en'),
)


def _bad(tokens: Tokens, value: str, at: int) -> tuple[str, str]:
    hint = next((hint for begin, hint in _HINTS if value.startswith(begin)), None)
    message = f"unexpected {_short(value)}"
    tokens.fault(BadCharacter, message, at, at + len(value), hint)
    return "", value


_FAULTY: dict[str, Callable[[Tokens, str, int], tuple[str, str]]] = {
    "openstring": _open_string,
    "less": _less_than,
    "bad": _bad,
}


def _short(value: str) -> str:
    return ascii(value) if len(value) <= 20 else ascii(value[:20]) + "…"  # noqa: PLR2004
