"""The file of a snapshot: a zip, not compressed, of arrays and one JSON text.

``manifest.json`` has the format, its version, and the SHA-256 of all other members. ``state.json``
is the state with each array replaced by its type, its shape and its number; array N is ``N.npy``,
which numpy reads without pickle. A matrix of many rows is an array for each of its columns, whose
numbers are counted from a base, in as few bytes as they need. Nothing in it is ever executed, and
what is read is at most eight times as large as the file. Each byte that is used is under a
checksum: the manifest under that of the zip, the rest under those of the manifest.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from math import prod
from pathlib import Path
from typing import BinaryIO, Final, NoReturn, TypeAlias
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

from r4.atomic_path import atomic_path, sync_folder
from r4.checkpoint.errors import DamagedSnapshot, NotASnapshot, OtherVersion, WrongSize
from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.state_codec import SavedValue, StateReader

FORMAT: Final = "r4 snapshot"
VERSION: Final = 7
"""What is written; a file of another version is refused, but see `read`."""
PORTABLE: Final = 1
"""The number of what other versions can read in the state of a run, and of how it is written."""

_MANIFEST: Final = "manifest.json"
_STATE: Final = "state.json"
_TYPES: Final = ("<i8", "|u1")
_CODES: Final = (("|u1", 8), ("<u2", 16), ("<u4", 32))
"""Types of a column, with their bits; the last two numbers of each are the infinities."""
_MANY: Final = 1024
"""So many rows are written by column."""
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""When all members were changed: so equal states are equal files."""
_ZIP: Final = b"PK"
_NUMPY: Final = b"\x93NUMPY\x01\x00"
_PIECE: Final = 1 << 20
_MOST_COLUMNS: Final = 1 << 17

_Array: TypeAlias = npt.NDArray[np.generic]
_Json: TypeAlias = "str | int | Sequence[_Json] | Mapping[str, _Json] | None"


def write(path: Path, state: Mapping[str, SavedValue]) -> None:
    """Write ``state`` to ``path``, whole or not at all: until it is safe, the old file stays."""
    with atomic_path(path) as temporary, temporary.open("xb") as file:
        write_to(file, state)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def write_to(file: BinaryIO, state: Mapping[str, SavedValue]) -> None:
    """Write ``state`` to an empty file that is open, which is neither flushed nor closed."""
    archive = ZipFile(file, "w", ZIP_STORED)
    try:
        _ArchiveWriter(archive).write(state)
    except BaseException:
        archive.fp = None  # else to close it complains of an open member, in place of what happened
        raise
    archive.close()


