"""After a burst has passed, its memory is given back."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from r4 import Engine
from r4.engine.core import Core
from rete.arrays.delta import Column
from rete.storage import valid_time_queue

RULES = """Document( Prefix(ex <urn:ex:>) Window(10 s) Group(
  Forall ?x ?a ?b ( ex:pair(?x ?a ?b) :- And( ?x[ex:p -> ?a] ?x[ex:q -> ?b] ) ) ) )"""
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"


def element(number: int, at: float, subjects: range) -> Iterator[str]:
    """The statements of an element: a pair of each subject, with terms of its own."""
    name = f"<urn:ex:e{number}>"
    yield f'{name} {STAMP} "{round(1000 * at)}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    for subject in subjects:
        yield f"<urn:ex:s{subject}> <urn:ex:p> <urn:ex:a{subject}> {name} .\n"
        yield f"<urn:ex:s{subject}> <urn:ex:q> <urn:ex:b{subject}> {name} .\n"


def few(first: int, count: int, since: float) -> Iterator[str]:
    """Small elements, ten a second.

    So many that they are read in some steps, however busy the machine is.
    """
    for number in range(first, first + count):
        yield from element(
            number, since + (number - first) / 10, range(number % 10, number % 10 + 1)
        )


def burst(subjects: int) -> Iterator[str]:
    """So many subjects within a second."""
    for part in range(0, subjects, 100):
        yield from element(part, 60 + part / subjects, range(100 + part, 200 + part))


def test_rows_and_terms_of_a_burst_are_forgotten_once_it_has_ended() -> None:
    with Engine.from_text(RULES, tick="ms") as engine:
        core = engine._run.core
        for at, subjects in ((0, 1), (1, 40_000), (30, 1), (31, 1), (32, 1)):
            triples = (
                f"<urn:ex:s{n}> <urn:ex:{key}> <urn:ex:{key}{n}> ."
                for n in range(subjects)
                for key in "pq"
            )
            engine.add("\n".join(triples), at=1000 * at)
            list(engine.changes())
    assert core.layers.held < 50
    assert len(core.terms) < 200
    (network,) = core.layers.networks
    assert max(stem.nbytes for stem in network.stems) < 1 << 16


@pytest.mark.parametrize(("keep", "static"), [(False, 0), (True, 0), (False, 40_000)])
def test_what_is_kept_is_not_looked_at_for_every_few_rows_that_end(
    monkeypatch: pytest.MonkeyPatch, *, keep: bool, static: int
) -> None:
    """A look is paid by the rows that ended since the last; what stays must not be most of it."""
    monkeypatch.setattr(valid_time_queue, "_LEAST", 1 << 10)
    looks, right = [], Core.forget

    def forget(core: Core, needed: Iterable[Column] = ()) -> None:
        looks.append(len(core.terms) + core.layers.held)
        right(core, needed)

    monkeypatch.setattr(Core, "forget", forget)
    rows = 40_000
    with Engine.from_text(RULES, tick="ms", keep=keep) as engine:
        engine.add_static("\n".join(f"<urn:s{n}> <urn:p> <urn:o{n}> ." for n in range(static)))
        for at in range(0, rows, 1000):
            engine.add("\n".join(f"<urn:{at}> <urn:p> {n} ." for n in range(1000)), at=20 * at)
            list(engine.changes())
    assert looks or keep or static
    assert sum(looks) < 8 * (rows + 2 * static)


def settled(process: int) -> int:
    """The pages that are resident once the process has read all and has nothing to do."""
    pages, used, statm, stat = (
        [0],
        [-1.0],
        Path(f"/proc/{process}/statm"),
        Path(f"/proc/{process}/stat"),
    )
    while len(used) < 4 or used[-1] > used[-4]:
        time.sleep(0.5)
        pages.append(int(statm.read_text("ascii").split()[1]))
        used.append(sum(map(int, stat.read_text("ascii").rpartition(")")[2].split()[11:13])))
    return pages[-1]


@pytest.mark.soak
@pytest.mark.compiled_only
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux says what is resident")
def test_the_process_is_as_small_as_before_the_burst(tmp_path: Path) -> None:
    (tmp_path / "rules.rif").write_text(RULES)
    command = [sys.executable, "-m", "r4", "run", str(tmp_path / "rules.rif"), "-", "--quiet"]
    parts = [few(10**6, 600, 0), burst(250_000), few(2 * 10**6, 20_000, 75)]
    resident = []
    with (
        (tmp_path / "answers").open("w") as answers,
        subprocess.Popen(
            [*command, "-i", "nquads=-"], stdin=subprocess.PIPE, stdout=answers
        ) as run,
    ):
        assert run.stdin is not None
        for part in parts:
            lines = "".join(part).encode()
            for begin in range(0, len(lines), 1 << 14):  # as a sensor would: not all at once
                run.stdin.write(lines[begin : begin + (1 << 14)])
                run.stdin.flush()
                time.sleep(0.02 if len(lines) < 1 << 23 else 0)
            resident.append(settled(run.pid))
        run.stdin.close()
    assert run.returncode == 0
    assert resident[2] <= 1.25 * resident[0], resident
