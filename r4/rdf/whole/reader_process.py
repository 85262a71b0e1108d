"""A process of its own that reads long documents, as their parser cannot be stopped.

R4 gives it the text and takes the statements, by pipes, and looks in between whether it is to end:
so a signal counts within a second, and memory has a bound, whatever the parser does. The process
begins with the first document, and ends with the last.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pyoxigraph

from r4.rdf.files import CHUNK, ReadingBounds, widen
from r4.rdf.whole.document import Ending, WholeReading
from r4.rdf.whole.frames import END, FRONT_SIZE, HEAD, NO_MEMORY, TEXT, frame, front_of
from r4.rdf.whole.line import LineReading
from rete.memory_limit import MemoryBound

LEAST: Final = 1 << 18
"""Bytes of a document that is worth a process: of fewer the parser makes some 0.2 s and 60 MB."""
PATIENCE: Final = 30.0
"""Seconds for which nothing may come of it, and so many more for each megabyte of the text."""
_PATIENCE_A_MEGABYTE: Final = 5.0
_ARGUMENTS: Final = ("-P", "-S", "-m", "r4.rdf.whole.child")
"""Of Python: modules are looked for neither where R4 was started nor where packages are."""
_TICK: Final = 0.05
"""Seconds from one look at signals and memory to the next."""


class _Lost(Exception):
    """The process has ended, or it makes no progress."""


class ReaderProcess:
    """Reads documents, one after the other, in a process that begins when it is needed."""

    __slots__ = ("_allowed", "_next_look", "_process", "patience")

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._allowed = patience
        self._next_look = 0.0
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> bool:
        """Begin, if it has not yet; whether it is there, as the system may start no process."""
        if self._process is None and sys.platform != "win32" and not hasattr(sys, "frozen"):
            with suppress(OSError):
                self._process = _started()
        return self._process is not None

    def quads(
        self, how: WholeReading | LineReading, text: Iterable[bytes], bounds: ReadingBounds
    ) -> Generator[bytes, None, Ending]:
        """The statements of a document, as ``how`` reads them; the process was begun before.

        Raises:
            MemoryBound: It takes more memory than ``bounds`` leave.
            Exception: As ``text`` and ``bounds`` do.
        """
        try:
            self._send(how, text, bounds)
            return (yield from self._received(bounds))
        except _Lost as lost:
            return Ending(self._why(lost, bounds))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            with self._process:
                pass  # which closes its pipes and waits
            self._process = None

    def _send(
        self, how: WholeReading | LineReading, text: Iterable[bytes], bounds: ReadingBounds
    ) -> None:
        assert self._process is not None
        given = {**asdict(how), "reading": type(how).__name__, "memory": bounds.left()}
        size = 0
        self._write(frame(HEAD, json.dumps(given).encode()), bounds)
        for part in text:
            size += len(part)
            self._write(frame(TEXT, part), bounds)
        self._write(frame(TEXT, b""), bounds)
        self._allowed = self.patience + _PATIENCE_A_MEGABYTE * size / (1 << 20)

    def _received(self, bounds: ReadingBounds) -> Generator[bytes, None, Ending]:
        while True:
            kind, size = front_of(self._read(FRONT_SIZE, bounds))
            content = self._read(size, bounds)
            if kind == END:
                return Ending(*json.loads(content))
            yield content

    def _write(self, data: bytes, bounds: ReadingBounds) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        descriptor = self._process.stdin.fileno()
        rest = memoryview(data)
        while rest:
            self._wait(descriptor, select.POLLOUT, bounds)
            try:
                rest = rest[os.write(descriptor, rest[:CHUNK]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise _Lost from None

    def _read(self, size: int, bounds: ReadingBounds) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        parts: list[bytes] = []
        while size:
            self._wait(descriptor, select.POLLIN, bounds)
            if not (part := os.read(descriptor, min(size, CHUNK))):
                raise _Lost
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait(self, descriptor: int, event: int, bounds: ReadingBounds) -> None:
        """Wait for the process, and look whether the reading is to end.

        Time counts while R4 itself goes on: not while it is stopped, or asleep.
        """
        poll = select.poll()
        poll.register(descriptor, event)
        waited = 0.0
        while True:
            began = time.monotonic()
            found = poll.poll(_TICK * 1000)
            now = time.monotonic()
            if now >= self._next_look:
                self._look(bounds)
                self._next_look = now + _TICK
            if found:
                return
            waited += min(now - began, 2 * _TICK)
            if waited > self._allowed:
                message = f"nothing came of it for {self._allowed:.0f} s"
                raise _Lost(message)

    def _look(self, bounds: ReadingBounds) -> None:
        """Raise where the reading is to end: R4 takes memory, too, while it goes on."""
        assert self._process is not None
        bounds.check()
        if (left := bounds.left()) is not None and _resident(self._process.pid) > left:
            raise _memory_error(left)

    def _why(self, lost: _Lost, bounds: ReadingBounds) -> str:
        """Why the process was lost; raises `MemoryError` if for lack of memory."""
        assert self._process is not None
        if message := str(lost):
            self.close()
            return f"the parser makes no progress: {message}"
        code = self._process.wait()
        self.close()
        if code in {NO_MEMORY, -signal.SIGABRT}:  # the parser aborts where it gets no memory
            raise _memory_error(bounds.left())
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else "failed"
        return f"the process that reads it {how}"


def _started() -> subprocess.Popen[bytes]:
    """A new process; raises `OSError` if the system starts none."""
    folders = Path(__file__).parents[3], Path(pyoxigraph.__file__).parents[1]
    process = subprocess.Popen(  # noqa: S603 - this Python, with a module of R4
        [sys.executable, *_ARGUMENTS],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    os.set_blocking(process.stdin.fileno(), False)
    for pipe in (process.stdin, process.stdout):
        widen(pipe)
    return process


def _resident(process: int) -> int:
    """Bytes of memory that a process has; 0 if it has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text("ascii").split()
    except OSError:
        return 0
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE")


def _memory_error(left: int | None) -> MemoryError:
    if left is None:
        return MemoryError("memory is exhausted")
    return MemoryBound(f"to read a document takes more than the {left:,} bytes of memory left")
