"""A run with reports that is stopped anywhere goes on with what it knew of each mark."""

from __future__ import annotations

import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.answers.periodic_report import PeriodicReport
from tests.r4.state.state_run import EagerWriter, run
from tests.simulation.command import call

FORMS = ["state", "state+empty", "changes"]


def stopped_and_resumed(at: Path, checkpoints: int, *options: str) -> bytes:
    """The output of a run that SIGTERM ends once there were so many checkpoints."""

    class Stopping(EagerWriter):
        @property
        def is_due(self) -> bool:
            names = [path.name for path in at.glob("state/checkpoint-*")]
            if any(int(name.split("-")[1].split(".")[0]) >= checkpoints for name in names):
                signal.raise_signal(signal.SIGTERM)
            return True

    with patch("r4.state.checkpoint_writer.CheckpointWriter", Stopping):
        assert run("--output", "out", *options).code == 128 + signal.SIGTERM
    assert run("--output", "out", *options).code == 0
    return Path("out").read_bytes()


@pytest.mark.parametrize("checkpoints", [2, 5, 9])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sink", ["jsonl", "trig"])
def test_a_stopped_run_writes_the_bytes_of_one_that_never_was(
    at: Path, form: str, sink: str, checkpoints: int
) -> None:
    options = ("--every", "4", "--offset", "3", "--report", form, "--as", sink)
    assert call(["run", "r.rif", "s.nq", "--output", "plain", *options]).code == 0
    found = stopped_and_resumed(at, checkpoints, *options)
    assert found == Path("plain").read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_a_run_that_forgets_what_held_is_found_out(
    at: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--every", "4", "--report", form)
    assert call(["run", "r.rif", "s.nq", "--output", "plain", *options]).code == 0
    monkeypatch.setattr(PeriodicReport, "restore", lambda *_: None)
    assert stopped_and_resumed(at, 5, *options) != Path("plain").read_bytes()
