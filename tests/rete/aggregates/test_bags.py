"""The value of a bag is that of the definition, whatever was in the bag before."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from rete.aggregates.bags import bag_maker
from rete.aggregates.members import member
from rif.syntax.aggregates import AGGREGATES
from tests.oracles.rules.aggregate_values import Item, aggregate_value
from tests.seeds import parts

if TYPE_CHECKING:
    from collections.abc import Sequence

XSD: Final = "http://www.w3.org/2001/XMLSchema#"
PART: Final = 500
TEXTS: Final[dict[str, str]] = {
    "integer": "0 1 +1 -1 01 007 9 123456789012345678901234567890",
    "int": "-5 5 05",
    "decimal": "0.0 0.5 -0.5 .5 1.0 2.333 0.1 -30.25 12345678901234567890.123456789",
    "float": "1.5 0.1 3.4028235E38 1e-45 16777217 7.0E0 NaN INF -INF -0.0",
    "double": "1.5E0 0.1 1e300 -1e300 1.7976931348623157E308 5e-324 -0.0 NaN INF -INF 1e16 2.5",
    "dayTimeDuration": "PT1S -PT1S P1D PT0S PT0.5S PT1M PT24H PT0.00000000000000000001S",
    "yearMonthDuration": "P1Y P12M -P1M P1M P7M P0M P3M",
    "dateTime": "2020-01-01T00:00:00Z 2020-01-01T01:00:00+01:00 2020-01-01T00:00:00"
    " 2019-12-31T24:00:00Z 2021-05-05T05:05:05.5Z",
    "date": "2020-01-01 2020-01-01Z 2020-01-01+14:00 1999-01-01",
    "time": "00:00:00 24:00:00 12:00:00Z 13:00:00+01:00",
    "token": "a b ab é",
    "boolean": "true false 1 0",
}
KINDS: Final[tuple[tuple[str, ...], ...]] = (
    *(tuple(f'"{text}"^^<{XSD}{name}>' for text in texts.split()) for name, texts in TEXTS.items()),
    ('"a"', '"b"', '""', '"é"', '"\\n"'),
    ("<urn:a>", "<urn:b>", '"a"@en', '"x"^^<urn:dt>', f'"x"^^<{XSD}integer>', 'List("1" <urn:a>)'),
)
NUMBERS: Final = tuple(text for kind in KINDS[:5] for text in kind)


def random_terms(draw: Random) -> Sequence[str]:
    """Terms of one kind, or of any."""
    chance = draw.random()
    if chance < 0.5:
        return NUMBERS
    return draw.choice(KINDS) if chance < 0.9 else [text for kind in KINDS for text in kind]


def random_aggregate(draw: Random) -> tuple[str, str, str, int | None, bool]:
    """A function with its share, part and size, and whether its members are ordered."""
    function, share, part, size = draw.choice(AGGREGATES), "", "", None
    if function == "quantile":
        share = draw.choice(("0.5", "1", "0.95", "0.1", ".25"))
    if function in {"first", "last"}:
        size = draw.choice((None, 1, 2, 3))
    elif function != "list" and draw.random() < 0.25:
        part, size = draw.choice(("first", "last")), draw.randint(1, 4)
    ordered = bool(part) or function in {"first", "last"} or draw.random() < 0.3
    return function, share, part, size, ordered


def _disagreement(seed: int) -> str | None:
    draw = Random(seed)  # noqa: S311
    function, share, part, size, ordered = random_aggregate(draw)
    values, orders = random_terms(draw), random_terms(draw)
    bag = bag_maker(function, share, part, size)()
    items: list[Item] = []
    for _ in range(draw.randint(1, 14)):
        if items and draw.random() < 0.4:
            item = items.pop(draw.randrange(len(items)))
            bag.remove((member(item.value), member(item.order) if ordered else None))
        else:
            item = Item(draw.choice(values), draw.choice(orders) if ordered else "")
            items.append(item)
            bag.add((member(item.value), member(item.order) if ordered else None))
        found = bag.value()
        wanted = (
            aggregate_value(function, items, share=share, part=part, size=size) if items else None
        )
        if found != wanted:
            return f"{seed}: {function} {share} {part} {size} {items}: {found}, not {wanted}"
    return None


@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=80))
def test_values_are_those_of_the_definition(first: int) -> None:
    assert [each for seed in range(first, first + PART) if (each := _disagreement(seed))] == []


@pytest.mark.parametrize("function", ["sum", "avg"])
def test_doubles_that_come_and_go_leave_no_trace(function: str) -> None:
    """Sums are exact: 1e300 and 1e-300 that were in the bag change nothing."""
    draw = Random(7)  # noqa: S311
    maker = bag_maker(function, "", "", None)
    bag, kept = maker(), maker()
    for _ in range(2_000):
        number = draw.choice((1.0, -1.0)) * draw.random() * 10.0 ** draw.randint(-300, 300)
        passing = member(f'"{number!r}"^^<{XSD}double>')
        bag.add((passing, None))
        if draw.random() < 0.1:
            kept.add((passing, None))
        else:
            bag.remove((passing, None))
        assert bag.value() == kept.value()


def test_an_order_of_all_terms() -> None:
    texts = [text for kind in KINDS for text in kind]
    keys = sorted(member(text).key for text in texts)
    assert len(keys) == len(texts)
    assert [key[0] for key in keys] == sorted(key[0] for key in keys)
