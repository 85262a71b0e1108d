"""``r4 lsp`` without the package that it needs; tests/r4/language_server has what it does."""

from __future__ import annotations

import pytest

from r4.cli import main
from r4.cli.commands import lsp
from r4.cli.terminal.console import USAGE


def test_without_pygls_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lsp, "version_of", lambda _: None)
    assert main(["lsp"]) == USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert "pygls is not installed: pip install" in err
