"""`r4 load`: what is refused before Spark is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.cli import main
from r4.spark.jobs.session import NoJava

GOOD = "<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n"


def no_spark(*_: object) -> None:
    message = "Java is asked for"
    raise NoJava(message)


@pytest.fixture(autouse=True)
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r4.cli.commands.load.session", no_spark)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["missing.nt"], "missing.nt: No such file"),
        (["*.xyz"], "*.xyz: no file is called so"),
        (["-"], "standard input cannot be split"),
        (["a.nt", "--conf", "spark.ui.enabled"], "write spark.NAME=VALUE"),
        (["a.nt", "--conf", "ui=1"], "write spark.NAME=VALUE"),
        ([], "Missing argument"),
    ],
)
def test_what_is_wrong_is_said_at_once(
    args: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.nt").write_text(GOOD)
    assert main(["load", *args, "--into", "into"]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "into").exists()


def test_what_spark_lacks_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.nt").write_text(GOOD)
    (tmp_path / "notes.txt").touch()
    assert main(["load", str(tmp_path), "--into", str(tmp_path / "into")]) == 2
    passed, last = capsys.readouterr().err.splitlines()
    assert passed == f"{tmp_path / 'notes.txt'}: passed over: no RDF format is known by its suffix"
    assert last == "Java is asked for"
