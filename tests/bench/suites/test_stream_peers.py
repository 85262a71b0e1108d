"""Peers that the user installed; R4_TEST_ETALIS, R4_TEST_FUXI, R4_TEST_JENA name those tested."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from bench.harness.peer import NotInstalled
from bench.harness.process_usage import measure_process
from bench.peers import etalis_prolog
from bench.suites.stream_peers import PEERS, StreamTask
from bench.workloads.catalogue import WORKLOADS, Files
from bench.workloads.detections import detected, expect_detected
from bench.workloads.expected_answers import expect, expect_each, outcome

ETALIS, FUXI, JENA = PEERS["etalis"], PEERS["fuxi"], PEERS["jena"]


def test_a_triple_is_an_event_at_the_milliseconds_of_its_element_and_terms_are_quoted():
    graph = '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1970-01-01T00:00:01.5Z" .\n'
    quads = [
        graph,
        '_:x <urn:v#says> "it\'s \\\\" <urn:g> .\n',
        '<urn:s> <urn:v/price> "1.50"^^<urn:decimal> <urn:g> .\n',
        graph.replace("1.5Z", "2Z"),
        '<urn:s> <urn:v/label> "1.50"^^<urn:decimal> <urn:g> .\n',
    ]
    assert list(etalis_prolog.events(quads, ["price"])) == [
        "at(1500, 1, 'says'('_:d2_x', '\"it\\'s \\\\\\\\\"')).\n",
        "at(1500, 2, 'price'('<urn:s>', 1.50)).\n",
        "at(2000, 1, 'label'('<urn:s>', '\"1.50\"^^<urn:decimal>')).\n",
    ]


def test_what_was_detected_holds_until_its_first_event_has_left_the_window():
    start = 1_704_067_200_000  # the first element, in milliseconds since 1970
    told = f"{start}\t{start + 20}\t<urn:s>\t<urn:p>\t<urn:o>\n".encode()
    found = detected([told], "q3", 4, 30)
    assert (found.inserted, found.deleted) == (1, 1)
    assert detected([told, told], "q3", 4, 30) == found
    renewed = f"{start + 20}\t{start + 20}\t<urn:s>\t<urn:p>\t<urn:o>\n".encode()
    assert detected([told, renewed], "q3", 4, 30).counts == (0, 1, 0)


@pytest.mark.parametrize("query", ["q1", "q2"])
def test_what_is_expected_of_detections_are_the_lines_that_are_not_static(query):
    found, whole = expect_detected(query, 300, 1000), expect(query, 300, 1000)
    assert (found.static, found.counts[1:]) == (0, whole.counts[1:])
    assert (found == whole) == (whole.static == 0)


def test_a_folder_without_it_is_said(tmp_path):
    with pytest.raises(NotInstalled, match=r"has no src/etalis\.P"):
        ETALIS.version(tmp_path)


def test_without_prolog_that_is_said(tmp_path, monkeypatch):
    (tmp_path / "etalis.P").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalled, match="no swipl on the path"):
        ETALIS.version(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif("R4_TEST_ETALIS" not in os.environ, reason="R4_TEST_ETALIS names no folder")
@pytest.mark.parametrize("window", [10, 1000])
@pytest.mark.parametrize("name", ETALIS.queries)
def test_etalis_detects_what_brute_force_finds(name, window, tmp_path):
    workload, files = WORKLOADS[name], Files(tmp_path)
    stream, static = files.stream(workload.stream, 300), files.static(workload.static)
    folder = Path(os.environ["R4_TEST_ETALIS"])
    task = StreamTask(name, stream, static, window, tmp_path / "made", folder)
    subprocess.run(ETALIS.preparation(task), check=True)
    done = subprocess.run(ETALIS.command(task), stdout=subprocess.PIPE, check=True)
    lines = done.stdout.splitlines(keepends=True)
    assert detected(lines, workload.query, 300, window) == expect_detected(
        workload.query, 300, window
    )


def test_a_python_without_fuxi_is_said(tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')  # no packages
    python.chmod(0o700)
    with pytest.raises(NotInstalled, match="No module named 'fuxi'"):
        FUXI.version(python)


def test_a_python_that_is_not_there_is_said(tmp_path):
    with pytest.raises(NotInstalled, match="No such file"):
        FUXI.version(tmp_path / "python")


@pytest.mark.slow
@pytest.mark.skipif("R4_TEST_FUXI" not in os.environ, reason="R4_TEST_FUXI names no Python")
@pytest.mark.parametrize("window", [1000, 1500])
@pytest.mark.parametrize("name", FUXI.queries)
def test_fuxi_finds_what_holds_at_full_seconds(name, window, tmp_path):
    workload, files = WORKLOADS[name], Files(tmp_path)
    count = 150 if name == "q2" else 350
    stream, static = files.stream(workload.stream, count), files.static(workload.static)
    python = Path(os.environ["R4_TEST_FUXI"])
    task = StreamTask(name, stream, static, window, tmp_path, python)
    measure_process(FUXI.command(task), tmp_path / "output")
    found = outcome((tmp_path / "output").read_bytes().splitlines(keepends=True))
    assert found.counts == (0, *expect_each(workload.query, count, window))


def test_without_a_compiler_of_java_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalled, match="no javac on the path"):
        JENA.version(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(which("javac") is None, reason="there is no javac")
def test_a_class_path_without_jena_is_said(tmp_path):
    with pytest.raises(NotInstalled, match=f"does not compile with the class path {tmp_path}"):
        JENA.version(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif("R4_TEST_JENA" not in os.environ, reason="R4_TEST_JENA names no class path")
@pytest.mark.parametrize("window", [1000, 1500])
@pytest.mark.parametrize("name", JENA.queries)
def test_jena_finds_what_holds_at_full_seconds(name, window, tmp_path):
    workload, files = WORKLOADS[name], Files(tmp_path)
    stream, static = files.stream(workload.stream, 1200), files.static(workload.static)
    classes = Path(os.environ["R4_TEST_JENA"])
    task = StreamTask(name, stream, static, window, tmp_path / "made", classes)
    subprocess.run(JENA.preparation(task), check=True)
    measure_process(JENA.command(task), tmp_path / "output")
    found = outcome((tmp_path / "output").read_bytes().splitlines(keepends=True))
    assert found.counts == (0, *expect_each(workload.query, 1200, window))
