"""What `r4 bench formats` found: a format a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.harness.tables import Json, TextTable
from bench.suites.input_formats import FormatCost


@dataclass(frozen=True, slots=True)
class FormatFindings:
    """The cost of a triple in each input format."""

    costs: Sequence[FormatCost] = ()

    @property
    def wrong(self) -> str:
        """Nothing: a program whose answers are wrong ends with an error."""
        return ""

    def tables(self) -> Iterator[TextTable]:
        """A format a row; the ratios are to pyoxigraph on the same file, and on N-Quads."""
        if not self.costs:
            return
        base = next(each for each in self.costs if each.name == "nquads").parse_microseconds
        assert base is not None
        rows = []
        for each in self.costs:
            parse = each.parse_microseconds
            alone = (
                ("", "") if parse is None else (f"{parse:.2f}", f"{each.microseconds / parse:.2f}")
            )
            rows.append(
                (each.name, f"{each.microseconds:.2f}", *alone, f"{each.microseconds / base:.2f}")
            )
        yield TextTable(
            f"Input formats: {self.costs[0].triples:,} triples in elements of three; processor time"
            " until they are batches of ids.",
            ("-i", "µs a triple", "pyoxigraph alone", "ratio", "ratio to N-Quads alone"),
            tuple(rows),
        )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {"formats": [asdict(cost) for cost in self.costs]}
