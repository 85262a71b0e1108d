"""Which patterns the facts of a rule may match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from rete.plan import TRIPLES, Head, Relation, Scan


class Patterns:
    """Scans with their numbers, by what a head can be compared with first."""

    def __init__(self) -> None:
        self._scans: dict[tuple[Relation, str], list[tuple[int, Scan]]] = defaultdict(list)
        self._all: dict[Relation, list[tuple[int, Scan]]] = defaultdict(list)

    def add(self, number: int, scan: Scan) -> None:
        """Remember a scan by its number."""
        predicate = dict(scan.constants).get(_predicate_place(scan.relation), "")
        self._scans[scan.relation, predicate].append((number, scan))
        self._all[scan.relation].append((number, scan))

    def fed_by(self, head: Head) -> Iterator[int]:
        """Numbers of the scans that a fact of ``head`` may match."""
        relation = head.relation
        place = _predicate_place(relation)
        predicate = head.args[place] if relation.arity else ""
        near = (
            [*self._scans[relation, predicate], *self._scans[relation, ""]]
            if isinstance(predicate, str) and predicate
            else self._all[relation]
        )
        yield from (number for number, scan in near if head.feeds(scan))


def _predicate_place(relation: Relation) -> int:
    """The place of a constant that most facts differ in."""
    return 1 if relation == TRIPLES else 0
