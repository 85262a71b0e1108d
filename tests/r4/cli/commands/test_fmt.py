"""``r4 fmt``: rule files in place, or standard input to standard output."""

from __future__ import annotations

import gzip
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from r4.cli import DONE, main
from r4.cli.terminal.console import NO, RULES_REFUSED, USAGE

LOOSE = "# of ovens\n@prefix ex: <urn:ex:> .\n?x[ex:hot->1]:-?x # ex:Oven.   (* why *)\n"
LAID_OUT = "# of ovens\n@prefix ex: <urn:ex:> .\n\n?x[ex:hot -> 1] :- ?x # ex:Oven. (* why *)\n"


def test_files_are_laid_out_in_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first.rif", tmp_path / "second.rif"
    first.write_text(LOOSE, "utf-8")
    first.chmod(0o640)
    second.write_text(LAID_OUT, "utf-8")
    link = tmp_path / "link.rif"
    link.symlink_to(first)
    before = second.stat().st_mtime_ns
    assert main(["fmt", str(link), str(second)]) == DONE
    assert first.read_text("utf-8") == second.read_text("utf-8") == LAID_OUT
    assert link.is_symlink()
    assert first.stat().st_mode & 0o777 == 0o640
    assert second.stat().st_mtime_ns == before
    assert {path.name for path in tmp_path.iterdir()} == {"first.rif", "second.rif", "link.rif"}
    assert capsys.readouterr() == ("", "")


def test_check_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first.rif", tmp_path / "second.rif"
    first.write_text(LOOSE, "utf-8")
    second.write_text(LAID_OUT, "utf-8")
    assert main(["fmt", "--check", str(second)]) == DONE
    assert main(["fmt", "--check", str(first), str(second)]) == NO
    assert first.read_text("utf-8") == LOOSE
    assert capsys.readouterr() == (f"{first}\n", "")


def test_standard_input_goes_to_standard_output(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(LOOSE.encode())))
    assert main(["fmt", "-"]) == DONE
    assert capsysbinary.readouterr() == (LAID_OUT.encode(), b"")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(LOOSE.encode())))
    assert main(["fmt", "--check", "-"]) == NO
    assert capsysbinary.readouterr() == (b"<stdin>\n", b"")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<Document><Group/></Document>", "this is RIF/XML"),
        (b"<urn:p>(1", "RIF101 expected )"),
        (b"\xff", "UTF-8"),
        (gzip.compress(LOOSE.encode(), mtime=0), "UTF-8"),
    ],
)
def test_what_is_no_text_of_rules_stays_as_it_is(
    data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, right = tmp_path / "wrong.rif", tmp_path / "right.rif"
    wrong.write_bytes(data)
    right.write_text(LOOSE, "utf-8")
    assert main(["fmt", str(wrong), str(right)]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert str(wrong) in err
    assert message in err
    assert wrong.read_bytes() == data
    assert right.read_text("utf-8") == LAID_OUT


def test_a_missing_file_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", str(tmp_path / "missing.rif")]) == USAGE
    assert "No such file" in capsys.readouterr().err
    assert main(["fmt"]) == USAGE
