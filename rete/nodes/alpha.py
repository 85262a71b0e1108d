"""The alpha network: from facts to the scans they match, at a cost that ignores how many there are.

Every scan belongs to the class of its constants at two positions of the relation (predicate and
object of a triple, the first two arguments of an atom). One pass of a kernel finds the classes of
each row in a hash table; only classes that are met cost anything more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rete import kernels
from rete.delta import Column, Rows, columns
from rete.dictionary import Dictionary
from rete.nodes.base import Stream, constant
from rete.plan import Relation, Scan


class _Member:
    """A scan of a class: its residual conditions and projection."""

    __slots__ = ("constants", "equal", "keep", "stream")

    def __init__(self, stream: Stream, scan: Scan, routed: set[int], terms: Dictionary) -> None:
        rest = [(p, constant(text, terms)) for p, text in scan.constants if p not in routed]
        self.stream = stream
        self.constants = np.array(rest, np.int64).reshape(len(rest), 2)
        self.equal = np.array(scan.equal, np.int64).reshape(len(scan.equal), 2)
        self.keep = columns(scan.keep)


class Alpha:
    """The scans of one relation."""

    __slots__ = (
        "_classes",
        "_counts",
        "_first",
        "_masks",
        "_members",
        "_second",
        "_table",
        "_terms",
    )

    def __init__(self, relation: Relation, terms: Dictionary) -> None:
        self._terms = terms
        self._first, self._second = relation.routing
        self._classes: dict[tuple[int, int], int] = {}
        self._members: list[list[_Member]] = []
        self._masks = 0
        self._table: Rows | None = None
        self._counts: Column = columns([])

    def add(self, stream: Stream, scan: Scan) -> None:
        """Send what matches ``scan`` to ``stream``."""
        ids = {position: constant(text, self._terms) for position, text in scan.constants}
        first = ids.get(self._first, 0)
        second = ids.get(self._second, 0) if self._second != self._first else 0
        routed = {p for p, used in ((self._first, first), (self._second, second)) if used}
        key = (first, second)
        if key not in self._classes:
            self._classes[key] = len(self._members)
            self._members.append([])
            self._masks |= 1 << ((first > 0) + 2 * (second > 0))
            self._table = None
        self._members[self._classes[key]].append(_Member(stream, scan, routed, self._terms))

    def route(self, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, the rows that match its scan."""
        if self._table is None:
            keys = np.array(list(self._classes), np.int64).reshape(len(self._classes), 2)
            self._table = kernels.route_table(keys)
            self._counts = np.zeros(len(keys), np.int64)
        classes, starts, order = kernels.route(
            rows, self._first, self._second, self._table, self._masks, self._counts
        )
        begin = 0
        for cls, end in zip(classes.tolist(), starts[1:].tolist(), strict=True):
            for member in self._members[cls]:
                found = kernels.select(
                    rows, order, begin, end, member.constants, member.equal, member.keep
                )
                if len(found):
                    yield member.stream, found
            begin = end
