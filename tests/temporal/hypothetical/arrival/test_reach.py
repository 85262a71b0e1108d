"""How long answers may stay open, where rules and delays say it."""

from __future__ import annotations

import pytest

from temporal.hypothetical.arrival.delays import AnswerWindow, answer_window, parse_delays
from temporal.hypothetical.resolution.resolver import resolve
from temporal.hypothetical.syntax.program_parser import parse_program, parse_query


@pytest.mark.parametrize(
    ("rules", "query", "delays", "expected"),
    [
        ("A(T) :- B(T)", "A(T)", [], AnswerWindow(0, 0)),
        ("A(T) :- B(T), B(T+2)", "A(T)", [], AnswerWindow(2, 2)),
        ("A(T+2) :- B(T), B(T+1)", "A(T)", [], AnswerWindow(0, 1)),
        ("A(T) :- B(T), C(T+1)", "A(T)", ["B=5", "C=1"], AnswerWindow(5, 5)),
        ("A(T) :- B(T)\nA(T) :- C(T-3)", "A(T)", ["C=1"], AnswerWindow(0, 1)),
        ("A(T) :- B(T), B(T+2)", "A(4)", [], AnswerWindow(2, 2)),
        ("A(0) :- B(T)", "A(T)", [], None),
        ("A(T) :- B(T), C(S)", "A(T)", [], None),
    ],
)
def test_a_query_has_a_delay_and_a_window_if_its_times_hang_together(
    rules: str, query: str, delays: list[str], expected: AnswerWindow | None
) -> None:
    program = parse_program(rules)
    found = resolve(program, parse_query(query)).answers
    assert answer_window(found, parse_delays(delays, program)) == expected
