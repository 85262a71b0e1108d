"""Proof kernels: what they find of random programs is what all combinations of rows say."""

from __future__ import annotations

from itertools import combinations, product
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, Column, Rows, columns

UNKNOWN = 20
"""It stands for `UNKNOWN_LEVEL`: rows of this level count when all else is settled."""
CONSTANT = 10
"""Numbers below are variables, others are terms."""

Args = tuple[int, int]


class Atom(NamedTuple):
    """A pattern, the tables that are searched for it, and whether the fact itself is left out."""

    args: Args
    tables: list[int]
    apart: bool = False


class Rule(NamedTuple):
    """What a program says; the variables of the head are 0 and 1, or equal."""

    head: Args
    atoms: list[Atom]
    differ: list[Args]
    more: bool
    since: int


terms = st.integers(CONSTANT, CONSTANT + 2)
variables = st.integers(0, 3)
cells = st.sampled_from((NEG_INF, 0, 1, 2, POS_INF))
times = st.sampled_from([*combinations((NEG_INF, 0, 1, 2, POS_INF), 2)])


@st.composite
def tables(draw) -> list[tuple[Rows, Column]]:
    made = []
    for _ in range(2):
        found = draw(st.lists(st.tuples(terms, terms, times, st.integers(0, UNKNOWN)), max_size=9))
        rows = [[a, b, *time] for a, b, time, _ in found]
        levels = columns(level for *_, level in found)
        made.append((np.array(rows, np.int64).reshape(len(rows), 4), levels))
    return made


@st.composite
def rules(draw) -> Rule:
    args = st.tuples(st.one_of(variables, terms), st.one_of(variables, terms))
    several = st.lists(st.sampled_from((0, 1)), min_size=1, max_size=2, unique=True)
    atoms = draw(st.lists(st.builds(Atom, args, several), max_size=3))
    head = draw(st.sampled_from(((0, 1), (0, 0), (0, CONSTANT))))
    known = {arg for each in (head, *(atom.args for atom in atoms)) for arg in each}
    bound = sorted(arg for arg in known if arg < CONSTANT)
    pairs = st.tuples(st.sampled_from(bound), st.sampled_from(bound))
    differ = draw(st.lists(pairs, max_size=1)) if atoms else []
    return Rule(head, atoms, differ, draw(st.booleans()) and draw(st.booleans()), draw(cells))


def store_of(modules: dict[str, ModuleType], rows: Rows, levels: Column) -> Any:
    """A store of these rows."""
    store = modules["rows._store"].FactStore(2)
    store.fill(rows, levels)
    return store


