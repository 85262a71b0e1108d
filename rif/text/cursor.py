"""The position of a parser in the tokens: look, take, report a fault, recover."""

from __future__ import annotations

import sys
from bisect import bisect_left
from contextlib import suppress
from typing import NoReturn

from rif.errors.base import MAX_FAULTS, RuleError, Span
from rif.errors.report import shorten
from rif.errors.syntax import Shorthand, TooDeep, UnexpectedToken
from rif.language import Language
from rif.syntax.lexical import MAX_DEPTH
from rif.text import hints
from rif.text.lexer import END, Tokens

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CLAUSE_WORDS = frozenset(("Forall", "Group"))
"""Words that begin a member of a group, and never stand inside a formula."""


class UnreadableClause(Exception):
    """The clause at hand cannot be read on; its fault is recorded. Never leaves the parser."""


class Cursor:
    """A position in the tokens, and the faults recorded up to it.

    A fault that leaves the rest readable is recorded with `note`; one that does not ends the
    clause with `fail`, and `recover` finds where the next one begins.

    Attributes:
        tokens: All of them; ``kinds`` and ``values`` are their columns.
        language: The kinds of formula and built-ins that there are.
        at: Index of the next token.
        clause: Index of the first token of the clause (rule, fact, directive) at hand.
        depth: Open levels of nesting.
        faults, warnings: Those recorded so far; at most `MAX_FAULTS` of each.
        at_end_after_recovery: Did the last recovery find no further clause?
        strict: Is shorthand refused?
    """

    __slots__ = (
        "_end_hint", "_fault_starts", "at", "at_end_after_recovery", "clause", "depth", "faults",
        "kinds", "language", "strict", "tokens", "values", "warnings",
    )  # fmt: skip

    def __init__(self, tokens: Tokens, language: Language) -> None:
        self.tokens = tokens
        self.language = language
        self.kinds = tokens.kinds
        self.values = tokens.values
        self.at = 0
        self.clause = 0
        self.depth = 0
        self.faults: list[RuleError] = list(tokens.faults)
        self.warnings: list[RuleError] = []
        self.at_end_after_recovery = False
        self.strict = language.strict
        self._fault_starts = tokens.fault_starts
        self._end_hint: str | None = None

    # look

    @property
    def kind(self) -> str:
        """The kind of the next token."""
        return self.kinds[self.at]

    def is_name(self, word: str) -> bool:
        """Is the next token this word?"""
        return self.kinds[self.at] == "name" and self.values[self.at] == word

    def opens(self, word: str) -> bool:
        """Do ``word`` and an opening bracket come next?"""
        return self.is_name(word) and self.kinds[self.at + 1] == "("

    # take

    def accept(self, kind: str) -> bool:
        """Take the next token if it is of this kind."""
        if self.kinds[self.at] != kind:
            return False
        self.at += 1
        return True

    def expect(self, kind: str, why: str = "") -> str:
        """Take the next token, which must be of this kind, and give its text."""
        at = self.at
        if self.kinds[at] != kind:
            hint = hints.of_opening(self.tokens, at, self.language) if kind == "(" else None
            self.fail_unexpected(f"expected {_NAMES.get(kind, kind)}{why and f' {why}'}", hint)
        self.at = at + 1
        return self.values[at]

    def expect_name(self, word: str) -> None:
        """Take the next token, which must be this word."""
        if not self.is_name(word):
            self.fail_unexpected(f"expected {word}")
        self.at += 1

    def open(self, bracket: str = "(") -> int:
        """Take an opening bracket, one level deeper; the result is for `close`."""
        self.expect(bracket)
        self.deeper()
        return self.at - 1

    def close(self, opened: int) -> None:
        """Take the bracket that belongs to the one at token ``opened``."""
        closing = _CLOSING[self.kinds[opened]]
        if self.kinds[self.at] != closing:
            start = self.tokens.span(opened, opened)
            place = f"{start.line}:{start.column}"
            if self.kinds[self.at] == END:
                hint: str | None = self._open_hint()
            else:
                hint = hints.of_closing(self.tokens, opened, self.at, self.language)
            expected = f"expected {closing} for the {self.kinds[opened]} of {place}"
            self.fail_unexpected(expected, hint)
        self.depth -= closing != "]"
        self.at += 1

    def _open_hint(self) -> str:
        """Which bracket is left open in a text that ends too early; searched once."""
        if self._end_hint is None:
            self._end_hint = hints.where_left_open(self.tokens)
        return self._end_hint

    def close_or_recover(self, opened: int) -> None:
        """`close` for a bracket around whole clauses: they are kept although it is missing."""
        depth = self.depth
        with suppress(UnreadableClause):
            self.close(opened)
        self.depth = depth - 1

    def deeper(self) -> None:
        """One level of nesting more; whoever calls it takes one off `depth` when it ends."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep"
            self.fail(TooDeep(message, self.here()))

    # report

    def here(self) -> Span:
        """The span of the next token."""
        return self.tokens.span(self.at, self.at)

    def since(self, first: int) -> Span:
        """From token ``first`` up to the last one taken."""
        return self.tokens.span(first, max(first, self.at - 1))

    def note(self, fault: RuleError) -> None:
        """Record a fault, and read on; when enough are found, read no further."""
        if fault.severity == "warning":
            if len(self.warnings) < MAX_FAULTS:
                self.warnings.append(fault)
        elif len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)
        else:
            self.at = len(self.kinds) - 1
            raise UnreadableClause

    def shorthand(self, what: str, first: int) -> None:
        """From token ``first`` on stands ``what``, which plain RIF does not have."""
        if self.strict:
            self.note(Shorthand(f"{what} is shorthand", self.since(first)))

    def fail(self, fault: RuleError) -> NoReturn:
        """Record a fault, and give the clause up.

        If the lexer has skipped characters of the clause, these are the likelier cause: only they
        are reported. Nor is it reported that the text ends, once recovery has read to the end.
        """
        has_skipped = self._first_skipped_offset() <= self.tokens.starts[self.at]
        if not has_skipped and not (self.at_end_after_recovery and self.kinds[self.at] == END):
            self.note(fault)
        raise UnreadableClause

    def fail_unexpected(self, expected: str, hint: str | None = None) -> NoReturn:
        """`fail`, naming what was expected and the token that stands there, with a hint."""
        if hint is None:
            hint = hints.of_token(self.tokens, self.at, self.language)
        kind, value = self.kinds[self.at], self.values[self.at]
        found = "the text ends" if kind == END else f"found {shorten(value)}"
        self.fail(UnexpectedToken(f"{expected}, {found}", self.here(), hint))

    def _first_skipped_offset(self) -> int:
        """The offset of the first text that was skipped in the clause, or behind it."""
        first = bisect_left(self._fault_starts, self.tokens.starts[self.clause])
        return self._fault_starts[first] if first < len(self._fault_starts) else sys.maxsize

    def begins_clause(self, at: int) -> bool:
        """Does the token begin a line, no further right than the clause at hand did?

        Such a token inside a clause is a sign that a bracket is missing.
        """
        if at == self.clause or not self.tokens.begins_line(at):
            return False
        span = self.tokens.span
        return span(at, at).column <= span(self.clause, self.clause).column

    # recover

    def recover(self, start: int, words: frozenset[str] = _CLAUSE_WORDS) -> None:
        """Move to where the next clause seems to begin, after a fault in the one at ``start``.

        That is one of ``words`` (they never stand inside a formula); a ``)`` that closes what the
        clause stands in; or a line that begins no further right than the faulty clause did. The
        search begins at the fault, or at what the lexer skipped in the clause: that may have
        hidden a bracket. Moves by one token at least; linear in the tokens passed over.
        """
        kinds, values = self.kinds, self.values
        skipped = bisect_left(self.tokens.starts, self._first_skipped_offset() + 1)
        failed = max(min(self.at, skipped), start + 1)
        self.clause = start
        depth = 0
        at = start
        while kinds[at] != END:
            kind = kinds[at]
            if at >= failed:
                if kind == "name" and values[at] in words:
                    break
                if kind == ")" and depth <= 0:
                    break
                if kind == "." and depth <= 0:
                    at += 1
                    break
                if kind != ")" and self.begins_clause(at):
                    break
            depth += (kind == "(") - (kind == ")")
            at += 1
        self.at = at
        self.at_end_after_recovery = kinds[at] == END


_NAMES = {
    "iri": "an IRI in angle brackets",
    "name": "a name",
    "number": "a number",
    "var": "a variable",
    "string": "a string",
}
