"""Bytes of a named file or of standard input, decompressed, as they arrive."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, Any, BinaryIO, Final, NamedTuple, Protocol, cast

from r4.errors import InputError, SourceLost

if sys.platform == "linux":
    import fcntl

STDIN: Final = "-"
STDIN_NAME: Final = "<stdin>"
"""What messages call it."""
CHUNK: Final = 1 << 20
"""Bytes handed on at once: about ten thousand statements, enough for kernels to be fast."""

SINGLE_BYTE: Final = re.compile(
    r"us-ascii|ascii|latin-?1|iso-?8859-(?:[1-9]|1[013456])|(?:windows-|cp)125[0-8]"
)
"""The encodings that are read beside UTF-8: a character is a byte, so places stay what they are."""

_CHECKED: Final = 256
"""So many bytes before the place where a file is read on are compared."""
_DAMAGE: Final = (EOFError, OSError)
"""What reading raises; a decompressor may raise more."""
_COMPRESSED: Final = frozenset({".gz", ".bz2", ".xz"})


class DamagedInput(Exception):
    """A compressed file that ends too early or is not what its name says."""


class _Readable(Protocol):
    """A file: one read of the system, or of the decompressor."""

    def read1(self, size: int, /) -> bytes: ...


class Payload(NamedTuple):
    """Bytes that a transport delivered, and its position behind them."""

    data: bytes
    position: bytes


class ReadTap(Protocol):
    """Notes what is read of a source, and says what is to be read in its place."""

    @property
    def plans(self) -> bool:
        """Whether the next read is planned."""

    def planned(self) -> bytes | int | Payload | None:
        """The bytes of the next read, or how many there were; None: it is read as it comes."""

    def took(self, data: bytes, position: bytes | None = None) -> None:
        """These bytes were read; none at the end. A transport has a position behind them."""

    def fail(self) -> None:
        """Nothing was read, as a transport is lost."""


class ReadingBounds(Protocol):
    """What ends the reading of an input before its end."""

    def check(self) -> None:
        """Raise where it is to end; may be called often."""

    def left(self) -> int | None:
        """Bytes of memory that may still be used; None: any number."""


class _Unbounded:
    """Nothing ends it."""

    def check(self) -> None:
        """Let it go on."""

    def left(self) -> int | None:
        """Any number."""
        return None


UNBOUNDED: Final[ReadingBounds] = _Unbounded()
"""Nothing ends it."""


def is_compressed(path: str) -> bool:
    """Whether the name of a file says that it is compressed."""
    return path != STDIN and PurePath(path).suffix.lower() in _COMPRESSED


class ByteSource:
    """An input, opened for reading once from begin to end.

    Attributes:
        name: What messages call it.
        live: Whether it may still be written to: a pipe, a terminal. Then what has arrived is
            handed on at once; of a plain file always ``chunk`` bytes.
        tap: Notes what is read; None: nobody does.
        ended: Whether its end was read.
        is_short: Whether a plain file gave less than was asked for, so that nothing is left.
        handed: How many bytes were handed on.
        is_compressed: Whether what is handed on was decompressed.
        bounds: What ends the reading of it; looked at before each read.
    """

    __slots__ = (
        *("_chunk", "_damage", "_failure", "_file", "_plain", "_stack", "_tail"),
        *("bounds", "ended", "handed", "is_compressed", "is_short", "live", "name", "tap"),
    )

    def __init__(self, path: str, chunk: int = CHUNK) -> None:
        """Open it, to be handed on in pieces of ``chunk`` bytes at most.

        Raises:
            InputError: It cannot be opened.
        """
        self._chunk = chunk
        self._damage: tuple[type[Exception], ...] = _DAMAGE
        self._stack = ExitStack()
        self._failure: Exception | None = None
        self.name = STDIN_NAME if path == STDIN else path
        self._plain: BinaryIO | None = None
        self.handed = 0
        self.bounds = UNBOUNDED
        self.tap: ReadTap | None = None
        self.ended = self.is_short = False
        self._tail = b""
        self.is_compressed = is_compressed(path)
        try:
            self._file: _Readable = self._open(path)
        except (OSError, ValueError) as error:
            self._stack.close()
            message = f"{path}: {getattr(error, 'strerror', None) or error}"
            if getattr(error, "errno", None) == errno.EMFILE:
                message += "; `ulimit -n` says how many a process may have: allow more of them"
            raise InputError(message) from error

    @property
    def whole(self) -> bool:
        """Whether it begins with the document, where a byte order mark may stand."""
        return not self.handed

    @property
    def position(self) -> int:
        """How many bytes of the file were read; less than were handed on if it is compressed."""
        return self.handed if self._plain is None else self._plain.tell()

    def _open(self, path: str) -> _Readable:
        if path == STDIN:
            self.live = True
            if sys.stdin is None:
                message = "there is no standard input"
                raise ValueError(message)
            widen(sys.stdin)
            return cast("_Readable", sys.stdin.buffer)
        file = self._stack.enter_context(Path(path).open("rb"))  # noqa: SIM115
        self._plain = file if self.is_compressed else None
        self.live = not stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        if self.live:
            widen(file)
        match PurePath(path).suffix.lower():
            case ".gz":
                import gzip
                import zlib

                self._damage = (*_DAMAGE, zlib.error)
                return self._stack.enter_context(gzip.open(file))
            case ".bz2":
                import bz2

                return self._stack.enter_context(bz2.open(file))
            case ".xz":
                import lzma

                self._damage = (*_DAMAGE, lzma.LZMAError)
                return self._stack.enter_context(lzma.open(file))
        return file

    @property
    def descriptor(self) -> int | None:
        """What the system can wait for; None: nothing, as all is there, or in a decompressor."""
        file = getattr(self._file, "fileno", None)
        if (
            self.ended
        ):  # by an earlier process perhaps: then this is another pipe, which is not read
            return None
        if not self.live or self.is_compressed or file is None or sys.platform == "win32":
            return None
        try:
            found: int = file()
        except OSError:  # standard input that is no file of the system
            return None
        return found

    @property
    def tail(self) -> bytes:
        """Bytes of a plain file that were read last; none of others."""
        return b"" if self.live or self.is_compressed else self._tail

    def go_on(self, handed: int, tail: bytes, *, ended: bool) -> None:
        """Go on, before anything is read, where a reader of the same input stopped.

        Args:
            handed: How many bytes were handed on until then; of a compressed file so many are
                read again, of a pipe none.
            tail: What `tail` was there.
            ended: Whether its end was read, too; then nothing is read any more.

        Raises:
            InputError: It is another input.
        """
        while self.is_compressed and not ended and self.handed < handed:
            if not self._read(min(CHUNK, handed - self.handed)):
                break
        if self.is_compressed and not ended and self.handed < handed:
            message = f"{self.name}: it is shorter than what was read of it before"
            raise InputError(message)
        self.handed, self.ended, self._tail = handed, ended, tail
        if self.live or self.is_compressed:
            return
        file = cast("BinaryIO", self._file)
        file.seek(handed - len(tail))
        if file.read(len(tail)) != tail:
            message = f"{self.name}: it is not what was read of it before"
            raise InputError(message)

    def read(self) -> bytes:
        """The next bytes; none at the end only.

        Raises:
            DamagedInput: A compressed file is broken here; what came before was delivered.
            SourceLost: The system reports an error; what came before was delivered.
            InputError: It has fewer bytes than were read of it before.
            Exception: As ``bounds`` do.
        """
        if self.ended:
            return b""
        self.bounds.check()
        planned = None if self.tap is None else self.tap.planned()
        assert not isinstance(planned, Payload), "no transport delivers it"
        if isinstance(planned, bytes):
            self.handed += len(planned)
            data = planned
        elif planned is not None:
            data = self._read(planned)
            if len(data) < planned:
                message = f"{self.name}: it is shorter than what was read of it before"
                raise InputError(message)
        else:
            data = self._read(self._chunk)
            if self.tap is not None:
                self.tap.took(data)
        self.ended = not data
        # A run that happens again reads on at once only if the first one did; none follows the end.
        reads_on = planned is None or self.tap is None or self.tap.plans or self.ended
        is_whole = not self.live and self._failure is None and len(data) < self._chunk
        self.is_short = is_whole and reads_on
        self._tail = data[-_CHECKED:] or self._tail
        return data

    def _read(self, wanted: int) -> bytes:
        parts: list[bytes] = []
        while wanted and self._failure is None:
            try:
                part = self._file.read1(wanted)
            except self._damage as error:
                self._failure = self._error_of(error)
                break
            if not part:
                break
            parts.append(part)
            self.handed += len(part)
            wanted = 0 if self.live else wanted - len(part)
        if self._failure is not None and not parts:
            raise self._failure
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _error_of(self, error: Exception) -> Exception:
        # Decompressors raise OSError without a number for bytes they cannot make sense of.
        if isinstance(error, OSError) and error.errno is not None:
            return SourceLost(f"{self.name}: {error.strerror}")
        return DamagedInput(str(error) or "the compressed data end too early")

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._stack.close()


class HeldBytes(ByteSource):
    """Bytes that were read and decompressed before, as an input: of what can be read only once."""

    __slots__ = ("_data",)

    def __init__(self, path: str, data: bytes, chunk: int = CHUNK) -> None:
        self._data = data
        super().__init__(path, chunk)

    def _open(self, path: str) -> _Readable:  # noqa: ARG002 - nothing is opened
        self.live = False
        return BytesIO(self._data)


def widen(file: IO[Any]) -> None:
    """Let a pipe hold as much as is handed on at once, so that less is done more rarely."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError):  # no pipe, or the system does not let it
            fcntl.fcntl(file.fileno(), fcntl.F_SETPIPE_SZ, CHUNK)


def plain_suffix(path: str) -> str:
    """The suffix that tells the format, in lower case: that beneath ``.gz``, ``.bz2``, ``.xz``."""
    name = PurePath(path)
    if name.suffix.lower() in _COMPRESSED:
        name = PurePath(name.stem)
    return name.suffix.lower()
