"""A row of a table, whatever it is read from, and what reads rows as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from r4.errors import Flaw
from r4.sources.tables.mapping import BadValue
from rete.arrays.state_codec import State, StateReader


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        line: Where it ends in the file, from 1.
        number: Which row it is, from 1; neither the header nor empty lines are rows.
        fields: Values by column.
        flaw: What is wrong with it.
        why: The same as a message.
    """

    line: int
    number: int
    fields: Mapping[str, str]
    flaw: Flaw = Flaw.NONE
    why: str = ""

    def check(self) -> None:
        """Check that the row can be used.

        Raises:
            BadValue: It cannot.
        """
        if self.flaw:
            raise BadValue(self.why)


def is_cut_short(rows: Sequence[TableRow]) -> bool:
    """Whether nothing can be read behind ``rows``."""
    return bool(rows) and rows[-1].flaw is Flaw.CUT_SHORT


class RowReader(Protocol):
    """Reads the rows of a table from its bytes, and can be saved between two calls."""

    @property
    def line(self) -> int:
        """The line that comes next, from 1."""

    @property
    def pending(self) -> int:
        """Bytes of a row that has not come whole."""

    def read(self, data: bytes, *, final: bool = False) -> Sequence[TableRow]:
        """The rows that ``data`` completes; ``final``: the table ends there.

        The last one has the flaw ``CUT_SHORT`` if no more can be read.

        Raises:
            InputError: The table lacks a column that is needed.
        """

    def forget_pending(self) -> None:
        """Leave out what has come of a row that has not come whole."""

    def saved(self) -> State:
        """Where it is."""

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved."""
