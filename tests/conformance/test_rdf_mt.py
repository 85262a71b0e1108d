"""The suite of RDF 1.1 Semantics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.entailment_suites import EntailmentCase, rdf_cases
from tests.conformance.verdicts import judge
from tests.paths import needs_data

CASES = rdf_cases()


@needs_data
def test_the_suite_is_there() -> None:
    assert len(CASES) >= 34
    assert {kind for case in CASES for kind in case.kinds} == {"PET", "NET", "INC", "CON"}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_is_judged_right(case: EntailmentCase, tmp_path: Path) -> None:
    verdict = judge(case, tmp_path)
    assert verdict.inconsistent == ("INC" in case.kinds)
    assert verdict.entailed == (case.conclusion is None or "PET" in case.kinds)
