"""The columns of a dictionary: an arena of canonical texts, one entry a term.

Plain arrays and nothing else, so that saving a dictionary is writing arrays, an output kernel can
copy texts straight out of ``arena``, and both text back ends work on the very same state.

`TermColumns` are the columns; a dictionary may begin with `MappedTerms`, which are mapped from a
file and never forgotten. `classify_number` defines the columns ``values`` and ``classes``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from sys import getsizeof
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rete.arrays.state_codec import State, StateReader
from rif.syntax.terms import XSD, Literal, parse_canonical
from rif.values.datatypes import numeric_value
from rif.values.decimals import to_double

Bytes: TypeAlias = npt.NDArray[np.uint8]
Ids: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Int8: TypeAlias = npt.NDArray[np.int8]
Float64: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.int64]
TextBuffer: TypeAlias = bytes | bytearray | memoryview

_Item = TypeVar("_Item", bound=np.generic)

NEVER = -(2**62)
"""``last`` of a term that no row has mentioned yet."""

OFFSET, META = range(2)
"""Columns of ``TermColumns.entries``."""

USED, TOP, FREE, LIVE, ALIASES, SEED, BY_VALUE, BASE, BASE_SIZE = range(9)
"""Cells of ``TermColumns.state``."""

IS_LIVE, IS_PINNED, IS_CHECKED, IS_ALIAS = 1, 2, 4, 8
KIND_SHIFT, KIND_MASK = 4, 7
LENGTH_SHIFT = 8
"""Layout of ``META``: four flags, the kind in bits 4 to 6, the length in bytes from bit 8 on."""

NO_KIND, KIND_IRI, KIND_BLANK, KIND_LITERAL, KIND_LIST = range(5)

DONE, SHORT, FULL, ODD, VALUED = range(5)
"""Why `rete.kernels.text.pure_nquads.read` returned; see there."""

POSITION, END, ROWS, LINES, LINE_END, TOKENS, SPANS = range(7)
"""Cells of the cursor of `rete.kernels.text.pure_nquads.read`.

