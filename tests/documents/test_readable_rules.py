"""What the section on readable rules says is short for plain RIF is that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.simulation.command import call

SECTION = re.search(
    r"^## Readable rules\n(.*?)^## ",
    (ROOT / "docs" / "semantics.md").read_text("utf-8"),
    re.DOTALL | re.MULTILINE,
)
assert SECTION is not None
PAIRS = [
    (readable.replace(r"\|", "|"), plain.replace(r"\|", "|"))
    for readable, plain in re.findall(r"^\| `(.*?)` \| `(.*?)` \|$", SECTION[1], re.MULTILINE)
]
R4 = "urn:r4:builtin#"
FUNC = "http://www.w3.org/2007/rif-builtin-function#"
XS = "http://www.w3.org/2001/XMLSchema#"


def rules_of(text: str, folder: Path) -> str:
    """The rules of a document, as plain RIF."""
    (folder / "rules.rif").write_text(text, "utf-8")
    done = call(["convert", str(folder / "rules.rif"), "-", "--to", "ps"])
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize(("readable", "plain"), PAIRS)
def test_a_readable_rule_is_short_for_the_plain_one(
    readable: str, plain: str, tmp_path: Path
) -> None:
    prefixes = {"ex": "urn:ex:", "r4": R4, "func": FUNC, "xs": XS}
    short = "\n".join(f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items())
    long = " ".join(f"Prefix({name} <{iri}>)" for name, iri in prefixes.items())
    document = f"Document( {long} Group( {plain} ) )"
    assert rules_of(f"{short}\n{readable}", tmp_path) == rules_of(document, tmp_path)
    (tmp_path / "plain.rif").write_text(document, "utf-8")
    assert call(["check", "--strict-syntax", str(tmp_path / "plain.rif")]).code == 0


def test_the_section_begins_with_a_document(tmp_path: Path) -> None:
    assert SECTION is not None
    assert len(PAIRS) > 5
    assert "ex:silence" in rules_of(SECTION[1].split("```")[1], tmp_path)
