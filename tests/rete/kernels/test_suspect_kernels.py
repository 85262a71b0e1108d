"""Doubt kernels: what they find lost of random recursive rules is what does not follow afresh."""

from __future__ import annotations

from itertools import product
from types import ModuleType

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, Column, Rows, columns
from tests.rete.kernels.test_proof_kernels import CONSTANT, Atom, Encoded, Rule, store_of

UNKNOWN = POS_INF
LOST = UNKNOWN + 1
STRETCH = 20

EDGES, PATHS, TURNED, GONE = range(4)
"""The tables: what is asserted, two of a component, and what is asserted no longer."""

Fact = tuple[int, int]


def rule(table: int, *atoms: tuple[int, int, int]) -> tuple[int, Rule]:
    """From atoms (table, variable, variable) to a fact of ``table`` about variables 0 and 1."""
    return table, Rule((0, 1), [Atom((a, b), [of]) for of, a, b in atoms], [], False, 0)


RULES = (
    rule(PATHS, (EDGES, 0, 1)),
    rule(TURNED, (EDGES, 1, 0)),
    rule(PATHS, (PATHS, 0, 2), (EDGES, 2, 1)),
    rule(PATHS, (PATHS, 0, 2), (PATHS, 2, 1)),
    rule(PATHS, (TURNED, 2, 0), (PATHS, 2, 1)),
    rule(TURNED, (PATHS, 1, 0)),
    rule(TURNED, (TURNED, 0, 2), (EDGES, 2, 2), (PATHS, 2, 1)),
)

points = st.integers(CONSTANT, CONSTANT + 3)
edges = st.lists(st.tuples(points, points), min_size=1, max_size=7, unique=True)
some_rules = st.sets(st.sampled_from(range(1, len(RULES))), min_size=1, max_size=4)


def apart(atoms: list[Atom]) -> list[Atom]:
    """They must be other facts than that which an atom after them is."""
    return [atom._replace(apart=True) for atom in atoms]


def derived(rules: list[tuple[int, Rule]], held: list[set[Fact]]) -> list[set[Fact]]:
    """What rules give in one step from what tables hold."""
    found: list[set[Fact]] = [set(), set(), set()]
    for head, each in rules:
        for rows in product(*(held[atom.tables[0]] for atom in each.atoms)):
            values: dict[int, int] = {}
            pairs = [
                pair
                for atom, row in zip(each.atoms, rows, strict=True)
                for pair in zip(atom.args, row, strict=True)
            ]
            if all(values.setdefault(arg, term) == term for arg, term in pairs):
                found[head].add((values[0], values[1]))
    return found


def by_gone(rules: list[tuple[int, Rule]]) -> list[tuple[int, Rule]]:
    """The rules once for each of their atoms that is asserted: that atom is what is ``GONE``."""
    return [
        (head, each._replace(atoms=[*each.atoms[:place], gone, *each.atoms[place + 1 :]]))
        for head, each in rules
        for place, atom in enumerate(each.atoms)
        if atom.tables == [EDGES]
        for gone in [atom._replace(tables=[GONE])]
    ]


def closed(rules: list[tuple[int, Rule]], asserted: set[Fact]) -> list[dict[Fact, int]]:
    """All that follows, table by table, with the round in which it was derived."""
    held: list[dict[Fact, int]] = [dict.fromkeys(asserted, 0), {}, {}]
    level = 0
    while True:
        level += 1
        found = derived(rules, [{*table} for table in held])
        new = [facts - {*table} for facts, table in zip(found, held, strict=True)]
        if not any(new):
            return held
        for table, facts in zip(held, new, strict=True):
            table.update(dict.fromkeys(facts, level << STRETCH))


def _united(some: list[set[Fact]], others: list[set[Fact]]) -> list[set[Fact]]:
    return [mine | theirs for mine, theirs in zip(some, others, strict=True)]


