"""``--as holding``: a line for each instant at which something changes, with all that holds."""

from __future__ import annotations

import json
from typing import Final

from r4.answers.ledger import INSERTED
from r4.answers.output_order import TRIPLE, Changes
from r4.sinks.formats import SinkFormat
from r4.sinks.output import SinkContext
from r4.time.ticks import NEG_INF, Tick
from rete.arrays.state_codec import State, StateReader


class Holding:
    """A sink that keeps what holds, and writes it once no answer of an instant can come any more.

    `render` may be called several times for an instant, so it writes nothing; `advance` says when
    an instant is over.

    Attributes:
        left_out: answers that are no triples.
    """

    def __init__(self, context: SinkContext) -> None:
        self.left_out = 0
        self._terms = context.terms
        self._clock = context.clock
        self._holds: set[str] = set()
        self._pending: list[tuple[Tick, bool, str]] = []

    def render(self, changes: Changes) -> bytes:
        """Nothing yet: ``changes`` wait until their instants are over."""
        for i in range(len(changes)):
            if changes.kind[i] == TRIPLE:
                text = " ".join(self._terms.decode_many(changes.triples[i]))
                begins = bool(changes.op[i] == INSERTED)
                self._pending.append((int(changes.at[i]), begins, text))
            else:
                self.left_out += 1
        return b""

    def advance(self, frontier: Tick) -> bytes:
        """A line for each instant before ``frontier`` that has changes and was not written."""
        over = sorted(each for each in self._pending if each[0] < frontier)
        self._pending = [each for each in self._pending if each[0] >= frontier]
        lines: list[str] = []
        for number, (at, begins, text) in enumerate(over):
            (self._holds.add if begins else self._holds.discard)(text)
            if number + 1 == len(over) or over[number + 1][0] > at:
                when = self._clock.text(at) if at > NEG_INF else None
                lines.append(json.dumps({"at": when, "holds": sorted(self._holds)}) + "\n")
        return "".join(lines).encode()

    def finish(self) -> bytes:
        """Nothing: the end of a run moves time, too."""
        return b""

    def saved(self) -> State:
        """What holds and what waits, for a checkpoint: with it ``--state`` can be given."""
        pending: list[State] = [
            {"at": at, "begins": begins, "text": text} for at, begins, text in self._pending
        ]
        return {"holds": sorted(self._holds), "pending": pending}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved."""
        self._holds = set(given.texts("holds"))
        self._pending = [
            (each.integer("at"), each.flag("begins"), each.text("text"))
            for each in given.parts("pending")
        ]


HOLDING: Final = SinkFormat(Holding, "all that holds, whenever it changes")
