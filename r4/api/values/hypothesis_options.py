"""The options of an engine about possible answers."""

from __future__ import annotations

from r4.options.engine_options import EngineOptions
from r4.possible.chance_option import parse_chances
from r4.time.ticks import TimeScale
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions


def hypothesis_options(options: EngineOptions) -> HypothesisOptions | None:
    """The options of possible answers; None: they are not followed.

    Raises:
        ValueError: an option is of use with ``hypotheses`` alone, or answers are instances.
        RuleErrors: a chance is malformed.
    """
    if not options.hypotheses:
        if options.chances or options.most is not None:
            message = "chances, and a bound on what is held, are of hypotheses"
            raise ValueError(message)
        return None
    if options.instances:
        message = "what is possible is known of facts, not of instances"
        raise ValueError(message)
    expected = None if options.expect is None else tuple(options.expect)
    scale = TimeScale(options.tick)
    delays = UnitLateness((0,), (options.ticks("delay", scale) or 0,))
    chances = parse_chances(options.chances, scale, delays) if options.chances else None
    return HypothesisOptions(options.hypotheses != "triples", expected, chances, options.most)
