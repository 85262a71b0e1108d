"""A version is the same wherever it stands."""

from __future__ import annotations

import json
import re

import r4
from tests.paths import ROOT


def test_the_extension_of_vs_code_has_the_version_of_r4() -> None:
    package = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    assert package["version"] == r4.__version__


def test_the_newest_section_of_the_changelog_is_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## (\S+) \(\d{4}-\d{2}-\d{2}\)$", text, re.MULTILINE)
    assert len(versions) == len(re.findall("^## ", text, re.MULTILINE))
    assert versions[0] == r4.__version__
