"""Programs of a table: what derives its facts, and which facts may depend on one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.graph.streams import Component, FactTable
from rete.network.layers import Layers
from rete.retraction.proof_programs import MissingConstants, ProgramWriter
from rete.retraction.rule_bodies import BodyAtom, TableRule, rules_of

if TYPE_CHECKING:
    from rete.kernels.support.pure_search import IndexedRows

_GROWN: Final = 2
"""With so many times as many rows, other orders of atoms may be better."""
_SMALL: Final = 4096
"""So many more rows are not enough to write programs anew."""
_KEPT: Final = 0.5
"""By what the experience with a program is multiplied each time there is more."""
_SAMPLE: Final = 8
"""So many facts are a sample of those to come."""


class LoadedPrograms:
    """Programs as kernels take them.

    They are right for one component, and good while its tables have about the size they have now.
    """

    def __init__(self, layers: Layers, component: Component, programs: ProgramWriter) -> None:
        """Copy the code that ``programs`` has written."""
        self._layers = layers
        self._component = component
        self.code = columns(programs.code)
        self.begins = columns(programs.begins)
        self._asserted = programs.asserted
        self._sources = [
            (stem, stem.index(places), leveled) for stem, places, leveled in programs.sources
        ]
        self._size = self._rows
        self._outgrown = False

    @property
    def _rows(self) -> int:
        return sum(stem.n for stem, _, _ in self._sources)

    def are_current(self, table: FactTable) -> bool:
        """Whether they are still right for ``table``, and not outgrown."""
        if table.component is not self._component or self._outgrown:
            return False
        asserted = self._layers.asserted_stem
        return all(asserted(relation) is stem for relation, stem in self._asserted.items())

    def sources(self) -> list[IndexedRows]:
        """The rows that they look into, as they are now."""
        self._outgrown = self._rows > _GROWN * self._size + _SMALL
        return [(index, leveled and stem.leveled) for stem, index, leveled in self._sources]


class DerivationPrograms(LoadedPrograms):
    """The rules of one table as programs, those first that derived most facts at the least cost."""

    def __init__(
        self,
        layers: Layers,
        table: FactTable,
        facts: Rows,
        missing: MissingConstants,
        rule: int | None = None,
    ) -> None:
        """Write them, of one ``rule`` or all; ``facts`` (n, …) are a sample of the questions."""
        programs = ProgramWriter(layers, table.component, facts, missing)
        for head in rules_of(table, rule):
            if len(table.feeders) == 1 and not table.orphaned:
                head.body.drop_head_tests()
            programs.add(head.body, head.since)
        super().__init__(layers, table.component, programs)
        self._experience = np.zeros((len(programs.begins), 2))

    def arguments(self) -> tuple[Column, Column, list[IndexedRows], Rows]:
        """Their code, where they begin (the best first), their sources, and room for costs."""
        return self.code, self.begins, self.sources(), np.zeros((len(self.begins), 2), np.int64)

    def learn(self, costs: Rows) -> None:
        """Take into account what each cost and derived since `arguments`."""
        used = costs[:, 0] > 0
        if used.any():
            self._experience[used] = _KEPT * self._experience[used] + costs[used]
            cost, derived = self._experience.T
            order = np.argsort(-derived / (cost + 1), kind="stable")
            self.begins, self._experience = self.begins[order], self._experience[order]


class DependentPrograms(LoadedPrograms):
    """The bodies in which a fact of one table may be an atom: from that atom to their heads.

    The ``tables`` of their heads are in the order of their numbers.
    """

    def __init__(
        self,
        layers: Layers,
        table: FactTable,
        missing: MissingConstants,
        rules: Mapping[FactTable, list[TableRule]],
    ) -> None:
        """Write them; ``rules`` are those of the tables of its component that have any fact."""
        component = table.component
        programs = ProgramWriter(layers, component, table.facts.sample(_SAMPLE), missing)
        for other, theirs in rules.items():
            for head in theirs:
                for place, atom in enumerate(head.body.atoms):
                    if (
                        atom.relation is not None
                        and table in layers.tables_of(atom.stream, atom.relation)
                        and not missing.lacks(atom.args, table.facts)
                    ):
                        from_fact = replace(head.body, head=atom.args, atoms=_others(head, place))
                        last = BodyAtom(head.stream, None, head.body.head), other.facts
                        programs.add(from_fact, head.since, last)
        self.tables = [*rules]
        super().__init__(layers, component, programs)
        numbers = {id(head.facts): number for number, head in enumerate(rules)}
        self._heads = columns(numbers.get(id(stem), -1) for stem, _, _ in self._sources)

    def arguments(self) -> tuple[Column, Column, list[IndexedRows], Column]:
        """Their code, where they begin, their sources, and the table of each source, or -1."""
        return self.code, self.begins, self.sources(), self._heads


def _others(head: TableRule, place: int) -> list[BodyAtom]:
    """The atoms of a body but one.

    Those before it must not match the same fact, so that no derivation is met twice.
    """
    atoms = head.body.atoms
    return [*(replace(atom, apart=True) for atom in atoms[:place]), *atoms[place + 1 :]]
