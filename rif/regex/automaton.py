r"""Tree to RE2: an automaton that reads a text once, whatever the pattern.

Sets of characters are written out as ranges, never as RE2's own ``\w`` or ``\pL``, whose Unicode is
another version's, and ``.`` and case too are sets by now.

Lines. With flag m, ``^`` and ``$`` do not match after a newline that ends the text
[XPath-Functions 5.6.2, flag m], and RE2 has no assertion for "not at the end" but ``\B``, which
looks for letters, digits and ``_`` of ASCII. So where anchors are those of lines, these characters
are moved out of the way, in the text and in the sets, to `SLOTS`; a text that ends with a newline
has a letter put behind it, outside of what is searched; then ``\B`` is true everywhere but there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from rif.regex.character_sets import Ranges, intersect, subtract, union
from rif.regex.scanner import Inexpressible
from rif.regex.tree import Anchor, Chars, Choice, Expression, RegexGroup, RegexNode, Repeat

MAX_MEMORY: Final = 4 << 20
"""Bytes that RE2 may use for one pattern, states that it builds while matching included."""

MAX_SIZE: Final = 500_000
"""Characters of a pattern as RE2 reads it; one of this size is too large for `MAX_MEMORY`."""

_FIRST_SLOT: Final = 0xD800
_WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))

SLOTS: Final = {code: _FIRST_SLOT + code for low, high in _WORD for code in range(low, high + 1)}
"""Where the word characters of ASCII go: surrogates, which are no characters of a text."""

WORDS: Final = {slot: code for code, slot in SLOTS.items()}
"""The way back."""

_SLOTS_SET: Final[Ranges] = tuple((_FIRST_SLOT + a, _FIRST_SLOT + b) for a, b in _WORD)
_NO_CHARACTER = r"[^\x{0}-\x{10FFFF}]"
_QUANTIFIERS = {(0, 1): "?", (0, None): "*", (1, None): "+"}
_ANCHORS = {(True, False): r"\A", (False, False): r"\z"}
_LINE_ANCHORS = {(True, True): r"(?:\A|(?m:^)\B)", (False, True): r"(?m:$)"}


Automaton: TypeAlias = re.Pattern[bytes]
"""What RE2 has compiled: it is used like a pattern of `re`. Offsets are bytes of UTF-8; what is
beyond ``endpos`` is seen by assertions only."""


def compile_automaton(expression: Expression, captured: Collection[int] = ()) -> Automaton:
    """The automaton of an expression; groups other than ``captured`` capture nothing.

    Raises:
        Inexpressible: it would be too large.
    """
    # It takes 0.01 s to load, and few rules have regular expressions.
    import re2  # noqa: PLC0415

    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    try:
        automaton: Automaton = re2.compile(_encode(re2_text(expression, captured)), options)
    except re2.error as error:
        raise Inexpressible(_inexpressible_reason(str(error))) from None
    # Patterns are kept by `compile_pattern`: RE2's own store would hold those it has let go.
    re2.purge()
    return automaton


def _inexpressible_reason(error: str) -> str:
    if "repetition size" in error:
        return "nested repetitions multiply to more than 1,000"
    if "too large" in error:
        return "the pattern is too large for an automaton"
    return f"RE2 refuses the pattern: {error}"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def encode_subject(text: str, *, lines: bool) -> tuple[bytes, int]:
    """A text as `Automaton` reads it, and where it ends there."""
    if not lines:
        data = _encode(text)
        return data, len(data)
    data = _encode(text.translate(SLOTS))
    return data + b"w" if data.endswith(b"\n") else data, len(data)


def decode_subject(data: bytes, *, lines: bool) -> str:
    """The text of a stretch of what `encode_subject` gave."""
    text = data.decode("utf-8", "surrogatepass")
    return text.translate(WORDS) if lines else text


def re2_text(expression: Expression, captured: Collection[int]) -> str:
    """The expression as RE2 reads it; raises `Inexpressible` if it is longer than `MAX_SIZE`."""
    parts: list[str] = []
    size = 0
    for part in _re2_parts(expression.root, expression.lines, captured):
        parts.append(part)
        size += len(part)
        if size > MAX_SIZE:
            message = "the pattern is too large for an automaton"
            raise Inexpressible(message)
    return "".join(parts)


def _re2_parts(node: RegexNode, lines: bool, captured: Collection[int]) -> Iterator[str]:  # noqa: FBT001
    if isinstance(node, Chars):
        yield _re2_class(node.ranges, lines)
    elif isinstance(node, Anchor):
        yield (_LINE_ANCHORS if lines else _ANCHORS)[node.start, lines]
    elif isinstance(node, RegexGroup):
        yield "(" if node.number in captured else "(?:"
        yield from _re2_parts(node.body, lines, captured)
        yield ")"
    elif isinstance(node, Repeat):
        yield "(?:"
        yield from _re2_parts(node.body, lines, captured)
        yield ")" + _quantifier(node)
    else:
        bar = "|" if isinstance(node, Choice) else ""
        for at, item in enumerate(node.items):
            if at:
                yield bar
            yield from _re2_parts(item, lines, captured)


def _quantifier(node: Repeat) -> str:
    text = _QUANTIFIERS.get((node.least, node.most))
    if text is None:
        most = "" if node.most is None else node.most
        text = f"{{{node.least},{most}}}"
    return text + "?" * node.reluctant


@lru_cache(maxsize=1024)
def _re2_class(ranges: Ranges, lines: bool) -> str:  # noqa: FBT001 - the key of the cache
    if lines:
        rest = subtract(ranges, union((*_WORD, *_SLOTS_SET)))
        moved = ((_FIRST_SLOT + a, _FIRST_SLOT + b) for a, b in intersect(ranges, _WORD))
        ranges = union((*rest, *moved))
    if not ranges:
        return _NO_CHARACTER
    (low, high), *more = ranges
    if low == high and not more:
        return _re2_character(low)
    return f"[{''.join(_re2_range(low, high) for low, high in ranges)}]"


def _re2_range(low: int, high: int) -> str:
    first = _re2_character(low)
    return first if low == high else f"{first}-{_re2_character(high)}"


def _re2_character(code: int) -> str:
    char = chr(code)
    if char.isascii() and not char.isalnum():
        return f"\\x{{{code:X}}}"
    return char
