"""``IRI=FILE`` pairs and an import folder, as a user gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.imports.locations import locations_of


def test_pairs_become_a_catalogue(tmp_path: Path) -> None:
    file = tmp_path / "a.rif"
    file.touch()
    pairs = [f"http://e/?q=1={file}", f"rel={file}", "urn:in=-"]
    where = locations_of(pairs, str(tmp_path), str)
    assert where.catalogue == {"http://e/?q=1": file, "rel": file, "urn:in": Path("-")}
    assert where.root == tmp_path


@pytest.mark.parametrize(
    ("pairs", "root", "message"),
    [
        (["http://e/"], None, "not of the form"),
        (["=a.rif"], None, "not of the form"),
        (["http://e/="], None, "not of the form"),
        (["http://e/=missing.rif"], None, "there is no file missing.rif"),
        (["http://e/=/"], None, "there is no file /"),
        (["http://e/=-", "http://e/=/dev/null"], None, "two files"),
        ([], "missing", "missing is no folder"),
    ],
)
def test_what_is_no_pair_or_not_there_is_wrong(pairs, root, message) -> None:
    with pytest.raises(ValueError, match=message):
        locations_of(pairs, root, str)
