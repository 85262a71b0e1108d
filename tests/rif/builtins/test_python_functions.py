"""A Python function as a built-in: which values it takes and gives, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins.python_functions import python_builtin, python_value
from rif.builtins.signatures import OutsideDomain
from rif.syntax.terms import (
    IRI,
    RDF_LANG_STRING,
    XSD,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
    Local,
)

F = "urn:ex:f"
EAST = timezone(timedelta(hours=5, minutes=30))


def xsd(text: str, datatype: str) -> Literal:
    return Literal(text, XSD + datatype)


PAIRS: list[tuple[Literal, object]] = [
    (xsd("7", "integer"), 7),
    (xsd("-0.5", "decimal"), Decimal("-0.5")),
    (xsd("1.5E0", "double"), 1.5),
    (xsd("INF", "double"), float("inf")),
    (Literal("día\n"), "día\n"),
    (xsd("true", "boolean"), True),
    (xsd("2026-07-01T06:24:00.25Z", "dateTime"), datetime(2026, 7, 1, 6, 24, 0, 250000, UTC)),
    (xsd("2026-07-01T06:24:00+05:30", "dateTime"), datetime(2026, 7, 1, 6, 24, tzinfo=EAST)),
    (xsd("2026-07-01", "date"), date(2026, 7, 1)),
    (xsd("06:24:00", "time"), time(6, 24)),
    (xsd("06:24:00Z", "time"), time(6, 24, tzinfo=UTC)),
    (xsd("-P1DT0.5S", "dayTimeDuration"), -timedelta(days=1, microseconds=500000)),
]
"""Terms in canonical form and their values, each the one of the other."""


@pytest.mark.parametrize(("term", "value"), PAIRS)
def test_a_value_comes_and_goes_as_python_has_it(term: Literal, value: object) -> None:
    got = python_value(term)
    assert (type(got), got) == (type(value), value)
    assert python_builtin(F, lambda: value, predicate=False).evaluate() == term


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (xsd("07", "unsignedByte"), 7),
        (xsd("1.50", "decimal"), Decimal("1.50")),
        (xsd("0.1", "float"), float.fromhex("0x1.99999ap-4")),
        (xsd("a b", "token"), "a b"),
        (xsd("1", "boolean"), True),
        (xsd("2026-07-01T24:00:00Z", "dateTimeStamp"), datetime(2026, 7, 2, tzinfo=UTC)),
        (xsd("P1DT24H", "dayTimeDuration"), timedelta(days=2)),
    ],
)
def test_other_forms_and_datatypes_are_taken_by_their_value(term: Literal, value: object) -> None:
    got = python_value(term)
    assert (type(got), got) == (type(value), value)


@pytest.mark.parametrize(
    "term",
    [
        IRI("urn:ex:a"),
        BlankNode("d1_b0"),
        Local("here"),
        GroundList((IRI("urn:ex:a"), xsd("1", "integer"))),
        Literal("hi", RDF_LANG_STRING, "en"),
        Literal("x", "urn:ex:datatype"),
        xsd("seven", "integer"),
        xsd("P1M", "yearMonthDuration"),
        xsd("urn:a", "anyURI"),
        xsd("2026-07-01T06:24:00", "dateTime"),
        xsd("2026-07-01Z", "date"),
        xsd("12026-07-01T06:24:00Z", "dateTime"),
        xsd("-0001-07-01T06:24:00Z", "dateTime"),
        xsd("2026-07-01T06:24:00.1234567Z", "dateTime"),
        xsd("PT0.0000001S", "dayTimeDuration"),
        xsd("P9999999999D", "dayTimeDuration"),
    ],
)
def test_what_python_does_not_have_stays_a_term(term: GroundTerm) -> None:
    assert python_value(term) is term
    assert python_builtin(F, lambda given: given).evaluate(term) == term


@given(
    st.one_of(
        st.integers(),
        st.decimals(allow_nan=False, allow_infinity=False, places=6),
        st.floats(allow_nan=False),
        st.text(st.characters(exclude_categories=["Cs"])),
        st.booleans(),
        st.datetimes(timezones=st.just(UTC), min_value=datetime(1, 1, 2)),  # noqa: DTZ001
        st.dates(),
        st.times(timezones=st.one_of(st.none(), st.just(UTC))),
        st.timedeltas(),
    )
)
def test_whatever_is_given_is_taken_back(value: object) -> None:
    term = python_builtin(F, lambda: value, predicate=False).evaluate()
    assert isinstance(term, Literal)
    got = python_value(term)
    assert (type(got), got) == (type(value), value)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError


def reason(call: Callable[..., object], *, predicate: bool = False) -> str:
    with pytest.raises(OutsideDomain) as found:
        python_builtin(F, call, predicate=predicate).evaluate()
    return str(found.value)


def test_the_reason_is_the_last_line_of_an_exception() -> None:
    def lines() -> object:
        message = "first\nlast "
        raise KeyError(message)

    def own() -> object:
        message = "no such station"
        raise OutsideDomain(message)

    def silent() -> object:
        raise OutsideDomain

    def long() -> object:
        message = "first\r\nlast\n"
        raise OutsideDomain(message)

    def unspeakable() -> object:
        raise Unspeakable

    assert reason(lambda: 1 // 0).startswith("ZeroDivisionError: ")
    assert reason(lines) == r"KeyError: 'first\nlast '"
    assert reason(own) == "no such station"
    assert reason(silent) == ""
    assert reason(long) == "last"
    assert reason(unspeakable) == "Unspeakable"


class Level(int, Enum):
    HIGH = 7


class Word(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "another"


class Part(Decimal):
    def __str__(self) -> str:
        return "a part"


@pytest.mark.parametrize(
    ("value", "due"),
    [
        (Level.HIGH, xsd("7", "integer")),
        (Word("a"), Literal("a")),
        (Part("0.5"), xsd("0.5", "decimal")),
        (np.float64(1.5), xsd("1.5E0", "double")),
    ],
)
def test_of_a_derived_type_the_value_counts(value: object, due: Literal) -> None:
    found = python_builtin(F, lambda: value, predicate=False).evaluate()
    assert found == due
    assert str(found) == str(due)


def test_none_is_outside_without_a_reason() -> None:
    assert python_builtin(F, lambda: None).evaluate() is None
    assert python_builtin(F, lambda: None, predicate=True).evaluate() is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "no value of RDF: a dict"),
        (Decimal("NaN"), "no value of RDF: a decimal.Decimal"),
        (np.int64(7), "no value of RDF: a numpy.int64"),
        (10**4000, "no value of RDF: a int"),
        (datetime(2026, 7, 1), "a datetime without a zone"),  # noqa: DTZ001
        (IRI("no iri"), "no value of RDF: '<no iri>'"),
        (Literal("x", "a b"), "no value of RDF: "),
        (BlankNode("a b"), "no value of RDF: '_:a b'"),
        ("\ud800", "no value of RDF: "),
        (GroundList((IRI(""),)), "no value of RDF: "),
    ],
)
def test_what_is_no_value_of_rdf_is_outside(value: object, said: str) -> None:
    assert reason(lambda: value).startswith(said)


def test_an_error_that_is_no_exception_ends_the_run() -> None:
    def interrupted() -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        python_builtin(F, interrupted).evaluate()


def test_arity_is_that_of_the_signature() -> None:
    def some(a: int, b: int = 0, /, *, c: int = 0) -> int:
        return a + b + c

    def endless(a: int, *more: int) -> int:
        return a + sum(more)

    def named(*, a: int) -> int:
        return a

    assert python_builtin(F, some).arities == (1, 2)
    assert python_builtin(F, endless).arities == (1, None)
    assert python_builtin(F, max).arities == (0, None)
    with pytest.raises(TypeError, match="urn:ex:f: rules have no keyword for the argument a"):
        python_builtin(F, named)
    with pytest.raises(ValueError, match="'f' is no absolute IRI"):
        python_builtin("f", some)


def test_what_is_annotated_to_give_a_bool_is_a_predicate() -> None:
    def by_name(a: int) -> bool:
        return a > 0

    by_class: Callable[[int], bool] = lambda a: a > 0  # noqa: E731
    by_class.__annotations__["return"] = bool
    assert python_builtin(F, by_name).kind == "predicate"
    assert python_builtin(F, by_class).kind == "predicate"
    assert python_builtin(F, by_name, predicate=False).evaluate(xsd("1", "integer")) == xsd(
        "true", "boolean"
    )
    assert python_builtin(F, lambda a: a).kind == "function"
    assert python_builtin(F, lambda: True, predicate=True).evaluate() is True
    assert reason(lambda: np.True_, predicate=True).endswith("not a numpy.bool")
    assert reason(lambda: 1, predicate=True) == "a predicate gives True or False, not a int"
