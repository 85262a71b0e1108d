"""Detections of patterns: triples, and the interval in which each was detected.

A line has, between tabs, the milliseconds since 1970 at which the first and the last event of a
pattern happened, and subject, predicate and object. If each event holds as long as the window is
wide, the answer holds from the last event until the first has left the window.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from bench.workloads.expected_answers import (
    QUERIES,
    AnswerStretches,
    Outcome,
    outcome,
    stream_lines,
)
from bench.workloads.stream_terms import EPOCH

_FIRST: Final = (EPOCH - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def detected(output: Iterable[bytes], query: str, count: int, window: int) -> Outcome:
    """The outcome of a run over ``count`` elements, as if it had printed the lines of `r4 run`."""
    return _outcome(query, _stretches(output, window), count)


def expect_detected(query: str, count: int, window: int) -> Outcome:
    """The outcome that is right: the lines of `expect` but those about static data."""
    return _outcome(query, QUERIES[query][1](count, window), count)


def _outcome(query: str, found: AnswerStretches, count: int) -> Outcome:
    return outcome(f"{line}\n".encode() for line in stream_lines(query, found, count))


def _stretches(output: Iterable[bytes], window: int) -> AnswerStretches:
    for line in output:
        first, last, s, p, o = line.decode().rstrip("\n").split("\t")
        yield (s, p, o), (int(last) - _FIRST, int(first) - _FIRST + window)
