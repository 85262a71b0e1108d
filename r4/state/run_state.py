"""The state of one run: where it goes on, what it writes down, how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from r4.checkpoint import fingerprint, function_versions
from r4.engine.core import Core
from r4.errors import InputError
from r4.rdf.files import STDIN, STDIN_NAME
from r4.run.stream_run import StreamRun
from r4.sources.formats import RdfSource
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.errors import (
    CheckpointFailed,
    DamagedState,
    InputEnded,
    NoState,
    OtherCommand,
    OtherInput,
    StateLost,
)
from r4.state.folder import StateFolder
from r4.state.journal.input_recorder import InputRecorder, is_heard
from r4.state.journal.journal import Journal, JournalReader
from r4.state.manifest import Manifest, RunCommandLine, check_functions
from r4.state.migration import RulesTakeOver
from r4.state.output_commit import CommittedFile, GroupCommit, MovedBytes, check_committed
from r4.state.run_checkpoint import RunParts
from r4.stream.input_events import ChangeReferences
from r4.stream.schedule import Schedule
from r4.time.ticks import NEG_INF, Tick
from rete.arrays.state_codec import Mask, State, StateReader
from rete.terms.dictionary import Dictionary

_GONE: Final = "let the sender keep what is not acknowledged, or begin with an empty folder"


@dataclass(frozen=True, slots=True)
class StateSettings:
    """How a state is kept.

    Attributes:
        rules: what the file of the rules says now.
        is_watched: whether the run reads it itself; else it has to be what the run read last.
        journal_size: bytes of a segment of the journal after which a checkpoint is due; None: as
            `Journal` has it.
        keep_journal: whether the whole journal is kept, to replay the run.
        replays: whether recorded events happen again, and nothing is written.
        migrates: whether ``rules`` take the state over, and the run ends then.
        clock: the time of day as text.
        say: called with lines for a person.
    """

    rules: bytes
    journal_size: int | None
    is_watched: bool
    keep_journal: bool
    replays: bool
    migrates: bool
    clock: Callable[[], str]
    say: Callable[[str], object]


class RunState:
    """The state of one run, from its begin or from where an earlier process stopped.

    Once it has begun its methods raise `StateLost` where the system does not take the journal, and
    `SinkLost` where it does not take the output.

    Attributes:
        given: the checkpoint that it goes on from, until it has begun; None: there is none.
        ended: the exit code of a run that has ended; None: it goes on.
        leaves_input: whether the run has ended, and an earlier process has read the end of standard
            input: this one has read nothing of it.
        last_line: that of standard input at which it ended; 0: it is not known.
        checkpoint: when the last checkpoint was written, as text; None: none was, by this process.
    """

    def __init__(
        self,
        folder: StateFolder,
        command: RunCommandLine,
        writer: CheckpointWriter,
        settings: StateSettings,
    ) -> None:
        """Read what there is, and change nothing.

        Raises:
            StateError: it is damaged, or the state of something else.
        """
        self.checkpoint: str | None = None
        self._folder = folder
        self._command = command
        self._writer = writer
        self._settings = settings
        self._manifest = folder.manifest()
        reads = not (settings.replays or settings.migrates)
        if self._manifest is not None:
            if reads:
                self._manifest.check_command(command)
        elif not reads:
            message = f"{folder.path} has nothing recorded"
            raise NoState(message, "name the folder that was given to --state")
        first_or_last = min if settings.replays else max  # a replay goes on from where it can begin
        self._number = first_or_last(folder.checkpoints, default=0)
        self.given: StateReader | None = folder.read_checkpoint(self._number)
        ended = None if self.given is None else self.given.maybe("ended")
        self.ended = None if ended is None else ended.integer("code", 0, 255)
        self.leaves_input = ended is not None and STDIN in command.streams and reads
        if ended is not None and settings.migrates:
            message = "the run has ended, so no rules can take its state over"
            raise OtherCommand(message, "name another folder to begin anew")
        self.last_line = 0
        if ended is not None and "line" in ended:
            self.last_line = ended.integer("line", 0)
        self._moved = MovedBytes(folder.moved_path, folder.files)
        self._journal: Journal | None = None
        self._recorder: InputRecorder | None = None
        self._run: StreamRun | None = None
        self._parts: RunParts | None = None
        self._reader: JournalReader | None = None
        self._saved_before = -1
        self._group: GroupCommit | None = None
        self._has_failed = False

    @property
    def is_numbered(self) -> bool:
        """Whether lines have sequence numbers."""
        return self._command.numbered if self._manifest is None else self._manifest.command.numbered

    @property
    def has_begun(self) -> bool:
        """Whether there is anything to go on from."""
        return self._manifest is not None

    def check_outputs(self, output: Path | None, late: Path | None) -> None:
        """Refuse files of a run that has ended if they have less than it wrote; None: no file.

        Raises:
            OtherOutput: one has.
            OSError: the system does not say.
        """
        assert self.given is not None
        for path, key in ((output, "told"), (late, "late")):
            if path is not None:
                check_committed(path, self.given.integer(key, 0), self._moved.of(key))

    def restore_terms(self, terms: Dictionary) -> Mask | None:
        """Restore the terms of the checkpoint into an empty dictionary; None: there are none."""
        if self.given is None:
            return None
        try:
            return terms.restore(self.given.part("terms"))
        except ValueError as error:
            raise self._damaged(error) from None

    def begin(
        self,
        run: StreamRun,
        alive: Mask | None,
        live: Callable[[Tick], Schedule],
        stops: Callable[[], bool],
    ) -> InputRecorder:
        """Begin, or go on: the schedule of the run.

        Args:
            run: a run without steps; with a checkpoint it has the terms of that, and nothing else.
            alive: which ids are terms; None without a checkpoint.
            live: makes the schedule of events that are not recorded.
            stops: as of `InputRecorder.record_to`.

        Raises:
            StateError: the state is of another run, or damaged; nothing was changed.
            SinkLost: the system does not take output.
        """
        parts = RunParts.of(run)
        known = self._manifest
        resumes = known is not None
        self._manifest = self._manifest_of(parts.core)
        reader = self._folder.entries_behind(self._number, self._manifest)
        # All of it is checked before anything is changed.
        events = (entry.event for entry in reader.entries())
        changes = [each for each in events if isinstance(each, ChangeReferences)]
        self._check_rules(parts, changes)
        told, late, moved_to = self._restore(parts, alive)
        self.given = None  # the run has it now
        self._run, self._parts = run, parts
        self._reader = reader.again()
        replays, data = self._settings.replays, parts.references
        if self._settings.migrates:
            live = lambda _: RulesTakeOver(data, self._settings.rules, self._settings.say)  # noqa: E731
        recorder = InputRecorder(
            parts.sources,
            self._reader.entries(),
            None if replays else live,
            before_live=lambda: None if replays else self._go_live(resumes=resumes),
            between=self.between,
        )
        recorder.moved_to = max(moved_to, recorder.moved_to)
        self._recorder = recorder
        if replays:
            parts.to.begin(told, lambda: None)
            return recorder
        self._folder.prune(keep_journal=self._settings.keep_journal)
        if self._manifest != known:
            self._manifest.write(self._folder.files, self._folder.manifest_path)
        moved = self._moved
        if isinstance(parts.to, CommittedFile):
            parts.to.begin(told, recorder.commit, moved.of("told"), partial(moved.note, "told"))
        else:
            parts.to.begin(told, recorder.commit)
        if parts.late is not None:
            noted = moved.of("late"), partial(moved.note, "late")
            parts.late.begin(late, recorder.commit, *noted)
        if _is_heard(parts.sources):
            depends = lambda: not recorder.is_committed  # noqa: E731
            self._group = GroupCommit(parts.to, recorder.commit, depends)
            parts.output.to = self._group
        self._journal, self._number = self._folder.open_journal(
            reader, lambda path: self._writer.write(path, self._saved, self._sync)
        )
        if self._settings.journal_size is not None:
            self._journal.most = self._settings.journal_size
        recorder.record_to(self._journal, stops)
        return recorder

    def _manifest_of(self, core: Core) -> Manifest:
        """The manifest of the state of ``core``."""
        program, known = fingerprint(core), self._manifest
        if known is None:
            functions = function_versions(core)
            return Manifest.of(program, functions, self._settings.rules, self._command)
        check_functions(known.functions, core.program.language.builtins)
        if self.given is None and not self._folder.journals:
            return replace(known, program=program)  # a crash came before anything was recorded
        if self.given is None or "program" not in self.given:  # else see `RunParts.restore`
            known.check_program(program)
        return known

    def _check_rules(self, parts: RunParts, changes: Sequence[ChangeReferences]) -> None:
        """Refuse rules that are not those that the run read last."""
        assert self._manifest is not None
        settings = self._settings
        if settings.is_watched or settings.replays or settings.migrates:
            return
        known = [self._manifest.rules.encode("latin-1")]
        if self.given is not None:
            texts = [part.text("text") for part in self.given.part("references").parts("rules")]
            known = [text.encode("latin-1") for text in texts[-1:]] or known
        # What was read may have been refused, so what was read before it may still run.
        known += [each.rules for each in changes if each.rules is not None]
        now = self._settings.rules
        if not any(now == each or parts.references.says_same(each, now) for each in known[-2:]):
            self._manifest.refuse_rules(self._folder.path)

    def _restore(self, parts: RunParts, alive: Mask | None) -> tuple[int, int, Tick]:
        """What was told, how long the file of late elements was, where the clock had moved time."""
        if self.given is None:
            return 0, 0, NEG_INF
        assert alive is not None
        given = self.given
        try:
            told = given.integer("told", 0)
            late = 0 if parts.late is None else given.integer("late", 0)
            migrates = self._settings.migrates
            moved_to = parts.restore(given, alive, self._settings.say if migrates else None)
        except InputError as error:
            hint = "put the file back, or begin with an empty folder"
            raise OtherInput(str(error), hint) from None
        except ValueError as error:
            raise self._damaged(error) from None
        if isinstance(parts.to, CommittedFile):
            check_committed(parts.to.path, told, self._moved.of("told"))
        if parts.late is not None:
            check_committed(parts.late.path, late, self._moved.of("late"))
        return told, late, moved_to

    def _go_live(self, *, resumes: bool) -> None:
        """All recorded events have happened again: a pipe is another one from now on."""
        assert self._parts is not None
        assert self._recorder is not None
        for number, source in enumerate(self._parts.sources):
            if resumes and source.is_sent_again:
                source.forget_pending()
                self._recorder.note_new_pipe(number)
            try:
                source.go_live()
            except InputError as error:
                raise OtherInput(str(error), _GONE) from None
            if resumes:
                self._settings.say(_resumed_line(source))

    def between(self) -> None:
        """Between two events: what a child has written is committed, and a checkpoint begun.

        Where that fails the run goes on with its journal.

        Raises:
            RunStopped, MemoryFull: recorded events happen again, and the run ends before the next.
        """
        if self._settings.replays:
            return
        assert self._journal is not None
        if self._group is not None:
            self._group.flush(due=True)
        with self._going_on():
            if self._writer.poll():
                self._committed()
            if self._is_due and self._writer.begin(self._begin_segment(), self._saved, self._sync):
                self._committed()
        if self._repeats:
            assert self._run is not None
            self._run.check_bounds()

    @property
    def _repeats(self) -> bool:
        """Whether recorded events happen again."""
        return self._recorder is not None and self._recorder.repeats

    @property
    def _takes_in(self) -> bool:
        """Whether any have, that no checkpoint of this process has."""
        return self._reader is not None and self._reader.number > self._saved_before

    @property
    def _is_due(self) -> bool:
        """Whether a checkpoint is to be begun."""
        assert self._journal is not None
        if self._repeats:
            return self._takes_in and self._writer.is_due
        is_long = self._journal.is_long and not self._writer.is_writing
        return self._journal.has_events and (self._writer.is_due or is_long)

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Say once that no checkpoint could be written; it is tried again when the next is due."""
        assert self._journal is not None
        try:
            yield
        except StateLost as error:
            if not self._journal.is_open:
                raise
            if not self._has_failed:
                self._has_failed = True
                self._settings.say(f"warning: {CheckpointFailed.of(error)}")

    def flush(self) -> None:
        """Let no answer wait for others, nor a sender: it is waited for input, or the run ends."""
        if self._group is not None:
            self._group.flush()
        if self._recorder is not None:
            self._recorder.acknowledge()

    def stop(self) -> None:
        """Save the run, which a signal ends; the same command goes on."""
        self._finish(self._saved)
        assert self._parts is not None
        for each in self._parts.sources:
            if each.ended and not each.is_rereadable:
                self._settings.say(f"{_end_of(each)}: the same command reads nothing more of it")

    def refusal_of_input(self) -> InputEnded:
        """The error about what comes on standard input after the run has ended."""
        where = f" at line {self.last_line}" if self.last_line else ""
        message = f"the input of this run ended{where}; what comes now is not read"
        return InputEnded(message, "name another folder to begin anew")

    def end(self, code: int) -> None:
        """Note that the run has ended with an exit code; of one that happens again nothing."""
        if self._settings.replays:
            return
        assert self._recorder is not None
        assert self._parts is not None
        parts = self._parts
        self._recorder.flush()
        if self._settings.migrates:
            self._settings.say("the input had ended, so the run has, by the rules that it had")
        self._finish(lambda: parts.ended(code))
        for number, source in enumerate(parts.sources):
            if source.name == STDIN_NAME and source.ended and number not in self._recorder.ended:
                self.leaves_input, self.last_line = True, source.line - 1

    def close(self) -> None:
        """Let other processes have the state; a child that writes a checkpoint is waited for."""
        try:
            with suppress(StateLost):  # the checkpoint before it is there
                self._writer.poll(wait=True)
        finally:
            if self._journal is not None:
                self._journal.close()
            self._folder.close()

    def _finish(self, state: Callable[[], State]) -> None:
        with self._going_on():
            if self._writer.poll(wait=True):
                self._committed()
        if not self._repeats or self._takes_in:
            self._writer.write(self._begin_segment(), state, self._sync)
            self._committed()

    def _begin_segment(self) -> Path:
        """Begin the segment behind the next checkpoint; the file of that.

        While recorded events happen again, that is the rest of the one that has them.
        """
        assert self._journal is not None
        self.flush()  # the checkpoint says how much was told
        for output in self._outputs():
            output.follow()
        number, place = self._number + 1, None
        if self._repeats:
            assert self._reader is not None
            self._saved_before = self._reader.number
            place = self._folder.place_of(self._reader)
        else:
            self._journal.begin(self._folder.journal_path(number), number)
        self._number = number
        return self._folder.checkpoint_path(number, place)

    def _committed(self) -> None:
        """A checkpoint was written."""
        self._has_failed = False
        self.checkpoint = self._settings.clock()
        self._folder.prune(keep_journal=self._settings.keep_journal)

    def _saved(self) -> State:
        assert self._parts is not None
        assert self._recorder is not None
        return self._parts.saved(self._recorder.moved_to)

    def _sync(self) -> None:
        """Let the outputs reach the disk, which a checkpoint says how long they are."""
        for output in self._outputs():
            output.sync()

    def _outputs(self) -> list[CommittedFile]:
        assert self._parts is not None
        to = self._parts.to, self._parts.late
        return [each for each in to if isinstance(each, CommittedFile)]

    def _damaged(self, error: ValueError) -> DamagedState:
        path = self._folder.checkpoint_path(self._number)
        return DamagedState(f"{path} is no state of a run: {error}")


def _is_heard(sources: Sequence[RdfSource]) -> bool:
    """Whether none is waited for but where the schedule waits.

    A pipe may be waited for within an event, too, until a byte order mark or the head of a table
    has come: of a run with one pipe that is before all answers.
    """
    pipes = [each for each in sources if not (each.is_rereadable or each.ended)]
    return len(pipes) <= 1 and all(map(is_heard, pipes))


def _end_of(source: RdfSource) -> str:
    """The words about a pipe whose end was read."""
    where = f" at line {source.line - 1}" if source.line else ""
    return f"{source.name} had ended{where}"


def _resumed_line(source: RdfSource) -> str:
    """The line about a source at which a run goes on: what is to be sent, if it is a pipe."""
    name, line = source.name, source.line
    if source.ended and not source.is_rereadable:
        return f"resumed: {_end_of(source)}"
    if not source.is_sent_again or not line:
        where = f"at line {line} of " if line else ""
        return f"resumed {where}{name}, nothing lost, nothing twice"
    return f"resumed: send {name} from line {line} on"
