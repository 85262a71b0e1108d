"""Where the statements of Turtle and TriG end, so that each can be read, or refused, on its own.

A parser that meets an error inside a Turtle or TriG text cannot know where to go on. But the
end of a statement follows from the tokens alone: at a dot outside of braces, or at a closing brace;
after the IRI of a SPARQL-style ``PREFIX`` or ``BASE``. Dots without a statement before them are one
malformed statement together. So the text is cut there first, and each
piece stands or falls alone. A piece is complete as soon as its last byte has arrived, which lets
live streams be answered at once.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_SPACE = rb"[ \t\r\n]"
_GAP = rb"(?:[ \t\r\n]++|\#[^\r\n]*+[\r\n])*+"
# One token that is neither a dot nor a brace, nor space. A quote or `<` that begins no token is
# one by itself once the line has ended; before that it may still become one.
_TOKEN = rb"""
    <[^<>\r\n]*+>
  | [A-Za-z_:\x80-\xff](?:[A-Za-z0-9_:%\x80-\xff-]++|\\.|\.++(?=[A-Za-z0-9_:%\\\x80-\xff-]))*+
  | [;,()\[\]^&!*/~?$`=%-]
  | "(?!"")(?:[^"\\\r\n]++|\\[^\r\n])*+"
  | '(?!'')(?:[^'\\\r\n]++|\\[^\r\n])*+'
  | \"""(?:"{0,2}(?:[^"\\]++|\\.))*+\"""
  | '''(?:'{0,2}(?:[^'\\]++|\\.))*+'''
  | [+-]?(?:[0-9]++(?:\.[0-9]*+[eE][+-]?[0-9]++|\.[0-9]++|[eE][+-]?[0-9]++)?
           |\.[0-9]++(?:[eE][+-]?[0-9]++)?)
  | @[A-Za-z0-9-]++
  | \{\| | \|\}
  | <<
  | <(?=[^<>\r\n]*+[<\r\n])
  | "(?!"")(?=(?:[^"\\\r\n]++|\\[^\r\n])*+\\?[\r\n])
  | '(?!'')(?=(?:[^'\\\r\n]++|\\[^\r\n])*+\\?[\r\n])
  | [+@>|\\](?=.)
  | [\x00-\x08\x0b\x0c\x0e-\x1f\x7f]
"""
# Those of the tokens that stay what they are, however the text goes on.
_CLOSED = rb"""
    <[^<>\r\n]*+>
  | [;,()\[\]]
  | "(?!"")(?:[^"\\\r\n]++|\\[^\r\n])++"
  | '(?!'')(?:[^'\\\r\n]++|\\[^\r\n])++'
  | \"""(?:"{0,2}(?:[^"\\]++|\\.))*+\"""
  | '''(?:'{0,2}(?:[^'\\]++|\\.))*+'''
"""
_COMMENT = rb"\#[^\r\n]*+(?=[\r\n])"


@cache
def _tokens(*, inside: bool) -> re.Pattern[bytes]:
    """Tokens and space to the end, of a statement or ``inside`` braces.

    The group ends with the last space, or the last token that stays what it is, whatever follows;
    there is none where there is neither.
    """
    closed, more = (_CLOSED + rb"| \{(?=[^|])", b"|[.{]") if inside else (_CLOSED, b"")
    pattern = rb"(?:(?:%b|%b++)()|%b|%b%b)*+" % (closed, _SPACE, _TOKEN, _COMMENT, more)
    return re.compile(pattern, re.VERBOSE | re.DOTALL)


@cache
def _whole_statement() -> re.Pattern[bytes]:
    """A statement that is certain at once, which nearly all are: no more than a short cut.

    Else nothing, so that `re.Pattern.finditer` does not look for one behind what is none.
    """
    return re.compile(
        rb"""(?:%b|\#[^\r\n]*+[\r\n])*+ (?!(?i:PREFIX|BASE|VERSION)[ \t\r\n<\#"'])
             (?:%b|%b++|%b)*+ (?: \.(?=[^.eE]) | \{(?!\|) (?:%b|%b++|%b|[.])*+ \} )|"""
        % (_SPACE, _TOKEN, _SPACE, _COMMENT, _TOKEN, _SPACE, _COMMENT),
        re.VERBOSE | re.DOTALL,
    )


_BLANK = re.compile(_GAP + rb"(?:\#[^\r\n]*+)?")
_GAPS = re.compile(_GAP)
_COMMENT_REST = re.compile(rb"[^\r\n]*+")
_KEYWORDS: Final = (b"PREFIX", b"BASE", b"VERSION")
_BEGINS: Final = b"PpBbVv#"
"""What a directive, or a comment, begins with."""
_KEYWORD = re.compile(rb"(?i:PREFIX|BASE|VERSION)(?=[ \t\r\n<\#\"'])")
_DIRECTIVE = re.compile(
    rb"(?i:PREFIX" + _GAP + rb"[^ \t\r\n<:]*+:" + _GAP + rb"<[^<>\r\n]*+>"
    rb"|BASE" + _GAP + rb"<[^<>\r\n]*+>"
    rb"|VERSION" + _GAP + rb"""(?:"[^"\r\n]*+"|'[^'\r\n]*+'))"""
)
_UNFINISHED: Final = {
    b'"""': re.compile(rb'(?:"{0,2}(?:[^"\\]++|\\.))*+', re.DOTALL),
    b"'''": re.compile(rb"(?:'{0,2}(?:[^'\\]++|\\.))*+", re.DOTALL),
    b'"': re.compile(rb'(?:[^"\\\r\n]++|\\[^\r\n])*+'),
    b"'": re.compile(rb"(?:[^'\\\r\n]++|\\[^\r\n])*+"),
    b"<": re.compile(rb"[^<>\r\n]*+"),
    b"#": _COMMENT_REST,
}
"""By how a token begins, what goes on with it."""
_UNDECIDED = re.compile(rb"""(?:"{0,2}|'{0,2})\\?\Z""")
_DOTS = re.compile(rb"\.++")
_EXPONENT = re.compile(rb"(?:[eE][+-]?)?\Z")
_LONGEST_DIRECTIVE: Final = 1 << 16
_LONG_QUOTE: Final = b'"""'
_MOST_UNDECIDED: Final = 4
_LONG_RUN: Final = 1 << 16
"""Bytes without a place to go on from that are looked at again only when they are twice as many."""


class StatementSplitter:
    """Cuts a text that arrives in pieces into statements; costs O(bytes).

    Between two calls it remembers how far the unfinished statement was scanned: up to the last
    space, string, IRI or bracket. `_LONG_RUN` bytes with none of these, as of one name, are scanned
    again only when there are twice as many; a statement that ends in them may be given later.

    Attributes:
        text: What is no whole statement yet.
    """

    __slots__ = (
        "_blank",
        "_dots",
        "_in_comment",
        "_inside",
        "_least",
        "_no_directive",
        "_open_token",
        "_read",
        "_scanned",
        "_token",
        "text",
    )

    def __init__(self) -> None:
        self.text = b""
        self._blank = 0  # so much of it is space and comments
        self._in_comment = False  # in which that ends
        self._scanned = 0
        self._no_directive = False
        self._inside = False
        self._open_token: re.Pattern[bytes] | None = None
        self._read = 0
        self._token = 0  # where the open token begins
        self._dots = 0
        self._least = 0

    @property
    def has_begun(self) -> bool:
        """Whether a statement has come in part: more than space and comments are pending."""
        text = self.text
        if self._in_comment:
            rest = _COMMENT_REST.match(text, self._blank)
            assert rest is not None  # it may be empty
            self._blank = rest.end()
            self._in_comment = self._blank == len(text)
        if not self._in_comment:
            gaps = _GAPS.match(text, self._blank)
            assert gaps is not None  # they may be empty
            self._blank = gaps.end()
            if text.startswith(b"#", self._blank):  # without an end yet
                self._in_comment, self._blank = True, len(text)
        return self._blank < len(text)

    @property
    def unfinished(self) -> int:
        """Bytes since the last space or closed token."""
        return len(self.text) - self._scanned

    @property
    def lines(self) -> int:
        """Line breaks of what is pending, up to what is unfinished."""
        return self.text.count(b"\n", 0, self._scanned)

    def shorten_comment(self) -> bool:
        """Forget what has come of the comment that the text ends in; whether it ends in one."""
        if self._open_token is not _COMMENT_REST:
            return False
        self.text = self.text[: self._token + 1] + self.text[self._read :]
        self._read = self._token + 1
        self._in_comment, self._blank = False, min(self._blank, self._token)
        return True

    def forget(self) -> int:
        """Forget what has come of a statement; how many line breaks went.

        What tells where it ends stays: whether that is behind braces, and how its last token began.
        So there will be a statement, to be left out, that ends where this one does.
        """
        kept, token = self._scanned, b""
        if self._open_token is not None:
            token = next(each for each in _UNFINISHED if self.text.startswith(each, self._token))
            kept = self._read
        elif self.unfinished > _LONG_RUN:  # a name, or signs
            kept = len(self.text) - _LONG_RUN
        lines = self.text.count(b"\n", 0, kept)
        begin = b"<>{ " if self._inside else b"<> "
        open_ = token + b"x" if kept > self._scanned else b""
        self.text = begin + open_ + self.text[kept:]
        self._in_comment, self._blank, self._least = False, 0, 0
        self._no_directive = True
        self._scanned = self._token = len(begin)
        self._read = len(begin + open_)
        return lines

    def feed(self, data: bytes, *, final: bool = False) -> tuple[bytes, list[int]]:
        """The whole statements that ``data`` completes: their text, and the end of each in it.

        What follows the last statement when the text is ``final`` is one more, if it is more than
        space and comments; a parser will say what it lacks.
        """
        text = self.text = self.text + data if self.text else data
        ends: list[int] = []
        done = self._dots = 0
        if not final and (self.unfinished < self._least or self._token_continues()):
            return b"", ends
        while True:
            if not self._no_directive:
                self._take_whole(ends)
            end = self._end(ends[-1] if ends else 0, final=final)
            if not end:
                break
            ends.append(end)
            self._scanned = end
            self._no_directive = self._inside = False
        if ends:
            done = ends[-1]
        if final and not _BLANK.fullmatch(text, done):
            done = len(text)
            ends.append(done)
        if done or final:
            self._in_comment, self._blank = False, 0
        self.text = b"" if final else text[done:]
        self._scanned -= done
        self._read -= done
        self._token -= done
        is_long = self._open_token is None and self.unfinished >= _LONG_RUN
        self._least = 2 * self.unfinished if is_long else 0
        return text[:done], ends

    def _token_continues(self) -> bool:
        """Whether a token that was not finished still is not: only what is new is looked at."""
        if self._open_token is None:
            return False
        found = self._open_token.match(self.text, self._read)
        assert found is not None
        self._read = found.end()
        if len(self.text) - self._read < _MOST_UNDECIDED and _UNDECIDED.match(
            self.text, self._read
        ):
            return True
        self._open_token = None
        return False

    def _wait(self, at: int) -> None:
        """A token begins at ``at``, and may not be finished."""
        for begin, pattern in _UNFINISHED.items():
            if self.text.startswith(begin, at):
                # Two quotes are an empty string, or will be three.
                if len(self.text) - at >= len(_LONG_QUOTE):
                    self._open_token, self._token = pattern, at
                    self._read = at + len(begin)
                return

    def _take_whole(self, ends: list[int]) -> None:
        """Pass the statements that are plain to see, from the one that is looked at on."""
        at = self._scanned
        for found in _whole_statement().finditer(self.text, at):
            if (end := found.end()) == at:
                break
            ends.append(end)
            at = end
        self._scanned = at

    def _end(self, begin: int, *, final: bool) -> int:
        """The end of the statement from ``begin`` on; 0 if it has not arrived whole."""
        if not self._no_directive:
            end = self._directive(final=final)
            if end or not self._no_directive:
                return end
        text = self.text
        while True:
            at = self._scan_tokens()
            found = text[at : at + 1]
            if not found or not (self._is_certain(at) or final):
                self._wait(at)
                return 0
            if found == b"#":  # a comment that no line end follows: the rest of the text
                return 0
            self._scanned = at + 1
            if found == b"{":
                self._inside = True
            elif found == b"}":
                return at + 1
            elif found == b".":
                return max(self._dots, at + 1) if self._is_empty(begin, at) else at + 1

    def _is_empty(self, begin: int, at: int) -> bool:
        """Whether there is only space and comments between two places."""
        gap = _GAPS.match(self.text, begin)
        assert gap is not None  # it may be empty
        return gap.end() == at

    def _directive(self, *, final: bool) -> int:
        """The end of a SPARQL-style directive, if the statement is one; notes whether it is not."""
        text = self.text
        gap = _GAPS.match(text, self._scanned)
        start = self._scanned = gap.end() if gap else self._scanned
        if start < len(text) and text[start] not in _BEGINS:
            self._no_directive = True
            return 0
        head = text[start : start + len(b"VERSION")].upper()
        ends_here = start + len(head) == len(text)
        may_become_one = ends_here and any(word.startswith(head) for word in _KEYWORDS)
        if not final and (may_become_one or head.startswith(b"#")):
            self._wait(start)
            return 0
        if _KEYWORD.match(text, start):
            if directive := _DIRECTIVE.match(text, start):
                return directive.end()
            if not final and len(text) - start < _LONGEST_DIRECTIVE:
                return 0
        self._no_directive = True
        return 0

    def _scan_tokens(self) -> int:
        """Where the tokens from ``_scanned`` on end; that moves to the last closed one of them."""
        found = _tokens(inside=self._inside).match(self.text, self._scanned)
        assert found is not None  # it may be empty
        self._scanned = max(self._scanned, found.end(1))
        return found.end()

    def _is_certain(self, at: int) -> bool:
        """Whether what stands at ``at`` stays what it is, however the text goes on.

        More dots, or letters after them, would make a dot a part of a name, an exponent a part of
        a number, a bar would make a brace an annotation, and a quote may still be closed.
        """
        match self.text[at : at + 1]:
            case b".":
                if at >= self._dots:  # else it is in a run of dots, whose end is known
                    run = _DOTS.match(self.text, at)
                    assert run is not None
                    self._dots = run.end()
                return not _EXPONENT.match(self.text, self._dots)
            case b"{":
                return at + 1 < len(self.text)
            case b"}":
                return True
        return False
