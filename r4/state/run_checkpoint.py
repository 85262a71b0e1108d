"""A checkpoint of a run: the engine, its input and its output, all between the same two events.

Versions of R4 that compile the rules otherwise, or write other parts otherwise, take it over: they
read its *portable* part, and derive the rest anew. `archive.PORTABLE` is the number of that part
and of the encoding of the file. It is all but, within ``core``:

- ``layers.networks``: of each but ``since``, which says the order of networks, too;
- ``layers.tables``: of each but its relation, ``answers``, ``head``, and the ``rows`` of its facts
  and ``rules``, those of ``ticks`` if it has any;
- ``agenda``: but ``bound``, ``horizon``, ``derived`` and ``maintains``.

Whoever changes what is left changes `archive.PORTABLE`, and reads the former, too; whoever changes
the rest changes `archive.VERSION` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from r4.checkpoint import archive, fingerprint, read_version_lines, version_lines
from r4.engine.core import Core
from r4.rdf.files import STDIN_NAME
from r4.run.reference_data import FORGOTTEN, ReferenceData
from r4.run.stream_run import StreamRun
from r4.sinks.output import Output, Sink
from r4.sources.formats import RdfSource
from r4.state.errors import NotResumable, OtherAnswers, OtherCommand
from r4.state.manifest import OTHER_PROGRAM, TAKE_OVER, check_functions
from r4.state.output_commit import CommittedFile, NumberedLines
from r4.stream.intake import Intake
from r4.time.ticks import NEG_INF, StampFormat
from rete.arrays.state_codec import Mask, State, StateReader

_HINT: Final = (
    "files and pipes can; a source of another package can if it reads a "
    "r4.sources.transport.ResumableTransport"
)

_WITH_ITS_OWN: Final = "let the R4 that wrote it end the run, or begin with an empty folder"


@runtime_checkable
class ResumableSink(Sink, Protocol):
    """A form of answers that can be gone on with."""

    def saved(self) -> State:
        """What it remembers of what it wrote."""

    def restore(self, given: StateReader) -> None:
        """Remember what was saved."""


@dataclass(slots=True)
class RunParts:
    """The parts of a run that a checkpoint has; its terms are those of the core.

    Attributes:
        sources: those of the intake.
        clock: how stamps are written.
        to: where the bytes of the output go.
        late: where late elements go; None: nowhere.
        references: static data and rules, as they were read last.
    """

    core: Core
    intake: Intake
    sources: Sequence[RdfSource]
    clock: StampFormat
    output: Output
    to: CommittedFile | NumberedLines
    late: CommittedFile | None
    references: ReferenceData

    @classmethod
    def of(cls, run: StreamRun) -> RunParts:
        """The parts of ``run``; raises as `resumable_sources`."""
        output, late, updates = run.report, run.late, run.references
        sources = resumable_sources(run.intake.sources)
        assert isinstance(output, Output)
        assert isinstance(output.to, CommittedFile | NumberedLines)
        assert late is None or isinstance(late, CommittedFile)
        assert updates is not None
        given = run.run.core, run.intake, sources, run.clock, output, output.to, late
        return cls(*given, updates.data)

    def saved(self, moved_to: int) -> State:
        """The state of a run that goes on; ``moved_to`` is where the clock has moved time."""
        core = self.core.saved()  # first, as it runs what is pending
        return {
            "ended": None,
            "terms": self.core.terms.saved(),
            "core": core,
            "program": self._program,
            "functions": version_lines(self.core),
            "intake": self.intake.saved(),
            "references": self.references.saved(),
            "sources": [source.saved() for source in self.sources],
            "moved_to": moved_to,
            "report": self._report(),
            **self._outputs(),
        }

    @property
    def _program(self) -> str:
        """What the core is, and how its state is written: one that differs cannot have that."""
        return f"{archive.VERSION} {fingerprint(self.core)}"

    def ended(self, code: int) -> State:
        """The state of a run that has ended with an exit code: only its output is left."""
        lines = [source.line - 1 for source in self.sources if source.name == STDIN_NAME]
        return {"ended": {"code": code, "line": max([0, *lines])}, **self._outputs()}

    def _outputs(self) -> State:
        sink = resumable_sink(self.output.sink)
        return {
            "told": self.to.size if isinstance(self.to, CommittedFile) else self.to.count,
            "late": None if self.late is None else self.late.size,
            "written": self.output.written,
            "failing": self.output.failing,
            "frontier": self.output.frontier,
            "sink": sink.saved(),
        }

    def _report(self) -> State | None:
        """The state of the periodic report; None: there is none."""
        periodic = self.output.periodic
        return None if periodic is None else periodic.saved()

    def restore(self, given: StateReader, alive: Mask, say: Callable[[str], object] | None) -> int:
        """Go on from a state, whose terms are restored; where the clock has moved time.

        The state of another version is taken over if there is ``say``, which is told so.

        Raises:
            OtherCommand: it is of another version, or a function that its rules call is.
            ValueError: no run can be in this state.
            InputError: a source has less than was read of it.
        """
        references = given.part("references")
        joined = self.references.joined(references)
        try:
            self.core.rebuild(given.part("core"), joined)
        except StopIteration:
            references.refuse("rules", "lacks rules that joined")
        if next(joined, None) is not None:
            references.refuse("rules", "has rules that never joined")
        saved = read_version_lines(given.texts("functions"))
        check_functions(saved, self.core.program.language.builtins)
        self.intake.restore(given.part("intake"), alive)
        self.clock.kind = self.intake.kind  # what is derived anew has times
        program = given.maybe_text("program")  # None: `Manifest.check_program` was asked
        if program in {None, self._program}:
            self.core.restore(given.part("core"), alive)
        elif say is None or not self.references.numbers_alike(references):
            raise OtherCommand(OTHER_PROGRAM, TAKE_OVER)
        elif not self.core.may_rederive:
            message = f"{OTHER_PROGRAM}; {FORGOTTEN}"
            raise OtherCommand(message, _WITH_ITS_OWN)
        else:
            changed = self.core.take_over(given.part("core"), alive)
            say("the state is of another R4: what follows from what it keeps is derived anew")
            for relation, count in sorted(changed.items()):
                say(str(OtherAnswers(relation.op or "triples", count)))
        self.references.restore(references, alive)
        self.core.progress.last = self.intake.last
        parts = given.parts("sources", len(self.sources))
        for source, part in zip(self.sources, parts, strict=True):
            source.restore(part)
        self.output.written = given.integer("written", 0)
        self.output.failing = given.integer("failing")
        self.output.frontier = given.integer("frontier", NEG_INF)
        resumable_sink(self.output.sink).restore(given.part("sink"))
        if self.output.periodic is not None:
            self.output.periodic.restore(given.part("report"), alive)
        return given.integer("moved_to", NEG_INF)


def resumable_sink(sink: Sink) -> ResumableSink:
    """The sink; raises `NotResumable` if it cannot be gone on with."""
    if isinstance(sink, ResumableSink):
        return sink
    message = "this form of answers cannot be continued in a later run"
    raise NotResumable(message, "--as jsonl, nquads, trig, ndjsonld and patch can")


def resumable_sources(sources: Sequence[object]) -> list[RdfSource]:
    """The sources; raises `NotResumable` if one cannot be read on."""
    found: list[RdfSource] = []
    for source in sources:
        if not (isinstance(source, RdfSource) and source.can_resume):
            message = f"{getattr(source, 'name', source)} cannot be read on in a later run"
            raise NotResumable(message, _HINT)
        found.append(source)
    return found
