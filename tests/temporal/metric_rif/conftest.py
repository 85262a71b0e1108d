"""Runs of `r4 run` on rules and data that are given as texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.command import CommandOutput, call


@pytest.fixture
def run(tmp_path: Path):
    def run_it(rules: str, data: str, *options: str) -> CommandOutput:
        (tmp_path / "rules.rif").write_text(rules, "utf-8")
        (tmp_path / "data.nq").write_text(data, "utf-8")
        return call(["run", str(tmp_path / "rules.rif"), str(tmp_path / "data.nq"), *options])

    return run_it
