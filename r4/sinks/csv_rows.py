"""Answers at marks of time as CSV: a row for each, with its mark."""

from __future__ import annotations

from typing import Final

from r4.answers.ledger import DELETED
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.sinks.current_state import COLUMNS, csv_row, plain_text
from r4.sinks.json_lines import OPS
from r4.sinks.output import SinkContext
from r4.time.ticks import Tick
from rete.arrays.delta import NEG_INF, POS_INF

_NAMES: Final = ("op", "at", *COLUMNS)
_NO_TRIPLE: Final = ("", "", "")


class CsvRows:
    """CSV, a row a line, under a row of names; terms are written as in `CsvState`."""

    left_out = 0

    def __init__(self, context: SinkContext) -> None:
        self._context = context
        self._head = csv_row(_NAMES)

    def render(self, changes: Changes) -> bytes:
        """The rows of ``changes`` in UTF-8."""
        ids = changes.triples[changes.kind == TRIPLE].ravel()
        texts = iter(self._context.terms.decode_many(ids))
        found = [self._head]
        self._head = ""
        for i in range(len(changes)):
            kind, op, rule = changes.kind[i], int(changes.op[i]), int(changes.rule[i])
            triple = _NO_TRIPLE
            if kind == TRIPLE:
                triple = plain_text(next(texts)), plain_text(next(texts)), plain_text(next(texts))
            atom = changes.atoms[i] if changes.atoms else ""
            what = (*triple, atom, "true" if kind == INCONSISTENT else "")
            until = self._time(int(changes.end[i])) if op == DELETED else ""
            times = self._time(int(changes.start[i])), until
            label = self._context.labels[rule - 1] if rule else ""
            at = self._time(int(changes.at[i]))
            found.append(csv_row((OPS[op], at, *what, *times, label or "")))
        return "".join(found).encode()

    def finish(self) -> bytes:
        """The row of names, if there is nothing else."""
        head, self._head = self._head, ""
        return head.encode()

    def _time(self, tick: Tick) -> str:
        return self._context.clock.text(tick) if NEG_INF // 2 < tick < POS_INF // 2 else ""
