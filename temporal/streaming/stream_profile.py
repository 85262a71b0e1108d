"""The profile of a program on streams: what memory keeps, and when answers are certain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from rete.arrays.delta import POS_INF
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.intervals.interval import End
from temporal.mtl import traversal
from temporal.mtl.analysis import ProgramAnalysis, analyse
from temporal.mtl.ast import MetricProgram
from temporal.mtl.lowering import lower, relation_named
from temporal.mtl.validation import arities, predicate_name
from temporal.streaming.stream_query import Memory, split_since


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
    """The profile of a well-formed program, by one network of all its rules."""
    heads = [atom for rule in program.rules for head in rule.head for atom in traversal.atoms(head)]
    return StreamProfile(
        Memory.DENSE if known.may_be_dense else Memory.EXACT,
        known.lookback,
        _certain_after(program, dict.fromkeys(map(predicate_name, heads))),
    )


def _certain_after(program: MetricProgram, names: Iterable[str]) -> dict[str, End]:
    """When answers are certain, as `StreamEvaluation.lateness` of a query for each predicate.

    That follows from the ranges on the ways to a predicate; other rules change nothing of it.
    """
    rules = split_since(program)
    scale = analyse(rules).scale
    network = InferenceEngine(lower(rules, scale), Dictionary(), table=_table).network
    late = {table.relation: table.lateness for table in network.tables}
    arity = arities(program)
    found = {name: late[relation_named(name, arity[name])] for name in names}
    return {
        name: None if cells >= POS_INF else Fraction(cells, 2 * scale)
        for name, cells in found.items()
    }


def _table(relation: Relation) -> FactTable:
    return FactTable(relation, instances=False, answers=True)
