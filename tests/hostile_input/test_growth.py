"""Inputs of two parts break no reader, and reading them takes time and memory in proportion."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("limits of memory are those of Linux", allow_module_level=True)

from tests.hostile_input.constructs import FORMS, Form
from tests.hostile_input.fuzzing import readers
from tests.hostile_input.fuzzing.readers import Outcome, Reader
from tests.hostile_input.growth import read_in_a_process
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


def test_all_of_a_form_are_pairs() -> None:
    count = len(FORMS["rdf-patch"].constructs)
    assert chosen_pairs(["rdf-patch"], None) == list(pairs_of("rdf-patch"))
    assert len(chosen_pairs(["rdf-patch"], None)) == count * count
    assert Pair("rdf-patch", 1, 0, inside=False) in chosen_pairs(["rdf-patch"], None)
