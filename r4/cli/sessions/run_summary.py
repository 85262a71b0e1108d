"""What is reported at the end of a run from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from r4.errors import Counters, Flaw
from r4.property_paths import path_option, shown_path, steps_of
from r4.run.findings.dangling_tuples import dangling_tuples
from r4.run.findings.near_misses import near_misses
from r4.run.stream_run import StreamRun
from r4.sinks.output import Output
from r4.sources.missing_times import end_option
from r4.stream.intake import Intake
from r4.stream.source import START_PREDICATE
from rete.drawing.names import Names
from rif.errors.report import quantity

_NO_STREAM: Final = ", as no stream is named; - is standard input"


def summary_lines(run: StreamRun, output: Output, names: Names) -> Iterator[str]:
    """What the run did, which patterns matched nothing, and why there are no answers."""
    intake, counters, closure = run.intake, run.counters, run.input.closure
    streams, coverage, core = run.input.reading, run.run.coverage, run.run.core
    yield _counts(run, output)
    if line := _ended_answers(output):
        yield line
    yield from islice(_StampFaults(intake, counters, names, streams.start_steps).lines(), 1)
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
    yield from near_misses(core, names_of_rules)
    if not output.written and not output.unwanted and not output.unseen:
        from r4.program.box_conditions import box_conditions
        from r4.run.findings.unmet_bodies import unmet_bodies

        boxes = box_conditions(core.program, closure.documents, streams.scale)
        yield from unmet_bodies(core, names_of_rules(), boxes)
    if not output.written:
        yield _reason_of_silence(output, has_unmatched=bool(lines))


def _counts(run: StreamRun, output: Output) -> str:
    """``2 elements, 4 statements; 1 change of answers; from 1 to 2; 0 late, 0 bad``."""
    counters, intake = run.counters, run.intake
    bad = sum(counters.bad.values())
    read = f"{quantity(counters.elements, 'element')}, {quantity(counters.quads, 'statement')}"
    what = "change" if run.settings.report is None else "line"
    written = f"{quantity(output.written, what)} of answers" if output.written else "no answers"
    time = "no stamps"
    if intake.least <= intake.last:
        time = f"from {run.clock.text(intake.least)} to {run.clock.text(intake.last)}"
    degraded = "; degraded, as most elements were late" if counters.degraded else ""
    return f"{read}; {written}; {time}; {counters.late} late, {bad} bad{degraded}"


def _ended_answers(output: Output) -> str:
    """The line about an output of what holds at the end, where all has ended."""
    if not output.written:
        return ""
    from r4.sinks.current_state import CurrentState

    sink = output.sink
    if not isinstance(sink, CurrentState) or not sink.is_empty:
        return ""
    begun = quantity(sink.begun, "answer")
    return f"{begun} began, and none holds at the end; --as jsonl has all that began and ended"


def _reason_of_silence(output: Output, *, has_unmatched: bool) -> str:
    """Why there are no answers, as far as is known."""
    if output.unseen:
        changes = quantity(output.unseen, "change")
        if output.periodic is None:
            return f"no answers: --ops left out {changes}"
        return f"no answers: of {changes} nothing was to be seen at a mark of --every"
    if output.unwanted:
        return f"no answers: --only left out all {output.unwanted}"
    if has_unmatched:
        return "no answers: a rule needs a fact for each of its patterns, at one time"
    return "no answers: each pattern matched a fact, but never all of one rule at one time"


@dataclass(frozen=True, slots=True)
class _StampFaults:
    """What is known of the times at the end of a run.

    Stamps that stand apart from their triples are told even if most elements are well; what else
    may be the matter, if none has a time. ``given`` is the path of ``--time-predicate``; empty:
    there is none.
    """

    intake: Intake
    counters: Counters
    names: Names
    given: tuple[str, ...]

    @property
    def _asked(self) -> str:
        return shown_path(self.given or (START_PREDICATE,))

    @property
    def _likely(self) -> str:
        """Another predicate of times in the data, or a path; "": there is none."""
        return self.intake.time_predicates.likely(self._asked) or ""

    def _shown(self, predicate: str) -> str:
        return shown_path(steps_of(predicate), self.names)

    def _option(self, predicate: str) -> str:
        """The option that names a predicate or a path, whose IRIs are in brackets."""
        return f"--time-predicate {path_option(steps_of(predicate), self.names)}"

    def lines(self) -> Iterator[str]:
        """What may be the matter, most certain first."""
        bad, stamped = self.counters.bad, self.counters.elements + self.counters.late
        predicates, asked = self.intake.time_predicates, self._shown(self._asked)
        yield from self._no_graphs(stamped, asked)
        yield from self._apart()
        if stamped or not (bad[Flaw.NO_STAMP.code] or bad[Flaw.STAMPS_DIFFER.code]):
            return
        yield from self._other_graph()
        likely = self._likely
        for each in (self._asked, likely):
            if predicates.is_repeated(each):
                shown = self._shown(each)
                yield (
                    f"{shown} has several times in one graph, which is one element: write a graph "
                    f"for each subject, or Turtle or N-Triples, where each subject with {shown} "
                    "is an element"
                )
        if not bad[Flaw.NO_STAMP.code]:
            return
        if not self.given and predicates.is_known(self._asked):
            yield (
                f"no element has the time predicate {asked} in the default graph; graphs have it "
                f"within: {self._option(self._asked)} reads it there"
            )
        hint = ""
        if likely:
            end = end_option(predicates.likely_end(likely), self.names)
            hint = f"; {self._shown(likely)} has times: {self._option(likely)}{end}"
        yield f"no element has the time predicate {asked}{hint}"

    def _no_graphs(self, stamped: int, asked: str) -> Iterator[str]:
        """No graph has triples, and others are subjects with a time."""
        counters = self.counters
        others = counters.background or (counters.static if stamped == 1 else 0)
        if stamped and others and not self.intake.has_triples and not counters.retractions:
            yield (
                f"no element has triples, as no named graph has any: subjects with {asked} are "
                "elements in Turtle and N-Triples, and sorted by it: -i turtle=FILE or "
                f"-i ntriples=FILE, with {self._option(self._asked)}"
            )

    def _apart(self) -> Iterator[str]:
        """Stamps do not stand next to the triples of their graphs.

        Other elements may be well: then a time within graphs is no other way.
        """
        places = self.intake.stamp_places
        graph, others = places.apart, places.apart_count - 1
        parts = "elements, one without a stamp and one without triples"
        other_way = "" if self.intake.has_triples else self._time_within()
        if others > 0:
            least = "at least " if places.is_full else ""
            count = f"{least}{others} other{'' if others == 1 else 's'}"
            yield (
                f"the stamps of {graph} and {count} stand apart from their triples, so each is two "
                f"{parts}: write each stamp next to the triples of its graph{other_way}"
            )
        elif graph:
            yield (
                f"the stamp of {graph} stands apart from its triples, so it is two {parts}: write "
                f"it next to the triples{other_way}"
            )

    def _other_graph(self) -> Iterator[str]:
        if graph := self.intake.stamp_places.other_graph:
            yield (
                f"the stamps of graphs stand in another named graph, {graph}, so they are none: "
                "write each in the default graph, next to the triples of its graph"
                f"{self._time_within()}"
            )

    def _time_within(self) -> str:
        """The advice to take a time within each graph, if there is one."""
        likely = self._likely
        if not likely or self.intake.time_predicates.is_repeated(likely):
            return ""
        return (
            f"; or, if {self._shown(likely)} within a graph is its time, give "
            f"{self._option(likely)}, and --delay if graphs are out of order"
        )
