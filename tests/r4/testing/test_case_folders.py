"""Folders as cases: which are found, and where their expected lines are."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.testing.case import BadCase
from r4.testing.case_folders import ExpectedFile, find_cases, find_markdown


def made(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    return folder


def test_a_folder_with_rules_or_expected_lines_is_a_case(tmp_path: Path) -> None:
    folder = made(
        tmp_path,
        *("b/rules.rif", "b/more/other.rif", "a/expected.txt", "a/.hidden", ".c/rules.rif"),
        *("d/x.nq", "d/a.md", "A.MD"),
    )
    (tmp_path / "link").symlink_to(tmp_path / "a", target_is_directory=True)
    found = list(find_cases(folder))
    assert [case.name for case in found] == [f"{folder.as_posix()}/{name}" for name in "ab"]
    assert [list(case.files) for case in found] == [["expected.txt"], ["rules.rif"]]
    assert [path.name for path in find_markdown(folder)] == ["A.MD", "a.md"]


def test_options_are_words_and_may_have_comments(tmp_path: Path) -> None:
    made(tmp_path, "rules.rif")
    (tmp_path / "options").write_text("--drain '5 s'  # all\n--tick us\n", "utf-8")
    (case,) = find_cases(tmp_path)
    assert list(case.options) == ["--drain", "5 s", "--tick", "us"]


@pytest.mark.parametrize("data", [b"--a '", b"\xff"])
def test_options_that_are_none_are_the_fault_of_the_case(tmp_path: Path, data: bytes) -> None:
    made(tmp_path, "rules.rif")
    (tmp_path / "options").write_bytes(data)
    (case,) = find_cases(tmp_path)
    assert case.fault.startswith("options: ")


def test_expected_lines_are_read_and_written_where_they_are(tmp_path: Path) -> None:
    expected = ExpectedFile(tmp_path)
    with pytest.raises(BadCase, match=r"neither expected\.jsonl nor expected\.txt: --rewrite"):
        expected.read()
    expected.write("a\n", ".txt")
    assert expected.name == str(tmp_path / "expected.txt")
    expected.write("b\r\n", ".jsonl")
    assert (expected.read(), [path.name for path in tmp_path.iterdir()]) == (
        "b\r\n",
        ["expected.txt"],
    )
    made(tmp_path, "expected.jsonl")
    for act in (expected.read, lambda: expected.write("", ".txt")):
        with pytest.raises(BadCase, match=r"both expected\.jsonl and expected\.txt"):
            act()
