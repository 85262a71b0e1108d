"""The parts of an engine, made and joined."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from r4.api.run.engine_run import EngineRun
from r4.api.run.rulebook import ReadRules, Rulebook
from r4.api.state.calls import EngineCalls
from r4.api.values.event_clock import EventClock
from r4.imports import Closure, load_graphs
from r4.options.engine_options import EngineOptions
from r4.options.values import byte_count
from r4.run.driver import MOST
from r4.run.settings import RunSettings
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from r4.api.state.engine_state import EngineState
    from r4.checkpoint import Resumption
    from r4.possible.tracking import PossibleTracking
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions


def assemble(
    given: ReadRules, rulebook: Rulebook, options: EngineOptions, event_clock: EventClock
) -> tuple[EngineRun, EngineCalls]:
    """The run of rules, and the calls that change what it knows.

    It goes on from a saved state, if there is one; else it begins with the graphs that the rules
    import.

    Raises:
        ValueError: the saved state is none that a run can have.
        RuleErrors: a graph cannot be read.
        StateError: the ``state`` is damaged, in use, of something else, or not to be had.
    """
    kept, resumes, hypotheses = None, given.resumes, _hypothesis_options(options)
    if options.state is not None:
        has_more = bool(hypotheses or resumes)
        kept = _open_state(Path(options.state), options, has_more=has_more)
        resumes = kept.resumption
    try:
        with nullcontext() if kept is None or resumes is None else kept.naming_file():
            run = _make_run(rulebook, options, event_clock, hypotheses, resumes)
        if resumes is None and isinstance(given.rules, Closure):
            _import_graphs(run, rulebook, given.rules)
        calls = EngineCalls(run, rulebook)
        if kept is not None:
            kept.begin(run, calls.replay)
            calls.state = kept
    except BaseException:
        if kept is not None:
            kept.abandon()
        raise
    return run, calls


def _open_state(path: Path, options: EngineOptions, *, has_more: bool) -> EngineState:
    """The state in a folder; ``has_more``: possible answers, or another state."""
    from r4.api.state.engine_state import EngineState  # noqa: PLC0415 - for those who keep one
    from r4.state.errors import NotResumable  # noqa: PLC0415 - the same

    if has_more:
        message = "an engine with hypotheses, or from a snapshot, has no state"
        raise NotResumable(message, "leave out state=, or hypotheses=")
    return EngineState(path, options)


def _make_run(
    rulebook: Rulebook,
    options: EngineOptions,
    event_clock: EventClock,
    hypotheses: HypothesisOptions | None,
    resumes: Resumption | None,
) -> EngineRun:
    """The run; it has what was saved, if there is a saved state."""
    if resumes is not None:
        resumes.check_functions(rulebook.program.language.builtins)
    terms = Dictionary(by_value=options.by_value, longest_computed=options.max_term)
    alive = None if resumes is None else terms.restore(resumes.given.part("terms"))

    scale = event_clock.clock.scale
    settings = RunSettings(
        instances=options.instances,
        by_value=options.by_value,
        arrival=options.arrival,
        keep=options.keep,
        lookback=options.ticks("lookback", scale),
        retract_within=options.ticks("retract_within", scale),
        hypotheses=hypotheses,
        limit=options.limit or (MOST if rulebook.may_not_end else None),
        memory=None if options.memory is None else byte_count(options.memory),
        max_term=options.max_term,
        report=options.report_settings(scale),
        ops=options.ops,
    )
    run = EngineRun(
        *(rulebook.program, terms, settings, event_clock),
        tracking=_tracking(rulebook, hypotheses, event_clock),
        journal=options.journal,
        resumes=resumes is not None,
    )
    if resumes is not None:
        resumes.check_begin(run.core)
    if resumes is not None and alive is not None:
        from r4.api.state.checkpoint import resume  # noqa: PLC0415 - for those who load

        resume(resumes, run, rulebook, alive)
    return run


def _tracking(
    rulebook: Rulebook, hypotheses: HypothesisOptions | None, event_clock: EventClock
) -> PossibleTracking | None:
    """The tracking of possible answers; None: they are not followed."""
    if hypotheses is None:
        return None
    from r4.possible.tracking import PossibleTracking  # noqa: PLC0415 - few engines have these
    from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness  # noqa: PLC0415

    delays = UnitLateness((0,), (event_clock.delay,))
    per_second = event_clock.clock.scale.per_second
    return PossibleTracking(rulebook.documents, hypotheses, delays, per_second)


def _import_graphs(run: EngineRun, rulebook: Rulebook, closure: Closure) -> None:
    """Assert the graphs that rules import; they always hold."""
    loaded = load_graphs(closure, run.core.terms, run.counters, run.run.bounds)
    rulebook.warnings += tuple(e for part in loaded.warnings for e in part.errors)
    run.assert_static(loaded.rows)


def _hypothesis_options(options: EngineOptions) -> HypothesisOptions | None:
    """The options of possible answers; None: they are not followed."""
    if not options.hypotheses:
        if options.chances or options.most is not None:
            message = "chances, and a bound on what is held, are of hypotheses"
            raise ValueError(message)
        return None
    if options.instances:
        message = "what is possible is known of facts, not of instances"
        raise ValueError(message)
    from r4.possible.chance_option import parse_chances  # noqa: PLC0415 - few engines have these
    from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness  # noqa: PLC0415
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import (  # noqa: PLC0415
        HypothesisOptions,
    )

    expected = None if options.expect is None else tuple(options.expect)
    scale = TimeScale(options.tick)
    delays = UnitLateness((0,), (options.ticks("delay", scale) or 0,))
    chances = parse_chances(options.chances, scale, delays) if options.chances else None
    return HypothesisOptions(options.hypotheses != "triples", expected, chances, options.most)
