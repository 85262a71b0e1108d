"""Facts by slices: what is taken in, when a slice is whole, what is refused and counted."""

from __future__ import annotations

from collections.abc import Iterable
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal
from temporal.hypothetical.arrival.intake import ArrivalIntake, ArrivalSlices
from temporal.hypothetical.arrival.lateness import parse_delays
from temporal.hypothetical.arrival.line_columns import ArrivalChunk, read_line
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.program_parser import parse_program

PROGRAM = parse_program("Flag(X,T) :- Temp(X,Y,T), Wind(T)")
DELAYS = parse_delays(["Temp=1", "Temp(wt2,_)=3"], PROGRAM)

Told = tuple[int, list[str]]
"""When a slice arrived, and its facts as text."""


class Reading:
    """A text that is read in pieces of some bytes."""

    def __init__(self, text: str | bytes, size: int = 1 << 20) -> None:
        raw = text.encode() if isinstance(text, str) else text
        self.terms = Dictionary()
        self.intake = ArrivalIntake(PROGRAM, DELAYS, self.terms)
        pieces = (raw[at : at + size] for at in range(0, len(raw), size))
        self.frontier = -1
        self.slices = [told for part in self.intake.read(pieces) for told in self.told(part)]
        self.faults = [
            (fault.code, fault.span.line, fault.span.column)
            for fault in self.intake.refused.unreported()
        ]

    def told(self, slices: ArrivalSlices) -> Iterable[Told]:
        """The slices one by one, their facts in the order of the columns."""
        found: dict[int, list[str]] = {}
        before, self.frontier = self.frontier, slices.frontier
        for name, facts in slices.facts.items():
            for *ids, time, tau, _ in facts.tolist():
                terms = [self.terms.term(term) for term in ids]
                texts = [term.lexical for term in terms if isinstance(term, Literal)]
                found.setdefault(tau, []).append(f"{name}({','.join([*texts, str(time)])})")
        assert all(before < tau <= slices.frontier for tau in found)
        return sorted(found.items())


def test_facts_come_by_slices_and_an_arrival_alone_moves_time() -> None:
    text = "@0 Temp(wt2,high,0)\n@0 Wind(0)\n\n@2 Temp(wt2, low ,2).  # a comment\n@7\n@9 Wind(9)"
    reading = Reading(text)
    assert reading.slices == [
        (0, ["Temp(wt2,high,0)", "Wind(0)"]),
        (2, ["Temp(wt2,low,2)"]),
        (9, ["Wind(9)"]),
    ]
    assert reading.intake.facts == 4
    assert not reading.faults


def test_constants_are_text_quoted_or_not() -> None:
    text = """@0 Temp(X,"a, b",0)\n@0 Temp('it\\'s',?y,0)\n@0 Temp(n/a\\,ä,00)"""
    assert Reading(text).slices == [(0, ["Temp(X,a, b,0)", "Temp(it's,?y,0)", "Temp(n/a\\,ä,0)"])]


def test_what_needs_care_keeps_its_place_among_plain_lines() -> None:
    text = "@0 Temp(a,'b',0)\n@0 Temp(c,d,0)\n@1 Temp(e,'f',1)\n@1 Temp(g,h,1)"
    order = ["Temp(a,b,0)", "Temp(c,d,0)"], ["Temp(e,f,1)", "Temp(g,h,1)"]
    assert Reading(text).slices == [(0, order[0]), (1, order[1])]


def test_a_slice_is_given_when_a_later_arrival_is_read() -> None:
    intake = ArrivalIntake(PROGRAM, DELAYS, Dictionary())
    given: list[bytes] = []

    def pieces() -> Iterable[bytes]:
        for piece in (b"@0 Wind(0)\n", b"@0 Wind(0)\n", b"@3 Wind", b"(3)\n", b"@4\n"):
            given.append(piece)
            yield piece

    found = [
        (len(given), slices.frontier, [len(facts) for facts in slices.facts.values()])
        for slices in intake.read(pieces())
    ]
    assert found == [(4, 2, [2]), (5, 3, [1]), (5, 4, [])]