def stored(facts: dict[Fact, int]) -> tuple[Rows, Column]:
    rows = np.array([[a, b, 0, POS_INF] for a, b in facts], np.int64).reshape(len(facts), 4)
    return rows, columns(facts.values())


class Component:
    """The two tables as the kernel takes them."""

    def __init__(
        self, modules: dict[str, ModuleType], rules: list[tuple[int, Rule]], held: list
    ) -> None:
        self.stores = [store_of(modules, *stored(facts)) for facts in held]
        self.tables = []
        self.asks: list[Encoded] = []
        self.indexes = []
        self.costs = [np.zeros((len(rules), 2), np.int64) for _ in (PATHS, TURNED)]
        for number in (PATHS, TURNED):
            asks, rests = Encoded(self.stores), Encoded(self.stores)
            self.asks.append(asks)
            mine = [each for head, each in rules if head == number]
            begins = [asks.add(each, [each.atoms]) for each in mine]
            begun = [
                rests.add(
                    each._replace(head=atom.args),
                    [[*apart(each.atoms[:place]), *each.atoms[place + 1 :], Atom((0, 1), [head])]],
                )
                for head, each in rules
                for place, atom in enumerate(each.atoms)
                if atom.tables == [number]
            ]
            heads = columns(-1 if table == EDGES else table - 1 for table, _ in rests._numbers)
            self.tables.append(
                (
                    self.stores[number],
                    (columns(asks.code), columns(begins), asks.sources, self.costs[number - 1]),
                    (columns(rests.code), columns(begun), rests.sources, heads),
                )
            )
            self.indexes.append(self.stores[number].index(columns([0, 1])))

    @property
    def held(self) -> list[tuple[Rows, Column]]:
        """The rows of the tables, and their levels."""
        return [(store.rows(0, store.end), store.living_levels()) for store in self.stores]

    def between(self, least: int, most: int) -> list[set[Fact]]:
        """The facts of these levels, ``most`` exclusive, table by table."""
        return [
            {(a, b) for a, b, *_ in rows[(least <= levels) & (levels < most)].tolist()}
            for rows, levels in self.held[1:]
        ]


@given(
    ways=edges,
    data=st.data(),
    some=some_rules,
    forgotten=st.sets(st.integers(0, 30), max_size=4),
    opened=st.sets(st.sampled_from(range(1, len(RULES))), max_size=1),
)
def test_what_is_in_doubt_at_the_end_is_what_does_not_follow_from_the_rest(
    modules: dict[str, ModuleType],
    ways: list[Fact],
    data: st.DataObject,
    some: set[int],
    forgotten: set[int],
    opened: set[int],
) -> None:
    numbers = sorted({0, *some})
    rules = [RULES[number] for number in numbers]
    said = [
        (head, each._replace(more=number in opened))
        for number, (head, each) in zip(numbers, rules, strict=True)
    ]
    gone = data.draw(st.sets(st.sampled_from(ways), min_size=1))
    before = closed(rules, {*ways})
    left = {*ways} - gone
    component = Component(modules, said, [dict.fromkeys(left, 0), *before[1:]])
    for store in component.stores[1:]:
        store.set_levels(columns(place for place in forgotten if place < store.end), UNKNOWN)
    by_lost = derived(by_gone(rules), [*({*table} for table in before), gone])[1:]
    due = [
        (stored(dict.fromkeys(facts, 0))[0], index)
        for facts, index in zip(map(sorted, by_lost), component.indexes, strict=True)
    ]
    after = closed(rules, left)
    right = [{*before[number]} - {*after[number]} for number in (PATHS, TURNED)]

    count, may_stay, found = modules["support._levels"].settle(component.tables, due, 0)

    assert count >= sum(map(len, right))
    assert may_stay or count == sum(len(lost) for lost, _ in found)
    kept: list[set[Fact]] = [left]
    undecided: list[set[Fact]] = [set()]
    for store, (lost, open_), facts, held in zip(
        component.stores[1:], found, right, before[1:], strict=True
    ):
        rows = store.rows(0, store.end)
        gone, asked = ({(a, b) for a, b, *_ in rows[places].tolist()} for places in (lost, open_))
        assert gone >= facts
        assert asked <= gone
        assert len(gone) == len(lost)
        assert opened & {*numbers} or gone == facts
        assert (store.levels_at(lost) == UNKNOWN).all()
        store.set_levels(lost, LOST)
        kept.append({*held} - gone)
        undecided.append(asked)
    # Undecided facts that follow are asserted again, and then what follows from them.
    both = zip(kept, undecided, derived(rules, kept), strict=True)
    again = [facts | (asked & found) for facts, asked, found in both]
    while again != (more := _united(again, derived(rules, again))):
        again = more
    assert again == [{*table} for table in after]
    unknown = component.between(UNKNOWN, LOST)
    for level in {of for _, levels in component.held[1:] for of in levels.tolist()}:
        if level < UNKNOWN:
            below = map(set.union, component.between(0, level), unknown)
            found = derived(rules, [left, *below])[1:]
            assert all(map(set.issubset, component.between(level, level + 1), found))


