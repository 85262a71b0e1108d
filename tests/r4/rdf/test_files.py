"""Bytes arrive whole, decompressed, and what is broken is said after what was readable."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from r4.errors import Flaw, InputError
from r4.rdf.chunks import InputBytes
from r4.rdf.files import CHUNK, ByteSource, DamagedInput, plain_suffix

TEXT = b"".join(b"<urn:s%d> <urn:p> <urn:o> .\n" % i for i in range(100_000))
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def everything(path: Path) -> bytes:
    with closing(ByteSource(str(path))) as source:
        return b"".join(iter(source.read, b""))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_files_are_read_in_chunks(suffix, tmp_path: Path) -> None:
    path = tmp_path / f"a.nq{suffix}"
    path.write_bytes(COMPRESS[suffix](TEXT))
    source = ByteSource(str(path))
    pieces = list(iter(source.read, b""))
    source.close()
    assert b"".join(pieces) == TEXT
    assert [len(piece) for piece in pieces[:-1]] == [CHUNK] * (len(pieces) - 1)
    assert not source.live
    assert plain_suffix(str(path)) == ".nq"


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_what_a_truncated_file_holds_is_delivered_first(suffix, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    noise = random.Random(1).randbytes(2_000_000)  # noqa: S311
    packed = COMPRESS[suffix](noise)
    path.write_bytes(packed[: len(packed) * 2 // 3])
    source = ByteSource(str(path))
    found = source.read()
    if len(found) == CHUNK:
        found += source.read()
    assert noise.startswith(found)
    assert len(found) > 500_000
    for _ in range(2):
        with pytest.raises(DamagedInput, match=r"."):
            source.read()
    source.close()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_what_is_not_compressed_at_all_is_damage(suffix, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"<urn:s> <urn:p> <urn:o> .\n" * 10)
    with pytest.raises(DamagedInput):
        everything(path)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_flipped_byte_is_damage_or_harmless(suffix, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    packed = bytearray(COMPRESS[suffix](TEXT[:50_000]))
    packed[len(packed) // 2] ^= 0x55
    path.write_bytes(packed)
    with pytest.raises(DamagedInput):
        everything(path)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_an_empty_file_is_no_damage_unless_it_should_be_compressed(suffix, tmp_path) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"")
    if suffix in {"", ".gz"}:
        assert everything(path) == b""
    else:
        with pytest.raises(DamagedInput):
            everything(path)


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.nq", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(InputError, match=str(tmp_path)):
            ByteSource(str(path))


def test_a_pipe_delivers_what_has_arrived() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"<urn:a> ")
    source = ByteSource(f"/dev/fd/{read_end}")
    assert source.live
    assert source.read() == b"<urn:a> "
    os.write(write_end, b"<urn:b>")
    assert source.read() == b"<urn:b>"
    os.close(write_end)
    os.close(read_end)
    assert source.read() == b""
    source.close()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be waited for")
def test_a_pipe_that_has_ended_in_an_earlier_process_is_not_waited_for(monkeypatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as pipe, os.fdopen(writing, "wb"):
        monkeypatch.setattr("sys.stdin", pipe)
        source = ByteSource("-")
        before = source.descriptor
        source.go_on(7, b"", ended=True)
        assert (before, source.descriptor) == (reading, None)
        assert source.read() == b""


def test_standard_input_delivers_what_has_arrived(monkeypatch) -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        source = ByteSource("-")
        writer = threading.Thread(target=lambda: os.write(write_end, b"x"))
        writer.start()
        assert source.read() == b"x"
        writer.join()
        os.close(write_end)
        assert source.read() == b""
        source.close()
        assert not stdin.closed


@pytest.mark.parametrize("cut", range(5))
def test_a_byte_order_mark_is_dropped_however_it_arrives(cut) -> None:
    text = b"\xef\xbb\xbf<urn:a>"
    left = [text[:cut], text[cut:]] if cut else [text]

    class Two:
        whole = True

        def read(self) -> bytes:
            return left.pop(0) if left else b""

    pieces = InputBytes(Two())  # type: ignore[arg-type]
    assert b"".join(iter(pieces.read, b"")) == b"<urn:a>"
    assert pieces.fault(1) == []


def test_a_mark_alone_is_an_empty_file() -> None:
    left = [b"\xef", b"\xbb\xbf"]

    class Two:
        whole = True

        def read(self) -> bytes:
            return left.pop(0) if left else b""

    assert InputBytes(Two()).read() == b""  # type: ignore[arg-type]


def test_damage_becomes_a_fault() -> None:
    class Broken:
        whole = True

        def read(self) -> bytes:
            raise DamagedInput(*["too early"])

    pieces = InputBytes(Broken())  # type: ignore[arg-type]
    assert pieces.read() == b""
    (fault,) = pieces.fault(7)
    assert (fault.flaw, fault.line) == (Flaw.CUT_SHORT, 7)
    assert "too early" in fault.message
