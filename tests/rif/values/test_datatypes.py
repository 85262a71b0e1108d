"""Lexical spaces and values, against definitions that share no code."""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from fractions import Fraction

import pytest
from elementpath import datatypes as other
from hypothesis import example, given
from hypothesis import strategies as st

from rif.syntax.terms import IRI, RDF, RDF_LANG_STRING, XSD, GroundList, GroundTerm, Literal, Local
from rif.values.datatypes import (
    KNOWN,
    RANGES,
    is_lexical,
    literal_of,
    numeric_value,
    same_value,
    value_of,
)
from rif.values.decimals import (
    EXACT,
    MAX_DIGITS,
    canonical_double,
    canonical_exact,
    canonical_single,
    divide,
    fits,
    round_to_single,
    to_single,
)
from tests.generators.rules import syntax

decimals = st.builds(
    lambda digits, scale: Decimal(digits).scaleb(-scale, EXACT),
    st.integers(-(10**30), 10**30),
    st.integers(0, 40),
)
exact = st.one_of(st.integers(-(10**25), 10**25), st.integers(-5, 5), decimals)


def typed(text: str, datatype: str) -> Literal:
    return Literal(text, XSD + datatype)


LEXICAL = {
    "integer": ("0 -0 +7 007 99999999999999999999", "1.0 1e0 - + x"),
    "byte": ("127 -128 +1", "128 -129 1.0"),
    "unsignedByte": ("255 0 -0", "256 -1"),
    "positiveInteger": ("1", "0 -1"),
    "negativeInteger": ("-1", "0 1"),
    "long": (str(2**63 - 1), str(2**63)),
    "decimal": ("1 1. .5 +1.0 -0.0", "1e0 . - INF 1.2.3"),
    "double": ("1 1. .5 1e5 1E-5 -1.e+5 INF -INF +INF NaN", "inf nan e5 1e 1e1.0 0x1 +NaN"),
    "float": ("1e40 NaN", "infinity"),
    "boolean": ("true false 1 0", "TRUE yes 2"),
    "language": ("en de-AT x-abcdefgh", "e_n abcdefghi -en"),
    "Name": ("a :b é.1", "1a -a"),
    "NCName": ("a _b", "a:b 1"),
    "NMTOKEN": ("1a -a a:b", "a/b"),
    "date": (
        "2000-02-29 -0001-01-01 12000-01-01Z 2000-01-01+14:00 0000-01-01",
        "2001-02-29 1900-02-29 2000-13-01 99-01-01 2000-01-01+14:01 02000-01-01",
    ),
    "dateTime": (
        "2000-01-01T00:00:00 1999-12-31T24:00:00.00Z 2000-01-01T23:59:59.123456789012345678-05:00",
        "2000-01-01T24:00:01 2000-01-01T23:60:00 2000-01-01 2000-01-01T1:00:00",
    ),
    "dateTimeStamp": ("2000-01-01T00:00:00Z 2000-01-01T00:00:00-05:00", "2000-01-01T00:00:00"),
    "time": ("24:00:00 00:00:00.5Z", "24:00:01 1:00:00"),
    "dayTimeDuration": ("P1D PT1H PT0.5S -P1DT1M", "P PT P1Y P1DT -PT1.S P1H"),
    "yearMonthDuration": ("P1Y P1M -P1Y2M", "P P1D P1M1Y P-1Y"),
    "hexBinary": ("0aFF", "0 0g"),
    "base64Binary": ("YQ== YWI= YWJj", "YQ= YR== a"),
    "anyURI": ("http://a relative", ""),
}  # fmt: skip


@pytest.mark.parametrize("datatype", LEXICAL)
def test_lexical_spaces(datatype: str) -> None:
    good, bad = LEXICAL[datatype]
    assert [text for text in good.split() if not is_lexical(text, XSD + datatype)] == []
    assert [text for text in bad.split() if is_lexical(text, XSD + datatype)] == []
    if datatype != "anyURI":
        assert not is_lexical(" 1 ", XSD + datatype)
        assert not is_lexical("1\n", XSD + datatype)


def test_strings() -> None:
    assert is_lexical(" a\n", XSD + "string")
    assert is_lexical(" a ", XSD + "normalizedString")
    assert not is_lexical("a\n", XSD + "normalizedString")
    assert is_lexical("a b", XSD + "token")
    assert not is_lexical("a  b", XSD + "token")
    assert not is_lexical(" a", XSD + "token")
    assert is_lexical("", XSD + "token")
    assert is_lexical("<a b='c'/>d", RDF + "XMLLiteral")
    for text in ("<a>", "</x><x>", "&e;", "a</x><!--", "\x00"):
        assert not is_lexical(text, RDF + "XMLLiteral")


