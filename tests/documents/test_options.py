"""The page of options is what their fields say."""

from __future__ import annotations

from tests.paths import ROOT
from tools import options


def test_the_page_of_options_is_up_to_date() -> None:
    assert (ROOT / "docs" / "options.md").read_text("utf-8") == options.page() + "\n"
