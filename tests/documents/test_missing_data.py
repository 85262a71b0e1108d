"""A test that skips for want of data is told from a test that passed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

BY_FIXTURE = "def test_it(test_data): assert test_data('some/file').exists()"
BY_MARK = """
import pytest
@pytest.mark.skipif(True, reason="R4_TEST_DATA is not set")
def test_it(): pass
"""
BY_MODULE = "import pytest; pytest.skip('R4_TEST_DATA is not set', allow_module_level=True)"
BY_SPARK = "def test_it(needs_spark): pass"
OTHERWISE = "import pytest\ndef test_it(): pytest.skip('another reason')"


pytestmark = pytest.mark.slow

# What the outer run has set and the inner one must not see.
DECIDING = {"CI", "R4_TEST_DATA", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST"}


def run(folder: Path, text: str, **settings: str) -> str:
    """The last line of pytest on a test file with this text, in an environment of its own."""
    file = folder / "test_it.py"
    file.write_text(text, "utf-8")
    inherited = {name: value for name, value in os.environ.items() if name not in DECIDING}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.conftest",
            "-p",
            "no:cacheprovider",
            file,
        ],
        cwd=ROOT,
        env=inherited | settings,
        capture_output=True,
        check=False,
        text=True,
    ).stdout.splitlines()[-1]


@pytest.mark.parametrize("text", [BY_FIXTURE, BY_MARK, BY_MODULE, BY_SPARK])
def test_without_data_a_test_skips_here_and_fails_in_ci(text: str, tmp_path: Path) -> None:
    no_java = {"JAVA_HOME": str(tmp_path)}
    assert "1 skipped" in run(tmp_path, text, **no_java)
    in_ci = run(tmp_path, text, CI="true", **no_java)
    assert "1 failed" in in_ci or "1 error" in in_ci


def test_with_the_data_it_runs(tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some/file").touch()
    assert "1 passed" in run(tmp_path, BY_FIXTURE, CI="true", R4_TEST_DATA=str(tmp_path))


def test_data_that_lack_the_file_count_as_none(tmp_path: Path) -> None:
    assert "1 failed" in run(tmp_path, BY_FIXTURE, CI="true", R4_TEST_DATA=str(tmp_path))


def test_other_reasons_to_skip_are_let_be(tmp_path: Path) -> None:
    assert "1 skipped" in run(tmp_path, OTHERWISE, CI="true")
