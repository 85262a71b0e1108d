"""What other packages give R4 is known from what they name, without importing them."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from r4.extras import may_be_extended

GROUP = "r4.functions"


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_a_package_that_names_the_group_may_extend_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "not there")])
    assert not may_be_extended(GROUP)
    info = tmp_path / f"other-1.0.{kind}"
    info.mkdir()
    assert not may_be_extended(GROUP)
    (info / "entry_points.txt").write_text("[r4.sources]\nx = y:z\n")
    assert not may_be_extended(GROUP)
    (info / "entry_points.txt").write_bytes(b"[r4.functions]\nurn:\xff = y:z\n")
    assert may_be_extended(GROUP)


def test_what_is_in_an_archive_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ZipFile(tmp_path / "packages.zip", "w") as archive:
        archive.writestr("other.py", "")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages.zip")])
    assert may_be_extended(GROUP)
