"""Small mistakes that one can make in the reports of shards; the cases must notice each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final
from unittest.mock import patch

from r4.answers.periodic_report import PeriodicReport
from r4.spark.streaming.exchange import Exchange
from r4.spark.streaming.host import BatchSpec, _HostBatch
from rete.arrays.state_codec import Mask, StateReader
from tests.faults.detection import Fault, FaultArea
from tests.simulation.spark.thread_hosts import disagreement


def what_holds_is_forgotten() -> AbstractContextManager[object]:
    """A shard that is built from a snapshot knows of no answer before."""

    def restore(_: PeriodicReport, __: StateReader, ___: Mask) -> None:
        return

    return patch.object(PeriodicReport, "restore", restore)


def _alone(wanted: str) -> AbstractContextManager[object]:
    right = Exchange.share

    def share(exchange: Exchange, name: str, numbers: Sequence[int]) -> list[list[int]]:
        found = right(exchange, name, numbers)
        return [list(numbers)] * exchange.hosts if name == wanted else found

    return patch.object(Exchange, "share", share)


def hosts_end_where_their_own_answers_do() -> AbstractContextManager[object]:
    """Where all is drained, a host reports no mark after the latest change of its own."""
    return _alone("latest")


def marks_are_empty_where_the_first_host_has_nothing() -> AbstractContextManager[object]:
    """An answer of another host does not count where a mark is called empty."""
    return _alone("marks")


def marks_are_as_many_as_shards() -> AbstractContextManager[object]:
    """Each shard writes that it has no answer."""
    right = _HostBatch._output

    def output(batch: _HostBatch, shard: int) -> object:
        found = right(batch, shard)
        found.says_empty = True
        return found

    return patch.object(_HostBatch, "_output", output)


def marks_begin_with_the_last_stamp() -> AbstractContextManager[object]:
    """The marks before what a batch has read last are not reported."""
    right = _HostBatch.__init__

    def begin(host: _HostBatch, run_spec: object, batch_spec: BatchSpec, *more: object) -> None:
        last = replace(batch_spec, first=batch_spec.last)
        right(host, run_spec, last, *more)  # type: ignore[arg-type]  # as it was called

    return patch.object(_HostBatch, "__init__", begin)


FAULTS: Final[tuple[Fault, ...]] = (
    what_holds_is_forgotten,
    hosts_end_where_their_own_answers_do,
    marks_are_empty_where_the_first_host_has_nothing,
    marks_are_as_many_as_shards,
    marks_begin_with_the_last_stamp,
)


def _detects(seed: int, fault: Fault) -> bool:
    with fault():
        found = disagreement(seed, set(), reports=True)
    return found is not None and "Traceback" not in found


AREA: Final = FaultArea(FAULTS, _detects, cases=300)
