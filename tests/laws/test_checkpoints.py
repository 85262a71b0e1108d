"""Save, restore, continue is continue: to the letter, whatever runs and wherever it is cut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rete import kernels
from rete.inference.errors import LimitReached
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.stories.retraction import story
from tests.generators.stories.steps import RuleAddition, Story
from tests.paths import ROOT
from tests.seeds import parts
from tests.simulation.retraction.checkpoint import (
    CheckpointRun,
    cut_of,
    lines_of_story,
    lines_without_stop,
    resume_from,
    save_at_cut,
)
from tests.simulation.retraction.written_stories import element, rules

SEEDS = range(8)


@st.composite
def cut_stories(draw: st.DrawFn) -> tuple[Story, int, bool]:
    """A story, after how many steps it is cut, and whether it is told in order of arrival."""
    choose = from_hypothesis(draw)
    found = story(choose)
    return found, choose.integer(0, len(found.steps)), choose.chance(40)


JOINED = Story(
    rules("Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])"),
    (),
    (
        element("first", 0, "a p b"),
        RuleAddition(
            rules(
                "Forall ?x ?y (?x[ex:u -> ?y] :- ?x[ex:t -> ?y])",
                "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:u -> ?y])",
            )
        ),
        element("second", 1, "b p c"),
    ),
    keep=True,
)


@pytest.mark.slow
@example((JOINED, 3, False))
@given(cut_stories())
def test_what_is_saved_and_loaded_goes_on_as_if_it_had_not_been(
    cut: tuple[Story, int, bool],
) -> None:
    given_story, at, arrival = cut
    try:
        wanted = lines_of_story(given_story, arrival=arrival)
    except LimitReached:
        return
    with TemporaryDirectory() as folder:
        first, again = Path(folder, "first"), Path(folder, "again")

        def move(teller: CheckpointRun) -> None:
            teller.save(first)
            teller.resume(first)
            teller.save(again)

        assert lines_of_story(given_story, arrival=arrival, at=at, then=move) == wanted
        assert first.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("first", parts(25, check=1, test=4, soak=100))
def test_another_version_that_takes_over_goes_on_as_if_it_had_not(first: int) -> None:
    differ = 0

    def move(teller: CheckpointRun) -> None:
        nonlocal differ
        with TemporaryDirectory() as folder:
            teller.save(Path(folder, "saved"))
            differ += teller.take_over(Path(folder, "saved"))

    for seed in range(first, first + 25):
        wanted, found = lines_without_stop(seed), story(from_seed(seed))
        at, arrival = cut_of(seed, found)
        if wanted is not None:
            assert lines_of_story(found, arrival=arrival, at=at, then=move) == wanted, seed
    assert differ > 5


@settings(max_examples=10)
@given(cut_stories())
def test_to_save_changes_nothing(cut: tuple[Story, int, bool]) -> None:
    given_story, at, arrival = cut
    with TemporaryDirectory() as folder:
        place = Path(folder, "saved")
        try:
            wanted = lines_of_story(given_story, arrival=arrival)
        except LimitReached:
            return
        found = lines_of_story(
            given_story, arrival=arrival, at=at, then=lambda teller: teller.save(place)
        )
    assert found == wanted


@pytest.mark.slow
def test_another_process_with_other_kernels_goes_on(tmp_path: Path) -> None:
    other: kernels.Backend = "compiled" if kernels.BACKEND == "pure" else "pure"
    try:
        kernels.load(other)
    except ImportError as error:
        pytest.skip(str(error))
    _in_a_process("save", other, tmp_path)
    mine = [seed for seed in SEEDS if (tmp_path / f"{seed}.r4").exists()]
    assert len(mine) > len(SEEDS) // 2
    for seed in mine:
        place = tmp_path / f"{seed}.r4"
        assert resume_from(seed, place) == lines_without_stop(seed)
        save_at_cut(seed, place)
    _in_a_process("load", other, tmp_path)


def _in_a_process(what: str, backend: str, folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.simulation.retraction.checkpoint",
        what,
        str(folder),
        *map(str, SEEDS),
    ]
    environment = {**os.environ, "R4_KERNELS": backend, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
