"""Answers as JSON lines."""

from __future__ import annotations

from json import dumps
from typing import Final

import numpy as np

from r4.answers.ledger import DELETED
from r4.answers.output_order import INCONSISTENT, MARK, TRIPLE, Changes
from r4.sinks.output import SinkContext
from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.state_codec import State, StateReader

OPS: Final = "-+="
"""How the ``op`` of an answer is written: `DELETED`, `INSERTED`, `STANDING`."""


class JsonLines:
    r"""Renders changes, one object a line, keys in a fixed order.

    Only ``"``, ``\`` and control characters are escaped; there are no blanks between tokens.
    A line about an early result that proved untrue ends with ``"undone":true``.
    """

    left_out = 0

    def __init__(self, context: SinkContext) -> None:
        self._terms = context.terms
        self._labels = context.labels
        self._rules = [b""]
        self._clock = context.clock
        self._instances = context.instances

    def render(self, changes: Changes) -> bytes:
        """The lines of ``changes`` in UTF-8, each with its line break."""
        self._rules += map(_name, self._labels[len(self._rules) - 1 :])  # of rules that joined
        lines = self._lines(changes, changes.undone, len(changes))
        if not changes.undone:
            return lines
        # In strings a line break is an escape, so this is the end of a line.
        undone = self._lines(changes, 0, changes.undone).replace(b"}\n", b',"undone":true}\n')
        return undone + lines

    def finish(self) -> bytes:
        """Nothing: lines are whole."""
        return b""

    def saved(self) -> State:
        """Nothing: lines do not depend on those before."""
        return {}

    def restore(self, given: StateReader) -> None:
        """Nothing is remembered."""

    def _lines(self, changes: Changes, begin: int, end: int) -> bytes:
        special = begin + np.flatnonzero(changes.kind[begin:end] != TRIPLE)
        parts: list[bytes] = []
        for i in special.tolist():
            parts += (self._triples(changes, begin, i), self._special(changes, i))
            begin = i + 1
        parts.append(self._triples(changes, begin, end))
        return b"".join(parts)

    def _triples(self, changes: Changes, begin: int, end: int) -> bytes:
        if begin == end:
            return b""
        part = slice(begin, end)
        texts = self._terms.texts
        per_second, digits, origin = self._clock.layout
        return kernels.triple_lines(
            texts.arena,
            texts.entries,
            changes.op[part],
            np.column_stack((changes.at[part], changes.start[part], changes.end[part])),
            changes.rule[part],
            changes.triples[part],
            self._rules,
            per_second,
            digits,
            origin,
            not self._instances,
        )

    def _special(self, changes: Changes, i: int) -> bytes:
        op, at = OPS[changes.op[i]], self._time(int(changes.at[i]))
        if changes.kind[i] == MARK:
            return f'{{"op":"{op}","at":{at}}}\n'.encode()
        if changes.kind[i] == INCONSISTENT:
            what = '"error":true'
        else:
            what = f'"atom":{dumps(changes.atoms[i], ensure_ascii=False)}'
        start, end = self._time(int(changes.start[i])), self._time(int(changes.end[i]))
        until = end if changes.op[i] == DELETED or self._instances else "null"
        rule = self._rules[changes.rule[i]].decode()
        return (
            f'{{"op":"{op}","at":{at},{what},"from":{start},"until":{until},"rule":{rule}}}\n'
        ).encode()

    def _time(self, tick: int) -> str:
        if not NEG_INF // 2 < tick < POS_INF // 2:
            return "null"
        text = self._clock.text(tick)
        return text if self._clock.layout[0] == 0 else f'"{text}"'


def _name(label: str | int) -> bytes:
    return dumps(label or None, ensure_ascii=False).encode()  # empty: of no rule
