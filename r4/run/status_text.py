"""The status of a run as text: JSON, and the text format of Prometheus."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import Final

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
