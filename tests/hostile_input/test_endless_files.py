"""Files that never end, and compressed ones of far more than their size: refused, or exit 5."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pytest

from r4.cli.terminal.console import LIMIT, LOST, RULES_REFUSED
from tests.hostile_input.commands import Commands, check_bounds
from tests.hostile_input.test_exhaustion import ended
from tests.hostile_input.test_graphs import put

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")

AS_DATA = [("--static",), ("--time-predicate", "urn:p")]
"""What stands before a file of data, a stream or not."""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.rif"
    path.write_text("Document(Group(<urn:p>(1)))", "utf-8")
    return str(path)


def zero(folder: Path, name: str) -> str:
    """A file of NUL bytes that never ends."""
    path = folder / name
    path.symlink_to("/dev/zero")
    return str(path)


REFUSED = "DAT103 a document of more than 1073741824 bytes"


@pytest.mark.parametrize("options", AS_DATA, ids=["static", "stream"])
@pytest.mark.parametrize("name", ["zero.rdf", "zero.jsonld"])
def test_a_document_without_an_end_is_refused_or_exhausts_memory_with_a_sentence(
    name: str, options: tuple[str, ...], rules: str, tmp_path: Path
) -> None:
    """The memory that there is has room for some of it, or for all that is read of it."""
    code, err = ended(["run", rules, *options, zero(tmp_path, name)], tmp_path / "err")
    assert code in {LIMIT, LOST}, err
    assert ("memory is exhausted" if code == LIMIT else REFUSED) in err
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize("options", AS_DATA, ids=["static", "stream"])
@pytest.mark.parametrize("name", ["zero.rdf", "zero.jsonld"])
def test_with_much_memory_a_document_without_an_end_is_refused(
    name: str, options: tuple[str, ...], rules: str, tmp_path: Path
) -> None:
    file = zero(tmp_path, name)
    code, err = ended(["run", rules, *options, file], tmp_path / "err", 3_000)
    assert f"\n{file}: {REFUSED}" in f"\n{err}"
    assert code == LOST
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["zero.rdf", pytest.param("zero.jsonld", marks=pytest.mark.soak), "zero.nt", "zero.nq"]
)
def test_a_premise_or_conclusion_without_an_end_is_refused(
    name: str, rules: str, tmp_path: Path
) -> None:
    file = zero(tmp_path, name)
    for args in (["entails", file, rules], ["entails", rules, file]):
        code, err = ended(args, tmp_path / "err", 1_000)
        assert f"{file}:1:1: R4322 DAT10" in err
        assert code == RULES_REFUSED
        assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bomb.rdf.gz", "bomb.jsonld.gz"])
def test_a_compressed_document_is_not_unpacked_for_ever(
    r4: Commands, tmp_path: Path, name: str
) -> None:
    bomb, importer, rules = put(tmp_path, name, gzip.compress(b" " * (300 << 20), 1))
    for options in AS_DATA:
        found = r4("run", rules, *options, bomb)
        check_bounds(found, [rules, bomb])
        assert f"{bomb}: DAT103 a document of more than 200 times its compressed size" in found.err
        assert (found.code, found.out) == (LOST, "")
    for args in (("run", importer), ("entails", bomb, rules), ("entails", rules, bomb)):
        found = r4(*args)
        check_bounds(found, [importer, rules, bomb])
        assert str(bomb) in found.err
        assert found.code == RULES_REFUSED
