"""Live models that are saved and loaded go on as if they had not been."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from r4.checkpoint import SnapshotError
from r4.checkpoint.live_models import load_model, save_model
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.net_change import subtract_models
from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program
from tests.seeds import parts
from tests.simulation.metric.model_states import compare_saved

if TYPE_CHECKING:
    from pathlib import Path

    from temporal.mtl.ast import MetricProgram

PART = 40
LEAST = {
    "loaded": 1 / 2,
    "overdeleted": 1 / 5,
    "rederived": 1 / 20,
    "endless before and after": 1 / 10,
    "by commands": 1 / 6,
}
"""Shares of what random stories exercise."""
RULES = "Boxplus[2,2]P(X) :- P(X), Two(X)\nQ(X) :- P(X)\nQ(X) :- Diamondminus[1,1]Q(X), S(X)"
FACTS = "P(a)@0; P(b)@[1,3]; Two(a)@[0,inf); S(a)@[4,11/2]"
UNBOUNDED = "Boxplus[2,2]P :- P\nQ :- Diamondminus[1,inf)P\nP :- Q, R"


def _loaded(program: MetricProgram, facts: str, terms: Dictionary) -> Dataset:
    loader = BulkLoader(terms, arities(program))
    loader.text([facts.replace("; ", "\n").encode()])
    assert not loader.faults
    return loader.data()


def _model(rules: str = RULES, facts: str = FACTS) -> tuple[MetricProgram, LiveModel, Dictionary]:
    program, terms = parse_program(rules), Dictionary()
    return program, LiveModel(program, _loaded(program, facts, terms), terms), terms


def _differ(one: LiveModel, other: LiveModel) -> bool:
    """Terms have equal ids in both."""
    mine, theirs = one.model(), other.model()
    left, right = mine.periodic, theirs.periodic
    return bool(
        mine.period_lines() != theirs.period_lines()
        or subtract_models(left, right).facts
        or subtract_models(right, left).facts
    )


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=15))
def test_updates_after_loading_give_what_is_derived_anew(first: int, tmp_path: Path) -> None:
    """Random stories; models are derived anew by some updates, too."""
    met = Counter[str]()
    for seed in range(first, first + PART):
        features, fault = compare_saved(seed, tmp_path)
        assert fault is None, f"seed {seed}: {fault}"
        met.update(set(features))
    assert not {name for name, share in LEAST.items() if met[name] < share * PART}


def test_terms_that_are_new_after_loading(tmp_path: Path) -> None:
    program, live, _ = _model()
    save_model(tmp_path / "model", live)
    loaded_model = load_model(tmp_path / "model", program)
    terms = loaded_model.model().terms
    change = loaded_model.update(insert=_loaded(program, "P(new)@1", terms)).change
    assert {key[0] for key in change.gained.facts} == {"P", "Q"}
    assert not change.lost.facts


@pytest.mark.parametrize("rules", [RULES, UNBOUNDED])
def test_saved_again_it_is_the_same_file(rules: str, tmp_path: Path) -> None:
    program, live, _ = _model(rules, FACTS if rules is RULES else "P@0; R@[5,6]")
    one, other = tmp_path / "one", tmp_path / "other"
    save_model(one, live)
    again = load_model(one, program)
    assert not _differ(live, again)
    save_model(other, again)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    "rules",
    [
        RULES.replace("[1,1]", "[1,2]"),
        RULES.replace("Q(X) :- P(X)", "Q(X) :- S(X)"),
        RULES.replace("[2,2]", "[1/7,1/7]"),
        UNBOUNDED,
        f"{RULES}\nBOTTOM :- Q(a)",
    ],
)
def test_another_program_is_refused(rules: str, tmp_path: Path) -> None:
    save_model(tmp_path / "model", _model()[1])
    with pytest.raises(SnapshotError, match=r"R4405 .* is of another program"):
        load_model(tmp_path / "model", parse_program(rules))


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.soak), 37])
def test_each_byte_changed_is_refused_or_changes_no_answer(step: int, tmp_path: Path) -> None:
    program, live, _ = _model("Boxplus[1,1]P(X) :- P(X)\nQ :- P(X)", "P(a)@0")
    path, changed = tmp_path / "model", tmp_path / "changed"
    save_model(path, live)
    raw, refused = path.read_bytes(), 0
    for place in range(0, len(raw), step):
        for bits in (0xFF, 1):
            changed.write_bytes(raw[:place] + bytes([raw[place] ^ bits]) + raw[place + 1 :])
            try:
                found = load_model(changed, program)
            except SnapshotError:
                refused += 1
                continue
            assert not _differ(live, found), place
    assert refused > len(raw) / step
    for place in range(0, len(raw), 97):
        changed.write_bytes(raw[:place])
        with pytest.raises(SnapshotError):
            load_model(changed, program)


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    program, live, _ = _model()
    save_model(path, live)
    before = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError

    monkeypatch.setattr("os.fsync", fail)
    with suppress(OSError):
        save_model(path, live)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model"]
    monkeypatch.undo()
    assert not _differ(live, load_model(path, program))
