"""Files with the status of a run: JSON, and the text format of Prometheus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final

from r4.atomic_path import atomic_path
from r4.cli.terminal.console import say
from r4.extras import MissingExtra, version_of
from r4.run.status import RunStatus

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


class StatusFiles:
    """Writes each status to the files that were named, whole or not at all.

    A file that cannot be written is reported once, until it can be written again; the run goes on.
    """

    def __init__(self, status: Sequence[str], metrics: str | None) -> None:
        """Begin.

        Args:
            status: where JSON goes.
            metrics: where the text of Prometheus goes; None: nowhere.

        Raises:
            MissingExtra: the package that writes it is not installed.
        """
        if metrics is not None and version_of(PACKAGE) is None:
            raise MissingExtra(EXTRA, PACKAGE)
        self._failed: set[Path] = set()
        self._writers = [
            (Path(path), write)
            for path, write in (
                *((path, _json) for path in status),
                *(() if metrics is None else ((metrics, _prometheus),)),
            )
        ]

    def write(self, status: RunStatus) -> None:
        """Write one status."""
        for path, text_of in self._writers:
            try:
                with atomic_path(path) as temporary:
                    temporary.write_bytes(text_of(status))
            except OSError as error:
                if path not in self._failed:
                    say(f"{path}: {error.strerror or error}; until it can, no status is written")
                self._failed.add(path)
            else:
                self._failed.discard(path)


def _json(status: RunStatus) -> bytes:
    return json.dumps(asdict(status), indent=1).encode() + b"\n"


def _prometheus(status: RunStatus) -> bytes:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
    from prometheus_client.registry import Collector

    class Once(Collector):
        def collect(self) -> list[Metric]:
            found: list[Metric] = []
            for name, text in _COUNTERS.items():
                found.append(CounterMetricFamily(f"r4_{name}", text, getattr(status, name)))
            bad = CounterMetricFamily("r4_bad", "Bad data left out.", labels=["code"])
            for code, count in status.bad.items():
                bad.add_metric([code], count)
            found.append(bad)
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
