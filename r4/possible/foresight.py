"""Foresight: what is possible in a run, and what is to be said of it.

The network keeps evidence as rows. A row belongs to an entry, a fact with what it waits for, until
it is taken back or what is missing can come no more; entries of one fact are compared with each
other, and with what is certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from r4.possible.certainty import Certainty
from r4.possible.entries import Entry, Fact, Group, Row
from r4.possible.foreseeing import Foreseen
from r4.possible.holding import Holding
from r4.possible.hypotheses import Values
from r4.possible.lateness import Delays
from r4.possible.reading import Reader, last_ticks
from r4.possible.reasons import Reasons
from r4.possible.told import END_OF_INPUT, Possible, Status, Told
from r4.possible.writing import Scribe
from r4.time import Tick
from rete.delta import Column, Rows
from rete.dictionary import Dictionary
from rete.layers import Layers
from rete.nodes.terminal import FactTable
from rete.plan import TRIPLES, Relation


class Foresight:
    """Follows what becomes of possible answers."""

    def __init__(
        self, foreseen: Foreseen, terms: Dictionary, delays: Delays, labels: Sequence[str | int]
    ) -> None:
        """Begin.

        Args:
            foreseen: the rules that were added to the program.
            terms: the dictionary of all ids.
            delays: how late units may come.
            labels: of all rules.
        """
        self._foreseen = foreseen
        self._terms = terms
        self._delays = delays
        self._labels = labels
        readers = [
            Reader(number, shape, terms, delays)
            for number, shape in enumerate(foreseen.shapes.values())
        ]
        self._holding = Holding(readers, len(delays.levels))
        self._taken: set[Values] = set()

    def attach(self, layers: Layers) -> None:
        """See what holds in ``layers``; once, before all else."""
        prefixes = self._foreseen.prefixes
        self._certainty = Certainty(layers)
        self._scribe = Scribe(layers, self._terms, self._delays, self._labels, prefixes)
        self._reasons = Reasons(self._scribe)

    def reads(self, relation: Relation) -> bool:
        """Are facts of the relation evidence, and no answers?"""
        return self._holding.reads(relation)

    def gain(self, table: FactTable, rows: Rows) -> None:
        """A table gained ``rows``: of evidence, or of answers."""
        if self.reads(table.relation):
            self._holding.gain(table, rows)
        else:
            self._answered(table.relation, rows)
            self._instances(table.relation, rows)

    def lose(self, table: FactTable, rows: Rows) -> None:
        """A table lost ``rows``."""
        if self.reads(table.relation):
            self._holding.lose(table, rows)
        else:
            self._answered(table.relation, rows)

    def take_back(self, relation: Relation, rows: Rows) -> None:
        """Facts are asserted no longer."""
        if relation == TRIPLES:
            self._taken.update(map(tuple, rows[:, :3].tolist()))

    def _answered(self, relation: Relation, rows: Rows) -> None:
        """Answers came or went."""
        holding = self._holding
        if not holding.groups:
            return
        for args in map(tuple, rows[:, :-2].tolist()):
            group = holding.groups.get(Fact(relation, args))
            if group is not None:
                holding.changed[group] = None

    def _instances(self, relation: Relation, rows: Rows) -> None:
        """Answers came: those are noted that are instances of what was said to be supported."""
        holding = self._holding
        loose = [group for group in holding.schematic.get(relation, ()) if group.is_open]
        if not loose:
            return
        for args, last in zip(rows[:, :-2].tolist(), last_ticks(rows).tolist(), strict=True):
            for group in loose:
                if group.fact.matches(tuple(args)):
                    group.note(tuple(args), last)
                    holding.changed[group] = None

    def settle(self, lines: Sequence[Tick]) -> None:
        """Take in what came and went; elements are late below ``lines``, the frontier last."""
        holding = self._holding
        holding.settle(lines)
        self._certainty.reach(int(holding.lines[-1]))
        self._scribe.forget()
        for fact in self._certainty.ended():
            if fact in holding.groups:
                holding.changed[holding.groups[fact]] = None

    def tell(self, at: Tick) -> list[Told]:
        """What is to be said of all that was settled while ``at`` was the largest stamp."""
        minimal = self._minimal(self._holding.changed)
        new = (e for group, some in minimal.items() for e in some if e not in group.minimal)
        self._scribe.look_up(chain(*(e.rows for e in new), *self._holding.complete.values()))
        told = (each for group in minimal for each in self._tell(group, minimal[group], at))
        found = _sorted(told)
        self._holding.forget()
        self._taken.clear()
        return found

    def _tell(self, group: Group, minimal: list[Entry], at: Tick) -> Iterator[Told]:
        confirmed = self._confirming(group) if group.is_open else None
        if confirmed is not None:
            group.is_open = False
            yield Told(Status.CONFIRMED, at, confirmed)
        elif group.is_open and not minimal:
            group.is_open = False
            because, rule = self._reasons.of(group, self._holding.lines, self._taken)
            yield Told(Status.WITHDRAWN, at, self._bare(group, rule), because)
        before, group.minimal = group.minimal, dict.fromkeys(minimal)
        for entry in minimal:
            if entry not in before:
                group.is_open = True
                group.row, last = self._scribe.best(entry.rows)
                yield Told(Status.SUPPORTED, at, self._scribe.possible(group.fact, group.row, last))

    def drain(self, at: Tick) -> list[Told]:
        """The input has ended: what is still open is withdrawn."""
        open_ones = [group for group in self._holding.groups.values() if group.is_open]
        for group in open_ones:
            group.is_open = False
        return _sorted(
            Told(Status.WITHDRAWN, at, self._bare(group), END_OF_INPUT) for group in open_ones
        )

    def possible(self) -> list[Possible]:
        """The minimal entries, by the texts of their facts and of what they wait for."""
        minimal = self._minimal(self._holding.groups.values())
        self._scribe.look_up(chain(*(entry.rows for some in minimal.values() for entry in some)))
        found = (
            self._scribe.possible(group.fact, *self._scribe.best(entry.rows))
            for group, some in minimal.items()
            for entry in some
        )
        return [told.possible for told in _sorted(Told(Status.SUPPORTED, 0, p) for p in found)]

    @property
    def held(self) -> Column:
        """The ids of what is held."""
        return self._holding.held

    def _minimal(self, groups: Iterable[Group]) -> dict[Group, list[Entry]]:
        """The minimal entries of groups: none of a fact that is certain."""
        asked = list(groups)
        self._certainty.look_up(group.fact for group in asked if not group.fact.fixed)
        return {group: [] if self._is_certain(group.fact) else group.possible() for group in asked}

    def _is_certain(self, fact: Fact) -> bool:
        """Is a fact without free variables certain?"""
        return not fact.fixed and self._certainty.holds(fact)

    def _confirming(self, group: Group) -> Possible | None:
        """The derivation by which a fact is certain now; None: it is not.

        Of a fact with free variables one by which an instance is, for a time for which it was not
        when that was last told.
        """
        fact = group.fact
        asked = [fact]
        if fact.fixed:
            asked = [Fact(fact.relation, args) for args in group.derived(self._certainty.frontier)]
        certain = [each for each in asked if self._certainty.holds(each)]
        if not certain:
            return None
        complete = self._holding.complete
        rows = [row for each in certain for row in complete.get(each, ())]
        if not rows:  # by a rule that is not followed
            return self._bare(group, min(map(self._certainty.rule, certain)))
        row = self._scribe.least(rows)
        return self._bare(group, row[0].shape.rule, row)

    def _bare(self, group: Group, rule: int | None = None, row: Row | None = None) -> Possible:
        """A fact that was told, with nothing missing; by default by the rule of that."""
        assert group.row is not None
        shape = group.row[0].shape
        fact = self._scribe.fact(group.fact, shape.free)
        evidence = () if row is None else self._scribe.evidence(row)
        return Possible(fact, evidence, (), (), None, self._scribe.rule(rule or shape.rule))


def _sorted(found: Iterable[Told]) -> list[Told]:
    return sorted(found, key=lambda each: each.key)
