"""Slices that R4 and DREDmtl follow; R4_TEST_DREDMTL names the folder that has it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.peer import NotInstalled
from bench.harness.process_usage import Usage, measure_process
from bench.peers.mtl_dred import SOURCES
from bench.suites import mtl_slices
from bench.suites.mtl_slices import (
    MAINTAINERS,
    Slice,
    SliceKey,
    SliceReport,
    SliceRuns,
    findings,
    follow,
)
from tests.bench.requests import requested

RULES = "Q(X) :- P(X)\n"
FAKE = {
    "canonical/canonical_representation.py": """
class CanonicalRepresentation:
    def __init__(self, data, rules):
        self.D = {f.replace("P", h) for f in data for h in "PQ"}
    def initilization(self): ...
""",
    "canonical/utils.py": "def find_periods(model): return model.D, *[None] * 7\n",
    "materialization/coalesce.py": "def coalescing_d(data): ...\n",
    "utils/loader.py": "def load_program(lines): return lines\n"
    "def load_dataset(path): return set(open(path).read().split())\n",
    "utils/operate_dataset.py": "def yield_dataset(data): return data\n",
}
"""A reasoner that knows the one rule."""
DRED = """
from line_profiler import *
from meteor_reasoner.canonical.canonical_representation import CanonicalRepresentation
def has_cycle(rules): return False
def unfold(data, *_): return data
@profile
def DRED(known, model, goes, comes, *_, **__):
    known = known - set(goes) | set(comes)
    return known, CanonicalRepresentation(known, []), *[None] * 6
"""
WRONG = DRED.replace("known - set(goes)", "known")


def _installed(folder: Path, text: str) -> Path:
    code, reasoner = (folder / part for part in SOURCES)
    for name, body in FAKE.items():
        path = reasoner / "meteor_reasoner" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body)
    (reasoner / "meteor_reasoner" / "__init__.py").touch()
    code.mkdir(parents=True)
    (code / "DRED_mtl.py").write_text(text)
    return folder


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "weather"
    place.mkdir()
    (place / "program.txt").write_text(RULES)
    facts = "".join(f"P(a{number})@[{number % 9},20]\n" for number in range(60))
    (place / "weather_59981.txt").write_text(facts)
    monkeypatch.setattr(mtl_slices, "SLICES", [Slice("weather", 1 / 3, 4, thinned=True)])
    return tmp_path


def _run(data: Path, peer: Path, folder: Path) -> list[SliceRuns]:
    return follow(requested(folder, data=data), {"dredmtl": peer})


@pytest.mark.slow
def test_a_wrong_model_of_a_peer_is_found_and_a_right_one_is_as_that_of_r4(
    data: Path, tmp_path: Path
) -> None:
    ours, theirs = _run(data, _installed(tmp_path / "peer", WRONG), tmp_path)
    assert (ours.key, ours.wrong) == (SliceKey("r4", "weather", 20, 4), "")
    assert theirs.compared == 32 + 40  # of P and of Q
    told = theirs.wrong
    assert told.startswith("after delete: 8 too many, such as P(a")
    assert "after insert" not in told
    assert findings([ours, theirs], {}).wrong == f"dredmtl weather: {told}"


@pytest.mark.slow
def test_what_a_peer_that_fails_said_is_a_row(data: Path, tmp_path: Path) -> None:
    failing = DRED.replace(
        "    known = known", "    raise TypeError('no integer')\n    known = known"
    )
    found = _run(data, _installed(tmp_path / "peer", failing), tmp_path)
    table, _ = findings(found, {"dredmtl": "1"}).tables
    assert table.rows[0][:3] == ("r4 weather", "20", "4")
    assert table.rows[0][-1] == "as anew"
    assert table.rows[1][-1] == "exit 1: TypeError: no integer"
    assert not findings(found, {}).wrong


def test_r4_is_named_as_fast_as_the_peer_takes_longer_where_the_peer_is_right() -> None:
    usage = Usage(1.0, 1.0, 1)
    ours = SliceRuns(SliceKey("r4", "a", 9, 2), [(usage, SliceReport(0.1, 0.2, 0.001, 0.002))])
    key = SliceKey("dredmtl", "a", 9, 2)
    theirs = SliceRuns(key, [(usage, SliceReport(0.1, 1.2, 0.05, 0.04))], compared=7)
    table, versions = findings([ours, theirs], {"dredmtl": "digest"}).tables
    row = ("dredmtl a", "9", "2", "1200.0", "50.0", "50", "40.0", "20", "7", "as R4")
    assert table.rows[1] == row
    assert versions.rows == (("dredmtl", "digest"),)
    ours.runs.append((usage, SliceReport(0.1, 0.2, 0.001, 0.002, wrong=True)))
    ours.wrong, theirs.wrong = "another model than one derived anew", "after delete: 1 missing"
    found = findings([ours, theirs], {"dredmtl": "digest"})
    (told, _), slices = found.tables, found.figures["slice_updates"]
    assert told.rows[0][-1] == "wrong: another model than one derived anew"
    assert told.rows[1][-5:] == ("", "40.0", "", "7", "wrong: after delete: 1 missing")
    assert isinstance(slices, list)
    assert [each["wrong"] for each in slices] == [ours.wrong, theirs.wrong]


def test_a_folder_without_it_is_said(tmp_path: Path) -> None:
    peer = MAINTAINERS["dredmtl"]
    with pytest.raises(NotInstalled, match=r"has no DREDmtl-for-DatalogMTL/code/DRED_mtl\.py"):
        peer.version(tmp_path)
    folder = _installed(tmp_path / "peer", DRED)
    assert peer.version(folder).startswith("DRED_mtl.py with SHA-256 ")
    (folder / SOURCES[1] / "meteor_reasoner" / "__init__.py").unlink()
    with pytest.raises(NotInstalled, match=r"has no MeTeoR/meteor_reasoner/__init__\.py"):
        peer.version(folder)


@pytest.mark.parametrize("given", ["dredmtl", "dredmtl="])
def test_its_folder_is_asked_for(given: str) -> None:
    done = CliRunner().invoke(command, ["mtl-update", "--peer", given])
    assert done.exit_code == 2
    assert "dredmtl=FOLDER" in done.output.replace("\n", " ")


@pytest.mark.slow
@pytest.mark.skipif("R4_TEST_DREDMTL" not in os.environ, reason="R4_TEST_DREDMTL names no folder")
def test_dredmtl_follows_a_rule(tmp_path: Path) -> None:
    program, facts, changed = (tmp_path / name for name in ("program", "facts", "changed"))
    program.write_text("Q(X) :- Diamondminus[1,1]P(X)\n")
    facts.write_text("P(a)@[1,1]\nP(b)@[2,2]\nP(c)@[3,3]\n")
    changed.write_text("P(b)@[2,2]\n")
    files = [os.environ["R4_TEST_DREDMTL"], program, facts, changed, tmp_path / "told"]
    words = map(str, (sys.executable, "-m", "bench.peers.mtl_dred", *files))
    measure_process(tuple(words), tmp_path / "output")
    told = json.loads((tmp_path / "output").read_text())
    assert len(told["within"]) == 2
    for change, holding in (("delete", "ac"), ("insert", "abc")):
        lines = (tmp_path / f"told-{change}").read_text().split()
        times = {"a": 1, "b": 2, "c": 3}
        right = [
            f"{p}({a})@[{t + n},{t + n}]" for a, t in times.items() for n, p in ((0, "P"), (1, "Q"))
        ]
        assert sorted(lines) == [line for line in sorted(right) if line[2] in holding]
