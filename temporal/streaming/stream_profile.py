"""The profile of a program on streams: what memory keeps, and when answers are certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rete.arrays.delta import POS_INF
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from temporal.errors import NeverCertain
from temporal.intervals.interval import End
from temporal.mtl import traversal
from temporal.mtl.analysis import ProgramAnalysis
from temporal.mtl.ast import MetricProgram
from temporal.mtl.validation import predicate_name
from temporal.streaming.stream_evaluation import StreamEvaluation
from temporal.streaming.stream_query import Memory, StreamQuery


@dataclass(frozen=True, slots=True)
class StreamProfile:
    """How a program follows streams.

    Attributes:
        memory: exact or dense, of a query that all its rules matter to.
        window: how far back rows are kept, if a range has an end; None: for ever.
        certain_after: per predicate that rules derive how far the frontier has to pass a point
            until the answers there are certain; None: they never are.
    """

    memory: Memory
    window: End
    certain_after: Mapping[str, End]

    @property
    def never_certain(self) -> list[str]:
        """The predicates whose answers are never certain."""
        return sorted(name for name, end in self.certain_after.items() if end is None)

    @property
    def longest(self) -> Fraction:
        """How far the frontier has to pass a point at most, for the other predicates."""
        return max((end for end in self.certain_after.values() if end is not None), default=_ZERO)


_ZERO = Fraction(0)


def profile_streams(program: MetricProgram, known: ProgramAnalysis) -> StreamProfile:
    """The profile of a well-formed program; a network is made for each predicate."""
    heads = [atom for rule in program.rules for head in rule.head for atom in traversal.atoms(head)]
    names = dict.fromkeys(map(predicate_name, heads))
    is_dense = known.is_forward_propagating and not known.has_punctual
    return StreamProfile(
        Memory.DENSE if is_dense else Memory.EXACT,
        known.lookback,
        {name: _certain_after(program, name) for name in names},
    )


def _certain_after(program: MetricProgram, name: str) -> End:
    query = StreamQuery.of(program, name)
    try:
        found = StreamEvaluation(query, Dictionary(), query.analysis.scale)
    except RuleErrors as errors:
        if not any(isinstance(error, NeverCertain) for error in errors.errors):
            raise
        return None
    assert found.lateness < POS_INF
    return Fraction(found.lateness, 2 * found.scale)
