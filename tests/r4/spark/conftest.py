"""One Spark session for all tests of a run; where there is no Java they are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from r4.extras import MissingExtra
from r4.spark.jobs.needs import NoJava, require
from r4.spark.jobs.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session on two cores of this machine."""
    try:
        require()
    except (MissingExtra, NoJava) as error:
        pytest.skip(f"no Spark: {error}")
    with session("local[2]") as made:
        yield made
