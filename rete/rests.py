"""Rests: which facts of a component may rest on a fact of a table, as programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rete.bodies import Atom, body
from rete.delta import Column, columns
from rete.layers import Layers
from rete.nodes.terminal import FactTable
from rete.programs import Programs
from rete.proofs import Source, Written

_SAMPLE: Final = 8
"""So many facts are looked at for what those to come are like."""


class Rests(Written):
    """The bodies in which a fact of one table may be an atom: from that atom to their heads."""

    def __init__(self, layers: Layers, table: FactTable) -> None:
        """Make them."""
        component = table.component
        programs = Programs(layers, component, table.facts.some(_SAMPLE, leveled=False))
        for head in component.tables:
            for stream, terminal in head.feeders:
                conditions = body(stream, terminal, component)
                for atom in conditions.atoms:
                    if atom.relation is not None and table in layers.tables_of(
                        atom.stream, atom.relation
                    ):
                        others = [each for each in conditions.atoms if each is not atom]
                        begun = replace(conditions, head=atom.args, atoms=others)
                        last = Atom(stream, None, conditions.head), head.facts
                        programs.add(begun, stream.network.since, last)
        super().__init__(layers, component, programs)
        heads = {id(head.facts): number for number, head in enumerate(component.tables)}
        self._heads = columns(heads.get(id(stem), -1) for stem, _, _ in self._sources)

    def asks(self) -> tuple[Column, Column, list[Source], Column]:
        """Their code, where they begin, what they look into, and which of that are heads."""
        return self.code, self.begins, self.sources(), self._heads
