"""The status of a run: where time is, what was read and told, what is held."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from r4.engine.core import Core
from r4.errors import Counters
from r4.extras import MissingExtra, version_of
from r4.time.ticks import NEG_INF, Kind, StampFormat, Tick
from rete.memory_limit import resident_bytes

if TYPE_CHECKING:
    from r4.run.stream_run import StreamRun

EVERY: Final = 1.0
"""Seconds from one status to the next."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The status of a run at one moment.

    Attributes:
        written: when it was taken, as a dateTime.
        ended: whether the run has ended.
        frontier, last: the frontier and the largest stamp, as in answers; None: there is none yet.
        lag_seconds: how far the frontier is behind the clock; None if stamps are integers.
        statements, elements, derived, answers: how many were read, derived and written so far.
        statements_per_second, elements_per_second: since the status before.
        rows: rows that the nodes, the facts and the base table hold.
        terms: terms that the dictionary holds.
        late: late elements.
        bad: what was left out as bad data, by code.
        memory_bytes: memory of the process that is resident; None where the system does not say.
        memory_by_owner: bytes that the dictionary (``terms``), nodes, derived and asserted facts
            have; some of them may never have been written to, and take no memory then.
        checkpoint: when the last one was written; None: none was.
        degraded: whether most elements were late, so that the answers are those of a minority.
    """

    written: str
    ended: bool
    frontier: str | int | None
    last: str | int | None
    lag_seconds: float | None
    statements: int
    elements: int
    derived: int
    answers: int
    statements_per_second: float
    elements_per_second: float
    rows: int
    terms: int
    late: int
    bad: Mapping[str, int]
    memory_bytes: int | None
    memory_by_owner: Mapping[str, int]
    checkpoint: str | None = None
    degraded: bool = False


class EventTime(Protocol):
    """How far event time has come."""

    @property
    def frontier(self) -> Tick:
        """The watermark: instants before it are final; `NEG_INF` before the first stamp."""

    @property
    def last(self) -> Tick:
        """The largest stamp; `NEG_INF` before the first."""


class StatusMeter:
    """Measures the status of a run, with rates since the measurement before."""

    def __init__(self, clock: Callable[[], Tick], seconds: Callable[[], float] = monotonic) -> None:
        """Begin.

        Args:
            clock: the time of day, in ticks.
            seconds: the clock by which rates are measured.
        """
        self._clock = clock
        self._seconds = seconds
        self._before = (seconds(), 0, 0)

    def measure(  # noqa: PLR0913 - what a status is about
        self,
        core: Core,
        time: EventTime,
        stamps: StampFormat,
        counters: Counters,
        answers: int,
        *,
        ended: bool = False,
        checkpoint: str | None = None,
    ) -> RunStatus:
        """The status now; linear in the nodes of the network."""
        now = self._seconds()
        since, statements, elements = self._before
        span = max(now - since, 1e-9)
        self._before = now, counters.quads, counters.elements
        return RunStatus(
            written=stamps.scale.text(self._clock()),
            ended=ended,
            frontier=_shown(time.frontier, stamps),
            last=_shown(time.last, stamps),
            lag_seconds=self._lag(time.frontier, stamps),
            statements=counters.quads,
            elements=counters.elements,
            derived=core.derived,
            answers=answers,
            statements_per_second=round((counters.quads - statements) / span, 1),
            elements_per_second=round((counters.elements - elements) / span, 1),
            rows=core.layers.held,
            terms=len(core.terms),
            late=counters.late,
            bad=_bad(counters),
            memory_bytes=resident_bytes(),
            memory_by_owner={"terms": core.terms.texts.nbytes, **core.layers.memory()},
            checkpoint=checkpoint,
            degraded=counters.degraded,
        )

    def _lag(self, frontier: Tick, stamps: StampFormat) -> float | None:
        if stamps.kind is not Kind.DATE_TIME or frontier == NEG_INF:
            return None
        return round((self._clock() - frontier) / stamps.scale.per_second, 3)


class StatusReporter:
    """Observes a run: reports its status every second."""

    def __init__(
        self,
        report: Callable[[RunStatus], None],
        clock: Callable[[], Tick],
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        """Begin.

        Args:
            report: called with each status.
            clock: the time of day, in ticks.
            seconds: the clock by which a second passes.
        """
        self._report = report
        self._meter = StatusMeter(clock, seconds)
        self._seconds = seconds
        self._due = seconds()

    def look(self, run: StreamRun, *, ended: bool = False) -> None:
        """Report the status, if it is due or the last one."""
        if not ended and self._seconds() < self._due:
            return
        self._due = self._seconds() + EVERY
        checkpoint = None if run.state is None else run.state.checkpoint
        self._report(
            self._meter.measure(
                *(run.run.core, run.intake, run.clock, run.counters, run.report.written),
                ended=ended,
                checkpoint=checkpoint,
            )
        )


def _shown(tick: Tick, stamps: StampFormat) -> str | int | None:
    if tick == NEG_INF:
        return None
    return stamps.text(tick) if stamps.kind is Kind.DATE_TIME else tick


def _bad(counters: Counters) -> dict[str, int]:
    return dict(sorted(counters.bad.items()))


PACKAGE: Final = "prometheus-client"
EXTRA: Final = "metrics"
_COUNTERS: Final = {
    "statements": "Statements read.",
    "elements": "Elements read that are neither bad nor late.",
    "derived": "Facts derived.",
    "answers": "Answers written.",
    "late": "Late elements.",
}
_GAUGES: Final = {
    "lag_seconds": "Seconds that the frontier is behind the clock.",
    "rows": "Rows held by nodes, facts and the base table.",
    "terms": "Terms held by the dictionary.",
    "memory_bytes": "Resident memory of the process.",
    "checkpoint_timestamp_seconds": "When the last checkpoint was written, in seconds since 1970.",
}


def json_text(status: RunStatus) -> bytes:
    """The status as a JSON object."""
    return json.dumps(asdict(status), indent=1).encode() + b"\n"


def check_metrics() -> None:
    """Check that `metrics_text` can be called.

    Raises:
        MissingExtra: the package that writes it is not installed.
    """
    if version_of(PACKAGE) is None:
        raise MissingExtra(EXTRA, PACKAGE)


def metrics_text(status: RunStatus) -> bytes:
    """The status in the text format of Prometheus.

    Raises:
        MissingExtra: the package that writes it is not installed.
    """
    check_metrics()
    from prometheus_client import CollectorRegistry, generate_latest  # noqa: PLC0415 - an extra
    from prometheus_client.core import (  # noqa: PLC0415
        CounterMetricFamily,
        GaugeMetricFamily,
        Metric,
    )
    from prometheus_client.registry import Collector  # noqa: PLC0415

    class Once(Collector):
        def collect(self) -> list[Metric]:
            found: list[Metric] = []
            for name, text in _COUNTERS.items():
                found.append(CounterMetricFamily(f"r4_{name}", text, getattr(status, name)))
            bad = CounterMetricFamily("r4_bad", "Bad data left out.", labels=["code"])
            for code, count in status.bad.items():
                bad.add_metric([code], count)
            found.append(bad)
            owners = GaugeMetricFamily("r4_owner_bytes", "Memory by owner.", labels=["owner"])
            for owner, count in status.memory_by_owner.items():
                owners.add_metric([owner], count)
            found.append(owners)
            written = status.checkpoint
            at = None if written is None else datetime.fromisoformat(written).timestamp()
            values = {**asdict(status), "checkpoint_timestamp_seconds": at}
            for name, text in _GAUGES.items():
                if (value := values[name]) is not None:
                    found.append(GaugeMetricFamily(f"r4_{name}", text, value))
            return found

    registry = CollectorRegistry()
    registry.register(Once())
    return generate_latest(registry)
