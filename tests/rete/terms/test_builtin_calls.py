"""Calls of built-ins: one for each distinct tuple of arguments; what is outside is counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.time.ticks import Kind, StampFormat
from rete.terms.builtin_calls import (
    OUT_OF_DOMAIN,
    Arguments,
    DomainErrors,
    FunctionCalls,
    evaluation,
    sum_by_builtin,
)
from rete.terms.dictionary import Dictionary
from rif.builtins import BUILTINS
from rif.builtins.extensions import R4_BUILTIN
from rif.syntax.terms import XSD, Literal
from tests.rete.nodes.builtin_rows import dictionaries


def test_what_nodes_of_one_built_in_count_is_summed() -> None:
    parts = [
        DomainErrors("b", 1, [("1",)]),
        DomainErrors("a", 2, [("x", "y")]),
        DomainErrors("b", 20, [("1",), *((f"{n}",) for n in range(2, 12))]),
    ]
    found = sum_by_builtin(parts)
    assert [(each.builtin, each.count) for each in found] == [("a", 2), ("b", 21)]
    assert found[1].samples == [(f"{n}",) for n in range(1, 11)]


def test_the_reason_is_that_of_the_part_that_has_one() -> None:
    parts = [DomainErrors("b", 1, [("1",)]), DomainErrors("b", 1, [("2",)], "broken")]
    (found,) = sum_by_builtin(parts)
    assert (found.reason, found.samples) == ("broken", [("2",), ("1",)])


@given(
    rows=st.integers(0, 3).flatmap(
        lambda k: st.lists(st.tuples(*[st.integers(0, 3) | st.integers()] * k), max_size=40).map(
            lambda rows: np.array(rows, object).reshape(len(rows), k) % 2**40
        )
    )
)
def test_distinct_rows_are_numbered_as_they_come(rows: np.ndarray) -> None:
    found = [tuple(row) for row in rows.tolist()]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(found))}
    for terms in dictionaries():
        firsts, which = terms.distinct(rows.astype(np.int64))
        assert firsts.tolist() == [found.index(row) for row in numbers]
        assert which.tolist() == [numbers[row] for row in found]


@pytest.mark.parametrize(
    ("name", "left", "right", "counted"),
    [
        ("greater-than", "PT5M", 299_999, True),
        ("less-than", 300_001, "PT5M", False),
        ("equal", "PT0.003S", 3, True),
        ("add", 5, "PT1S", Literal("1005", XSD + "integer")),
        ("subtract", 5, "PT0.0005S", Literal("4.5", XSD + "decimal")),
    ],
)
def test_a_duration_beside_an_integer_counts_ticks(
    name: str, left: str | int, right: str | int, counted: object
) -> None:
    kinds = {str: "dayTimeDuration", int: "integer"}
    arguments = [Literal(str(each), XSD + kinds[type(each)]) for each in (left, right)]
    terms, clock = Dictionary(), StampFormat()
    builtin, terms.clock = BUILTINS[R4_BUILTIN + name], clock
    for clock.kind in (None, Kind.DATE_TIME, Kind.INTEGER):
        found = evaluation(builtin, terms)(*arguments)
        assert found == (counted if clock.kind is Kind.INTEGER else builtin.evaluate(*arguments))
    assert counted != builtin.evaluate(*arguments)


def test_what_is_remembered_does_not_outlive_what_a_tick_is() -> None:
    terms, clock = Dictionary(), StampFormat()
    terms.clock = clock
    builtin = BUILTINS[R4_BUILTIN + "less-than"]
    texts = [str(Literal("3", XSD + "integer")), str(Literal("PT1S", XSD + "dayTimeDuration"))]
    rows = np.array([[*terms.encode_many(texts), 0, 1]])
    calls = FunctionCalls.of(Arguments(builtin.name, (0, 1), terms), builtin)
    assert calls.values(rows).tolist() == [OUT_OF_DOMAIN]
    clock.kind = Kind.INTEGER
    assert calls.values(rows).tolist() == [1]


def test_a_number_of_durations_is_a_duration() -> None:
    terms = Dictionary()
    terms.clock = StampFormat(kind=Kind.INTEGER)
    twice = evaluation(BUILTINS[R4_BUILTIN + "multiply"], terms)
    second = Literal("PT1S", XSD + "dayTimeDuration")
    assert str(twice(Literal("2", XSD + "integer"), second)).startswith('"PT2S"')
