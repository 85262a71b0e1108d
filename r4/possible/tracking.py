"""Possible answers of a run: which rules are followed, once it is known what may come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from r4.engine.core import Core
from r4.program.lookahead import open_range_errors
from r4.program.program import Program
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax.ast import Document
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.errors import RetractedEarly
from temporal.hypothetical.rif_rules.rewriting.patterns import static_vocabulary
from temporal.hypothetical.rif_rules.rewriting.program_rewriting import (
    EvidenceRules,
    HypothesisOptions,
    rewrite_for_hypotheses,
)
from temporal.hypothetical.rif_rules.tracker import PossibleAnswerTracker

CoreFactory: TypeAlias = Callable[[Program, PossibleAnswerTracker], Core]
"""Makes the core of a program, with an observer."""


class PossibleTracking:
    """The rules that find evidence for possible answers; static data decide which there are.

    Attributes:
        reports: the tracker; None before `start`.
        unfollowed: the rules without possible answers: the number of the document, and why.
        idle_chances: the names with a chance that no rule waits for.
        follows_none: whether there are rules, and none of them has possible answers.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        options: HypothesisOptions,
        delays: UnitLateness,
        per_second: int,
        *,
        instances: bool = False,
    ) -> None:
        """Begin to collect static data; the main document is first.

        ``per_second`` is the ticks in a second; ``instances``: answers are instances, not facts.

        Raises:
            RuleErrors: a range ends in a variable.
        """
        if faults := list(open_range_errors(documents, "under hypotheses")):
            raise RuleErrors(faults)
        self.options = options
        self.reports: PossibleAnswerTracker | None = None
        self.unfollowed: tuple[tuple[int, RuleError], ...] = ()
        self.idle_chances: tuple[str, ...] = ()
        self.follows_none = False
        self._documents = documents
        self._delays = delays
        self._per_second = per_second
        self._instances = instances
        self._static: list[Rows] = []
        self._rules: EvidenceRules | None = None

    def add_static(self, rows: Rows, terms: Dictionary) -> None:
        """Keep triples, (n, 3), that always hold, until `start`."""
        terms.pin(rows.ravel())
        self._static.append(rows)

    def rewrite(self, terms: Dictionary, language: Language) -> None:
        """Find the rules, once all static data are in; ``language`` is that of the rules."""
        self._rules = rules = rewrite_for_hypotheses(
            *(self._documents, language, self._per_second, self.options),
            *static_vocabulary(self._static, terms),
            instances=self._instances,
        )
        self.unfollowed = rules.unfollowed
        missing = (unit for each in rules.shapes.values() for unit in each.missing)
        unmet = (condition for unit in missing for condition in unit.conditions)
        chances = self.options.chances
        self.idle_chances = tuple(chances.idle(unmet)) if chances else ()
        self.follows_none = bool(rules.rules) and not rules.followed

    def start(self, program: Program, terms: Dictionary, make_core: CoreFactory) -> Core:
        """The core of ``program`` and the rules, with all static data; called once."""
        rules = self._rules
        assert rules is not None
        tracker = PossibleAnswerTracker(rules, terms, self._delays, program.labels, self.options)
        core = make_core(replace(program, emits=program.emits + rules.emits), tracker)
        for rows in self._static:
            core.assert_static(rows)
        self._static.clear()
        self.reports = tracker
        return core

    def warnings(self, core: Core) -> tuple[RuleError, ...]:
        """The warnings about rules that are left out, and about early retractions in ``core``."""
        return (*(error for _, error in self.unfollowed), *self.early(core))

    def early(self, core: Core) -> list[RuleError]:
        """The warning about what ``core`` retracted early; none, if there was nothing."""
        count = core.assertions.retracted_early
        return [RetractedEarly.of(count)] if count else []
