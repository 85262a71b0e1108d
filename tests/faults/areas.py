"""All planted faults, by area."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.faults import (
    early_results,
    engine_states,
    events,
    executors,
    join_orders,
    justifications,
    lacks,
    meetings,
    numbers,
    states,
    stream_detection,
    summation,
    timed_streams,
    views,
)
from tests.faults.hypothetical import detection as hypothetical
from tests.faults.hypothetical import possible_detection as possible
from tests.faults.metric import (
    constraints,
    explanations,
    fact_streams,
    model_states,
    period_search,
    updates,
)
from tests.faults.metric import detection as metric
from tests.faults.retraction import detection as retraction
from tests.faults.retraction import operators
from tests.faults.spark import loading, reports, shard_detection, streaming_detection

if TYPE_CHECKING:
    from tests.faults.detection import FaultArea

AREAS: Final[dict[str, FaultArea]] = {
    "streams": stream_detection.AREA,
    "timed_streams": timed_streams.AREA,
    "states": states.AREA,
    "engine_states": engine_states.AREA,
    "early_results": early_results.AREA,
    "join_orders": join_orders.AREA,
    "meetings": meetings.AREA,
    "events": events.AREA,
    "numbers": numbers.AREA,
    "executors": executors.AREA,
    "summation": summation.AREA,
    "views": views.AREA,
    "retraction": retraction.AREA,
    "metric_retraction": operators.AREA,
    "metric_models": metric.MODELS,
    "metric_networks": metric.NETWORKS,
    "metric_streams": fact_streams.AREA,
    "metric_constraints": constraints.AREA,
    "metric_explanations": explanations.AREA,
    "metric_updates": updates.AREA,
    "model_states": model_states.AREA,
    "period_search": period_search.AREA,
    "justifications": justifications.AREA,
    "rif_lacks": lacks.RIF,
    "mtl_lacks": lacks.MTL,
    "hypothetical": hypothetical.AREA,
    "possible": possible.AREA,
    "possible_ranking": possible.RANKING,
    "shards": shard_detection.AREA,
    "streaming": streaming_detection.AREA,
    "sharded_reports": reports.AREA,
    "loading": loading.AREA,
}
