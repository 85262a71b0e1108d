"""Slices of a file: its lines, each once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.spark.jobs.file_slices import SlicedBytes


@given(st.lists(st.binary(max_size=6), max_size=8), st.integers(1, 9))
def test_slices_are_the_lines_of_a_file_each_once(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], step: int
) -> None:
    path = tmp_path_factory.mktemp("slices") / "file"
    path.write_bytes(b"\n".join(lines))
    size = path.stat().st_size
    slices = []
    for begin in range(0, size, step):
        source = SlicedBytes(str(path), begin, begin + step)
        slices.append(b"".join(iter(source.read, b"")))
        source.close()
    assert b"".join(slices) == path.read_bytes()
    assert all(each.endswith(b"\n") for each in slices[:-1] if each and any(slices[-1:]))
