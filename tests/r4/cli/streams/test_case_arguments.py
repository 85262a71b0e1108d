"""How `r4 run` is called for a case: which files are what, and which options a case may have."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from r4.cli.streams.case_arguments import arguments_of
from r4.testing.case import BadCase, Case
from r4.testing.case_folders import ExpectedFile


def arguments(folder: Path, files: str, options: str = "") -> list[str]:
    names = sorted(files.split())
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    own = [name for name in names if "/" not in name]
    case = Case("case", "", ExpectedFile(folder), own, shlex.split(options), folder)
    return [*arguments_of(case, folder).arguments]


@pytest.mark.parametrize(
    ("files", "options", "given"),
    [
        ("rules.rif b.nq a.trig.gz README.md x.py", "", "rules.rif a.trig.gz b.nq"),
        ("own.rif a.nq", "--drain", "own.rif a.nq --drain"),
        ("rules.rif own.rif a.nq", "", "rules.rif a.nq"),
        ("rules.rif a.nq static.ttl static2.nt", "",
         "rules.rif a.nq --static=static.ttl --static=static2.nt"),
        ("rules.rif a.nq expected.jsonl", "", "rules.rif a.nq"),
        ("rules.rif a.nq old.jsonl", "", "rules.rif a.nq old.jsonl"),
        ("rules.rif a.nq more.ttl", "--static more.ttl", "rules.rif a.nq --static more.ttl"),
        ("rules.rif a.nq b.nq", "b.nq", "rules.rif b.nq"),
        ("rules.rif a.nq in/b.nq", "in/b.nq", "rules.rif in/b.nq"),
        ("rules.rif a.csv mapping.toml", "", "rules.rif a.csv --mapping=mapping.toml"),
        ("rules.rif a.csv a.toml", "", "rules.rif a.csv --mapping=a.toml=a.csv"),
        ("rules.rif a.csv a.toml b.tsv static.csv mapping.toml", "",
         "rules.rif a.csv b.tsv --static=static.csv --mapping=a.toml=a.csv --mapping=mapping.toml"),
        ("rules.rif a.csv a.toml m.toml", "--mapping m.toml", "rules.rif a.csv --mapping m.toml"),
        ("rules.rif a.nq mapping.toml", "", "rules.rif a.nq"),
        ("rules.rif a.nq", "--quiet --clock data", "rules.rif a.nq --quiet --clock data"),
    ],
)  # fmt: skip
def test_files_have_their_places(tmp_path: Path, files: str, options: str, given: str) -> None:
    assert arguments(tmp_path, files, options) == given.split()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ("a.nq", "there is no rules.rif"),
        ("a.rif b.rif", "which are the rules: a.rif, b.rif"),
        ("rules.rif -a.nq", "-a.nq: a name that begins with - is an option"),
    ],
)
def test_files_that_are_no_case_are_refused(tmp_path: Path, files: str, why: str) -> None:
    with pytest.raises(BadCase, match=why):
        arguments(tmp_path, files)


@pytest.mark.parametrize(
    "options",
    [
        *("--output x", "--late x", "--state x", "--status x", "--metrics x", "--watch"),
        *("--config x", "--print-config", "--keep-journal", "--checkpoint-every 1s", "--replay"),
        *("--clock wall", "--stamp arrival", "--fail-on error", "--as parquet", "--help", "--no"),
    ],
)
def test_options_with_which_more_than_the_case_counts_are_refused(
    tmp_path: Path, options: str
) -> None:
    with pytest.raises(BadCase, match="options: "):
        arguments(tmp_path, "rules.rif a.nq", options)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "options",
    [
        *("-", "../a.nq", "/etc/hosts", "none.nq", "kafka://a/b", "--static ../a.nq"),
        *("--mapping ../m.toml=a.nq", "--import-map urn:a=../a.rif", "--import-root .."),
        *("--context urn:a=../a.json", "link.nq"),
    ],
)
def test_files_outside_the_folder_are_refused(tmp_path: Path, options: str) -> None:
    case = tmp_path / "case"
    case.mkdir()
    for name in ("a.nq", "m.toml", "a.rif", "a.json"):
        (tmp_path / name).touch()
    (case / "link.nq").symlink_to(tmp_path / "a.nq")
    with pytest.raises(BadCase, match="no file of the case"):
        arguments(case, "rules.rif", options)


def test_a_stream_that_is_a_link_to_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "a.nq").touch()
    (tmp_path / "case" / "link.nq").symlink_to(tmp_path / "a.nq")
    with pytest.raises(BadCase, match=r"link\.nq: no file of the case"):
        arguments(tmp_path / "case", "rules.rif link.nq")
