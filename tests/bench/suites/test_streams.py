"""Everybody runs in turn, is measured apart, and is held to the right answers."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.harness.process_usage import RunFailed, Usage, measure_process
from bench.suites.stream_contestants import Contestant, ContestantKey, contestants
from bench.suites.stream_peers import PEERS, Check
from bench.suites.streams import compare, findings, ratios
from bench.workloads.catalogue import Files
from bench.workloads.expected_answers import expect_each, lines
from tests.bench.requests import requested

READY = [name for name, peer in PEERS.items() if not peer.path]
NOTHING = (sys.executable, "-c", "")


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)


def entry(name: str, code: str, check: Check = "nothing") -> Contestant:
    key = ContestantKey(name, "q1", "1s", 30)
    return Contestant(key, command=python(code), idle=NOTHING, check=check)


def compared(entries: list[Contestant], folder: Path, rounds: int = 1) -> list[Contestant]:
    compare(requested(folder, rounds=rounds), entries)
    return entries


def test_a_run_is_measured_without_what_the_measuring_process_occupies(tmp_path):
    ballast = bytearray(300_000_000)
    used = measure_process(NOTHING, tmp_path / "output")
    assert len(ballast) > used.peak > 1_000_000
    large = measure_process(python("bytearray(200_000_000)"), tmp_path / "output")
    assert 200_000_000 < large.peak < 250_000_000
    assert used.seconds > 0
    assert used.cpu > 0


def test_a_run_reads_the_pipe_it_is_given(tmp_path):
    with subprocess.Popen(python("print('from afar')"), stdout=subprocess.PIPE) as source:
        assert source.stdout is not None
        measure_process(python("print(input())"), tmp_path / "output", source.stdout)
    assert (tmp_path / "output").read_text() == "from afar\n"


def test_a_run_that_fails_is_said_with_what_it_wrote_to_standard_error(tmp_path):
    with pytest.raises(RunFailed, match=r"(?s)exit 3.*too many cooks"):
        measure_process(python("import sys; print('too many cooks', file=sys.stderr); sys.exit(3)"),
                tmp_path / "output")  # fmt: skip


def test_everybody_runs_once_a_round_one_after_the_other(tmp_path):
    log = tmp_path / "log"
    said: list[str] = []
    results = [entry(name, f"open({str(log)!r}, 'a').write({name!r})") for name in "abc"]
    compare(requested(tmp_path, rounds=2, say=said.append), results)
    assert log.read_text() == "abcabc"
    assert [len(result.runs) for result in results] == [2, 2, 2]
    assert [len(result.idles) for result in results] == [2, 2, 2]
    assert len(said) == 6
    assert not (tmp_path / "output").exists()


def printing(text: str) -> str:
    return f"import sys; sys.stdout.write({text!r})"


def test_lines_that_are_not_those_of_brute_force_are_wrong(tmp_path):
    right = "".join(f"{line}\n" for line in lines("q1", 30, 1000))
    swapped = "".join(f"{line}\n" for line in reversed(right.splitlines()))
    texts = [right, swapped, right.partition("\n")[2], ""]
    each = [entry(str(i), printing(text), "lines") for i, text in enumerate(texts)]
    wrong = [result.wrong for result in compared(each, tmp_path)]
    assert wrong == [
        "",
        "the counts are right, the lines are not",
        "(0, 29, 0) instead of (0, 30, 0) answers",
        "(0, 0, 0) instead of (0, 30, 0) answers",
    ]


def test_who_looks_at_full_seconds_is_held_to_counts(tmp_path):
    begun, ended = expect_each("q1", 30, 1000)
    text = '{"op":"+","at":"x"}\n' * begun + '{"op":"-","at":"x"}\n' * ended
    right, wrong = compared(
        [entry("a", printing(text), "seconds"), entry("b", printing(text + text), "seconds")],
        tmp_path,
    )
    assert right.wrong == ""
    assert wrong.wrong == f"(0, {2 * begun}, {2 * ended}) instead of (0, {begun}, {ended}) answers"


def test_a_peer_that_the_user_installed_may_fail_and_the_others_go_on(tmp_path):
    failing = replace(entry("a", "import sys; sys.exit('no memory')"), may_fail=True)
    failed, other = compared([failing, entry("b", "")], tmp_path, rounds=2)
    assert failed.failure == "exit 1: no memory"
    assert (len(failed.runs), len(other.runs)) == (0, 2)
    assert list(ratios([failed, other])) == []
    (table,) = findings([failed]).tables
    assert table.rows[0][-1] == "exit 1: no memory"


MARKING = """
import os
path = os.environ.get("R4_BENCH_MARKS")
if path:
    open(path, "w").write("0.1\\n0.3\\n0.35\\n")
