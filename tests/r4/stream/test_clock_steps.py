"""A wall's clock that steps: time follows a long step forward once a stamp confirms it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.stream.intake import Intake
from r4.stream.schedule import ClockSteps, TimedSchedule, Timers
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, TimeScale
from rete.terms.dictionary import Dictionary
from tests.r4.stream.live_sources import Clock, Live
from tests.r4.stream.sources import facts_of, quad, stamp, text

MINUTE = 60_000
YEARS = 3_650 * 86_400_000


def element(name: str, tick: int) -> bytes:
    """An element with a stamp in milliseconds since 1970, and its end."""
    at = f'"{TimeScale().text(tick)}"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    return text(stamp(name, at), quad(name, name)) + b"\n"


def run(
    wall: Callable[[float], float], *parts: tuple[float, bytes], stamps: bool = False
) -> tuple[list[tuple[float, str, int]], list[tuple[int, int]], Intake]:
    """What is handed over when (seconds, elements, frontier), what is said, and the intake.

    The wall's clock shows ``wall`` of the seconds, in milliseconds.
    """
    clock, said = Clock(), list[tuple[int, int]]()
    steps = ClockSteps(MINUTE, 1000, stamps, lambda *found: said.append(found))
    timers = Timers(period=0.5, steps=steps)
    schedule = TimedSchedule(timers, lambda: round(wall(clock.seconds)), clock)
    dictionary = Dictionary()
    options = StreamOptions(wall=True, ahead=MINUTE, arrival=stamps)
    intake = Intake([Live("a", clock, *parts)], dictionary, options, schedule=schedule)
    seen = []
    for batch in intake:
        names = " ".join(fact[0][0][5:-1] for fact in facts_of([batch], dictionary))
        if batch.frontier != NEG_INF:
            seen.append((clock.seconds, names, batch.frontier))
    return seen, said, intake


def test_a_wrong_second_moves_no_time() -> None:
    parts = [(n + 0.1, element(f"a{n}", 1000 * n)) for n in range(8)]
    wall = lambda s: s * 1000 + (YEARS if 3 <= s < 4 else 0)  # noqa: E731
    seen, said, intake = run(wall, *parts, (9, b""))
    assert max(frontier for _, _, frontier in seen) <= 9000
    assert [name for _, name, _ in seen if name] == [f"a{n}" for n in range(8)]
    assert (intake.counters.late, dict(intake.counters.bad)) == (0, {})
    assert said == [(3000, 3000 + YEARS)]


def test_a_stamp_confirms_a_step() -> None:
    wall = lambda s: s * 1000 + (YEARS if s >= 3 else 0)  # noqa: E731
    parts = [(5.1, element("new", YEARS + 5000)), (7.1, element("old", 6000)), (9, b"")]
    seen, said, intake = run(wall, *parts)
    before = [frontier for seconds, _, frontier in seen if seconds <= 5]
    assert before == [500 * n for n in range(1, 11)]
    assert [name for _, name, _ in seen if name] == ["new"]
    assert intake.counters.late == 1
    assert seen[-1][2] >= YEARS + 8500
    assert said == [(3000, 3000 + YEARS)]


def test_the_time_that_elements_get_confirms_nothing() -> None:
    wall = lambda s: s * 1000 + (YEARS if s >= 3 else 0)  # noqa: E731
    parts = [(n + 0.1, text(quad(f"a{n}", f"a{n}")) + b"\n") for n in range(1, 8)]
    seen, _, intake = run(wall, *parts, (9, b""), stamps=True)
    assert [name for _, name, _ in seen if name] == [f"a{n}" for n in range(1, 8)]
    assert max(frontier for _, _, frontier in seen) <= 9000
    assert not intake.counters.bad


def test_a_short_step_is_followed() -> None:
    wall = lambda s: s * 1000 + (MINUTE if s >= 3 else 0)  # noqa: E731
    seen, said, _ = run(wall, (9, b""))
    assert seen[-1][2] >= 8500 + MINUTE
    assert said == []


def test_a_clock_that_is_set_back_is_reported_once_and_stands_still() -> None:
    wall = lambda s: s * 1000 + (YEARS if s < 3 else 0)  # noqa: E731
    seen, said, _ = run(wall, (9, b""))
    assert seen[-1][2] == YEARS + 2500
    assert [shown for _, shown in said] == [3000]


def test_time_that_another_process_moved_ahead_of_the_clock_is_reported() -> None:
    said: list[tuple[int, int]] = []
    steps = ClockSteps(MINUTE, 1000, False, lambda *found: said.append(found))
    clock = Clock()
    schedule = TimedSchedule(Timers(period=0.5, steps=steps), lambda: 1000, clock)
    schedule.go_on(YEARS)
    intake = Intake(
        [Live("a", clock, (5, b""))], Dictionary(), StreamOptions(wall=True), schedule=schedule
    )
    assert [batch.frontier for batch in intake] == []
    assert said == [(YEARS, 1000)]


@given(
    steps=st.lists(
        st.tuples(st.floats(0, 20), st.sampled_from([-YEARS, -5000, 1000, 2 * MINUTE, YEARS])),
        max_size=5,
    )
)
def test_without_stamps_time_is_never_further_than_a_clock_without_steps(
    steps: list[tuple[float, int]],
) -> None:
    def wall(seconds: float) -> float:
        return seconds * 1000 + sum(size for at, size in steps if at <= seconds)

    seen, _, _ = run(wall, (20, b""))
    short = sum(size for _, size in steps if 0 < size <= MINUTE)
    frontiers = [frontier for _, _, frontier in seen]
    assert frontiers == sorted(frontiers)
    at_start = sum(size for at, size in steps if at <= 0.5)
    assert all(
        frontier <= seconds * 1000 + short + max(at_start, 0) + MINUTE
        for seconds, _, frontier in seen
    )


@pytest.mark.parametrize("size", [MINUTE + 1000, YEARS])
def test_without_the_option_a_clock_is_followed(size: int) -> None:
    clock = Clock()
    schedule = TimedSchedule(
        Timers(period=0.5),
        lambda: round(clock.seconds * 1000 + (size if clock.seconds >= 3 else 0)),
        clock,
    )
    options = StreamOptions(wall=True)
    intake = Intake([Live("a", clock, (9, b""))], Dictionary(), options, schedule=schedule)
    assert max(batch.frontier for batch in intake) > size