def read(path: Path, *, portable: bool = False) -> StateReader:
    """The state in the file at ``path``, each byte of its arrays compared with what was written.

    With ``portable`` it may be of another version whose portable part is of this one.

    Raises:
        SnapshotError: it is no snapshot, of another version, or not as it was written.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        signature = file.read(len(_ZIP))
        if signature != _ZIP:
            message = f"{path} is no snapshot"
            raise NotASnapshot(message)
        with _as_damage(path), ZipFile(file) as archive:
            return _ArchiveReader(path, archive, os.fstat(file.fileno()).st_size).read(portable)


class _ArchiveWriter:
    """Writes arrays as they come in the state, and the manifest last."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._sums: list[str] = []

    def write(self, state: Mapping[str, SavedValue]) -> None:
        digest = self._member(_STATE, [_text(self._plain(state))])
        sums = {"arrays": self._sums, "state": digest}
        numbers: Mapping[str, _Json] = {
            "format": FORMAT,
            "version": VERSION,
            "portable": PORTABLE,
        }
        self._member(_MANIFEST, [_text({**numbers, "sha256": sums})])

    def _plain(self, value: SavedValue) -> _Json:
        if isinstance(value, np.ndarray):
            return {"array": self._put(value)}
        if isinstance(value, Mapping):
            return {name: self._plain(each) for name, each in value.items()}
        if value is None or isinstance(value, str | int):
            return value
        return [self._plain(each) for each in value]

    def _put(self, array: _Array) -> _Json:
        kind = array.dtype.newbyteorder("<").str
        assert kind in _TYPES, kind
        entry: dict[str, _Json] = {"dtype": kind, "shape": list(array.shape)}
        if array.ndim > 1 and array.dtype == np.int64 and len(array) >= _MANY:
            entry["columns"] = [self._put_column(column) for column in array.T]
        elif array.size:
            entry["member"] = self._put_member(array.astype(kind, copy=False))
        return entry

    def _put_column(self, column: npt.NDArray[np.int64]) -> _Json:
        is_least, is_most = column == NEG_INF, column == POS_INF
        finite = column[~(is_least | is_most)]
        least, most = (int(finite.min()), int(finite.max())) if len(finite) else (0, 0)
        for kind, bits in _CODES:
            top = (1 << bits) - 1
            if most - least < top - 1:
                codes = (column - least).astype(kind)
                codes[is_least], codes[is_most] = top - 1, top
                return {"dtype": kind, "base": least, "member": self._put_member(codes)}
        return {"dtype": _TYPES[0], "base": 0, "member": self._put_member(column)}

    def _put_member(self, array: _Array) -> int:
        """Write an array that is not empty; its number."""
        data = np.ascontiguousarray(array)
        header = BytesIO()
        np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(data))
        parts: list[bytes | memoryview[int]] = [header.getvalue(), _bytes(data)]
        self._sums.append(self._member(f"{len(self._sums)}.npy", parts))
        return len(self._sums) - 1

    def _member(self, name: str, parts: Sequence[bytes | memoryview[int]]) -> str:
        """Write a member; its SHA-256."""
        digest = sha256()
        info = ZipInfo(name, _EPOCH)
        info.external_attr = 0o644 << 16
        info.file_size = sum(map(len, parts))
        with self._archive.open(info, "w") as out:
            for part in parts:
                digest.update(part)
                out.write(part)
        return digest.hexdigest()


