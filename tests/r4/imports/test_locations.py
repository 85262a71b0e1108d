"""What a location in a rule document can open: what the user named, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from r4.imports.locations import GRAPHS, RULES, DocumentPlace, Locations
from rif.errors.base import RuleError, Span
from rif.syntax import ast

SPAN = Span(2, 3, 2, 9)


def find(location: str, importer: Path | None, suffixes=RULES, **where) -> DocumentPlace:
    place = DocumentPlace.of(None if importer is None else str(importer))
    locations = Locations(**where)
    return locations.find(ast.Import(location, span=SPAN), locations.importer(place), suffixes)


def refused(location: str, importer: Path | None, **where) -> str:
    with pytest.raises(RuleError) as caught:
        find(location, importer, **where)
    assert caught.value.span == SPAN
    assert caught.value.hint or caught.value.code == "R4306"
    return caught.value.code


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A document in a folder of its own; beside that folder lies what is none of its business."""
    folder = tmp_path / "rules"
    (folder / "parts").mkdir(parents=True)
    (folder / "b.rif").touch()
    (folder / "parts/c.rif").touch()
    (folder / "a b.rif").touch()
    (tmp_path / "secret.rif").touch()
    (folder / "main.rif").touch()
    return folder / "main.rif"


@pytest.mark.parametrize(
    ("location", "file"),
    [
        ("b.rif", "b.rif"),
        ("./b.rif", "b.rif"),
        ("parts/c.rif", "parts/c.rif"),
        ("parts/../b.rif", "b.rif"),
        ("a%20b.rif", "a b.rif"),
        ("b", "b.rif"),
        ("parts/c", "parts/c.rif"),
        ("%62.rif", "b.rif"),
    ],
)
def test_a_relative_location_lies_beside_its_document(location, file, main: Path) -> None:
    found = find(location, main)
    assert Path(found.path) == main.parent / file
    assert found.iri == (main.parent / file).as_uri()


def test_a_file_iri_may_name_a_file_of_the_same_folder(main: Path) -> None:
    expected = main.with_name("b.rif")
    for prefix in ("file://", "file:", "file://localhost", "FILE://"):
        assert Path(find(prefix + str(expected), main).path) == expected


def test_the_suffix_that_is_tried_is_one_of_what_is_imported(main: Path) -> None:
    main.with_name("data.ttl").touch()
    assert find("data", main, GRAPHS).path.endswith("data.ttl")
    assert refused("data", main, suffixes=RULES) == "R4301"


def test_beside_a_folder_the_file_of_its_name_is_found(main: Path) -> None:
    main.with_name("parts.rif").touch()
    assert find("parts", main).path.endswith("parts.rif")


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("missing.rif", "R4301"),
        ("http://e/b.rif", "R4302"),
        ("https://e/b.rif", "R4302"),
        ("//e/b.rif", "R4304"),
        ("ftp://e/b.rif", "R4302"),
        ("urn:b", "R4302"),
        ("../secret.rif", "R4303"),
        ("../rules-of-others/x.rif", "R4303"),
        ("file:///etc/passwd", "R4303"),
        ("%2e%2e/secret.rif", "R4304"),
        ("parts/%2E%2E/%2E%2E/secret.rif", "R4304"),
        ("..%2Fsecret.rif", "R4304"),
        ("..%5Csecret.rif", "R4304"),
        ("b.rif%00.ttl", "R4304"),
        ("%ff.rif", "R4304"),
        ("file://host/b.rif", "R4304"),
        ("b.rif?x=1", "R4304"),
        ("b.rif#part", "R4304"),
        ("parts", "R4305"),
        ("b.rif/c.rif", "R4306"),
        ("x" * 5000, "R4306"),
    ],
)
def test_what_leads_nowhere_or_elsewhere_is_refused(location, code, main: Path) -> None:
    assert refused(location, main) == code


def test_dots_in_a_file_iri_are_refused_where_they_stay_inside_too(main: Path) -> None:
    assert refused(f"file://{main.parent}/parts/../b.rif", main) == "R4304"


def test_a_link_within_the_folder_is_followed_and_one_out_of_it_is_not(main: Path) -> None:
    main.with_name("inside.rif").symlink_to(main.with_name("b.rif"))
    main.with_name("outside.rif").symlink_to(main.parent.parent / "secret.rif")
    main.with_name("up").symlink_to(main.parent.parent)
    main.with_name("loop.rif").symlink_to(main.with_name("loop.rif"))
    assert find("inside.rif", main).key == find("b.rif", main).key
    assert refused("outside.rif", main) == "R4303"
    assert refused("up/secret.rif", main) == "R4303"
    assert refused("loop.rif", main) == "R4306"


def test_a_document_in_a_linked_folder_finds_what_lies_beside_it(main: Path) -> None:
    link = main.parent.parent / "link"
    link.symlink_to(main.parent)
    assert find("b.rif", link / "main.rif").key == str(main.with_name("b.rif").resolve())


def test_paths_may_be_given_with_dots(main: Path, monkeypatch) -> None:
    monkeypatch.chdir(main.parent / "parts")
    expected = str(main.with_name("b.rif").resolve())
    assert find("b.rif", Path("../main.rif")).key == expected
    assert find("../b.rif", Path("c.rif"), root=Path("../../rules")).key == expected
    assert find("b.rif", None, root=Path("..")).key == expected
    assert refused("../b.rif", Path("c.rif")) == "R4303"
    assert find(main.with_name("b.rif").as_uri(), Path("../main.rif")).key == expected


def test_a_pipe_is_refused_without_being_opened(main: Path) -> None:
    os.mkfifo(main.with_name("pipe.rif"))
    assert refused("pipe.rif", main) == "R4305"


def test_the_import_folder_may_be_read_from_as_well(main: Path) -> None:
    root = main.parent.parent
    assert find("../secret.rif", main, root=root).path == str(root / "secret.rif")
    assert refused("../../x.rif", main, root=root) == "R4303"


def test_a_text_that_is_no_file_imports_from_the_import_folder(main: Path) -> None:
    assert refused("b.rif", None) == "R4301"
    assert find("b.rif", None, root=main.parent).path == str(main.with_name("b.rif"))


def test_the_catalogue_comes_first_and_may_name_any_file(main: Path) -> None:
    secret = main.parent.parent / "secret.rif"
    catalogue = {"http://e/x": secret, "b.rif": secret, main.with_name("q.rif").as_uri(): secret}
    for location in ("http://e/x", "b.rif", "q.rif"):
        found = find(location, main, catalogue=catalogue)
        assert Path(found.path) == secret
    assert find("http://e/x", main, catalogue=catalogue).iri == "http://e/x"
    assert refused("http://e/X", main, catalogue=catalogue) == "R4302"


def test_relative_locations_in_a_catalogued_document_are_known_by_its_iri(main: Path) -> None:
    where = Locations(catalogue={"http://e/doc/main": main, "http://e/doc/b.rif": main})
    text = where.importer(DocumentPlace.of(None))
    place = where.find(ast.Import("http://e/doc/main"), text, RULES)
    importer = where.importer(place)
    assert where.find(ast.Import("b.rif"), importer, RULES).key == place.key
    beside = where.find(ast.Import("parts/c.rif"), importer, RULES)
    assert Path(beside.path) == main.parent / "parts/c.rif"
