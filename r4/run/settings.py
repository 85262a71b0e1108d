"""The settings of a run, beside its rules and the way its streams are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from r4.answers.output_order import Ops
from r4.answers.periodic_report import ReportSettings
from r4.time.ticks import Tick
from rete.terms.dictionary import LONGEST_COMPUTED

if TYPE_CHECKING:
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run.

    Attributes:
        instances: answers are instances, not facts.
        by_value: literals of equal values are one term.
        arrival: changes are reported as soon as time reaches them, and undone if need be.
        keep: rules that join later see what was asserted before.
        lookback: ticks for which that is kept after it ended; None: for ever.
        retract_within: ticks after which an element cannot be retracted any more; None: it always
            can.
        hypotheses: the options of possible answers; None: they are not followed.
        limit: the most facts that may be derived at once; None: any number.
        memory: the most bytes that may be in use; None: any number.
        max_term: characters of the longest term that a built-in computes.
        idle: seconds after which a silent source does not count; None: never.
        quiet: seconds of silence after which an element is complete; None: never.
        drain: ticks after the last stamp up to which changes are reported; None: all.
        lenient: rules that are against the letter of the standard are read.
        watch: rules and static files are read again when they change.
        covers: the run finds out which patterns no fact matched.
        report: when there are reports, and of what; None: changes are reported as they come.
        ops: which changes are reported.
    """

    instances: bool = False
    by_value: bool = False
    arrival: bool = False
    keep: bool = False
    lookback: Tick | None = None
    retract_within: Tick | None = None
    hypotheses: HypothesisOptions | None = None
    limit: int | None = None
    memory: int | None = None
    max_term: int = LONGEST_COMPUTED
    idle: float | None = None
    quiet: float | None = None
    drain: Tick | None = 0
    lenient: bool = False
    watch: bool = False
    covers: bool = False
    report: ReportSettings | None = None
    ops: Ops = "both"
