"""Streams of facts with metric time: R4's answers beside those of the definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.suites import mtl_stream
from bench.suites.mtl_stream import findings, follow
from bench.workloads.temporal.sumo_streams import short_stops
from tests.bench.requests import requested

PROGRAM = """\
NotPos(V) :- NotOnMap(V)
ShortStop(V) :- NotPos(V), Boxminus[1,1]Pos(V), Boxminus[2,2]NotPos(V)
ShortStop(V) :- NotPos(V), Boxminus[1,1]Pos(V), Boxminus[2,2]Pos(V), Boxminus[3,3]NotPos(V)
"""
STREAM = """\
NotOnMap(b)@[1,1]
NotOnMap(a)@[2,2]
Pos(b)@[2,2]
NotOnMap(b)@[3,3]
Pos(a)@[3,3]
Pos(a)@[4,4]
NotOnMap(a)@[5,5]
"""


def test_answers_are_compared_with_the_definition(tmp_path: Path) -> None:
    place = tmp_path / "stream_sumo"
    place.mkdir()
    (place / "short_stop.txt").write_text(PROGRAM)
    (place / "S1.txt").write_text(STREAM)
    assert short_stops(place / "S1.txt") == ["ShortStop(b)@3", "ShortStop(a)@5"]
    found = findings(follow(requested(tmp_path), ["sumo S1"]))
    assert found.wrong == ""
    (table,) = found.tables
    assert table.rows[0][:3] == ("sumo S1", "7", "2")
    assert table.rows[0][-1] == "right"


def test_answers_that_are_not_those_of_the_definition_are_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "stream_sumo"
    place.mkdir()
    (place / "short_stop.txt").write_text(PROGRAM)
    (place / "S1.txt").write_text(STREAM)
    right = [*short_stops(place / "S1.txt"), "ShortStop(c)@5"]
    monkeypatch.setattr(mtl_stream, "short_stops", lambda _: right)
    found = findings(follow(requested(tmp_path), ["sumo S1"]))
    assert found.wrong == "sumo S1: 2 answers, not these 3"
