"""What was found of queries over published streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.harness.rounds import first_wrong, paired_median
from bench.harness.tables import Json, TextTable, format_megabytes
from bench.suites.sensor_streams import STORE, SensorRuns


@dataclass(frozen=True, slots=True)
class SensorFindings:
    """Real observations.

    Attributes:
        results: the runs of everybody.
    """

    results: Sequence[SensorRuns] = ()

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong(self.results)

    def tables(self) -> Iterator[TextTable]:
        """Runs, with the ratio to the store."""
        if self.results:
            yield TextTable(
                "Published streams: medians without the start of a process, which loads the static"
                " data. R4 over the store: of processor time.",
                (
                    *("", "triples", "window", "seconds", "triples/s", "start", "CPU", "peak MB"),
                    *("over the store", "+", "-", "answers"),
                ),
                tuple(self._row(each) for each in self.results),
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "sensor_streams": [
                {
                    "runner": each.key.runner,
                    "query": each.key.query,
                    "triples": each.triples,
                    "window": each.window,
                    "seconds": each.seconds,
                    "triples_per_second": each.rate,
                    "start": each.start,
                    "of_store_cpu_time": self._ratio(each),
                    "begun": each.expected.begun,
                    "ended": each.expected.ended,
                    "wrong": each.wrong,
                    "runs": [asdict(usage) for usage in each.usages],
                }
                for each in self.results
            ]
        }

    def _ratio(self, each: SensorRuns) -> float | None:
        """The processor time of R4 over that of the store; None: none can be told."""
        if each.key.runner == STORE:
            return None
        key = each.key._replace(runner=STORE)
        other = next((other for other in self.results if other.key == key), None)
        if other is None or each.short or other.short:
            return None
        return paired_median(each.work, other.work)

    def _row(self, each: SensorRuns) -> tuple[str, ...]:
        ratio = self._ratio(each)
        return (
            str(each.key),
            f"{each.triples:,}",
            f"{each.window / 1000:g} s",
            "too short" if each.short else f"{each.seconds:.2f}",
            "" if each.short else f"{each.rate:,.0f}",
            f"{each.start:.2f}",
            f"{min(usage.cpu for usage in each.usages):.2f}",
            format_megabytes(each.peak),
            "" if ratio is None else f"{ratio:.3f}",
            f"{each.expected.begun:,}",
            f"{each.expected.ended:,}",
            each.wrong or "right",
        )
