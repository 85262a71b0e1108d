"""Inputs of two parts break no reader, and reading them takes time and memory in proportion."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

if sys.platform != "linux":
    pytest.skip("limits of memory are those of Linux", allow_module_level=True)

from tests.hostile_input import growth_pairs
from tests.hostile_input.constructs import FORMS, Form
from tests.hostile_input.fuzzing import readers
from tests.hostile_input.fuzzing.readers import Outcome, Reader
from tests.hostile_input.growth import Reading, read_in_a_process
from tests.hostile_input.growth_pairs import Pair, chosen_pairs, fault_of, pairs_of


@pytest.mark.parametrize("form", FORMS)
def test_two_constructs_after_or_inside_each_other_are_read_or_refused(form: str) -> None:
    pairs = chosen_pairs([form], 4)
    inputs = [pair.of(8192) for pair in pairs]
    assert [each.wrong for each in read_in_a_process(FORMS[form].reader, inputs)] == [""] * 4


@pytest.mark.soak
@pytest.mark.parametrize("form", FORMS)
def test_reading_takes_time_and_memory_in_proportion(form: str) -> None:
    faults = {str(pair): fault_of(pair)[0] for pair in chosen_pairs([form], 60, seed=1)}
    assert {pair: fault for pair, fault in faults.items() if fault} == {}


def test_an_input_has_so_many_of_each_construct(monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form("turtle", "{◊}", ("«<»◊«>»", "«a№,№⁺;»", "x◊y"))
    monkeypatch.setitem(FORMS, "planted", form)
    inputs = {str(pair): pair.with_number(2).decode() for pair in pairs_of("planted")}
    assert inputs["planted/0-1"] == "{<<>>a0,1;a1,2;}"
    assert inputs["planted/0-1-inside"] == "{<<a0,1;a1,2;>>}"
    assert inputs["planted/1-1"] == "{a0,1;a1,2;a0,1;a1,2;}"
    assert inputs["planted/2-0-inside"] == "{x<<>>y}"
    assert len(inputs) == 3 * 3 + 2 * 3


def _quadratic(data: bytes, _: Path) -> Outcome:
    """Takes memory for each pair of one mark and another."""
    bytearray(data.count(b"<") * data.count(b"a") // 8)
    return Outcome.READ


def test_a_pair_that_grows_too_fast_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMS, "planted", Form("planted", "◊", ("«<»", "«a»")))
    monkeypatch.setitem(readers._TEXTS, "planted", Reader(_quadratic, [b"x"]))
    faults = {str(pair): fault_of(pair)[0] for pair in pairs_of("planted")}
    assert [pair for pair, fault in faults.items() if fault] == ["planted/0-1", "planted/1-0"]


@pytest.mark.parametrize(
    ("power", "seconds", "few"), [(1, 1.0, range(1)), (2, 100.0, range(36, 41))]
)
def test_what_a_busy_machine_takes_is_no_growth(
    power: int, seconds: float, few: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads take up to 2.5 times as long as they have to: of 40 pairs so many grow too fast."""
    noise = Random(1)  # noqa: S311 - no secrets here

    def read(_: str, inputs: Sequence[bytes]) -> list[Reading]:
        times = [seconds * (len(data) / (1 << 20)) ** power for data in inputs]
        return [Reading(spent * noise.uniform(1, 2.5), 8, "") for spent in times]

    monkeypatch.setattr(growth_pairs, "read_in_a_process", read)
    monkeypatch.setitem(FORMS, "planted", Form("planted", "◊", ("«<»", "«a»")))
    faults = [fault_of(pair)[0] for pair in 10 * [*pairs_of("planted")]]
    assert len([*filter(None, faults)]) in few


def test_all_of_a_form_are_pairs() -> None:
    count = len(FORMS["rdf-patch"].constructs)
    assert chosen_pairs(["rdf-patch"], None) == list(pairs_of("rdf-patch"))
    assert len(chosen_pairs(["rdf-patch"], None)) == count * count
    assert Pair("rdf-patch", 1, 0, inside=False) in chosen_pairs(["rdf-patch"], None)
