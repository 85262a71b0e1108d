"""What `r4 entails` says of a case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from click.testing import CliRunner

from r4.cli.commands.entails import command

if TYPE_CHECKING:
    from tests.conformance.entailment_suites import EntailmentCase

_FOLLOWS, _DOES_NOT = 0, 1


class Verdict(NamedTuple):
    """An inconsistent premise entails everything."""

    entailed: bool
    inconsistent: bool


def judge(case: EntailmentCase, folder: Path) -> Verdict:
    """What is to be said of a case. Where only consistency is asked for, nothing has to follow."""
    empty = folder / "empty.nt"
    empty.touch()
    options = ["--entailment", case.regime]
    for iri, path in case.imports.items():
        options += ["--import-map", f"{iri}={path}"]
    for datatype in case.recognised:
        options += ["--recognise", datatype]
    result = CliRunner().invoke(
        command, [str(case.premise), str(case.conclusion or empty), *options], standalone_mode=False
    )
    if result.exception is not None:
        raise result.exception
    assert result.return_value in {_FOLLOWS, _DOES_NOT}, result.stderr
    return Verdict(result.return_value == _FOLLOWS, "inconsistent" in result.stderr)
