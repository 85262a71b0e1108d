"""A query that is lost is begun again; not for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from unittest.mock import MagicMock, patch

import pytest

from r4.spark.jobs.session import SparkFailed
from r4.spark.streaming import spark_query

pytest.importorskip("pyspark")
LOST = "Spark's query ended: a process of it was lost"
SLOW = "Spark's query ended: failed to connect back. The machine is too busy"


class _Course:
    """Counts batches, and keeps what is said."""

    def __init__(self) -> None:
        self.taken = 0
        self.said: list[str] = []
        self.report = MagicMock(say=self.said.append)


def followed(batch_runner: _Course, ends: Iterator[Callable[[], bool]]) -> bool:
    """What comes of queries that end so."""
    with patch.object(spark_query, "_follow", lambda *_: next(ends)()):
        return spark_query.run_query(
            MagicMock(),
            batch_runner,  # type: ignore[arg-type]
            MagicMock(),
            [],
            most=1,
            poll=None,
            name="",
        )


def lose() -> bool:
    raise spark_query._Lost(LOST)


def test_it_goes_on() -> None:
    batch_runner = _Course()
    assert followed(batch_runner, iter([lose, lose, lambda: True]))
    assert batch_runner.said == [f"{LOST}; it is begun again"] * 2


def test_what_is_lost_at_once_again_and_again_ends_the_run() -> None:
    batch_runner = _Course()
    with pytest.raises(SparkFailed, match="was lost"):
        followed(batch_runner, repeat(lose))
    assert len(batch_runner.said) == spark_query._TIMES - 1


def test_a_process_that_is_slow_to_start_is_waited_for_and_nothing_is_said() -> None:
    def slow() -> bool:
        raise spark_query._Slow(SLOW)

    batch_runner = _Course()
    tries = [slow] * (spark_query._TIMES_SLOW - 1)
    assert followed(batch_runner, iter([lose, *tries, lambda: True]))
    assert batch_runner.said == [f"{LOST}; it is begun again"]
    with pytest.raises(SparkFailed, match="The machine is too busy"):
        followed(batch_runner, repeat(slow))


def test_spark_says_when_a_process_is_slow_to_start() -> None:
    from pyspark.errors import StreamingQueryException  # noqa: PLC0415 - an extra

    query = MagicMock(isActive=False)
    why = "terminated with exception: Python worker failed to connect back. SQLSTATE: XXKST"
    query.awaitTermination.side_effect = StreamingQueryException(why)
    writer = MagicMock()
    writer.foreachBatch.return_value.start.return_value = query
    with pytest.raises(spark_query._Slow, match="Python worker failed to connect back"):
        spark_query._follow(writer, _Course())  # type: ignore[arg-type]


def test_where_batches_are_taken_in_between_it_may_be_lost_more_often() -> None:
    batch_runner = _Course()

    def batches() -> Iterator[Callable[[], bool]]:
        for _ in range(3 * spark_query._TIMES):
            batch_runner.taken += 1
            yield lose
        yield lambda: True

    assert followed(batch_runner, batches())
    assert len(batch_runner.said) == 3 * spark_query._TIMES


def test_an_error_of_a_batch_is_not_tried_again() -> None:
    batch_runner, tries = _Course(), []

    def fail() -> bool:
        tries.append(1)
        raise SparkFailed

    with pytest.raises(SparkFailed):
        followed(batch_runner, repeat(fail))
    assert (len(tries), batch_runner.said) == (1, [])
