"""Derivation search: for each fact one derivation that stands, at no more cost than that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, concat, concat_or_empty, empty
from rete.graph.streams import Component, FactTable, Stream, Terminal
from rete.network.components import populated_tables
from rete.network.layers import Layers
from rete.nodes.scan import Scan, scan_questions, select_scanned
from rete.provenance.backward_evaluation import BackwardEvaluation, SupportBasis
from rete.retraction.dependents import DependentPrograms
from rete.retraction.derivability import DerivationPrograms
from rete.retraction.subsumption import TableRule, heads_of
from rete.storage.row_algebra import append_term, join_rows, project, subtract

_CROWD: Final = 32
"""With more rows for a question, a scan is crowded: a sample of its facts is tried first."""
_SAMPLE: Final = 1024
"""So many facts are in the sample."""


class _Terms:
    """Which terms facts have at a place, found when first asked for."""

    __slots__ = ("_facts", "_found")

    def __init__(self, facts: Rows) -> None:
        self._facts = facts
        self._found: dict[int, set[int]] = {}

    def __getitem__(self, place: int) -> set[int]:
        found = self._found.get(place)
        if found is None:
            found = self._found[place] = set(np.unique(self._facts[:, place]).tolist())
        return found


class DerivationSearch(BackwardEvaluation):
    """As its base, but it stops where the first derivation of a fact is found."""

    __slots__ = ("_benefits", "_crowded", "_dependents", "_programs", "_programs_by_rule")

    def __init__(self, layers: Layers) -> None:
        super().__init__(layers)
        self._benefits: dict[Terminal, tuple[float, float]] = {}
        self._crowded: set[Stream] = set()
        self._programs_by_rule: dict[tuple[FactTable, int], DerivationPrograms] = {}
        self._programs: dict[FactTable, DerivationPrograms] = {}
        self._dependents: dict[FactTable, DependentPrograms] = {}

    def derivable(
        self, table: FactTable, facts: Rows, basis: SupportBasis, others: list[Rows]
    ) -> Iterator[Rows]:
        """Those of ``facts`` that have a derivation below a level, with its level as a last term.

        Each fact has that level as a last term; the search for it ends with the first derivation
        found. Facts whose derivations are not below go to ``others``, with the level of the lowest.
        """
        if not self._layers.classes:  # else a fact may represent others
            found = self._programs_of(table, facts).prove(
                facts, known_levels_only=basis.known_levels_only
            )
            below = found.level >= 0
            count = int(np.count_nonzero(below))
            if count:
                yield _leveled(facts[below], found.level[below])
            if count == len(facts):
                return
            unsure = ~below & (found.unsure > 0)
            later = ~below & ~unsure & (found.later < UNKNOWN_LEVEL)
            if later.any():
                others.append(_leveled(facts[later], found.later[later]))
            if unsure.any():
                yield from self._search_heads(table, facts[unsure], basis, others)
            return
        yield from self._search_heads(table, facts, basis, others)

    def no_longer_derived(self, table: FactTable, facts: Rows, rule: int) -> Rows:
        """The pieces of ``facts``, (n, arity + 2), that ``rule`` does not derive any more."""
        if self._layers.classes:  # else a fact may represent others
            return self._not_found(table, facts, rule)
        programs = self._programs_by_rule.get((table, rule))
        if programs is None or not programs.are_current(table):
            programs = self._programs_by_rule[table, rule] = DerivationPrograms(
                self._layers, table, facts, rule
            )
        found = programs.prove(append_term(facts, UNKNOWN_LEVEL + 1), known_levels_only=False)
        rest = facts[found.level < 0]
        unsure = found.unsure[found.level < 0] > 0
        if not unsure.any():
            return rest
        return concat([rest[~unsure], self._not_found(table, rest[unsure], rule)])

    def _not_found(self, table: FactTable, facts: Rows, rule: int) -> Rows:
        found = (rows for _, rows in self.of_facts(table, facts, {rule}))
        return subtract(facts, concat_or_empty(found, table.relation.arity))

    def _programs_of(self, table: FactTable, facts: Rows) -> DerivationPrograms:
        """The programs of ``table``; ``facts`` are a sample of the questions to come."""
        found = self._programs.get(table)
        if found is None or not found.are_current(table):
            found = self._programs[table] = DerivationPrograms(self._layers, table, facts)
        return found

    def programs_decide(self) -> bool:
        """Whether programs may decide alone which facts are derivable."""
        return not self._layers.classes  # else a fact may represent others

    def settle(
        self, due: Mapping[FactTable, Rows], bound: int
    ) -> tuple[int, dict[FactTable, Rows]]:
        """How many facts of a component become suspects, and which it loses.

        ``due`` are the facts that lost a derivation. -1 where programs cannot decide, see
        `rete.kernels.pure_support_levels.settle`.
        """
        component = next(iter(due)).component
        tables = populated_tables(component)
        if not tables:
            return 0, {}
        arguments, asked = [], []
        heads: dict[FactTable, list[TableRule]] = {}
        for table in tables:
            facts, arity = table.facts, table.relation.arity
            rows = project(due[table], range(arity)) if table in due else empty(arity)
            dependents = self._dependents.get(table)
            if (
                dependents is None
                or dependents.tables != tables
                or not dependents.are_current(table)
            ):
                heads = heads or {each: heads_of(each) for each in tables}
                dependents = self._dependents[table] = DependentPrograms(self._layers, table, heads)
            assert facts.levels is not None
            own = self._programs_of(table, rows).arguments()
            arguments.append((facts.rows, facts.n, facts.levels, own, dependents.arguments()))
            index = facts.index(tuple(range(arity)))
            facts.ready(index)
            asked.append((rows, index))
        count, lost = kernels.settle(arguments, asked, bound)
        for table, (*_, (*_, costs), _) in zip(tables, arguments, strict=True):
            self._programs[table].learn(costs)
        return count, {
            table: table.facts.rows[places]
            for table, places in zip(tables, lost, strict=False)
            if len(places)
        }

    def _search_heads(
        self, table: FactTable, facts: Rows, basis: SupportBasis, others: list[Rows]
    ) -> Iterator[Rows]:
        """As `derivable`, head by head, by backward evaluation."""
        own = table.relation.arity
        key = range(own)
        asked = project(facts, key)
        terms = _Terms(facts)
        for stream, terminal, sampled in self._heads(table):
            if not len(facts):
                break
            if not terminal.fits(terms):
                continue
            find = self._leveled_of_sample if sampled else self.leveled_of_head
            found = find(stream, terminal, asked, basis)
            if not len(found):
                continue
            pairs = join_rows(found, key, facts, key, [*key, own, ~own])
            below = pairs[:, own] < pairs[:, own + 1]
            before = len(facts)
            if below.any():
                yield project(pairs[below], range(own + 1))
                facts = subtract(facts, project(pairs[below], key))
                asked = project(facts, key)
            if not below.all():
                others.append(project(pairs[~below], range(own + 1)))
            if not sampled:
                self._note_benefit(stream, terminal, before, len(found), before - len(facts))

    def still_scanned(self, stream: Stream, rows: Rows) -> Rows:
        """Those of ``rows`` of a scan for which some fact is left; of many facts one is enough."""
        plan = stream.plan
        assert isinstance(plan, Scan)
        key = tuple(range(plan.width))
        if plan.equal or self._layers.may_represent(plan.relation):
            return self.derived(stream, rows, key)
        rest = self._layers.not_stored(
            stream, plan.relation, *scan_questions(stream, plan, rows, key)
        )
        return subtract(rows, project(rest, [len(plan.constants) + c for c in key]))

    def _heads(self, table: FactTable) -> Iterator[tuple[Stream, Terminal, bool]]:
        """The heads that feed ``table``: those of crowded scans, to be sampled, then all of them.

        Where thousands of facts derive the same, as that their predicate is a property, one of them
        is enough; to look at all of them would take longer than all else.
        """
        for stream, terminal in table.feeders:
            if stream in self._crowded:
                yield stream, terminal, True
        for stream, terminal in self._best_first(table):
            yield stream, terminal, False

    def _best_first(self, table: FactTable) -> list[tuple[Stream, Terminal]]:
        """The heads that feed ``table``, those first that derived most facts at the least cost."""

        def promise(feeder: tuple[Stream, Terminal]) -> float:
            settled, cost = self._benefits.get(feeder[1], (0.0, 1.0))
            return -settled / cost

        return sorted((each for each in table.feeders if _has_rows(each[0])), key=promise)

    def _note_benefit(
        self, stream: Stream, terminal: Terminal, asked: int, found: int, settled: int
    ) -> None:
        benefit, cost = self._benefits.get(terminal, (0.0, 0.0))
        self._benefits[terminal] = benefit / 2 + settled, cost / 2 + asked + found
        if found > _CROWD * asked and isinstance(stream.plan, Scan):
            self._crowded.add(stream)

    def _leveled_of_sample(
        self, stream: Stream, terminal: Terminal, facts: Rows, basis: SupportBasis
    ) -> Rows:
        """As `leveled_of_head`, from a sample of the facts that the body scans."""
        plan = stream.plan
        assert isinstance(plan, Scan)
        if not len(terminal.asks(facts)[2]):
            return empty(terminal.table.relation.arity + 1)
        rows = self._sample(stream, plan, basis.component)
        if basis.known_levels_only:
            rows = rows[rows[:, -3] < UNKNOWN_LEVEL]
        return append_term(terminal.facts(rows), rows[:, -3])

    def _sample(self, stream: Stream, plan: Scan, component: Component | None = None) -> Rows:
        """A sample of the rows of a scan, with their level as a last term."""
        facts = self._layers.sample(stream, plan.relation, _SAMPLE, component)
        for (place, _), term in zip(plan.constants, stream.constants, strict=True):
            facts = facts[facts[:, place] == term]
        return select_scanned(np.ascontiguousarray(facts), plan, (*plan.keep, plan.relation.arity))


def _has_rows(stream: Stream) -> bool:
    """Whether a stream may have any row: whether the SteMs before it have some."""
    if stream.stem is not None:
        return stream.stem.n > 0
    needed = stream.plan.needed
    return all(_has_rows(source) for source in stream.sources if source.plan in needed)


def _leveled(facts: Rows, levels: Column) -> Rows:
    """Facts with other levels as their last terms."""
    out = facts.copy()
    out[:, -3] = levels
    return out
