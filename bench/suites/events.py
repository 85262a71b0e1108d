"""`r4 bench events`: what one call of `Engine.add` with one event takes, and peers on a join.

Every case is a process, which compares all changes with those of a plain loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import Bound, bounds_json, bounds_table
from bench.harness.peer import Peer
from bench.harness.process_usage import python
from bench.harness.rounds import Series, first_wrong, read_json, run_rounds
from bench.harness.tables import TextTable, tabled
from bench.suites.stream_peers import package_version
from bench.workloads.single_events import CASES, expected

MOST_EVENTS: Final = 40_000
"""Triples that are added at most, but of `SUSTAINED`."""
JOIN: Final = "join"
"""The case that peers run, too."""
SUSTAINED: Final = "sustained"
"""The case that is as long as the streams of other benchmarks."""
LEAST_RATE: Final = 250_000
"""Events a second of processor time that it means to take."""
_MEDIAN: Final = "median"
MOST: Final[Mapping[tuple[str, str], float]] = {
    (JOIN, _MEDIAN): 3,
    (JOIN, "high"): 30,
    ("join-read", _MEDIAN): 6,
    ("no-match", _MEDIAN): 2,
    ("filter", _MEDIAN): 4,
    ("diamond", _MEDIAN): 4,
    ("negation", _MEDIAN): 4,
    ("loss", "mean"): 40,
    ("average", _MEDIAN): 6,
    ("state", _MEDIAN): 8,
    ("graph-ntriples", _MEDIAN): 8,
    ("graph-turtle", _MEDIAN): 30,
    ("graph-pyoxigraph", _MEDIAN): 15,
    ("graph-rdflib", _MEDIAN): 50,
}
"""The microseconds that R4 means to take at most, by case and field of `EventCost`."""
_WORDS: Final = {_MEDIAN: "µs a call, median", "mean": "µs a call, mean", "high": "µs, 99 %"}


@dataclass(frozen=True, slots=True)
class PythonPeer(Peer):
    """A package in a Python that the user names."""

    package: tuple[str, str] = ("", "")  # the module, and the name of its package

    def version(self, path: Path) -> str:
        """The version of its package, and of that Python."""
        return package_version(path, *self.package)


PEERS: Final[Mapping[str, Peer]] = {
    "python-events": Peer("event_python", "single events: the join by hand, in plain Python"),
    "clips-events": Peer("event_clips", "single events: CLIPS, through clipspy", "clipspy"),
    "durable_rules": PythonPeer(
        "event_durable",
        "single events: durable_rules; --peer durable_rules=PYTHON",
        path="PYTHON",
        package=("durable", "durable_rules"),
    ),
    "bytewax": PythonPeer(
        "event_bytewax",
        "single events: Bytewax, with the join by hand as its step; --peer bytewax=PYTHON",
        path="PYTHON",
        package=("bytewax", "bytewax"),
    ),
}


@dataclass(frozen=True, slots=True)
class EventCost:
    """The cost of one call, in microseconds; of peers only what a whole run took is known."""

    cpu: float  # processor time, the mean
    answers: int  # how many began
    wrong: str = ""  # what is wrong with the changes
    # as a clock on the wall has it
    median: float = 0.0
    mean: float = 0.0
    high: float = 0.0  # what 99 of 100 stay below


@dataclass(slots=True)
class EventRuns(Series[str, EventCost]):
    """The runs of a case, or of a peer, whose name is the key."""

    events: int = 0

    def figure(self, name: str) -> float:
        """A field of the cost, the median over the rounds."""
        values: list[float] = [getattr(report, name) for report in self.reports]
        return median(values)

    @property
    def rate(self) -> float:
        """Events a second of processor time."""
        return 1e6 / self.figure("cpu")


def run(request: Request) -> Findings:
    """All cases, and peers on the join."""
    found = [EventRuns(name, events=_length(name, request.triples)) for name in CASES]
    count = _length(JOIN, request.triples)
    found += (
        EventRuns(name, events=count, may_fail=name in request.installations)
        for name in request.peers
        if name in PEERS
    )
    begun = sum(change[0] == "+" for change in expected(CASES[JOIN], count))

    def command(each: EventRuns, _: int) -> tuple[str, ...]:
        if each.key in CASES:
            return python("bench.programs.add_events", each.key, each.events, request.folder)
        words = python(PEERS[each.key].program, each.events)
        own = request.installations.get(each.key)
        return words if own is None else (str(own.path), *words[1:])

    def check(each: EventRuns, _: int) -> str:
        cost = each.reports[-1]
        if each.key in CASES or cost.answers == begun:
            return cost.wrong
        return f"{cost.answers} instead of {begun} answers"

    run_rounds(
        request,
        found,
        command,
        read_json(EventCost),
        title=lambda each: f"single events: {each.key}, {each.events:,}",
        check=check,
    )
    return findings(found)


def _length(name: str, triples: int) -> int:
    most = triples if name == SUSTAINED else min(triples, MOST_EVENTS)
    return max(most // CASES[name].triples, 1)


def bounds(found: Sequence[EventRuns]) -> Iterator[Bound]:
    """The bounds of the cases that ran."""
    by_name = {each.key: each for each in found}
    for (name, field), most in MOST.items():
        if name in by_name:
            yield Bound(name, _WORDS[field], by_name[name].figure(field), most)
    if SUSTAINED in by_name:
        rate = by_name[SUSTAINED].rate
        yield Bound(SUSTAINED, "events a second of CPU", rate, LEAST_RATE, most=False)


def findings(found: Sequence[EventRuns]) -> Findings:
    """Cases, bounds, peers."""
    kept = [*bounds(found)]
    return Findings(
        [
            *_case_table([each for each in found if each.key in CASES]),
            *bounds_table("Bounds, medians over the rounds.", kept),
            *_peer_table(found),
        ],
        {
            "events": [each.json(events=each.events) for each in found],
            "event_bounds": bounds_json(kept),
        },
        first_wrong(found),
    )


def _case_table(found: Sequence[EventRuns]) -> Iterator[TextTable]:
    rows = (
        (
            each.key,
            f"{each.events:,}",
            *(f"{each.figure(name):.2f}" for name in ("median", "mean", "high", "cpu")),
            f"{each.rate:,.0f}",
            each.wrong or "right",
        )
        for each in found
    )
    heads = ("", "calls", "median µs", "mean µs", "99 % µs", "CPU µs", "a second of CPU", "changes")
    return tabled("One call of Engine.add with one event; medians over the rounds.", heads, rows)


def _peer_table(found: Sequence[EventRuns]) -> Iterator[TextTable]:
    ours = next((each.figure("cpu") for each in found if each.key == JOIN), None)
    peers = [each for each in found if each.key in PEERS]
    if ours is None or not peers:
        return
    rows = [("r4", f"{ours:.2f}", "", "right")]
    for each in peers:
        if each.reports:
            cpu = each.figure("cpu")
            rows.append((each.key, f"{cpu:.2f}", f"{ours / cpu:.2f}", each.wrong or "right"))
        else:
            rows.append((each.key, "", "", each.failure))
    title = "The join beside others: processor time an event; they count answers that begin."
    yield from tabled(title, ("", "CPU µs", "R4 over it", "answers"), rows)


BENCHMARK: Final = Benchmark(
    {"events": "one call of Engine.add with one event, and peers on a join"},
    run,
    {name: case.description for name, case in CASES.items()},
    PEERS,
)
