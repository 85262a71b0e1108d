"""What is held while a stream is followed: bounded, and with dense memory whatever the stamps."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import pytest

from temporal.mtl import traversal
from temporal.mtl.normal_form import normalise
from temporal.mtl.validation import arities
from temporal.streaming.stream_query import Memory, StreamQuery
from temporal.streaming.stream_run import StreamOptions, StreamRun
from temporal.text.program_parser import parse_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SINCE = "Q(X) :- A(X) Since[1,2] B(X)"
PROGRAMS = (
    "Q(X) :- Diamondminus[1,2]B(X)",
    "Q(X) :- Boxminus[1,3]Diamondminus[0,1]B(X)",
    "Q(X) :- B(X), Diamondminus(1,2)B(X)",
    "Q(X) :- Boxminus[1,2]B(X)",
    "Boxplus[1,2]Q(X) :- B(X)\nQ(X) :- Diamondminus[1,2]Q(X), A(X)",
)
ROUND = 5
"""Steps in a unit of time."""


def _stream(per_unit: int, units: int) -> Iterator[str]:
    """A signal of so many points to the unit, on for three units of four; A all the time."""
    yield "A(a)@[0,inf)\n"
    for unit in range(units):
        for step in range(ROUND):
            lines = [
                f"B(a)@{Fraction(n, per_unit)}\n"
                for n in range(
                    unit * per_unit + step * per_unit // ROUND,
                    unit * per_unit + (step + 1) * per_unit // ROUND,
                )
                if unit % 4 < 3
            ]
            yield "".join(lines) or f"T@{unit + Fraction(step, ROUND)}\n"


def _held(
    program: str, pieces: Iterable[str], memory: Memory = Memory.AUTO
) -> tuple[StreamRun, int]:
    """The most rows that are held after a step."""
    run = StreamRun(StreamQuery.of(parse_program(program), "Q"), StreamOptions(memory=memory))
    most = 0
    for piece in pieces:
        list(run.push(piece.encode(), 0))
        most = max(most, run.evaluation.held())
    assert not run.bad
    assert not run.late
    return run, most


def _dense_bound(run: StreamRun, step: Fraction) -> Fraction:
    """The bound of [Walega19, Theorem 10], for one object."""
    rules = normalise(run.query.program)
    ranges = [rho for rule in rules.rules for rho in traversal.ranges(rule.body)]
    ends = [end for rho in ranges for end in (rho.left, rho.right) if end]
    window, least = max(ends), min(ends)
    gran = min((rho.right or window) - (rho.left or 0) for rho in ranges)
    facts = len(arities(rules))
    kept = 2 * facts * ((window + step) / gran + 1)
    found: Fraction = (
        4 * ((kept + 2) * len(rules.rules) ** int((window + 2 * step) / least)) ** 2 + facts
    )
    return found


@pytest.mark.parametrize("program", [*PROGRAMS, SINCE, f"{SINCE}\nA(X) :- Diamondminus[0,1/2]Q(X)"])
def test_with_dense_memory_denser_stamps_hold_no_more(program: str) -> None:
    """[Walega19, Theorem 10]"""
    most = {per_unit: _held(program, _stream(per_unit, 8)) for per_unit in (10, 100, 1000)}
    run, rows = most[10]
    assert run.evaluation.is_dense
    # Where the frontier stands after a step depends on the last stamp of it: a row more may wait.
    assert max(held for _, held in most.values()) <= rows + 1
    assert rows + 1 <= _dense_bound(run, Fraction(1, ROUND))
    assert rows <= 20  # and far below that


@pytest.mark.parametrize("program", PROGRAMS)
def test_without_since_exact_memory_is_as_small(program: str) -> None:
    most = {per_unit: _held(program, _stream(per_unit, 8), Memory.EXACT) for per_unit in (10, 1000)}
    assert most[1000][1] <= most[10][1] + 1


def test_with_exact_memory_since_holds_all_in_its_window() -> None:
    """[Walega19, Theorem 8]: with stamps of a common divisor, at most a square of the window."""
    for per_unit in (10, 100):
        _, rows = _held(SINCE, _stream(per_unit, 8), Memory.EXACT)
        window, step = Fraction(2), Fraction(1, ROUND)
        bound = (4 * ((window + 2 * step) * per_unit + 1) ** 2 + 1) * len("ABQ")
        assert 2 * per_unit < rows <= bound


@pytest.mark.parametrize("memory", list(Memory))
def test_since_without_an_end_holds_the_first_of_each_interval(memory: Memory) -> None:
    program = "Q(X) :- A(X) Since[1,inf) B(X)"
    most = {per_unit: _held(program, _stream(per_unit, 8), memory) for per_unit in (10, 100, 1000)}
    assert {held for _, held in most.values()} == {most[10][1]}
    assert most[10][1] < 10


@pytest.mark.slow
def test_objects_that_do_not_come_again_are_forgotten() -> None:
    program = "Q(X) :- A(X) Since[0,3] B(X)\nR(X) :- Boxminus[0,2]Q(X), Diamondminus[1,4]B(X)\n"
    pieces = (f"A(o{n})@[{n},{n + 5}]\nB(o{n})@{n}\nB(o{n})@{n}.5\n" for n in range(1500))
    run = StreamRun(StreamQuery.of(parse_program(program + "Q(X) :- R(X)"), "Q"))
    held, terms = [], []
    for piece in pieces:
        list(run.push(piece.encode(), 0))
        held.append(run.evaluation.held())
        run.evaluation.forget()
        terms.append(len(run.terms))
    assert max(held) < 100
    assert max(held[750:]) <= max(held[:750])
    assert max(terms) < 50


def test_what_propagates_for_ever_costs_per_step() -> None:
    run = StreamRun(StreamQuery.of(parse_program("Boxplus[1,1]Q(X) :- Q(X)"), "Q"))
    derived = []
    for at in range(0, 1000, 10):
        list(run.push(f"Q(a)@0\nT@{at}\n".encode(), 0))
        derived.append(run.evaluation._inference.derived)
        assert run.evaluation.held() < 10
    steps = {after - before for before, after in pairwise(derived[1:])}
    assert max(derived[1:3]) < 100
    assert steps <= {19, 20, 21}  # each fact once, and once as an answer


def test_finer_stamps_move_all_that_is_held() -> None:
    program = "Q(X) :- A(X) Since[1,2] B(X)\nBoxplus[3,4]A(X) :- B(X)\n"
    lines = ["A(a)@[0,9]\n", "B(a)@1\n", "B(a)@1.5\n", "C@7/3\n", "B(a)@2.75\n", "C@3.125\n"]
    run = StreamRun(StreamQuery.of(parse_program(program), "Q"))
    parts = chain.from_iterable(run.push(line.encode(), 0) for line in lines)
    found = [
        part.lines("Q", run.terms, run.scale, run.notation) for part in chain(parts, run.finish())
    ]
    assert run.scale == 24
    assert "".join(found) == "Q(a)@7/3\nQ(a)@11/4\nQ(a)@25/8\n"
