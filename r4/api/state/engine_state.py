"""The folder of an engine that goes on after a crash: its calls, and checkpoints of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final
from warnings import warn

import numpy as np

from r4.api.run.engine_run import EngineRun
from r4.api.state.checkpoint import saved_run
from r4.api.values.change import Change
from r4.checkpoint import Resumption, fingerprint, function_versions
from r4.checkpoint.errors import OtherFunctions, OtherRules, SnapshotError
from r4.options.engine_options import EngineOptions
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.errors import CheckpointFailed, DamagedState, OtherCommand, StateLost
from r4.state.folder import StateFolder
from r4.state.journal.journal import Journal, JournalReader
from r4.state.journal.records import EngineCall, EventEntry
from r4.state.manifest import Manifest, RunCommandLine, check_functions

if TYPE_CHECKING:
    from rete.arrays.state_codec import State, StateReader

_EVERY: Final = 10.0
"""Seconds from one checkpoint to the next, at least."""
_OWN: Final = "open it with the rules and options that it began with, or name another folder"


class ChangeInHand:
    """A change that was taken out, and that nobody says was dealt with; None: there is none."""

    __slots__ = ("change",)

    def __init__(self) -> None:
        self.change: Change | None = None


class EngineState:
    """What an engine knows, in a folder. Whoever calls it holds the lock of the run.

    Its methods raise `ValueError` if the engine is closed, and `StateLost` where the system does
    not take what they do; then the engine is closed.

    Attributes:
        resumption: the checkpoint that the engine goes on from, until it has begun; None: none.
        calls: how many calls were made in all.
        rules: the texts of the rules that were added, in their order.
    """

    def __init__(self, path: Path, options: EngineOptions) -> None:
        """Lock the folder and read what is in it; nothing that is there is changed.

        Raises:
            StateError: it is damaged, in use, or the state of something else.
        """
        self.resumption: Resumption | None = None
        self.calls = 0
        self.rules: list[str] = []
        self._options = options
        self._run: EngineRun | None = None
        self._journal: Journal | None = None
        self._process = os.getpid()
        self._has_stopped = False
        self._has_taken = False
        self._has_failed = False
        self._is_within = False
        self._hands: list[ChangeInHand] = []
        self._told = 0
        self._numbers: Sequence[int] = ()
        self._folder = StateFolder(path)
        self._folder.open(create=True)
        try:
            self._read()
        except BaseException:
            self._folder.close()
            raise

    def _read(self) -> None:
        folder, command = self._folder, _command(self._options)
        self._manifest = folder.manifest()
        self._number = max(folder.checkpoints, default=0)
        if self._manifest is None:
            self._manifest_is_new = True
            return
        self._manifest_is_new = False
        _check_options(self._manifest.command, command)
        given = folder.read_checkpoint(self._number, portable=False)
        if given is None:
            return
        with self.naming_file():
            self.calls = given.integer("calls", 0)
            engine = given.part("engine")
            self._told = given.integer("told", 0)
            self._numbers = _numbers(given, len(engine.parts("changes")), self._told)
            self.rules = list(given.texts("rules"))
        path, program = folder.checkpoint_path(self._number), self._manifest.program
        self.resumption = Resumption(engine, path, tuple(self.rules), program)

    @contextmanager
    def naming_file(self) -> Iterator[None]:
        """Turn what is wrong with the checkpoint into an error of the state.

        Raises:
            OtherCommand: it is of other rules.
            DamagedState: it is none that an engine can have.
        """
        path = self._folder.checkpoint_path(self._number)
        try:
            yield
        except OtherRules:
            self._refuse_rules()
        except OtherFunctions as error:
            raise OtherCommand(error.message, _OWN) from None
        except (SnapshotError, ValueError) as error:
            message = f"{path} is no state of an engine: {error}"
            raise DamagedState(message) from None

    def begin(self, run: EngineRun, replay: Callable[[bytes], None]) -> None:
        """Make the calls behind the checkpoint again; new ones can be recorded then.

        Args:
            run: it has what the checkpoint has; without one, what the rules import.
            replay: makes a call that was recorded, and records none.

        Raises:
            StateError: the state is of other rules, or damaged, or the system does not take it.
        """
        manifest = self._manifest
        if self.resumption is None:
            program = fingerprint(run.core)
            if manifest is not None:
                check_functions(manifest.functions, run.core.program.language.builtins)
                if manifest.program != program:
                    self._refuse_rules()
            manifest = manifest or Manifest.of(
                program, function_versions(run.core), b"", _command(self._options)
            )
        assert manifest is not None
        self.resumption = None  # the engine has it now
        self._run = run
        reader = self._folder.entries_behind(self._number, manifest)
        for entry in reader.entries():  # all of it is checked before anything is changed
            _call(entry)
        run.change_queue.number(self._told, self._numbers)
        files = self._folder.files
        self._writer = CheckpointWriter(files, _EVERY, forks=False)
        self._folder.prune()
        if self._manifest_is_new:
            manifest.write(files, self._folder.manifest_path)
        self._journal, self._number = self._folder.open_journal(reader, self._write)
        replayed = reader.again()
        for entry in replayed.entries():
            self._replay(_call(entry), replay)
            if self._writer.is_due:
                self._checkpoint_or_warn(replayed)

    def _replay(self, call: EngineCall, replay: Callable[[bytes], None]) -> None:
        try:
            replay(call.content)
        except ValueError as error:
            message = f"{self._folder.path}: {error}"
            raise DamagedState(message) from None
        self.calls += call.counts
        name, *arguments = json.loads(call.content)
        if name == "add_rules":
            self.rules.append(arguments[0])

    @property
    def _is_of_parent(self) -> bool:
        return os.getpid() != self._process

    @property
    def is_open(self) -> bool:
        """Whether calls can be made."""
        return not (self._has_stopped or self._is_of_parent)

    def check_open(self) -> None:
        """Check that calls can be made.

        Raises:
            ValueError: the engine was closed, its state was lost, or this is a child process.
        """
        if self._is_of_parent:
            message = "the state is of the process that opened it, not of one that was forked"
            raise ValueError(message)
        if self._has_stopped:
            message = "the engine is closed; open its state again to go on"
            raise ValueError(message)

    def begin_call(self, content: bytes) -> None:
        """Called before a call is made: a checkpoint is written if one is due.

        Where that fails there is a warning, `CheckpointFailed`, and the engine goes on with its
        journal; it is tried again when the next one is due.

        Raises:
            ValueError: the call is longer than a record may be.
        """
        self.check_open()
        if not EngineCall(content).fits:
            message = f"a call of {len(content)} bytes is not recorded; pass it in parts"
            raise ValueError(message)
        if not self._is_within:
            self._checkpoint_if_due()

    @contextmanager
    def without_checkpoint(self) -> Iterator[None]:
        """Write a checkpoint first if one is due, then none within."""
        self.check_open()
        was, self._is_within = self._is_within, True
        try:
            if not was:
                self._checkpoint_if_due()
            yield
        finally:
            self._is_within = was

    def _checkpoint_if_due(self) -> None:
        assert self._journal is not None
        if not self._journal.has_events:
            return
        if self._writer.is_due or self._journal.is_long:
            with self._stopping():
                self._checkpoint_or_warn()

    def _checkpoint_or_warn(self, taken_in: JournalReader | None = None) -> None:
        assert self._journal is not None
        try:
            self._checkpoint(taken_in)
        except StateLost as error:
            if not self._journal.is_open:
                raise
            if not self._has_failed:
                self._has_failed = True
                warn(CheckpointFailed.of(error), stacklevel=7)  # the call of the user

    def append(self, content: bytes) -> None:
        """Record a call that was made."""
        call = EngineCall(content)
        assert self._journal is not None
        with self._stopping():
            self._journal.append(EventEntry(call), needed=True)
        self.calls += call.counts

    def hand(self) -> ChangeInHand:
        """One by which changes are taken; what is in it is in checkpoints, until its release."""
        hand = ChangeInHand()
        self._hands.append(hand)
        return hand

    def release(self, hand: ChangeInHand) -> None:
        """What was taken by it was dealt with; nothing waits."""
        self._hands.remove(hand)

    def take(self, hand: ChangeInHand) -> Change | None:
        """Take out the next change, what it depends on is on the disk; None: there is none.

        The one before in that hand was dealt with.
        """
        self.check_open()
        assert self._run is not None
        queue = self._run.change_queue
        hand.change = None
        if not len(queue):
            return None
        self.sync()
        with self._stopping():
            self._has_taken = True
            hand.change = change = next(queue.take())
        return change

    def sync(self) -> None:
        """Return once all calls that were made are on the disk."""
        self.check_open()
        assert self._journal is not None
        with self._stopping():
            self._journal.sync()

    def close(self) -> None:
        """Write a checkpoint, and let others have the folder; what was taken out was dealt with."""
        if self._has_stopped or self._is_of_parent:
            return
        assert self._journal is not None
        with self._stopping():
            for hand in self._hands:
                hand.change = None
            if self._journal.has_events or self._has_taken:
                self._checkpoint()
        self.abandon()

    def abandon(self) -> None:
        """Let others have the folder, as after a crash: what was handed out may come again.

        In a child process nothing is done: the folder, and its lock, are those of the parent.
        """
        if self._is_of_parent:
            return
        self._has_stopped = True
        if self._journal is not None:
            with suppress(StateLost):
                self._journal.sync()
            self._journal.close()
        self._folder.close()

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Close the engine if what is done fails: the folder has not what the engine knows."""
        try:
            yield
        except BaseException:
            self._has_stopped = True
            if self._journal is not None:
                self._journal.close()
            self._folder.close()
            raise

    def _checkpoint(self, taken_in: JournalReader | None = None) -> None:
        """Write a checkpoint, before a new segment, or within those that are ``taken_in``."""
        assert self._journal is not None
        number, place = self._number + 1, None
        if taken_in is not None:
            place = self._folder.place_of(taken_in)
        else:
            self._journal.begin(self._folder.journal_path(number), number)
        self._number = number
        self._write(self._folder.checkpoint_path(number, place))
        self._has_failed = False
        self._has_taken = any(hand.change is not None for hand in tuple(self._hands))
        self._folder.prune()

    def _write(self, path: Path) -> None:
        self._writer.write(path, self._saved, lambda: None)

    def _saved(self) -> State:
        assert self._run is not None
        held = [hand.change for hand in tuple(self._hands)]
        numbered = {
            each.seq or 0: each
            for each in (*held, *self._run.change_queue.queued)
            if each is not None
        }
        numbers = sorted(numbered)
        changes = [numbered[number] for number in numbers]
        return {
            "engine": saved_run(self._run, self._options, changes),
            "numbers": np.array(numbers, np.int64),
            "calls": self.calls,
            "told": self._run.change_queue.count,
            "rules": self.rules,
        }

    def _refuse_rules(self) -> None:
        message = (
            f"{self._folder.path} is the state of other rules, or of an R4 that compiles these"
            " otherwise"
        )
        raise OtherCommand(message, _OWN)


def _numbers(given: StateReader, count: int, told: int) -> Sequence[int]:
    """The numbers of the changes of a checkpoint, up to ``told``."""
    numbers: list[int] = given.array("numbers", np.int64, count).tolist()
    if any(low >= high for low, high in pairwise((0, *numbers, told + 1))):
        given.refuse("numbers", "has no numbers of changes")
    return numbers


def _command(options: EngineOptions) -> RunCommandLine:
    texts = {name: json.dumps(value) for name, value in options.saved(compared=True).items()}
    return RunCommandLine((), texts, (), numbered=True)


def _check_options(was: RunCommandLine, now: RunCommandLine) -> None:
    """Refuse other options than those of a state."""
    if was.arguments:
        message = "the state is of `r4 run`, not of an engine"
        raise OtherCommand(message, "name another folder")
    for name in sorted({*was.options, *now.options}):
        had = was.options.get(name)
        if had != now.options.get(name):
            message = f"the state is of an engine with {name}={had}"
            raise OtherCommand(message, _OWN)


def _call(entry: EventEntry) -> EngineCall:
    """The call in a record."""
    if not isinstance(entry.event, EngineCall):
        message = "the journal has events of a run"
        raise DamagedState(message)
    return entry.event
