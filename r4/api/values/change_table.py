"""Changes as a table: in a notebook, as Arrow, as a frame of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, overload

from r4.api.values.change import CELLS, Change
from r4.api.values.event_clock import Instant
from r4.api.values.rdflib_terms import to_text
from r4.extras import MissingExtra, version_of
from r4.markup import table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SHOWN: Final = 100
"""Rows that a notebook shows."""
EXTRA: Final = "frames"


class ChangeTable(Sequence[Change]):
    """Changes of one run, in their order.

    >>> from r4.api import Engine
    >>> engine = Engine.from_text("Document( Group() )")
    >>> len(ChangeTable(engine.changes()))
    0
    """

    __slots__ = ("_changes",)

    def __init__(self, changes: Iterable[Change]) -> None:
        self._changes = tuple(changes)

    def __len__(self) -> int:
        return len(self._changes)

    @overload
    def __getitem__(self, place: int) -> Change: ...
    @overload
    def __getitem__(self, place: slice) -> ChangeTable: ...
    def __getitem__(self, place: int | slice) -> Change | ChangeTable:
        if isinstance(place, slice):
            return ChangeTable(self._changes[place])
        return self._changes[place]

    def __repr__(self) -> str:
        return f"ChangeTable({list(self._changes)!r})"

    def _repr_html_(self) -> str:
        more = len(self) - SHOWN
        note = f"and {more} more" if more > 0 else ""
        return table(CELLS, (change.cells() for change in self._changes[:SHOWN]), note)

    def to_arrow(self) -> pa.Table:
        """The columns that ``r4 run --as parquet`` writes, a change a row.

        They are op, at, s, p, o, atom, error, from, until, rule and undone, and seq if a change has
        a number, as those of an engine with a ``state``: terms as in N-Triples,
        flags True or null. Times are integers, or timestamps in UTC with microseconds; or texts, if
        a datetime cannot say one of them. Rules are integers, or texts if one has an IRI. Written
        as Parquet it is a stream that `r4 run` reads. A fact with a list is in ``atom``.

        Raises:
            MissingExtra: pyarrow is not installed.
            ValueError: some times are integers and some datetimes, as they are of several runs.
        """
        _require("pyarrow")
        import pyarrow as pa  # noqa: PLC0415 - an extra

        changes = self._changes
        none = (None, None, None)
        terms = [
            none if each.triple is None else tuple(map(to_text, each.triple)) for each in changes
        ]
        subjects, predicates, objects = zip(*terms, strict=True) if terms else ((), (), ())
        times = [(each.at, each.start, each.until) for each in changes]
        kinds = {type(time) for row in times for time in row if time is not None}
        if int in kinds and len(kinds) > 1:
            message = "times are integers and datetimes: the changes are of several runs"
            raise ValueError(message)
        time_type = pa.timestamp("us", "UTC")
        if kinds == {int}:
            time_type = pa.int64()
        elif str in kinds:
            time_type = pa.string()
            times = [(_time_text(a), _time_text(b), _time_text(c)) for a, b, c in times]
        at, start, until = zip(*times, strict=True) if times else ((), (), ())
        named = any(isinstance(each.rule, str) and each.rule for each in changes)
        rules = [(str(each.rule) if named else each.rule) or None for each in changes]
        text, flag = pa.string(), pa.bool_()
        columns = {
            "op": ([each.op for each in changes], text),
            "at": (at, time_type),
            "s": (subjects, text),
            "p": (predicates, text),
            "o": (objects, text),
            "atom": ([each.atom for each in changes], text),
            "error": ([each.error or None for each in changes], flag),
            "from": (start, time_type),
            "until": (until, time_type),
            "rule": (rules, text if named else pa.int64()),
            "undone": ([each.undone or None for each in changes], flag),
        }
        if any(each.seq is not None for each in changes):
            columns["seq"] = ([each.seq for each in changes], pa.int64())
        return pa.table({name: pa.array(*column) for name, column in columns.items()})

    def to_pandas(self) -> pd.DataFrame:
        """The same as a frame.

        Raises:
            MissingExtra: pandas or pyarrow is not installed.
            ValueError: as of `to_arrow`.
        """
        _require("pandas")
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame


def _require(package: str) -> None:
    if version_of(package) is None:
        raise MissingExtra(EXTRA, package)


def _time_text(time: Instant | str | None) -> Instant | str | None:
    """A datetime as a text, as those that it stands beside."""
    if isinstance(time, datetime):
        return time.isoformat().replace("+00:00", "Z")
    return time
