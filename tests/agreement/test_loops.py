"""Rules that control, and that look back over readings: what a loop over the stream finds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

from r4 import Engine
from rete.graph.streams import Stream
from rete.inference.agenda import Agenda
from tests.generators.events import control_rules, window_rules
from tests.generators.events.loop_cases import Answers, Elements, LoopCase, drawn_case, trig
from tests.seeds import parts, soak
from tests.simulation.command import CommandOutput, call
from tests.simulation.summation import recent

PART = 10
LONG = 400
"""Stamps of one case in a part: so many are one large batch of a file."""
DECIMAL = "<http://www.w3.org/2001/XMLSchema#decimal>"
FAMILIES = control_rules.FAMILIES | window_rules.FAMILIES


class Line(NamedTuple):
    """A change of an answer; terms as N-Triples."""

    op: str
    subject: str
    predicate: str
    object: str
    start: int
    until: int | None


def told_by_engine(case: LoopCase) -> Iterator[Line]:
    """What an engine tells that is given one element after the other."""
    for change in Engine.from_text(case.rules).run(case.elements):
        assert change.triple is not None
        subject, predicate, value = (term.n3() for term in change.triple)
        until = None if change.until is None else int(str(change.until))
        yield Line(change.op, subject, predicate, value, int(str(change.start or 0)), until)


def told_by_command(case: LoopCase, folder: Path) -> Iterator[Line]:
    """What ``r4 run`` prints of a file."""
    for line in map(json.loads, run(case.rules, case.elements, folder).lines()):
        start = line["from"] or 0  # no event is at 0
        yield Line(line["op"], line["s"], line["p"], line["o"], start, line["until"])


def run(rules: str, elements: Elements, folder: Path) -> CommandOutput:
    """A run over a stream that is read from a file at once."""
    (folder / "rules.rif").write_text(rules, "utf-8")
    (folder / "stream.trig").write_text(trig(elements), "utf-8")
    result = call(["run", str(folder / "rules.rif"), str(folder / "stream.trig"), "--quiet"])
    assert result.code == 0, result.err
    return result


def answers(lines: Iterator[Line], predicate: str) -> Answers:
    """The answers with a predicate, in the form of a case."""
    found: Answers = {}
    for line in lines:
        if line.predicate != f"<urn:ex:{predicate}>":
            continue
        intervals = found.setdefault((_plain(line.subject), _plain(line.object)), [])
        if line.op == "-":
            intervals.pop()
        intervals.append((line.start, line.until))
    return found


def _plain(term: str) -> str:
    if term.startswith("<"):
        return term.removeprefix("<urn:ex:").removesuffix(">")
    text = term[1:].partition('"')[0]
    return f"{text} decimal" if term.endswith(DECIMAL) else text


def test_what_was_given_outlives_the_row_that_it_follows_from() -> None:
    """An `At` of a derived fact compared what it had given with rows that were forgotten."""
    case = drawn_case(FAMILIES, "state machines", 23)
    assert answers(told_by_engine(case), case.predicate) == case.answers


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=20))
@pytest.mark.parametrize("family", FAMILIES)
def test_rules_have_the_answers_of_a_loop(family: str, first: int, tmp_path: Path) -> None:
    kinds, told = set(), 0
    for seed in range(first, first + PART):
        is_long = first > 0 and seed == first
        case = drawn_case(FAMILIES, family, seed, LONG if is_long else 60)
        lines = told_by_command(case, tmp_path) if seed % 2 == 0 else told_by_engine(case)
        assert answers(lines, case.predicate) == case.answers, (
            f"{family} {seed}\n{case.rules}\n{case.elements}"
        )
        kinds.add(case.kind)
        told += bool(case.answers)
    assert len(kinds) > 1
    assert told > PART // 2


def held(engine: Engine) -> tuple[int, int]:
    """The rows of all nodes, and the terms, once what has ended is forgotten."""
    core = engine._run.core
    core.forget()
    stems = [stem for network in core.layers.networks for stem in network.stems]
    return core.layers.held + sum(stem.n for stem in stems), len(core.terms)


LOOKED_AT = (40, 50, 60, 70, 80, 280, 290, 300, 310, 320)
"""After so many elements it is looked at what is held: early in a stream, and late."""
FEW = 4
"""Cases of which the cost is looked at."""


ENDLESS = re.compile(r"Since \(0, inf\)|\b(?:median|quantile [\d.]+|stddev|list)\{[^{}]* inf\)")
"""What keeps all that it looks back on: a `Since`, and groups that no sum stands for."""


def bounded_cases(family: str, first: int) -> list[LoopCase]:
    """Short cases whose rules need not keep what they look back on for ever."""
    cases = (drawn_case(FAMILIES, family, seed, 20) for seed in range(first, first + 4 * FEW))
    return [case for case in cases if not ENDLESS.search(case.rules)][:FEW]


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, *soak(16, 32, 48)])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_rules_hold_does_not_grow_with_the_stream(
    family: str, first: int, tmp_path: Path
) -> None:
    """What is held goes up and down, so the most of a part of the stream counts."""
    cases = bounded_cases(family, first)
    assert cases
    for case in cases:
        found, sizes = [], []
        with recent(8, []):
            engine = Engine.from_text(case.rules)
            for number, (text, at) in enumerate(case.repeated(16), 1):
                engine.add(text, at=at)
                list(engine.changes())
                if number in LOOKED_AT:
                    found.append(held(engine))
                    engine.save(tmp_path / "state")
                    sizes.append((tmp_path / "state").stat().st_size)
        parts = found[: len(found) // 2], found[len(found) // 2 :]
        (rows, terms), (later_rows, later_terms) = (
            map(max, zip(*part, strict=True)) for part in parts
        )
        assert later_rows <= rows + 5, case.rules
        assert later_terms <= terms + 5, case.rules
        assert sizes[-1] <= 1.2 * max(sizes[: len(sizes) // 2]), case.rules


def rows_delivered(case: LoopCase, times: int, folder: Path) -> int:
    """How many rows go along the edges of the network, over a stream so many times."""
    made = 0
    deliver = Agenda.deliver

    def counted(agenda: Agenda, stream: Stream, rows: np.ndarray) -> None:
        nonlocal made
        made += len(rows)
        deliver(agenda, stream, rows)

    with patch.object(Agenda, "deliver", counted):
        run(case.rules, case.repeated(times), folder)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, *soak(16, 32, 48)])
@pytest.mark.parametrize("family", FAMILIES)
def test_four_times_the_stream_costs_four_times_the_rows(
    family: str, first: int, tmp_path: Path
) -> None:
    """What rules that read earlier answers said of all later readings of a batch was quadratic."""
    for case in bounded_cases(family, first):
        few, many = (rows_delivered(case, times, tmp_path) for times in (16, 64))
        assert many <= 4.2 * few, case.rules


@pytest.mark.soak
@pytest.mark.compiled_only
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux says what is resident")
@pytest.mark.parametrize("family", ["cooldowns", "latches", "windows", "last readings"])
def test_memory_of_the_process_does_not_grow(family: str, tmp_path: Path) -> None:
    """What is resident after 200,000 elements of a pipe, and after as many more.

    Before so many the process still grows, as terms are forgotten in great numbers.
    """
    case = bounded_cases(family, 0)[0]
    (tmp_path / "rules.rif").write_text(case.rules, "utf-8")
    lines = trig(case.repeated(20_000)).encode().splitlines(keepends=True)
    half = len(lines) // 2
    command = [sys.executable, "-m", "r4", "run", str(tmp_path / "rules.rif"), "-", "--quiet"]
    resident = []
    with (
        (tmp_path / "answers").open("w") as answers,
        subprocess.Popen([*command, "-i", "trig=-"], stdin=subprocess.PIPE, stdout=answers) as run,
    ):
        assert run.stdin is not None
        for part in (lines[:half], lines[half:]):
            run.stdin.writelines(part)
            run.stdin.flush()
            pages = Path(f"/proc/{run.pid}/statm").read_text("ascii").split()[1]
            resident.append(int(pages))
        run.stdin.close()
    assert run.returncode == 0
    assert resident[1] <= 1.1 * resident[0], case.rules
