"""Metric rules on streams: the engine prints what the oracle expects, on random programs."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generators.streams.metric_runs import metric_cases, random_metric_case
from tests.generators.streams.runs import RunCase
from tests.oracles.metric.streams import expected
from tests.oracles.rules.formulas import TooBig
from tests.seeds import parts
from tests.simulation.command import run
from tests.simulation.metric_comparison import compare_metric, metric_disagreement

PART = 40
ARRIVAL_PART = 30
REGIME_PART = 20
REGIMES = ("rdfs", "owl-rl")


@given(metric_cases(), st.none() | st.integers(1, 500))
def test_the_engine_prints_what_the_oracle_expects_of_metric_rules(
    case: RunCase, cut: int | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fault = metric_disagreement(case, Path(folder), cut)
    assert fault is None, fault


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=15))
def test_the_engine_prints_what_the_oracle_expects_for_many_seeds(first: int) -> None:
    _, faults = compare_metric(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=15, first=10_000))
def test_the_engine_prints_what_the_oracle_expects_where_something_is_negated(first: int) -> None:
    _, faults = compare_metric(PART, first, negation=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.parametrize("first", parts(ARRIVAL_PART, check=0, test=1, soak=3))
def test_what_is_told_on_arrival_and_not_undone_is_what_is_final(
    first: int, tmp_path: Path
) -> None:
    for seed in range(first, first + ARRIVAL_PART):
        case = random_metric_case(seed, negation=seed % 2 == 1)
        try:
            wanted = expected(case.scenario).lines
        except TooBig:
            continue
        told: Counter[str] = Counter()
        for line in run(case, tmp_path, "--order", "arrival").lines():
            members = json.loads(line)
            undone = members.pop("undone", False)
            text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
            told[text] += -1 if undone else 1
        assert +told == Counter(wanted), f"seed {seed}\n{case}"


@pytest.mark.parametrize("first", parts(REGIME_PART, check=0, test=1, soak=10))
def test_a_regime_that_says_nothing_about_the_words_of_the_rules_changes_no_answer(
    first: int, tmp_path: Path
) -> None:
    """A program may be refused, as everything feeds the rules of a regime, and is fed by them."""
    compared = 0
    for seed in range(first, first + REGIME_PART):
        case = random_metric_case(seed)
        try:
            wanted = expected(case.scenario).lines
        except TooBig:
            continue
        printed = run(case, tmp_path, "--entailment", REGIMES[seed % len(REGIMES)])
        if "R4109" in printed.err:
            continue
        told = [line for line in printed.lines() if '"error":true' not in line]
        assert (printed.code, told) == (0, wanted), f"seed {seed}\n{case}"
        compared += bool(wanted)
    assert compared > REGIME_PART // 5
