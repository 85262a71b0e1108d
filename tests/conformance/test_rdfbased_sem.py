"""The W3C tests of the RDF-Based Semantics; the rules of OWL 2 RL reach all of them."""

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

CASES = owl_cases("rdfbased-sem")


@needs_data
def test_the_suite_is_there() -> None:
    assert sum("PET" in case.kinds for case in CASES) >= 46
    assert sum("INC" in case.kinds for case in CASES) >= 15


@pytest.mark.parametrize("case", every_other_slow(CASES), ids=str)
def test_a_case_is_judged_right(case: EntailmentCase, tmp_path: Path) -> None:
    verdict = judge(case, tmp_path)
    assert verdict.inconsistent == ("INC" in case.kinds)
    assert verdict.entailed
