"""A row of a table, whatever it is read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from r4.errors import Flaw
from r4.sources.tables.mapping import BadValue


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
