"""Hypothetical answers of premises that are written down, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rete.dictionary import Dictionary
from temporal.hypothetical.arrivals import Arrived, Slices
from temporal.hypothetical.ast import Premises
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.online import Online
from temporal.hypothetical.text import parse_query
from temporal.hypothetical.unification import least_times


def premises(answer: str, *hypotheses: str, **least: int) -> Premises:
    """A schematic answer; bounds are those of its own atoms, if no others are given."""
    atoms = tuple(map(parse_query, hypotheses))
    bounds = least_times(parse_query(answer), *atoms) | least
    return Premises(parse_query(answer), atoms, tuple(sorted(bounds.items())))


class Run:
    """What is told of a query, slice by slice."""

    def __init__(self, query: str, *schemata: Premises, delays: Delays | None = None) -> None:
        self.terms = Dictionary()
        self.online = Online(schemata, parse_query(query), delays or Delays(), self.terms)

    def slice(self, tau: int, *facts: str) -> list[str]:
        """What is told when ``facts`` arrive: ``supported wt2,0: Temp(wt2,high,0) | …``."""
        return self.batch({tau: facts})

    def batch(self, slices: Mapping[int, Sequence[str]]) -> list[str]:
        """The same of several slices at once."""
        return list(map(short, self.online.push(self.slices(slices))))

    def drain(self) -> list[str]:
        """What is told when input ends."""
        return list(map(short, self.online.drain()))

    def slices(self, slices: Mapping[int, Sequence[str]]) -> Slices:
        """Facts in columns."""
        found: dict[str, list[tuple[list[str], int, int]]] = {}
        for tau, facts in slices.items():
            for fact in map(parse_query, facts):
                args = [str(arg) for arg in fact.args]
                found.setdefault(fact.predicate, []).append((args, fact.time.offset, tau))
        return Slices(max(slices), {name: self._arrived(rows) for name, rows in found.items()})

    def _arrived(self, rows: Iterable[tuple[list[str], int, int]]) -> Arrived:
        args, times, taus = zip(*rows, strict=True)
        ids = self.terms.encode_many([each for row in args for each in row])
        return Arrived(ids.reshape(len(args), len(args[0])), np.array(times), np.array(taus))


def short(line: str) -> str:
    """A line as it is easily compared: when, what, of whom, evidence, hypotheses, reason."""
    found = json.loads(line)
    who = ",".join(map(str, found["answer"].values()))
    head = f"{found['tau']} {found['status']} {who}"
    if found["because"] is not None:
        return f"{head}: {found['because']}"
    return f"{head}: {' '.join(found['evidence'])} | {' '.join(found['hypotheses'])}".rstrip()
