"""Hypothetical answers of schematic_answer that are written down, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from rete.arrays.delta import POS_INF
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.arrival.intake import ArrivalSlices
from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.online_evaluation import OnlineEvaluation
from temporal.hypothetical.resolution.unification import least_times
from temporal.hypothetical.syntax.ast import SchematicAnswer
from temporal.hypothetical.syntax.program_parser import parse_query


def schematic_answer(answer: str, *hypotheses: str, **least: int) -> SchematicAnswer:
    """A schematic answer; bounds are those of its own atoms, if no others are given."""
    atoms = tuple(map(parse_query, hypotheses))
    bounds = least_times(parse_query(answer), *atoms) | least
    return SchematicAnswer(parse_query(answer), atoms, tuple(sorted(bounds.items())))


class SchematicRun:
    """The lines about a query, slice by slice."""

    def __init__(
        self, query: str, *schemata: SchematicAnswer, delays: DelayBounds | None = None
    ) -> None:
        self.terms = Dictionary()
        self.online = OnlineEvaluation(
            schemata, parse_query(query), delays or DelayBounds(), self.terms
        )

    def slice(self, tau: int, *facts: str) -> list[str]:
        """The lines when ``facts`` arrive: ``supported wt2,0: Temp(wt2,high,0) | …``."""
        return self.batch({tau: facts})

    def batch(self, slices: Mapping[int, Sequence[str]]) -> list[str]:
        """The same of several slices at once."""
        return list(map(short, self.online.push(self.slices(slices))))

    def drain(self) -> list[str]:
        """What is told when input ends."""
        return list(map(short, self.online.reports.drain()))

    def slices(self, slices: Mapping[int, Sequence[str]]) -> ArrivalSlices:
        """Facts as rows."""
        found: dict[str, list[list[int]]] = {}
        for tau, facts in slices.items():
            for fact in map(parse_query, facts):
                ids = self.terms.encode_many(list(map(str, fact.args))).tolist()
                row = [*ids, fact.time.offset, tau, POS_INF]
                found.setdefault(fact.predicate, []).append(row)
        return ArrivalSlices(max(slices), {name: np.array(found[name]) for name in found})


def short(line: str) -> str:
    """A line as it is easily compared: when, what, of whom, evidence, hypotheses, reason."""
    found = json.loads(line)
    who = ",".join(map(str, found["answer"].values()))
    head = f"{found['tau']} {found['status']} {who}"
    if found["because"] is not None:
        return f"{head}: {found['because']}"
    return f"{head}: {' '.join(found['evidence'])} | {' '.join(found['hypotheses'])}".rstrip()
