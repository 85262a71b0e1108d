"""Each case of the Markdown files here prints what stands there: lines, errors and exit code.

``pytest tests/cases --rewrite-cases`` writes what R4 prints now into the files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.shown_commands import Case, as_text, read_cases, rewritten

HERE = Path(__file__).parent
CASES = [
    pytest.param(file, case, id=f"{file.stem}: {case.title}")
    for file in sorted(HERE.glob("*.md"))
    for case in read_cases(file.read_text("utf-8"))
]


@pytest.mark.parametrize(("file", "case"), CASES)
def test_a_case_prints_what_stands_there(
    file: Path,
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rewrites_cases: bool,
) -> None:
    assert case.commands
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    case.write_files(tmp_path)
    if rewrites_cases:
        (case,) = (each for each in read_cases(file.read_text("utf-8")) if each.title == case.title)
        outputs = {command: command.run() for command in case.commands}
        file.write_text(rewritten(file.read_text("utf-8"), outputs), "utf-8")
        return
    for command in case.commands:
        assert as_text(command.run()) == as_text(command.shown), command.args


@pytest.mark.parametrize("file", sorted(HERE.glob("*.md")), ids=lambda file: file.stem)
def test_the_cases_of_a_file_have_different_titles(file: Path) -> None:
    titles = [case.title for case in read_cases(file.read_text("utf-8"))]
    assert titles
    assert len(set(titles)) == len(titles)
