"""A run as a streaming query of Spark, which counts the batches and remembers their offsets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from time import sleep
from typing import TYPE_CHECKING, Final

from r4.faults import InputError
from r4.spark.jobs.session import SparkFailed
from r4.spark.jobs.tasks import cause, quiet
from r4.spark.streaming.course import Course
from r4.spark.streaming.pieces import Input, Piece
from r4.spark.streaming.places import Places
from r4.spark.streaming.stopping import Stop

_PAUSE: Final = 0.1
"""Seconds between two looks at whether the query goes on."""
_INPUT: Final = f"{InputError.__name__}: "
_TIMES: Final = 4
"""How often a query is begun that is lost before it has taken a further batch."""

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter


class _Lost(SparkFailed):
    """The query ended with an error that is none of what took its batches."""


def follow(  # noqa: PLR0913 - what it goes by
    spark: SparkSession,
    course: Course,
    places: Places,
    inputs: Sequence[Input],
    *,
    most: int,
    every: str | None,
    name: str,
) -> bool:
    """Take all batches that there are, in order, and with ``every`` those that come.

    Whether that was all: not if the process was asked to stop, which it does between two batches.
    If a process of Spark that looks for new pieces dies, the query is lost; it is begun again then,
    and goes on with the batch that was next.

    Args:
        spark: the session.
        course: takes them.
        places: where the query remembers how far it is.
        inputs: what is read.
        most: bytes in a batch, about.
        every: how often to look for new ones; None: only for what is there.
        name: what it is called in Spark's pages.

    Raises:
        InputError: an input cannot be read, or was changed since.
        SparkFailed: the query was lost again and again.
        Exception: what the course raised.
    """
    with quiet():
        from r4.spark.streaming.source import FORMAT, R4Source

        spark.dataSource.register(R4Source)
    told = json.dumps([astuple(each) for each in inputs])
    left = _TIMES
    while True:
        with quiet():
            frame = spark.readStream.format(FORMAT).option("inputs", told).option("most", most)
            writer = frame.load().writeStream.queryName(name)
            writer = writer.option("checkpointLocation", places.spark.absolute().as_uri())
        once = {"availableNow": True} if every is None else {"processingTime": every}
        taken = course.taken
        try:
            return _follow(writer.trigger(**once), course)
        except _Lost as error:
            left = (_TIMES if course.taken > taken else left) - 1
            if not left:
                raise
            course.teller.say(f"{error}; it is begun again")


def _follow(writer: DataStreamWriter, course: Course) -> bool:
    """The same of one query.

    Raises:
        _Lost: it is lost.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    raised: list[Exception] = []
    stop = Stop()

    def take(frame: DataFrame, batch: int) -> None:
        try:
            with stop.batch():
                course.take(batch, [Piece(*row) for row in frame.collect()])
        except Exception as error:
            raised.append(error)
            raise  # so Spark does not count the batch as done

    try:
        with quiet():
            query = writer.foreachBatch(take).start()
        try:
            with stop.heeded():
                # A signal must not find this thread in the middle of a word with Java.
                while query.isActive and not stop.asked:
                    sleep(_PAUSE)
                stop.wait()
            if not stop.asked:
                query.awaitTermination()  # it has ended; says why, if with an error
        finally:
            query.stop()
    except (PySparkException, Py4JError) as error:
        if raised:
            raise raised[0] from None
        why = cause(str(error))
        if _INPUT in why:  # found by Spark's process that looks for pieces
            raise InputError(why.partition(_INPUT)[2]) from error
        message = f"Spark's query ended: {why}"
        raise _Lost(message) from error
    return not stop.asked
