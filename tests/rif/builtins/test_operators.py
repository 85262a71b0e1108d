"""Operators: a table by hand, and what the built-ins of RIF-DTB say of the same two terms."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.builtins.signatures import Outcome
from rif.syntax.terms import (
    FUNC,
    IRI,
    PRED,
    RDF_LANG_STRING,
    XSD,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
)
from rif.values.datatypes import same_value
from tests.rif.builtins.calls import call, literal

ORDER = ("less-than", "less-than-or-equal", "greater-than", "greater-than-or-equal")
NUMERIC = ("integer", "int", "decimal", "float", "double")
DURATIONS = ("dayTimeDuration", "yearMonthDuration")

JANUARY = "2024-01-31T08:00:00Z^dateTime"
EQUAL_TERMS = [
    ("1^integer", "1.0^decimal"),
    ("01^integer", "1^int"),
    ("1^integer", "1.0e0^double"),
    ("0.0^double", "-0.0^double"),
    ("0.1^decimal", "0.1^float"),
    (JANUARY, "2024-01-31T09:00:00+01:00^dateTime"),
    (JANUARY, "2024-01-31T08:00:00.0Z^dateTimeStamp"),
    (JANUARY, "2024-01-31T08:00:00^dateTime"),
    ("2024-01-31Z^date", "2024-01-31^date"),
    ("08:00:00Z^time", "09:00:00+01:00^time"),
    ("PT60S^dayTimeDuration", "PT1M^dayTimeDuration"),
    ("P12M^yearMonthDuration", "P1Y^yearMonthDuration"),
    ("P0M^yearMonthDuration", "PT0S^dayTimeDuration"),
    ("a^string", "a^token"),
    ("true^boolean", "1^boolean"),
    ("x^integer", "x^integer"),
    ("a^anyURI", "a^anyURI"),
]
UNEQUAL_TERMS = [
    ("NaN^double", "NaN^double"),
    ("1^integer", "1^string"),
    ("1^integer", "true^boolean"),
    ("x^integer", "x^decimal"),
    ("x^integer", "1^integer"),
    ("2024-01-31^date", "2024-01-31T00:00:00^dateTime"),
    ("P1M^yearMonthDuration", "P30D^dayTimeDuration"),
    ("a^anyURI", "a^string"),
    ("AA^hexBinary", "aa^hexBinary"),
    ("9007199254740993^integer", "9007199254740992^integer"),
]


@pytest.mark.parametrize(("left", "right"), EQUAL_TERMS)
def test_two_names_of_a_value_are_equal(left: str, right: str) -> None:
    assert call("own:equal", left, right) is True
    assert call("own:equal", right, left) is True


@pytest.mark.parametrize(("left", "right"), UNEQUAL_TERMS)
def test_other_values_are_not_equal(left: str, right: str) -> None:
    assert call("own:equal", left, right) is False
    assert call("own:equal", right, left) is False


@pytest.mark.parametrize(
    ("less", "greater"),
    [
        ("1^integer", "1.5^decimal"),
        ("-INF^double", "0^integer"),
        ("9007199254740992^integer", "9007199254740993^integer"),
        ("2024-01-31T08:30:00+01:00^dateTime", JANUARY),
        ("2024-01-31T07:59:59^dateTime", JANUARY),
        ("2024-01-31^date", "2024-02-01^date"),
        ("01:00:00Z^time", "23:00:00-05:00^time"),
        ("PT59S^dayTimeDuration", "PT1M^dayTimeDuration"),
        ("-P1M^yearMonthDuration", "PT0S^dayTimeDuration"),
        ("Z^string", "a^string"),
        ("\ufffd^string", "\U0001f600^token"),
        ("false^boolean", "1^boolean"),
    ],
)
def test_values_of_one_kind_are_ordered(less: str, greater: str) -> None:
    for left, right, outcomes in (
        (less, greater, (True, True, False, False)),
        (greater, less, (False, False, True, True)),
        (less, less, (False, True, False, True)),
    ):
        assert tuple(call(f"own:{name}", left, right) for name in ORDER) == outcomes


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1^integer", "2^string"),
        ("x^integer", "2^integer"),
        ("1^integer", "PT1S^dayTimeDuration"),
        ("2024-01-31^date", JANUARY),
        ("P1M^yearMonthDuration", "P1D^dayTimeDuration"),
        ("0^integer", "true^boolean"),
        ("a^anyURI", "b^anyURI"),
    ],
)
def test_what_has_no_order_is_outside_the_domain(left: str, right: str) -> None:
    assert {call(f"own:{name}", left, right) for name in ORDER} == {None}


@pytest.mark.parametrize(
    ("name", "left", "right", "due"),
    [
        ("add", "1^integer", "2.50^decimal", "3.5^decimal"),
        ("add", "1^int", "2^byte", "3^integer"),
        ("add", JANUARY, "PT1H^dayTimeDuration", "2024-01-31T09:00:00Z^dateTime"),
        ("add", JANUARY, "P1M^yearMonthDuration", "2024-02-29T08:00:00Z^dateTime"),
        ("add", "P1M^yearMonthDuration", "2024-01-31^date", "2024-02-29^date"),
        ("add", "PT2H^dayTimeDuration", "23:00:00^time", "01:00:00^time"),
        ("add", "PT1M^dayTimeDuration", "PT1S^dayTimeDuration", "PT1M1S^dayTimeDuration"),
        ("add", "P1Y^yearMonthDuration", "P1M^yearMonthDuration", "P1Y1M^yearMonthDuration"),
        ("add", "PT0S^dayTimeDuration", "P1M^yearMonthDuration", "P1M^yearMonthDuration"),
        ("add", "P0M^yearMonthDuration", "P0M^yearMonthDuration", "P0M^yearMonthDuration"),
        ("add", "PT0S^dayTimeDuration", "P0M^yearMonthDuration", "PT0S^dayTimeDuration"),
        ("add", "P1M^yearMonthDuration", "P1D^dayTimeDuration", None),
        ("add", "23:00:00^time", "P1M^yearMonthDuration", None),
        ("add", JANUARY, JANUARY, None),
        ("add", JANUARY, "1^integer", None),
        ("add", "a^string", "b^string", None),
        ("add", "true^boolean", "true^boolean", None),
        ("subtract", "1^integer", "2^integer", "-1^integer"),
        ("subtract", JANUARY, "2024-01-31T06:30:00^dateTime", "PT1H30M^dayTimeDuration"),
        ("subtract", "2024-03-01^date", "2024-02-01^date", "P29D^dayTimeDuration"),
        ("subtract", "08:00:00Z^time", "09:30:00Z^time", "-PT1H30M^dayTimeDuration"),
        ("subtract", "2024-03-31^date", "P1M^yearMonthDuration", "2024-02-29^date"),
        ("subtract", JANUARY, "PT8H^dayTimeDuration", "2024-01-31T00:00:00Z^dateTime"),
        ("subtract", "00:30:00^time", "PT1H^dayTimeDuration", "23:30:00^time"),
        ("subtract", "P1Y^yearMonthDuration", "P13M^yearMonthDuration", "-P1M^yearMonthDuration"),
        ("subtract", "PT8H^dayTimeDuration", JANUARY, None),
        ("multiply", "2^integer", "1.5e0^float", "3.0E0^float"),
        ("multiply", "PT1M^dayTimeDuration", "1.5^decimal", "PT1M30S^dayTimeDuration"),
        ("multiply", "3^integer", "P5M^yearMonthDuration", "P1Y3M^yearMonthDuration"),
        ("multiply", "P0M^yearMonthDuration", "3^integer", "P0M^yearMonthDuration"),
        ("multiply", "PT1M^dayTimeDuration", "PT1M^dayTimeDuration", None),
        ("divide", "1^integer", "3^integer", "0." + "3" * 18 + "^decimal"),
        ("divide", "6^integer", "3^integer", "2^decimal"),
        ("divide", "1^integer", "0^integer", None),
        ("divide", "PT1M^dayTimeDuration", "8^integer", "PT7.5S^dayTimeDuration"),
        ("divide", "PT1M^dayTimeDuration", "PT8S^dayTimeDuration", "7.5^decimal"),
        ("divide", "P1Y^yearMonthDuration", "P5M^yearMonthDuration", "2.4^decimal"),
        ("divide", "P1Y^yearMonthDuration", "P5D^dayTimeDuration", None),
        ("divide", "8^integer", "PT1M^dayTimeDuration", None),
    ],
)
def test_arithmetic_is_that_of_the_kinds(name: str, left: str, right: str, due: str | None) -> None:
    assert call(f"own:{name}", left, right) == due


# agreement with the built-ins of the standard


def outcome_of_any(names: list[str], *terms: GroundTerm) -> Outcome:
    """What those of the built-ins say that have these terms in their domain: all the same."""
    known = [BUILTINS[name] for name in names if name in BUILTINS]
    found = [each.evaluate(*terms) for each in known]
    values = [each for each in found if each is not None]
    assert all(is_same(values[0], each) for each in values)
    return values[0] if values else None


def is_same(one: Outcome, two: Outcome) -> bool:
    if one is None or two is None or isinstance(one, bool) or isinstance(two, bool):
        return one is two
    return same_value(one, two)


def text_order(left: GroundTerm, right: GroundTerm) -> int | None:
    found = BUILTINS[FUNC + "compare"].evaluate(left, right)
    return int(found.lexical) if isinstance(found, Literal) else None


def truth(term: GroundTerm) -> bool | None:
    true = Literal("true", XSD + "boolean")
    return None if BUILTINS[FUNC + "not"].evaluate(term) is None else same_value(term, true)


def compared(name: str, left: GroundTerm, right: GroundTerm) -> Outcome:
    """The comparison by the standard; None where it has none."""
    kinds = ("numeric", "dateTime", "date", "time", *DURATIONS, "duration")
    found = outcome_of_any([f"{PRED}{kind}-{name}" for kind in kinds], left, right)
    if found is not None:
        return found
    one, two = truth(left), truth(right)
    order = text_order(left, right) if one is None or two is None else one - two
    if order is None:
        return None
    return {"less": order < 0, "greater": order > 0, "equal": False}[name.partition("-")[0]] or (
        name.endswith("equal") and order == 0
    )


FUNCTIONS = {
    "add": ["numeric-add", *(f"add-{kind}s" for kind in DURATIONS)],
    "subtract": [
        "numeric-subtract",
        *(f"subtract-{kind}s" for kind in ("dateTime", "date", "time", *DURATIONS)),
        *(
            f"subtract-{kind}-from-{moment}"
            for kind, moment in product(DURATIONS, ("dateTime", "date", "time"))
        ),
    ],
    "multiply": ["numeric-multiply"],
    "divide": [
        "numeric-divide",
        *(f"divide-{kind}" for kind in DURATIONS),
        *(f"divide-{kind}-by-{kind}" for kind in DURATIONS),
    ],
}
EITHER_WAY = {
    "add": [
        f"add-{kind}-to-{moment}"
        for kind, moment in product(DURATIONS, ("dateTime", "date", "time"))
    ],
    "multiply": [f"multiply-{kind}" for kind in DURATIONS],
}


def computed(name: str, left: GroundTerm, right: GroundTerm) -> Outcome:
    """The value by the standard; None where it has none."""
    found = outcome_of_any([FUNC + each for each in FUNCTIONS[name]], left, right)
    for args in ((left, right), (right, left)):
        if found is None:
            found = outcome_of_any([FUNC + each for each in EITHER_WAY.get(name, ())], *args)
    return found


def typed(datatypes: tuple[str, ...], texts: st.SearchStrategy[str]) -> st.SearchStrategy[Literal]:
    return st.builds(
        lambda kind, text: Literal(text, XSD + kind), st.sampled_from(datatypes), texts
    )


zones = st.sampled_from(["", "Z", "+01:00", "-05:00"])
days = st.dates().map(str)
clocks = st.times().map(lambda time: time.isoformat())
numbers = typed(
    NUMERIC,
    st.integers(-5, 5).map(str)
    | st.decimals(-3, 3, places=1, allow_nan=False).map(str)
    | st.sampled_from(["NaN", "INF", "-INF", "1e3", "-0.0", "x", "9007199254740993", "0.1"]),
)
moments = st.one_of(
    st.builds(lambda d, z: Literal(d + z, XSD + "date"), days, zones),
    st.builds(lambda t, z: Literal(t + z, XSD + "time"), clocks, zones),
    st.builds(lambda d, t, z: Literal(f"{d}T{t}{z}", XSD + "dateTime"), days, clocks, zones),
)
lengths = st.one_of(
    st.builds(lambda s, n: f"{s}P{n}M", st.sampled_from(["", "-"]), st.integers(0, 30)).map(
        lambda text: Literal(text, XSD + "yearMonthDuration")
    ),
    st.builds(lambda s, n: f"{s}PT{n}S", st.sampled_from(["", "-"]), st.integers(0, 9**6)).map(
        lambda text: Literal(text, XSD + "dayTimeDuration")
    ),
)
others: st.SearchStrategy[GroundTerm] = st.one_of(
    typed(("string", "token", "NCName", "anyURI"), st.sampled_from(["", "a", "ab", "b", "1", "é"])),
    typed(("boolean",), st.sampled_from(["true", "false", "1", "0", "x"])),
    st.sampled_from(
        [
            IRI("urn:a"),
            BlankNode("b"),
            Literal("a", RDF_LANG_STRING, "en"),
            Literal("a", "urn:datatype"),
            Literal("P1Y", XSD + "duration"),
            GroundList((literal("1^integer"),)),
            GroundList((literal("1.0^decimal"),)),
        ]
    ),
)
terms = numbers | moments | lengths | others
pairs = st.one_of(
    st.tuples(terms, terms),
    *(st.tuples(kind, kind) for kind in (numbers, moments, lengths, others)),
    st.tuples(moments, lengths),
    st.tuples(lengths, moments),
    st.tuples(lengths, numbers),
    st.tuples(numbers, lengths),
)


@given(st.sampled_from(ORDER), pairs)
def test_an_order_is_that_of_the_standard(name: str, pair: tuple[GroundTerm, GroundTerm]) -> None:
    assert call(f"own:{name}", *pair) == compared(name, *pair)


@given(pairs)
def test_equal_is_that_of_the_standard_or_identity(pair: tuple[GroundTerm, GroundTerm]) -> None:
    known = compared("equal", *pair)
    assert call("own:equal", *pair) is (pair[0] == pair[1] if known is None else known)
    assert call("own:equal", *pair) is call("own:equal", *pair[::-1])


@given(st.sampled_from(list(FUNCTIONS)), pairs)
def test_arithmetic_is_that_of_the_standard(name: str, pair: tuple[GroundTerm, GroundTerm]) -> None:
    assert is_same(BUILTINS["urn:r4:builtin#" + name].evaluate(*pair), computed(name, *pair))


@given(pairs)
def test_of_two_values_of_a_kind_one_of_three_holds(pair: tuple[GroundTerm, GroundTerm]) -> None:
    less, greater = (call(f"own:{name}", *pair) for name in ("less-than", "greater-than"))
    if less is None:
        assert greater is None
        return
    holding = [less, call("own:equal", *pair), greater].count(True)
    assert holding == (0 if "NaN" in {getattr(term, "lexical", "") for term in pair} else 1)
