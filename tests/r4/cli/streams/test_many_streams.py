"""Runs over more streams than a process may have files open."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the system bounds open files"),
]
FILES = 1100
RULES = """Document( Prefix(ex <urn:ex:>) Window(9)
  Group( Forall ?s ?v (?s[ex:seen -> ?v] :- ?s[ex:reads -> ?v]) ) )"""
AT = "<http://www.w3.org/ns/prov#generatedAtTime>"
INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rules, streams, and one stream that has what is in all of these."""
    (tmp_path / "r.rif").write_text(RULES)
    elements = [
        f'<urn:g{n}> {AT} "{n // 100}"^^{INTEGER} .\n<urn:s{n}> <urn:ex:reads> "{n}" <urn:g{n}> .\n'
        for n in range(FILES)
    ]
    for n, element in enumerate(elements):
        (tmp_path / f"{n}.nq").write_text(element)
    (tmp_path / "all.nq").write_text("".join(elements))
    return tmp_path


def run(folder: Path, streams: list[str], soft: int, hard: int) -> subprocess.CompletedProcess[str]:
    """A run in a process that may have so many files open."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    command = [sys.executable, "-m", "r4", "run", "r.rif", *streams]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=bound
    )


def test_a_run_allows_itself_as_many_open_files_as_it_has_streams(folder: Path) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY != most < 2 * FILES:
        pytest.skip("the system lets nobody have so many files open")
    streams = [f"{n}.nq" for n in range(FILES)]
    many, one = run(folder, streams, 256, 2 * FILES), run(folder, ["all.nq"], 256, 256)
    assert (many.returncode, one.returncode) == (0, 0), many.stderr
    assert one.stdout.count('"op":"+"') == FILES
    assert many.stdout == one.stdout


def test_where_the_system_allows_no_more_the_error_says_what_would_help(folder: Path) -> None:
    found = run(folder, [f"{n}.nq" for n in range(FILES)], 256, 256)
    assert (found.returncode, found.stdout) == (2, "")
    said = " ".join(found.stderr.split())
    assert ".nq: Too many open files; `ulimit -n` says how many a process may have" in said
