"""Answers as soon as time reaches them, and what of them proves untrue.

Beside `Ledger`, which tells what is final, this tells after each element what would be told if
nothing else came: beginnings up to the largest stamp, ends before it. It remembers what it told of
instants that may still change, so it holds as much as lies between the frontier and that stamp.
Only the answers of facts are looked at again that were gained or lost since, given by another rule,
or whose time has come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from sortedcontainers import SortedDict

from r4.answers.ledger import (
    DELETED,
    INSERTED,
    AnswerBlock,
    PendingRows,
    beginning,
    given_rows,
    saved_rows,
)
from r4.answers.output_order import Changes, order_answers, put_undone_first
from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.storage.fact_set import FactSet
from rete.terms.dictionary import Dictionary

_AHEAD: Final = 2
"""Cells from the last end that is due to the largest stamp."""


class EarlyResults:
    """What was told that is not final, and what there is to be told of it now.

    It is told what tables gain and lose, as a `Ledger` is, and which facts a rule gives or gives no
    longer: an answer names its rule.
    """

    def __init__(self, *, instances: bool) -> None:
        self._instances = instances
        self._starts = PendingRows(-2)
        self._ends = PendingRows(-1)
        self._always: list[tuple[FactSet, Rows]] = []
        self._shifted: list[tuple[FactSet, Rows]] = []
        self._told: dict[AnswerSubject, list[EarlyAnswer]] = {}
        self._closing: SortedDict[int, set[AnswerSubject]] = SortedDict()
        self._low = NEG_INF
        self._begun = NEG_INF
        self._ended = NEG_INF
        self._undone: dict[EarlyLine, None] = {}
        self._new: dict[EarlyLine, None] = {}

    def tell(self, table: FactSet, gains: Rows) -> None:
        """Note what a table gained."""
        _wait(self._ends, table, gains[gains[:, -1] < POS_INF])
        always = gains[:, -2] == NEG_INF
        if always.any():
            if self._low == NEG_INF:
                self._always.append((table, gains[always]))
            self.shift(table, gains[always])
            gains = gains[~always]
        _wait(self._starts, table, gains)

    def lose(self, table: FactSet, lost: Rows) -> None:
        """Note what a table lost: an answer may end where that begins, and begin where it ends."""
        _wait(self._starts, table, lost)
        ended = lost.copy()
        np.maximum(lost[:, -2], self._low, out=ended[:, -1])
        _wait(self._ends, table, ended)
        if not self._instances:
            begun = lost[lost[:, -1] < POS_INF]
            begun[:, -2] = begun[:, -1]
            _wait(self._starts, table, begun)

    def shift(self, table: FactSet, rows: Rows) -> None:
        """Note what a rule gives, or gives no longer: answers that were told may name it."""
        rows = rows[rows[:, -2] <= self._begun]
        if self._told and len(rows):
            self._shifted.append((table, rows))

    def close(self, limit: int) -> list[AnswerBlock]:
        """Answers up to ``limit`` are final; none is due by that alone."""
        self._look(max(self._begun, limit), max(self._ended, limit))
        if limit > NEG_INF:
            self._low = limit + 1
        while self._closing and self._closing.peekitem(0)[0] <= limit:
            for subject in self._closing.popitem(0)[1]:
                left = [each for each in self._told.pop(subject, ()) if each.at > limit]
                if left:
                    self._told[subject] = left
        return []

    def due(self, last: int, terms: Dictionary) -> Changes:
        """What is to be told now that ``last`` is the largest stamp, in order."""
        if last > NEG_INF:
            self._look(max(self._begun, 2 * last), max(self._ended, 2 * last - _AHEAD))
        always = [beginning(table.answer_facts, rows) for table, rows in self._always]
        new = [block for block in always if block is not None] + blocks_of(self._new)
        undone = order_answers(blocks_of(self._undone), terms)
        self._always, self._undone, self._new = [], {}, {}
        return put_undone_first(undone, order_answers(new, terms))

    def saved(self, tables: Sequence[FactSet]) -> State:
        """What was told and what waits, of ``tables``."""
        told = ((subject, answer) for subject, some in self._told.items() for answer in some)
        return {
            "low": self._low,
            "begun": self._begun,
            "ended": self._ended,
            "starts": self._starts.saved(tables),
            "ends": self._ends.saved(tables),
            "always": saved_rows(self._always, tables),
            "shifted": saved_rows(self._shifted, tables),
            "told": saved_rows(rows_of(told), tables),
            "undone": saved_rows(rows_of(self._undone), tables),
            "new": saved_rows(rows_of(self._new), tables),
        }

    def restore(self, given: StateReader, tables: Sequence[FactSet], alive: Mask) -> None:
        """Go on from what was saved of such tables."""
        self._low = given.integer("low", NEG_INF, POS_INF)
        self._begun = given.integer("begun", NEG_INF, POS_INF)
        self._ended = given.integer("ended", NEG_INF, POS_INF)
        self._starts.restore(given.parts("starts"), tables)
        self._ends.restore(given.parts("ends"), tables)
        self._always = [found[1:] for found in given_rows(given.parts("always"), tables)]
        self._shifted = [found[1:] for found in given_rows(given.parts("shifted"), tables)]
        for subject, answer in self._lines(given.parts("told"), tables, alive):
            self._told.setdefault(subject, []).append(answer)
            self._closing.setdefault(answer.at, set()).add(subject)
        self._undone = dict.fromkeys(self._lines(given.parts("undone"), tables, alive))
        self._new = dict.fromkeys(self._lines(given.parts("new"), tables, alive))

    def _lines(
        self, parts: Iterable[StateReader], tables: Sequence[FactSet], alive: Mask
    ) -> Iterator[EarlyLine]:
        """The lines that `rows_of` made rows of."""
        start = int(self._instances)
        more = start + len(EarlyAnswer._fields) - 2
        for part, table, rows in given_rows(parts, tables, more):
            arity = table.relation.arity
            part.living("rows", rows[:, :arity], alive)
            for row in rows.tolist():
                cut = arity + start
                yield AnswerSubject(table, tuple(row[:cut])), EarlyAnswer(*row[cut:])

    def unite(self) -> None:
        """Some tables took over others, and stand for them from now on."""
        self._told = {subject.settled: answers for subject, answers in self._told.items()}
        self._undone = {(subject.settled, answer): None for subject, answer in self._undone}
        self._new = {(subject.settled, answer): None for subject, answer in self._new}
        for at, subjects in self._closing.items():
            self._closing[at] = {subject.settled for subject in subjects}

    @property
    def held(self) -> Column:
        """The ids of what was told and is not final, and of what is still to be told."""
        lines = chain(self._undone, self._new)
        subjects = chain(self._told, (subject for subject, _ in lines))
        ids = (subject.ids[: subject.table.relation.arity] for subject in subjects)
        return np.fromiter(chain.from_iterable(ids), np.int64)

    def _look(self, begun: int, ended: int) -> None:
        """Compare what is due with what was told, beginnings and ends up to these cells."""
        self._begun, self._ended = begun, ended
        subjects: dict[FactSet, dict[tuple[int, ...], None]] = {}
        shifted, self._shifted = self._shifted, []
        width = -1 if self._instances else -2
        for table, rows in chain(self._starts.pop(begun), self._ends.pop(ended), shifted):
            ids = map(tuple, rows[:, :width].tolist())
            subjects.setdefault(table.answer_facts, {}).update(dict.fromkeys(ids))
        for table, asked in subjects.items():
            found = self._answers(table, np.array(list(asked), np.int64))
            for each in asked:
                self._compare(AnswerSubject(table, each), found.get(each, []))

    def _answers(self, table: FactSet, asked: Rows) -> dict[tuple[int, ...], list[EarlyAnswer]]:
        """What is due of the subjects ``asked`` and not final."""
        rows = self._rows(table, asked)
        rules = table.rule_at(np.ascontiguousarray(rows[:, :-1])).tolist()
        width = asked.shape[1]
        found: dict[tuple[int, ...], list[EarlyAnswer]] = {}
        for row, rule in zip(rows.tolist(), rules, strict=True):
            start, end = row[-2:]
            answers = found.setdefault(tuple(row[:width]), [])
            if max(self._low, NEG_INF + 1) <= start <= self._begun:
                told = end if self._instances else POS_INF
                answers.append(EarlyAnswer(INSERTED, start, told, rule))
            if self._low <= end <= self._ended:
                answers.append(EarlyAnswer(DELETED, start, end, rule))
        return found

    def _rows(self, table: FactSet, asked: Rows) -> Rows:
        """The rows of ``table`` about the subjects that end when nothing is final, or later."""
        stem = table.facts
        if self._instances:
            found = stem.find(asked, kernels.BEGINS_AT)
        else:
            since = max(self._low - 1, NEG_INF)  # what ends at the first open cell, too
            times = np.broadcast_to(np.array([since, POS_INF]), (len(asked), 2))
            pieces = stem.meet(np.ascontiguousarray(np.hstack((asked, times))), NEG_INF)
            found = stem.find(np.ascontiguousarray(pieces[:, :-1]), kernels.COVERS)
        rows: Rows = stem.rows[found[found >= 0]]
        return rows

    def _compare(self, subject: AnswerSubject, now: list[EarlyAnswer]) -> None:
        """Keep the difference between ``now`` and what was told of a subject."""
        before = self._told.pop(subject, [])
        for answer in before:
            if answer not in now:
                _note((subject, answer), self._undone, self._new)
        for answer in now:
            if answer not in before:
                _note((subject, answer), self._new, self._undone)
                self._closing.setdefault(answer.at, set()).add(subject)
        if now:
            self._told[subject] = now


def _wait(due: PendingRows, table: FactSet, rows: Rows) -> None:
    if len(rows):
        due.add(table, rows)


def _note(line: EarlyLine, to: dict[EarlyLine, None], opposite: dict[EarlyLine, None]) -> None:
    """Put a line down, unless its opposite is there, which it strikes out."""
    if line in opposite:
        del opposite[line]
    else:
        to[line] = None


class AnswerSubject(NamedTuple):
    """What has answers: a fact, or in *instances* a fact and its start.

    Attributes:
        table: the table of the fact.
        ids: those of its terms, and in *instances* the cell of its start.
    """

    table: FactSet
    ids: tuple[int, ...]

    @property
    def settled(self) -> AnswerSubject:
        """The same, in the table that stands for its own."""
        return AnswerSubject(self.table.answer_facts, self.ids)


class EarlyAnswer(NamedTuple):
    """An answer of a subject, as it is printed; ``end`` is `POS_INF` where it is not."""

    op: int
    start: int
    end: int
    rule: int

    @property
    def at(self) -> int:
        """When it is due, in cells."""
        return self.start if self.op == INSERTED else self.end


EarlyLine: TypeAlias = tuple[AnswerSubject, EarlyAnswer]


def rows_of(lines: Iterable[EarlyLine]) -> Iterator[tuple[FactSet, Rows]]:
    """Each line as a row of numbers, subject before answer, with its table."""
    for subject, answer in lines:
        yield subject.table, np.array([[*subject.ids, *answer]], np.int64)


def blocks_of(lines: Iterable[EarlyLine]) -> list[AnswerBlock]:
    """The lines by their tables."""
    parts: dict[FactSet, list[EarlyLine]] = {}
    for line in lines:
        parts.setdefault(line[0].table, []).append(line)
    return [_block(table, part) for table, part in parts.items()]


def _block(table: FactSet, lines: list[EarlyLine]) -> AnswerBlock:
    arity = table.relation.arity
    facts = np.array([subject.ids[:arity] for subject, _ in lines], np.int64)
    answers = np.array([answer for _, answer in lines], np.int64)
    return AnswerBlock(
        table.relation,
        facts.reshape(len(lines), arity),
        answers[:, 0].astype(np.int8),
        *np.ascontiguousarray(answers[:, 1:].T),
    )