OTHERS: dict[str, type] = {
    "date": other.Date,
    "dateTime": other.DateTime,
    "dateTimeStamp": other.DateTimeStamp,
    "time": other.Time,
    "dayTimeDuration": other.DayTimeDuration,
    "yearMonthDuration": other.YearMonthDuration,
    "hexBinary": other.HexBinary,
}
ZONE = r"(Z|[+-]1[0-5]:[03]0)?"
TIME = r"[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?"
DATE = r"-?[0-9]{4}-[0-9]{2}-[0-3][0-9]"
shapes = st.one_of(
    st.from_regex(rf"\A{DATE}{ZONE}\Z"),
    st.from_regex(rf"\A{DATE}T{TIME}{ZONE}\Z"),
    st.from_regex(rf"\A{TIME}{ZONE}\Z"),
    st.from_regex(r"\A-?P([0-9]Y)?([0-9]M)?\Z"),
    st.from_regex(r"\A-?P([0-9]D)?(T([0-9]H)?([0-9]M)?([0-9](\.[0-9])?S)?)?\Z"),
)


@pytest.mark.parametrize("datatype", OTHERS)
@given(text=shapes)
def test_dates_and_durations_are_those_of_another_library(datatype: str, text: str) -> None:
    year = re.match("-?0000", text)
    foreign = {"dayTimeDuration": "-?P[^T]*[YM]", "yearMonthDuration": "-?P.*[DT]"}.get(datatype)
    if year or (foreign and re.match(foreign, text)):
        return  # a year 0 is new in XSD 1.1; that library takes P0M for a dayTimeDuration too
    try:
        read(text, OTHERS[datatype])
    except (ValueError, OverflowError):
        expected = False
    else:
        expected = True
    assert is_lexical(text, XSD + datatype) == expected


def read(text: str, datatype: type) -> object:
    return getattr(datatype, "fromstring", datatype)(text)


def test_values_are_equal_across_datatypes_that_share_a_space() -> None:
    equal: list[tuple[GroundTerm, GroundTerm]] = [
        (typed("1", "integer"), typed("01", "int")),
        (typed("1", "integer"), typed("1.00", "decimal")),
        (typed("1", "boolean"), typed("true", "boolean")),
        (Literal("a"), typed("a", "token")),
        (typed("1e0", "double"), typed("1", "double")),
        (typed("NaN", "double"), typed("NaN", "double")),
        (typed("1999-12-31T24:00:00", "dateTime"), typed("2000-01-01T00:00:00.0", "dateTime")),
        (typed("2000-01-01Z", "date"), typed("2000-01-01+00:00", "date")),
        (typed("P1Y", "yearMonthDuration"), typed("P12M", "yearMonthDuration")),
        (typed("P0M", "yearMonthDuration"), typed("PT0S", "dayTimeDuration")),
        (typed("0a", "hexBinary"), typed("0A", "hexBinary")),
        (typed("x", "integer"), typed("x", "integer")),
        (GroundList((typed("1", "integer"),)), GroundList((typed("1.0", "decimal"),))),
    ]
    for one, two in equal:
        assert same_value(one, two)
        assert value_of(one) == value_of(two)
        assert hash(value_of(one)) == hash(value_of(two))


def test_other_values_differ() -> None:
    different: list[GroundTerm] = [
        typed("1", "integer"), typed("1", "double"), typed("1", "float"), Literal("1"),
        typed("1", "boolean"), Literal("1", RDF_LANG_STRING, "en"),
        Literal("1", RDF_LANG_STRING, "de"),
        typed("0", "double"), typed("-0", "double"), typed("NaN", "float"), typed("NaN", "double"),
        typed("x", "integer"), typed("x", "decimal"), typed("1", "anyURI"), IRI("1"), Local("1"),
        typed("2000-01-01", "date"), typed("2000-01-01Z", "date"),
        typed("2000-01-01T00:00:00", "dateTime"), typed("2000-01-01T00:00:00Z", "dateTime"),
        typed("2000-01-01T01:00:00+01:00", "dateTime"), GroundList(), GroundList((GroundList(),)),
        Literal("1", "http://e/t"), typed("01", "hexBinary"),
    ]  # fmt: skip
    for at, one in enumerate(different):
        for two in different[at + 1 :]:
            assert not same_value(one, two)


