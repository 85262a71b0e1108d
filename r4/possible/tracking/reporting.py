"""Moments: what is possible is told once for all that arrives while one stamp is the largest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from r4.engine.core import Core
from r4.possible.arrival_chances import UnitLateness
from r4.possible.rewriting.program_rewriting import EvidenceRules, HypothesisOptions
from r4.possible.tracking.possible_answers import PossibleAnswer, StatusReport
from r4.possible.tracking.tracker import PossibleAnswerTracker
from r4.program.program import Program
from r4.time.ticks import NEG_INF, Tick
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary


class StampReports:
    """Tells what is possible when the largest stamp grows, and at the end.

    The state that is told is that before the element with which it grows.

    Attributes:
        at: the largest stamp so far; `NEG_INF` before the first.
    """

    def __init__(self, foresight: PossibleAnswerTracker) -> None:
        self._foresight = foresight
        self._lines: Sequence[Tick] = ()
        self.at = NEG_INF

    def reach(self, last: Tick, lines: Sequence[Tick]) -> list[StatusReport]:
        """What comes has the largest stamp ``last``: what is to be said of before.

        Elements were late below ``lines`` so far.
        """
        if last <= self.at:
            return []
        if self.at > NEG_INF:
            self._lines = lines
        told = self.close()
        self.at = last
        return told

    def completed(self, lines: Sequence[Tick]) -> None:
        """An element is complete; others are late below ``lines`` from now on."""
        self._lines = lines

    def close(self) -> list[StatusReport]:
        """What is to be said of all so far."""
        if self.at == NEG_INF:
            return []
        self._foresight.settle(self._lines)
        return self._foresight.tell(self.at)

    def drain(self) -> list[StatusReport]:
        """The input has ended, and what is open ends with it."""
        return self._foresight.drain(self.at)

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were, as there were too many."""
        return self._foresight.dropped

    def possible(self) -> list[PossibleAnswer]:
        """What is possible by all so far."""
        if self._lines:
            self._foresight.settle(self._lines)
        return self._foresight.possible(self.at)


CoreFactory: TypeAlias = Callable[[Program, PossibleAnswerTracker], Core]
"""Makes the core of a program."""


def start_tracking(  # noqa: PLR0913, PLR0917 - all that it hangs on
    foreseen: EvidenceRules,
    program: Program,
    wish: HypothesisOptions,
    delays: UnitLateness,
    always: Sequence[Rows],
    terms: Dictionary,
    begin: CoreFactory,
) -> tuple[Core, StampReports]:
    """The core of ``program`` with the rules of what is possible, and what tells that.

    Args:
        foreseen: these rules.
        program: what runs beside them.
        wish: what is asked for.
        delays: how late a unit may come.
        always: triples, (n, 3), that always hold; the core has them.
        terms: the dictionary of all ids.
        begin: makes the core.
    """
    foresight = PossibleAnswerTracker(foreseen, terms, delays, program.labels, wish)
    core = begin(foreseen.joined(program), foresight)
    for rows in always:
        core.assert_static(rows)
    return core, StampReports(foresight)
