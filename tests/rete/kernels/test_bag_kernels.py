"""Kernels of aggregates: values are those of the definition, changes come in the order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rete.aggregates.members import Member, member
from rete.arrays.delta import POS_INF, Rows
from rete.kernels.bags import pure_numbers
from rete.kernels.bags.pure_values import TEXT
from rete.memo import Memo
from rete.terms.dictionary import Dictionary
from rif.values.datatypes import literal_of
from tests.oracles.rules.aggregate_values import Item, aggregate_value
from tests.rete.aggregates.test_bags import XSD, random_aggregate, random_terms
from tests.seeds import parts

PART: Final = 250
GROUPS: Final = 3


@pytest.fixture(scope="module")
def bags(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["bags._choices"]


@pytest.fixture(scope="module")
def timeline(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["bags._timeline"]


def rows_of(changes: Sequence[tuple[int, ...]]) -> Rows:
    return np.array(changes, np.int64).reshape(len(changes), 5)


def disagreement(bags: ModuleType, seed: int) -> str | None:
    """Members of some groups come and go, several at a cell; all values, and what has none."""
    draw = Random(seed)  # noqa: S311
    function, share, part, size, ordered = random_aggregate(draw)
    values, orders = random_terms(draw), random_terms(draw)
    terms = Dictionary()
    members: Memo[int, Member] = Memo(lambda term: member(terms.decode(term)))
    groups = bags.bags_of(function, share, part, size, members, terms)
    held: list[list[tuple[Item, int, int]]] = [[] for _ in range(GROUPS)]
    cell = 0
    for _ in range(draw.randint(1, 6)):
        changes: list[tuple[int, ...]] = []
        wanted: list[tuple[int, int, str | None]] = []
        cell += 10
        for group in range(GROUPS):
            for later in range(draw.randint(0, 3)):
                at = cell + later
                for _ in range(draw.randint(1, 4)):
                    if held[group] and draw.random() < 0.4:
                        item = held[group].pop(draw.randrange(len(held[group])))
                        changes.append((at, group, *item[1:], -1))
                    else:
                        value, order = draw.choice(values), draw.choice(orders)
                        ids = terms.encode(value), terms.encode(order) if ordered else 0
                        held[group].append((Item(value, order if ordered else ""), *ids))
                        changes.append((at, group, *ids, 1))
                items = [each[0] for each in held[group]]
                value_then = (
                    aggregate_value(function, items, share=share, part=part, size=size)
                    if items
                    else None
                )
                wanted.append((group, at, value_then))
        found = groups.apply(rows_of(changes))
        texts = iter(found[3])
        given = [
            (group, at, next(texts) if value == TEXT else terms.decode(value) if value else None)
            for group, at, value in zip(*(each.tolist() for each in found[:3]), strict=True)
        ]
        if given != wanted:
            return f"{seed}: {function} {share} {part} {size}: {given}, not {wanted}"
        sizes = [groups.size(group) for group in range(GROUPS)]
        if sizes != [len(each) for each in held]:
            return f"{seed}: {sizes}"
        if draw.random() < 0.1:
            groups.clear(group := draw.randrange(GROUPS))
            held[group] = []
    return None


@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=80))
def test_values_are_those_of_the_definition(bags: ModuleType, first: int) -> None:
    found = (disagreement(bags, seed) for seed in range(first, first + PART))
    assert [each for each in found if each] == []


def changes_of_lasting(draw: Random, cell: int, pool: Callable[[], tuple[int, int]]) -> Rows:
    """Members of some groups that come for good, at one cell."""
    changes = [
        (cell, group, *pool(), 1)
        for group in range(draw.randint(1, GROUPS))
        for _ in range(draw.randint(1, 5))
    ]
    return rows_of(changes)


def lasting_disagreement(bags: ModuleType, seed: int) -> str | None:
    """Of two bags of members that never go one drops those on which nothing later depends."""
    draw = Random(seed)  # noqa: S311
    function, share, part, size, _ = random_aggregate(draw)
    adds_up = not part and function in {"count", "sum", "avg"}
    if not (part or adds_up or function in {"first", "last", "min", "max"}):
        return None
    terms = Dictionary()
    members: Memo[int, Member] = Memo(lambda term: member(terms.decode(term)))
    words = function, share, part, size, members, terms
    whole, trimmed = bags.bags_of(*words), bags.bags_of(*words)
    values, orders = random_terms(draw), random_terms(draw)
    ordered = bool(part) or function in {"first", "last"}

    def pool() -> tuple[int, int]:
        return terms.encode(draw.choice(values)), ordered * terms.encode(draw.choice(orders))

    held: Counter[tuple[int, ...]] = Counter()
    for cell in range(draw.randint(1, 8)):
        changes = changes_of_lasting(draw, cell, pool)
        held.update(map(tuple, changes[:, 1:4].tolist()))
        given = [repr(each.apply(changes)) for each in (whole, trimmed)]
        if given[0] != given[1]:
            return f"{seed}: {function} {share} {part} {size}: {given[1]}, not {given[0]}"
        if adds_up:
            add_up_again(trimmed, set(changes[:, 1].tolist()))
        elif draw.random() < 0.6:
            kept = trimmed.lasting()
            trimmed = bags.bags_of(*words)
            trimmed.apply(np.insert(np.insert(kept, 3, 1, axis=1), 0, cell, axis=1))
            found = Counter(map(tuple, kept.tolist()))
            if found - held or found.total() > GROUPS * max(size or 1, 3):
                return f"{seed}: {found} of {held}"
            held = found
    return None


def add_up_again(bags: Any, groups: Iterable[int]) -> None:
    """Put totals in the place of members."""
    for group in groups:
        totals, size = bags.totals(group), bags.size(group)
        bags.clear(group)
        bags.unite(group, totals)
        assert (bags.totals(group), bags.size(group)) == (totals, size)


@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=80))
def test_nothing_later_depends_on_what_is_dropped(bags: ModuleType, first: int) -> None:
    found = (lasting_disagreement(bags, seed) for seed in range(first, first + PART))
    assert [each for each in found if each] == []


class Numbers:
    """A bag of numbers by their texts."""

    def __init__(self, bags: ModuleType, function: str, share: str = "") -> None:
        self.terms = Dictionary()
        members: Memo[int, Member] = Memo(lambda term: member(self.terms.decode(term)))
        self.bags = bags.bags_of(function, share, "", None, members, self.terms)

    def change(self, texts: list[str], sign: int) -> str | None:
        """Let them come, or go; the value then."""
        ids = self.terms.encode_many(texts).tolist()
        found = self.bags.apply(rows_of([(0, 0, term, 0, sign) for term in ids]))
        if found[2].tolist() == [TEXT]:
            return str(found[3][0])
        return self.terms.decode(int(found[2][0])) if found[2][0] else None


def long_number(draw: Random) -> str:
    """About as long as a number of 64 bits, its point anywhere."""
    digits = str(draw.randrange(10 ** draw.randint(1, 21)))
    sign = draw.choice(("", "-"))
    if draw.random() < 0.3:
        return f'"{sign}{digits}"^^<{XSD}integer>'
    places = draw.choice((1, 2, len(digits), 17, 18, 19, draw.randint(1, 20)))
    digits = digits.rjust(places + 1, "0")
    return f'"{sign}{digits[:-places]}.{digits[-places:]}"^^<{XSD}decimal>'


def any_double(draw: Random) -> str:
    """Of any size: some of them cancel each other out, or are below the least normal one."""
    if draw.random() < 0.2:
        number = draw.choice((1, -1)) * 2.0 ** draw.choice((-1074, -1022, 52, 53, 1023))
        return f'"{number!r}"^^<{XSD}double>'
    sizes = draw.choice(((-300, 300), (-323, -305), (300, 307), (-2, 2)))
    number = draw.uniform(-10, 10) * 10.0 ** draw.randint(*sizes)
    return f'"{number!r}"^^<{XSD}double>'


@pytest.mark.parametrize("function", ["sum", "avg"])
@pytest.mark.parametrize("of", [long_number, any_double])
def test_sums_are_exact_whatever_came_and_went(
    bags: ModuleType, function: str, of: Callable[[Random], str]
) -> None:
    draw = Random(function)  # noqa: S311
    for _ in range(100):
        numbers = Numbers(bags, function)
        held: list[str] = []
        for _ in range(draw.randint(1, 12)):
            some = [of(draw) for _ in range(draw.randint(1, 5))]
            gone = [held.pop() for _ in range(draw.randint(0, len(held)))]
            held += some
            draw.shuffle(held)
            if gone:
                numbers.change(gone, -1)
            items = [Item(text, "") for text in held]
            assert numbers.change(some, 1) == aggregate_value(function, items)


def test_as_many_doubles_as_a_limb_has_room_for_and_more(bags: ModuleType) -> None:
    """They carry in time: the least and the greatest mantissa, in both directions."""
    numbers = Numbers(bags, "sum")
    text = f'"{2.0**53 - 1!r}"^^<{XSD}double>'
    term = numbers.terms.encode(text)
    many = np.tile(rows_of([(0, 0, term, 0, 1)]), (1 << 16, 1))
    for count in range(1, 4):
        found = numbers.bags.apply(many)
        total = float((2**53 - 1) * (count << 16))
        assert found[3] == [str(literal_of("double", total))]
    many[:, -1] = -1
    for _ in range(3):
        found = numbers.bags.apply(many)
    assert found[2].tolist() == [0]


def compared_timelines(timeline: ModuleType, seed: int) -> None:
    """Changes come by group, and cell; a closed group has none, and its number is used again."""
    draw = Random(seed)  # noqa: S311
    line = timeline.Timeline()
    waiting: list[tuple[int, ...]] = []
    living: list[int] = []
    clock = 0
    for _ in range(draw.randint(1, 12)):
        for _ in range(draw.randint(0, 3)):
            number = line.open()
            assert number not in living
            assert not any(change[1] == number for change in waiting)
            living.append(number)
        if living and draw.random() < 0.3:
            number = living.pop(draw.randrange(len(living)))
            line.close(number)
        if living:
            added = [
                (
                    clock + draw.choice((0, 1, draw.randint(0, 40))),
                    draw.choice(living),
                    draw.randint(1, 9),
                    draw.randint(0, 3),
                    draw.choice((1, -1)),
                )
                for _ in range(draw.randint(0, 30))
            ]
            if draw.random() < 0.5:
                added.sort()
            line.add(rows_of(added))
            waiting += added
        for number in living:
            assert line.waiting(number) == sum(change[1] == number for change in waiting)
        clock += draw.randint(0, 30)
        taken = [change for change in waiting if change[0] < clock]
        waiting = [change for change in waiting if change[0] >= clock]
        wanted = [change for change in taken if change[1] in living]
        # Of a cell what comes is before what goes; it is a stable sort.
        wanted.sort(key=lambda change: (change[1], change[0], -change[4]))
        assert line.take(clock).tolist() == [list(change) for change in wanted]


@pytest.mark.parametrize("first", parts(PART, check=1, test=1, soak=40))
def test_changes_come_in_the_order_of_time(timeline: ModuleType, first: int) -> None:
    for seed in range(first, first + PART):
        compared_timelines(timeline, seed)


def test_room_for_many_changes_is_given_back(timeline: ModuleType) -> None:
    """Rings and heaps grow and shrink; nothing is lost."""
    line = timeline.Timeline()
    group = line.open()
    draw = Random(3)  # noqa: S311
    cells = [draw.randrange(10**6) for _ in range(20_000)]
    for begin in range(0, len(cells), 500):
        line.add(rows_of([(cell, group, 1, 0, 1) for cell in cells[begin : begin + 500]]))
    found = Counter[int]()
    for until in range(0, 10**6 + 1, 10**4):
        found.update(line.take(until)[:, 0].tolist())
    assert found == Counter(cells)
    assert len(line.take(POS_INF)) == 0


@pytest.fixture(scope="module")
def numbers(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["bags._numbers"]


WHOLE: Final = st.integers(-(10**18) + 1, 10**18 - 1)
PLACES: Final = st.integers(0, 18)


@given(number=WHOLE, places=PLACES)
def test_decimals_have_their_canonical_text(numbers: ModuleType, number: int, places: int) -> None:
    assert numbers.integer_text(number) == pure_numbers.integer_text(number)
    assert numbers.decimal_text(number, places) == pure_numbers.decimal_text(number, places)


@given(
    number=WHOLE | st.integers(-2000, 2000),
    places=PLACES,
    divisor=st.integers(1, 40) | st.integers(1, 2**33) | st.sampled_from([2**31 - 1, 2**30, 5**13]),
)
@example(number=1_999_999_999, places=9, divisor=3)
@example(number=5, places=1, divisor=2**30)
@example(number=-(10**18 - 1), places=0, divisor=7)
def test_quotients_are_rounded_as_those_of_functions(
    numbers: ModuleType, number: int, places: int, divisor: int
) -> None:
    found = numbers.quotient_text(number, places, divisor)
    if abs(number) >= divisor and divisor < 2**31 and divisor % 2**12:  # else it may not know it
        assert found is not None
    assert found in {None, pure_numbers.quotient_text(number, places, divisor)}


@given(number=st.floats() | st.sampled_from([1e16, 1e15, 123456789.0, 1e-4, 1e-5, 5e-324, 1e22]))
def test_doubles_have_their_canonical_text(numbers: ModuleType, number: float) -> None:
    number += 0.0  # sums are never -0
    assert numbers.double_text(number) == pure_numbers.double_text(number)