class Encoded:
    """Rules as code, with an index for each table and each set of columns that is known."""

    def __init__(self, tables: list[Any]) -> None:
        self._tables = tables
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self.code = [CONSTANT]
        self.sources: list[tuple[Any, bool]] = []

    def add(self, rule: Rule, orders: list[list[Atom]]) -> int:
        """Write ``rule``, its atoms in the first of some orders that lead from one to the next."""
        begin = len(self.code)
        for left, atoms in zip(reversed(range(len(orders))), orders, strict=True):
            header, entries, steps = self._parts(rule, atoms)
            size = len(header) + 1 + len(entries) + len(steps)
            other = len(self.code) + size if left else 0
            self.code += [*header, other, *entries, *steps]
        return begin

    def _parts(self, rule: Rule, atoms: list[Atom]) -> tuple[list[int], list[int], list[int]]:
        constants, bound, equal = [], [], []
        places: dict[int, int] = {}
        for place, arg in enumerate(rule.head):
            if arg >= CONSTANT:
                constants += [place, arg]
            elif arg in places:
                equal += [places[arg], place]
            else:
                places[arg] = place
                bound += [place, arg]
        known, steps, differ = {*places}, [], list(rule.differ)
        for atom in atoms:
            key, binds, checks = [], [], []
            before = {*known}
            for place, arg in enumerate(atom.args):
                if arg >= CONSTANT or arg in before:
                    key += [int(arg >= CONSTANT), arg]
                elif arg in known:
                    checks += [place, arg]
                else:
                    known.add(arg)
                    binds += [place, arg]
            ready = [arg for pair in differ if {*pair} <= known for arg in pair]
            differ = [pair for pair in differ if not {*pair} <= known]
            on = tuple(p for p, arg in enumerate(atom.args) if arg >= CONSTANT or arg in before)
            sources = [self._source(table, on) for table in atom.tables]
            parts = [key, binds, checks, ready]
            flat = [number for part in parts for number in part]
            counts = [len(part) // 2 for part in parts]
            steps += [7 + len(flat) + len(sources), *counts, len(sources), int(atom.apart)]
            steps += [*flat, *sources]
        counts = [len(constants) // 2, len(bound) // 2, len(equal) // 2, len(atoms)]
        return [int(rule.more), rule.since, *counts], [*constants, *bound, *equal], steps

    def _source(self, table: int, on: tuple[int, ...]) -> int:
        if (table, on) not in self._numbers:
            self._numbers[table, on] = len(self.sources)
            self.sources.append((self._tables[table].index(columns(on)), True))
        return self._numbers[table, on]


def derivations(rule: Rule, made: list[tuple[Rows, Column]], fact: list[int]):
    """The level of each derivation that counts, and whether it holds all the time asked about."""
    *given_terms, lo, hi = fact
    options = [
        [(*row, level) for table in atom.tables for row, level in _rows(made[table])]
        for atom in rule.atoms
    ]
    for chosen in product(*options):
        values: dict[int, int] = {}
        pairs = [*zip(rule.head, given_terms, strict=True)]
        for atom, row in zip(rule.atoms, chosen, strict=True):
            pairs += zip(atom.args, row[:2], strict=True)
        agree = all(
            values.setdefault(arg, term) == term if arg < CONSTANT else arg == term
            for arg, term in pairs
        )
        begin = max([lo, rule.since, *(row[2] for row in chosen)])
        end = min([hi, *(row[3] for row in chosen)])
        level = max([0, *(row[4] for row in chosen)])
        differ = agree and all(values[a] != values[b] for a, b in rule.differ)
        if differ and begin < end:
            yield level, not rule.more and (begin, end) == (lo, hi)


def _rows(table: tuple[Rows, Column]) -> list[tuple[list[int], int]]:
    rows, levels = table
    return list(zip(rows.tolist(), levels.tolist(), strict=True))


facts = st.lists(
    st.tuples(terms, terms, times, st.integers(0, UNKNOWN - 1)),
    min_size=1,
    max_size=5,
    unique_by=lambda fact: fact[:2],
).map(lambda found: [([a, b, *time], level) for a, b, time, level in found])


@given(made=tables(), given_rules=st.lists(rules(), min_size=1, max_size=2), asked=facts)
def test_a_fact_follows_just_if_rows_derive_it_all_of_its_time(
    modules: dict[str, ModuleType],
    made: list[tuple[Rows, Column]],
    given_rules: list[Rule],
    asked: list[tuple[list[int], int]],
) -> None:
    encoded = Encoded(
        [store_of(modules, rows, np.where(of < UNKNOWN, of, UNKNOWN_LEVEL)) for rows, of in made]
    )
    begins = [
        encoded.add(rule, [rule.atoms, *([rule.atoms[::-1]] if len(rule.atoms) > 1 else [])])
        for rule in given_rules
    ]
    levels = columns(level for _, level in asked)
    rows = np.array([fact for fact, _ in asked], np.int64)
    costs = np.zeros((len(begins), 2), np.int64)
    store = store_of(modules, rows, levels)
    programs = columns(encoded.code), columns(begins), encoded.sources, costs
    no_dependents: tuple[object, ...] = (columns([0]), columns([]), [], columns([]))
    table, due = (store, programs, no_dependents), (rows, store.index(columns([0, 1])))
    _, kept, [(lost, undecided)] = modules["support._levels"].settle([table], [due], NEG_INF)
    levels = store.living_levels()
    assert kept or len(lost) == len(rows)
    for place, ((fact, before), level) in enumerate(zip(asked, levels.tolist(), strict=True)):
        every = [each for rule in given_rules for each in derivations(rule, made, fact)]
        whole = {of for of, is_whole in every if is_whole}
        assert (place in lost) == (not whole)
        assert (place in undecided) == (not whole and len(every) > 0)
        if min(whole, default=UNKNOWN) < before:
            assert level == before
        else:
            assert level == UNKNOWN_LEVEL or level - 1 in whole