class _ArchiveReader:
    """Reads the manifest, then the arrays."""

    def __init__(self, path: Path, archive: ZipFile, size: int) -> None:
        self._path = path
        self._archive = archive
        self._members = {info.filename: info for info in archive.infolist()}
        self._arrays: dict[int, _Array] = {}
        self._of_columns: set[object] = set()
        self._sums: Sequence[object] = ()
        stored = all(
            info.compress_type == ZIP_STORED and info.file_size == info.compress_size
            for info in self._members.values()
        )
        total = sum(info.file_size for info in archive.infolist())
        if not stored or total > size:
            self._wrong("claims to hold more than it is long")

    def read(self, portable: bool) -> StateReader:  # noqa: FBT001 - as of `read`
        info = self._members.get(_MANIFEST)
        if info is None:
            message = f"{self._path} is no snapshot: it has no {_MANIFEST}"
            raise NotASnapshot(message)
        manifest = json.loads(self._archive.read(info))
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            message = f"{self._path} is no snapshot: its {_MANIFEST} is of something else"
            raise NotASnapshot(message)
        is_portable = portable and manifest.get("portable") == PORTABLE
        if manifest.get("version") != VERSION and not is_portable:
            message = (
                f"{self._path} has version {manifest.get('version')!r:.20} of the format; "
                f"this R4 reads version {VERSION}"
            )
            raise OtherVersion(message)
        sums, raw = manifest.get("sha256"), self._archive.read(_STATE)
        if not isinstance(sums, dict) or not isinstance(sums.get("arrays"), list):
            self._damaged(f"its {_MANIFEST} is incomplete")
        if sha256(raw).hexdigest() != sums.get("state"):
            self._damaged(f"{_STATE} is not what was written")
        self._sums, state = sums["arrays"], json.loads(raw)
        if not isinstance(state, dict):
            self._damaged(f"{_STATE} is no state")
        return StateReader({name: self._saved(each) for name, each in state.items()})

    def _saved(self, value: object) -> SavedValue:
        if isinstance(value, dict):
            entry = value.get("array")
            if isinstance(entry, dict):
                return self._array(entry)
            return {name: self._saved(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._saved(each) for each in value]
        if value is None or isinstance(value, str | int):
            return value
        return self._damaged("it has numbers that no state has")

    def _array(self, entry: Mapping[str, object]) -> _Array:
        kind, shape, number = entry.get("dtype"), entry.get("shape"), entry.get("member")
        if (
            kind not in _TYPES
            or not isinstance(shape, list)
            or len(shape) not in {1, 2}
            or not all(isinstance(side, int) and side >= 0 for side in shape)
            or max(shape[1:], default=0) > _MOST_COLUMNS
        ):
            self._damaged("it has an array of no known type or shape")
        if not prod(shape):
            return np.empty((0, *shape[1:]), kind).astype(np.dtype(kind).newbyteorder("="))
        columns = entry.get("columns")
        if columns is not None:
            return self._by_column(columns, shape)
        return self._numbers(number, str(kind), prod(shape)).reshape(shape)

    def _by_column(self, columns: object, shape: Sequence[int]) -> _Array:
        """A matrix that was written column by column."""
        if not isinstance(columns, list) or len(shape) < 2 or len(columns) != shape[1]:  # noqa: PLR2004 - rows and columns
            self._damaged("a matrix has not as many columns as it says")
        rows = shape[0]
        parts = [self._column(each, rows) for each in columns]  # before memory is asked for
        return np.column_stack(parts)

    def _column(self, entry: object, rows: int) -> _Array:
        known = entry if isinstance(entry, dict) else {}
        kind, base, number = (known.get(name) for name in ("dtype", "base", "member"))
        if number in self._of_columns:
            self._damaged("two columns have the same numbers")
        self._of_columns.add(number)
        if not isinstance(base, int) or not NEG_INF <= base <= POS_INF:
            self._damaged("a column has no base")
        if kind == _TYPES[0]:
            return self._numbers(number, kind, rows)
        bits = dict(_CODES).get(str(kind))
        if bits is None:
            self._damaged("it has a column of no known type")
        codes = self._numbers(number, str(kind), rows)
        found = codes.astype(np.int64) + base
        found[codes == (1 << bits) - 2] = NEG_INF
        found[codes == (1 << bits) - 1] = POS_INF
        return found

    def _numbers(self, number: object, kind: str, count: int) -> _Array:
        """The numbers in a member, which are so many."""
        if not isinstance(number, int):
            self._damaged("an array is missing")
        if number not in self._arrays:
            self._arrays[number] = self._load(number, kind)
        found = self._arrays[number]
        if found.size != count or found.dtype != np.dtype(kind).newbyteorder("="):
            self._wrong(f"says that {number}.npy has {count} numbers of {kind}, which it has not")
        return found

    def _load(self, number: int, kind: str) -> _Array:
        """The numbers in a member, in one row."""
        name = f"{number}.npy"
        info = self._members.get(name)
        if info is None or not 0 <= number < len(self._sums):
            self._damaged(f"{name} is missing")
        with self._archive.open(info) as member:
            start = member.read(len(_NUMPY) + 2)
            header = member.read(int.from_bytes(start[-2:], "little"))
            size = info.file_size - len(start) - len(header)
            step = np.dtype(kind).itemsize
            if not start.startswith(_NUMPY) or size < 0 or size % step:
                self._damaged(f"{name} is no array")
            array = np.empty(size // step, kind)
            data = _bytes(array)
            filled = 0
            while piece := member.read(min(_PIECE, size - filled)):
                data[filled : filled + len(piece)] = piece
                filled += len(piece)
        digest = sha256(start + header)
        digest.update(data)
        if filled != size or digest.hexdigest() != self._sums[number]:
            self._damaged(f"{name} is not what was written")
        return array.astype(np.dtype(kind).newbyteorder("="), copy=False)

    def _damaged(self, reason: str) -> NoReturn:
        message = f"{self._path} is damaged: {reason}"
        raise DamagedSnapshot(message)

    def _wrong(self, reason: str) -> NoReturn:
        message = f"{self._path} {reason}"
        raise WrongSize(message)


def _text(content: _Json) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def _bytes(array: _Array) -> memoryview[int]:
    return array.reshape(-1).view(np.uint8).data


@contextmanager
def _as_damage(path: Path) -> Iterator[None]:
    """Turn errors of zip and JSON about broken bytes into errors of a snapshot."""
    try:
        yield
    except (
        *(BadZipFile, EOFError, struct.error, NotImplementedError, RuntimeError),
        *(ValueError, OverflowError, KeyError, OSError),
    ) as error:
        message = f"{path} is damaged: {error}"
        raise DamagedSnapshot(message) from None
