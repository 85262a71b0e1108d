"""The base table: what is asserted, by the element that asserts it.

It is asked to take facts back, to add rules that see what was there before, to explain an answer,
and for what negation rests on. Until then what is asserted waits in a row, without an index.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rete.delta import NEG_INF, POS_INF, Column, Rows, columns, empty
from rete.plan import Relation
from rete.representatives import Representatives
from rete.stem import Stem


class _Part(NamedTuple):
    """Facts that wait to be indexed; ``least`` is the first of their ends."""

    relation: Relation
    facts: Rows
    names: Column | None
    least: int


class Asserted:
    """Facts with the name of their element as a last term; 0 where there is none.

    The same fact in two elements is two assertions: taking one back leaves the other.
    """

    __slots__ = ("_bound", "_indexed", "_instances", "_waiting")

    def __init__(self, *, instances: bool) -> None:
        self._instances = instances
        self._indexed: dict[Relation, Stem] = {}
        self._waiting: deque[_Part] = deque()
        self._bound = NEG_INF

    def add(self, relation: Relation, facts: Rows, names: Column | None, bound: int) -> None:
        """Note ``facts`` (n, arity + 2) and the names (n,) of their elements; None: no names.

        What ended before ``bound`` may be dropped on the way.
        """
        self._bound = bound
        if len(facts):
            self._waiting.append(_Part(relation, facts, names, int(facts[:, -1].min())))
        for _ in range(min(2, len(self._waiting))):  # so each part is looked at now and then
            self._look(bound)

    def _look(self, bound: int) -> None:
        """Drop what ended of the part that waits longest."""
        part = self._waiting.popleft()
        if part.least > bound:
            self._waiting.append(part)
            return
        held = part.facts[:, -1] > bound
        if held.any():
            facts = part.facts[held]
            names = None if part.names is None else part.names[held]
            self._waiting.append(_Part(part.relation, facts, names, int(facts[:, -1].min())))

    @property
    def _stems(self) -> dict[Relation, Stem]:
        """All of it, indexed."""
        while self._waiting:
            relation, facts, names, _ = self._waiting.popleft()
            if relation not in self._indexed:
                self._indexed[relation] = Stem(relation.arity + 1, instances=self._instances)
            rows = np.insert(facts, relation.arity, 0 if names is None else names, axis=1)
            self._indexed[relation].absorb(np.ascontiguousarray(rows), self._bound)
        return self._indexed

    def known(self, names: Column, since: int) -> int:
        """How many of ``names``, each once, have something that holds at ``since`` or later."""
        found: npt.NDArray[np.bool_] = np.zeros(len(names), np.bool_)
        for relation, stem in self._stems.items():
            asked = np.empty((len(names), 3), np.int64)
            asked[:, 0], asked[:, 1], asked[:, 2] = np.arange(len(names)), since, POS_INF
            asked = np.insert(asked, 0, names, axis=1)
            key, index = columns([0]), stem.index((relation.arity,))
            found[stem.probe(asked, key, stem.n, index, columns([1]))[:, 0]] = True
        return int(np.count_nonzero(found))

    def take(self, names: Column, since: int) -> Iterator[tuple[Relation, Rows]]:
        """Take back all that elements of these names assert from the cell ``since`` on.

        Per relation the facts that are asserted no longer, (n, arity + 2), cut at ``since`` where
        facts are kept by interval.
        """
        asked = np.empty((len(names), 3), np.int64)
        asked[:, 0], asked[:, 1], asked[:, 2] = names, NEG_INF, POS_INF
        for relation, stem in self._stems.items():
            arity = relation.arity
            keep = columns([~c for c in range(arity + 1)])
            rows = stem.probe(asked, columns([0]), stem.n, stem.index((arity,)), keep)
            yield relation, self._taken(relation, rows, since)

    def take_rows(self, relation: Relation, rows: Rows, since: int) -> Rows:
        """Take back single facts with the names of their elements, (n, arity + 1)."""
        asked = np.empty((len(rows), relation.arity + 3), np.int64)
        asked[:, :-2] = rows
        asked[:, -2], asked[:, -1] = NEG_INF, POS_INF
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity)
        key = tuple(range(relation.arity + 1))
        keep = columns([~c for c in key])
        found = stem.probe(asked, columns(key), stem.n, stem.index(key), keep)
        return self._taken(relation, found, since)

    def _taken(self, relation: Relation, rows: Rows, since: int) -> Rows:
        stem, arity = self._stems[relation], relation.arity
        rows = rows[rows[:, -1] > since]
        if not self._instances:
            np.maximum(rows[:, -2], since, out=rows[:, -2])
        stem.remove(rows, since)
        facts = np.ascontiguousarray(np.delete(rows, arity, axis=1))
        if self._instances:
            return facts
        key = tuple(range(arity))
        return stem.uncovered(facts, columns(key), stem.index(key))

    def left(self, relation: Relation, facts: Rows) -> Rows:
        """The pieces of ``facts`` that are not asserted."""
        stem = self._stems.get(relation)
        if stem is None or self._instances:
            return facts
        key = tuple(range(relation.arity))
        return stem.uncovered(facts, columns(key), stem.index(key))

    def matching(self, relation: Relation, asked: Rows, places: tuple[int, ...]) -> Rows:
        """The facts, (n, arity + 2), that agree with some of ``asked`` at ``places``."""
        stem = self._stems.get(relation)
        if stem is None:
            return empty(relation.arity)
        keep = columns([~c for c in range(relation.arity)])
        key = columns(range(len(places)))
        return stem.probe(asked, key, stem.n, stem.index(places), keep)

    def content(self) -> Iterator[tuple[Relation, Rows]]:
        """All facts that are held, per relation (n, arity + 2), each once an element."""
        for relation, stem in self._stems.items():
            yield relation, np.ascontiguousarray(np.delete(stem.content(), relation.arity, axis=1))

    def translate(self, relation: Relation, same: Representatives) -> None:
        """Let representatives stand for the terms of the facts of ``relation``."""
        self._waiting = deque(
            part._replace(facts=same.of(part.facts)) if part.relation == relation else part
            for part in self._waiting
        )
        stem = self._indexed.pop(relation, None)
        if stem is not None:
            rows = stem.content()
            names = np.ascontiguousarray(rows[:, relation.arity])
            facts = np.ascontiguousarray(np.delete(rows, relation.arity, axis=1))
            self.add(relation, same.of(facts), names, self._bound)

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``."""
        for stem in self._indexed.values():
            stem.expire(bound)
        for _ in range(len(self._waiting)):
            self._look(bound)

    @property
    def stems(self) -> list[Stem]:
        """All that it remembers."""
        return list(self._stems.values())
