"""What the page for users of other languages shows is read by R4, without a fault."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.simulation.command import call

PAGE = Path(__file__).parents[2] / "docs/how-do-i-say-it.md"
PREFIXES = {
    "ex": "urn:ex:",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "owl": "http://www.w3.org/2002/07/owl#",
}


def rules() -> list[str]:
    """The rules in the last column of all tables; a condition becomes the body of a rule."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) == 4:
            shown = re.match(r" `([^`]+)`", cells[2])
            text = shown[1].replace(r"\|", "|") if shown else ""
            if ":-" in text:
                found.append(text)
            elif "?" in text and "…" not in text:
                found.append(
                    f"ex:x(?s) :- ?s[ex:a -> ?v, ex:b -> ?k, ex:c -> ?a, ex:d -> ?b], {text}."
                )
    return found


@pytest.mark.parametrize("rule", rules())
def test_a_rule_of_the_page_is_one_of_r4(rule: str, tmp_path: Path) -> None:
    prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    path = tmp_path / "rules.rif"
    path.write_text(f"{prefixes}{rule}\n", "utf-8")
    found = call(["check", str(path)])
    assert found.code == 0, found.err


def test_the_document_at_its_head_is_one(tmp_path: Path) -> None:
    (tmp_path / "rules.rif").write_text(PAGE.read_text("utf-8").split("```")[1], "utf-8")
    assert call(["check", str(tmp_path / "rules.rif")]).code == 0


def test_the_page_has_many_rules() -> None:
    assert len(rules()) > 20
