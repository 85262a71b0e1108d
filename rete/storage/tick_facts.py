"""Facts rounded to ticks, from which answers are read where rules have metric operators.

What operators derive may begin and end between ticks; its table keeps that, to derive more of it.
The table may also change in the past, on which operators look back; answers about that are final.
"""

from __future__ import annotations

from typing import Self

from rete.arrays.delta import NEG_INF, Rows
from rete.storage.fact_set import FactSet
from rete.storage.row_algebra import begin_at
from rete.storage.stem import Stem


class TickFacts(FactSet):
    """The facts of a table at ticks, kept as long as answers about them are not final.

    What is final does not change any more, whatever the table gains and loses.

    Attributes:
        lag: answers are final up to so many cells before the frontier.
        final: answers before this cell are final besides, as they were when ``lag`` grew.
    """

    __slots__ = ("final", "lag")

    def __init__(self, table: FactSet) -> None:
        super().__init__(table.relation, instances=False, answers=True)
        self.lag = 0
        self.final = NEG_INF
        self.add(table.heads)
        self.facts.absorb(round_to_ticks(table.facts.content()), NEG_INF)
        for rule, stem in self.by_rule.items():
            stem.absorb(round_to_ticks(table.of_rule(rule)), NEG_INF)
        self.listener, table.listener = table.listener, None

    def merge(self, other: Self) -> None:
        """Take over the facts of ``other``, and keep facts as long as both did."""
        self.lag = max(self.lag, other.lag)
        super().merge(other)

    def gain(self, rows: Rows, bound: int) -> Rows:
        """What is gained at ticks with ``rows``, which the table gains."""
        return self.facts.absorb(self._open(rows, bound), bound - self.lag - 1)

    def lose(self, rows: Rows, bound: int) -> Rows:
        """What is lost at ticks with ``rows``, which the table loses."""
        lost = self._open(rows, bound)
        self.facts.remove(lost, bound - self.lag)
        return lost

    def give(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` derives ``rows``, which the table has absorbed, or will."""
        gains = self.by_rule[rule].absorb(self._open(rows, bound), bound - self.lag - 1)
        if self.listener is not None:
            self.listener(self, gains)

    def drop(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` derives ``rows`` of the table no longer."""
        super().drop(rule, self._open(rows, bound), bound - self.lag)

    def _open(self, rows: Rows, bound: int) -> Rows:
        """The ticks in ``rows`` about which answers are not final."""
        return begin_at(round_to_ticks(rows), max(bound - self.lag, self.final))

    def not_derived(self, table: FactSet) -> tuple[list[tuple[int, Rows]], Rows]:
        """What it has, by rule and at all, that ``table`` has not, and that is not final."""
        by_rule = [
            (rule, self._beyond(stem, table.of_rule(rule))) for rule, stem in self.by_rule.items()
        ]
        return by_rule, self._beyond(self.facts, table.facts.content())

    def _beyond(self, stem: Stem, rows: Rows) -> Rows:
        derived = Stem(stem.width, instances=False)
        derived.absorb(round_to_ticks(rows), NEG_INF)
        return derived.missing(begin_at(stem.content(), self.final))

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``, and is final."""
        super().expire(bound - self.lag)


def round_to_ticks(rows: Rows) -> Rows:
    """The ticks in each of ``rows``: from the first one, to the first one that is no longer in it.

    Rows without a tick are left out.
    """
    ends = rows[:, -2:] & 1
    if not ends.any():
        return rows
    rounded = rows.copy()
    rounded[:, -2:] += ends
    found: Rows = rounded[rounded[:, -2] < rounded[:, -1]]
    return found
