"""The W3C tests of profile OWL 2 RL under the RDF-Based Semantics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.entailment_suites import (
    EntailmentCase,
    every_other_slow,
    owl_cases,
)
from tests.conformance.verdicts import judge
from tests.paths import needs_data

CASES = owl_cases("owl2-rl")


@needs_data
def test_the_suite_is_there() -> None:
    assert len(CASES) >= 59
    assert sum("PET" in case.kinds and case.reachable for case in CASES) >= 8


@pytest.mark.parametrize("case", every_other_slow(CASES), ids=str)
def test_a_case_is_judged_as_far_as_the_rules_reach(case: EntailmentCase, tmp_path: Path) -> None:
    """A conclusion that only refutation or reasoning over class expressions finds is missed."""
    verdict = judge(case, tmp_path)
    assert verdict.inconsistent == ("INC" in case.kinds)
    follows = case.conclusion is None or ("PET" in case.kinds and case.reachable)
    assert verdict.entailed == (follows or verdict.inconsistent)
