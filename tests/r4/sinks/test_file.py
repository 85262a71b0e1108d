"""Files that answers are written to: one process at a time writes one, whatever it writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from r4.cli import DONE
from r4.cli.terminal.console import USAGE
from r4.sinks.file import open_file
from tests.simulation.command import call

RULES = "Document(Group(<urn:h>(1) Forall ?x (<urn:k>(?x) :- <urn:h>(?x))))"


@pytest.fixture
def run_to(tmp_path: Path):
    rules, stream = tmp_path / "rules.rif", tmp_path / "stream.nq"
    rules.write_text(RULES, "utf-8")
    stream.write_text("", "utf-8")
    return lambda output: call(["run", str(rules), str(stream), "--output", str(output)])


def test_a_second_run_on_the_same_output_is_refused_by_name(run_to, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    with open_file(str(output)) as first:
        first.write(b"first\n")
        refused = run_to(output)
        first.write(b"still first\n")
    assert refused.code == USAGE
    assert f"{output}: another process writes it" in refused.err
    assert output.read_bytes() == b"first\nstill first\n"


def test_the_output_of_a_run_that_ended_is_written_anew(run_to, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    output.write_text("old\n" * 1000, "utf-8")
    for _ in range(2):
        assert run_to(output).code == DONE
        assert "old" not in output.read_text("utf-8")
        assert len(output.read_text("utf-8").splitlines()) == 1


def test_what_is_no_regular_file_is_not_locked(run_to) -> None:
    with open_file(os.devnull):
        assert run_to(os.devnull).code == DONE
