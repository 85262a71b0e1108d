"""Kernels between lines of facts and columns: what `rete.kernels.text._facts` computes, in Python.

A plain line is a fact without quotes, escapes and comments, with numbers of few digits, or a row
of a table of facts. All others are *odd*: whoever calls reads them with care.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import gcd
from typing import Final

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.arrays.term_columns import Bytes, Ids

LINE, NAME, FIRST, ARITY, LEFT, LEFT_UNDER, RIGHT, RIGHT_UNDER, FLAGS = range(9)
"""Columns of the rows: the line from 0; the tokens of name and first argument, how many arguments;
numerator and denominator of the ends."""
COLUMNS: Final = 9

LEFT_CLOSED, RIGHT_CLOSED, LEFT_INFINITE, RIGHT_INFINITE = 1, 2, 4, 8
"""Bits of the flags."""

_MOST_DIGITS: Final = 17
_MOST_ARGS: Final = 60
_NUMBER: Final = rb"[+-]?(?:[0-9]+(?:\.[0-9]+|/[0-9]+)?|\.[0-9]+|inf)"
_ARG: Final = rb"""[^\x00-\x20\x7f,()\[\]"'#\\]+"""
_FACT: Final = re.compile(
    rb"[ \t]*([A-Za-z_][\w:.-]*)(?:\([ \t]*("
    + _ARG
    + rb"(?:[ \t]*,[ \t]*"
    + _ARG
    + rb")*)[ \t]*\))?[ \t]*@[ \t]*(?:("
    + _NUMBER
    + rb")|([\[(])[ \t]*("
    + _NUMBER
    + rb")[ \t]*,[ \t]*("
    + _NUMBER
    + rb")[ \t]*([\])]))[ \t]*",
)
_END: Final = re.compile(rb"[ \t]*(" + _NUMBER + rb")[ \t]*")
_CELL: Final = re.compile(rb"[ \t]*([^\x00-\x1f\x7f\\\"]*?)[ \t]*")
_LINE: Final = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_BLANK: Final = re.compile(rb"[ \t\r\n]*[\r\n]")


def read(
    text: bytes | bytearray | memoryview,
    is_table: bool,  # noqa: FBT001 - as the compiled twin has it
    rows: Rows,
    args: Ids,
    tokens: Rows,
    table: Ids,  # noqa: ARG001
    odd: Rows,
) -> tuple[int, int, int, int, int]:
    """Read whole lines of facts, or of a table of facts. Linear.

    Args:
        text: the lines.
        is_table: whether a line is constants and two ends between commas.
        rows: (n, `COLUMNS`), n at least the number of lines. The result, one a fact.
        args: as long as there are commas and lines: the tokens of all arguments.
        tokens: (m, 2), m at least commas and twice the lines. Where each distinct token lies.
        table: twice as long at least, a power of two, all 0.
        odd: (n, 3): number, begin and end of the lines that need care.

    Returns:
        How many rows, arguments, distinct tokens, odd lines and lines there were.
    """
    raw = bytes(text)
    known: dict[bytes, int] = {}
    n_rows = n_args = n_odd = lines = at = 0

    def token(begin: int, end: int) -> int:
        number = known.setdefault(raw[begin:end], len(known))
        if number == len(known) - 1 and not tokens[number].any():
            tokens[number] = begin, end
        return number

    while at < len(raw):
        if blank := _BLANK.match(raw, at):
            lines += blank[0].count(b"\n") + blank[0].count(b"\r") - blank[0].count(b"\r\n")
            at = blank.end()
            continue
        found = _LINE.match(raw, at)
        assert found is not None
        begin, end = found.span(1)
        line = raw[begin:end].strip(b" \t")
        if line and (is_table or not line.startswith(b"#")):
            parse = _record if is_table else _fact
            parsed = parse(raw, begin, end)
            if parsed is None:
                odd[n_odd] = lines, begin, end
                n_odd += 1
            else:
                name, cells, ends = parsed
                rows[n_rows, NAME] = token(*name) if name else 0
                rows[n_rows, [LINE, FIRST, ARITY]] = lines, n_args, len(cells)
                rows[n_rows, LEFT:] = ends
                for cell in cells:
                    args[n_args] = token(*cell)
                    n_args += 1
                n_rows += 1
        lines += 1
        at = found.end()
    return n_rows, n_args, len(known), n_odd, lines


_Span = tuple[int, int]
_Parsed = tuple[_Span | None, list[_Span], tuple[int, int, int, int, int]]


def _fact(raw: bytes, begin: int, end: int) -> _Parsed | None:
    found = _FACT.fullmatch(raw, begin, end)
    if found is None:
        return None
    cells: list[_Span] = []
    if found[2] is not None:
        start = found.start(2)
        for cell in found[2].split(b","):
            skipped = len(cell) - len(cell.lstrip(b" \t"))
            stripped = cell.strip(b" \t")
            cells.append((start + skipped, start + skipped + len(stripped)))
            start += len(cell) + 1
    flags = LEFT_CLOSED * (found[4] != b"(") | RIGHT_CLOSED * (found[7] != b")")
    if found[3] is not None and found[3].endswith(b"inf"):
        return None
    ends = _ends(found[5] or found[3], found[6] or found[3], flags)
    if ends is None or len(cells) > _MOST_ARGS:
        return None
    return found.span(1), cells, ends


def _record(raw: bytes, begin: int, end: int) -> _Parsed | None:
    parts = raw[begin:end].split(b",")
    if len(parts) < 2 or len(parts) - 2 > _MOST_ARGS:  # noqa: PLR2004 - two ends
        return None
    cells: list[_Span] = []
    start = begin
    for part in parts[:-2]:
        found = _CELL.fullmatch(raw, start, start + len(part))
        if found is None:
            return None
        cells.append(found.span(1))
        start += len(part) + 1
    left, right = (_END.fullmatch(part) for part in parts[-2:])
    if left is None or right is None or b'"' in raw[begin:end]:
        return None
    ends = _ends(left[1], right[1], LEFT_CLOSED | RIGHT_CLOSED)
    return None if ends is None else (None, cells, ends)


def _ends(left: bytes, right: bytes, flags: int) -> tuple[int, int, int, int, int] | None:
    first, last = _number(left), _number(right)
    if first is None or last is None:
        return None
    (left_over, left_under), (right_over, right_under) = first, last
    if left_under == 0:
        if left_over > 0:
            return None
        left_over, left_under, flags = 0, 1, (flags | LEFT_INFINITE) & ~LEFT_CLOSED
    if right_under == 0:
        if right_over < 0:
            return None
        right_over, right_under, flags = 0, 1, (flags | RIGHT_INFINITE) & ~RIGHT_CLOSED
    return left_over, left_under, right_over, right_under, flags


def _number(text: bytes) -> tuple[int, int] | None:
    """Numerator and denominator, the latter 0 for what is infinite; None: too many digits."""
    sign = -1 if text.startswith(b"-") else 1
    text = text.lstrip(b"+-")
    if text == b"inf":
        return sign, 0
    whole, slash, under = text.partition(b"/")
    if slash:
        fits = len(whole) <= _MOST_DIGITS and len(under) <= _MOST_DIGITS and int(under)
        return (sign * int(whole), int(under)) if fits else None
    whole, _, part = text.partition(b".")
    part = part.rstrip(b"0")
    if len(whole) + len(part) > _MOST_DIGITS:
        return None
    return sign * int(whole + part or b"0"), 10 ** len(part)


def lines(  # as the compiled twin has it
    name: bytes, texts: Bytes, starts: Ids, args: Ids, times: Rows, scale: int
) -> bytearray:
    """Facts of one predicate as text, a line each, in their order.

    Args:
        name: the predicate.
        texts: the constants as they are written, one behind the other.
        starts: (m + 1,) where each begins, and where the last ends.
        args: (n, k) the constants of each fact, by number.
        times: (n, 2) when it holds, in cells.
        scale: ticks to the unit of time, below 2^62.
    """
    raw = texts.tobytes()
    places = starts.tolist()
    words = [raw[begin:end] for begin, end in pairwise(places)]
    found = bytearray()
    for row, (lo, hi) in zip(args.tolist(), times.tolist(), strict=True):
        found += name
        if row:
            found += b"(" + b",".join(words[arg] for arg in row) + b")"
        found += b"@(-inf" if lo <= NEG_INF else b"@" + b"[("[lo & 1 :][:1] + _end(lo >> 1, scale)
        found += b",inf)" if hi >= POS_INF else b"," + _end(hi >> 1, scale) + b")]"[hi & 1 :][:1]
        found += b"\n"
    return found


def _end(tick: int, scale: int) -> bytes:
    shared = gcd(tick, scale)
    over, under = tick // shared, scale // shared
    return b"%d" % over if under == 1 else b"%d/%d" % (over, under)
