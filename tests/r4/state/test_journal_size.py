"""A journal that is long makes a checkpoint due, however rare they are by the clock."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.r4.state.test_moved_outputs import RULES, send, wait_for
from tests.simulation.command import call


@pytest.mark.parametrize(("size", "comes"), [("2kB", True), ("1GB", False)])
def test_a_long_journal_brings_a_checkpoint(tmp_path: Path, size: str, comes: bool) -> None:
    (tmp_path / "r.rif").write_text(RULES)
    options = ["--state", "s", "--checkpoint-every", "1h", "--journal-size", size]
    command = [sys.executable, "-m", "r4", "run", "r.rif", "-", "--output", "out", *options]
    written = lambda: len(list((tmp_path / "s").glob("checkpoint-*.r4c")))  # noqa: E731
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        wait_for(lambda: written() == 1)
        for begin in range(0, 100, 20):
            send(process, range(begin, begin + 20))
            time.sleep(0.1)
        if comes:
            wait_for(lambda: written() > 1)
        assert (written() > 1) == comes
        process.communicate()
        assert process.returncode == 0


def test_a_size_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text(RULES)
    rules, state = str(tmp_path / "r.rif"), str(tmp_path / "s")
    found = call(["run", rules, "-", "--state", state, "--journal-size", "many"])
    assert found.code == 2
    assert "many" in found.err
    assert not Path(state).exists()
