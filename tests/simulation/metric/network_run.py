"""A network of metric rules while facts come and go; what it holds, as the cell oracle has it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal
from temporal.mtl import traversal
from temporal.mtl.ast import MetricFact, MetricProgram
from temporal.mtl.lowering import lower, relation_of
from temporal.mtl.validation import predicate_name
from tests.oracles.metric.models import Ground, cells
from tests.simulation.inference_run import InferenceRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rete.graph.streams import FactTable
    from rif.syntax.ast import Atom
    from tests.oracles.metric.operators import Stretch, Truth


class NetworkRun:
    """One network; facts are (number, fact), the number being the name it is taken back by."""

    def __init__(self, program: MetricProgram, scale: int, *, retracts: bool = False) -> None:
        self.scale = scale
        self.terms = Dictionary()
        self.inference = InferenceRun(
            lower(program, scale), self.terms, answers=lambda _: True, retracts=retracts
        )
        self.inference.on_gain, self.inference.on_loss = self._gained, self._lost
        self.layers = self.inference.layers
        self._names = {relation_of(found): predicate_name(found) for found in _atoms(program)}
        self.emitted: list[tuple[Ground, tuple[int, int], bool]] = []

    def _gained(self, table: FactTable, rows: Rows) -> None:
        self.emitted += ((ground, run, True) for ground, run in self._grounds(table, rows))

    def _lost(self, table: FactTable, rows: Rows) -> None:
        self.emitted += ((ground, run, False) for ground, run in self._grounds(table, rows))

    def rows(self, fact: MetricFact) -> Rows:
        lo, hi = cells(fact.interval, self.scale)
        ids = [self.terms.encode(str(Literal(arg))) for arg in fact.args]
        ends = NEG_INF if lo is None else lo, POS_INF if hi is None else hi
        return np.array([[*ids, *ends]], np.int64)

    def add(self, facts: Iterable[tuple[int, MetricFact]]) -> None:
        """Assert facts, a relation at a time, and work until all is quiet."""
        together = defaultdict(list)
        names = defaultdict(list)
        for number, fact in facts:
            relation = relation_of(fact.atom)
            row = self.rows(fact)
            together[relation].append(row)
            names[relation].append(number)
        for relation, parts in together.items():
            given = np.array(names[relation], np.int64)
            self.inference.assert_facts(relation, np.concatenate(parts), given)
        self.inference.run()

    def take(self, numbers: Sequence[int]) -> None:
        """Facts of these numbers are asserted no longer, from the frontier on."""
        self.inference.take(*numbers)

    def advance(self, bound: int) -> None:
        """Nothing that begins before the cell ``bound`` comes any more; forget what may go."""
        self.inference.settle(bound)
        self.inference.expire()

    def saved(self) -> tuple[State, State]:
        """Terms, and the engine."""
        return self.terms.saved(), self.inference.saved()

    def restore(self, terms: State, engine: State) -> None:
        """Stand where another stood that was saved."""
        alive = self.terms.restore(StateReader(terms))
        self.inference.restore(StateReader(engine), alive)

    def emitted_truths(self, stretch: Stretch) -> dict[Ground, Truth]:
        """What was told, less what was taken back."""
        found: dict[Ground, Truth] = defaultdict(int)
        for ground, (lo, hi), gained in self.emitted:
            truth = truths(stretch, {ground: [(lo, hi)]}).get(ground, 0)
            if gained:
                found[ground] |= truth
            else:
                found[ground] &= ~truth
        return found

    def held(self) -> dict[Ground, list[tuple[int, int]]]:
        """When the ground atoms hold that tables have."""
        found: dict[Ground, list[tuple[int, int]]] = defaultdict(list)
        for table in self.layers.tables:
            for ground, run in self._grounds(table, table.facts.content()):
                found[ground].append(run)
        return found

    def _text(self, term: int) -> str:
        found = self.terms.term(term)
        assert isinstance(found, Literal)
        return found.lexical

    def _grounds(self, table: FactTable, rows: Rows) -> Iterable[tuple[Ground, tuple[int, int]]]:
        for *terms, lo, hi in rows.tolist():
            args = tuple(map(self._text, terms))
            yield (self._names[table.relation], args), (lo, hi)


def _atoms(program: MetricProgram) -> Iterator[Atom]:
    return (found for formula in traversal.formulas(program) for found in traversal.atoms(formula))


def truths(stretch: Stretch, *parts: dict[Ground, list[tuple[int, int]]]) -> dict[Ground, Truth]:
    """What runs say of each atom, together; atoms that never hold are left out."""
    found: dict[Ground, Truth] = {}
    for part in parts:
        for ground, runs in part.items():
            for lo, hi in runs:
                ends = None if lo <= NEG_INF else lo, None if hi >= POS_INF else hi
                found[ground] = found.get(ground, 0) | stretch.between(*ends)
    return {ground: truth for ground, truth in found.items() if truth}
