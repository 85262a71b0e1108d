"""The alpha network: from facts to the scans they match, at a cost that ignores how many there are.

Every scan belongs to the class of its constants at two positions of the relation (predicate and
object of a triple, the first two arguments of an atom). One pass of a kernel finds the classes of
each row in a hash table; only classes that are met cost anything more. Inside a class, scans with
further constants are found in the same way, by the next two positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import Column, Rows, columns
from rete.graph.streams import Stream
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary, constant
from rete.terms.relations import Relation

_NO_CONSTANTS: Final = 1
"""The masks of a relation whose scans have no constants at the two positions: of one class."""
_FEW: Final = 256
_PLACES: Final[Column] = np.arange(_FEW)
"""The places of few rows; more are worth the pass of a kernel."""


class _RoutedScan:
    """A scan whose constants are all used for routing: equal columns and projection are left."""

    __slots__ = ("selection", "stream")

    def __init__(self, stream: Stream, scan: Scan) -> None:
        self.stream = stream
        equal = np.array(scan.equal, np.int64).reshape(len(scan.equal), 2)
        self.selection = kernels.Selection(equal, columns(scan.keep))


class _Class:
    """The scans with the same constants at two positions.

    Attributes:
        members: those without further constants.
        narrower: the others, by the positions of their next two constants.
    """

    __slots__ = ("members", "narrower")

    def __init__(self) -> None:
        self.members: list[_RoutedScan] = []
        self.narrower: dict[tuple[int, int], _Routes] = {}

    def route(
        self, rows: Rows, order: Column, begin: int, end: int
    ) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, those of ``rows[order[begin:end]]`` that match its scan."""
        for member in self.members:
            found = kernels.select(rows, order, begin, end, member.selection)
            if len(found):
                member.stream.is_matched = True
                yield member.stream, found
        if self.narrower:
            matching = rows[order[begin:end]]
            for routes in self.narrower.values():
                yield from routes.route(matching)


class _Routes:
    """Classes of scans, by their constants at two positions, which may be one."""

    __slots__ = ("_classes", "_counts", "_first", "_masks", "_numbers", "_second", "_table")

    def __init__(self, first: int, second: int) -> None:
        self._first, self._second = first, second
        self._numbers: dict[tuple[int, int], int] = {}
        self._classes: list[_Class] = []
        self._masks = 0
        self._table: Rows | None = None
        self._counts: Column = columns([])

    def add(self, member: _RoutedScan, constants: Mapping[int, int]) -> None:
        """Enter a scan with these ``constants``, ids by position."""
        first = constants.get(self._first, 0)
        second = constants.get(self._second, 0) if self._second != self._first else 0
        key = (first, second)
        if key not in self._numbers:
            self._numbers[key] = len(self._classes)
            self._classes.append(_Class())
            self._masks |= 1 << ((first > 0) + 2 * (second > 0))
            self._table = None
        cls = self._classes[self._numbers[key]]
        rest = {p: c for p, c in constants.items() if p not in {self._first, self._second}}
        if rest:
            places = sorted(rest)[:2]
            pair = (places[0], places[-1])
            if pair not in cls.narrower:
                cls.narrower[pair] = _Routes(*pair)
            cls.narrower[pair].add(member, rest)
        else:
            cls.members.append(member)

    def route(self, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, the rows that match its scan."""
        if self._masks == _NO_CONSTANTS and len(rows) <= _FEW:
            return self._classes[0].route(rows, _PLACES, 0, len(rows))
        return self._route_by_class(rows)

    def _route_by_class(self, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        classes, starts, order = self._classified(rows)
        begin = 0
        for number, end in zip(classes.tolist(), starts[1:].tolist(), strict=True):
            yield from self._classes[number].route(rows, order, begin, end)
            begin = end

    def _classified(self, rows: Rows) -> tuple[Column, Column, Column]:
        """The classes of rows, where the rows of each begin, and their places in this order."""
        if self._table is None:
            keys = np.array(list(self._numbers), np.int64).reshape(len(self._numbers), 2)
            self._table = kernels.route_table(keys)
            self._counts = np.zeros(len(keys), np.int64)
        return kernels.route(
            rows, self._first, self._second, self._table, self._masks, self._counts
        )


class Alpha:
    """The scans of one relation."""

    __slots__ = ("_routes", "_terms", "route")

    route: Callable[[Rows], Iterator[tuple[Stream, Rows]]]
    """Per stream that has any, the rows that match its scan; the cost is that of the rows."""

    def __init__(self, relation: Relation, terms: Dictionary) -> None:
        self._terms = terms
        self._routes = _Routes(*relation.routing)
        self.route = self._routes.route

    def add(self, stream: Stream, scan: Scan) -> Column:
        """Send what matches ``scan`` to ``stream``; the ids of its constants."""
        constants = {position: constant(text, self._terms) for position, text in scan.constants}
        self._routes.add(_RoutedScan(stream, scan), constants)
        return columns(constants.values())