def test_exact_arithmetic_is_not_that_of_the_thread() -> None:
    text = "PT" + "0.1234567890123456789"[:20] + "S"
    long = typed("P99999999999999999999D" + text[1:], "dayTimeDuration")
    assert value_of(long) != value_of(typed("P99999999999999999999DT0S", "dayTimeDuration"))
    one, two = ("0." + "1" * 40 + digit for digit in "12")
    assert not same_value(typed(one, "decimal"), typed(two, "decimal"))


def test_numbers() -> None:
    assert numeric_value(typed("01", "byte")) == ("integer", 1)
    assert numeric_value(typed("1.50", "decimal")) == ("decimal", Decimal("1.5"))
    assert numeric_value(typed("1e1", "float")) == ("float", 10.0)
    assert numeric_value(typed("-INF", "double")) == ("double", -math.inf)
    for literal in (
        Literal("1"),
        typed("1", "string"),
        typed("300", "byte"),
        typed("x", "decimal"),
    ):
        assert numeric_value(literal) is None
    assert numeric_value(typed("9" * MAX_DIGITS, "integer")) is not None
    assert numeric_value(typed("9" * (MAX_DIGITS + 1), "integer")) is None


def test_every_derived_integer_has_its_bounds() -> None:
    for name, (least, most) in RANGES.items():
        for bound, beyond in ((least, -1), (most, 1)):
            if bound is not None:
                assert is_lexical(str(bound), XSD + name)
                assert not is_lexical(str(bound + beyond), XSD + name)


FORMS = {
    ("01", "byte"): ("1", "integer"),
    ("-0.0", "decimal"): ("0", "integer"),
    ("1.50", "decimal"): ("1.5", "decimal"),
    ("10", "double"): ("1.0E1", "double"),
    ("+INF", "float"): ("INF", "float"),
    ("a b", "token"): ("a b", "string"),
    ("0", "boolean"): ("false", "boolean"),
    ("0a", "hexBinary"): ("0A", "hexBinary"),
    ("Y Q = =", "base64Binary"): ("YQ==", "base64Binary"),
    ("-0044-12-31T24:00:00.0-00:00", "dateTime"): ("-0043-01-01T00:00:00Z", "dateTime"),
    ("2000-02-28T24:00:00", "dateTime"): ("2000-02-29T00:00:00", "dateTime"),
    ("12000-01-01T01:02:03.40+01:00", "dateTimeStamp"): (
        "12000-01-01T01:02:03.4+01:00",
        "dateTime",
    ),
    ("2000-01-01+00:00", "date"): ("2000-01-01Z", "date"),
    ("24:00:00", "time"): ("00:00:00", "time"),
    ("P13M", "yearMonthDuration"): ("P1Y1M", "yearMonthDuration"),
    ("-P0Y", "yearMonthDuration"): ("PT0S", "dayTimeDuration"),
    ("-P1DT36H0.50S", "dayTimeDuration"): ("-P2DT12H0.5S", "dayTimeDuration"),
    ("PT3661S", "dayTimeDuration"): ("PT1H1M1S", "dayTimeDuration"),
    ("x", "integer"): ("x", "integer"),
}


@pytest.mark.parametrize(("text", "datatype"), FORMS)
def test_canonical_literals(text: str, datatype: str) -> None:
    assert value_of(typed(text, datatype)) == typed(*FORMS[text, datatype])


@given(syntax.ground_terms | st.builds(typed, shapes, st.sampled_from(list(OTHERS))))
def test_the_canonical_literal_has_the_same_value_and_is_its_own(term: GroundTerm) -> None:
    value = value_of(term)
    assert value_of(value) == value
    assert same_value(term, value)
    if isinstance(value, Literal):
        assert is_lexical(value.lexical, value.datatype) or value == term


@given(st.floats(width=32))
def test_a_single_reads_back_from_its_canonical_form(number: float) -> None:
    text = canonical_single(number)
    value = numeric_value(typed(text, "float"))
    assert value is not None
    assert repr(value[1]) == repr(number)
    assert len(text) <= len(canonical_double(number))


@given(st.floats())
@example(1e23)
@example(5e-324)
def test_a_double_reads_back_from_its_canonical_form(number: float) -> None:
    text = canonical_double(number)
    value = numeric_value(typed(text, "double"))
    assert value is not None
    assert repr(value[1]) == repr(number)


