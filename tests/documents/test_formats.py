"""The page of formats is what the tables of sources and sinks say."""

from __future__ import annotations

from tests.paths import ROOT
from tools import formats


def test_the_page_of_formats_is_up_to_date() -> None:
    assert (ROOT / "docs" / "formats.md").read_text("utf-8") == formats.page() + "\n"
