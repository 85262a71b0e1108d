"""Loading in the Spark session of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

    monkeypatch.setattr("r4.cli.commands.load.session", same)
    return spark


@pytest.fixture
def jobs(spark: SparkSession) -> Callable[[], list[str]]:
    """What the jobs of the session said that they do, when it is called."""

    def said() -> list[str]:
        found = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
        told = [found.apply(number).description() for number in range(found.size())]
        return [each.get() for each in told if each.isDefined()]

    return said
