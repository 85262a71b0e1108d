"""`r4 bench` runs the benchmarks of its own checkout and nothing else of that name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from r4 import extras
from r4.cli.commands.bench import ELSEWHERE, load
from tests.paths import ROOT

FOREIGN = "raise SystemExit(9)"


def r4_bench(path: Path, cwd: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """`r4 bench`, imported from a folder, in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "r4", "bench", *args],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def foreign_package(folder: Path) -> Path:
    """A folder with a package `bench` that must not be imported."""
    (folder / "bench").mkdir(parents=True)
    (folder / "bench/__init__.py").write_text(FOREIGN, "utf-8")
    (folder / "bench/command.py").write_text(FOREIGN, "utf-8")
    return folder


def test_a_checkout_runs_its_own_benchmarks_wherever_one_stands(tmp_path):
    done = r4_bench(ROOT, foreign_package(tmp_path), "--list")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Workloads:\n")


@pytest.mark.parametrize("args", [("q1", "--size", "small"), ("--list",)])
def test_an_installation_says_where_the_benchmarks_are(tmp_path, args):
    site = foreign_package(tmp_path / "site-packages")
    for package in ("rif", "rete", "temporal", "r4"):
        (site / package).symlink_to(ROOT / package)
    done = r4_bench(site, site, *args)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{ELSEWHERE}\n")


def test_the_description_of_another_project_makes_no_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(extras, "_INSTALLED_IN", tmp_path)
    assert extras.checkout() is None
    for text in ("not TOML", "[project]\nname = 'other'\n"):
        (tmp_path / "pyproject.toml").write_text(text, "utf-8")
        assert extras.checkout() is None
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'r4-reasoner'\n", "utf-8")
    assert extras.checkout() == tmp_path


def test_sources_without_benchmarks_have_none(tmp_path):
    assert load(tmp_path) is None
    assert load(None) is None
