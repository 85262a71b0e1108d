"""Built-ins: what the standard says of each, and agreement with definitions that share no code."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import elementpath
import numpy as np
import pytest
from elementpath.xpath31 import XPath31Parser
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rif.builtins import BUILTINS, DTB
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import CASTS
from rif.syntax.terms import FUNC, IRI, PRED, RDF_LANG_STRING, XSD, GroundList, GroundTerm, Literal
from rif.values.decimals import canonical_double, canonical_exact, canonical_single, round_to_single
from tests.rif.builtins.calls import takes


def typed(text: str, datatype: str) -> Literal:
    return Literal(text, XSD + datatype)


def integer(value: int) -> Literal:
    return typed(str(value), "integer")


def call(name: str, *args: GroundTerm) -> bool | GroundTerm | None:
    builtin = BUILTINS.get(FUNC + name) or BUILTINS[PRED + name]
    assert takes(builtin, len(args))
    return builtin.evaluate(*args)


def short(outcome: bool | GroundTerm | None) -> str | bool | None:
    """``3^integer`` for a literal."""
    if isinstance(outcome, Literal):
        kind = outcome.datatype.removeprefix(XSD)
        return outcome.lexical if kind == "string" else f"{outcome.lexical}^{kind}"
    return outcome if isinstance(outcome, bool) or outcome is None else str(outcome)


def arg(text: str) -> Literal:
    lexical, _, datatype = text.rpartition("^")
    return (
        typed(lexical, datatype)
        if datatype in {"integer", "decimal", "float", "double", "byte"}
        else Literal(text)
    )


# the table


def test_the_table_agrees_with_the_signatures_of_the_standard() -> None:
    assert len(DTB) == 237  # 236, and another name of numeric-mod
    assert len(CASTS) == 35
    for name, builtin in BUILTINS.items():
        assert name == builtin.name
        assert not builtin.patterns or builtin.solve is not None
        if name.startswith(R4_BUILTIN):
            assert name not in DTB
            continue
        signature = DTB[name]
        assert (signature.kind, signature.least, signature.most) == (builtin.kind, *builtin.arities)


# numbers


@pytest.mark.parametrize(
    ("name", "one", "two", "expected"),
    [
        ("numeric-add", "1^integer", "2^byte", "3^integer"),
        ("numeric-add", "1^integer", "2.50^decimal", "3.5^decimal"),
        ("numeric-add", "0.5^decimal", ".5^decimal", "1^decimal"),
        ("numeric-add", "1^integer", "2.5^float", "3.5E0^float"),
        ("numeric-add", "0.1^float", "0.1^double", "2.0000000149011612E-1^double"),
        ("numeric-add", "INF^double", "-INF^double", "NaN^double"),
        ("numeric-add", "INF^double", "1^integer", "INF^double"),
        ("numeric-subtract", "1^integer", "2^integer", "-1^integer"),
        ("numeric-multiply", "1.5^decimal", "2^integer", "3^decimal"),
        ("numeric-multiply", "1e308^double", "10^integer", None),
        ("numeric-multiply", "1e38^float", "10^integer", None),
        ("numeric-divide", "6^integer", "3^integer", "2^decimal"),
        ("numeric-divide", "1^integer", "3^integer", "0." + "3" * 18 + "^decimal"),
        ("numeric-divide", "1^integer", "0^integer", None),
        ("numeric-divide", "1e0^double", "0e0^double", None),
        ("numeric-integer-divide", "-7^integer", "2^integer", "-3^integer"),
        ("numeric-integer-divide", "-7.5^decimal", "-2.5^decimal", "3^integer"),
        ("numeric-integer-divide", "9^double", "2^integer", "4^integer"),
        ("numeric-integer-divide", "9^double", "INF^double", "0^integer"),
        ("numeric-integer-divide", "INF^double", "2^integer", None),
        ("numeric-integer-divide", "NaN^double", "2^integer", None),
        ("numeric-integer-divide", "1^integer", "0.0^decimal", None),
        ("numeric-mod", "-7^integer", "2^integer", "-1^integer"),
        ("numeric-mod", "7^integer", "-2^integer", "1^integer"),
        ("numeric-mod", "-7.5^decimal", "2^integer", "-1.5^decimal"),
        ("numeric-mod", "7.5e0^double", "2^integer", "1.5E0^double"),
        ("numeric-mod", "1^integer", "0^integer", None),
        ("numeric-mod", "1e0^double", "INF^double", "1.0E0^double"),
        ("numeric-mod", "INF^double", "2^integer", "NaN^double"),
        ("numeric-integer-mod", "7^integer", "4^integer", "3^integer"),
        ("numeric-add", "a", "1^integer", None),
        ("numeric-equal", "1^integer", "1.0^decimal", True),
        ("numeric-equal", "0.1^decimal", "0.1^float", True),
        ("numeric-equal", "0.1^decimal", "0.1^double", True),
        ("numeric-equal", "0.1^float", "0.1^double", False),
        ("numeric-equal", "9007199254740993^integer", "9007199254740992^integer", False),
        ("numeric-equal", "9007199254740993^integer", "9007199254740992^double", True),
        ("numeric-equal", "0^double", "-0^double", True),
        ("numeric-equal", "NaN^double", "NaN^double", False),
        ("numeric-not-equal", "NaN^double", "NaN^double", True),
        ("numeric-less-than", "-INF^float", "0^integer", True),
        ("numeric-less-than-or-equal", "1^integer", "1^double", True),
        ("numeric-greater-than", "2^integer", "10^integer", False),
        ("numeric-greater-than-or-equal", "NaN^double", "1^integer", False),
        ("numeric-less-than", "a", "b", None),
        ("numeric-less-than", "300^byte", "1^integer", None),
    ],
)
def test_numeric(name: str, one: str, two: str, expected: str | bool | None) -> None:
    assert short(call(name, arg(one), arg(two))) == expected


exact = st.one_of(
    st.integers(-1000, 1000),
    st.integers(-(10**40), 10**40),
    st.builds(
        lambda digits, scale: Decimal(f"{digits}E-{scale}"),
        st.integers(-(10**9), 10**9),
        st.integers(0, 30),
    ),
)


def exact_literal(number: int | Decimal) -> Literal:
    return typed(canonical_exact(number), "integer" if isinstance(number, int) else "decimal")


@given(exact, exact)
def test_exact_arithmetic_is_that_of_fractions(one: int | Decimal, two: int | Decimal) -> None:
    left, right = exact_literal(one), exact_literal(two)
    first, second = Fraction(one), Fraction(two)
    kind = "integer" if isinstance(one, int) and isinstance(two, int) else "decimal"
    for name, value in (
        ("numeric-add", first + second),
        ("numeric-subtract", first - second),
        ("numeric-multiply", first * second),
    ):
        result = call(name, left, right)
        assert isinstance(result, Literal)
        assert (Fraction(result.lexical), result.datatype) == (value, XSD + kind)
    if second:
        whole = math.trunc(first / second)
        assert call("numeric-integer-divide", left, right) == integer(whole)
        rest = call("numeric-mod", left, right)
        assert isinstance(rest, Literal)
        assert (Fraction(rest.lexical), rest.datatype) == (first - second * whole, XSD + kind)
    for name, truth in (
        ("equal", first == second),
        ("less-than", first < second),
        ("greater-than", first > second),
    ):
        assert call(f"numeric-{name}", left, right) is truth


singles = st.floats(width=32)


@given(singles, singles)
def test_single_arithmetic_is_that_of_the_machine(one: float, two: float) -> None:
    left, right = (typed(canonical_single(value), "float") for value in (one, two))
    with np.errstate(all="ignore"):
        first, second = np.float32(one), np.float32(two)
        values = {"add": first + second, "subtract": first - second, "multiply": first * second}
        if two:
            values["divide"] = first / second
    for name, value in values.items():
        expected: str | None = canonical_single(float(value))
        if np.isinf(value) and math.isfinite(one) and math.isfinite(two):
            expected = None
        result = call(f"numeric-{name}", left, right)
        assert (result.lexical if isinstance(result, Literal) else result) == expected


@given(st.floats(), exact)
def test_an_exact_number_meets_a_double_as_the_nearest_double(
    one: float, two: int | Decimal
) -> None:
    left, right = typed(canonical_double(one), "double"), exact_literal(two)
    assert call("numeric-less-than", left, right) is (one < float(two))
    assert call("numeric-equal", right, left) is (one == float(two))


@given(singles, exact)
def test_an_exact_number_meets_a_single_as_the_nearest_single(
    one: float, two: int | Decimal
) -> None:
    left, right = typed(canonical_single(one), "float"), exact_literal(two)
    single = round_to_single(float(two))
    if math.isfinite(single) and Fraction(single) == Fraction(two):
        assert call("numeric-less-than", left, right) is (one < float(two))


def test_results_beyond_what_is_computed_with_are_outside_the_domain() -> None:
    large = integer(10**3000)
    assert call("numeric-add", large, large) == integer(2 * 10**3000)
    assert call("numeric-multiply", large, large) is None
    small = typed("0." + "0" * 3000 + "1", "decimal")
    assert call("numeric-multiply", small, small) is None
    assert call("numeric-divide", integer(1), large) is not None


# strings


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("contains", ["foobar", "ob"], True),
        ("contains", ["foobar", ""], True),
        ("contains", ["foobar", "x"], False),
        ("contains", ["foobar", "1^integer"], None),
        ("contains", ["foobar", "foo", "http://collation"], None),
        ("starts-with", ["foobar", "foo"], True),
        ("ends-with", ["foobar", "foo"], False),
        ("compare", ["bar", "foo"], "-1^integer"),
        ("compare", ["foo", "bar"], "1^integer"),
        ("compare", ["foo", "foo"], "0^integer"),
        ("concat", ["foo", "bar", "01^integer", "1.50^decimal", "1e1^double"], "foobar11.510"),
        ("string-join", ["foo", "bar", ","], "foo,bar"),
        ("string-join", ["foo", ","], "foo"),
        ("string-join", ["foo", "1^integer"], None),
        ("substring", ["foobar", "3^integer"], "obar"),
        ("substring", ["foobar", "0^integer", "3^integer"], "fo"),
        ("substring", ["metadata", "4^integer", "3^integer"], "ada"),
        ("substring", ["12345", "1.5^decimal", "2.6^decimal"], "234"),
        ("substring", ["12345", "-3^integer", "5^integer"], "1"),
        ("substring", ["12345", "NaN^double", "3^integer"], ""),
        ("substring", ["12345", "-42^integer", "INF^double"], "12345"),
        ("substring", ["12345", "-INF^double", "INF^double"], ""),
        ("substring", ["12345", "x"], None),
        ("string-length", ["\U0001d518é"], "2^integer"),
        ("upper-case", ["FooBar"], "FOOBAR"),
        ("lower-case", ["FooBar"], "foobar"),
        ("encode-for-uri", ["RIF Basic Logic Dialect"], "RIF%20Basic%20Logic%20Dialect"),
        ("encode-for-uri", ["a/b?é~"], "a%2Fb%3F%C3%A9~"),
        ("iri-to-uri", ["http://www.example.com/~bébé%20<"], "http://www.example.com/~b%C3%A9b%C3%A9%20%3C"),
        ("escape-html-uri", ["javascript:f('bé');\x7f"], "javascript:f('b%C3%A9');%7F"),
        ("substring-before", ["foobar", "bar"], "foo"),
        ("substring-before", ["foobar", ""], ""),
        ("substring-before", ["foobar", "x"], ""),
        ("substring-after", ["foobar", "foo"], "bar"),
        ("substring-after", ["foobar", ""], "foobar"),
    ],
)  # fmt: skip
def test_strings(name: str, args: list[str], expected: str | bool | None) -> None:
    assert short(call(name, *map(arg, args))) == expected


def test_the_domain_of_strings() -> None:
    tagged = Literal("a", RDF_LANG_STRING, "en")
    assert call("contains", typed("ab", "token"), Literal("b")) is True
    assert call("contains", tagged, Literal("a")) is None
    assert call("contains", IRI("urn:a"), Literal("a")) is None
    assert call("string-length", typed("a\n", "token")) is None
    assert call("concat", tagged, Literal("a")) is None
    assert call("concat", typed("1", "boolean"), typed("2000-01-01", "date")) == Literal(
        "true2000-01-01"
    )
    assert call("concat", typed("x", "integer"), Literal("a")) is None


def xpath(expression: str, **variables: Any) -> Any:
    """What another implementation of XPath says."""
    return elementpath.select(None, expression, item="", variables=variables, parser=XPath31Parser)


plain = st.text("ab é\U0001d518%/?<", max_size=5)
positions = st.one_of(
    st.integers(-3, 8),
    st.decimals(-3, 8, places=1),
    st.sampled_from([math.inf, -math.inf, math.nan, 0.5, 1.5, 2.5, -0.5, 0.49999999999999994]),
)


def position(number: float | Decimal) -> Literal:
    if isinstance(number, float):
        return typed(canonical_double(number), "double")
    return exact_literal(number)


def rounded(number: float | Decimal) -> float:
    """Half up, by definition."""
    return math.floor(Fraction(number) + Fraction(1, 2)) if math.isfinite(number) else float(number)


@given(plain, positions, positions)
@example("12345", Decimal("0.5"), Decimal("1.5"))
@example("12345", Decimal("0." + "4" + "9" * 40), Decimal(2))
def test_substring_is_that_of_its_definition(
    text: str, start: float | Decimal, length: float | Decimal
) -> None:
    first, count = rounded(start), rounded(length)
    some = "".join(c for at, c in enumerate(text, 1) if first <= at < first + count)
    rest = "".join(c for at, c in enumerate(text, 1) if first <= at)
    assert call("substring", Literal(text), position(start), position(length)) == Literal(some)
    assert call("substring", Literal(text), position(start)) == Literal(rest)


@given(plain, plain)
def test_string_functions_are_those_of_xpath(one: str, two: str) -> None:
    for name in (
        "contains",
        "starts-with",
        "ends-with",
        "substring-before",
        "substring-after",
        "compare",
    ):
        expected = xpath(f"{name}($a, $b)", a=one, b=two)
        result = call(name, Literal(one), Literal(two))
        if isinstance(result, Literal):
            assert result.lexical == str(expected)
        else:
            assert result is expected
    for name in (
        "upper-case",
        "lower-case",
        "encode-for-uri",
        "iri-to-uri",
        "escape-html-uri",
        "string-length",
    ):
        result = call(name, Literal(one))
        assert isinstance(result, Literal)
        assert result.lexical == str(xpath(f"{name}($a)", a=one))


@given(st.floats(allow_nan=False))
@example(1e6)
@example(999999.5)
@example(1e-6)
@example(0.00001)
def test_a_double_is_cast_to_string_as_in_xpath(number: float) -> None:
    assume(number == 0 or not 1e-6 <= abs(number) < 1e6 or abs(number) > 1e-4)
    result = call("concat", typed(canonical_double(number), "double"), Literal(""))
    assert isinstance(result, Literal)
    assert float(result.lexical.replace("INF", "inf")) == number
    small = 1e-6 <= abs(number) < 1e6
    assert ("E" in result.lexical) == (not small and number != 0 and math.isfinite(number))


# terms and lists


def test_iri_string_both_ways() -> None:
    iri, text = IRI("http://e/é"), Literal("http://e/é")
    assert call("iri-string", iri, text) is True
    assert call("iri-string", iri, Literal("http://e/")) is False
    assert call("iri-string", iri, integer(1)) is None
    solve = BUILTINS[PRED + "iri-string"].solve
    assert solve is not None
    for found in (solve(iri, None), solve(None, text)):
        assert list(found or ()) == [(iri, text)]
    for found in (solve(None, Literal("no iri")), solve(text, None)):
        assert list(found or ()) == []


def test_lists() -> None:
    items = GroundList((integer(1), GroundList((Literal("a"),)), integer(1)))
    assert call("is-list", items) is True
    assert call("is-list", integer(1)) is False
    assert call("list-contains", items, typed("1.0", "decimal")) is True
    assert call("list-contains", items, Literal("a")) is False
    assert call("list-contains", integer(1), integer(1)) is None
    assert call("make-list", integer(1), IRI("urn:a")) == GroundList((integer(1), IRI("urn:a")))
    assert call("make-list") == GroundList()
    solve = BUILTINS[PRED + "list-contains"].solve
    assert solve is not None
    found = solve(items, None)
    assert list(found or ()) == [(items, integer(1)), (items, GroundList((Literal("a"),)))]
    assert solve(integer(1), None) is None


def test_not_identical() -> None:
    assert call("literal-not-identical", integer(1), Literal("1")) is True
    assert call("literal-not-identical", integer(1), typed("01", "decimal")) is False
    assert call("literal-not-identical", IRI("urn:a"), integer(1)) is False
    assert call("literal-not-identical", typed("x", "integer"), integer(1)) is False
