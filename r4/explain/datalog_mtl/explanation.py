"""Explanations as values: when a fact of a model holds, and from which data it follows."""

from __future__ import annotations

from dataclasses import dataclass

from r4.explain.datalog_mtl.proof_nodes import DataUse, ProofNode
from rete.storage.interval_sets import CellInterval, IntervalSet
from temporal.mtl.ast import PredicateKey


@dataclass(frozen=True, slots=True)
class IntervalQuestion:
    """A fact, and the cells in which it is explained.

    Attributes:
        key: its predicate.
        terms: the ids of its arguments.
        when: the cells.
    """

    key: PredicateKey
    terms: tuple[int, ...]
    when: CellInterval


@dataclass(frozen=True, slots=True)
class DataProof:
    """A minimal set of data that entail the fact in all of its interval, and a proof.

    Attributes:
        data: the facts of the data; of each what the proof uses.
        root: the proof; None: none was found within the bound.
        when: the cells that the proof is about. Shifted by ``shift`` they are those of the
            question, or of the part of it that is shown.
        shift: ticks; 0: the proof is about the fact where it is.
    """

    data: tuple[DataUse, ...]
    root: ProofNode | None
    when: CellInterval
    shift: int = 0

    @property
    def is_changed(self) -> bool:
        """Whether it rests on data that the other side of an update has not."""
        return any(each.changed for each in self.data)


@dataclass(frozen=True, slots=True)
class ModelExplanation:
    """Why a fact holds in an interval; or in which part of it, and what rules lack elsewhere.

    Attributes:
        question: the fact and the interval.
        holds: whether it holds in all of it.
        held: where it holds in the interval, in cells; of a long one as far as ``shown``.
        shown: the cells that were looked at for ``held``.
        proofs: its justifications, smallest first; before them those that an update changed.
        complete: whether there are no others.
        missing_at: a cell in which it does not hold; None: it holds.
        missing: what rules lack there that could derive it, in a line each.
        taken: its justifications there before an update, which took them away.
    """

    question: IntervalQuestion
    holds: bool
    held: IntervalSet = ()
    shown: CellInterval = (0, 0)
    proofs: tuple[DataProof, ...] = ()
    complete: bool = True
    missing_at: int | None = None
    missing: tuple[str, ...] = ()
    taken: tuple[DataProof, ...] = ()
