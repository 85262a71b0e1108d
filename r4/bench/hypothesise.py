"""R4 follows what readings of turbines make possible, or derives by its plain network what is so.

It reads them as `r4 hypothesise` does, and what it tells goes nowhere. It says in JSON what it
took, in seconds of processor time. usage: hypothesise.py READINGS COUNT hypotheses|network DELAY...
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import Final, ParamSpec, Protocol, TypeVar
from unittest.mock import patch

import numpy as np

from r4.bench.hypothesising import NETWORK, Followed
from r4.bench.measure import peak
from r4.bench.readings import METRIC, PROGRAM, QUERY, Outcome
from r4.files import ByteSource
from rete.agenda import Agenda
from rete.delta import Rows
from rete.dictionary import Dictionary
from rete.layers import Layers
from rete.network import Network
from rete.nodes.base import FactTable
from rete.plan import Relation
from rete.texts import Ids
from rif.terms import Local
from temporal.hypothetical.arrivals import Intake, Slices
from temporal.hypothetical.delay_text import parse_delays
from temporal.hypothetical.lines import Pattern, Slot, filled
from temporal.hypothetical.online import Online
from temporal.hypothetical.resolution import premises
from temporal.hypothetical.sole import Sole
from temporal.hypothetical.term_text import Form, Writings
from temporal.hypothetical.text import parse_program, parse_query
from temporal.lowering import lower
from temporal.text.programs import parse_program as parse_metric

P = ParamSpec("P")
R = TypeVar("R")
_STATUSES: Final = '"status":"answer"', '"status":"withdrawn"'


class Follower(Protocol):
    """What takes in slices and tells lines."""

    def push(self, slices: Slices) -> list[str]:
        """Take in slices: the lines of what they change."""
        ...

    def sweep(self, keep: Iterable[Ids]) -> None:
        """Forget what nothing mentions any more, but ``keep`` some ids."""
        ...

    @property
    def held(self) -> int:
        """How many entries are open."""
        ...


class Watch:
    """The seconds of processor time in which lines are made.

    Whoever follows makes them while slices are taken in, so they are timed there.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, tell: Callable[P, R]) -> Callable[P, R]:
        """The same function, whose time counts."""

        def told(*args: P.args, **kwargs: P.kwargs) -> R:
            begun = process_time()
            found = tell(*args, **kwargs)
            self.seconds += process_time() - begun
            return found

        return told


class Plain:
    """The same rules with metric operators, in a network of R4 that is given the same slices.

    It tells answers alone. As facts of one moment come together, none before the frontier comes.
    """

    held = 0

    def __init__(self, terms: Dictionary, watch: Watch) -> None:
        emits, answer = lower(parse_metric(METRIC), 1), Relation(str(Local("Malf")), 1)
        network = Network(emits, terms, answers=lambda relation: relation == answer)
        self._agenda = Agenda(Layers(network), self._gained)
        self._gains: list[Rows] = []
        self._tell = watch.timed(self._texts)
        self._writings = Writings(terms)
        name, time = Slot(0, time=False, form=Form.APART), Slot(1, time=True)
        self._pattern = Pattern.of(['{"status":"answer","answer":{"X":', name, ',"T":', time, "}}"])

    def _gained(self, _table: FactTable, rows: Rows) -> None:
        self._gains.append(rows)

    def push(self, slices: Slices) -> list[str]:
        """Take in slices: the answers that they give."""
        for predicate, facts in slices.facts.items():
            cells = 2 * facts.times
            rows = np.column_stack([facts.args, cells, cells + 1])
            self._agenda.push(Relation(str(Local(predicate)), facts.args.shape[1]), rows)
        self._agenda.run()
        self._agenda.bound = 2 * (slices.frontier + 1)
        return self._tell()

    def _texts(self) -> list[str]:
        texts: list[str] = []
        for rows in self._gains:
            values = np.column_stack([rows[:, 0], rows[:, 1] // 2])
            texts += filled(self._pattern, values, self._writings)
        self._gains.clear()
        return texts

    def sweep(self, keep: Iterable[Ids]) -> None:
        """Nothing is forgotten: the devices are the same all the time."""


def follow(path: str, count: int, how: str, delays: Sequence[str]) -> Followed:
    """Follow the readings of a file, of which there are ``count``."""
    watch = Watch()
    follower, intake = _begun(how, delays, watch)
    idle = half = peak()
    read = match = write = later = 0.0
    facts = told = held = 0
    seen: Counter[str] = Counter()
    with (
        closing(ByteSource(path)) as source,
        Path(os.devnull).open("wb") as sink,
        patch.object(Sole, "tell", watch.timed(Sole.tell)),
    ):
        slices_of = intake.read(iter(source.read, b""))
        begun = process_time()
        while (slices := next(slices_of, None)) is not None:
            come = process_time()
            lines = follower.push(slices)
            follower.sweep(intake.held)
            made = process_time()
            sink.write("".join(f"{line}\n" for line in lines).encode())
            done = process_time()
            read, match, write = read + come - begun, match + made - come, write + done - made
            if 2 * intake.facts <= count:
                half, facts = peak(), intake.facts
            else:
                later += done - begun
            told += len(lines)
            held = max(held, follower.held)
            seen += Counter(status for line in lines for status in _STATUSES if status in line)
            begun = process_time()
        read += process_time() - begun
    answers, withdrawn = (seen[status] for status in _STATUSES)
    outcome = Outcome(answers, withdrawn, follower.held)
    sizes = idle, half, peak()
    spent = read, match - watch.seconds, watch.seconds, write
    taken = intake.facts
    return Followed(taken, *spent, later, taken - facts, told, outcome, held, *sizes)


def _begun(how: str, delays: Sequence[str], watch: Watch) -> tuple[Follower, Intake]:
    """What follows readings, before the first."""
    rules, query, terms = parse_program(PROGRAM), parse_query(QUERY), Dictionary()
    late = parse_delays(delays, rules)
    intake = Intake(rules, late, terms)
    if how == NETWORK:
        return Plain(terms, watch), intake
    return Online(premises(rules, query), query, late, terms), intake


def main(path: str, count: str, how: str, *delays: str) -> None:
    """Follow, and say what it took."""
    json.dump(asdict(follow(path, int(count), how, delays)), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