@given(exact)
def test_a_decimal_reads_back_from_its_canonical_form(number: int | Decimal) -> None:
    text = canonical_exact(number)
    assert Fraction(text) == Fraction(number)
    assert text == "0" or not text.startswith(("+", ".", "-.", "00"))
    assert "." not in text or not text.endswith(("0", "."))


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("integer", 3, "3"),
        ("decimal", Decimal("3.50"), "3.5"),
        ("decimal", Decimal("3.0"), "3"),
        ("decimal", Decimal("1E+3"), "1000"),
        ("decimal", Decimal("-0.0"), "0"),
        ("decimal", Decimal("-0.10"), "-0.1"),
        ("double", 1.5, "1.5E0"),
        ("double", 100.0, "1.0E2"),
        ("double", -0.0, "-0.0E0"),
        ("double", 1e-7, "1.0E-7"),
        ("double", math.inf, "INF"),
        ("double", math.nan, "NaN"),
        ("float", round_to_single(0.1), "1.0E-1"),
        ("float", -math.inf, "-INF"),
    ],
)
def test_canonical_forms(kind: str, value: float | Decimal, text: str) -> None:
    assert literal_of(kind, value) == typed(text, kind)  # type: ignore[arg-type]


def nearest_single(number: Fraction) -> float:
    """By definition: of the singles around it the nearer, of two as near the even one."""
    if number == 0:
        return 0.0
    exponent = max(-149, math.frexp(float(abs(number)))[1] - 24 - 2)
    units = [Fraction(2) ** (exponent + shift) for shift in range(4)]
    near = [(unit, math.floor(number / unit) + up) for unit in units for up in (0, 1)]
    candidates = [
        (abs(number - whole * unit), whole % 2, whole * unit)
        for unit, whole in near
        if abs(whole) <= 2**24
    ]
    value = min(candidates)[2]
    return float(value) if abs(value) < Fraction(2) ** 128 else math.copysign(math.inf, value)


@given(
    st.one_of(
        decimals,
        st.floats(-(2.0**99), 2.0**99, width=32).map(Decimal),
        st.builds(
            lambda single, nudge: EXACT.add(
                EXACT.divide(EXACT.add(Decimal(single), Decimal(next_single(single))), 2), nudge
            ),
            st.floats(0.5, 1e9, width=32),
            st.sampled_from([Decimal(0), Decimal("1E-40"), Decimal("-1E-40")]),
        ),
    )
)
@example(Decimal(16777217))
@example(Decimal("16777217.0000000001"))
def test_an_exact_number_is_rounded_to_single_once(number: Decimal) -> None:
    assert to_single(number) == nearest_single(Fraction(number))


def next_single(number: float) -> float:
    bits = struct.unpack("<i", struct.pack("<f", number))[0]
    return float(struct.unpack("<f", struct.pack("<i", bits + 1))[0])


def test_rounding_to_single_beyond_the_largest() -> None:
    largest = float(2**128 - 2**104)
    assert round_to_single(largest) == largest
    assert round_to_single(math.nextafter(float(2**128 - 2**103), 0)) == largest
    assert round_to_single(float(2**128 - 2**103)) == math.inf
    assert round_to_single(-1e300) == -math.inf


@given(exact, exact.filter(bool))
def test_a_quotient_is_exact_or_rounded_in_its_18th_digit(
    one: int | Decimal, two: int | Decimal
) -> None:
    quotient, true = Fraction(divide(one, two)), Fraction(one) / Fraction(two)
    if quotient != true:
        assert abs(quotient - true) <= Fraction(1, 2 * 10**18)
        assert abs(quotient - true) <= abs(true) * Fraction(5, 10**18)


def test_quotients() -> None:
    assert canonical_exact(divide(1, 3)) == "0." + "3" * 18
    assert canonical_exact(divide(2, 3)) == "0." + "6" * 17 + "7"
    assert canonical_exact(divide(1, 2**30)) == "0.000000000931322574615478515625"
    assert canonical_exact(divide(1, 3 * 10**20)) == "0." + "0" * 20 + "3" * 18
    assert canonical_exact(divide(10**30, 7)) == "142857142857142857142857142857.142857142857142857"


def test_a_number_fits_by_its_digits() -> None:
    assert fits(10**3990)
    assert not fits(10**4010)
    assert fits(Decimal("1E-3990"))
    assert not fits(Decimal("1E-4010"))
    assert not fits(Decimal("1E+4010"))


def test_all_datatypes_of_the_standard_are_known() -> None:
    assert len(KNOWN) == 34  # the 35 of RIF-DTB without rdf:PlainLiteral
