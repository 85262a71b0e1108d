"""A new file gets its name only when it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.atomic_path import atomic_path


def test_a_file_gets_its_name_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "answers.npy"
    with atomic_path(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
        assert (temporary.parent, temporary.suffix) == (tmp_path, ".npy")
    assert [(each, each.read_text()) for each in tmp_path.iterdir()] == [(path, "new")]


def test_an_exception_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_path(path) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert [(each, each.read_text()) for each in tmp_path.iterdir()] == [(path, "old")]
