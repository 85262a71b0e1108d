"""Silent sources stop to hold time back, by a clock that is told."""

from __future__ import annotations

import fcntl
import os
import resource

from r4.rdf.documents import Format, RdfDocument
from r4.sources.formats import RdfSource
from r4.stream.intake import Intake
from r4.stream.readiness import SystemReadiness, readable
from r4.stream.schedule import TimedSchedule, Timers
from r4.stream.source import Source, StreamOptions
from rete.terms.dictionary import Dictionary
from tests.r4.stream.live_sources import Clock, Live, element
from tests.r4.stream.sources import facts_of


def run(clock: Clock, *sources: Live, idle: float = 10) -> tuple[list[str], list[str], Intake]:
    """What is read in which order, with the frontier after it, and what is told."""
    told: list[str] = []
    timers = Timers(
        idle, report_idle=lambda name, silent: told.append(f"{name} {silent} {clock.seconds:g}")
    )
    dictionary = Dictionary()
    intake = Intake(
        sources, dictionary, StreamOptions(), schedule=TimedSchedule(timers, readiness=clock)
    )
    seen = []
    for batch in intake:
        names = [fact[0][0][5:-1] for fact in facts_of([batch], dictionary)]
        frontier = batch.frontier if batch.frontier > -(2**60) else "-"
        seen.append(f"{' '.join(names)}|{frontier}")
    return seen, told, intake


def test_a_silent_source_holds_time_back_only_so_long() -> None:
    clock = Clock()
    a = Live("a", clock, (0, element("a1", 1)), (50, element("a2", 60)))
    b = Live("b", clock, *((n, element(f"b{n}", n)) for n in (1, 2, 3, 20, 30)))
    seen, told, _ = run(clock, a, b)
    assert told == ["a True 10", "a False 50"]
    assert seen == ["a1|-", "b1|1", "b2|2", "b3|3", "b20|20", "b30|30", "a2|60"]


def test_what_an_idle_source_says_then_may_be_late() -> None:
    clock = Clock()
    a = Live("a", clock, (0, element("a1", 1)), (50, element("a2", 2)))
    b = Live("b", clock, *((n, element(f"b{n}", n)) for n in (1, 5, 20)), (60, element("b9", 70)))
    _, told, intake = run(clock, a, b)
    assert told == ["a True 10", "b True 30", "a False 50", "b False 60"]
    assert intake.counters.late == 1


def test_a_source_that_speaks_in_time_is_waited_for() -> None:
    clock = Clock()
    a = Live("a", clock, *((n, element(f"a{n}", n)) for n in (0, 9, 18, 27)))
    b = Live("b", clock, *((n, element(f"b{n}", n)) for n in (1, 2, 3)))
    seen, told, intake = run(clock, a, b)
    assert told == []
    assert intake.counters.late == 0
    assert [name for name in " ".join(seen).replace("|", " ").split() if name[0] in "ab"] == [
        "a0",
        "b1",
        "b2",
        "b3",
        "a9",
        "a18",
        "a27",
    ]


def test_silence_of_all_sources_ends_nothing() -> None:
    clock = Clock()
    a = Live("a", clock, (100, element("a1", 1)), (200, element("a2", 2)))
    seen, told, _ = run(clock, a)
    assert told == ["a True 10", "a False 100", "a True 110", "a False 200"]
    assert [line.split("|")[0] for line in seen if line[0] != "|"] == ["a1", "a2"]


def test_bytes_that_complete_nothing_are_no_silence() -> None:
    clock = Clock()
    whole = element("a1", 1)
    pieces = [(9.0 * n, whole[n : n + 1]) for n in range(len(whole))]
    a = Live("a", clock, *pieces)
    b = Live("b", clock, (1, element("b1", 1)))
    _, told, _ = run(clock, a, b)
    assert told == []


def test_a_pipe_is_heard_whatever_number_its_descriptor_has() -> None:
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    reader, writer = os.pipe()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(few, 1100), most))
    try:
        high = fcntl.fcntl(reader, fcntl.F_DUPFD, 1050)  # more than `select` takes
        assert readable([high], 0) == frozenset()
        os.write(writer, b"x")
        assert readable([high, high], None) == {high}
        os.close(high)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))
        os.close(reader)
        os.close(writer)


def test_the_system_hears_pipes_and_never_waits_for_files(tmp_path) -> None:
    path = tmp_path / "a.nq"
    path.write_bytes(element("a", 1))
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    sources: list[Source] = [
        RdfSource(RdfDocument(str(name), 1, Format.N_QUADS)) for name in (path, tmp_path / "pipe")
    ]
    readiness = SystemReadiness()
    assert readiness.poll(sources, None) == [True, False]
    assert readiness.poll(sources[1:], 0) == [False]
    os.write(writer, b"x")
    assert readiness.poll(sources, 0) == [True, True]
    assert readiness.poll(sources[1:], None) == [True]
    assert readiness.now() <= readiness.now()
    for source in sources:
        source.close()
    os.close(writer)