From ``SPANS`` on they are (4, 2): begin and end of each token."""
CURSOR_CELLS = SPANS + 8

NO_NUMBER: Final = 0
EXACT: Final = 1
NEAREST: Final = 2
FLOAT: Final = 3
DOUBLE: Final = 4
"""Classes of terms: no number (or outside the lexical space), decimal or integer that is exactly
its double, decimal or integer of which the double is the nearest, xsd:float, xsd:double."""

_MAY_BE_NUMBER: Final = f"^^<{XSD}"
_CONTINUES = 0b1000_0000
_FIRST_BITS = 0b1100_0000
"""Bytes of UTF-8 that begin no character."""
_LEAST_TERMS = 1024
_MOST_TERMS = 2**31 - 1
_PAGE = 512
"""Numbers of a page of memory."""
_OBJECTS = getsizeof(b"") + getsizeof(1)
LEAST_BYTES = 1 << 16
MOST_LOAD = 0.6


class TermColumns:
    """State of a dictionary, owned by it and passed to the kernels.

    Attributes:
        arena: UTF-8 of the canonical texts, in no order, with gaps where terms were forgotten.
        entries: (capacity, 2) int64, C-contiguous. Row ``id``: ``OFFSET`` in the arena, ``META``
            (flags, kind, length in bytes). Row 0 is no term.
        last: (capacity,) int64. The last cell (exclusive) at which a row mentions the term; of an
            alias the id of the term that it stands for.
        values, classes: float64 and (capacity,) int8. Numeric side columns; class -1: not
            looked at yet. There are values only once there is a number: see `measurable`.
        lexical: (capacity,) uint8. Lexical classes (`rete.arrays.lexical_classes`); 0: not looked
            at yet. Not saved.
        free: int64. A stack of ids to use again, lowest on top.
        state: int64. ``USED`` bytes of the arena, ``TOP`` first id never used, ``FREE`` height of
            the stack, ``LIVE`` entries (aliases included, those of the base not), ``ALIASES`` among
            them, ``SEED`` of the hash, ``BY_VALUE``: 1 if equal values are one term, ``BASE`` terms
            of the base (its last id), ``BASE_SIZE`` bytes of theirs, with which the arena begins.
        hashes: (``BASE``,) uint64, ascending. Those of the terms of the base, in order of ids.
        table: uint64. Open addressing with linear probing, a power of two; a slot is the upper
            half of the hash and the id, 0 is empty. Compiled back end only.
        index, iris, literals: the same of the pure back end: canonical text to id, and accepted
            token of N-Quads to id.
    """

    __slots__ = (
        "_mapped",
        "arena",
        "classes",
        "entries",
        "free",
        "hashes",
        "index",
        "iris",
        "last",
        "lexical",
        "literals",
        "state",
        "table",
        "values",
    )

    def __init__(self, seed: int, *, by_value: bool = False) -> None:
        self.arena: Bytes = np.empty(LEAST_BYTES, np.uint8)
        self.entries: Ids = np.zeros((_LEAST_TERMS, 2), np.int64)
        self.last: Ids = np.full(_LEAST_TERMS, NEVER, np.int64)
        self.values: Float64 = np.zeros(1, np.float64)
        self.classes: Int8 = np.full(_LEAST_TERMS, -1, np.int8)
        self.classes[0] = 0
        self.lexical: Bytes = np.zeros(_LEAST_TERMS, np.uint8)
        self.free: Ids = np.empty(1, np.int64)
        self.state: Ids = np.array([0, 1, 0, 0, 0, seed, by_value, 0, 0], np.int64)
        self.hashes: Hashes = np.zeros(1, np.uint64)
        self._mapped: MappedTerms | None = None
        self.table: npt.NDArray[np.uint64] = np.zeros(2 * _LEAST_TERMS, np.uint64)
        self.index: dict[bytes, int] = {}
        self.iris: dict[bytes, int] = {}
        self.literals: dict[bytes, int] = {}

    def stand_on(self, base: MappedTerms) -> None:
        """Begin with the terms of ``base``; there are no others yet. Kernels must `reindex`."""
        assert self.state[TOP] == 1
        self._mapped = base
        self.state[USED], self.state[TOP] = base.size, base.count + 1
        self.state[SEED] = base.seed
        self.state[BASE], self.state[BASE_SIZE] = base.count, base.size
        self.hashes = base.hashes
        self.arena, self.entries = base.arena, base.entries
        self.last, self.values, self.classes = base.last, base.values, base.classes
        self.resize(base.count + 1)
        self.last[0] = NEVER

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, and of the dicts of the pure back end with their keys."""
        columns = (self.entries, self.last, self.values, self.classes)
        rest = (self.lexical, self.free, self.arena, self.table)
        arrays = sum(column.nbytes for column in (*columns, *rest))
        if not self.index:
            return arrays
        dicts = sum(getsizeof(each) for each in (self.index, self.iris, self.literals))
        return arrays + dicts + int(self.state[USED]) + _OBJECTS * len(self.index)

    def saved(self) -> State:
        """What is in use, but for what is made of it again: the index, and the numeric columns."""
        used, top, free = self.state[: FREE + 1].tolist()
        alias, last = self.is_alias(), self.last[:top]
        return {
            "arena": self.arena[:used],
            "entries": self.entries[:top],
            "target": np.where(alias, last, np.arange(top)),
            "last": np.where(alias, NEVER, last),
            "free": self.free[:free],
        }

    def restore(self, given: StateReader) -> None:
        """Hold what was saved, and nothing else; the kernels must `reindex`."""
        entries = given.array("entries", np.int64, None, 2)
        top = len(entries)
        arena = given.array("arena", np.uint8, None)
        live = _living(given, entries, arena)
        target = given.array("target", np.int64, top)
        alias = entries[:, META] & IS_ALIAS != 0
        of_aliases = target[live & alias]
        given.living("target", of_aliases, live & ~alias)
        if (target != np.arange(top))[live & ~alias].any():
            given.refuse("target", "lets a term stand for another")
        free = given.array("free", np.int64, None)
        if not np.array_equal(np.sort(free), np.flatnonzero(~live[1:]) + 1):
            given.refuse("free", "are not the ids that no term has")
        last = given.array("last", np.int64, top)
        count = int(np.count_nonzero(live))
        aliases = len(of_aliases)
        self.state[: ALIASES + 1] = len(arena), top, len(free), count, aliases
        self.arena = _resized(arena, max(LEAST_BYTES, len(arena)), len(arena))
        self.entries, self.last = entries, last
        self.free = free if len(free) else np.empty(1, np.int64)
        self.values = np.zeros(1, np.float64)
        self.lexical = np.zeros(top, np.uint8)
        self.classes = np.full(top, -1, np.int8)
        self.classes[0] = 0
        self.resize(top)
        self.last[:top][alias] = target[alias]
        self.size_table(count)

    def reserve(self, terms: int, size: int) -> bool:
        """Make room for ``terms`` more entries of ``size`` bytes together, amortised constant.

        Returns whether the hash table is a new one, which `reindex` of the kernels must fill.

        Raises:
            MemoryError: ids would need more than 32 bits, which is what is kept of many.
        """
        used, top, free, live = (int(cell) for cell in self.state[: LIVE + 1])
        if used + size > len(self.arena):
            self.arena = _resized(self.arena, max(used + size, len(self.arena) * 3 // 2), used)
        if top + terms > _MOST_TERMS:
            message = f"a dictionary has at most {_MOST_TERMS:,} terms"
            raise MemoryError(message)
        if terms > free + len(self.last) - top:
            self.resize(max(top + terms, len(self.last) * 3 // 2))
        return self.size_table(live + terms)

    def resize(self, capacity: int) -> None:
        """Give the columns ``capacity`` rows, at least those in use."""
        top, base = int(self.state[TOP]), int(self.state[BASE])
        capacity = max(capacity, top, base + _LEAST_TERMS)
        mapped = self._mapped
        if mapped is not None and capacity > len(mapped.entries):
            mapped = self._mapped = None
        if mapped is None:
            entries = np.zeros((capacity, 2), np.int64)  # pages that are never written take no room
            entries[:top] = self.entries[:top]
            self.entries = entries
            self.last = _resized(self.last, capacity, top)
            if len(self.values) > 1:
                self.values = _grown(self.values, capacity)
            self.classes = _resized(self.classes, capacity, top)
        else:
            self.entries, self.last = mapped.entries[:capacity], mapped.last[:capacity]
            self.values, self.classes = mapped.values[:capacity], mapped.classes[:capacity]
            self.entries[top:] = 0
        self.classes[top:] = -1
        seen = min(top, len(self.lexical))
        self.lexical = _resized(self.lexical, capacity, seen)
        self.lexical[seen:] = 0

    def measurable(self) -> None:
        """Have values for all ids, as one is about to be measured."""
        if len(self.values) < len(self.last):
            self.values = _grown(self.values, len(self.last))

    def is_alias(self) -> npt.NDArray[np.bool_]:
        """Per id that was ever used whether it is that of an alias."""
        found: npt.NDArray[np.bool_] = self.entries[: int(self.state[TOP]), META] & IS_ALIAS != 0
        return found

    def replace(self, texts: Bytes) -> None:
        """Use ``texts``, to which `compact` of the kernels has copied what is not mapped."""
        size, used = int(self.state[BASE_SIZE]), int(self.state[USED])
        if size:
            self.arena[size:used] = texts[: used - size]
        else:
            self.arena = texts

    def size_table(self, live: int) -> bool:
        """Give the table the size for ``live`` entries; whether it is a new, empty one."""
        size = 2 * _LEAST_TERMS
        while live > size * MOST_LOAD:
            size *= 2
        if size <= len(self.table) <= 4 * size:
            return False
        self.table = np.zeros(size, np.uint64)
        return True


def _resized(array: npt.NDArray[_Item], rows: int, used: int) -> npt.NDArray[_Item]:
    result = np.empty((rows, *array.shape[1:]), array.dtype)
    result[:used] = array[:used]
    return result


def _grown(values: Float64, rows: int) -> Float64:
    """``values`` and zeros behind them. Where there are zeros alone, no page of memory is used."""
    result = np.zeros(rows, np.float64)
    for begin in range(0, min(rows, len(values)), _PAGE):
        part = values[begin : min(begin + _PAGE, rows)]
        if part.any():
            result[begin : begin + len(part)] = part
    return result


def _living(given: StateReader, entries: Rows, arena: Bytes) -> npt.NDArray[np.bool_]:
    """Which of ``entries`` are in use; their texts lie in ``arena`` and are UTF-8."""
    metas = entries[:, META]
    live: npt.NDArray[np.bool_] = metas & IS_LIVE != 0
    if not len(entries) or entries[~live].any() or live[0]:
        given.refuse("entries", "have something where no term is")
    starts = entries[live, OFFSET]
    sizes = metas[live] >> LENGTH_SHIFT
    if (sizes < 0).any() or (starts < 0).any() or (starts > len(arena) - sizes).any():
        given.refuse("entries", "have a text beyond all texts")
    order = np.argsort(starts)
    if (starts[order][1:] < (starts + sizes)[order][:-1]).any():
        given.refuse("entries", "have two texts in one place")
    edges = np.concatenate([starts, starts + sizes])
    edges = edges[edges < len(arena)]
    if (arena[edges] & _FIRST_BITS == _CONTINUES).any() or not _is_text(arena):
        given.refuse("arena", "has bytes that are no UTF-8")
    return live


def _is_text(arena: Bytes) -> bool:
    try:
        str(arena.data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class MappedTerms:
    """Terms with the ids 1 to ``count``, which no sweep forgets, and room for others behind them.

    Only what is used is ever read from the file: the columns are mapped copy-on-write, so what is
    written stays in this process. Each has rows for ``count`` terms, from row 1 on, and further
    ones, which are zero; once these are used up, a dictionary copies all of it.

    Attributes:
        seed, count, size: of the hashes, the number of terms, and bytes of their texts.
        arena: their texts first, then room for others.
        entries, values, classes: as of `TermColumns`; all terms are pinned, all numbers known.
        last: (rows,) zeros: these terms are always needed.
        hashes: (count,) uint64. Ascending: terms are in the order of their hashes, and of their
            texts where these are equal.
    """

    seed: int
    count: int
    size: int
    arena: npt.NDArray[np.uint8]
    entries: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int8]
    hashes: npt.NDArray[np.uint64]


def classify_number(text: str) -> tuple[float, int]:
    """Value and class of the term with this canonical text."""
    if _MAY_BE_NUMBER not in text:
        return 0.0, NO_NUMBER
    term = parse_canonical(text)
    found = numeric_value(term) if isinstance(term, Literal) else None
    if found is None:
        return 0.0, NO_NUMBER
    kind, value = found
    if isinstance(value, float):
        return value, FLOAT if kind == "float" else DOUBLE
    double = to_double(value)
    exact = math.isfinite(double) and Decimal(double) == value
    return double + 0.0, EXACT if exact else NEAREST  # no decimal is -0
