"""The W3C tests of profile OWL 2 RL under the RDF-Based Semantics."""

from __future__ import annotations

import pytest

from tests.conformance.judge import entails
from tests.conformance.suite import Case, needs_data, owl_cases

CASES = owl_cases("owl2-rl")
KNOWN = {
    "New-Feature-Keys-006": (
        "two literals that are the same as one another become one term before dt-diff sees them"
    ),
}
"""What fails, and why."""


@needs_data
def test_the_suite_is_there() -> None:
    assert len(CASES) >= 59
    assert sum("PET" in case.kinds and case.reachable for case in CASES) >= 8


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.xfail(reason=KNOWN[case.name])] if case.name in KNOWN else [],
        )
        for case in CASES
    ],
)
def test_a_case_is_judged_as_far_as_the_rules_reach(case: Case) -> None:
    """A conclusion that only refutation or reasoning over class expressions finds is missed."""
    verdict = entails(case.premises, case.conclusion, case.regime)
    assert verdict.inconsistent == ("INC" in case.kinds)
    follows = "PET" in case.kinds and case.reachable
    assert verdict.entailed == (follows or verdict.inconsistent)
