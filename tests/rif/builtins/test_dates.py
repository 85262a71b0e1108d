"""Dates, times and durations: the values that the standards and the suite have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rif.builtins import Builtin, dates, durations
from rif.syntax.terms import FUNC, IRI, PRED, XSD, BlankNode, GroundList, GroundTerm, Literal, Local
from rif.values.datatypes import is_lexical
from tests.rif.builtins import suite_conditions
from tests.rif.builtins.calls import call, literal

GROUPS = (*dates.BUILTINS, *durations.BUILTINS)

# From the examples of XPath-Functions 3.1 where it has some, else by its definitions.
FUNCTIONS = """
year-from-dateTime 1999-05-31T13:20:00-05:00^dateTime = 1999^integer
year-from-dateTime 1999-12-31T24:00:00^dateTime = 2000^integer
year-from-dateTime -0044-03-15T12:00:00^dateTime = -44^integer
year-from-dateTime 0000-01-01T00:00:00^dateTime = 0^integer
year-from-dateTime 12345-01-01T00:00:00Z^dateTimeStamp = 12345^integer
month-from-dateTime 1999-05-31T13:20:00-05:00^dateTime = 5^integer
month-from-dateTime 1999-12-31T24:00:00^dateTime = 1^integer
day-from-dateTime 1999-12-31T20:00:00-05:00^dateTime = 31^integer
hours-from-dateTime 1999-05-31T08:20:00-05:00^dateTime = 8^integer
hours-from-dateTime 1999-12-31T24:00:00^dateTime = 0^integer
minutes-from-dateTime 1999-05-31T13:30:00+05:30^dateTime = 30^integer
seconds-from-dateTime 1999-05-31T13:20:00-05:00^dateTime = 0^decimal
seconds-from-dateTime 1999-05-31T13:20:59.12345678901234567890^dateTime = 59.1234567890123456789^decimal
year-from-date 1999-05-31^date = 1999^integer
year-from-date 2000-01-01+05:00^date = 2000^integer
month-from-date 2000-01-01+05:00^date = 1^integer
day-from-date 2000-01-01+05:00^date = 1^integer
hours-from-time 01:23:00+05:00^time = 1^integer
hours-from-time 24:00:00^time = 0^integer
minutes-from-time 13:00:00Z^time = 0^integer
minutes-from-time 23:59:00^time = 59^integer
seconds-from-time 13:20:10.5^time = 10.5^decimal
timezone-from-dateTime 1999-05-31T13:20:00-05:00^dateTime = -PT5H^dayTimeDuration
timezone-from-dateTime 2000-06-12T13:20:00Z^dateTime = PT0S^dayTimeDuration
timezone-from-dateTime 2004-08-27T00:00:00^dateTime = none
timezone-from-date 1999-05-31+05:45^date = PT5H45M^dayTimeDuration
timezone-from-date 2000-06-12Z^date = PT0S^dayTimeDuration
timezone-from-time 13:20:00-14:00^time = -PT14H^dayTimeDuration
timezone-from-time 13:20:00^time = none
years-from-duration P20Y15M^yearMonthDuration = 21^integer
years-from-duration -P15M^yearMonthDuration = -1^integer
years-from-duration PT0S^dayTimeDuration = 0^integer
years-from-duration P1D^dayTimeDuration = none
months-from-duration P20Y15M^yearMonthDuration = 3^integer
months-from-duration -P20Y18M^yearMonthDuration = -6^integer
days-from-duration P3DT55H^dayTimeDuration = 5^integer
days-from-duration P0M^yearMonthDuration = 0^integer
days-from-duration P1M^yearMonthDuration = none
hours-from-duration PT123H^dayTimeDuration = 3^integer
hours-from-duration -P3DT10H^dayTimeDuration = -10^integer
minutes-from-duration -P5DT12H30M^dayTimeDuration = -30^integer
seconds-from-duration P3DT10H12.5S^dayTimeDuration = 12.5^decimal
seconds-from-duration -PT256S^dayTimeDuration = -16^decimal
subtract-dateTimes 2000-10-30T06:12:00-05:00^dateTime 1999-11-28T09:00:00Z^dateTime = P337DT2H12M^dayTimeDuration
subtract-dateTimes 2000-10-30T06:12:00^dateTime 1999-11-28T09:00:00Z^dateTime = P336DT21H12M^dayTimeDuration
subtract-dateTimes 2000-10-30T06:12:00+02:00^dateTime 2000-10-30T06:12:00^dateTime = -PT2H^dayTimeDuration
subtract-dateTimes 2000-01-01T00:00:00.00000000000000000001Z^dateTime 2000-01-01T00:00:00Z^dateTime = PT0.00000000000000000001S^dayTimeDuration
subtract-dateTimes 0001-01-01T00:00:00Z^dateTime -0001-01-01T00:00:00Z^dateTime = P731D^dayTimeDuration
subtract-dates 2000-10-30Z^date 1999-11-28Z^date = P337D^dayTimeDuration
subtract-dates 2000-10-30+05:00^date 1999-11-28Z^date = P336DT19H^dayTimeDuration
subtract-dates 2000-10-15-05:00^date 2000-10-10+02:00^date = P5DT7H^dayTimeDuration
subtract-dates 2000-10-30^date 1999-11-28^date = P337D^dayTimeDuration
subtract-dates 2000-10-30+05:00^date 2000-10-30^date = -PT5H^dayTimeDuration
subtract-times 11:12:00Z^time 04:00:00Z^time = PT7H12M^dayTimeDuration
subtract-times 11:00:00-05:00^time 21:30:00+05:30^time = PT0S^dayTimeDuration
subtract-times 17:00:00-06:00^time 08:00:00+09:00^time = P1D^dayTimeDuration
subtract-times 24:00:00Z^time 23:59:59Z^time = -PT23H59M59S^dayTimeDuration
subtract-times 11:12:00^time 04:00:00Z^time = PT7H12M^dayTimeDuration
add-yearMonthDurations P2Y11M^yearMonthDuration P3Y3M^yearMonthDuration = P6Y2M^yearMonthDuration
add-yearMonthDurations P2Y11M^yearMonthDuration PT0S^dayTimeDuration = P2Y11M^yearMonthDuration
add-yearMonthDurations P2Y11M^yearMonthDuration P1D^dayTimeDuration = none
add-yearMonthDurations P99999999999999999999Y^yearMonthDuration P1Y^yearMonthDuration = none
subtract-yearMonthDurations P2Y11M^yearMonthDuration P3Y3M^yearMonthDuration = -P4M^yearMonthDuration
subtract-yearMonthDurations P1Y^yearMonthDuration P12M^yearMonthDuration = P0M^yearMonthDuration
multiply-yearMonthDuration P2Y11M^yearMonthDuration 2.3^decimal = P6Y9M^yearMonthDuration
multiply-yearMonthDuration P2Y11M^yearMonthDuration 2.3^double = P6Y9M^yearMonthDuration
multiply-yearMonthDuration P2Y11M^yearMonthDuration 2.3^float = P6Y9M^yearMonthDuration
multiply-yearMonthDuration P1M^yearMonthDuration 0.5^decimal = P1M^yearMonthDuration
multiply-yearMonthDuration -P1M^yearMonthDuration 0.5^decimal = P0M^yearMonthDuration
multiply-yearMonthDuration -P1M^yearMonthDuration 1.5^decimal = -P1M^yearMonthDuration
multiply-yearMonthDuration P1M^yearMonthDuration NaN^double = none
multiply-yearMonthDuration P1M^yearMonthDuration INF^double = none
multiply-yearMonthDuration P1M^yearMonthDuration 1e30^double = none
divide-yearMonthDuration P2Y11M^yearMonthDuration 1.5^decimal = P1Y11M^yearMonthDuration
divide-yearMonthDuration P1Y^yearMonthDuration 0^integer = none
divide-yearMonthDuration P1Y^yearMonthDuration -INF^float = P0M^yearMonthDuration
divide-yearMonthDuration-by-yearMonthDuration P3Y4M^yearMonthDuration -P1Y4M^yearMonthDuration = -2.5^decimal
divide-yearMonthDuration-by-yearMonthDuration P1M^yearMonthDuration P3M^yearMonthDuration = 0.333333333333333333^decimal
divide-yearMonthDuration-by-yearMonthDuration P1M^yearMonthDuration P0M^yearMonthDuration = none
add-dayTimeDurations P2DT12H5M^dayTimeDuration P5DT12H^dayTimeDuration = P8DT5M^dayTimeDuration
add-dayTimeDurations P1D^dayTimeDuration P1M^yearMonthDuration = none
add-dayTimeDurations P99999999999999999999D^dayTimeDuration PT24H^dayTimeDuration = none
subtract-dayTimeDurations P2DT12H^dayTimeDuration P1DT10H30M^dayTimeDuration = P1DT1H30M^dayTimeDuration
subtract-dayTimeDurations PT0.3S^dayTimeDuration PT0.1S^dayTimeDuration = PT0.2S^dayTimeDuration
multiply-dayTimeDuration PT2H10M^dayTimeDuration 2.1^decimal = PT4H33M^dayTimeDuration
multiply-dayTimeDuration PT2H10M^dayTimeDuration 2.1^double = PT4H33M^dayTimeDuration
multiply-dayTimeDuration PT0.00000000000000000001S^dayTimeDuration 0.5^decimal = PT0S^dayTimeDuration
multiply-dayTimeDuration P1D^dayTimeDuration 0^integer = PT0S^dayTimeDuration
multiply-dayTimeDuration P1D^dayTimeDuration x^string = none
divide-dayTimeDuration P1DT2H30M10.5S^dayTimeDuration 1.5^decimal = PT17H40M7S^dayTimeDuration
divide-dayTimeDuration PT1S^dayTimeDuration 3^integer = PT0.33333333333333333333S^dayTimeDuration
divide-dayTimeDuration -PT1S^dayTimeDuration 2e0^double = -PT0.5S^dayTimeDuration
divide-dayTimeDuration P1D^dayTimeDuration 0.0^decimal = none
divide-dayTimeDuration-by-dayTimeDuration P2DT53M11S^dayTimeDuration P1DT10H^dayTimeDuration = 1.437834967320261438^decimal
divide-dayTimeDuration-by-dayTimeDuration P4D^dayTimeDuration P2D^dayTimeDuration = 2^decimal
divide-dayTimeDuration-by-dayTimeDuration P4D^dayTimeDuration PT0S^dayTimeDuration = none
add-yearMonthDuration-to-dateTime 2000-10-30T11:12:00^dateTime P1Y2M^yearMonthDuration = 2001-12-30T11:12:00^dateTime
add-yearMonthDuration-to-dateTime 2000-01-31T23:59:59.9-05:00^dateTime P1M^yearMonthDuration = 2000-02-29T23:59:59.9-05:00^dateTime
add-yearMonthDuration-to-dateTime 2000-01-31T00:00:00^dateTime P13M^yearMonthDuration = 2001-02-28T00:00:00^dateTime
add-yearMonthDuration-to-dateTime 9999-12-31T00:00:00Z^dateTimeStamp P2M^yearMonthDuration = 10000-02-29T00:00:00Z^dateTime
add-yearMonthDuration-to-dateTime 99999999999999999999-12-31T00:00:00^dateTime P1M^yearMonthDuration = none
add-yearMonthDuration-to-dateTime 2000-10-30^date P1Y2M^yearMonthDuration = none
add-yearMonthDuration-to-date 2000-10-30^date P1Y2M^yearMonthDuration = 2001-12-30^date
add-yearMonthDuration-to-date 2000-12-31Z^date -P10M^yearMonthDuration = 2000-02-29Z^date
add-dayTimeDuration-to-dateTime 2000-10-30T11:12:00^dateTime P3DT1H15M^dayTimeDuration = 2000-11-02T12:27:00^dateTime
add-dayTimeDuration-to-dateTime 9999-12-31T23:59:59.5+14:00^dateTime PT0.5S^dayTimeDuration = 10000-01-01T00:00:00+14:00^dateTime
add-dayTimeDuration-to-dateTime -0001-12-31T00:00:00^dateTime P366D^dayTimeDuration = 0000-12-31T00:00:00^dateTime
add-dayTimeDuration-to-dateTime 2000-10-30T11:12:00^dateTime P1M^yearMonthDuration = none
add-dayTimeDuration-to-date 2004-10-30Z^date P2DT2H30M0S^dayTimeDuration = 2004-11-01Z^date
add-dayTimeDuration-to-date 2004-10-30^date PT23H59M59.9S^dayTimeDuration = 2004-10-30^date
add-dayTimeDuration-to-time 11:12:00^time P3DT1H15M^dayTimeDuration = 12:27:00^time
add-dayTimeDuration-to-time 23:12:00+03:00^time P1DT3H15M^dayTimeDuration = 02:27:00+03:00^time
subtract-yearMonthDuration-from-dateTime 2000-10-30T11:12:00^dateTime P1Y2M^yearMonthDuration = 1999-08-30T11:12:00^dateTime
subtract-yearMonthDuration-from-dateTime 0001-01-01T00:00:00^dateTime P1M^yearMonthDuration = 0000-12-01T00:00:00^dateTime
subtract-yearMonthDuration-from-date 2000-10-30^date P1Y2M^yearMonthDuration = 1999-08-30^date
subtract-yearMonthDuration-from-date 2000-02-29Z^date P1Y^yearMonthDuration = 1999-02-28Z^date
subtract-yearMonthDuration-from-date 2000-10-31-05:00^date P1Y1M^yearMonthDuration = 1999-09-30-05:00^date
subtract-dayTimeDuration-from-dateTime 2000-10-30T11:12:00^dateTime P3DT1H15M^dayTimeDuration = 2000-10-27T09:57:00^dateTime
subtract-dayTimeDuration-from-date 2000-10-30^date P3DT1H15M^dayTimeDuration = 2000-10-26^date
subtract-dayTimeDuration-from-date 2000-10-30+14:00^date PT1H^dayTimeDuration = 2000-10-29+14:00^date
subtract-dayTimeDuration-from-time 11:12:00^time P3DT1H15M^dayTimeDuration = 09:57:00^time
subtract-dayTimeDuration-from-time 08:20:00-05:00^time P23DT10H10M^dayTimeDuration = 22:10:00-05:00^time
"""  # noqa: E501 - a table

# One pair of values each, and which of the six comparisons hold.
COMPARISONS = [
    ("dateTime", "2002-04-02T12:00:00-01:00", "2002-04-02T17:00:00+04:00", "= <= >="),
    ("dateTime", "2002-04-02T23:00:00-04:00", "2002-04-03T02:59:59Z", "!= > >="),
    ("dateTime", "1999-12-31T24:00:00", "2000-01-01T00:00:00", "= <= >="),
    ("dateTime", "2005-04-04T24:00:00", "2005-04-04T00:00:00", "!= > >="),
    ("dateTime", "2000-01-01T12:00:00", "2000-01-01T12:00:00Z", "= <= >="),
    ("dateTime", "2000-01-01T00:00:00+14:00", "1999-12-31T10:00:00Z", "= <= >="),
    ("dateTime", "-0001-12-31T00:00:00Z", "0000-01-01T00:00:00Z", "!= < <="),
    ("dateTime", "2000-01-01T00:00:00.00000000000000000001", "2000-01-01T00:00:00", "!= > >="),
    ("date", "2004-12-25-12:00", "2004-12-26+12:00", "= <= >="),
    ("date", "2004-12-25", "2004-12-25+07:00", "!= > >="),
    ("date", "2004-12-25Z", "2004-12-25-05:00", "!= < <="),
    ("date", "9999-12-31", "10000-01-01", "!= < <="),
    ("time", "21:30:00+10:30", "06:00:00-05:00", "= <= >="),
    ("time", "24:00:00+01:00", "00:00:00+01:00", "= <= >="),
    ("time", "12:00:00", "23:00:00+06:00", "!= < <="),
    ("time", "08:00:00+09:00", "17:00:00-06:00", "!= < <="),
    ("time", "23:00:00-05:00", "01:00:00Z", "!= > >="),
    ("yearMonthDuration", "P1Y", "P13M", "< <="),
    ("yearMonthDuration", "P1Y", "P12M", "<= >="),
    ("yearMonthDuration", "-P1M", "-P2M", "> >="),
    ("dayTimeDuration", "P1D", "PT25H", "< <="),
    ("dayTimeDuration", "P1D", "PT24H", "<= >="),
    ("dayTimeDuration", "PT0.10S", "-PT1S", "> >="),
]  # fmt: skip
NAMES = {
    "=": "equal",
    "!=": "not-equal",
    "<": "less-than",
    "<=": "less-than-or-equal",
    ">": "greater-than",
    ">=": "greater-than-or-equal",
}


@pytest.mark.parametrize("row", FUNCTIONS.strip().splitlines())
def test_a_function_has_the_value_of_the_standard(row: str) -> None:
    application, _, expected = row.partition(" = ")
    name, *args = application.split()
    assert call(f"func:{name}", *args) == (None if expected == "none" else expected)


@pytest.mark.parametrize(("kind", "one", "two", "true"), COMPARISONS)
def test_values_compare_as_in_the_standard(kind: str, one: str, two: str, true: str) -> None:
    for sign, name in NAMES.items():
        if sign in {"=", "!="} and kind.endswith("Duration"):
            continue
        args = f"{one}^{kind}", f"{two}^{kind}"
        assert call(f"pred:{kind}-{name}", *args) is (sign in true.split()), name


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("P1Y^yearMonthDuration", "P12M^yearMonthDuration", True),
        ("PT24H^dayTimeDuration", "P1D^dayTimeDuration", True),
        ("P1Y^yearMonthDuration", "P365D^dayTimeDuration", False),
        ("P0M^yearMonthDuration", "PT0S^dayTimeDuration", True),
        ("P1Y^yearMonthDuration", "P1M^yearMonthDuration", False),
        ("P1Y^yearMonthDuration", "P1Y^string", None),
    ],
)
def test_durations_of_both_datatypes_are_compared(
    one: str, two: str, expected: bool | None
) -> None:
    assert call("pred:duration-equal", one, two) is expected
    assert call("pred:duration-not-equal", two, one) is (None if expected is None else not expected)


def test_every_built_in_is_in_these_tables() -> None:
    tested = {FUNC + row.split()[0] for row in FUNCTIONS.strip().splitlines()}
    tested |= {f"{PRED}{kind}-{name}" for kind, *_ in COMPARISONS for name in NAMES.values()}
    tested |= {f"{PRED}duration-{name}" for name in ("equal", "not-equal")}
    assert {builtin.name for builtin in GROUPS} - tested == set()
    assert len(GROUPS) == 72


FOREIGN: list[GroundTerm] = [
    IRI("urn:a"),
    Local("a"),
    BlankNode("b"),
    GroundList(),
    Literal("2000-01-01"),
    Literal("P1D", XSD + "duration"),
    literal("2000-13-01^date"),
    literal("2000-01-01^dateTime"),
    literal("25:00:00^time"),
    literal("P1D^yearMonthDuration"),
    literal("P1Y^dayTimeDuration"),
    Literal("1", "http://e/t"),
]


@pytest.mark.parametrize("builtin", GROUPS, ids=lambda builtin: builtin.name.rpartition("#")[2])
def test_other_terms_are_outside_every_domain(builtin: Builtin) -> None:
    within = [row.split()[1:] for row in FUNCTIONS.strip().splitlines()]
    examples = [[literal(arg) for arg in row[: builtin.least]] for row in within]
    good = next(args for args in examples if builtin.evaluate(*args) is not None)
    for term in FOREIGN:
        for at in range(builtin.least):
            assert builtin.evaluate(*good[:at], term, *good[at + 1 :]) is None
        assert builtin.evaluate(*[term] * builtin.least) is None


@pytest.mark.parametrize(
    "text",
    [
        "99999999999999999999-12-31T24:00:00^dateTime",
        "99999999999999999999-12-31T24:00:00Z^dateTimeStamp",
        "P99999999999999999999DT24H^dayTimeDuration",
        "-P99999999999999999999Y12M^yearMonthDuration",
    ],
)
def test_a_value_whose_canonical_form_is_too_long_is_none(text: str) -> None:
    assert not is_lexical(literal(text).lexical, literal(text).datatype)


# the suite

INVALID_IN_XML = {39, 45, 46, 47, 50}
"""Conjuncts whose decimals the XML calls xs:integer; the presentation syntax has them right."""


def test_the_conjuncts_of_the_suite_are_true(test_data: Callable[[str], Path]) -> None:
    found = suite_conditions.suite(test_data, "Builtins_Time")
    assert len(found) == 91
    for conjunct in found:
        assert conjunct.expected or conjunct.number in INVALID_IN_XML
        assert suite_conditions.truth(conjunct.formula), conjunct
