"""A loaded folder, opened: its terms become the base of the dictionary, its rows are mapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from r4.errors import InputError
from r4.store.index import FolderIndex, TripleSelection, check_part, read_index
from r4.store.layout import FolderLayout
from r4.store.term_columns import open_base
from rete.arrays.delta import Column, Rows
from rete.arrays.term_columns import (
    BASE_SIZE,
    KIND_BLANK,
    KIND_MASK,
    KIND_SHIFT,
    LENGTH_SHIFT,
    META,
    OFFSET,
    USED,
    MappedTerms,
    TermColumns,
)
from rete.terms.dictionary import Dictionary

_PIECE: Final = 1 << 20
"""Rows handed on at once where they are read with other ids."""


class LoadedFolder:
    """What was loaded into a folder; its methods raise `InputError` where it is damaged."""

    __slots__ = ("_folder", "_number", "index")

    def __init__(self, path: str, number: int) -> None:
        """Open it; ``number`` is that of the first of its documents.

        Raises:
            InputError: nothing was loaded into it.
        """
        self._folder = FolderLayout(Path(path))
        self._number = number
        self.index: FolderIndex = read_index(self._folder)

    def rows_on(self, terms: Dictionary, selection: TripleSelection | None) -> list[Rows]:
        """The selected triples (n, 3); ``terms``, which is empty, gets the folder as its base.

        Nothing else is read, but for a look at where the text of each term lies. None: all triples.
        """
        base = open_base(self._folder, self.index)
        terms.stand_on(base)
        found = list(self._parts(None if selection is None else _ids(selection, terms)))
        if self._number > 1 and self.index.blanks:
            renumber(terms.texts, base, found, self._number - 1)
            terms.kernel.reindex(terms.texts)
        return found

    def rows_in(self, terms: Dictionary) -> Iterator[Rows]:
        """All triples (n, 3), for a dictionary that has other terms, or has literals by value.

        Each of its terms is entered, which costs what reading them costs.
        """
        own = Dictionary()
        own.stand_on(open_base(self._folder, self.index))
        known = np.zeros(self.index.terms + 1, np.int64)
        for rows in self._parts(None):
            for begin in range(0, len(rows), _PIECE):
                piece = rows[begin : begin + _PIECE]
                new = np.unique(piece)
                new = new[known[new] == 0]
                texts = self._texts(own, new)
                known[new] = terms.encode_many(texts)
                yield known[piece]

    def counts(self) -> dict[str, int]:
        """How many triples it has with each predicate, a canonical text."""
        own = Dictionary()
        own.stand_on(open_base(self._folder, self.index))
        predicates = self.index.predicates
        texts = own.decode_many(np.array(list(predicates), np.int64))
        parts = (sum(each.values()) for each in predicates.values())
        return dict(zip(texts, parts, strict=True))

    def _texts(self, own: Dictionary, ids: Column) -> list[str]:
        """The canonical texts of ids, as they are in this run."""
        texts = own.decode_many(ids)
        shift = self._number - 1
        if not shift:
            return texts
        return [
            renumbered(text.encode(), shift).decode() if text[0] == "_" else text for text in texts
        ]

    def _parts(self, selection: dict[int, Column | None] | None) -> Iterator[Rows]:
        """The rows of each selected part."""
        for predicate, parts in self.index.predicates.items():
            if selection is not None and predicate not in selection:
                continue
            objects = None if selection is None else selection[predicate]
            for name, count in parts.items():
                yield self._rows(predicate, name, count, objects)

    def _rows(self, predicate: int, part: str, count: int, objects: Column | None) -> Rows:
        path = self._folder.rows(predicate, part)
        check_part(path, self.index)
        try:
            with pa.memory_map(str(path)) as source:
                batch = pa.ipc.open_file(source).get_batch(0)
                subjects, values = (_column(batch, name) for name in ("s", "o"))
        except (OSError, ValueError, pa.ArrowException, KeyError) as error:
            message = f"{path}: damaged: {error}"
            raise InputError(message) from error
        if not (
            len(subjects) == count
            and self._are_ids(subjects)
            and self._are_ids(values)
            and 0 < predicate <= self.index.terms
        ):
            message = f"{path}: damaged: it has ids that no term has"
            raise InputError(message)
        if objects is not None:
            wanted = np.flatnonzero(np.isin(values, objects))
            subjects, values = subjects[wanted], values[wanted]
        rows = np.empty((len(subjects), 3), np.int64)
        rows[:, 0], rows[:, 1], rows[:, 2] = subjects, predicate, values
        return rows

    def _are_ids(self, column: Column) -> bool:
        return not len(column) or bool(column.min() > 0 and column.max() <= self.index.terms)


def _column(batch: pa.RecordBatch, name: str) -> Column:
    """A column as it is mapped: ``to_numpy`` would import pandas, which takes most of a second."""
    column = batch[name]
    if column.type != pa.int64() or column.null_count:
        message = f"{name} is no column of ids"
        raise ValueError(message)
    return np.frombuffer(column.buffers()[1], np.int64, len(column), 8 * column.offset)


def _ids(selection: TripleSelection, terms: Dictionary) -> dict[int, Column | None]:
    """The selection in ids, of the terms that exist."""
    found: dict[int, Column | None] = {}
    for predicate, objects in selection.items():
        if term := terms.lookup(predicate):
            known = [each for text in sorted(objects or ()) if (each := terms.lookup(text))]
            found[term] = None if objects is None else np.array(known, np.int64)
    return found


_NOT_LENGTH: Final = (1 << LENGTH_SHIFT) - 1


def renumber(texts: TermColumns, base: MappedTerms, rows: Sequence[Rows], shift: int) -> None:
    """Move the blank nodes among ``rows`` to documents whose numbers are ``shift`` higher.

    A folder was loaded with its documents numbered from 1, and in a run others may come before it.
    The texts of terms are mapped, so these blank nodes, and only they, get new texts behind all
    texts of the base. Their hashes stay those of the old texts: nothing finds them by text, as a
    blank node is never looked up from outside of its document.

    The dictionary has no terms yet but those of ``base``. Costs O(blank nodes) in Python.
    """
    used_ids = np.zeros(base.count + 1, np.bool_)
    for each in rows:
        used_ids[each[:, 0]] = used_ids[each[:, 2]] = True
    ids = np.flatnonzero(used_ids)
    metas = texts.entries[ids, META]
    blank = metas >> KIND_SHIFT & KIND_MASK == KIND_BLANK
    ids, metas = ids[blank], metas[blank]
    starts = texts.entries[ids, OFFSET]
    ends = starts + (metas >> LENGTH_SHIFT)
    arena = texts.arena.data
    labels = [
        renumbered(bytes(arena[start:end]), shift)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    joined = np.frombuffer(b"".join(labels), np.uint8)
    texts.reserve(0, len(joined))
    used = int(texts.state[USED])
    texts.arena[used : used + len(joined)] = joined
    sizes = np.fromiter(map(len, labels), np.int64, len(labels))
    texts.entries[ids, OFFSET] = used + np.cumsum(sizes) - sizes
    texts.entries[ids, META] = metas & _NOT_LENGTH | sizes << LENGTH_SHIFT
    texts.state[USED] = texts.state[BASE_SIZE] = used + len(joined)


def renumbered(text: bytes, shift: int) -> bytes:
    """The canonical text of a blank node when its document has a number ``shift`` higher."""
    number, _, label = text.removeprefix(b"_:d").partition(b"_")
    return b"_:d%d_%b" % (int(number) + shift, label)
