"""Models of tiny programs with metric time: R4 and a peer agree, and what is found is reported."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from bench import command as bench_command
from bench.command import command
from bench.harness.process_usage import RunFailed, Usage, measure_process
from bench.programs import compare_models
from bench.suites.mtl import (
    OVER_PEERS,
    ModelContestant,
    ModelReport,
    ModelRuns,
    derive,
    disputed_programs,
    findings,
    model_ratios,
)
from bench.workloads.temporal.metric_programs import PUBLISHED, found, missing
from tests.bench.requests import requested

BLINK = "Blink(X) :- Diamondminus[3,3] Blink(X)\n"
MIXED = "Warm(X) :- Boxminus[0,1] Hot(X), Diamondminus[0,2] Seen(X,Y)\n"


@pytest.fixture
def data(tmp_path):
    """Some of the published programs, with other rules and facts."""
    lubm, tables = tmp_path / "datalogmtl" / "lubm_t", tmp_path / "datalogmtl" / "itemporal"
    (tables / "10^4").mkdir(parents=True)
    lubm.mkdir()
    (lubm / "program.txt").write_text(BLINK)
    (lubm / "lubm_10^4.txt").write_text("Blink(a)@[0,1]\nBlink(b)@4\nOther(a,b)@[2,9)\n")
    (tables / "program.txt").write_text(MIXED)
    (tables / "10^4" / "Hot.csv").write_text("x,from,to\na,0,5\nb,1,1\n")
    (tables / "10^4" / "Seen.csv").write_text("x,y,from,to\na,c,3,3\na,d,20,30\nb,d,1,1\n")
    return tmp_path


def run(*args, **env):
    return CliRunner().invoke(
        command, args, env={"R4_TEST_DATA": None, **env}, standalone_mode=False
    )


@pytest.mark.slow
def test_mtl_is_a_name_of_r4_bench(data, tmp_path):
    told = tmp_path / "found.json"
    done = run("mtl", "--repeat", "1", "--json", str(told), R4_TEST_DATA=str(data))
    assert done.return_value == 0
    assert "left out: mtl: weather: " in done.output
    models = json.loads(told.read_text())["models"]
    assert [one["name"] for one in models] == ["lubm_t 10^4", "itemporal 10^4"]
    assert models[1]["runs"][0]["report"]["facts"] == 6


def test_without_data_one_is_told_what_to_do(tmp_path):
    for args in ((), ("--data", str(tmp_path))):
        done = run("mtl", *args)
        assert done.exit_code == 1
    assert "--data FOLDER" in str(run("mtl").exception)
    assert "program.txt is not there" in str(run("mtl", "--data", str(tmp_path)).exception)


def test_a_peer_that_is_not_installed_is_told_with_its_extra(data, monkeypatch):
    monkeypatch.setattr(bench_command, "version_of", lambda _: None)
    done = run("mtl", "--peer", "meteor", "--data", str(data))
    assert "meteor_reasoner is not installed: pip install" in str(done.exception)


def test_a_share_is_the_first_lines_of_each_file(data, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    program, facts = found("itemporal 10^4", data, 0.5, kept)
    assert program == str(data / "datalogmtl" / "itemporal" / "program.txt")
    parts = {path.name: path.read_text() for path in (kept / facts).iterdir()}
    assert parts == {
        "Hot.csv": "x,from,to\na,0,5\n",
        "Seen.csv": "x,y,from,to\na,c,3,3\na,d,20,30\n",
    }
    _, whole = found("lubm_t 10^4", data, 1.0, kept)
    assert whole == str(data / "datalogmtl" / "lubm_t" / "lubm_10^4.txt")
    assert missing("lubm_t 10^4", data / "datalogmtl") is None
    assert missing("weather", data) == data / "datalogmtl" / "weather" / "program.txt"


def judged(data, capsys, text, within, name="lubm_t 10^4"):
    theirs = data / "theirs"
    theirs.write_text(text)
    compare_models.main(*found(name, data, 1.0, data), str(theirs), within)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("text", "within", "wrong"),
    [
        ("Blink(a)@[0,1]\nBlink(b)@4\nOther(a,b)@[2,9)\nBlink(a)@[3,4]\n", "[0,4]", ""),
        ("Blink(a)@[0,1]\nBlink(b)@4\nOther(a,b)@[2,9)\n", "(-inf,3)", ""),
        ("Blink(a)@[0,1]\nOther(a,b)@[2,9)\n", "[0,4]", "2 missing, such as Blink(a)@[3,4]"),
        ("Blink(a)@[0,2]\nOther(a,b)@[2,9)\n", "[0,2]", "1 too many, such as Blink(a)@(1,2]"),
        ("Blink(a)@[0,1]\nOther(b,a)@2\n", "[0,2]", "1 missing, such as Other(a,b)@[2,2]; 1 too"),
        ("Blink(a)@[0,1]\n", "(-inf,inf)", "what repeats for ever"),
        ("Blink(a)@[0,1/3]\n", "[0,2]", "has numbers that are no multiples of 1/1"),
    ],
)
def test_a_model_is_compared_where_the_peer_has_all_of_it(data, capsys, text, within, wrong):
    told = judged(data, capsys, text, within)
    assert told["wrong"].startswith(wrong)
    assert bool(told["wrong"]) == bool(wrong)
    assert (told["compared"] > 0) == (not wrong or "such as" in wrong)


@pytest.mark.soak
def test_r4_derives_what_meteor_does(data, tmp_path):
    pytest.importorskip("meteor_reasoner")
    done = derive(requested(tmp_path, data=data, peers=["meteor"]))
    modes = {one.key.mode: one for one in done if one.key.runner == "meteor"}
    assert modes.keys() == {"canonical", "seminaive"}
    assert [one.wrong for one in done] == [""] * len(done)
    assert modes["canonical"].runs[0][1].within == "(-inf,24]", "two turns beyond its period"
    assert all(one.compared > 3 for one in modes.values())


def deriving(runner, name, *seconds, mode="", wrong="", stopped=False):
    runs = [
        (
            Usage(2 * took, took + 0.5, 170_000_000),
            ModelReport(0.25, took - 0.25, 1_000_000, 70_000_000, "", stopped),
        )
        for took in seconds
    ]
    return ModelRuns(
        ModelContestant(runner, name, mode), runs, compared=7 if mode else 0, wrong=wrong
    )


def test_ratios_are_of_the_least_times_and_bounds_are_said():
    found = [
        deriving("r4", "weather", 1.5, 0.5),
        deriving("meteor", "weather", 2.0, 4.0, mode="seminaive"),
    ]
    (one,) = model_ratios(found, 1.0)
    assert (one.net, one.gross) == (0.25, 1.0 / 2.5)
    assert (one.most, one.kept, one.counts) == (1 / 5, False, True)
    (part,) = model_ratios(found, 0.5)
    assert part.most is None
    text = "".join(map(str, findings(found).tables))
    assert "0.20 missed" in text
    assert "as R4" in text
    assert " 100 " in text, "bytes a fact: the peak less what was there before, for a million"


def test_bounds_of_r4_alone_are_on_its_time_and_memory():
    found = [deriving("r4", "itemporal 10^5", 901.0), deriving("r4", "lubm_t 10^5", 9.0)]
    text = str(findings(found).tables[0])
    assert "900 s missed, 16000 MB kept" in text
    assert "10 s kept" in text
    assert [one.is_done for one in found] == [True, False]
    assert "kept" not in str(findings(found, 0.5).tables[0])


def test_a_mode_that_is_wrong_does_not_count_and_a_dispute_is_an_error():
    ours = deriving("r4", "lubm_t 10^4", 0.5)
    canonical = deriving("meteor", "lubm_t 10^4", 50.0, mode="canonical")
    wrong = deriving("meteor", "lubm_t 10^4", 9.0, mode="seminaive", wrong="1 missing, such as X")
    assert [one.counts for one in model_ratios([ours, canonical, wrong], 1.0)] == [True, False]
    assert disputed_programs([ours, canonical, wrong]) == []
    assert not findings([ours, canonical, wrong]).wrong
    report = findings([ours, wrong])
    assert report.wrong
    text = "".join(map(str, report.tables))
    assert "the peer is wrong" in text
    assert "1 missing, such as X" in json.dumps(report.figures)


def test_who_was_stopped_is_a_lower_bound():
    found = [
        deriving("r4", "itemporal 10^4", 0.5),
        deriving("meteor", "itemporal 10^4", 600.0, mode="seminaive", stopped=True),
    ]
    assert "> 599.75" in str(findings(found).tables[0])


def test_bounds_are_on_programs_and_modes_that_there_are():
    there = {(name, mode) for name, one in PUBLISHED.items() for mode in one.modes}
    assert there == set(OVER_PEERS)


def test_what_a_run_says_is_told_while_it_runs(tmp_path):
    said: list[str] = []
    code = "import sys; print('one\\ntwo', file=sys.stderr)"
    measure_process((sys.executable, "-c", code), tmp_path / "out", tell=said.append)
    assert said == ["one", "two"]
    with pytest.raises(RunFailed, match=r"(?s)exit 3: .*three"):
        measure_process(
            (sys.executable, "-c", "import sys; print('three', file=sys.stderr); sys.exit(3)"),
            tmp_path / "out",
        )
