"""A run over streams that nobody at a terminal looks at: all it needs is handed in."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import pytest

from r4.answers.output_order import Changes
from r4.api.run.rulebook import read_rule_file
from r4.errors import InputError
from r4.imports import Closure
from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.rdf.documents import RdfDocument
from r4.run.inputs import RunInput
from r4.run.ports import NEVER
from r4.run.settings import RunSettings
from r4.run.stream_run import RunPorts, StreamRun
from r4.sinks.output import NO_IDS
from r4.stream.source import StreamOptions
from r4.time.ticks import Tick, TimeScale
from rete.arrays.delta import Column

RULES = """Document(Prefix(ex <urn:ex:>) Window(5) Group(
    Forall ?s ?v (?s[ex:hot -> ?v] :- ?s[ex:reads -> ?v])))"""
ELEMENT = """<urn:ex:s> <urn:ex:reads> "{0}" <urn:g:{0}> .
<urn:g:{0}> <http://www.w3.org/ns/prov#generatedAtTime> {0} .
"""


class Listing:
    """A report that keeps what it is given, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []
        self.written = 0
        self.is_finished = False

    def changes(self, changes: Changes, _: Tick | None = None) -> None:
        self.written += len(changes)
        self.told += [("change", at) for at in changes.at.tolist()]

    def possible(self, reports: object) -> None:
        raise AssertionError(reports)

    def advance(self, frontier: Tick, _: Tick | None = None) -> None:
        self.told.append(("frontier", frontier))

    @property
    def needed_ids(self) -> Column:
        return NO_IDS

    def finish(self) -> None:
        self.is_finished = True


@pytest.fixture
def given(tmp_path: Path) -> RunInput:
    rules, stream = tmp_path / "r.rif", tmp_path / "s.nq"
    rules.write_text(RULES)
    text = "".join(ELEMENT.format(n) for n in (1, 2, 3))
    stamp = '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    for n in (1, 2, 3):
        text = text.replace(f"generatedAtTime> {n} ", f"generatedAtTime> {stamp.format(n)} ")
    stream.write_text(text + "no statement\n")
    closure = read_rule_file(rules, None, LANGUAGE, lenient=False).rules
    assert isinstance(closure, Closure)
    program = compile_document(closure.documents[0], TimeScale())
    streams = [RdfDocument.of(str(stream), 1)]
    return RunInput(closure, program, (), streams, StreamOptions(each=True))


def test_a_report_gets_changes_then_the_frontier_that_they_are_final_by(given: RunInput) -> None:
    lines, report = list[str](), Listing()
    run = StreamRun(given, RunSettings(), RunPorts(say=lines.append))
    run.execute(lambda _: report)
    assert report.is_finished
    assert run.ends
    changes = [at for kind, at in report.told if kind == "change"]
    assert changes == [1, 2, 3]
    bound = 0
    for kind, at in report.told:  # no change comes after a frontier beyond it
        assert kind == "frontier" or at >= bound
        bound = max(bound, at) if kind == "frontier" else bound
    assert "DAT101" in lines[0]
    assert not run.count(0)
    assert any("left out: 1" in line for line in lines)


def test_observers_look_after_each_step_and_at_the_end(given: RunInput) -> None:
    class Eye:
        def __init__(self) -> None:
            self.seen: list[tuple[int, bool]] = []

        def look(self, run: StreamRun, *, ended: bool = False) -> None:
            self.seen.append((run.report.written, ended))

    eye = Eye()
    StreamRun(given, RunSettings(), RunPorts(observers=(eye,))).execute(lambda _: Listing())
    assert eye.seen[-1] == (3, True)
    assert {ended for _, ended in eye.seen[:-1]} == {False}


def test_a_stop_ends_a_run_before_its_input_does(given: RunInput) -> None:
    class Stop:
        is_set = True
        descriptor = None

        def __init__(self) -> None:
            self.check, self.comes_within = NEVER.check, NEVER.comes_within
            self.take_reading, self.take_reopening = NEVER.take_reading, NEVER.take_reopening

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    report = Listing()
    StreamRun(given, RunSettings(), RunPorts(stop=Stop())).execute(lambda _: report)
    assert not [at for kind, at in report.told if kind == "change"]
    assert report.is_finished


def test_a_report_is_finished_where_a_run_fails(given: RunInput, tmp_path: Path) -> None:
    report = Listing()
    (tmp_path / "s.nq").unlink()
    with pytest.raises(InputError, match=r"s\.nq"):
        StreamRun(given, RunSettings(), RunPorts()).execute(lambda _: report)
    assert report.is_finished
