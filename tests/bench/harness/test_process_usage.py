"""What is measured is this R4, wherever one stands."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

import r4
from bench.harness import launch
from bench.harness.process_usage import measure_process


def test_an_r4_in_the_folder_one_stands_in_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "r4"
    other.mkdir()
    (other / "__init__.py").write_text("raise SystemExit(9)", encoding="utf-8")
    (other / "__main__.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = tmp_path / "said"
    measure_process((sys.executable, "-m", "r4", "--version"), said)
    assert r4.__version__ in said.read_text(encoding="utf-8")


def test_no_alarm_is_left_once_the_command_has_ended(tmp_path: Path) -> None:
    report = tmp_path / "report"
    before = signal.getsignal(signal.SIGALRM)
    try:
        assert launch.main(str(report), [sys.executable, "-S", "-c", ""]) == 0
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert json.loads(report.read_text(encoding="utf-8"))["peak"] > 1_000_000
