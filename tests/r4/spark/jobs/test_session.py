"""A session of Spark."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.slow
def test_workers_run_the_interpreter_of_the_driver(spark: SparkSession) -> None:
    found = spark.range(1).rdd.map(lambda _: __import__("sys").executable).collect()
    assert found == [os.path.normpath(sys.executable)]
