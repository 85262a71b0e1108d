"""Nodes of built-ins: what they let through is what the built-in says, row by row, and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, Rows
from rete.graph.streams import Stream
from rete.kernels import Backend, load
from rete.nodes.filter import EQUAL, SAME_TERM, Filter, FilterNode
from rete.nodes.function import Apply, ApplyNode
from rete.nodes.scan import Scan
from rete.nodes.solve import Solve, SolveNode
from rete.terms.builtin_calls import FEW, UNKNOWN_ARGUMENT, DomainErrors, sum_by_builtin
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Operand
from rif.builtins import BUILTINS
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import Outcome
from rif.syntax.terms import FUNC, IRI, PRED, RDF_LANG_STRING, XSD, GroundList, GroundTerm, Literal
from rif.values.datatypes import same_value

BACKENDS: list[Backend] = ["pure", "compiled"]

TERMS: tuple[GroundTerm, ...] = (
    *(Literal(text, XSD + "integer") for text in ("1", "01", "2", "-3", "9007199254740993", "x")),
    *(Literal(text, XSD + "decimal") for text in ("1.0", "0.1", "9007199254740993.5")),
    *(Literal(text, XSD + kind) for text in ("1", "0.1", "NaN") for kind in ("float", "double")),
    *(Literal(text) for text in ("", "a", "ab", "http://example.org/a", "1")),
    Literal("a", RDF_LANG_STRING, "en"),
    Literal("1", "http://example.org/datatype"),
    IRI("http://example.org/a"),
    IRI("http://example.org/b"),
    GroundList(),
    GroundList((Literal("1", XSD + "integer"), Literal("a"))),
    GroundList((Literal("1.0", XSD + "decimal"), Literal("a"))),
)  # fmt: skip
SOURCE = Scan(TRIPLES, (), (), (0, 1, 2))
FILTERS = [
    EQUAL,
    SAME_TERM,
    R4_BUILTIN + "not-same-term",
    R4_BUILTIN + "datatype",
    *(f"{PRED}numeric-{name}" for name in ("equal", "not-equal", "less-than", "greater-than")),
    PRED + "numeric-less-than-or-equal",
    PRED + "numeric-greater-than-or-equal",
    PRED + "contains",
    PRED + "iri-string",
    PRED + "list-contains",
    PRED + "literal-not-identical",
]
FUNCTIONS = [
    FUNC + name for name in ("numeric-add", "numeric-divide", "concat", "substring-before")
]
SOLVED = [PRED + "list-contains", PRED + "iri-string", R4_BUILTIN + "datatype"]


def outcome(name: str, *args: GroundTerm) -> Outcome:
    if name == EQUAL:
        return same_value(*args)
    return args[0] == args[1] if name == SAME_TERM else BUILTINS[name].evaluate(*args)


def dictionaries() -> Iterator[Dictionary]:
    for backend in BACKENDS:
        try:
            load(backend)
        except ImportError:
            continue
        yield Dictionary(backend)
        yield Dictionary(backend, by_value=True)


def delta(terms: Dictionary, choices: list[tuple[int, int]], times: int) -> Rows:
    """A row for each pair of terms, over and over, with its number as valid time."""
    ids = terms.encode_many([str(term) for term in TERMS])
    terms.pin(ids)
    pairs = np.array(choices * times, np.int64).reshape(-1, 2)
    rows = np.empty((len(pairs), 5), np.int64)
    rows[:, 0] = ids[0]
    rows[:, 1:3] = ids[pairs]
    rows[:, 3] = np.arange(len(rows))
    rows[:, 4] = POS_INF
    return rows


PAIRS = st.lists(st.tuples(*[st.integers(0, len(TERMS) - 1)] * 2), max_size=FEW // 2)
OPERANDS = st.tuples(*[st.sampled_from([1, 2, *map(str, TERMS)])] * 2)
TIMES = st.sampled_from([1, 1, 3, FEW])


def given_to(terms: Dictionary, row: list[int], args: tuple[Operand, ...]) -> list[GroundTerm]:
    ids = [terms.encode(arg) if isinstance(arg, str) else row[arg] for arg in args]
    return [terms.term(term) for term in ids]


def agrees(outside: DomainErrors, missed: Sequence[Sequence[GroundTerm | str]]) -> None:
    assert outside.count == len(missed)
    texts = {tuple(map(str, args)) for args in missed}
    assert len(outside.samples) == len(set(outside.samples)) <= 10
    assert set(outside.samples) <= texts
    assert bool(outside.samples) == bool(texts)


@given(test=st.sampled_from(FILTERS), choices=PAIRS, args=OPERANDS, times=TIMES)
def test_a_filter_lets_pass_what_its_predicate_is_true_of(
    test: str, choices: list[tuple[int, int]], args: tuple[Operand, Operand], times: int
) -> None:
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = FilterNode(Filter(SOURCE, test, args, (1, 2)), Stream(SOURCE), terms)
        every = [given_to(terms, row, args) for row in rows.tolist()]
        outcomes = [outcome(test, *each) for each in every]
        for part in (rows[:0], rows):
            passed = node.apply(part)
        assert np.array_equal(passed, rows[[found is True for found in outcomes]][:, 1:])
        missed = [each for each, found in zip(every, outcomes, strict=True) if found is None]
        agrees(node.outside, missed)


@given(
    test=st.sampled_from([R4_BUILTIN + "is-literal", R4_BUILTIN + "ill-typed", PRED + "is-list"]),
    choices=PAIRS,
    arg=OPERANDS,
    times=TIMES,
)
def test_a_filter_of_one_argument(
    test: str, choices: list[tuple[int, int]], arg: tuple[Operand, Operand], times: int
) -> None:
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = FilterNode(Filter(SOURCE, test, arg[:1], (0,)), Stream(SOURCE), terms)
        every = [given_to(terms, row, arg[:1]) for row in rows.tolist()]
        expected = rows[[bool(outcome(test, *each)) for each in every]][:, [0, 3, 4]]
        assert np.array_equal(node.apply(rows), expected)
        assert node.outside.count == 0


@given(function=st.sampled_from(FUNCTIONS), choices=PAIRS, args=OPERANDS, times=TIMES)
def test_a_function_gives_its_value_or_no_row(
    function: str, choices: list[tuple[int, int]], args: tuple[Operand, Operand], times: int
) -> None:
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = ApplyNode(Apply(SOURCE, function, args, (1,)), Stream(SOURCE), terms)
        every = [given_to(terms, row, args) for row in rows.tolist()]
        values = [outcome(function, *each) for each in every]
        expected = [
            [row[1], terms.lookup(str(value)), *row[3:]]
            for row, value in zip(node_rows(node, rows), values, strict=True)
            if value is not None
        ]
        assert node.apply(rows).tolist() == expected
        missed = [each for each, value in zip(every, values, strict=True) if value is None] * 2
        agrees(node.outside, missed)
        terms._check()


def node_rows(node: ApplyNode, rows: Rows) -> list[list[int]]:
    """The rows, after the node has seen them once: what it computes has its id then."""
    node.apply(rows)
    found: list[list[int]] = rows.tolist()
    return found


@given(predicate=st.sampled_from(SOLVED), choices=PAIRS, times=TIMES)
def test_a_predicate_is_solved_for_an_argument(
    predicate: str, choices: list[tuple[int, int]], times: int
) -> None:
    solve = BUILTINS[predicate].solve
    assert solve is not None
    for terms in dictionaries():
        rows = delta(terms, choices, times)
        node = SolveNode(Solve(SOURCE, predicate, (1, None), (2,)), Stream(SOURCE), terms)
        found = node.apply(rows)
        expected: list[list[int]] = []
        missed = []
        for row in rows.tolist():
            solutions = solve(terms.term(row[1]), None)
            if solutions is None:
                missed.append([terms.term(row[1]), UNKNOWN_ARGUMENT])
            values = dict.fromkeys(terms.lookup(str(each[1])) for each in solutions or ())
            expected += [[row[2], value, *row[3:]] for value in values]
        assert found.tolist() == expected
        agrees(node.outside, missed)


def test_a_value_that_is_forgotten_is_computed_anew() -> None:
    for terms in dictionaries():
        one = str(Literal("1", XSD + "integer"))
        node = ApplyNode(Apply(SOURCE, FUNC + "numeric-add", (1, one), ()), Stream(SOURCE), terms)
        for start in range(3):
            number = terms.encode(str(Literal(str(10 * start), XSD + "integer")))
            row = np.array([[number, number, number, start, start + 1]], np.int64)
            ((value, *_),) = node.apply(row).tolist()
            assert terms.decode(value) == str(Literal(str(10 * start + 1), XSD + "integer"))
            node.forget()
            terms.sweep(start + 2)  # so that the next numbers have the ids of these


def test_what_nodes_of_one_built_in_count_is_summed() -> None:
    parts = [
        DomainErrors("b", 1, [("1",)]),
        DomainErrors("a", 2, [("x", "y")]),
        DomainErrors("b", 20, [("1",), *((f"{n}",) for n in range(2, 12))]),
    ]
    found = sum_by_builtin(parts)
    assert [(each.builtin, each.count) for each in found] == [("a", 2), ("b", 21)]
    assert found[1].samples == [(f"{n}",) for n in range(1, 11)]


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
