"""Counts of a tree whose counts are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths import ROOT
from tools import counts
from tools.counts import Layering, Row

FILES = {
    "rete/inference/core.py": '"""A core."""\nAgenda(Layers(Network()))\n',
    "rete/tables.py": '"""What is known."""\nKINDS = {}\n\n\ndef register(_):\n    pass\n',
    "temporal/since.py": "from rete.tables import KINDS, register\n\nKINDS.update({1: 2})\n",
    "temporal/box.py": "import atexit\nfrom rete import tables\natexit.register(print)\n",
    "r4/run/wired.py": "def f():\n    import rete.inference.core\n    agenda.Agenda(Layers(1))\n",
    "r4/box.py": '"""Those of a box."""\nfrom rete import tables\nfrom temporal.since import f\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
        (tmp_path / name).with_name("__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8"), "utf-8")
    return tmp_path


def values(*rows: Row) -> list[str]:
    return [row.value for row in rows]


def test_lines_and_modules_are_counted_by_package_and_room(tree: Path) -> None:
    rows = {row.name.rpartition(" ")[2]: row.value for row in counts.lines(tree, rooms=True)}
    assert rows["all"] == "20 (6)"
    assert (rows["r4"], rows["r4/run"], rows["r4/*"]) == ("6 (2)", "3 (1)", "3 (1)")
    stood = [each.value for each in counts.lines(tree, rooms=False, stood={"r4/*", "r4/spark"})]
    assert stood[:2] == ["20 (6)", "3 (1)"]


def test_what_is_wired_in_the_core_is_no_wiring(tree: Path) -> None:
    found = counts.modules(tree)
    agenda, parts = counts.wirings(found)
    assert agenda.listed == ["r4/run/wired.py:3"]
    assert parts.value == "1"


def test_fan_out_counts_modules_wherever_they_are_imported(tree: Path) -> None:
    row = counts.fan_out(counts.modules(tree))
    assert row.value == "2 r4/box.py"
    assert row.listed[1:3] == ["1 temporal/since.py", "1 temporal/box.py"]
    assert "1 r4/run/wired.py" in row.listed


def test_a_registration_changes_a_table_of_another_module(tree: Path) -> None:
    assert counts.registrations(counts.modules(tree)).listed == ["temporal/since.py"]


def test_names_and_openings(tree: Path) -> None:
    found = counts.modules(tree)
    assert counts.names_twice(found).listed == ["box.py 2"]
    assert values(*counts.openings(found)) == ["1", "1", "0"]


def test_calls_go_up_by_the_layers_of_what_contains_both() -> None:
    layers = Layering(ROOT)
    assert layers.goes_up("rete.inference.agenda", "r4.run.driver")
    assert layers.goes_up("r4.stream.schedule", "r4.cli.sessions.stream_session")
    assert not layers.goes_up("r4.cli.main", "r4.run.driver")
    assert not layers.goes_up("r4.run.driver", "r4.run.report")


def test_a_table_has_the_counts_side_by_side() -> None:
    before, after = [Row("a", "1"), Row("b", "2")], [Row("a", "3")]
    assert counts.table({"old": before, "now": after}).splitlines() == [
        "| count | old | now |",
        "| --- | --- | --- |",
        "| a | 1 | 3 |",
        "| b | 2 |  |",
    ]


@pytest.mark.soak
@pytest.mark.compiled_only
def test_this_tree_has_callbacks_and_options() -> None:
    direct, within = counts.callbacks(ROOT)
    assert 0 < int(direct.value) <= int(within.value)
    spelt = dict(line.split() for line in counts.spellings(counts.modules(ROOT), ROOT).listed)
    assert int(spelt["--quiet-for"]) > 0
