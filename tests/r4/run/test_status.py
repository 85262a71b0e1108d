"""The status of a run, by clocks that are told, and the files that it goes to."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from r4.api import Engine
from r4.atomic_path import atomic_path
from r4.cli.terminal.status_files import StatusFiles
from r4.errors import Counters
from r4.run.status import RunStatus, StatusReporter
from r4.run.stream_run import StreamRun
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import StampFormat
from rete.memory_limit import resident_bytes
from rete.terms.dictionary import Dictionary
from tests.r4.cli.streams.test_real_time import RULES, element, run

STATUS = RunStatus(
    written="2026-06-01T12:00:00Z",
    ended=False,
    frontier=7,
    last=9,
    lag_seconds=None,
    statements=30,
    elements=10,
    derived=4,
    answers=5,
    statements_per_second=3.0,
    elements_per_second=1.0,
    rows=12,
    terms=20,
    late=1,
    bad={"DAT210": 2},
    memory_bytes=4096,
    memory_by_owner={"terms": 3000, "nodes": 500, "facts": 200, "asserted": 100},
)


def test_the_last_status_of_a_run_has_what_the_report_has(tmp_path: Path) -> None:
    file = tmp_path / "status.json"
    stream = element(1, "2026-06-01T12:00:00Z") + element(2, "2026-06-01T11:00:00Z") + element(3, 5)
    found = run(tmp_path, stream, "--status", str(file))
    assert found.code == 0
    status = json.loads(file.read_text())
    assert status["ended"] is True
    assert status["frontier"] == status["last"] == "2026-06-01T12:00:00Z"
    assert (status["statements"], status["elements"], status["late"]) == (6, 1, 1)
    assert status["bad"] == {"DAT205": 1}
    assert status["answers"] == len(found.lines()) == 1
    assert status["derived"] == 1
    assert status["rows"] > 0
    assert status["terms"] > 0
    assert status["lag_seconds"] is not None
    assert status["memory_bytes"] == resident_bytes() or status["memory_bytes"] > 1 << 20
    assert list(status["memory_by_owner"]) == ["terms", "nodes", "facts", "asserted"]
    assert status["memory_by_owner"]["facts"] > 0
    assert [path.name for path in tmp_path.iterdir() if "status" in path.name] == ["status.json"]


def test_a_status_is_due_every_second() -> None:
    now, told = [5.0], list[RunStatus]()
    reporter = StatusReporter(told.append, lambda: 0, lambda: now[0])
    counters, intake = Counters(), Intake([], Dictionary(), StreamOptions())
    counters.quads = 10
    running = SimpleNamespace(
        run=Engine.from_text(RULES)._run.run,
        intake=intake,
        clock=StampFormat(),
        counters=counters,
        report=SimpleNamespace(written=3),
        state=None,
    )
    for now[0] in (7.0, 7.9, 8.0):
        reporter.look(cast("StreamRun", running))
    reporter.look(cast("StreamRun", running), ended=True)
    assert (told[0].statements_per_second, told[0].answers, told[0].frontier) == (5.0, 3, None)
    assert [(each.ended, each.statements_per_second) for each in told] == [
        (False, 5.0),
        (False, 0.0),
        (True, 0.0),
    ]


def test_metrics_are_text_of_prometheus(tmp_path: Path) -> None:
    pytest.importorskip("prometheus_client")
    file = tmp_path / "r4.prom"
    StatusFiles([], str(file)).write(STATUS)
    lines = file.read_text().splitlines()
    assert "r4_statements_total 30.0" in lines
    assert 'r4_bad_total{code="DAT210"} 2.0' in lines
    assert 'r4_owner_bytes{owner="nodes"} 500.0' in lines
    assert "r4_rows 12.0" in lines
    assert "# TYPE r4_rows gauge" in lines
    names = {line.partition(" ")[0] for line in lines}
    assert not names & {"r4_lag_seconds", "r4_checkpoint_timestamp_seconds"}
    saved = replace(STATUS, checkpoint="1970-01-01T00:01:00.5Z")
    StatusFiles([], str(file)).write(saved)
    assert "r4_checkpoint_timestamp_seconds 60.5" in file.read_text().splitlines()


def test_a_file_that_cannot_be_written_is_reported_once_and_written_later(
    tmp_path: Path, capsys
) -> None:
    path = tmp_path / "none" / "status.json"
    files = StatusFiles([str(path)], None)
    files.write(STATUS)
    files.write(STATUS)
    assert capsys.readouterr().err.count("until it can, no status is written") == 1
    path.parent.mkdir()
    files.write(STATUS)
    assert json.loads(path.read_text())["statements"] == 30
    assert not capsys.readouterr().err


def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    found = run(tmp_path, element(1, 1), "--status", str(tmp_path / "a.nq"))
    assert found.code == 2
    assert "is read, so it cannot be written" in found.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--output", "o", "--late", "o"], "--output and --late are one file, "),
        (["--output", "o", "--status", "../{name}/o"], "--output and --status are one file, "),
        (["--late", "l", "--metrics", "linked"], "--late and --metrics are one file, "),
        (["--state", "s", "--output", "s/manifest.json"], "--output {at}/s/manifest.json is in "),
        (["--state", "s", "--late", "s/deep/l"], "which has the state"),
    ],
)
def test_two_outputs_are_not_one_file_nor_in_the_state(
    tmp_path: Path, given: list[str], message: str
) -> None:
    (tmp_path / "l").touch()
    (tmp_path / "linked").symlink_to(tmp_path / "l")
    paths = [
        each if each.startswith("--") else f"{tmp_path}/{each.format(name=tmp_path.name)}"
        for each in given
    ]
    found = run(tmp_path, element(1, 1), *paths)
    assert found.code == 2
    assert message.format(at=tmp_path) in found.err
    assert not (tmp_path / "s").exists()


def test_outputs_may_share_a_pipe_which_stays_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    pipe = str(tmp_path / "pipe")
    found = run(tmp_path, element(1, 1), "--status", pipe, "--metrics", pipe)
    assert found.code == 0
    assert (tmp_path / "pipe").is_fifo()
    assert b'"statements": 2' in os.read(reader, 1 << 16)
    os.close(reader)


def test_a_pipe_that_nobody_reads_is_reported_and_no_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = run(tmp_path, element(1, 1), "--status", str(tmp_path / "pipe"))
    assert (found.code, "until it can, no status is written" in found.err) == (0, True)
    assert (tmp_path / "pipe").is_fifo()


def test_no_file_is_put_in_the_place_of_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"), atomic_path(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()
