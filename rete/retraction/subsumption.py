"""Subsumption: the rules of a table, without those that a more general one covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from rete.graph.streams import FactTable, Stream, Terminal
from rete.retraction.rule_bodies import BodyAtom, BodyTerm, BodyVariable, RuleBody, body_of

_Substitution: TypeAlias = "dict[BodyVariable, BodyVariable | int]"
"""A substitution: the variable or constant in place of each variable."""


class TableRule(NamedTuple):
    """A head of a table, and its body."""

    stream: Stream
    terminal: Terminal
    body: RuleBody

    @property
    def since(self) -> int:
        """The cell from which on it derives anything."""
        return self.stream.network.since

    def covers(self, other: TableRule) -> bool:
        """Whether it derives all that ``other`` does, from some of the same facts.

        Only within a network, as another may be shown other facts.
        """
        same = self.stream.network is other.stream.network
        return same and _covers(self.body, other.body)


def heads_of(table: FactTable, rule: int | None = None) -> list[TableRule]:
    """The heads of ``table``, of one ``rule`` or all, but those that another one covers.

    The others decide whether a fact follows, and from how low a level.
    """
    heads = [
        TableRule(stream, terminal, body_of(stream, terminal, table.component))
        for stream, terminal in table.feeders
        if rule is None or terminal.rule == rule
    ]
    kept = heads.copy()
    for head in heads:
        if any(other is not head and other.covers(head) for other in kept):
            kept.remove(head)
    return kept


def _covers(general: RuleBody, special: RuleBody) -> bool:
    """Whether ``general`` theta-subsumes ``special`` [Plotkin70], each atom matched with its own.

    So the number of derivations that use a fact is not less by the general body.
    """
    if general.tests or general.is_partial or len(general.atoms) > len(special.atoms):
        return False
    differ = {frozenset((a.root, b.root)) for a, b in special.differ}
    return any(
        all(frozenset((given[a.root], given[b.root])) in differ for a, b in general.differ)
        for found in _match_terms(general.head, special.head, {})
        for given in _match_atoms(general.atoms, special.atoms, found)
    )


def _match_terms(
    general: Sequence[BodyTerm | None], special: Sequence[BodyTerm | None], given: _Substitution
) -> Iterator[_Substitution]:
    """The substitution that makes ``general`` equal to ``special``, if there is one."""
    given = given.copy()
    for mine, theirs in zip(general, special, strict=True):
        other = theirs.root if isinstance(theirs, BodyVariable) else theirs
        if isinstance(mine, BodyVariable):
            if other is None or given.setdefault(mine.root, other) != other:
                return
        elif mine is not None and mine != other:
            return
    yield given


def _match_atoms(
    atoms: Sequence[BodyAtom], among: Sequence[BodyAtom], given: _Substitution
) -> Iterator[_Substitution]:
    """The same for each way to match the ``atoms`` with different ones ``among`` others."""
    if not atoms:
        yield given
        return
    first, *rest = atoms
    for place, other in enumerate(among):
        if first.relation is not None and first.relation == other.relation:
            for found in _match_terms(first.args, other.args, given):
                yield from _match_atoms(rest, [*among[:place], *among[place + 1 :]], found)
