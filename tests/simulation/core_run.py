"""A run of random rules over random axioms, fed to the engine in ids and ticks."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np

import r4.engine.core
import rete.inference.agenda
import rete.nodes.join
import rete.storage.base_table
import rete.storage.row_algebra
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.regimes import regime
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.arrays.delta import NEG_INF, POS_INF
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary
from tests.generators.ontologies.rules_above import document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.generators.ontologies.rules_above import Clause, Layered
    from tests.oracles.rdf.rule_tables import Triple

FIRST_OF_BACKGROUND = 100
FACT_LIMIT = 6000
"""How many facts at once a small case may have."""


class CoreLine(NamedTuple):
    """An answer that begins or ceases; ``end`` is None where it is not emitted."""

    inserted: int
    at: int
    start: int
    end: int | None
    rule: int
    what: str


def program(case: Layered, rules: Sequence[Clause], *, apart: bool) -> Program:
    """``rules`` with the regime, as a background that is kept ``apart`` or among the rules."""
    mine = compile_document(document(rules), TimeScale())
    given = _regime(case.regime, apart=apart)
    labels = (*mine.labels, *range(len(mine.labels), FIRST_OF_BACKGROUND), *given.labels)
    return replace(
        given,
        emits=mine.emits + given.emits,
        facts=mine.facts + given.facts,
        labels=labels,
        window=case.window,
    )


@cache
def _regime(name: str, *, apart: bool) -> Program:
    nothing, scale, before = document(()), TimeScale(), FIRST_OF_BACKGROUND
    if apart:
        return compile_document(nothing, scale, background=regime(name), before=before)
    return compile_document(regime(name), scale, before=before)


def feed(
    core: Core, case: Layered, then: Callable[[int], object] = lambda _: None
) -> Iterator[CoreLine]:
    """What ``core`` emits; ``then`` is called with how many elements there were, from 0."""
    core.assert_static(_rows(core.terms, case.static))
    then(0)
    last = frontier = NEG_INF
    for begin in range(0, len(case.elements), case.batch):
        part = case.elements[begin : begin + case.batch]
        good = [element for element in part if element[0] >= frontier]
        last = max(last, *(at for at, _, _ in part))
        frontier = max(frontier, last - case.delay)
        rows = _rows(core.terms, [triple for _, _, triple in good])
        starts = np.array([at for at, _, _ in good], np.int64)
        ends = np.array([NO_END if end is None else end for _, end, _ in good], np.int64)
        for changes in Driver(core).step(Batch(rows, starts, ends, frontier, last, (rows,))):
            yield from _lines(changes, core, case)
        then(begin + len(part))
    yield from _lines(Driver(core).finish(last, None), core, case)


def maximal_intervals(
    lines: Sequence[CoreLine], *, instances: bool, within: tuple[int, int] = (NEG_INF, POS_INF)
) -> dict[str, list[tuple[int, int]]]:
    """When each answer holds, ``within`` some ticks, in maximal intervals."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    open_since: dict[str, int] = {}
    for line in lines:
        if instances:
            assert line.end is not None
            if line.inserted:
                found[line.what].append((line.start, line.end))
        elif line.inserted:
            assert open_since.setdefault(line.what, line.at) == line.at
        else:
            found[line.what].append((open_since.pop(line.what), line.at))
    for what, start in open_since.items():
        found[what].append((start, POS_INF))
    joined = {what: list(_joined(sorted(some), *within)) for what, some in found.items()}
    return {what: some for what, some in joined.items() if some}


def _joined(some: list[tuple[int, int]], low: int, high: int) -> Iterator[tuple[int, int]]:
    start, end = some[0]
    for begin, stop in [*some[1:], (POS_INF + 1, POS_INF + 1)]:
        if begin <= end:
            end = max(end, stop)
            continue
        if max(start, low) < min(end, high):
            yield max(start, low), min(end, high)
        start, end = begin, stop


@contextmanager
def tiny_stores() -> Iterator[None]:
    """Terms are forgotten before every batch, and what ended before each delta of a SteM.

    What the background says of static data is derived as soon as some came in, repeats are looked
    for among all rows of one term, what is asserted is packed, few rows of a join are asked which
    terms they have, and joins are interrupted by what their first pairs lead to.
    """
    with ExitStack() as patched:
        patched.enter_context(patch.object(Dictionary, "due", new=True))
        for module, name in (
            (r4.engine.core, "_MEANWHILE"),
            (rete.storage.row_algebra, "_MANY_ROWS"),
            (rete.storage.base_table, "_MANY"),
            (rete.inference.agenda, "_MANY_PAIRS"),
            (rete.inference.agenda, "_MANY_ROWS"),
            (rete.nodes.join, "MOST_PAIRS"),
            (rete.nodes.join, "_FIRST_SLICE"),
        ):
            patched.enter_context(patch.object(module, name, 1))
        patched.enter_context(eager_sweeps())
        yield


@contextmanager
def eager_sweeps() -> Iterator[None]:
    """SteMs drop all that they may drop before each delta, which else some large ones do."""

    def sweep(stem: Stem, more: int, last: int) -> None:
        del more
        if not stem.hands_over:
            stem.store.expire(last, stem.keep_ended)

    with patch.object(Stem, "_sweep", sweep):
        yield


def _rows(terms: Dictionary, triples: Sequence[Triple]) -> np.ndarray:
    texts = [str(term) for triple in triples for term in triple]
    return terms.encode_many(texts).reshape(-1, 3)


def _lines(changes: Changes, core: Core, case: Layered) -> Iterator[CoreLine]:
    for row in range(len(changes)):
        inserted, kind = int(changes.op[row]), int(changes.kind[row])
        what = "error" if kind == INCONSISTENT else changes.atoms[row] if changes.atoms else ""
        if kind == TRIPLE:
            what = " ".join(core.terms.decode_many(np.ascontiguousarray(changes.triples[row])))
        end = int(changes.end[row]) if case.instances or not inserted else None
        yield CoreLine(
            inserted,
            int(changes.at[row]),
            int(changes.start[row]),
            end,
            int(changes.rule[row]),
            what,
        )
