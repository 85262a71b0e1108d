"""`r4 load` in the Spark session of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def on_spark(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """What `r4 load` starts is the one session, which goes on."""

    @contextmanager
    def same(*_: object) -> Iterator[SparkSession]:
        yield spark

    monkeypatch.setattr("r4.cli.load.session", same)
    return spark
