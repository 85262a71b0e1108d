"""What an engine remembers, in texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

import numpy as np

from r4.engine.core import Core
from rete.arrays.delta import Rows
from rete.arrays.term_columns import IS_PINNED, META
from rete.graph.streams import FactTable
from rete.storage.stem import Stem
from tests.simulation.retraction.disagreement import Disagreement

Memory = dict[str, set[tuple[object, ...]]]
"""By where it is."""


def memory(core: Core, now: int, dropped: AbstractSet[int]) -> Memory:
    """What a core remembers that may still matter at ``now`` or later, by where, in texts."""
    found: Memory = {}
    for number, network in enumerate(core.layers.networks):
        for plan, stream in network.streams.items():
            if stream.stem is not None:
                found[f"{number} {plan}"] = _rows(core, stream.stem, now)
    for number, each in enumerate(_tables(core)):
        found[f"table {number} {each.relation.op}"] = _rows(core, each.facts, now)
        for rule, stem in each.by_rule.items():
            if rule in dropped:
                continue  # it stays, to name what has begun
            found[f"table {number} {each.relation.op} rule {rule}"] = _rows(core, stem, now)
    assert core.layers.base_table is not None
    for relation, stem in core.layers.base_table._stems.items():
        found[f"asserted {relation.op}/{relation.arity}"] = _rows(core, stem, now)
    return found


def _rows(core: Core, stem: Stem, now: int) -> set[tuple[object, ...]]:
    """Texts and time of rows, cut at ``now`` where they are kept by interval."""
    rows = stem.content()
    rows = rows[rows[:, -1] > 2 * now]
    found = []
    for *terms, lo, hi in rows.tolist():
        texts = [core.terms.decode(term) if term > 0 else str(term) for term in terms]
        found.append((*texts, lo if stem.instances else max(lo, 2 * now), hi))
    if len(found) != len({*found}):
        message = f"a row is held twice: {sorted(found)}"
        raise Disagreement(message)
    return {*found}


def ended(core: Core, now: int) -> list[list[int]]:
    """Rows that ended before ``now`` and are remembered still, though nothing needs them."""
    found = _ended([stem.content() for stem in _stems(core)], now)
    for table in _tables(core):
        for stem in table.by_rule.values():
            found += _unneeded(table, _ended([stem.content()], now), now)
    return found


def _unneeded(table: FactTable, by_rule: Iterable[list[int]], now: int) -> Iterator[list[int]]:
    """Rows of a rule, but those with which an answer began that goes on: its end will name it."""
    going_on = [row for row in table.facts.content().tolist() if row[-1] > 2 * now]
    begun = {(*terms, lo) for *terms, lo, _ in going_on}
    for *terms, lo, hi in by_rule:
        if not any(terms == [*of] and lo <= start < hi for *of, start in begun):
            yield [*terms, lo, hi]


def _ended(parts: Iterable[Rows], now: int) -> list[list[int]]:
    return [row for rows in parts for row in rows[rows[:, -1] <= 2 * now].tolist()]


def _stems(core: Core) -> Iterator[Stem]:
    """All but what is kept by rule."""
    for network in core.layers.networks:
        yield from (one.stem for one in network.streams.values() if one.stem is not None)
    yield from (table.facts for table in _tables(core))
    base = core.layers.base_table
    assert base is not None
    yield from filter(None, map(base.stem, base.relations))


def _tables(core: Core) -> list[FactTable]:
    tables = (table for network in core.layers.networks for table in network.tables)
    return list(dict.fromkeys(tables))


def derived(core: Core, now: int) -> list[list[int]]:
    """All rows of all facts that the rules of the story gave.

    A table that the rules of a regime feed, too, may hold what these say of static data; its
    answers may have begun with a rule of the story, and go on at ``now``.
    """
    beneath = core.layers.background
    shared = set() if beneath is None else {*beneath.tables}
    found: list[list[int]] = []
    for table in core.layers.tables:
        if table in shared:
            rows = [row for stem in _by_story(core, table) for row in stem.content().tolist()]
            found += _unneeded(table, rows, now)
        else:
            found += [row for stem in table.stems for row in stem.content().tolist()]
    return found


def _by_story(core: Core, table: FactTable) -> list[Stem]:
    beneath = {emit.rule for emit in core.program.background}
    return [stem for rule, stem in table.by_rule.items() if rule not in beneath]


def used(core: Core) -> set[int]:
    """The terms that some row mentions."""
    return {
        int(term) for rows in core.layers.remembered() for term in rows[:, :-2].ravel() if term > 0
    }


def pinned(core: Core) -> set[int]:
    """The terms that are never forgotten: of rules, and of static data."""
    return {*np.flatnonzero(core.terms.texts.entries[:, META] & IS_PINNED).tolist()}


def unknown(core: Core) -> list[int]:
    """The terms that some row mentions though they were forgotten."""

    def is_known(term: int) -> bool:
        try:
            core.terms.decode(term)
        except KeyError:
            return False
        return True

    return sorted(term for term in used(core) if not is_known(term))
