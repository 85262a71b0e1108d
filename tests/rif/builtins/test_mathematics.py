"""Rounding, roots and the like, against another implementation of XPath and by definition."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from elementpath import ElementPathError
from hypothesis import example, given
from hypothesis import strategies as st

from rif.builtins.mathematics import EARTH_RADIUS
from tests.rif.builtins.calls import call, lexical, xpath

decimals = st.decimals(-(10**6), 10**6, allow_nan=False, places=4).map(lambda v: f"{v:f}")
integers = st.integers(-(10**20), 10**20).map(str)
doubles = st.floats(width=64).filter(math.isfinite)


@given(decimals, st.sampled_from(["abs", "ceiling", "floor", "round"]))
@example("-0.5", "round")
@example("2.5", "round")
def test_decimals_are_rounded_as_in_xpath(value: str, name: str) -> None:
    assert Decimal(lexical(f"own:{name}", f"{value}^decimal")) == xpath(
        f"fn:{name}(xs:decimal('{value}'))"
    )


@given(decimals | integers, st.integers(-8, 8))
@example("3.14159", 2)
@example("-2.5", 0)
@example("150", -2)
@example("-150", -2)
def test_a_number_is_rounded_to_places_halves_up(value: str, places: int) -> None:
    kind = "decimal" if "." in value else "integer"
    found = call("own:round", f"{value}^{kind}", f"{places}^integer")
    unit = Fraction(10) ** -places
    nearest = math.floor(Fraction(value) / unit + Fraction(1, 2)) * unit
    assert isinstance(found, str)
    assert Fraction(found.partition("^")[0]) == nearest
    assert found.endswith(kind)


@given(doubles, st.sampled_from(["abs", "ceiling", "floor", "round"]))
@example(-0.0, "round")
@example(-0.4, "round")
@example(-0.4, "ceiling")
@example(0.5, "round")
@example(1e300, "floor")
def test_doubles_are_rounded_as_by_exact_numbers(value: float, name: str) -> None:
    found = float(lexical(f"own:{name}", f"{value!r}^double"))
    exact = Fraction(value)
    due = {
        "abs": abs(exact),
        "ceiling": math.ceil(exact),
        "floor": math.floor(exact),
        "round": math.floor(exact + Fraction(1, 2)),
    }[name]
    assert found == float(due)
    if found == 0 and name != "abs":
        assert math.copysign(1, found) == math.copysign(1, value)


def test_long_decimals_stay_exact() -> None:
    digits = "1234567890" * 6
    assert call("own:abs", f"-{digits}.{digits}^decimal") == f"{digits}.{digits[:-1]}^decimal"
    assert call("own:floor", f"{digits}.5^decimal") == f"{digits}^decimal"
    assert call("own:round", f"{digits}.{digits}^decimal", "50^integer") == (
        f"{digits}.{digits[:49]}^decimal"
    )


@pytest.mark.parametrize("name", ["abs", "ceiling", "floor", "round"])
@pytest.mark.parametrize("value", ["NaN", "INF"])
def test_what_is_not_finite_stays(name: str, value: str) -> None:
    assert call(f"own:{name}", f"{value}^double") == f"{value}^double"


_NAMES = {"power": "pow"}


@given(
    st.sampled_from(["sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan"]),
    st.floats(-1e3, 1e3) | st.floats(-1, 1) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e308]),
)
def test_functions_of_doubles_are_those_of_xpath(name: str, value: float) -> None:
    found = float(lexical(f"own:{name}", f"{value!r}^double"))
    try:
        due = float(xpath(f"math:{name}(xs:double('{value!r}'))"))
    except (ElementPathError, OverflowError):
        due = math.inf
    except ValueError:  # of log: it asks the library for numbers between -1 and 0
        due = math.nan
    assert found == due or (math.isnan(found) and math.isnan(due))


@pytest.mark.parametrize(
    ("base", "exponent", "due"),
    [  # [XPath-Functions 4.8.6]
        ("2^integer", "3^integer", 8.0),
        ("-2^integer", "3^integer", -8.0),
        ("2^integer", "0^integer", 1.0),
        ("0^integer", "0^integer", 1.0),
        ("INF^double", "0^integer", 1.0),
        ("NaN^double", "0^integer", 1.0),
        ("0^integer", "3^integer", 0.0),
        ("-0.0e0^double", "3^integer", -0.0),
        ("0^integer", "-3^integer", math.inf),
        ("-0.0e0^double", "-3^integer", -math.inf),
        ("0^integer", "-4^integer", math.inf),
        ("16^integer", "0.5^decimal", 4.0),
        ("0e0^double", "-3.1e0^double", math.inf),
        ("-1^integer", "INF^double", 1.0),
        ("1^integer", "NaN^double", 1.0),
        ("-2.5e0^double", "2.00000001e0^double", math.nan),
        ("10^integer", "400^integer", math.inf),
        ("-10^integer", "401^integer", -math.inf),
    ],
)
def test_powers_are_those_of_ieee(base: str, exponent: str, due: float) -> None:
    found = float(lexical("own:power", base, exponent))
    assert (math.isnan(found) and math.isnan(due)) or (
        found == due and math.copysign(1, found) == math.copysign(1, due)
    )


def test_the_lesser_and_the_greater_of_two_stay_as_they_are_written() -> None:
    assert call("own:min", "2^integer", "1.50^decimal") == "1.50^decimal"
    assert call("own:max", "2^integer", "2.0^decimal") == "2^integer"
    assert call("own:max", "2^integer", "3e0^double") == "3e0^double"
    assert call("own:min", "2^integer", "NaN^double") == "NaN^double"
    assert call("own:min", "2^integer", "x^string") is None


@pytest.mark.parametrize(
    ("places", "due"),
    [
        (("0", "0", "0", "0"), 0.0),
        (("90", "0", "-90", "17"), math.pi * EARTH_RADIUS),
        (("0", "0", "0", "180"), math.pi * EARTH_RADIUS),
        (("0", "179.5", "0", "-179.5"), math.radians(1) * EARTH_RADIUS),
        (("52.5200", "13.4050", "48.8566", "2.3522"), 877_464.6),  # Berlin to Paris
    ],
)
def test_distances_are_those_of_great_circles(places: tuple[str, ...], due: float) -> None:
    found = float(lexical("own:geo-distance", *(f"{each}^decimal" for each in places)))
    assert found == pytest.approx(due, rel=1e-6, abs=1e-6)
    assert lexical("own:geo-distance", *(f"{n}^integer" for n in (91, 0, 0, 0))) == "NaN"


@pytest.mark.parametrize("name", ["abs", "round", "sqrt", "log"])
def test_what_is_no_number_has_no_value(name: str) -> None:
    assert call(f"own:{name}", "x^string") is None


def test_places_are_a_whole_number_in_reach() -> None:
    assert call("own:round", "1.5^decimal", "0.5^decimal") is None
    assert call("own:round", "1.5^decimal", "5000^integer") is None
    assert call("own:round", "1.5e0^double", "-400^integer") == "0.0E0^double"