def test_a_fact_that_lost_part_of_its_time_is_lost_from_the_frontier_on(
    modules: dict[str, ModuleType],
) -> None:
    rules = [RULES[0], RULES[2]]
    component = Component(modules, rules, [{}, {(10, 11): 1 << STRETCH}, {}])
    lost = np.array([[10, 11, 5, 9]], np.int64)
    due = [(lost, component.indexes[0]), (lost[:0], component.indexes[1])]
    count, _, ((places, undecided), _) = modules["support._levels"].settle(component.tables, due, 3)
    assert (count, places.tolist(), undecided.tolist()) == (1, [0], [])


def test_a_fact_that_follows_part_of_its_time_is_undecided(modules: dict[str, ModuleType]) -> None:
    rules = [RULES[0], RULES[2]]
    component = Component(modules, rules, [{(10, 11): 0}, {(10, 11): 1 << STRETCH}, {}])
    component.stores[EDGES].set_ends(columns([0]), columns([9]))
    lost = np.array([[10, 11, 9, POS_INF]], np.int64)
    due = [(lost, component.indexes[0]), (lost[:0], component.indexes[1])]
    count, _, ((places, undecided), _) = modules["support._levels"].settle(component.tables, due, 3)
    assert (count, places.tolist(), undecided.tolist()) == (1, [0], [0])


def test_it_says_what_programs_cost_and_settled(modules: dict[str, ModuleType]) -> None:
    rules = [RULES[0], RULES[2]]
    left = {(10, 11), (11, 12)}
    component = Component(modules, rules, [dict.fromkeys(left, 0), *closed(rules, left)[1:]])
    lost = stored(dict.fromkeys(left | {(10, 12)}, 0))[0]
    due = [(lost, component.indexes[0]), (lost[:0], component.indexes[1])]
    paths = component.stores[PATHS]
    paths.set_levels(np.arange(paths.end), 1 << STRETCH)
    paths.set_levels(columns([0, 1]), 1)
    assert modules["support._levels"].settle(component.tables, due, 0)[0] == 0
    assert component.costs[0][:, 1].tolist() == [2, 1]
    assert (component.costs[0][:, 0] > 0).all()


def test_a_fact_that_rests_on_one_twice_lost_one_derivation_with_it(
    modules: dict[str, ModuleType],
) -> None:
    rules = [RULES[0], RULES[3]]
    ways = {(10, 10), (10, 11), (11, 10)}
    left = ways - {(10, 10)}
    component = Component(modules, rules, [dict.fromkeys(left, 0), *closed(rules, ways)[1:]])
    lost = stored({(10, 10): 0})[0]
    due = [(lost, component.indexes[0]), (lost[:0], component.indexes[1])]
    count, _, ((places, _), _) = modules["support._levels"].settle(component.tables, due, 0)
    assert (count, places.tolist()) == (1, [])