"""


def marking(name: str, answers: str, check: Check = "lines") -> Contestant:
    code = MARKING + printing(answers)
    return replace(entry(name, code, check), marked=python(code))


def test_a_graph_takes_as_long_as_it_is_to_the_next_mark(tmp_path):
    right = "".join(f"{line}\n" for line in lines("q1", 30, 1000))
    (found,) = compared([marking("a", right)], tmp_path)
    assert found.latency is not None
    assert found.latency.graphs == 2
    assert (found.latency.median, found.latency.high) == pytest.approx((200_000, 200_000))
    assert found.wrong == ""


def test_the_run_that_marks_is_held_to_the_right_answers_as_well(tmp_path):
    right = {"+": 30, "-": 0}
    for answers, wrong in (
        (right, ""),
        ({"+": 30}, ""),  # no answer ended
        ({"+": 29, "-": 0}, f"graph by graph {{'+': 29, '-': 0}} instead of {right} answers"),
    ):
        one = replace(
            marking("r4", "", "nothing"), marked=python(MARKING + printing(json.dumps(answers)))
        )
        (found,) = compared([one], tmp_path)
        assert found.wrong == wrong


def test_each_workload_takes_part_with_its_peers_on_the_same_file(tmp_path):
    found = contestants(["q1", "q2", "q4"], ["1s", "5s"], 220_000, READY, Files(tmp_path), {})
    keys = [tuple(entry.key) for entry in found]
    assert len(set(keys)) == len(keys)
    assert keys == [
        ("r4", "q1", "1s", 20_000),
        ("pyoxigraph", "offers", "", 20_000),
        ("python", "q1", "1s", 20_000),
        ("store", "q1", "1s", 20_000),
        ("r4", "q1", "1s", 10_000),
        ("clips", "q1", "1s", 10_000),
        ("r4", "q1", "5s", 20_000),
        ("python", "q1", "5s", 20_000),
        ("store", "q1", "5s", 20_000),
        ("r4", "q1", "5s", 10_000),
        ("clips", "q1", "5s", 10_000),
        ("r4", "q2", "1s", 20_000),
        ("store", "q2", "1s", 20_000),
        ("r4", "q2", "5s", 20_000),
        ("store", "q2", "5s", 20_000),
        ("r4", "q4", "1s", 20_000),
        ("pyoxigraph", "observations", "", 20_000),
        ("store", "q4", "1s", 20_000),
        ("r4", "q4", "5s", 20_000),
        ("store", "q4", "5s", 20_000),
    ]
    for one in found:
        assert all(
            str(tmp_path) not in part or part.endswith((".nq", ".nt")) for part in one.command
        )


def result(key: tuple[str, str, str, int], *seconds: float, idle: float = 1.0) -> Contestant:
    made = Contestant(ContestantKey(*key), command=(), idle=(), check="nothing")
    made.runs = [(Usage(second, second, 10), None) for second in seconds]
    made.idles = [Usage(idle, idle, 10) for _ in seconds]
    return made


def test_ratios_are_medians_of_pairs_without_and_with_the_start():
    results = [
        result(("r4", "q1", "1s", 10), 3.0, 5.0, 2.0),
        result(("python", "q1", "1s", 10), 3.0, 3.0, 3.0),
    ]
    (ratio,) = ratios(results)
    assert (ratio.net, ratio.gross) == (1.0, 1.0)
    results[0].idles = [Usage(0.5, 0.5, 10)] * 3
    (ratio,) = ratios(results)
    assert (ratio.net, ratio.gross, ratio.most) == (1.25, 1.0, 1.1)
    assert not ratio.kept


def test_nothing_is_said_of_runs_that_are_no_longer_than_starts_vary():
    results = [
        result(("r4", "q1", "1s", 10), 1.3),
        result(("python", "q1", "1s", 10), 3.0),
    ]
    assert [found.short for found in results] == [False, False]
    assert list(ratios(results))
    results[0].idles = [Usage(1.0, 1.0, 10), Usage(1.4, 1.4, 10)]
    assert results[0].short
    assert list(ratios(results)) == []


def test_ratios_compare_what_read_the_same_file():
    results = [
        result(("r4", "q1", "1s", 10), 2.0),
        result(("r4", "q1", "10s", 10), 3.0),
        result(("r4", "q1", "1s", 5), 1.5),
        result(("r4", "q1", "10s", 5), 1.6),
        result(("r4", "q2", "1s", 10), 4.0),
        result(("r4", "q4", "1s", 10), 4.0),
        result(("r4", "q1-shuffled", "1s", 10), 2.1),
        result(("pyoxigraph", "offers", "", 10), 2.0),
        result(("pyoxigraph", "observations", "", 10), 2.0),
        result(("store", "q2", "1s", 10), 2.0),
        result(("clips", "q1", "1s", 5), 11.0),
    ]
    pairs = {(str(found.over), str(found.of), found.over.graphs) for found in ratios(results)}
    assert pairs == {
        ("r4 q1 1s", "pyoxigraph offers", 10),
        ("r4 q1 10s", "pyoxigraph offers", 10),
        ("r4 q1 10s", "r4 q1 1s", 10),
        ("r4 q1 1s", "clips q1 1s", 5),
        ("r4 q2 1s", "pyoxigraph offers", 10),
        ("r4 q2 1s", "store q2 1s", 10),
        ("r4 q2 1s", "r4 q1 1s", 10),
        ("r4 q4 1s", "pyoxigraph observations", 10),
        ("r4 q4 1s", "r4 q1 1s", 10),
        ("r4 q1-shuffled 1s", "r4 q1 1s", 10),
    }
