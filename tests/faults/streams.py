"""Faults to be planted in the engine, each a small mistake that one can make there.

A planted fault is a context in which the engine is wrong; the comparison with the oracle must
notice each of them soon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Final
from unittest.mock import patch

import numpy as np

import r4.answers.ledger
import r4.engine.core
from r4.answers.ledger import INSERTED, AnswerBlock, Ledger
from r4.engine import assertions
from r4.engine.assertions import Assertions
from r4.program.program import Program
from r4.stream.watermark import Frontier, FrontierMoves
from r4.time.ticks import Tick
from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.graph.plan import Emit
from rete.graph.streams import FactTable, Stream, Terminal
from rete.inference.agenda import Agenda
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.alpha import Alpha, _RoutedScan, _Routes
from rete.nodes.filter import FilterNode
from rete.nodes.join import JoinSide
from rete.nodes.scan import Scan
from rete.storage.fact_set import FactSet
from rete.storage.row_algebra import project
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from tests.faults.detection import Fault

TICK = 2
"""Cells."""


def _expiry(cells: int) -> AbstractContextManager[object]:
    right = assertions.valid_cells

    def valid(program: Program, start: Column, end: Column) -> tuple[Column, Column]:
        lo, hi = right(program, start, end)
        return lo, np.where(hi == POS_INF, hi, hi + cells)

    return patch.object(r4.engine.core, "valid_cells", valid)


def late_expiry() -> AbstractContextManager[object]:
    """What is asserted holds for a tick too long."""
    return _expiry(TICK)


def early_expiry() -> AbstractContextManager[object]:
    """What is asserted holds for a tick too short."""
    return _expiry(-TICK)


def touching_runs_stay_apart() -> AbstractContextManager[object]:
    """An interval ends a cell early: no instant is lost, but the next one does not touch it."""
    return _expiry(-1)


def lost_row() -> AbstractContextManager[object]:
    """The last row of a batch of several is left out."""
    right = Assertions.triples

    def triples(
        facts: Assertions, rows: Rows, lo: Column, hi: Column, names: Column | None = None
    ) -> None:
        kept = slice(None, -1 if len(rows) > 2 else None)
        right(facts, rows[kept], lo[kept], hi[kept], None if names is None else names[kept])

    return patch.object(Assertions, "triples", triples)


def join_ignores_time() -> AbstractContextManager[object]:
    """A pair holds where its remembered part does, wherever the part that arrived does."""
    right = JoinSide.probe

    def probe(side: JoinSide, gains: Rows, limit: int) -> tuple[Rows, int]:
        timeless = gains.copy()
        if type(side) is JoinSide:  # not one that moves times
            timeless[:, -2:] = NEG_INF, POS_INF
        return right(side, timeless, limit)

    return patch.object(JoinSide, "probe", probe)


def join_takes_the_wrong_side() -> AbstractContextManager[object]:
    """A join of two patterns of one kind projects the columns of the other one."""

    right: Callable[..., tuple[Rows, int]] = kernels.probe

    def probe(
        delta: Rows, key: Column, index: kernels.Index, limit: int, keep: Column, *rest: int
    ) -> tuple[Rows, int]:
        alike = delta.shape[1] == index.store.width + 2 and len(key) == 1
        return right(delta, key, index, limit, ~keep if alike else keep, *rest)

    return patch.object(kernels, "probe", probe)


def no_re_entrance() -> AbstractContextManager[object]:
    """What is derived is not reasoned with."""
    return patch.object(Layers, "route_derived", lambda *_: iter(()))


@contextmanager
def one_round_of_re_entrance() -> Iterator[None]:
    """Of what re-enters in one run of the agenda, only what comes first is taken in."""
    derived, run = Layers.route_derived, Agenda.run
    entered: set[Relation] = set()

    def once(layers: Layers, table: FactTable, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        if table.relation in entered:
            return iter(())
        entered.add(table.relation)
        return derived(layers, table, rows)

    def marked(agenda: Agenda) -> None:
        entered.clear()
        run(agenda)

    with patch.object(Layers, "route_derived", once), patch.object(Agenda, "run", marked):
        yield


def skipped_filter() -> AbstractContextManager[object]:
    """A built-in predicate is true of everything."""

    def apply(node: FilterNode, rows: Rows) -> Rows:
        return project(rows, node.output.plan.columns)

    return patch.object(FilterNode, "apply", apply)


def repeated_variable_unchecked() -> AbstractContextManager[object]:
    """Two places of a pattern with one variable may differ."""
    right = Alpha.add

    def add(alpha: Alpha, stream: Stream, scan: Scan) -> Column:
        return right(alpha, stream, replace(scan, equal=()))

    return patch.object(Alpha, "add", add)


def constant_unchecked() -> AbstractContextManager[object]:
    """A constant that does not route is not compared."""
    right = _Routes.add

    def add(routes: _Routes, member: _RoutedScan, constants: Mapping[int, int]) -> None:
        routing = {routes._first, routes._second}
        right(routes, member, {p: c for p, c in constants.items() if p in routing})

    return patch.object(_Routes, "add", add)


def wrong_projection() -> AbstractContextManager[object]:
    """A head of several columns is filled in the opposite order."""
    right = Terminal.__init__

    def init(terminal: Terminal, *args: object) -> None:
        right(terminal, *args)  # type: ignore[arg-type]
        places = [place for place, _ in terminal.columns]
        terminal.taken = terminal.taken.copy()
        terminal.taken[places] = [column for _, column in reversed(terminal.columns)]

    return patch.object(Terminal, "__init__", init)


def lost_head() -> AbstractContextManager[object]:
    """Of a conjunction in the head only the first member is derived."""
    right = Network.__init__

    def init(network: Network, emits: Iterable[Emit], *args: object, **named: object) -> None:
        fewer = [replace(emit, heads=emit.heads[:1]) for emit in emits]
        right(network, fewer, *args, **named)  # type: ignore[arg-type]

    return patch.object(Network, "__init__", init)


def insertion_repeated() -> AbstractContextManager[object]:
    """An answer that goes on is inserted once more."""

    def inserted(table: FactTable, rows: Rows) -> AnswerBlock | None:
        start, end, rule = rows[:, -2], rows[:, -1], table.rule_at(rows)
        return AnswerBlock(table.relation, rows[:, :-2], INSERTED, start, start, end, rule)

    return patch.object(r4.answers.ledger, "beginning", inserted)


def deletion_lost() -> AbstractContextManager[object]:
    """Of what ceases at one time the last is not said."""
    right = Ledger._deleted

    def deleted(ledger: Ledger, table: FactTable, rows: Rows) -> AnswerBlock | None:
        return right(ledger, table, rows[:-1]) if len(rows) > 1 else right(ledger, table, rows)

    return patch.object(Ledger, "_deleted", deleted)


def first_end_kept() -> AbstractContextManager[object]:
    """Of several ends of one instance the first that is found is kept, not the greatest."""
    right = Stem.absorb

    def absorb(stem: Stem, delta: Rows, bound: int, level: int = 0) -> Rows:
        if not stem.instances:
            return right(stem, delta, bound, level)
        known = {tuple(row) for row in stem.content()[:, :-1].tolist()}
        kept = []
        for place, row in enumerate(delta[:, :-1].tolist()):
            if tuple(row) not in known:
                known.add(tuple(row))
                kept.append(place)
        return right(stem, np.ascontiguousarray(delta[kept]), bound, level)

    return patch.object(Stem, "absorb", absorb)


def static_rows_expire() -> AbstractContextManager[object]:
    """What always holds is reclaimed with what ended."""
    right = Stem.expire

    def expire(stem: Stem, bound: int) -> None:
        if bound > NEG_INF:
            rows = stem.store.rows(0, stem.end)
            static = np.flatnonzero((rows[:, -2] == NEG_INF) & (rows[:, -1] > bound))
            ends = np.full(len(static), bound)
            stem.store.set_ends(stem.store.first + static, ends)
        right(stem, bound)

    return patch.object(Stem, "expire", expire)


def equal_stamp_is_late() -> AbstractContextManager[object]:
    """A stamp at the frontier is refused."""
    right = Frontier.advance

    def advance(frontier: Frontier, source: Column, tick: Column, until: Column) -> FrontierMoves:
        found = right(frontier, source, tick, until)
        later = (np.where(each > NEG_INF, each + 1, each) for each in (found.before, found.after))
        return FrontierMoves(*later)

    return patch.object(Frontier, "advance", advance)


def delay_ignored() -> AbstractContextManager[object]:
    """The frontier is the largest stamp."""
    right = Frontier.__init__

    def init(frontier: Frontier, delays: Sequence[Tick]) -> None:
        right(frontier, [0] * len(delays))

    return patch.object(Frontier, "__init__", init)


def largest_rule() -> AbstractContextManager[object]:
    """Of several rules the last is named."""

    def rules(table: FactSet) -> list[int]:
        return sorted({rule for rule, _ in table.heads}, reverse=True)

    return patch.object(FactSet, "rules", property(rules))


def terms_in_use_forgotten() -> AbstractContextManager[object]:
    """No row is noted to mention its terms."""
    return patch.object(Dictionary, "touch", lambda *_: None)


FAULTS: Final[tuple[Fault, ...]] = (
    late_expiry,
    early_expiry,
    touching_runs_stay_apart,
    lost_row,
    join_ignores_time,
    join_takes_the_wrong_side,
    no_re_entrance,
    one_round_of_re_entrance,
    skipped_filter,
    repeated_variable_unchecked,
    constant_unchecked,
    wrong_projection,
    lost_head,
    insertion_repeated,
    deletion_lost,
    first_end_kept,
    static_rows_expire,
    equal_stamp_is_late,
    delay_ignored,
    largest_rule,
    terms_in_use_forgotten,
)
