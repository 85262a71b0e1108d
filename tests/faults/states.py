"""Faults of runs with a state: what a crash leaves behind, and how a run goes on from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final
from unittest.mock import patch

from r4.run.reference_data import ReferenceData
from r4.sources.formats import RdfSource
from r4.state.files import SystemFiles
from r4.state.folder import JournalPlace, StateFolder
from r4.state.journal.input_recorder import InputRecorder
from r4.state.journal.journal import Journal, JournalReader
from r4.state.journal.records import EventEntry
from r4.state.output_commit import CommittedFile, NumberedLines
from r4.state.run_checkpoint import RunParts
from r4.state.run_state import RunState
from r4.stream.input_events import ChangeReferences, MoveClock
from r4.stream.source_buffer import SourceBuffer
from tests.faults.detection import Fault, FaultArea
from tests.simulation.state.crashing_files import CrashingFiles
from tests.simulation.state.killed_case import killed_case
from tests.simulation.state.killed_run import difference


def journal_not_synced() -> AbstractContextManager[object]:
    """Answers are told before the journal is on the disk."""
    return patch.object(Journal, "sync", lambda _: None)


def journal_after_output() -> AbstractContextManager[object]:
    """An event is recorded once the next one happens, so what it gives is told before."""
    return patch.object(InputRecorder, "commit", lambda recorder: recorder._journal.sync())


def checkpoint_not_synced() -> AbstractContextManager[object]:
    """A checkpoint gets its name before it is on the disk."""

    def replace(files: SystemFiles, path: Path, write: Callable[[BinaryIO], object]) -> None:
        temporary = path.with_name(path.name + ".new")
        with files.create(temporary) as file:
            write(file)
        files.rename(temporary, path)
        files.sync_folder(path.parent)

    return patch.object(SystemFiles, "replace", replace)


def output_not_synced() -> AbstractContextManager[object]:
    """A checkpoint counts bytes of the output that are not on the disk."""
    return patch.object(CommittedFile, "sync", lambda _: None)


def output_not_cut_back() -> AbstractContextManager[object]:
    """What was written behind the checkpoint stays, and is written again."""
    right = CrashingFiles.cut

    def cut(files: CrashingFiles, file: BinaryIO, size: int) -> None:
        if Path(file.name).suffix:
            right(files, file, size)

    return patch.object(CrashingFiles, "cut", cut)


def torn_record_accepted() -> AbstractContextManager[object]:
    """The sums of records are not compared."""
    return patch("r4.state.journal.records.crc32", lambda *_: 0)


def torn_tail_stays() -> AbstractContextManager[object]:
    """New records are written behind one that is torn."""
    right = Journal.go_on

    def go_on(journal: Journal, path: Path, size: int) -> None:
        del size
        right(journal, path, path.stat().st_size)

    return patch.object(Journal, "go_on", go_on)


def segments_not_begun() -> AbstractContextManager[object]:
    """What is taken behind a checkpoint is written to the journal before it."""

    def begin(state: RunState) -> Path:
        state._number += 1
        return state._folder.checkpoint_path(state._number)

    return patch.object(RunState, "_begin_segment", begin)


def places_in_the_journal_forgotten() -> AbstractContextManager[object]:
    """A checkpoint within a segment goes on with all of it."""
    right = StateFolder.place_of

    def place_of(folder: StateFolder, reader: JournalReader) -> JournalPlace:
        return right(folder, reader)._replace(record=0)

    return patch.object(StateFolder, "place_of", place_of)


def pruned_too_early() -> AbstractContextManager[object]:
    """Older checkpoints and journals go before the new checkpoint is there."""
    right = RunState._begin_segment

    def begin(state: RunState) -> Path:
        path = right(state)
        for number in state._folder.journals[:-1]:
            state._folder.files.remove(state._folder.journal_path(number))
        return path

    return patch.object(RunState, "_begin_segment", begin)


def answers_wait_beyond_a_checkpoint() -> AbstractContextManager[object]:
    """Answers that wait for others are neither told nor in the checkpoint."""
    return patch.object(RunState, "flush", lambda _: None)


def half_lines_stay() -> AbstractContextManager[object]:
    """What has come of a line is put before what another pipe delivers."""
    return patch.object(RdfSource, "forget_pending", lambda _: None)


def new_pipes_not_recorded() -> AbstractContextManager[object]:
    """That another pipe delivers is known to the process that noticed alone."""
    return patch.object(InputRecorder, "note_new_pipe", lambda *_: None)


def numbers_begin_anew() -> AbstractContextManager[object]:
    """Lines are counted from 1 by each process."""
    right = NumberedLines.begin
    return patch.object(NumberedLines, "begin", lambda lines, _, before: right(lines, 0, before))


def idle_sources_forgotten() -> AbstractContextManager[object]:
    """A source that is idle counts again behind a checkpoint."""
    right = SourceBuffer.saved
    return patch.object(SourceBuffer, "saved", lambda buffer: {**right(buffer), "idle": False})


def late_file_forgotten() -> AbstractContextManager[object]:
    """The file of late elements is begun anew."""
    right = RunParts.saved

    def saved(parts: RunParts, moved_to: int) -> Mapping[str, Any]:
        return {**right(parts, moved_to), "late": 0 if parts.late else None}

    return patch.object(RunParts, "saved", saved)


def event_in_both() -> AbstractContextManager[object]:
    """An event that a checkpoint has is recorded behind it."""
    right = InputRecorder.flush

    def flush(recorder: InputRecorder) -> None:
        if recorder._event is not None and recorder._journal is not None:
            recorder._between()
        right(recorder)

    return patch.object(InputRecorder, "flush", flush)


def moves_of_the_clock_not_recorded() -> AbstractContextManager[object]:
    """Only what sources do is recorded."""
    right = Journal.append

    def append(journal: Journal, entry: EventEntry, *, needed: bool) -> None:
        if not isinstance(entry.event, MoveClock):
            right(journal, entry, needed=needed)

    return patch.object(Journal, "append", append)


def reference_data_not_recorded() -> AbstractContextManager[object]:
    """That static data and rules were read again is not recorded."""
    right = Journal.append

    def append(journal: Journal, entry: EventEntry, *, needed: bool) -> None:
        if not isinstance(entry.event, ChangeReferences):
            right(journal, entry, needed=needed)

    return patch.object(Journal, "append", append)


def static_data_forgotten() -> AbstractContextManager[object]:
    """A checkpoint has the facts, but not which static document has them."""
    right = ReferenceData.saved

    def saved(references: ReferenceData) -> Mapping[str, Any]:
        return {**right(references), "documents": []}

    return patch.object(ReferenceData, "saved", saved)


def joined_rules_forgotten() -> AbstractContextManager[object]:
    """A checkpoint lacks the versions of the rules."""
    right = ReferenceData.saved

    def saved(references: ReferenceData) -> Mapping[str, Any]:
        return {**right(references), "rules": []}

    return patch.object(ReferenceData, "saved", saved)


FAULTS: Final[tuple[Fault, ...]] = (
    journal_not_synced,
    journal_after_output,
    checkpoint_not_synced,
    output_not_synced,
    output_not_cut_back,
    torn_record_accepted,
    torn_tail_stays,
    segments_not_begun,
    places_in_the_journal_forgotten,
    pruned_too_early,
    answers_wait_beyond_a_checkpoint,
    half_lines_stay,
    new_pipes_not_recorded,
    numbers_begin_anew,
    idle_sources_forgotten,
    late_file_forgotten,
    event_in_both,
    moves_of_the_clock_not_recorded,
    reference_data_not_recorded,
    static_data_forgotten,
    joined_rules_forgotten,
)


def _detects(seed: int, fault: Fault) -> bool:
    with TemporaryDirectory() as folder:
        return difference(killed_case(seed), Path(folder), fault)[0] is not None


AREA: Final = FaultArea(FAULTS, _detects, first=(681, 176, 103, 48, 487, 69, 66, 64, 43))
"""What a killed run tells, once it has gone on."""
