"""The names in data files, and what is said of those that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

from r4.language_server.data_names import DataNames, read_names

TURTLE = "@prefix ex: <urn:ex:> . ex:a a ex:Oven ; ex:reads 1, 2 ; ex:in _:b ."
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NAMES = {TYPE, "urn:ex:Oven", "urn:ex:reads", "urn:ex:in"}


def test_predicates_and_classes_of_files_beside_the_rules(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "static.ttl").write_text(TURTLE, "utf-8")
    (tmp_path / "unnamed.ttl").write_text(TURTLE.replace("ex:in", "ex:on"), "utf-8")
    data = DataNames(("static.ttl",), said.append)
    assert data.beside(tmp_path) == NAMES
    assert data.beside(tmp_path / "..") == frozenset()
    assert said == [f"{tmp_path / '..' / 'static.ttl'}: No such file or directory"]


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "day.nq"
    path.write_text("<urn:a> <urn:b> <urn:c> <urn:g> .\n", "utf-8")
    data = DataNames((str(path),), print)
    assert data.beside(tmp_path) == {"urn:b"}
    path.write_text("<urn:a> <urn:d> <urn:c> <urn:g> .\n", "utf-8")
    os.utime(path, ns=(1, 1))
    assert data.beside(Path("/")) == {"urn:d"}


def test_what_is_left_out_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "bad.nq").write_text("<urn:a> <urn:b> <urn:c> .\nno triple\n", "utf-8")
    (tmp_path / "table.csv").write_text("a,b\n", "utf-8")
    data = DataNames(("bad.nq", "table.csv", "missing.nq"), said.append)
    assert data.beside(tmp_path) == data.beside(tmp_path) == {"urn:b"}
    assert len(said) == 3
    assert "1 statement" in said[0]
    assert "no RDF format is known" in said[1]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    said: list[str] = []
    os.mkfifo(tmp_path / "pipe.nq")
    data = DataNames(("pipe.nq", "."), said.append)
    assert data.beside(tmp_path) == frozenset()
    assert said == [f"{tmp_path / 'pipe.nq'}: no regular file", f"{tmp_path}: no regular file"]


def test_of_a_long_file_the_first_part_is_read(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "long.nt").write_text("<urn:a> <urn:b> <urn:c> .\n" * 300_000, "utf-8")
    assert read_names(tmp_path / "long.nt", said.append, most=1_000) == {"urn:b"}
    assert "are known" in said[0]
