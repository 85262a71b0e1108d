"""Imports that lead astray: nothing is opened but what may be, no pipe is waited for."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile_input.commands import Commands, check_bounds, check_refused

SECRET = "Document(Group(<urn:secret>(1)))"
SIMPLE = "<http://www.w3.org/ns/entailment/Simple>"
STREAM = "<urn:r4:profile#stream>"

LOCATIONS = {
    "../outside/secret.rif": "R4303",
    "%2e%2e/outside/secret.rif": "R4304",
    "..%2foutside/secret.rif": "R4304",
    "a%00.rif": "R4304",
    "/etc/passwd": "R4303",
    "/dev/zero": "R4303",
    "file:///etc/passwd": "R4303",
    "file://host/etc/passwd": "R4304",
    "//host/share/a.rif": "R4304",
    "main.rif?a": "R4304",
    "http://example.org/a.rif": "R4302",
    "https://example.org/a.rif": "R4302",
    "ftp://example.org/a.rif": "R4302",
    "data:text/plain,Document()": "R4302",
    "missing.rif": "R4301",
    "x" * 5_000: "R4306",
    "link.rif": "R4303",
    "zero.rif": "R4303",
    "loop.rif": "R4306",
    "folder.rif": "R4305",
    "pipe.rif": "R4305",
}
OPENED = {"bomb.rif.gz": "R4306", "binary.rif": "RIF122", "wide.rif": "RIF122"}


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A rule document to write, beside files that it should not import."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.rif").write_text(SECRET, "utf-8")
    (inside / "link.rif").symlink_to(outside / "secret.rif")
    (inside / "zero.rif").symlink_to("/dev/zero")
    (inside / "loop.rif").symlink_to(inside / "loop.rif")
    (inside / "folder.rif").mkdir()
    os.mkfifo(inside / "pipe.rif")
    return inside / "main.rif"


def importing(location: str, profile: str = "") -> str:
    return f"Document(Import(<{location}> {profile}) Group(<urn:p>(1)))"


@pytest.mark.parametrize("location", LOCATIONS, ids=lambda location: location[:30])
def test_an_import_leads_nowhere_else(r4: Commands, main: Path, location: str) -> None:
    code = LOCATIONS[location]
    conclusion = main.with_name("conclusion.rif")
    conclusion.write_text("<urn:secret>(1)", "utf-8")
    for profile in ("", SIMPLE, STREAM):
        main.write_text(importing(location, profile), "utf-8")
        check_refused(r4("check", main), [main], code)
        check_refused(r4("run", main), [main], code)
        check_refused(r4("entails", main, conclusion), [main, conclusion], code)


@pytest.mark.parametrize("location", OPENED)
def test_what_is_imported_is_refused_in_its_own_name(
    r4: Commands, main: Path, location: str
) -> None:
    file = main.with_name(location)
    if location == "bomb.rif.gz":
        file.write_bytes(gzip.compress(b" " * (200 << 20), 1))
    elif location == "binary.rif":
        file.write_bytes(bytes(range(256)) * 1_000)
    else:
        file.write_text(SECRET, "utf-16")
    main.write_text(importing(location), "utf-8")
    found = r4("check", main)
    check_refused(found, [main, file], OPENED[location])
    assert str(file) in found.err


def test_imports_in_a_circle_are_read_once_each(r4: Commands, main: Path) -> None:
    files = [main.with_name(f"part{n}.rif") for n in range(3)]
    for place, file in enumerate(files):
        text = importing(files[(place + 1) % 3].name).replace("urn:p", f"urn:p{place}")
        file.write_text(text, "utf-8")
    conclusion = main.with_name("conclusion.rif")
    conclusion.write_text("And(<urn:p0>(1) <urn:p1>(1) <urn:p2>(1))", "utf-8")
    found = r4("entails", files[0], conclusion)
    assert (found.code, found.out) == (0, "yes\n")
    check_bounds(found, [*files, conclusion])
    assert r4("check", files[0]).code == 0
    assert r4("run", files[0]).code == 0


def test_imports_without_end_are_cut(r4: Commands, main: Path) -> None:
    for number in range(1_100):
        main.with_name(f"f{number}.rif").write_text(importing(f"f{number + 1}.rif"), "utf-8")
    found = r4("check", main.with_name("f0.rif"))
    check_refused(found, list(main.parent.glob("f*.rif")), "R4307")


def suite(folder: Path) -> list[tuple[str, dict[str, str], str]]:
    """What of the suite must be rejected: main document, files by location, type."""
    return [
        (
            next(
                str(folder / entry["name"] / each["file"])
                for each in entry["documents"]
                if each["role"] == "input"
            ),
            {
                each["location"]: str(folder / entry["name"] / each["file"])
                for each in entry["documents"]
                if each["role"] == "imported"
            },
            entry["type"],
        )
        for entry in json.loads((folder / "manifest.json").read_text("utf-8"))
        if entry["type"] in {"NegativeSyntaxTest", "ImportRejectionTest"}
    ]


def test_what_the_suite_rejects_is_refused(
    r4: Commands, test_data: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = test_data("rif-tests/core/manifest.json").parent
    conclusion = tmp_path / "conclusion.rif"
    conclusion.write_text("<urn:p>(1)", "utf-8")
    cases = suite(folder)
    assert {kind for _, _, kind in cases} == {"NegativeSyntaxTest", "ImportRejectionTest"}
    for document, files, _ in cases:
        maps = [f"--import-map={location}={file}" for location, file in files.items()]
        named = [Path(document), conclusion, *map(Path, files.values())]
        for args in (("check", document), ("run", document), ("entails", document, conclusion)):
            found = r4(*args, *maps)
            check_bounds(found, named)
            assert found.code == 3, (args, found.err)
            assert any(code in found.err for code in ("RIF2", "RIF3", "R43")), found.err


def test_what_the_suite_has_beyond_core_is_refused(
    r4: Commands, test_data: Callable[[str], Path]
) -> None:
    folder = test_data("rif-tests/bld-extra/manifest.json").parent
    entries = json.loads((folder / "manifest.json").read_text("utf-8"))
    beyond = [entry["name"] for entry in entries if entry["core_violations"]]
    assert len(beyond) > 15
    for name in beyond:
        (premise,) = (folder / name).glob("*-premise.rifps")
        check_refused(r4("check", premise), [premise], *BEYOND_CORE)


BEYOND_CORE = [f"RIF{number}" for number in (*range(151, 161), 301, 302, 303)]
