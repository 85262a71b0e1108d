"""Values of aggregates, worked out by hand, and laws of them.

``3``, ``2.5`` and ``1e0`` stand for an integer, a decimal and a double, ``1e0f`` for a float,
``'a`` for a string, ``P1D`` and ``P1M`` for durations; ``true``, dates and times for what they are.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.syntax.terms import XSD
from tests.oracles.rdf.exact_values import exact, nearest, order
from tests.oracles.rules.aggregate_values import Item, aggregate_value, root

_TYPES = (
    (r"[+-]?\d+", "integer"),
    (r"[+-]?\d*\.\d*", "decimal"),
    (r"([+-]?[\d.]+e[+-]?\d+|[+-]?INF|NaN)f", "float"),
    (r"[+-]?[\d.]+e[+-]?\d+|[+-]?INF|NaN", "double"),
    (r"true|false", "boolean"),
    (r"-?P(\d+Y)?(\d+M)?", "yearMonthDuration"),
    (r"-?P.*", "dayTimeDuration"),
    (r"-?\d+-\d+-\d+T\S+", "dateTime"),
    (r"-?\d+-\d+-\d+(Z|[+-]\d\d:\d\d)?", "date"),
    (r"\d\d:\S+", "time"),
)


def term(short: str) -> str:
    """The term that a short form stands for; any other text is one."""
    if short.startswith(("<", "_", '"', "List(")):
        return short
    if short.startswith("'"):
        return f'"{short[1:]}"'
    if "^" in short:
        text, datatype = short.split("^")
        return f'"{text}"^^<{XSD}{datatype}>'
    for pattern, datatype in _TYPES:
        if re.fullmatch(pattern, short):
            text = short.removesuffix("f") if datatype == "float" else short
            text = text.replace("e", "E") if datatype in ("float", "double") else text
            return f'"{text}"^^<{XSD}{datatype}>'
    raise ValueError(short)


def bag(shorts: str) -> list[Item]:
    """Members, each perhaps with its order behind an ``@``."""
    pairs = (short.partition("@" if short[0] != '"' else "none") for short in shorts.split())
    return [Item(term(value), term(by) if by else "") for value, _, by in pairs]


def listed(shorts: str) -> str:
    return f"List({' '.join(map(term, shorts.split()))})"


BIG = "1" + "0" * 308 + "e0"
CASES = [
    # count: of any terms; of none 0
    ("count", "", "0"),
    ("count", "1", "1"),
    ("count", "1 1 1", "3"),
    ("count", "1 'a <urn:x> _:b true NaN", "6"),
    ("count last 2", "1@1 2@2 3@3", "2"),
    ("count last 5", "1@1 2@2 3@3", "3"),
    ("count first 2", "", "0"),
    # sum: the last type; rounded once
    ("sum", "", "0"),
    ("sum", "1 2 3", "6"),
    ("sum", "1 1", "2"),
    ("sum", "007", "7"),
    ("sum", "1 2.5", "3.5"),
    ("sum", "1.5 2.5", "4^decimal"),
    ("sum", "-1 1.0", "0^decimal"),
    ("sum", "3^byte 4^unsignedInt", "7"),
    ("sum", "1 1e0", "2.0e0"),
    ("sum", "1 1e0f", "2.0e0f"),
    ("sum", "1.5 1e0f 1e0", "3.5e0"),
    ("sum", "0.1e0 0.2e0", "3.0000000000000004e-1"),
    ("sum", "0.1 0.2e0", "3.0e-1"),
    ("sum", "1e16 1e0 1e0", "1.0000000000000002e16"),
    ("sum", "1e300 1e0 -1e300", "1.0e0"),
    ("sum", "9007199254740993 0e0", "9.007199254740992e15"),
    ("sum", "16777217 0e0f", "1.6777216e7f"),
    ("sum", "16777219 0e0f", "1.677722e7f"),
    ("sum", "0.1e0f 0.2e0f", "3.0e-1f"),
    ("sum", "-0e0", "0.0e0"),
    ("sum", "-0e0f -0e0f", "0.0e0f"),
    ("sum", "1e0 -1e0", "0.0e0"),
    ("sum", f"{BIG} {BIG}", "INF"),
    ("sum", f"-{BIG} -{BIG}", "-INF"),
    ("sum", f"{BIG} {BIG} -{BIG}", "1.0e308"),
    ("sum", "3e38f 3e38f", "INFf"),
    ("sum", "3e38f 3e38f 0e0", "6.0000000109955115e38"),
    ("sum", "INF 1", "INF"),
    ("sum", "INF -INF", "NaN"),
    ("sum", "INF INF", "INF"),
    ("sum", "NaN 1", "NaN"),
    ("sum", "NaNf 1", "NaNf"),
    ("sum", "INFf 1e0", "INF"),
    ("sum", "PT1S PT0.5S", "PT1.5S"),
    ("sum", "P1D PT23H PT60M", "P2D"),
    ("sum", "P1D -P1D", "PT0S"),
    ("sum", "-PT1H -PT1H", "-PT2H"),
    ("sum", "P1Y P7M", "P1Y7M"),
    ("sum", "P1Y -P13M", "-P1M"),
    ("sum", "P1Y -P12M", "P0M"),
    ("sum", "P1Y P1D", None),
    ("sum", "1 P1D", None),
    ("sum", "1 'a", None),
    ("sum", "1 <urn:x>", None),
    ("sum", "1 x^integer", None),
    ("sum", "300^byte", None),
    ("sum", "true", None),
    ("sum last 2", "1@1 2@2 3@3", "5"),
    ("sum first 2", "1@3 2@2 3@1", "5"),
    ("sum first 1", "", "0"),
    # avg: of integers a decimal
    ("avg", "", None),
    ("avg", "1 3", "2^decimal"),
    ("avg", "1 2", "1.5"),
    ("avg", "1 1 2", "1.333333333333333333"),
    ("avg", "2 2 1", "1.666666666666666667"),
    ("avg", "-2 -2 -1", "-1.666666666666666667"),
    ("avg", "0.000000000000000001 0 0", "0.000000000000000000333333333333333333"),
    ("avg", "100000000000000000000 0 0", "33333333333333333333.333333333333333333"),
    ("avg", "0.0000000000000000000001 0", "0.00000000000000000000005"),
    ("avg", "1.5 1.5", "1.5"),
    ("avg", "1 2e0", "1.5e0"),
    ("avg", "1e0 1e0 2e0", "1.3333333333333333e0"),
    ("avg", "1e0f 1e0f 2e0f", "1.3333334e0f"),
    ("avg", "-1e0 1e0", "0.0e0"),
    ("avg", f"{BIG} {BIG}", "1.0e308"),
    ("avg", "INF 1", "INF"),
    ("avg", "NaN", "NaN"),
    ("avg", "PT1S PT2S", "PT1.5S"),
    ("avg", "PT1S PT0S PT0S", "PT0.33333333333333333333S"),
    ("avg", "P1M P2M", "P2M"),
    ("avg", "-P1M -P2M", "-P1M"),
    ("avg", "1 P1M", None),
    ("avg last 2", "1@1 2@2 4@3", "3^decimal"),
    # min, max: the member itself, by exact value
    ("min", "", None),
    ("min", "3 1.5 2e0", "1.5"),
    ("max", "3 1.5 2e0", "3"),
    ("min", "01 1 1.0", "01"),
    ("max", "2 1 +1", "2"),
    ("max", "1 1.0 0", "1"),
    ("min", "9007199254740993 9007199254740992e0", "9007199254740992e0"),
    ("max", "9007199254740993 9007199254740992e0", "9007199254740993"),
    ("max", "0.1 0.1e0", "0.1e0"),
    ("min", "-0e0 0", "-0e0"),
    ("max", "-0e0 0", "-0e0"),
    ("min", "NaN 1", "1"),
    ("max", "NaN 1", "1"),
    ("min", "NaN NaNf", "NaN"),
    ("min", "-INF 1", "-INF"),
    ("max", "INFf INF", "INF"),
    ("min", "'b 'a", "'a"),
    ("max", "'Z 'a", "'a"),
    ("min", "'\U0001d518 '\uffff", "'\uffff"),
    ("max", "true false", "true"),
    ("min", "true 0^boolean false", "0^boolean"),
    ("min", "P1D PT25H", "P1D"),
    ("max", "P1D PT24H", "P1D"),
    ("max", "P1Y P13M", "P13M"),
    ("min", "2020-01-02 2020-01-01", "2020-01-01"),
    ("min", "2020-01-01Z 2020-01-01+02:00", "2020-01-01+02:00"),
    ("max", "10:00:00Z 11:00:00+02:00", "10:00:00Z"),
    ("max", "2020-01-01T00:00:00 2020-01-01T01:00:00+02:00", "2020-01-01T00:00:00"),
    ("min", "2020-01-01T00:00:00Z 2020-01-01T00:00:00", "2020-01-01T00:00:00"),
    ("max", "2019-12-31T24:00:00Z 2020-01-01T00:00:00Z", "2019-12-31T24:00:00Z"),
    ("max", "2020-02-30 2020-01-01", None),
    ("max", "2020-01-01 2020-01-01T00:00:00", None),
    ("min", "1 'a", None),
    ("min", "P1Y P1D", None),
    ("min", "<urn:x>", None),
    ("min", '"a"@en', None),
    ("min last 2", "1@1 2@2 3@3", "2"),
    # median
    ("median", "", None),
    ("median", "3 1 2", "2"),
    ("median", "1 2", "1.5"),
    ("median", "1 9 2 4", "3^decimal"),
    ("median", "1 2 3e0", "2"),
    ("median", "1 2e0", "1.5e0"),
    ("median", "0 01 1 1.0 2", "01"),
    ("median", "1 1 5", "1"),
    ("median", "PT1S PT2S", "PT1.5S"),
    ("median", "P1M P3M P2M", "P2M"),
    ("median", "'a", None),
    ("median", "1 P1M", None),
    ("median", "INF 1 2", "2"),
    ("median", "-INF INF", "NaN"),
    ("median last 3", "9@1 1@2 2@3 3@4", "2"),
    # quantile: nearest rank
    ("quantile 1", "", None),
    ("quantile 1", "1 2 3", "3"),
    ("quantile 0.5", "1 2 3 4", "2"),
    ("quantile 0.51", "1 2 3 4", "3"),
    ("quantile 0.25", "4 3 2 1", "1"),
    ("quantile 0.001", "4 3 2 1", "1"),
    ("quantile 0.95", " ".join(map(str, range(1, 101))), "95"),
    ("quantile 0.5", "1 1 1 2", "1"),
    ("quantile 0.5", "1.0 01 2 3", "01"),
    ("quantile 0.5", "NaN 1 2 NaN", "1"),
    ("quantile 1", "NaN 1", "1"),
    ("quantile 1", "'b 'a", "'b"),
    ("quantile 1", "1 'a", None),
    ("quantile 1 first 2", "1@1 2@2 3@3", "2"),
    # stddev
    ("stddev", "", None),
    ("stddev", "1", None),
    ("stddev", "NaN", None),
    ("stddev", "1 1", "0.0e0"),
    ("stddev", "1 3", "1.4142135623730951e0"),
    ("stddev", "1 2 3", "1.0e0"),
    ("stddev", "2 4 4 4 5 5 7 9", "2.138089935299395e0"),
    ("stddev", "1.0 2e0f 3", "1.0e0"),
    ("stddev", f"{10**30 + 1} {10**30 + 3}", "1.4142135623730951e0"),
    ("stddev", f"{BIG} -{BIG}", "1.4142135623730951e308"),
    ("stddev", "17e307 -17e307", "INF"),
    ("stddev", "1 NaN", "NaN"),
    ("stddev", "1 INF", "NaN"),
    ("stddev", "1 'a", None),
    ("stddev", "PT1S PT2S", None),
    ("stddev last 2", "7@1 1@2 3@3", "1.4142135623730951e0"),
]  # fmt: skip

LISTS = [
    ("list", "", ""),
    ("list", "3 1 2", "1 2 3"),
    ("list", "1 1", "1 1"),
    ("list", "1 01 1.0", "01 1 1.0"),
    ("list", "3@1 1@2 2@3", "3 1 2"),
    ("list", "2@1 1@1", "1 2"),
    ("list", "a^b 'b <urn:a> true 1 P1M PT1S 10:00:00 2020-01-01 2020-01-01T00:00:00 NaN",
     "1 NaN 2020-01-01T00:00:00 2020-01-01 10:00:00 PT1S P1M 'b true a^b <urn:a>"),
    ("list", "INF NaN -INF 0", "-INF 0 INF NaN"),
    ("list", "true false", "false true"),
    ("first 2", "3@1 1@2 2@3", "3 1"),
    ("last 2", "3@1 1@2 2@3", "1 2"),
    ("last 2", "3@3 1@2 2@1", "1 3"),
    ("first 5", "3@1 1@2", "3 1"),
    ("list", "", ""),
    ("last 1", "9@1 10@1", "10"),
    ("last 2", "7@1 9@2 10@2 8@2", "8 10"),
    ("first 1", "9@1 10@1", "10"),
]  # fmt: skip

ENDS = [
    ("first", "", None),
    ("last", "", None),
    ("first", "5@1 6@2", "5"),
    ("last", "5@1 6@2", "6"),
    ("last", "'x@1 <urn:x>@2", "<urn:x>"),
    ("last", "9@1 10@1", "10"),
    ("first", "9@1 10@1", "10"),
    ("last", "5@NaN 6@INF", "5"),
    ("last", "5@9 6@10", "6"),
    ("last", "5@2020-01-01T00:00:00Z 6@2020-01-01T01:00:00+02:00", "5"),
]


def value(words: str, items: list[Item]) -> str | None:
    function, *rest = words.split()
    if function == "quantile":
        share, *rest = rest
    else:
        share = ""
    if function in ("first", "last"):
        return aggregate_value(function, items, size=int(rest[0]) if rest else None)
    part, size = (rest[0], int(rest[1])) if rest else ("", None)
    return aggregate_value(function, items, share=share, part=part, size=size)


@pytest.mark.parametrize(("words", "members", "wanted"), [*CASES, *ENDS])
def test_the_value_of_a_bag_is_that_of_the_table(
    words: str, members: str, wanted: str | None
) -> None:
    assert value(words, bag(members)) == (None if wanted is None else term(wanted))


@pytest.mark.parametrize(("words", "members", "wanted"), LISTS)
def test_lists_have_their_members_in_order(words: str, members: str, wanted: str) -> None:
    assert value(words, bag(members)) == listed(wanted)


SOME = (
    "1 01 1.0 1e0 1e0f 2 -3 2.50 0.1 0.1e0 0.1e0f -0e0 INF -INF NaN NaNf 1e308 7^byte 'a 'b 'B",
    "9007199254740993 9007199254740992e0 true false P1D PT24H P1M 10:00:00 2020-01-01",
    "2020-01-01T00:00:00Z 2020-01-01T02:00:00+02:00 <urn:a> _:b x^integer",
)
TERMS = st.sampled_from([term(short) for line in SOME for short in line.split()])
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(lambda n: term(str(n))),
    st.decimals(-1000, 1000, places=3).map(lambda n: term(f"{n:f}")),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda n: f'"{n!r}"^^<{XSD}double>'),
)
ITEMS = st.lists(st.builds(Item, st.one_of(TERMS, NUMBERS), TERMS), max_size=6)
PLAIN = ["count", "sum", "avg", "min", "max", "median", "stddev", "list", "first", "last"]
WORDS = st.sampled_from(
    [*PLAIN, "first 2", "last 2", "quantile 0.5", "quantile 0.3", "sum last 2", "max first 3"]
)


@given(WORDS, ITEMS, st.randoms())
def test_the_order_of_members_is_irrelevant(words: str, items: list[Item], chance: object) -> None:
    other = list(items)
    chance.shuffle(other)  # type: ignore[attr-defined]
    assert value(words, items) == value(words, other)


@given(WORDS, ITEMS)
def test_what_is_chosen_is_a_member_or_a_list(words: str, items: list[Item]) -> None:
    found = value(words, items)
    if (
        words.split(maxsplit=1)[0] in ("min", "max", "quantile", "first", "last")
        and found is not None
    ):
        members = {item.value for item in items}
        assert found in members or found.startswith("List(")


@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_least_median_mean_and_greatest_stand_in_this_order(members: list[str]) -> None:
    items = [Item(member) for member in members]
    found = [value(words, items) for words in ("min", "quantile 0.5", "max")]
    amounts = [exact(one or "") for one in found]
    assert all(amounts)
    known = [one.amount for one in amounts if one is not None]
    assert known == sorted(known)


@given(st.lists(NUMBERS, max_size=5), st.lists(NUMBERS, min_size=1, max_size=5))
def test_least_of_two_bags_is_the_least_of_both(one: list[str], two: list[str]) -> None:
    first = value("min", [Item(each) for each in one])
    second = value("min", [Item(each) for each in two])
    both = [Item(each) for each in (first, second) if each is not None]
    assert value("min", [Item(each) for each in one + two]) == value("min", both)


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1))
def test_sum_and_count_of_integers_are_those_of_python(numbers: list[int]) -> None:
    items = [Item(term(str(number))) for number in numbers]
    assert value("sum", items) == term(str(sum(numbers)))
    assert value("count", items) == term(str(len(numbers)))


@given(st.lists(st.floats(-1e6, 1e6).map(lambda n: round(n, 2)), min_size=2, max_size=9))
def test_the_deviation_is_near_to_that_of_python(numbers: list[float]) -> None:
    items = [Item(f'"{number!r}"^^<{XSD}double>') for number in numbers]
    found = exact(value("stddev", items) or "")
    assert found is not None
    assert math.isclose(float(found.amount), stdev(numbers), rel_tol=1e-12, abs_tol=1e-300)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_nearest_double_of_a_double_is_itself(number: float) -> None:
    assert nearest(Fraction(number), "double") == number


@given(st.fractions(), st.sampled_from([1, 10**200, Fraction(1, 10**330), Fraction(1, 10**40)]))
def test_the_nearest_double_is_that_of_python(number: Fraction, factor: Fraction) -> None:
    assert nearest(number * factor, "double") == float(number * factor)


@given(st.floats(0, 1e150), st.integers(0, 2))
def test_no_double_is_nearer_to_a_root(number: float, ulps: int) -> None:
    square = Fraction(number) ** 2 + ulps * Fraction(math.ulp(number)) * Fraction(number)
    found = root(square)
    assert isinstance(found, Fraction)
    up = Fraction(math.nextafter(float(found), math.inf))
    down = Fraction(math.nextafter(float(found), 0))
    assert square <= ((found + up) / 2) ** 2
    assert found == 0 or square >= ((found + down) / 2) ** 2


@given(st.lists(TERMS, min_size=2, max_size=3))
def test_two_terms_stand_in_one_order(terms: list[str]) -> None:
    one, two = terms[:2]
    assert (order(one) == order(two)) == (one == two)
    assert (order(one) < order(two)) + (order(two) < order(one)) == (one != two)
