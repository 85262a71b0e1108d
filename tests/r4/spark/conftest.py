"""One Spark session for all tests of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from r4.spark.jobs.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(needs_spark: None) -> Iterator[SparkSession]:  # noqa: ARG001 - it skips
    """A session on two cores of this machine."""
    with session("local[2]") as made:
        yield made
