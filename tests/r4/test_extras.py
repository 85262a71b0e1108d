"""What other packages give R4 is known from what they name, without importing them."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from unittest.mock import patch
from zipfile import ZipFile

import pytest

from r4.extras import extension_names, may_be_extended
from tests.simulation.command import call
from tests.simulation.plugged import install

GROUP = "r4.functions"


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_a_package_that_names_the_group_may_extend_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "not there")])
    assert not may_be_extended(GROUP)
    info = tmp_path / f"other-1.0.{kind}"
    info.mkdir()
    assert not may_be_extended(GROUP)
    (info / "entry_points.txt").write_text("[r4.sources]\nx = y:z\n")
    assert not may_be_extended(GROUP)
    (info / "entry_points.txt").write_bytes(b"[r4.functions]\nurn:\xff = y:z\n")
    assert may_be_extended(GROUP)


def test_what_is_in_an_archive_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ZipFile(tmp_path / "packages.zip", "w") as archive:
        archive.writestr("other.py", "")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages.zip")])
    assert may_be_extended(GROUP)


ENTRY_POINTS = """
[r4.sources]
trap: = trap_plug:X
trap = trap_plug:X
.trap = trap_plug:X

[r4.sinks]
trap: = trap_plug:X
trap = trap_plug:X
"""


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules and data that name what a package gives; it tells of its import."""
    text = f"open({str(tmp_path / 'imported')!r}, 'w').close()\nX = None\n"
    monkeypatch.delitem(sys.modules, "trap_plug", raising=False)
    install(tmp_path / "packages", monkeypatch, "trap_plug", text, ENTRY_POINTS)
    (tmp_path / "r.rif").write_text(
        "Document(Base(<trap:b>) Prefix(trap <trap:>) Group("
        "Forall ?x (<trap:x>[trap:q -> ?x] :- trap:a[<trap:p> -> ?x])))"
    )
    (tmp_path / "i.rif").write_text("Document(Import(<trap:x>) Import(<a.trap>) Group())")
    (tmp_path / "d.ttl").write_text("@base <trap:b> . @prefix t: <trap:> . <a> <trap:p> t:trap .")
    (tmp_path / "d.jsonld").write_text('{"@context":"trap://here/a.trap","@id":"trap:a"}')
    (tmp_path / "a.trap").write_text("<trap:a> <trap:p> <trap:b> .\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        *("check r.rif", "check i.rif", "run i.rif", "convert i.rif -", "plan r.rif", "doctor"),
        *("run r.rif --static d.ttl", "run r.rif --static d.jsonld", "run --help"),
        "explain r.rif --static d.ttl --fact <trap:x>\t<trap:q>\t<trap:trap>",
    ],
)
def test_what_rules_and_data_name_imports_no_package(trap: Path, line: str) -> None:
    call([word.replace("\t", " ") for word in line.split(" ")])
    assert not (trap / "imported").exists()


@pytest.mark.parametrize(
    "more",
    [["trap://here"], ["a.trap"], ["--output", "trap://x"], ["--as", "trap"]],
)
def test_what_the_command_line_names_is_imported(trap: Path, more: list[str]) -> None:
    call(["run", "r.rif", *more])
    assert (trap / "imported").exists()


def test_the_packages_on_a_path_are_looked_through_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with patch.object(metadata, "entry_points", side_effect=metadata.entry_points) as looked:
        monkeypatch.setattr(sys, "path", [str(tmp_path)])
        assert extension_names("r4.sources") == extension_names("r4.sources") == ()
        assert looked.call_count == 1
        info = tmp_path / "more" / "other-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[r4.sources]\n.x = y:z\n")
        monkeypatch.setattr(sys, "path", [str(tmp_path / "more")])
        assert extension_names("r4.sources") == (".x",)
