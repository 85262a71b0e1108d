"""Bulk reading of facts: what the careful readers say, in columns."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rete.terms import faults
from rete.terms.dictionary import Dictionary
from rif.errors.base import MAX_FAULTS
from rif.syntax.terms import Literal
from temporal.facts import bulk_chunks
from temporal.facts.bulk_chunks import CHUNK_BYTES
from temporal.facts.bulk_loader import BulkLoader
from temporal.intervals.interval import Interval
from temporal.mtl.ast import MetricFact
from tests.simulation.metric.single_texts import parse_facts, parse_table

LINES = (
    "A(a,b)@[1,2)", "A(a)@5", "P@[1/3,0.5)", "P@(1/3,2/6]", "P@[1/3,2/6]", "P@[3,2]", "P@(2,2)",
    "A-b@5", "A-@5", "Since@5", "P :- Q", "P@[-inf,3]", "A('x y',\"z\")@0.25", "B(é,b)@1", "# no",
    "B(a\u3000,b)@1", "B(a,\\)@1", "", "  ", "P@5.", "P@1e3", "a,b,1,2", "x,1.50,2", "head,er",
    "a,\u3000,1,3", "\ufeffP@1", "P@100000000000000000/3000", "1,2", '"q,r",1,2', "a,2,1",
)  # fmt: skip
TEXTS = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n", "\r"])), max_size=8
).map(lambda lines: "".join(line + end for line, end in lines))


def facts_of(loader: BulkLoader) -> list[MetricFact]:
    """All facts, from their columns."""
    data = loader.data()
    found = []
    for (name, arity), rows in data.rows.items():
        for row in rows.tolist():
            values = [loader.terms.term(term) for term in row[:arity]]
            args = tuple(value.lexical for value in values if isinstance(value, Literal))
            found.append(MetricFact(name, args, Interval.of_cells(row[-2], row[-1], data.scale)))
    return sorted(found, key=repr)


def faults_of(loader: BulkLoader) -> list[tuple[str, str, str]]:
    return [(str(e.span), e.code, e.message) for found in loader.faults for e in found.errors]


def loaded(text: str, predicate: str | None = None, *, cut: int = 7) -> BulkLoader:
    loader = BulkLoader(Dictionary())
    raw = text.encode()
    pieces = [raw[at : at + cut] for at in range(0, len(raw), cut)]
    if predicate is None:
        loader.text(pieces)
    else:
        loader.table(pieces, predicate)
    return loader


@given(text=TEXTS, is_table=st.booleans())
@example(text="a,b,left,right\na,b,1,2\n", is_table=True)
@example(text="P@1\nP(a)@1\nP@2\n", is_table=False)
@example(text="P(a)@1 # with care\nP@1\n", is_table=False)
def test_what_is_loaded_is_what_is_read_with_care(text, is_table) -> None:
    loader = loaded(text, "P" if is_table else None)
    expected = parse_table(text, "P") if is_table else parse_facts(text)
    assert facts_of(loader) == sorted(expected.facts, key=repr)
    assert loader.bad == expected.bad
    assert sorted(faults_of(loader)) == sorted(
        {(str(fault.span), fault.code, fault.message) for fault in expected.faults}
    )


def test_a_text_longer_than_a_piece_keeps_its_line_numbers() -> None:
    line = f"P({'a' * 500})@1\n"
    count = CHUNK_BYTES // len(line) + 10
    loader = loaded(line * count + "P@@\n", cut=CHUNK_BYTES // 3)
    assert loader.data().count == count
    assert [place for place, _, _ in faults_of(loader)] == [f"{count + 1}:1"] or loader.bad == 1
    (errors,) = loader.faults
    assert errors.errors[0].span.line == count + 1
    assert f"<facts>:{count + 1}:" in errors.report()
    assert "P@@" in errors.report()


def test_numbers_are_exact_and_whole_in_the_least_common_ticks() -> None:
    loader = loaded("P@[0.1,1/3]\nP@2.50\nP@[4/2,1000000]\n")
    assert loader.data(4).scale == 60
    assert facts_of(loaded("P@0.10\n"))[0].interval == Interval.point(Fraction(1, 10))


def test_a_fact_too_far_away_is_a_fault_where_it_stands() -> None:
    loader = loaded("P@1\nP@1/3\nP@99999999999999999\nP('x')@1\n")
    loader.text([b"Q@(99999999999999999999,inf)  # with care\n"], "more.txt")
    assert loader.data(7 * 10**6).count == 1 + 1
    assert [(name, line) for name, line, _ in places(loader)] == [
        ("<facts>", 3),
        ("<facts>", 4),
        ("more.txt", 1),
    ]


@pytest.mark.parametrize("predicate", [None, "P"])
def test_every_malformed_line_counts_when_it_comes_again(
    monkeypatch: pytest.MonkeyPatch, predicate: str | None
) -> None:
    """Most of them come long after no more faults are kept; nothing depends on what is known."""
    rng = random.Random(5)  # noqa: S311 - no secret
    lines = ["P(a)@1", "P(", "P(a", "Q", "3,5", "a,1,2", "a,b,1,2", "a,2,1", "", "P(a,b)@1", "P@x"]
    text = "P(a)@1\na,1,2\n" + "".join(
        rng.choice(lines) * rng.choice([1, 1, 1, 2]) + "\n" for _ in range(3 * MAX_FAULTS)
    )
    loader = loaded(text, predicate, cut=1000)
    expected = parse_table(text, "P") if predicate else parse_facts(text)
    assert loader.bad == expected.bad > 2 * MAX_FAULTS
    assert facts_of(loader) == sorted(expected.facts, key=repr)
    monkeypatch.setattr(faults, "MOST_TEXTS", 0)
    forgetful = loaded(text, predicate, cut=1000)
    assert faults_of(loader) == faults_of(forgetful)
    assert len(faults_of(loader)) == MAX_FAULTS
    assert loader.bad == forgetful.bad


def places(loader: BulkLoader) -> list[tuple[str, int, str]]:
    return [(e.name, one.span.line, one.code) for e in loader.faults for one in e.errors]


def test_bytes_that_are_no_text_are_faults_where_they_stand() -> None:
    loader = BulkLoader(Dictionary())
    loader.text([b"P@1\nA(\xff)@1\nB(\xc3\xa9)@1\n"])
    assert [str(fact.args) for fact in facts_of(loader)] == ["('é',)", "()"]
    assert places(loader) == [("<facts>", 2, "MTL101")]
    assert loader.faults[0].errors[0].span.column == 3


def test_the_rules_say_how_many_arguments_a_predicate_has() -> None:
    loader = BulkLoader(Dictionary(), {"P": 1})
    loader.text([b"P@1\nP(a)@1\n"])
    assert loader.data().count == 1
    assert places(loader) == [("<facts>", 1, "MTL205")]


@pytest.mark.parametrize("is_table", [False, True])
def test_nothing_is_no_fact(is_table) -> None:
    loader = loaded("", "P" if is_table else None)
    assert loader.data().rows == {}
    assert not loader.faults


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("size", range(1, 9))
def test_lines_are_whole_and_numbered_however_they_come_in_pieces(monkeypatch, end, size) -> None:
    monkeypatch.setattr(bulk_chunks, "CHUNK_BYTES", 4)
    text = end.join(["a", "bb", "", "ccc", "d"]).encode()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    found = list(bulk_chunks.line_chunks(pieces))
    assert b"".join(piece for piece, _ in found) == text
    before = 0
    for piece, lines in found:
        assert lines == before
        before += len(bulk_chunks.LINE_END.findall(piece))


def test_a_tick_that_cells_cannot_have_costs_only_the_facts_that_need_it() -> None:
    terms = Dictionary()
    loader = BulkLoader(terms)
    loader.text([f"P@1/3\nP@1/{5**26}\nP@1/{2**59}\nP@[1/2,5]\nQ@1/1{'0' * 40}\n".encode()])
    assert loader.data().scale == 6
    assert [fault.span.line for errors in loader.faults for fault in errors.errors] == [2, 3, 5]
