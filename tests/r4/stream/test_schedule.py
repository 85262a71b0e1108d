"""Silence and the clock, by times that are told: when elements are complete, when time moves."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from r4.stream.intake import Intake
from r4.stream.schedule import GO_ON, Control, Decision, TimedSchedule, Timers
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, TimeScale, wall_clock
from rete.terms.dictionary import Dictionary
from tests.oracles.streams.intake import RETRACTS
from tests.r4.stream.live_sources import Clock, Live
from tests.r4.stream.sources import facts_of, moment, quad, stamp, text


def open_element(name: str, at: int | str) -> bytes:
    return text(stamp(name, at), quad(name, name))


def seen_of(
    clock: Clock,
    *sources: Live,
    delay: int = 0,
    quiet: float | None = None,
    period: float | None = None,
) -> tuple[list[str], Intake]:
    """When which elements are handed over, with the frontier after them."""
    dictionary = Dictionary()
    wall = period is not None
    timers = Timers(quiet=quiet, period=period)
    schedule = TimedSchedule(timers, lambda: round(clock.seconds * 1000), clock)
    options = StreamOptions(wall=wall, delay=delay)
    intake = Intake(sources, dictionary, options, schedule=schedule)
    seen = []
    for batch in intake:
        names = [fact[0][0][5:-1] for fact in facts_of([batch], dictionary)]
        frontier = "-" if batch.frontier == NEG_INF else batch.frontier
        seen.append(f"{clock.seconds:g} {' '.join(names)}|{frontier}")
    return seen, intake


def test_silence_completes_an_element() -> None:
    clock = Clock()
    a = Live("a", clock, (0, open_element("a1", 1)), (5, open_element("a2", 2)), (9, b""))
    seen, _ = seen_of(clock, a, quiet=0.2)
    assert seen == ["0.2 a1|1", "5.2 a2|2"]


def test_without_a_bound_an_element_stays_open() -> None:
    clock = Clock()
    a = Live("a", clock, (0, open_element("a1", 1)), (5, open_element("a2", 2)), (9, b""))
    seen, _ = seen_of(clock, a)
    assert seen == ["5 a1|1", "9 a2|2"]


def test_what_comes_in_time_belongs_to_the_element() -> None:
    clock = Clock()
    lines = open_element("a1", 1).splitlines(keepends=True)
    more = quad("more", "a1").encode() + b"\n"
    a = Live("a", clock, (0, lines[0]), (0.1, lines[1]), (0.25, more), (9, b""))
    seen, intake = seen_of(clock, a, quiet=0.2)
    assert seen == ["0.45 a1 more|1"]
    assert not intake.counters.bad


def test_what_comes_after_silence_is_a_further_element() -> None:
    clock = Clock()
    more = quad("more", "a1").encode() + b"\n"
    a = Live("a", clock, (0, open_element("a1", 1)), (0.3, more), (9, b""))
    seen, intake = seen_of(clock, a, quiet=0.2)
    assert seen == ["0.2 a1|1"]
    assert dict(intake.counters.bad) == {"DAT201": 1}


def test_a_statement_that_has_come_in_part_is_waited_for() -> None:
    clock = Clock()
    element = open_element("a1", 1)
    cut = len(element) - 5
    a = Live("a", clock, (0, element[:cut]), (30, element[cut:]), (99, b""))
    seen, intake = seen_of(clock, a, quiet=0.2)
    assert seen == ["30.2 a1|1"]
    assert not intake.counters.bad


def test_the_clock_moves_time_while_nothing_arrives() -> None:
    clock = Clock()
    a = Live("a", clock, (0, open_element("a1", moment("00.000Z"))), (0.45, b""))
    seen, _ = seen_of(clock, a, period=0.1, quiet=0.25, delay=300)
    assert seen == [
        "0.1 |-200",
        "0.2 |-100",
        "0.25 a1|-100",
        "0.3 |0",
        "0.4 |100",
    ]


def test_no_source_holds_the_clock_back() -> None:
    clock = Clock()
    a = Live("a", clock, (0.4, b""))
    b = Live("b", clock, (0, open_element("b1", moment("00.010Z"))), (0.4, b""))
    seen, intake = seen_of(clock, a, b, period=0.1, quiet=0.02, delay=200)
    assert seen == ["0.1 b1|-", "0.1 |-100", "0.2 |0", "0.3 |100", "0.4 |200"]
    assert intake.counters.late == 0


def test_what_has_arrived_is_read_before_the_clock_moves() -> None:
    """At 0.1 two elements are there and the clock is to move: it makes neither of them late."""
    clock = Clock()
    lines = open_element("a1", moment("00.050Z")) + b"\n"
    more = open_element("a2", moment("00.050Z")) + b"\n"
    a = Live("a", clock, (0.1, lines), (0.1, b""))
    b = Live("b", clock, (0.1, more), (0.3, b""))
    _, intake = seen_of(clock, a, b, period=0.1)
    assert (intake.counters.elements, intake.counters.late) == (2, 0)


def test_a_retraction_without_a_stamp_has_the_time_of_the_last_move() -> None:
    clock = Clock()
    taken = f"<urn:r> {RETRACTS} <urn:a1> .\n\n".encode()
    first = open_element("a1", moment("00.050Z")) + b"\n"
    a = Live("a", clock, (0.05, first), (0.25, taken), (0.3, b""))
    schedule = TimedSchedule(Timers(period=0.1), lambda: round(clock.seconds * 1000), clock)
    intake = Intake([a], Dictionary(), StreamOptions(wall=True, names=True), schedule=schedule)
    assert [batch.frontier for batch in intake if batch.is_retraction] == [200]


def test_a_clock_that_is_set_back_stands_still() -> None:
    clock = Clock()
    shown = iter([5, 3, 4, 7, 8, 8, 8, 8, 8])
    a = Live("a", clock, (0.45, b""))
    schedule = TimedSchedule(Timers(period=0.1), lambda: next(shown), clock)
    intake = Intake([a], Dictionary(), StreamOptions(wall=True), schedule=schedule)
    assert [batch.frontier for batch in intake] == [5, 7]


@pytest.mark.parametrize(("unit", "tick"), [("ms", 86_400_000), ("us", 86_400_000_000)])
def test_the_wall_shows_ticks_since_1970(unit, tick) -> None:
    assert wall_clock(TimeScale(unit), lambda: 86_400 * 10**9)() == tick
    assert TimeScale(unit).text(tick) == "1970-01-02T00:00:00Z"


def test_while_nothing_may_be_read_the_clock_moves_time() -> None:
    clock = Clock()
    a = Live("a", clock, (0.05, open_element("a1", moment("00.500Z")) + b"\n"), (0.6, b""))
    control = Control(decide=lambda _: Decision(clock.seconds > 0.25))
    shown = lambda: round(clock.seconds * 1000)  # noqa: E731
    schedule = TimedSchedule(Timers(period=0.1), shown, clock, control)
    dictionary = Dictionary()
    intake = Intake([a], dictionary, StreamOptions(wall=True), schedule=schedule)
    seen = [(round(clock.seconds, 1), len(facts_of([batch], dictionary))) for batch in intake]
    assert seen[:3] == [(0.1, 0), (0.2, 0), (0.3, 1)]
    assert intake.counters.late == 0


def test_a_run_that_is_stopped_while_references_are_looked_at_does_not_wait() -> None:
    clock, looks = Clock(), list[float]()
    a = Live("a", clock, (5, open_element("a1", 1)), (6, b""))
    stop = SimpleNamespace(is_set=False)

    def decide(_: bool) -> Decision:
        looks.append(clock.seconds)
        stop.is_set = True
        return GO_ON

    control = Control(stop, decide)
    schedule = TimedSchedule(Timers(), None, clock, control)
    intake = Intake([a], Dictionary(), StreamOptions(), schedule=schedule)
    assert list(intake) == []
    assert (clock.seconds, looks) == (0, [0])


def test_nothing_is_read_if_the_run_is_stopped_while_it_waits() -> None:
    clock = Clock()

    class Stop:
        @property
        def is_set(self) -> bool:
            return clock.seconds > 0

    control = Control(Stop())
    schedule = TimedSchedule(Timers(), None, clock, control)
    a = Live("a", clock, (5, open_element("a1", 1)), (5, b""))
    intake = Intake([a], Dictionary(), StreamOptions(), schedule=schedule)
    assert list(intake) == []
    assert intake.left_open == 0
    assert intake.counters.quads == 0
