"""How long answers may stay open, where rules and delays say it."""

from __future__ import annotations

import pytest

from temporal.hypothetical.delay_text import parse_delays
from temporal.hypothetical.reach import Reach, reach
from temporal.hypothetical.resolution import premises
from temporal.hypothetical.text import parse_program, parse_query


@pytest.mark.parametrize(
    ("rules", "query", "delays", "expected"),
    [
        ("A(T) :- B(T)", "A(T)", [], Reach(0, 0)),
        ("A(T) :- B(T), B(T+2)", "A(T)", [], Reach(2, 2)),
        ("A(T+2) :- B(T), B(T+1)", "A(T)", [], Reach(0, 1)),
        ("A(T) :- B(T), C(T+1)", "A(T)", ["B=5", "C=1"], Reach(5, 5)),
        ("A(T) :- B(T)\nA(T) :- C(T-3)", "A(T)", ["C=1"], Reach(0, 1)),
        ("A(T) :- B(T), B(T+2)", "A(4)", [], Reach(2, 2)),
        ("A(0) :- B(T)", "A(T)", [], None),
        ("A(T) :- B(T), C(S)", "A(T)", [], None),
    ],
)
def test_a_query_has_a_delay_and_a_window_if_its_times_hang_together(
    rules: str, query: str, delays: list[str], expected: Reach | None
) -> None:
    program = parse_program(rules)
    found = premises(program, parse_query(query))
    assert reach(found, parse_delays(delays, program)) == expected