def test_the_ids_of_a_slice_that_is_not_whole_are_held() -> None:
    terms = Dictionary()
    intake = ArrivalIntake(PROGRAM, DELAYS, terms)
    slices = intake.read([b"@0 Temp(a,b,0)\n", b"@1 Temp(c,b,1)\n"])
    assert next(iter(slices)).frontier == 0
    assert [terms.decode_many(ids) for ids in intake.pending_ids] == [['"c"', '"b"']]


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("Temp(a,b,5)", "HYP101", 1),
        ("@5Temp(a,b,5)", "HYP105", 2),
        ("@5 5", "HYP101", 4),
        ("@5 Temp(a b,c,5)", "HYP101", 11),
        ("@5 Temp(a,b,5", "HYP101", 14),
        ("@5 Temp(a,,5)", "HYP101", 11),
        ("@5 Temp(a,b,5) Wind(5)", "HYP101", 16),
        ("@5 Temp(a\x01,b,5)", "HYP102", 9),
        ("@5 Temp('a,b,5)", "HYP103", 9),
        (r"@5 Temp('\n',b,5)", "HYP104", 10),
        ("@-1 Wind(0)", "HYP105", 2),
        ("@4.5 Wind(0)", "HYP105", 2),
        ("@ Wind(0)", "HYP105", 3),
        ("@5 Wind(T)", "HYP105", 4),
        ("@5 Wind(x)", "HYP105", 9),
        ("@5 Wind(-1)", "HYP105", 9),
        ("@5 Wind('5')", "HYP105", 9),
        ("@5 Wind", "HYP106", 8),
        ("@5 Wind()", "HYP106", 8),
        ("@5 Temp(" + "a" * 70_000 + ",b,5)", "HYP108", 9),
        ("@5 Wind(5) #" + "x" * 2**20, "HYP108", 1),
        ("@5 Flag(a,5) :- Wind(5)", "HYP109", 14),
        ("@5 Temp(a,5)", "HYP201", 1),
        (f"@{MAX_TIME + 1} Wind(5)", "HYP203", 2),
        (f"@5 Wind({MAX_TIME + 1})", "HYP203", 9),
        ("@1 Wind(1)", "HYP211", 1),
        ("@1", "HYP211", 1),
        ("@5 Flag(a,5)", "HYP212", 1),
        ("@5 Wind(6)", "HYP213", 1),
        ("@5 Wind(4)", "HYP214", 1),
        ("@5 Temp(wt1,b,3)", "HYP214", 1),
        ("@5 Temp(wt2,b,1)", "HYP214", 1),
    ],
)
def test_a_bad_line_is_refused_and_the_others_are_taken_in(
    line: str, code: str, column: int
) -> None:
    reading = Reading(f"@2 Wind(2)\n{line}\n{line}\n@9 Wind(9)")
    facts = [fact for _, facts in reading.slices for fact in facts]
    assert facts == ["Wind(2)", "Wind(9)"]
    assert reading.faults == [(code, 2, column)]
    assert reading.intake.refused.counts == {code: 2}


def test_a_malformed_line_that_comes_again_is_read_once() -> None:
    with patch(f"{ArrivalChunk.__module__}.read_line", wraps=read_line) as read:
        reading = Reading("@2 Wind(2\n" * 5 + "@3 Wind(3)\n" + "@2 Wind(2\n" * 4)
    assert read.call_count == 1
    assert reading.slices == [(3, ["Wind(3)"])]
    assert sum(reading.intake.refused.counts.values()) == 9


def test_a_line_that_is_no_text_is_refused() -> None:
    reading = Reading(b"@0 Wind(0)\n@0 Temp(\xff,b,0)\n@1 Wind(1)")
    assert reading.slices == [(0, ["Wind(0)"]), (1, ["Wind(1)"])]
    assert reading.faults == [("HYP101", 2, 9)]


def test_a_fact_is_in_time_until_its_delay_has_passed() -> None:
    text = "@5 Temp(wt2,b,2)\n@5 Temp(wt1,b,4)\n@5 Wind(5)"
    assert Reading(text).slices == [(5, ["Temp(wt2,b,2)", "Temp(wt1,b,4)", "Wind(5)"])]


def test_a_refused_fact_moves_time_and_a_line_that_cannot_be_read_does_not() -> None:
    assert Reading("@5 Wind(6)\n@7 Wind(x)\n@6 Flag(a,1)").frontier == 6
    assert Reading("@7 Wind(7)\n@3 Wind(3)\n@7 Wind(7)").slices == [(7, ["Wind(7)", "Wind(7)"])]


def test_facts_that_no_rule_mentions_are_ignored_and_counted() -> None:
    reading = Reading("@0 Rain(0)\n@1 Rain(a,b,7)\n")
    assert (reading.slices, reading.frontier) == ([], 1)
    assert reading.intake.refused.ignored == 2
    assert not reading.intake.refused.counts


def test_a_fault_names_the_fact() -> None:
    intake = ArrivalIntake(PROGRAM, DELAYS, Dictionary())
    list(intake.read([b"@9 Temp('a b',c,7)"]))
    (fault,) = intake.refused.unreported()
    assert fault.message == 'Temp("a b",c,7) arrives at 9; its delay allows 8 at the latest'
    assert not intake.refused.unreported()


def test_of_each_kind_the_first_is_told_in_the_order_of_the_lines() -> None:
    reading = Reading("@9 Temp(a,b,9)\n@9 Wind(1)\n@3\n@9 Temp(a,b,1)\n@9 Temp(wt2)\n@2")
    assert reading.faults == [("HYP214", 2, 1), ("HYP211", 3, 1), ("HYP105", 5, 9)]
    assert reading.intake.refused.counts == {"HYP214": 2, "HYP211": 2, "HYP105": 1}


LINES = (
    "@0 Wind(0)",
    "@1 Temp(a,'b',0)",
    "@1 Temp(wt2,b,1)",
    "@2",
    "@2 Rain(2)",
    "@3 Wind(1)",
    "@3 Temp(wt2,c,0) # a comment",
    "@4 Temp(a b,c,0)",
    "@0 Wind(0)",
    "@5 Temp(a,c,5).",
    "# a comment",
    "",
    "@5 Flag(a,5)",
    "Wind(5)",
)


@given(
    st.lists(st.sampled_from(LINES), max_size=12),
    st.integers(1, 40),
    st.sampled_from(("\n", "\r\n", "\r")),
)
def test_how_a_text_is_cut_into_pieces_changes_nothing(
    lines: list[str], size: int, end: str
) -> None:
    text = end.join(lines)
    whole, cut = Reading(text), Reading(text, size)
    assert (cut.slices, cut.frontier) == (whole.slices, whole.frontier)
    assert cut.faults == whole.faults
    assert cut.intake.refused.counts == whole.intake.refused.counts
    assert cut.intake.facts == whole.intake.facts
