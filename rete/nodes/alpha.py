"""The alpha network: from facts to the scans they match, at a cost that ignores how many there are.

Every scan belongs to the class of its constants at two positions of the relation (predicate and
object of a triple, the first two arguments of an atom). One pass of a kernel finds the classes of
each row in a hash table; only classes that are met cost anything more. Inside a class, scans with
further constants are found in the same way, by the next two positions.

Where numbers of scans stand for their values, a row gets one more column for each such position:
the numeric constant that its term matches. It is looked for once a term, and rows without one go no
further. Of a row that matches several constants there are as many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import Column, Rows, columns
from rete.arrays.term_columns import TOP
from rete.graph.streams import Stream
from rete.nodes.scan import Scan
from rete.storage.row_algebra import append_term
from rete.terms.dictionary import Dictionary, constant
from rete.terms.number_constants import NumberIndex
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
        self.selection = kernels.Selection(equal, columns(scan.keep), repeats=not scan.is_injective)


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

    @property
    def is_empty(self) -> bool:
        """Whether it has no scan."""
        return not self._classes

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


class _Numbers:
    """The numeric constants of scans at a position, and which of them terms match.

    What is known of a term is forgotten with a sweep of the dictionary: ids may mean others then.
    """

    __slots__ = ("_begins", "_found", "_ids", "_index", "_known", "_sweeps", "_terms")

    def __init__(self, terms: Dictionary) -> None:
        self._terms = terms
        self._ids: dict[str, int] = {}
        self._index: NumberIndex | None = None
        self._sweeps = 0
        self._known = np.empty(0, np.int64)
        self._found = self._begins = columns([])

    def add(self, text: str) -> int:
        """Enter a constant; its id."""
        self._index = None
        return self._ids.setdefault(text, constant(text, self._terms))

    def match(self, rows: Rows, place: int) -> Rows:
        """The rows whose term at ``place`` matches constants, each with one as a last term."""
        groups = self._groups(rows[:, place])
        some = np.flatnonzero(groups)
        if not len(some):
            return np.empty((0, rows.shape[1] + 1), np.int64)
        groups = groups[some]
        begins = self._begins[groups]
        counts = self._begins[groups + 1] - begins
        if counts.max() > 1:
            nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            some, begins = np.repeat(some, counts), np.repeat(begins, counts) + nth
        return append_term(rows[some], self._found[begins])

    def _groups(self, ids: Column) -> Column:
        """Per id the number of what it matches, 0 if that is nothing."""
        is_new = self._index is None
        if self._index is None:
            self._index = NumberIndex(self._ids)
        if is_new or self._sweeps != self._terms.sweeps:
            self._sweeps = self._terms.sweeps
            self._known = np.empty(0, np.int64)
            self._found, self._begins = columns([]), columns([0, 0])  # the first group is empty
        top = int(self._terms.texts.state[TOP])
        if len(self._known) < top:
            more = np.full(top, -1, np.int64)  # half of them are for terms to come
            self._known = np.concatenate([self._known, more])
        groups = self._known[ids]
        if (groups < 0).any():
            self._look_at(ids[groups < 0])
            groups = self._known[ids]
        return groups

    def _look_at(self, ids: Column) -> None:
        assert self._index is not None
        self._known[ids] = 0
        found, ends = list[int](), list[int]()
        for term, matching in self._index.matches(ids, self._terms):
            self._known[term] = len(self._begins) - 1 + len(ends)
            found += (self._ids[text] for text in matching)
            ends.append(len(self._found) + len(found))
        self._found = np.concatenate([self._found, columns(found)])
        self._begins = np.concatenate([self._begins, columns(ends)])


class _NumberRoutes:
    """The scans of a relation with numbers that stand for their values, at the same positions."""

    __slots__ = ("_numbers", "_places", "_routes", "_width")

    def __init__(self, relation: Relation, places: Sequence[int], terms: Dictionary) -> None:
        self._places = places
        self._width = relation.arity
        self._numbers = [_Numbers(terms) for _ in places]
        others = [place for place in relation.routing if place not in places]
        self._routes = _Routes(others[0] if others else self._width, self._width)

    def add(self, member: _RoutedScan, scan: Scan, constants: Mapping[int, int]) -> None:
        """Enter a scan with these other ``constants``, ids by position."""
        texts = (text for _, text in scan.numbers)
        found = (known.add(text) for known, text in zip(self._numbers, texts, strict=True))
        self._routes.add(member, {**constants, **dict(enumerate(found, self._width))})

    def route(self, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, the rows that match its scan."""
        for place, numbers in zip(self._places, self._numbers, strict=True):
            rows = numbers.match(rows, place)
            if not len(rows):
                return iter(())
        return self._routes.route(rows)


class Alpha:
    """The scans of one relation."""

    __slots__ = ("_by_value", "_relation", "_routes", "_terms", "route")

    route: Callable[[Rows], Iterator[tuple[Stream, Rows]]]
    """Per stream that has any, the rows that match its scan; the cost is that of the rows."""

    def __init__(self, relation: Relation, terms: Dictionary) -> None:
        self._terms = terms
        self._relation = relation
        self._routes = _Routes(*relation.routing)
        self._by_value: dict[tuple[int, ...], _NumberRoutes] = {}
        self.route = self._routes.route

    def add(self, stream: Stream, scan: Scan) -> Column:
        """Send what matches ``scan`` to ``stream``; the ids of its constants, numbers left out."""
        constants = {position: constant(text, self._terms) for position, text in scan.constants}
        member = _RoutedScan(stream, scan)
        if scan.numbers:
            places = tuple(place for place, _ in scan.numbers)
            if places not in self._by_value:
                made = _NumberRoutes(self._relation, places, self._terms)
                self._by_value[places] = made
                self.route = self._route_all
            self._by_value[places].add(member, scan, constants)
        else:
            self._routes.add(member, constants)
        return columns(constants.values())

    def _route_all(self, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        if not self._routes.is_empty:
            yield from self._routes.route(rows)
        for routes in self._by_value.values():
            yield from routes.route(rows)
