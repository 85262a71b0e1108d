"""The horizon: between which cells facts are derived now; what lies beyond is parked in its table.

Metric rules may derive later and later facts, or earlier ones, without end. A row that lies wholly
beyond the horizon is parked. One that overlaps it goes on whole, but for the pieces that its table
does not have yet and that lie wholly beyond: else ``BoxPlus[0,1] P :- P`` would make an interval
longer for ever. So each round adds a piece that overlaps the horizon. That ends, as the horizon has
finitely many cells.
"""

from __future__ import annotations

from rete.arrays.delta import NEG_INF, Cells, Rows
from rete.arrays.state_codec import Mask
from rete.graph.streams import FactTable
from rete.kernels import reaches_beyond
from rete.storage.row_algebra import subtract
from rete.storage.stem import Stem


def park(table: FactTable, horizon: Cells) -> None:
    """Park what is new among the pending rows of ``table`` and lies beyond the horizon."""
    pending, table.pending = table.pending, []
    for rule, rows in pending:
        if len(rows):
            rest = _within(table, rule, rows, horizon) if reaches_beyond(rows, *horizon) else rows
            if len(rest):
                table.pending.append((rule, rest))


def _within(table: FactTable, rule: int, rows: Rows, horizon: Cells) -> Rows:
    reaches = (rows[:, -2] < horizon[0]) | (rows[:, -1] > horizon[1])
    missing = table.facts.missing(rows[reaches])
    beyond = missing[~overlaps(missing, horizon)]
    if not len(beyond):
        return rows
    if rule not in table.parked:
        stem = table.parked[rule] = Stem(table.relation.arity, instances=False)
        stem.retention = table.facts.retention
    table.parked[rule].absorb(beyond, NEG_INF)
    return subtract(rows, beyond)


def unpark(table: FactTable, horizon: Cells) -> bool:
    """Make parked rows pending that overlap ``horizon``; whether there are any."""
    parked, table.parked = table.parked, {}
    found = False
    for rule, stem in parked.items():
        rows = stem.content()
        going = rows[overlaps(rows, horizon)]
        if len(going):
            found = True
            table.pending.append((rule, going.copy()))
            stem.remove(going, NEG_INF)
        if len(going) < len(rows):
            table.parked[rule] = stem
    return found


def cancel_parked(table: FactTable, rule: int, rows: Rows) -> bool:
    """Take out of what is parked that ``rule`` derived ``rows``; whether any of them was."""
    stem = table.parked.get(rule)
    if stem is None:
        return False
    found = stem.meet(rows, NEG_INF)
    if len(found):
        stem.remove(found, NEG_INF)
    return len(found) > 0


def overlaps(rows: Rows, horizon: Cells) -> Mask:
    """Which rows have a cell within the horizon."""
    found: Mask = (rows[:, -2] < horizon[1]) & (rows[:, -1] > horizon[0])
    return found
