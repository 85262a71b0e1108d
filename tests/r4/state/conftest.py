"""A folder with rules and a stream for `tests.r4.state.state_run`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.r4.state.state_run import RULES, stream


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "s.nq").write_text(stream())
    return tmp_path
