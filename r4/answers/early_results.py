"""Early results: answers emitted as soon as time reaches them, and undone if they prove untrue.

`Ledger` gives answers that are final. This gives, after each element, the answers that would be
final if nothing else came: beginnings up to the largest stamp, ends before it. It remembers what it
emitted of instants that may still change, which is as much as lies between the frontier and that
stamp. Only those facts are compared again that were gained or lost since, that another rule gives
now, or whose time has come.
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
    restored_rows,
    saved_rows,
)
from r4.answers.output_order import Changes, order_answers, put_undone_first
from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.storage.fact_set import FactSet
from rete.terms.dictionary import Dictionary

_AHEAD: Final = 2
"""Cells from the last end that is emitted to the largest stamp."""


class EarlyResults:
    """What was emitted and is not final, and how it changes.

    Called with what tables gain and lose, as a `Ledger` is, and with the facts that a rule gives or
    gives no longer: an answer names its rule.
    """

    def __init__(self, *, instances: bool) -> None:
        self._instances = instances
        self._starts = PendingRows(-2)
        self._ends = PendingRows(-1)
        self._always: list[tuple[FactSet, Rows]] = []
        self._other_rule: list[tuple[FactSet, Rows]] = []
        self._emitted: dict[AnswerSubject, list[EarlyAnswer]] = {}
        self._closing: SortedDict[int, set[AnswerSubject]] = SortedDict()
        self._first_open = NEG_INF
        self._starts_until = NEG_INF
        self._ends_until = NEG_INF
        self._undone: dict[EarlyLine, None] = {}
        self._new: dict[EarlyLine, None] = {}

    def gain(self, table: FactSet, gains: Rows) -> None:
        """Note what a table gained."""
        self._ends.add(table, gains[gains[:, -1] < POS_INF])
        always = gains[:, -2] == NEG_INF
        if always.any():
            if self._first_open == NEG_INF:
                self._always.append((table, gains[always]))
            self.shift(table, gains[always])
            gains = gains[~always]
        self._starts.add(table, gains)

    def lose(self, table: FactSet, lost: Rows) -> None:
        """Note what a table lost: an answer may end where that begins, and begin where it ends."""
        self._starts.add(table, lost)
        ended = lost.copy()
        np.maximum(lost[:, -2], self._first_open, out=ended[:, -1])
        self._ends.add(table, ended)
        if not self._instances:
            begun = lost[lost[:, -1] < POS_INF]
            begun[:, -2] = begun[:, -1]
            self._starts.add(table, begun)

    def shift(self, table: FactSet, rows: Rows) -> None:
        """Note what a rule gives, or gives no longer: emitted answers may name it."""
        rows = rows[rows[:, -2] <= self._starts_until]
        if self._emitted and len(rows):
            self._other_rule.append((table, rows))

    def close(self, limit: int) -> list[AnswerBlock]:
        """Answers up to ``limit`` are final; that alone emits none."""
        self._compare_all(max(self._starts_until, limit), max(self._ends_until, limit))
        if limit > NEG_INF:
            self._first_open = limit + 1
        while self._closing and self._closing.peekitem(0)[0] <= limit:
            for subject in self._closing.popitem(0)[1]:
                left = [each for each in self._emitted.pop(subject, ()) if each.at > limit]
                if left:
                    self._emitted[subject] = left
        return []

    def due(self, last: int, terms: Dictionary) -> Changes:
        """What is emitted now that ``last`` is the largest stamp, in order."""
        if last > NEG_INF:
            self._compare_all(
                max(self._starts_until, 2 * last), max(self._ends_until, 2 * last - _AHEAD)
            )
        always = [beginning(table.answer_facts, rows) for table, rows in self._always]
        new = [block for block in always if block is not None] + blocks_of(self._new)
        undone = order_answers(blocks_of(self._undone), terms)
        self._always, self._undone, self._new = [], {}, {}
        return put_undone_first(undone, order_answers(new, terms))

    def saved(self, tables: Sequence[FactSet]) -> State:
        """What was emitted and what is pending, of ``tables``."""
        emitted = ((subject, answer) for subject, some in self._emitted.items() for answer in some)
        return {
            "low": self._first_open,
            "begun": self._starts_until,
            "ended": self._ends_until,
            "starts": self._starts.saved(tables),
            "ends": self._ends.saved(tables),
            "always": saved_rows(self._always, tables),
            "shifted": saved_rows(self._other_rule, tables),
            "told": saved_rows(rows_of(emitted), tables),
            "undone": saved_rows(rows_of(self._undone), tables),
            "new": saved_rows(rows_of(self._new), tables),
        }

    def restore(self, given: StateReader, tables: Sequence[FactSet], alive: Mask) -> None:
        """Go on from what was saved of such tables."""
        self._first_open = given.integer("low", NEG_INF, POS_INF)
        self._starts_until = given.integer("begun", NEG_INF, POS_INF)
        self._ends_until = given.integer("ended", NEG_INF, POS_INF)
        self._starts.restore(given.parts("starts"), tables)
        self._ends.restore(given.parts("ends"), tables)
        self._always = [found[1:] for found in restored_rows(given.parts("always"), tables)]
        self._other_rule = [found[1:] for found in restored_rows(given.parts("shifted"), tables)]
        for subject, answer in self._lines(given.parts("told"), tables, alive):
            self._emitted.setdefault(subject, []).append(answer)
            self._closing.setdefault(answer.at, set()).add(subject)
        self._undone = dict.fromkeys(self._lines(given.parts("undone"), tables, alive))
        self._new = dict.fromkeys(self._lines(given.parts("new"), tables, alive))

    def _lines(
        self, parts: Iterable[StateReader], tables: Sequence[FactSet], alive: Mask
    ) -> Iterator[EarlyLine]:
        start = int(self._instances)
        more = start + len(EarlyAnswer._fields) - 2
        for part, table, rows in restored_rows(parts, tables, more):
            arity = table.relation.arity
            part.living("rows", rows[:, :arity], alive)
            for row in rows.tolist():
                cut = arity + start
                yield AnswerSubject(table, tuple(row[:cut])), EarlyAnswer(*row[cut:])

    def unite(self) -> None:
        """Follow tables that were united: one stands for the others from now on."""
        self._emitted = {
            subject.in_united_table: answers for subject, answers in self._emitted.items()
        }
        self._undone = {(subject.in_united_table, answer): None for subject, answer in self._undone}
        self._new = {(subject.in_united_table, answer): None for subject, answer in self._new}
        for at, subjects in self._closing.items():
            self._closing[at] = {subject.in_united_table for subject in subjects}

    @property
    def needed_ids(self) -> Column:
        """The ids of what was emitted and is not final, and of what is still to be emitted."""
        lines = chain(self._undone, self._new)
        subjects = chain(self._emitted, (subject for subject, _ in lines))
        ids = (subject.ids[: subject.table.relation.arity] for subject in subjects)
        return np.fromiter(chain.from_iterable(ids), np.int64)

    def _compare_all(self, starts_until: int, ends_until: int) -> None:
        """Compare what holds with what was emitted: beginnings and ends up to these cells."""
        self._starts_until, self._ends_until = starts_until, ends_until
        subjects: dict[FactSet, dict[tuple[int, ...], None]] = {}
        other_rule, self._other_rule = self._other_rule, []
        width = -1 if self._instances else -2
        for table, rows in chain(
            self._starts.pop(starts_until), self._ends.pop(ends_until), other_rule
        ):
            ids = map(tuple, rows[:, :width].tolist())
            subjects.setdefault(table.answer_facts, {}).update(dict.fromkeys(ids))
        for table, ids_of in subjects.items():
            found = self._answers(table, np.array(list(ids_of), np.int64))
            for each in ids_of:
                self._compare(AnswerSubject(table, each), found.get(each, []))

    def _answers(self, table: FactSet, subjects: Rows) -> dict[tuple[int, ...], list[EarlyAnswer]]:
        rows = self._rows(table, subjects)
        rules = table.rule_at(rows).tolist()
        width = subjects.shape[1]
        found: dict[tuple[int, ...], list[EarlyAnswer]] = {}
        for row, rule in zip(rows.tolist(), rules, strict=True):
            start, end = row[-2:]
            answers = found.setdefault(tuple(row[:width]), [])
            if max(self._first_open, NEG_INF + 1) <= start <= self._starts_until:
                shown_end = end if self._instances else POS_INF
                answers.append(EarlyAnswer(INSERTED, start, shown_end, rule))
            if self._first_open <= end <= self._ends_until:
                answers.append(EarlyAnswer(DELETED, start, end, rule))
        return found

    def _rows(self, table: FactSet, subjects: Rows) -> Rows:
        """The rows of ``table`` about ``subjects`` that end where nothing is final, or later."""
        stem = table.facts
        if self._instances:
            found = stem.find(subjects, kernels.BEGINS_AT)
        else:
            since = max(self._first_open - 1, NEG_INF)  # what ends at the first open cell, too
            times = np.broadcast_to(np.array([since, POS_INF]), (len(subjects), 2))
            pieces = stem.meet(np.ascontiguousarray(np.hstack((subjects, times))), NEG_INF)
            found = stem.find(np.ascontiguousarray(pieces[:, :-1]), kernels.COVERS)
        return stem.at(found[found >= 0])

    def _compare(self, subject: AnswerSubject, now: list[EarlyAnswer]) -> None:
        """Keep the difference between ``now`` and what was emitted of a subject."""
        before = self._emitted.pop(subject, [])
        for answer in before:
            if answer not in now:
                _note((subject, answer), self._undone, self._new)
        for answer in now:
            if answer not in before:
                _note((subject, answer), self._new, self._undone)
                self._closing.setdefault(answer.at, set()).add(subject)
        if now:
            self._emitted[subject] = now


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
    def in_united_table(self) -> AnswerSubject:
        """The same, in the table that stands for its table."""
        return AnswerSubject(self.table.answer_facts, self.ids)


class EarlyAnswer(NamedTuple):
    """An answer of a subject, as it is printed; ``end`` is `POS_INF` where it is not."""

    op: int
    start: int
    end: int
    rule: int

    @property
    def at(self) -> int:
        """When it begins or ends, as its ``op`` is, in cells."""
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
    answers = np.array([[*answer, answer.at] for _, answer in lines], np.int64)
    op, start, end, rule, at = np.ascontiguousarray(answers.T)
    return AnswerBlock(
        table.relation,
        facts.reshape(len(lines), arity),
        op.astype(np.int8),
        at,
        start,
        end,
        rule,
    )
