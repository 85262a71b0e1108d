"""The lines of the engine for the text of a case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from unittest.mock import patch

import temporal.hypothetical.live_entries
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.arrival.intake import ArrivalIntake
from temporal.hypothetical.arrival.lateness import parse_chances, parse_delays
from temporal.hypothetical.online_evaluation import OnlineEvaluation
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query
from tests.simulation.core_run import tiny_stores

CUTS = (None, 1, 9, 40, 150)
"""After so many bytes text is cut; None: nowhere."""


class QueryRun:
    """A program, a query, delays and chances as text; then facts, as text too."""

    def __init__(
        self,
        program: str,
        query: str,
        delays: Sequence[str] = (),
        chances: Sequence[str] = (),
        most: int | None = None,
    ) -> None:
        rules, atom = parse_program(program), parse_query(query)
        late = parse_delays(delays, rules)
        terms = Dictionary()
        likely = parse_chances(chances, rules, late) if chances else None
        self.online = OnlineEvaluation(
            resolve(rules, atom).answers, atom, late, terms, likely, most=most
        )
        self.intake = ArrivalIntake(rules, late, terms)
        self.held = self.most_held = 0
        self.ranked: list[tuple[Fraction, str]] = []

    def lines(self, facts: str, cut: int | None = None) -> Iterator[str]:
        """All lines, those of the end of input last.

        ``held`` and ``ranked`` are how it was before that, ``most_held`` is the most after a batch.
        """
        raw = facts.encode()
        pieces = [raw[at : at + (cut or len(raw))] for at in range(0, len(raw), cut or len(raw))]
        for slices in self.intake.read(pieces):
            yield from self.online.push(slices)
            self.online.sweep(self.intake.pending_ids)
            self.most_held = max(self.most_held, self.online.held)
        self.held, self.ranked = self.online.held, self.online.reports.ranked()
        yield from self.online.reports.drain()


@contextmanager
def tiny_query_stores() -> Iterator[None]:
    """Terms are forgotten after every batch, and stores begin tiny."""
    with tiny_stores(), patch.object(temporal.hypothetical.live_entries, "_SMALLEST", 1):
        yield
