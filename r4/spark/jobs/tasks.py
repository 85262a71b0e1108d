"""What goes through Spark: a row of a number to each task, a row of what it tells back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from warnings import catch_warnings, simplefilter

import pyarrow as pa

TOLD: Final = "unit bigint, told string"


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of what pyspark imports, about each other: nobody here can mend it."""
    with catch_warnings():
        simplefilter("ignore")
        yield


def told(number: int, text: str) -> pa.RecordBatch:
    """What is told of a unit, as a row."""
    return pa.record_batch({"unit": pa.array([number], pa.int64()), "told": [text]})


def cause(text: str) -> str:
    """The line that names the error, of a trace through two languages."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "Error: " in line and not line.startswith("at ")]
    if named:
        return named[-1]
    # Of a query that lost one of its processes Spark says no more than that it ended.
    _, ended, why = lines[0].partition("terminated with exception:")
    why = why.partition("SQLSTATE")[0].strip()
    return (why or "a process of it was lost") if ended else lines[0]
