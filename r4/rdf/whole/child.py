"""A process that reads documents whole, one after the other, for the R4 that has started it.

It opens nothing. Text comes by standard input, statements go to standard output. It ends with that
R4, however that ends: the system tells it when nobody can write to its input any more.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Final

from r4.rdf.whole.document import Ending, WholeReading
from r4.rdf.whole.frames import END, FRONT_SIZE, NO_MEMORY, QUADS, TEXT, frame, front_of
from r4.rdf.whole.line import LineReading

if sys.platform != "win32":
    import fcntl
    import resource
    import select

_READINGS: Final = {each.__name__: each for each in (WholeReading, LineReading)}


def main() -> None:
    """Read documents until there are no more."""
    # Ctrl-C is for R4, which ends this process, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    gc.disable()  # what the parser makes has no cycles
    try:
        while head := _frame(sys.stdin.buffer):
            given = json.loads(head[1])
            _limit(given.pop("memory"))
            text = b"".join(_texts(sys.stdin.buffer))
            _end_with_parent(ends=True)
            reading = _READINGS[given.pop("reading")](**given)
            ending = _written(reading.quads(text))
            del text
            _end_with_parent(ends=False)  # as R4 sends the next document behind this
            _write(frame(END, json.dumps(ending).encode()))
    except MemoryError:
        os._exit(NO_MEMORY)


def _written(quads: Generator[bytes, None, Ending]) -> Ending:
    """How the document ended whose statements were written."""
    while True:
        try:
            _write(frame(QUADS, next(quads)))
        except StopIteration as ended:
            ending: Ending = ended.value
            return ending


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _texts(given: IO[bytes]) -> Iterator[bytes]:
    while found := _frame(given):
        kind, content = found
        assert kind == TEXT
        if not content:
            return
        yield content
    os._exit(0)  # nobody waits for it any more


def _frame(given: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame; None: there are no more."""
    front = given.read(FRONT_SIZE)
    if len(front) < FRONT_SIZE:
        return None
    kind, size = front_of(front)
    return kind, given.read(size)


def _limit(left: int | None) -> None:
    """Take no more memory than ``left`` bytes, what is taken already included; None: any."""
    if sys.platform != "linux":
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = most
    if left is not None:
        pages = Path("/proc/self/statm").read_text("ascii").split()
        reserved, resident = (int(each) * resource.getpagesize() for each in pages[:2])
        wanted = reserved + max(left - resident, 0)
        if most != resource.RLIM_INFINITY:
            wanted = min(wanted, most)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, most))


def _end_with_parent(*, ends: bool) -> None:
    """Have the system end this process, by SIGIO, as soon as nobody can write to its input.

    The parser does not look at its input while it reads a text that it has.
    """
    if sys.platform != "linux":
        return
    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC if ends else flags & ~os.O_ASYNC)
    poll = select.poll()
    poll.register(0, 0)
    if ends and poll.poll(0):  # it has ended before
        os._exit(0)


if __name__ == "__main__":
    main()
