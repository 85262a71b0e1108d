"""Lists: the examples of the standard, and agreement with the lists of Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.builtins import BUILTINS
from rif.builtins.lists import MAX_DEPTH
from rif.syntax.terms import (
    FUNC,
    IRI,
    PRED,
    XSD,
    GroundList,
    GroundTerm,
    Literal,
    Local,
    parse_canonical,
)
from tests.rif.builtins.suite_conditions import holds, suite, truth, value

L = "List(0 1 2 3 4)"

EXAMPLES = {
    "func:make-list(0 1 2)": "List(0 1 2)",
    "func:make-list()": "List()",
    "func:make-list(0)": "List(0)",
    "func:make-list(0 1 List(20 21))": "List(0 1 List(20 21))",
    f"func:count({L})": "5",
    "func:count(List(0 0 0))": "3",
    "func:count(List())": "0",
    f"func:get({L} 0)": "0",
    f"func:get({L} 1)": "1",
    f"func:get({L} 4)": "4",
    f"func:get({L} -1)": "4",
    f"func:get({L} -5)": "0",
    f"func:get({L} -10)": None,
    f"func:get({L} 5)": None,
    "func:get(List() 0)": None,
    f"func:sublist({L} 0 0)": "List()",
    f"func:sublist({L} 0 1)": "List(0)",
    f"func:sublist({L} 0 4)": "List(0 1 2 3)",
    f"func:sublist({L} 0 5)": L,
    f"func:sublist({L} 0 10)": L,
    f"func:sublist({L} 0 -2)": "List(0 1 2)",
    f"func:sublist({L} 2 4)": "List(2 3)",
    f"func:sublist({L} 2 -2)": "List(2)",
    f"func:sublist({L} 0)": L,
    f"func:sublist({L} 3)": "List(3 4)",
    f"func:sublist({L} -2)": "List(3 4)",
    f"func:sublist({L} 3 1)": "List()",
    f"func:sublist({L} 5)": "List()",
    f"func:sublist({L} 6)": None,
    f"func:sublist({L} -6)": None,
    f"func:sublist({L} 0 -6)": None,
    "func:sublist(List() 0)": "List()",
    "func:append(List(0 1 2) 3 4)": L,
    "func:append(List(1 1) List(1) List(1))": "List(1 1 List(1) List(1))",
    "func:append(List() 1)": "List(1)",
    "func:append(List() List(1) List() List(2))": "List(List(1) List() List(2))",
    "func:concatenate(List(0 1 2) List(3 4 5))": "List(0 1 2 3 4 5)",
    "func:concatenate(List(1 1) List(1) List(1))": "List(1 1 1 1)",
    "func:concatenate(List())": "List()",
    "func:concatenate(List() List(1) List() List(2))": "List(1 2)",
    "func:concatenate()": "List()",
    f"func:insert-before({L} 0 99)": "List(99 0 1 2 3 4)",
    f"func:insert-before({L} 1 99)": "List(0 99 1 2 3 4)",
    f"func:insert-before({L} 4 List(9))": "List(0 1 2 3 List(9) 4)",
    f"func:insert-before({L} 5 99)": None,
    f"func:insert-before({L} -1 99)": "List(0 1 2 3 99 4)",
    f"func:insert-before({L} -5 99)": "List(99 0 1 2 3 4)",
    f"func:insert-before({L} -10 99)": None,
    "func:insert-before(List() 0 99)": None,
    f"func:remove({L} 0)": "List(1 2 3 4)",
    f"func:remove({L} 1)": "List(0 2 3 4)",
    f"func:remove({L} 4)": "List(0 1 2 3)",
    f"func:remove({L} 5)": None,
    f"func:remove({L} -1)": "List(0 1 2 3)",
    f"func:remove({L} -5)": "List(1 2 3 4)",
    f"func:remove({L} -6)": None,
    f"func:reverse({L})": "List(4 3 2 1 0)",
    "func:reverse(List(1))": "List(1)",
    "func:reverse(List())": "List()",
    f"func:index-of({L} 2)": "List(2)",
    "func:index-of(List(0 1 2 3 4 5 2 2) 2)": "List(2 6 7)",
    "func:index-of(List(2 2 3 4 5 2 2) 2)": "List(0 1 5 6)",
    "func:index-of(List(2 2 3 4 5 2 2) 1)": "List()",
    "func:union(List(0 1 2 4) List(3 4 5 6))": "List(0 1 2 4 3 5 6)",
    "func:union(List(0 1 2 3) List(4))": L,
    "func:union(List(0 1 2 3) List(3))": "List(0 1 2 3)",
    "func:union(List(1 1))": "List(1)",
    f"func:distinct-values({L})": L,
    "func:distinct-values(List(0 1 2 3 4 0 4))": L,
    "func:distinct-values(List(3 3 3))": "List(3)",
    f"func:intersect({L} List(1 3))": "List(1 3)",
    f"func:intersect({L} List(3 1))": "List(1 3)",
    f"func:intersect({L} List())": "List()",
    f"func:intersect({L} List(0 1 2 3 4 5 6))": L,
    f"func:intersect({L} List(1 2 3) List(3 2))": "List(2 3)",
    f"func:except({L} List(1 3))": "List(0 2 4)",
    f"func:except({L} List())": L,
    f"func:except({L} {L})": "List()",
}
PREDICATES = {
    "pred:is-list(List(0 1 2 3))": True,
    "pred:is-list(1)": False,
    "pred:is-list(List(0 1 2 List(3 4)))": True,
    "pred:is-list(<urn:a>)": False,
    f"pred:list-contains({L} 2)": True,
    "pred:list-contains(List(2 2 3 4 5 2 2) 1)": False,
    "pred:list-contains(List() 1)": False,
    "pred:list-contains(List(0 1 2 3 List(7 8)) List(7 8))": True,
    "pred:list-contains(List(0 1 2 3 List(7 8)) List(7 7))": False,
    "pred:list-contains(List(0 1 2 3 List(7 8)) 7)": False,
    "pred:list-contains(1 1)": None,
}


@pytest.mark.parametrize("call", EXAMPLES)
def test_the_examples_of_the_standard(call: str) -> None:
    expected = EXAMPLES[call]
    assert value(call) == (None if expected is None else value(expected))


@pytest.mark.parametrize("call", PREDICATES)
def test_predicates(call: str) -> None:
    assert holds(call) is PREDICATES[call]


def test_items_are_compared_by_value_and_the_first_is_kept() -> None:
    mixed = 'List(1 "1" 1.0 "01"^^xs:byte 1e0 List(1) List(1.0) <urn:a> <urn:a> _a)'
    assert value(f"func:distinct-values({mixed})") == value('List(1 "1" 1e0 List(1) <urn:a> _a)')
    assert value(f'func:index-of({mixed} "+1"^^xs:integer)') == value("List(0 2 3)")
    assert value(f"func:index-of({mixed} List(01))") == value("List(5 6)")
    assert value(f"func:except({mixed} List(1.0 _a))") == value(
        'List("1" 1e0 List(1) List(1.0) <urn:a> <urn:a>)'
    )
    assert value('func:intersect(List(1 1.0 2 "x"^^xs:token) List("x" 1))') == value(
        'List(1 1.0 "x"^^xs:token)'
    )
    assert holds('pred:list-contains(List("x"^^xs:token) "x@"^^rdf:PlainLiteral)') is True
    assert holds("pred:list-contains(List(1) 1e0)") is False


def test_a_position_is_a_whole_number_of_any_exact_datatype() -> None:
    for one in ("1", "1.0", '"1"^^xs:byte', '"+01"^^xs:unsignedLong'):
        assert value(f"func:get({L} {one})") == value("1")
        assert value(f"func:remove(List(5 6) {one})") == value("List(5)")
    for none in ("1.5", "1e0", '"1"', '"300"^^xs:byte', "<urn:a>", "List(1)"):
        call = BUILTINS[FUNC + "get"].evaluate
        at = parse_canonical(f'"300"^^<{XSD}byte>') if "300" in none else value(none)
        assert call(value(L), at) is None


@pytest.mark.parametrize(
    "call",
    [
        "func:count(1)", "func:get(1 0)", "func:sublist(1 0)", f"func:sublist({L} <urn:a>)",
        f"func:sublist({L} 0 <urn:a>)", "func:append(1 2)", "func:concatenate(List() 1)",
        "func:insert-before(1 0 1)", "func:remove(1 0)", "func:reverse(1)", "func:index-of(1 1)",
        "func:union(1)", "func:union(List(1) 1)", "func:distinct-values(1)",
        "func:intersect(List(1) 1)", "func:except(List(1) 1)", "func:except(1 List(1))",
    ],
)  # fmt: skip
def test_what_is_no_list_is_outside_the_domain(call: str) -> None:
    assert value(call) is None


def test_list_contains_gives_each_member_once() -> None:
    solve = BUILTINS[PRED + "list-contains"].solve
    assert solve is not None
    items = value("List(1 List(2) 1 1.0)")
    assert list(solve(items, None) or ()) == [(items, value(t)) for t in ("1", "List(2)", "1.0")]
    solutions = solve(GroundList(), None)
    assert solutions is not None
    assert list(solutions) == []
    assert solve(value("1"), None) is None


# against Python's lists, on keys that say which terms are the same value


def literal(text: str, datatype: str) -> Literal:
    return Literal(text, XSD + datatype)


SAME: list[list[GroundTerm]] = [
    [literal("1", "integer"), literal("1.0", "decimal"), literal("+01", "byte")],
    [literal("2", "integer"), literal("2", "short")],
    [literal("1", "double"), literal("1e0", "double")],
    [Literal("1"), literal("1", "token")],
    [IRI("urn:1")],
    [Local("1")],
    [Literal("a", "http://e/t")],
    [GroundList()],
    [GroundList((literal("1", "integer"),)), GroundList((literal("1.0", "decimal"),))],
    [literal("x", "integer")],
]
keyed = st.integers(0, len(SAME) - 1).flatmap(
    lambda key: st.sampled_from(SAME[key]).map(lambda term: (key, term))
)
Keyed = list[tuple[int, GroundTerm]]
lists = st.lists(keyed, max_size=6)
positions = st.integers(-8, 8)


def call(name: str, *args: GroundTerm) -> GroundTerm | None:
    outcome = BUILTINS[FUNC + name].evaluate(*args)
    assert not isinstance(outcome, bool)
    return outcome


def rif(items: Keyed) -> GroundList:
    return GroundList(tuple(term for _, term in items))


def keys(items: Keyed) -> list[int]:
    return [key for key, _ in items]


def number(at: int) -> Literal:
    return literal(str(at), "integer")


@given(lists, positions, positions, keyed)
def test_positions_are_those_of_python(
    items: Keyed, at: int, stop: int, item: tuple[int, GroundTerm]
) -> None:
    inside = -len(items) <= at < len(items)
    removed, inserted = list(items), list(items)
    if inside:
        del removed[at]
        inserted.insert(at, item)
    whole, place = rif(items), number(at)
    assert call("get", whole, place) == (items[at][1] if inside else None)
    assert call("remove", whole, place) == (rif(removed) if inside else None)
    assert call("insert-before", whole, place, item[1]) == (rif(inserted) if inside else None)
    if inside or at == len(items):
        assert call("sublist", whole, place) == rif(items[at:])
        if stop >= -len(items):
            assert call("sublist", whole, place, number(stop)) == rif(items[at:stop])


@given(lists, lists, lists, keyed)
def test_functions_of_items_are_those_of_python(
    one: Keyed, two: Keyed, three: Keyed, item: tuple[int, GroundTerm]
) -> None:
    first, second, third = rif(one), rif(two), rif(three)
    assert call("count", first) == number(len(one))
    assert call("reverse", first) == rif(list(reversed(one)))
    assert call("concatenate", first, second, third) == rif(one + two + three)
    assert call("append", first, *second.items, item[1]) == rif([*one, *two, item])
    assert call("make-list", *first.items) == first
    found = [number(at) for at, key in enumerate(keys(one)) if key == item[0]]
    assert call("index-of", first, item[1]) == GroundList(tuple(found))
    contains = BUILTINS[PRED + "list-contains"].evaluate
    assert contains(first, item[1]) is (item[0] in keys(one))
    several = one + two + three
    firsts = [pair for at, pair in enumerate(several) if pair[0] not in keys(several[:at])]
    assert call("union", first, second, third) == rif(firsts)
    assert call("distinct-values", rif(several)) == rif(firsts)
    common = [pair for pair in one if pair[0] in keys(two) and pair[0] in keys(three)]
    assert call("intersect", first, second, third) == rif(common)
    assert call("except", first, second) == rif([p for p in one if p[0] not in keys(two)])


@given(lists, lists, positions)
def test_laws(one: Keyed, two: Keyed, at: int) -> None:
    first, second = rif(one), rif(two)
    assert call("union", first, second) == call("distinct-values", rif(one + two))
    assert call("intersect", first) == first
    reverse = call("reverse", first)
    assert reverse is not None
    assert call("reverse", reverse) == first
    head, tail = call("sublist", first, number(0), number(at)), call("sublist", first, number(at))
    if head is not None and tail is not None:
        assert call("concatenate", head, tail) == first
    without = call("except", first, second)
    assert without is not None
    assert call("intersect", without, second) == GroundList()


# size


def test_lists_do_not_grow_too_deep() -> None:
    deep: GroundTerm = GroundList()
    for _ in range(MAX_DEPTH - 1):
        deeper = call("make-list", deep)
        assert deeper is not None
        deep = deeper
    one = number(1)
    assert call("make-list", deep) is None
    assert call("append", GroundList(), one, deep) is None
    assert call("insert-before", GroundList((one,)), number(0), deep) is None
    assert parse_canonical(str(deep)) == deep


def test_lists_do_not_grow_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rif.builtins.lists.MAX_ITEMS", 1000)
    term: GroundTerm = number(1)
    sizes = 0
    while (twice := call("make-list", term, term)) is not None:
        term, sizes = twice, 2 * sizes + 2
    assert sizes == 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256
    many = GroundList((number(1),) * 500)
    assert call("concatenate", many, many) is not None
    assert call("concatenate", many, many, GroundList((number(1),))) is None
    assert call("append", many, *many.items, number(1)) is None


def test_long_lists() -> None:
    long = GroundList(tuple(map(number, range(10_000))))  # the square of that takes minutes
    assert parse_canonical(str(long)) == long
    assert call("distinct-values", long) == call("union", long, long) == long
    assert call("intersect", long, long, long) == long
    assert call("except", long, long) == GroundList()


# the suite


def test_the_conjuncts_of_the_suite(test_data: Callable[[str], Path]) -> None:
    conjuncts = suite(test_data, "Builtins_List")
    assert len(conjuncts) == 16
    for conjunct in conjuncts:
        assert truth(conjunct.formula) is conjunct.expected, conjunct
