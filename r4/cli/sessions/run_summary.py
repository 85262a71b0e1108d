"""What is reported at the end of a run from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.cli.sessions.stamp_faults import stamp_fault
from r4.run.findings.dangling_tuples import dangling_tuples
from r4.run.stream_run import StreamRun
from r4.sinks.output import Output
from rete.drawing.names import Names

_NO_STREAM: Final = ", as no stream is named; - is standard input"


def summary_lines(run: StreamRun, output: Output, names: Names) -> Iterator[str]:
    """What the run did, which patterns matched nothing, and why there are no answers."""
    intake, counters, closure = run.intake, run.counters, run.input.closure
    streams, coverage, core = run.input.reading, run.run.coverage, run.run.core
    yield _counts(run, output.written)
    if line := _ended_answers(output):
        yield line
    if line := stamp_fault(intake, counters, names, streams.time_predicate):
        yield line
    if coverage is None:
        return
    if not counters.quads:
        if not output.written:
            unnamed = "" if intake.sources else _NO_STREAM
            yield f"no answers: no data were read{unnamed}"
        return
    lines = list(coverage.lines(closure.documents[0]))
    yield from coverage.awaited_lines(names)
    yield from lines

    def names_of_rules() -> Names:
        from r4.explain.rendering.names import collect_names

        return collect_names(closure.documents, core.program, streams.scale)

    yield from dangling_tuples(core, names_of_rules)
    if not output.written and not output.unwanted:
        from r4.program.box_conditions import box_conditions
        from r4.run.findings.unmet_bodies import unmet_bodies

        boxes = box_conditions(core.program, closure.documents, streams.scale)
        yield from unmet_bodies(core, names_of_rules(), boxes)
    if not output.written:
        yield _reason_of_silence(output.unwanted, has_unmatched=bool(lines))


def _counts(run: StreamRun, changes: int) -> str:
    """``2 elements, 4 statements; 1 change of answers; from 1 to 2; 0 late, 0 bad``."""
    counters, intake = run.counters, run.intake
    bad = sum(counters.bad.values())
    read = f"{_quantity(counters.elements, 'element')}, {_quantity(counters.quads, 'statement')}"
    written = f"{_quantity(changes, 'change')} of answers" if changes else "no answers"
    time = "no stamps"
    if intake.least <= intake.last:
        time = f"from {run.clock.text(intake.least)} to {run.clock.text(intake.last)}"
    return f"{read}; {written}; {time}; {counters.late} late, {bad} bad"


def _quantity(number: int, what: str) -> str:
    """``1 element``, ``2,000 elements``, ``0 elements``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _ended_answers(output: Output) -> str:
    """The line about an output of what holds at the end, where all has ended."""
    if not output.written:
        return ""
    from r4.sinks.current_state import CurrentState

    sink = output.sink
    if not isinstance(sink, CurrentState) or not sink.is_empty:
        return ""
    begun = _quantity(sink.begun, "answer")
    return f"{begun} began, and none holds at the end; --as jsonl has all that began and ended"


def _reason_of_silence(unwanted: int, *, has_unmatched: bool) -> str:
    """Why there are no answers, as far as is known; ``unwanted`` ones were left out."""
    if unwanted:
        return f"no answers: --only left out all {unwanted}"
    if has_unmatched:
        return "no answers: a rule needs a fact for each of its patterns, at one time"
    return "no answers: each pattern matched a fact, but never all of one rule at one time"
