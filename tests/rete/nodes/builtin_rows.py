"""Rows of terms for the nodes of built-ins, on each back end, and what these count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, Rows
from rete.kernels import Backend, load
from rete.nodes.filter import EQUAL, SAME_TERM
from rete.nodes.scan import Scan
from rete.terms.builtin_calls import FEW, DomainErrors
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Operand
from rif.builtins import BUILTINS
from rif.builtins.extensions import R4_BUILTIN
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

BACKENDS: list[Backend] = ["pure", "compiled"]

TERMS: tuple[GroundTerm, ...] = (
    *(Literal(text, XSD + "integer") for text in ("1", "01", "2", "-3", "9007199254740993", "x")),
    *(Literal(text, XSD + "decimal") for text in ("1.0", "0.1", "9007199254740993.5")),
    *(Literal(text, XSD + kind) for text in ("1", "0.1", "NaN") for kind in ("float", "double")),
    *(Literal(text) for text in ("", "a", "ab", "http://example.org/a", "1")),
    Literal("a", XSD + "token"),
    Literal("true", XSD + "boolean"),
    Literal("1", XSD + "boolean"),
    Literal("2024-01-31T08:00:00Z", XSD + "dateTime"),
    Literal("2024-01-31T09:00:00+01:00", XSD + "dateTime"),
    Literal("2024-01-31", XSD + "date"),
    Literal("PT0S", XSD + "dayTimeDuration"),
    Literal("P0M", XSD + "yearMonthDuration"),
    Literal("P1Y", XSD + "yearMonthDuration"),
    Literal("a", RDF_LANG_STRING, "en"),
    Literal("1", "http://example.org/datatype"),
    IRI("http://example.org/a"),
    IRI("http://example.org/b"),
    BlankNode("b"),
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
    *(
        f"{R4_BUILTIN}{name}-than{equal}"
        for name in ("less", "greater")
        for equal in ("", "-or-equal")
    ),
    R4_BUILTIN + "equal",
    PRED + "contains",
    PRED + "iri-string",
    PRED + "list-contains",
    PRED + "literal-not-identical",
]
FUNCTIONS = [
    *(FUNC + name for name in ("numeric-add", "numeric-divide", "concat", "substring-before")),
    *(R4_BUILTIN + name for name in ("add", "subtract", "multiply", "divide")),
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
