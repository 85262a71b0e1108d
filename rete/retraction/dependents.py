"""Dependents: which facts of a component may depend on a fact of a table, as programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rete.arrays.delta import Column, columns
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.retraction.derivability import LoadedPrograms
from rete.retraction.proof_programs import ProgramWriter
from rete.retraction.rule_bodies import BodyAtom
from rete.retraction.subsumption import TableRule

if TYPE_CHECKING:
    from rete.kernels.pure_support_search import IndexedRows

_SAMPLE: Final = 8
"""So many facts are a sample of those to come."""


class DependentPrograms(LoadedPrograms):
    """The bodies in which a fact of one table may be an atom: from that atom to their heads.

    Attributes:
        tables: the tables of their heads, in the order of their numbers.
    """

    def __init__(
        self, layers: Layers, table: FactTable, heads: Mapping[FactTable, list[TableRule]]
    ) -> None:
        """Write them; ``heads`` are those of the tables of its component that have any fact."""
        component = table.component
        programs = ProgramWriter(layers, component, table.facts.sample(_SAMPLE, leveled=False))
        for other, theirs in heads.items():
            for head in theirs:
                for place, atom in enumerate(head.body.atoms):
                    if (
                        atom.relation is not None
                        and table in layers.tables_of(atom.stream, atom.relation)
                        and not programs.missing.lacks(atom.args, table.facts)
                    ):
                        from_fact = replace(head.body, head=atom.args, atoms=_others(head, place))
                        last = BodyAtom(head.stream, None, head.body.head), other.facts
                        programs.add(from_fact, head.since, last)
        self.tables = [*heads]
        super().__init__(layers, component, programs)
        numbers = {id(head.facts): number for number, head in enumerate(heads)}
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
