"""Answers along a stream beside those of each prefix by definition."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from rete.arrays.delta import POS_INF
from rif.errors.report import RuleErrors
from temporal.errors import NeverCertain
from temporal.mtl.analysis import analyse
from temporal.mtl.guards import guarded_rules
from temporal.mtl.validation import arities
from temporal.streaming.stream_query import Memory, StreamQuery
from temporal.streaming.stream_run import StreamOptions, StreamRun
from tests.generators.metric.fact_streams import case_of
from tests.oracles.metric.prefix_answers import prefix_answers
from tests.simulation.core_run import eager_sweeps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.generators.metric.fact_streams import StreamCase
    from tests.oracles.metric.prefix_answers import Answer, Expected


def run_of(case: StreamCase) -> StreamRun:
    points = case.points
    options = StreamOptions(
        every=points.every,
        at=points.at,
        delay=case.delay,
        retractions=case.retracts,
        memory=Memory(case.memory),
    )
    return StreamRun(StreamQuery.of(case.program, case.query), options)


def answers_of(case: StreamCase, run: StreamRun) -> list[Answer]:
    """What the run gives, in its order."""
    found: list[Answer] = []
    for part in chain(run.read(case.blocks()), run.finish()):
        facts = part.arguments(run.terms)
        times, places = part.times(run.scale)
        for fact, place in zip(part.facts.tolist(), places, strict=True):
            found.append((times[place], facts[fact]))
    return found


def lookahead_of(run: StreamRun) -> Fraction:
    lateness = run.evaluation.lateness
    assert lateness < POS_INF
    return Fraction(lateness, 2 * run.scale)


def compare(case: StreamCase) -> Iterator[str]:
    """What a case exercises, once all agrees.

    Raises:
        AssertionError: it does not.
    """
    if (run := _run_unless_refused(case)) is None:
        yield "refused"
        return
    expected = prefix_answers(
        case.program,
        case.query,
        case.lines,
        case.points,
        case.delay,
        lookahead_of(run),
        is_dense=run.evaluation.is_dense,
    )
    found = answers_of(case, run)
    assert not run.bad, run.loader.unreported()
    assert found == expected.answers, _difference(found, expected)
    assert run.late == expected.late
    read = arities(run.query.program)
    if all(line.fact.predicate in read for line in case.lines if line.retracts):
        assert run.refused == expected.refused
        assert run.without_effect >= expected.without_effect  # what matters no more is not known
    yield from _features(case, run, expected)


def _difference(found: list[Answer], expected: Expected) -> str:
    more, fewer = set(found) - {*expected.answers}, {*expected.answers} - set(found)
    return f"too many {sorted(more)[:5]}, too few {sorted(fewer)[:5]}"


def _run_unless_refused(case: StreamCase) -> StreamRun | None:
    try:
        return run_of(case)
    except RuleErrors as errors:
        faults = errors.errors
    assert {type(fault) for fault in faults} == {NeverCertain}
    # A left side of Since that is bound by what lies ahead of it is evaluated there.
    has_guards = any(guarded_rules(rule) != [rule] for rule in case.program.rules)
    assert has_guards or not analyse(case.program).is_forward_propagating
    return None


def _features(case: StreamCase, run: StreamRun, expected: Expected) -> Iterator[str]:
    known, has_answers = run.query.analysis, bool(expected.answers)
    intervals = [line.fact.interval for line in case.lines]
    shown = {
        "with answers": has_answers,
        "endless": known.may_be_endless,
        "dense": run.evaluation.is_dense,
        "history": bool(run.evaluation._histories) and has_answers,
        "recursive": known.is_recursive and has_answers,
        "lookahead": lookahead_of(run) > 0,
        "ranges to infinity": not known.is_bounded,
        "delay": case.delay > 0,
        "late": expected.late > 0,
        "refused retraction": expected.refused > 0,
        "retraction": any(line.retracts for line in case.lines),
        "finer stamps": run.scale > known.scale,
        "intervals": not all(interval.is_punctual for interval in intervals),
    }
    return (name for name, is_shown in shown.items() if is_shown)


def compare_seed(seed: int) -> list[str]:
    """What the case of a seed exercises; every other is run with eager sweeps."""
    with eager_sweeps() if seed % 2 else nullcontext():
        return list(compare(case_of(seed)))
