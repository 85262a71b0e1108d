"""Heads: what the rules of a table say, without those of which a more general one says all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from rete.nodes.graph import FactTable, Stream, Terminal
from rete.retraction.rule_bodies import BodyAtom, BodyTerm, BodyVariable, RuleBody, body_of

_Given: TypeAlias = "dict[BodyVariable, BodyVariable | int]"
"""What stands for variables."""


class TableRule(NamedTuple):
    """A head of a table, and its body."""

    stream: Stream
    terminal: Terminal
    body: RuleBody

    @property
    def since(self) -> int:
        """The cell from which on it gives anything."""
        return self.stream.network.since

    def covers(self, other: TableRule) -> bool:
        """Whether all that ``other`` gives, of whatever facts, it gives of some of them.

        Only within a network: others may be shown other facts.
        """
        same = self.stream.network is other.stream.network
        return same and _covers(self.body, other.body)


def heads_of(table: FactTable, rule: int | None = None) -> list[TableRule]:
    """The heads of ``table``, of one ``rule`` or all, but those that another one covers.

    Whether a fact follows, and from how low a level, can do without them.
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
    """Whether terms of the one can stand for the variables of the other so that it says no more.

    It theta-subsumes it [Plotkin70]; each atom is one of its own, so what rests on a fact in so
    many ways by the one rests on it in as many by the other.
    """
    if general.tests or general.is_partial or len(general.atoms) > len(special.atoms):
        return False
    differ = {frozenset((a.root, b.root)) for a, b in special.differ}
    return any(
        all(frozenset((given[a.root], given[b.root])) in differ for a, b in general.differ)
        for found in _matched(general.head, special.head, {})
        for given in _placed(general.atoms, special.atoms, found)
    )


def _matched(
    general: Sequence[BodyTerm | None], special: Sequence[BodyTerm | None], given: _Given
) -> Iterator[_Given]:
    """What stands for the variables of ``general`` if it is to be ``special``, if anything can."""
    given = given.copy()
    for mine, theirs in zip(general, special, strict=True):
        other = theirs.root if isinstance(theirs, BodyVariable) else theirs
        if isinstance(mine, BodyVariable):
            if other is None or given.setdefault(mine.root, other) != other:
                return
        elif mine is not None and mine != other:
            return
    yield given


def _placed(
    atoms: Sequence[BodyAtom], among: Sequence[BodyAtom], given: _Given
) -> Iterator[_Given]:
    """The same for each way to find the ``atoms`` ``among`` others, each in one of its own."""
    if not atoms:
        yield given
        return
    first, *rest = atoms
    for place, other in enumerate(among):
        if first.relation is not None and first.relation == other.relation:
            for found in _matched(first.args, other.args, given):
                yield from _placed(rest, [*among[:place], *among[place + 1 :]], found)
