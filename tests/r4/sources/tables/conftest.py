"""A folder with the rules of the runs and a mapping."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.r4.sources.tables.table_run import MAPPING, RULES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "m.toml").write_text(MAPPING)
    return tmp_path
