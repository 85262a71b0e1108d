"""Sinks learn of the frontier: when time moves, whether there are answers or not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.r4.state.state_run import RULES as JOIN
from tests.r4.state.state_run import run as run_on
from tests.r4.state.state_run import run_halfway, stream
from tests.simulation.command import call, small_batches
from tests.simulation.plugged import install

PLUGIN = '''\
"""A form that shows what a sink is called with."""
from r4.sinks.formats import SinkFormat


class Shown:
    left_out = 0

    def render(self, changes):
        return b"".join(b"answer at %d\\n" % at for at in changes.at.tolist())

    def advance(self, frontier):
        return b"frontier %d\\n" % frontier

    def finish(self):
        return b"finish\\n"

    def saved(self):
        return {}

    def restore(self, given):
        pass


SHOWN = SinkFormat(lambda given: Shown(), "what it is called with", undoes=True)
'''
ENTRY_POINTS = "[r4.sinks]\nshown = plugged_frontier:SHOWN\n"
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
RULES = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ) ) )"""


def element(at: int, *properties: str) -> str:
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    return f'<urn:g{at}> {STAMP} "{at}"{integer} .\n' + "".join(
        f"<urn:ex:a> <urn:ex:{each}> <urn:ex:b> <urn:g{at}> .\n" for each in properties
    )


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(tmp_path / "installed", monkeypatch, "plugged_frontier", PLUGIN, ENTRY_POINTS)
    monkeypatch.chdir(tmp_path)
    Path("rules.rif").write_text(RULES)
    return tmp_path


def run(*more: str) -> list[str]:
    done = call(["run", "rules.rif", "s.nq", "--as", "shown", "--quiet", *more])
    assert done.code == 0, done.err
    return done.lines()


@pytest.mark.usefixtures("shown")
def test_the_frontier_moves_without_answers() -> None:
    Path("s.nq").write_text(element(1, "p") + element(3) + element(9, "p"))
    with small_batches(100):
        assert run() == ["frontier 1", "frontier 9", "frontier 10", "finish"]


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("more", [(), ("--delay", "3"), ("--drain",)])
def test_the_answers_of_an_instant_come_before_the_frontier_that_passes_it(
    more: tuple[str, ...],
) -> None:
    Path("s.nq").write_text("".join(element(at, "pq"[at % 2]) for at in range(1, 60, 3)))
    frontier, answers = -1, 0
    for line in run(*more)[:-1]:
        number = int(line.rpartition(" ")[2])
        if line.startswith("frontier"):
            assert number > frontier
            frontier = number
        else:
            assert number >= frontier
            answers += 1
    assert answers > 0
    assert frontier > 58


@pytest.mark.usefixtures("shown")
def test_with_early_results_the_frontier_is_behind_them() -> None:
    Path("s.nq").write_text(element(1, "p", "q") + element(2, "p") + element(30))
    early = ["answer at 1", "frontier -9", "frontier -8", "answer at 6", "frontier 20"]
    assert run("--order", "arrival", "--delay", "10") == [*early, "frontier 31", "finish"]


@pytest.mark.usefixtures("shown")
def test_a_run_that_goes_on_tells_no_frontier_twice() -> None:
    Path("r.rif").write_text(JOIN)
    Path("s.nq").write_text(re.sub(r'"(\d+)"', lambda found: f'"{int(found[1]) // 20}"', stream()))
    with small_batches(900):
        call(["run", "r.rif", "s.nq", "--as", "shown", "--output", "plain"])
    run_halfway("--as", "shown")
    told = Path("out").read_bytes()
    assert b"frontier" in told
    assert run_on("--output", "out", "--as", "shown").code == 0
    wanted = Path("plain").read_bytes()
    assert len(told) < len(wanted)
    assert Path("out").read_bytes() == wanted
