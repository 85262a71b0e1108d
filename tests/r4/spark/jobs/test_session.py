"""A session of Spark, and what is said without what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from r4.spark.jobs.session import NoJava, require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.slow
def test_workers_run_the_interpreter_of_the_driver(spark: SparkSession) -> None:
    found = spark.range(1).rdd.map(lambda _: __import__("sys").executable).collect()
    assert found == [os.path.normpath(sys.executable)]


def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoJava, match=r"is Java 11: install Java 17 or later"):
        require()


LOGGED = """
import logging
from unittest.mock import patch
from r4.spark.jobs import session
with patch.multiple(session, require=lambda: None, _start=lambda *_: None, _stop=lambda _: None):
    with session.session():
        logging.exception("KeyboardInterrupt while sending command.")
"""
"""What py4j does where Ctrl-C ends its wait."""


def test_logs_that_nobody_asked_for_are_not_shown() -> None:
    done = subprocess.run([sys.executable, "-c", LOGGED], capture_output=True, check=True)
    assert done.stderr == b""
