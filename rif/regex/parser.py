r"""Text to tree: the regular expressions of XPath [XPath-Functions 5.6.1; XSD G]."""

from __future__ import annotations

import re
from typing import Final

from rif.regex.character_sets import ALL, Ranges, add_case_variants
from rif.regex.classes import MAX_NESTING, character_class, escaped_characters
from rif.regex.properties import DOT
from rif.regex.scanner import BadFlags, Inexpressible, Scanner
from rif.regex.tree import (
    Anchor,
    Chars,
    Choice,
    Expression,
    RegexGroup,
    RegexNode,
    Repeat,
    Sequence,
)

MAX_LENGTH: Final = 10_000
"""Characters of a pattern."""

MAX_REPEAT: Final = 1_000
"""Bounds of a quantifier: RE2 unrolls it, and has the same limit."""

MAX_RANGES: Final = 100_000
"""Ranges of code points in all classes together; an automaton for as many is too large."""

FLAGS: Final = "smixq"

_QUANTITY = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_BOUNDS: Final = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def parse_expression(pattern: str, flags: str) -> Expression:
    """The tree of a pattern under its flags. Linear in the pattern.

    Raises:
        BadPattern: the pattern is not in the language; BadFlags: the flags are not.
        Inexpressible: it is, but it has a back-reference, or is beyond a bound.
    """
    for at, flag in enumerate(flags):
        if flag not in FLAGS:
            message = f"{flag!r} is no flag: there are s, m, i, x and q"
            raise BadFlags(message, at)
    if len(pattern) > MAX_LENGTH:
        message = f"the pattern is longer than {MAX_LENGTH:,} characters"
        raise Inexpressible(message, MAX_LENGTH)
    parser = _RegexParser(pattern, flags)
    root = parser.literal() if "q" in flags else parser.expression()
    if parser.inexpressible is not None:
        raise parser.inexpressible
    return Expression(root, len(parser.closed), parser.anchored and "m" in flags)


class _RegexParser:
    """One function a production.

    Attributes:
        anchored: Is there an anchor?
        closed: Per capturing group that was opened: is it closed?
        inexpressible: The first thing that no automaton can do. It is raised at the end: a pattern
            that is also wrong is reported as wrong.
    """

    __slots__ = ("_any_case", "_dot", "_ranges", "_source", "anchored", "closed", "inexpressible")

    def __init__(self, pattern: str, flags: str) -> None:
        self._source = Scanner(pattern, spaced="x" in flags and "q" not in flags)
        self._any_case = "i" in flags
        self._dot = ALL if "s" in flags else DOT
        self._ranges = 0
        self.anchored = False
        self.closed: list[bool] = []
        self.inexpressible: Inexpressible | None = None

    def literal(self) -> RegexNode:
        """Every character as itself (flag q)."""
        return Sequence(tuple(map(self._chars, self._source.text)))

    def expression(self) -> RegexNode:
        root = self._choice(0)
        if self._source.peek():
            self._source.fail("no ( was opened that this ) would close")
        return root

    def _choice(self, depth: int) -> RegexNode:
        branches = [self._branch(depth)]
        while self._source.eat("|"):
            branches.append(self._branch(depth))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _branch(self, depth: int) -> RegexNode:
        pieces: list[RegexNode] = []
        while self._source.peek() not in {"", "|", ")"}:
            pieces.append(self._quantify(self._atom(depth)))
        return pieces[0] if len(pieces) == 1 else Sequence(tuple(pieces))

    def _atom(self, depth: int) -> RegexNode:
        source = self._source
        char = source.peek()
        if char == "[":
            return self._class(character_class(source, any_case=self._any_case))
        source.at += 1
        if char == "(":
            return self._group(depth + 1)
        if char == "\\":
            return self._escape()
        if char == ".":
            return Chars(self._dot)
        if char in "^$":
            self.anchored = True
            return Anchor(start=char == "^")
        if char in "?*+{":
            source.fail(
                f"{char} has nothing before it to repeat; the character is written \\{char}",
                source.at - 1,
            )
        if char in "}]":
            source.fail(f"the character {char} is written \\{char}", source.at - 1)
        return self._chars(char)

    def _chars(self, char: str) -> Chars:
        ranges: Ranges = ((ord(char), ord(char)),)
        return Chars(add_case_variants(ranges) if self._any_case else ranges)

    def _class(self, ranges: Ranges) -> Chars:
        self._ranges += len(ranges)
        if self._ranges > MAX_RANGES:
            message = "the classes of the pattern are too large for an automaton"
            raise Inexpressible(message, self._source.place())
        return Chars(ranges)

    def _group(self, depth: int) -> RegexNode:
        source, start = self._source, self._source.at - 1
        if depth > MAX_NESTING:
            message = f"groups are nested deeper than {MAX_NESTING}"
            raise Inexpressible(message, source.place(start))
        number = 0
        if source.eat("?"):
            if not source.eat(":"):
                source.fail("after (? stands a colon", start)
        else:
            self.closed.append(False)
            number = len(self.closed)
        body = self._choice(depth)
        if not source.eat(")"):
            source.fail("the group is not closed: ) is missing", start)
        if number:
            self.closed[number - 1] = True
        return RegexGroup(body, number)

    def _escape(self) -> RegexNode:
        if self._source.peek() in set("123456789"):
            return self._back_reference()
        chars = escaped_characters(self._source)
        # A character that needs a backslash has no case.
        return Chars(((chars, chars),)) if isinstance(chars, int) else self._class(chars)

    def _back_reference(self) -> RegexNode:
        """More digits belong to it as long as that many groups are open."""
        source, start = self._source, self._source.at - 1
        number = int(source.take())
        while source.peek() in set("0123456789"):
            longer = number * 10 + int(source.peek())
            if longer > len(self.closed):
                break
            number = longer
            source.at += 1
        if number > len(self.closed) or not self.closed[number - 1]:
            what = "is not closed yet" if number <= len(self.closed) else "does not exist"
            source.fail(f"\\{number} refers to a group that {what}", start)
        message = f"\\{number} is a back-reference, which takes more than linear time"
        self._note_inexpressible(message, start)
        return Sequence(())

    def _quantify(self, atom: RegexNode) -> RegexNode:
        source, start = self._source, self._source.at
        char = source.peek()
        if char and char in _BOUNDS:
            least, most = _BOUNDS[char]
            source.at += 1
        elif char == "{":
            least, most = self._quantity()
        else:
            return atom
        if max(least, most or 0) > MAX_REPEAT:
            self._note_inexpressible(f"a repetition has bounds up to {MAX_REPEAT:,}", start)
        return Repeat(atom, least, most, reluctant=source.eat("?"))

    def _quantity(self) -> tuple[int, int | None]:
        source, start = self._source, self._source.at
        match = _QUANTITY.match(source.text, start)
        if match is None:
            source.fail("a quantity is {n}, {n,} or {n,m}; the character is written \\{")
        source.at = match.end()
        least = match[1].lstrip("0")
        most = (match[3] if match[2] else match[1]).lstrip("0")
        bounded = not match[2] or bool(match[3])
        if bounded and (len(most), most) < (len(least), least):
            source.fail("the second bound of a quantity is less than the first", start)
        return _count(least), _count(most) if bounded else None

    def _note_inexpressible(self, message: str, at: int) -> None:
        if self.inexpressible is None:
            self.inexpressible = Inexpressible(message, self._source.place(at))


def _count(digits: str) -> int:
    """A bound; all those that are out of reach are alike."""
    return int(digits or "0") if len(digits) <= len(str(MAX_REPEAT)) else MAX_REPEAT + 1
