"""A run as a streaming query of Spark, which counts the batches and remembers their offsets."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from time import sleep
from types import FrameType
from typing import TYPE_CHECKING, Final

from r4.errors import InputError
from r4.spark.jobs.session import SparkFailed
from r4.spark.jobs.tasks import cause, quiet
from r4.spark.streaming.batch_runner import BatchRunner
from r4.spark.streaming.checkpoint_layout import CheckpointLayout
from r4.spark.streaming.file_pieces import FilePiece, StreamInput

_PAUSE: Final = 0.1
"""Seconds between two looks at whether the query goes on."""
_INPUT: Final = f"{InputError.__name__}: "
_TIMES: Final = 4
"""How often a query is started that is lost before it has taken a further batch."""
_SLOW: Final = "failed to connect back"
"""What Spark says of a process that is not at work after ten seconds, a number it has fixed."""
_TIMES_SLOW: Final = 30
"""How often a query is started that is lost for that: five minutes of a busy machine."""

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter


class _Lost(SparkFailed):
    """The query ended with an error, and not one of taking its batches."""


class _Slow(_Lost):
    """A process that looks for new pieces did not start in the time that Spark gives it."""


def run_query(  # noqa: PLR0913 - what it goes by
    spark: SparkSession,
    batch_runner: BatchRunner,
    places: CheckpointLayout,
    inputs: Sequence[StreamInput],
    *,
    most: int,
    poll: str | None,
    name: str,
) -> bool:
    """Take all batches that there are, in order, and with ``poll`` those that come.

    Returns whether that was all: not if the process got a signal to stop, which it does between two
    batches. If a process of Spark that looks for new pieces dies, the query is lost; it is started
    again then, and goes on with the batch that was next. So it is where such a process does not
    start in time, as the machine is busy: of that nothing is said, as nothing was lost.

    At ``places`` the query remembers how far it is, a batch has about ``most`` bytes, and ``name``
    is what the query is called in Spark's pages.

    Raises:
        InputError: an input cannot be read, or was changed since.
        SparkFailed: the query was lost again and again.
    """
    with quiet():
        from r4.spark.streaming.spark_source import FORMAT, R4Source

        spark.dataSource.register(R4Source)
    sources = json.dumps([astuple(each) for each in inputs])
    left, left_slow = _TIMES, _TIMES_SLOW
    while True:
        with quiet():
            frame = spark.readStream.format(FORMAT).option("inputs", sources).option("most", most)
            writer = frame.load().writeStream.queryName(name)
            writer = writer.option("checkpointLocation", places.spark.absolute().as_uri())
        once = {"availableNow": True} if poll is None else {"processingTime": poll}
        taken = batch_runner.taken
        try:
            return _follow(writer.trigger(**once), batch_runner)
        except _Lost as error:
            if batch_runner.taken > taken:
                left, left_slow = _TIMES, _TIMES_SLOW
            is_slow = isinstance(error, _Slow)
            left, left_slow = left - (not is_slow), left_slow - is_slow
            if not (left and left_slow):
                raise
            if not is_slow:
                batch_runner.report.say(f"{error}; it is begun again")


def _follow(writer: DataStreamWriter, batch_runner: BatchRunner) -> bool:
    """Take what is there with one query, and end."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    raised: list[Exception] = []
    stop = StopRequest()

    def take(frame: DataFrame, batch: int) -> None:
        try:
            with stop.batch():
                batch_runner.take(batch, [FilePiece(*row) for row in frame.collect()])
        except Exception as error:
            raised.append(error)
            raise  # so Spark does not count the batch as done

    try:
        with quiet():
            query = writer.foreachBatch(take).start()
        try:
            with stop.heeded():
                # A signal must not interrupt this thread while it talks to Java.
                while query.isActive and not stop.requested:
                    sleep(_PAUSE)
                stop.wait()
            if not stop.requested:
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
        if _SLOW in why:
            message += " The machine is too busy, or its Python does not start."
            raise _Slow(message) from error
        raise _Lost(message) from error
    return not stop.requested


_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class QueryStopped(Exception):
    """A batch is not started, as the process is to stop."""


class StopRequest:
    """Whether a run is to stop."""

    def __init__(self) -> None:
        self.requested = False
        self._running = threading.Lock()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """While a batch is being taken; `QueryStopped` if none is to start."""
        with self._running:
            if self.requested:
                raise QueryStopped
            yield

    def wait(self) -> None:
        """Wait until no batch is being taken; if a stop is requested, none starts any more."""
        with self._running:
            pass

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Signals request it; the second one ends the process as usual. In the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}

        def request(number: int, _: FrameType | None) -> None:
            self.requested = True
            signal.signal(number, signal.default_int_handler)

        try:
            for number in _SIGNALS:
                signal.signal(number, request)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
