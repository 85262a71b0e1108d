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


def run(folder: Path, *texts: str, **settings: str) -> str:
    """The last line of pytest on test files with these texts, in an environment of its own."""
    for number, text in enumerate(texts):
        (folder / f"test_it_{number}.py").write_text(text, "utf-8")
    inherited = {name: value for name, value in os.environ.items() if name not in DECIDING}
    own = ["-p", "tests.conftest", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *own, folder],
        cwd=ROOT,
        env=inherited | settings,
        capture_output=True,
        check=False,
        text=True,
    ).stdout.splitlines()[-1]


def test_without_data_tests_skip_here_and_fail_in_ci(tmp_path: Path) -> None:
    no_java = {"JAVA_HOME": str(tmp_path)}
    texts = (BY_FIXTURE, BY_MARK, BY_MODULE, BY_SPARK)
    assert run(tmp_path, *texts, **no_java).startswith("4 skipped")
    assert run(tmp_path, *texts, CI="true", **no_java).startswith("1 failed, 3 errors")


def test_with_the_data_it_runs(tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some/file").touch()
    assert "1 passed" in run(tmp_path, BY_FIXTURE, CI="true", R4_TEST_DATA=str(tmp_path))


def test_data_that_lack_the_file_count_as_none_and_other_reasons_are_let_be(tmp_path: Path) -> None:
    last = run(tmp_path, BY_FIXTURE, OTHERWISE, CI="true", R4_TEST_DATA=str(tmp_path))
    assert last.startswith("1 failed, 1 skipped")
