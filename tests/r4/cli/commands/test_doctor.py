"""What ``r4 doctor`` finds, and what it says where something is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4 import extras
from r4.cli import main as r4
from r4.cli.commands import doctor
from rete.kernels import BACKEND


def test_everything_the_tests_run_on_is_found_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert r4(["doctor"]) == 0
    stand = {line[4:].split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert BACKEND in stand["kernels"]
    assert all(stand[package].startswith("ok") for package in extras.requirements().get("", ()))


def test_every_extra_has_a_purpose() -> None:
    named = extras.requirements()
    if not named:
        pytest.skip("R4 is not installed: there are no metadata to read")
    assert set(named) - {"", "all"} == set(extras.PURPOSES)


def test_a_missing_extra_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "requirements", lambda: {"demo": ("no-such-package",)})
    findings = {finding.subject: finding for finding in doctor.examine()}
    assert findings["[demo]"].state == "missing"
    assert "without no-such-package: pip install -e '.[demo]'" in findings["[demo]"].text


def test_an_extra_that_the_installation_does_not_know_is_told_from_one_without_a_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "requirements", lambda: {"demo": ("no-such-package",)})
    findings = {finding.subject: finding for finding in doctor.examine()}
    said = "its packages are not known to this installation: pip install -e '.[frames]'"
    assert said in findings["[frames]"].text
    assert "not known" not in findings["[demo]"].text


def test_a_missing_core_package_is_wrong_and_exits_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "requirements", lambda: {"": ("no-such-package",)})
    assert r4(["doctor"]) == 1
    assert "!!  no-such-package  not installed: pip install -e ." in capsys.readouterr().out


def test_a_compiler_that_compiles_nothing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    assert doctor.c_compiler() is None
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    assert doctor.c_compiler() is None


def test_the_error_of_a_missing_extra_is_one_line() -> None:
    error = extras.MissingExtra("bench", "clipspy")
    assert str(error) == "clipspy is not installed: pip install -e '.[bench]'"


def test_outside_of_a_checkout_what_to_type_names_the_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "_INSTALLED_IN", tmp_path)
    assert extras.advice("parquet") == "pip install pyarrow"
    assert {"numpy", "pyoxigraph"} < {*extras.advice().split()}
    monkeypatch.setattr(extras, "requirements", dict)
    assert extras.advice("parquet") == "install a wheel of R4"


def test_the_java_of_spark_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    findings = {finding.subject: finding for finding in doctor.examine()}
    assert findings["java"].state == "missing"
    assert "without it there is no `r4 load`" in findings["java"].text


def test_a_status_says_who_has_the_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "status.json"
    owners = {"terms": 30_000_000, "nodes": 5_000_000, "facts": 0, "asserted": 7_500_000}
    status = {"rows": 1234, "terms": 99, "memory_bytes": 64_000_000, "memory_by_owner": owners}
    file.write_text(json.dumps(status))
    assert r4(["doctor", "--memory", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1,234 rows and 99 terms",
        "      30.0 MB  the dictionary of terms",
        "       7.5 MB  what is asserted, to be retracted or explained",
        "       5.0 MB  rows that joins and operators remember",
        "       0.0 MB  derived facts",
        "      64.0 MB  the whole process, as far as it is resident",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"memory_by_owner": 5, "rows": 1}'])
def test_another_file_is_no_status(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "status.json"
    file.write_text(text)
    assert r4(["doctor", "--memory", str(file)]) == 2
    assert "is no status of a run: r4 run --status" in capsys.readouterr().err
