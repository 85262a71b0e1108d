"""A chunk of facts text: what the kernel reads of it, and which lines are left to the parsers.

Each distinct constant gets its id once a chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import Column, Rows
from rete.kernels.text.pure_facts import (
    ARITY,
    COLUMNS,
    FIRST,
    FLAGS,
    LEFT_INFINITE,
    LINE,
    NAME,
    RIGHT_INFINITE,
)
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_columns import Mask, empty_intervals
from temporal.mtl.ast import PredicateKey
from temporal.text import atom_parser
from temporal.text.scanner import MAX_LINE

LINE_END: Final = re.compile(rb"\r\n|\r|\n")

CHUNK_BYTES: Final = 1 << 22
"""Bytes that are read at a time, about."""

MAX_LINE_BYTES: Final = 4 * MAX_LINE
"""Bytes of a line that is too long, whatever is in it."""
_BOM: Final = b"\xef\xbb\xbf"


class FactChunk:
    """Whole lines of facts, or of the table of a predicate; lines are numbered from 0.

    Attributes:
        read: (n, `COLUMNS`) what the kernel read; see `rete.kernels.text.pure_facts`.
        slow_lines: the lines that the parsers are to read.
    """

    __slots__ = (
        "_args",
        "_doubtful",
        "_good",
        "_lines",
        "_predicate",
        "_raw",
        "_spans",
        "read",
        "slow_lines",
    )

    def __init__(self, raw: bytes, predicate: str | None = None) -> None:
        self._raw = raw
        self._predicate = predicate
        self._lines: list[bytes] | None = None
        lines = raw.count(b"\n") + raw.count(b"\r") + 1
        capacity = raw.count(b",") + 2 * lines
        rows, slow_lines = np.empty((lines, COLUMNS), np.int64), np.empty((lines, 3), np.int64)
        args, spans = np.empty(capacity, np.int64), np.zeros((capacity, 2), np.int64)
        table = np.zeros(1 << (2 * capacity).bit_length(), np.int64)
        is_table = predicate is not None
        counts = kernels.facts.read(raw, is_table, rows, args, spans, table, slow_lines)
        self.read: Rows = rows[: counts[0]]
        self._args: Column = args[: counts[1]]
        self._spans: Rows = spans[: counts[2]]
        self._doubtful: list[int] = [
            token
            for token in ([] if raw.isascii() else np.unique(self._args).tolist())
            if self._is_doubtful(token)
        ]
        self._good: Mask = ~(empty_intervals(self.read) | self._has_doubtful())
        self.slow_lines: list[int] = slow_lines[: counts[3], 0].tolist() + self.lines_of(
            ~self._good
        )

    def text(self, line: int) -> bytes:
        """A line without its end."""
        if self._lines is None:
            self._lines = LINE_END.split(self._raw)
        return self._lines[line]

    def lines_of(self, rows: Column | Mask) -> list[int]:
        """The lines of rows."""
        found: list[int] = self.read[rows, LINE].tolist()
        return found

    def line_of(self, rows: Column) -> int:
        """The line of the first of some rows."""
        return int(self.read[rows[0], LINE])

    def has_times(self, rows: Column) -> bool:
        """Has one of some rows an end that is no infinity?"""
        infinite = LEFT_INFINITE | RIGHT_INFINITE
        return bool((self.read[rows, FLAGS] & infinite != infinite).any())

    def fast_rows(self) -> dict[PredicateKey, Column]:
        """The rows of each predicate and number of arguments that the kernel read, ascending."""
        good = np.flatnonzero(self._good)
        if not len(good):
            return {}
        names = self.read[good, NAME] if self._predicate is None else 0
        keys = names * 64 + self.read[good, ARITY]
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.diff(keys[order])) + 1
        found: dict[PredicateKey, Column] = {}
        for chosen in np.split(good[order], begins):
            first = self.read[chosen[0]]
            name = self._predicate or self._token(int(first[NAME])).decode()
            found[name, int(first[ARITY])] = chosen
        return found

    def ids(self, terms: Dictionary) -> Column:
        """The ids of all arguments of fast rows."""
        used = np.zeros(len(self._spans), np.bool_)
        used[self._args] = True
        used[self._doubtful] = False
        tokens = np.flatnonzero(used)
        raw = self._raw
        texts = [f'"{raw[begin:end].decode()}"' for begin, end in self._spans[tokens].tolist()]
        of_token = np.zeros(len(self._spans), np.int64)
        of_token[tokens] = terms.encode_many(texts)
        return of_token[self._args]

    def _has_doubtful(self) -> Mask:
        """Which rows have a constant beyond ASCII that may be invalid."""
        found = np.zeros(len(self.read), np.bool_)
        if self._doubtful:
            positions = np.flatnonzero(np.isin(self._args, self._doubtful))
            ends = self.read[:, FIRST] + self.read[:, ARITY]
            found[np.searchsorted(ends, positions, "right")] = True
        return found

    def _is_doubtful(self, token: int) -> bool:
        raw = self._token(token)
        if raw.isascii():
            return False
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return True
        return not text.isprintable() or atom_parser.BARE.fullmatch(text) is None

    def _token(self, number: int) -> bytes:
        begin, end = self._spans[number].tolist()
        return self._raw[begin:end]


def line_chunks(blocks: Iterable[bytes], least: int = CHUNK_BYTES) -> Iterator[tuple[bytes, int]]:
    """Whole lines, ``least`` bytes but for the last, each with the number of lines before them.

    Of a line too long to be read there is only so much as shows that.
    """
    rest, lines, is_first = b"", 0, True
    for block in blocks:
        rest += block
        end = rest.rfind(b"\n") + 1 or rest.rfind(b"\r", 0, -1) + 1
        if not end and len(rest) > MAX_LINE_BYTES:
            rest = rest[:MAX_LINE_BYTES] + b"\0"  # which is in no fast line
        if len(rest) < least or not end:
            continue
        chunk, rest = rest[:end], rest[end:]
        yield chunk.removeprefix(_BOM) if is_first else chunk, lines
        is_first = False
        lines += len(LINE_END.findall(chunk)) if b"\r" in chunk else chunk.count(b"\n")
    yield rest.removeprefix(_BOM) if is_first else rest, lines
