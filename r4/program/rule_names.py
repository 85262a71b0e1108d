"""What rules call things, with their durations: for all that shows a network of compiled rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from r4.language import LANGUAGE
from r4.program.lookahead import operators
from r4.time.ticks import TimeScale
from rete.arrays.delta import Cells
from rete.drawing.names import Names, names_of
from rif.language import Language
from rif.syntax.ast import Document
from rif.syntax.clauses import merge
from temporal.intervals.durations import Durations


def rule_names(
    documents: Sequence[Document],
    scale: TimeScale,
    title: str = "rules",
    language: Language = LANGUAGE,
) -> Names:
    """The names in ``documents``, the main one first. Plans their rules once more.

    Ranges of operators are those that the rules write, other durations in their units, or in ticks
    if the rules give a range in ticks.
    """
    ranges: dict[Cells, str] = {}
    in_ticks = False
    for operator in (each for document in documents for each in operators(document)):
        rho = operator.rho
        ranges.setdefault(rho.cells(scale.per_second), str(rho))
        in_ticks = in_ticks or (isinstance(rho, Durations) and rho.in_ticks)
    names = names_of(merge(documents), language, title, scale.per_second)
    return replace(names, ranges=ranges, per_second=0 if in_ticks else scale.per_second)
