"""Kernels of aggregates with many members: values are those of the members that are there."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from random import Random
from types import ModuleType
from typing import Final

import numpy as np
import pytest

from rete import kernels
from rete.aggregates.bags import bag_maker, value_of
from rete.aggregates.members import Member, member
from rete.kernels.bags.pure_values import TEXT
from rete.memo import Memo
from rete.nodes.group_values import GroupValues
from rete.terms.dictionary import Dictionary
from rif.values.datatypes import literal_of
from tests.rete.aggregates.test_bags import XSD

CHOICES: Final = (
    *(("min", "", "", None), ("max", "", "", None), ("median", "", "", None)),
    *(("quantile", "0.95", "", None), ("quantile", "0.1", "", None), ("list", "", "", None)),
    *(("first", "", "", None), ("last", "", "", None), ("last", "", "", 100)),
    *(("avg", "", "last", 10), ("max", "", "first", 150)),
)


def number(draw: Random, size: int) -> str:
    """One of some numbers, in one of its texts."""
    value = draw.randrange(size)
    if draw.random() < 0.01:
        return f'"{value}.0E0"^^<{XSD}double>'
    return draw.choice(
        (f'"{value}"^^<{XSD}integer>', f'"{value}.{draw.choice("05")}"^^<{XSD}decimal>')
    )


ORDERS: Final = {
    "random": lambda draw, held: draw.randrange(len(held)),
    "first comes first": lambda _, __: 0,
    "last comes first": lambda _, held: len(held) - 1,
}


@pytest.mark.parametrize(
    ("numbers", "order"),
    [(3, "last comes first"), (300, "first comes first"), (10**6, "random")],
)
@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: " ".join(map(str, choice)))
def test_of_many_members_the_right_ones_are_chosen(
    modules: dict[str, ModuleType],
    choice: tuple[str, str, str, int | None],
    numbers: int,
    order: str,
) -> None:
    """They come in any order, or the ordering ones rise; then they go, until none is left."""
    function, share, part, size = choice
    draw = Random(f"{choice} {numbers} {order}")  # noqa: S311
    terms = Dictionary()
    members: Memo[int, Member] = Memo(lambda term: member(terms.decode(term)))
    bags = modules["bags._choices"].bags_of(function, share, part, size, members, terms)
    held: list[tuple[int, int]] = []
    ordered = bool(part) or function in {"first", "last"}
    rising = draw.random() < 0.5

    def change(sign: int) -> tuple[int, int, int, int, int]:
        if sign < 0:
            return 0, 0, *held.pop(ORDERS[order](draw, held)), -1
        by = f'"{len(held)}"^^<{XSD}integer>' if rising else number(draw, numbers)
        ids = terms.encode(number(draw, numbers)), terms.encode(by) if ordered else 0
        held.append(ids)
        return 0, 0, *ids, 1

    for count in (3000, -1000, 1500, -2000, -1200, -270, -29):
        changes = [change(count) for _ in range(abs(count))]
        _, _, values, texts, _ = bags.apply(np.array(changes, np.int64))
        entries = [(members[value], members[by] if by else None) for value, by in held]
        wanted = value_of(bag_maker(function, share, part, size)(), entries)
        value = int(values[-1])
        assert (texts[-1] if value == TEXT else terms.decode(value)) == wanted
        assert bags.size(0) == len(held)
    bags.apply(np.array([change(-1)], np.int64))
    assert bags.size(0) == 0


def doubles(draw: np.random.Generator, count: int) -> list[float]:
    """Of all sizes, so that sums that are not exact lose most; many cancel each other out."""
    exponents = draw.integers(-300, 300, count) // draw.choice([1, 10, 100], count)
    found = draw.uniform(-10, 10, count) * 10.0**exponents
    pairs = draw.random(count // 2) < 0.3
    found[1::2][pairs] = -found[0::2][pairs]
    return [float(each) for each in found]


def mean(window: list[float]) -> float:
    """The exact sum by the exact number, rounded once."""
    ratios = (each.as_integer_ratio() for each in window)
    total = sum(over * (2**1074 // under) for over, under in ratios)
    return float(Fraction(total, len(window) << 1074))


AFRESH: Final = {"sum": fsum, "avg": mean}


def follow_doubles(
    modules: dict[str, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    shape: tuple[int, int, int],
) -> None:
    """Let doubles come, and go when so many others have come; values are those made afresh.

    ``shape``: how many doubles, how many are there at once, and how many come at one time.
    """
    count, window, pace = shape
    monkeypatch.setattr(kernels, "bags_of", modules["bags._choices"].bags_of)
    monkeypatch.setattr(kernels, "Timeline", modules["bags._timeline"].Timeline)
    draw = np.random.default_rng(len(function))
    pool = doubles(draw, min(count, 10**6))
    terms = Dictionary()
    ids = terms.encode_many([str(literal_of("double", each)) for each in pool])
    groups = GroupValues(terms, (), 0, None, (function, "", "", None))
    batch = 2 * window
    last: list[int] = []
    for begin in range(0, count, batch):
        numbers = np.arange(begin, min(begin + batch, count))
        rows = np.empty((len(numbers), 3), np.int64)
        rows[:, 0] = ids[numbers % len(pool)]
        rows[:, 1] = numbers // pace
        rows[:, 2] = rows[:, 1] + window // pace
        groups.schedule(rows, int(rows[0, 1]))
        _, found, _ = groups.follow(int(rows[-1, 1]) + 1)
        for time in draw.choice(rows[:, 1], 3).tolist():
            there = range(max(0, pace * (time + 1) - window), pace * (time + 1))
            value = AFRESH[function]([pool[number % len(pool)] for number in there])
            holds = found[(found[:, -2] <= time) & (found[:, -1] > time)]
            given = holds[:, 0].tolist() or last  # it goes on from the batch before
            assert [terms.decode(term) for term in given] == [str(literal_of("double", value))]
        last = groups.values_now().tolist()


@pytest.mark.parametrize("function", AFRESH)
def test_doubles_that_pass_through_a_window_leave_nothing_behind(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    follow_doubles(modules, monkeypatch, function, (6_000, 300, 1))


@pytest.mark.soak
@pytest.mark.compiled_only
@pytest.mark.parametrize("modules", ["compiled"], indirect=True)
@pytest.mark.parametrize("function", AFRESH)
def test_ten_million_doubles_leave_nothing_behind(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    """A million different ones, ten times."""
    follow_doubles(modules, monkeypatch, function, (10**7, 50_000, 100))
