"""Where a reader of a table is: among the lines of its text, and among its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from r4.sources.text_lines import TextPlace
from rete.arrays.state_codec import State, StateReader

if TYPE_CHECKING:
    from r4.sources.tables.table_columns import ColumnRows, TableColumn
    from rete.arrays.term_columns import Ids


class TablePlace(TextPlace):
    """Where a reader of a table is: how many rows it has read, and what has come of the next."""

    __slots__ = ("_number",)

    def __init__(self) -> None:
        super().__init__()
        self._number = 0

    def saved(self) -> State:
        """Where it is."""
        return {**super().saved(), "number": self._number}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before anything was read."""
        super().restore(given)
        self._number = given.integer("number", 0)

    def _as_columns(
        self, text: bytes, read: Callable[[bytes], tuple[dict[str, TableColumn], Ids] | None]
    ) -> ColumnRows | None:
        """The rows of the whole lines of ``text``, if ``read`` reads them; the rest waits."""
        from r4.sources.tables.table_columns import ColumnRows  # noqa: PLC0415

        cut = text.rfind(b"\n") + 1
        found = read(text[:cut])
        if found is None:
            return None
        columns, lines = found
        rows = ColumnRows(self._number + 1, self._line + 1 + lines, columns)
        self._number += len(rows)
        self._line += text.count(b"\n", 0, cut)
        self._rest = text[cut:]
        return rows
