"""What was told: answers one by one, to be compared with what is to be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from r4.answers import INSERTED, Block
from rete.delta import Rows
from rete.nodes.held import Held


class Subject(NamedTuple):
    """What has answers: a fact, or in *instances* a fact and its start.

    Attributes:
        table: the table of the fact.
        ids: those of its terms, and in *instances* the cell of its start.
    """

    table: Held
    ids: tuple[int, ...]

    @property
    def settled(self) -> Subject:
        """The same, in the table that stands for its own."""
        return Subject(self.table.told, self.ids)


class Answer(NamedTuple):
    """An answer of a subject, as it is printed; ``end`` is `POS_INF` where it is not."""

    op: int
    start: int
    end: int
    rule: int

    @property
    def at(self) -> int:
        """When it is due, in cells."""
        return self.start if self.op == INSERTED else self.end


Line: TypeAlias = tuple[Subject, Answer]


def rows_of(lines: Iterable[Line]) -> Iterator[tuple[Held, Rows]]:
    """Each line as a row of numbers, subject before answer, with its table."""
    for subject, answer in lines:
        yield subject.table, np.array([[*subject.ids, *answer]], np.int64)


def blocks_of(lines: Iterable[Line]) -> list[Block]:
    """The lines by their tables."""
    parts: dict[Held, list[Line]] = {}
    for line in lines:
        parts.setdefault(line[0].table, []).append(line)
    return [_block(table, part) for table, part in parts.items()]


def _block(table: Held, lines: list[Line]) -> Block:
    arity = table.relation.arity
    facts = np.array([subject.ids[:arity] for subject, _ in lines], np.int64)
    answers = np.array([answer for _, answer in lines], np.int64)
    return Block(
        table.relation,
        facts.reshape(len(lines), arity),
        answers[:, 0].astype(np.int8),
        *np.ascontiguousarray(answers[:, 1:].T),
    )
