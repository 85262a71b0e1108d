"""The rules of the cookbook are short, and its table says how short.

``pytest tests/documents --rewrite-cases`` writes the table.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.simulation.command import call
from tests.simulation.shown_commands import read_document

COOKBOOK = ROOT / "docs" / "cookbook.md"
MOST = 6
"""Lines of the rules of one recipe."""
DIRECTIVE = re.compile(r"@\w+ |(Base|Prefix|Import|Window)\(")
HEADER = "| recipe | readable | plain |\n|---|---|---|\n"


def rule_files(text: str) -> dict[str, tuple[str, str]]:
    """The heading above each file of rules, and what it says, by its name."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading = part.partition("\n")[0]
        for name, content in read_document(part).files.items():
            if name.endswith(".rif"):
                found[name] = heading, content
    return found


def counted(rules: str) -> int:
    """The lines of rules that are neither empty, nor comments, nor directives."""
    code = re.sub(r"\(\*.*?\*\)", "", rules, flags=re.DOTALL)
    lines = [line.strip() for line in code.splitlines() if not line.startswith("#")]
    return sum(bool(line) and DIRECTIVE.match(line) is None for line in lines)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def table(text: str, folder: Path) -> str:
    """How many lines each recipe has as it stands, and as ``r4 convert --to ps`` writes it."""
    rows = []
    for name, (heading, rules) in rule_files(text).items():
        (folder / name).write_text(rules, "utf-8")
        plain = call(["convert", str(folder / name), "-", "--to", "ps"])
        assert plain.code == 0, plain.err
        link = f"[{heading}](#{anchor(heading)})"
        rows.append(f"| {link} | {counted(rules)} | {counted(plain.out)} |\n")
    return HEADER + "".join(rows)


def test_the_rules_of_a_recipe_are_six_lines_at_most() -> None:
    files = rule_files(COOKBOOK.read_text("utf-8"))
    lengths = {name: counted(rules) for name, (_, rules) in files.items()}
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > MOST} == {}


def test_a_line_is_counted_that_is_no_directive_and_no_comment() -> None:
    rules = (
        "# A line.\n@prefix ex: <urn:ex:> . (* one *)\n\n(* ex:a *)\n?s # ex:A :-\n  ?s # ex:B.\n"
    )
    assert counted(rules) == 2


def test_plain_rules_have_the_answers_of_readable_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = read_document(COOKBOOK.read_text("utf-8"))
    found.write_files(tmp_path)
    for name in found.files:
        if name.endswith(".rif"):
            assert call(["convert", name, f"plain-{name}", "--to", "ps"]).code == 0
            Path(f"plain-{name}").replace(name)
            assert call(["check", "--strict-syntax", name]).code == 0
    runs = [command for command in found.commands if command.args and command.args[0] == "run"]
    assert len(runs) > 20
    for command in runs:
        assert command.run().out == command.shown.out, command.args


def test_the_table_counts_the_lines_of_each_recipe(tmp_path: Path, rewrites_cases: bool) -> None:
    text = COOKBOOK.read_text("utf-8")
    shown = re.search(re.escape(HEADER) + r"(\|.*\n)+", text)
    assert shown is not None
    counts = table(text, tmp_path)
    if rewrites_cases:
        COOKBOOK.write_text(text.replace(shown[0], counts), "utf-8")
    else:
        assert shown[0] == counts
