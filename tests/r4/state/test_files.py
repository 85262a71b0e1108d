"""The file system as a state uses it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.state.files import SystemFiles
from tests.r4.state.state_run import run, run_halfway

SIZE = 10 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="the system cannot start a sync")
def test_a_large_file_is_whole_and_on_its_way_to_the_disk_as_it_is_written(tmp_path: Path) -> None:
    data, started = os.urandom(SIZE), list[tuple[int, int]]()
    with (
        patch("os.posix_fadvise", lambda _, begin, size, __: started.append((begin, size))),
        SystemFiles().create(tmp_path / "large") as file,
    ):
        file.write(bytes(4))
        file.write(data)
        file.seek(0)
        file.write(b"head")
    assert (tmp_path / "large").read_bytes() == b"head" + data
    ends = [begin + size for begin, size in started]
    assert [begin for begin, _ in started] == [0, *ends[:-1]]
    assert SIZE // 2 < ends[-1] <= SIZE + 4


@pytest.mark.skipif(sys.platform != "linux", reason="the system cannot start a sync")
def test_a_system_that_cannot_start_a_sync_is_no_error(tmp_path: Path) -> None:
    with (
        patch("os.posix_fadvise", side_effect=OSError),
        SystemFiles().create(tmp_path / "large") as file,
    ):
        file.write(bytes(SIZE))
    assert (tmp_path / "large").stat().st_size == SIZE


def test_files_of_a_state_are_read_by_nobody_else(at: Path) -> None:
    run("--output", "out")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (at / "state").iterdir()}
    kinds = {name.partition("-")[0] for name in modes}
    assert kinds == {"manifest.json", "checkpoint", "journal", "status.json"}
    del modes["status.json"]  # which is for monitors
    assert set(modes.values()) == {0o600}
    assert (at / "out").stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_what_others_could_read_becomes_private(at: Path) -> None:
    """As in a state of an older R4, or where somebody has put files for it to fill."""
    run_halfway()
    state = at / "state"
    for number in range(1, 300):
        (state / f"checkpoint-{number:08}.r4c.new").write_bytes(b"")
    for path in state.iterdir():
        path.chmod(0o644)
    assert run("--output", "out").code == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in state.iterdir()}
    assert modes.pop("status.json") == 0o644  # which is for monitors
    assert len(modes) > 3
    assert set(modes.values()) == {0o600}


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_only_files_of_the_state_are_removed(at: Path) -> None:
    run_halfway()
    theirs = at / "state" / "notes.new"
    theirs.write_text("mine")
    (at / "state" / "checkpoint-00000009.r4c.new").write_text("cut short")
    assert run("--output", "out").code == 0
    assert theirs.read_text() == "mine"
    assert not (at / "state" / "checkpoint-00000009.r4c.new").exists()
