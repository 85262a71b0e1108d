"""Booleans: truth tables, by XPath and by the suite."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from rif.builtins import Builtin, booleans
from rif.syntax.terms import IRI, GroundList, GroundTerm, Literal
from tests.rif.builtins import suite_conditions
from tests.rif.builtins.calls import call, xpath

FORMS = {"true": True, "1": True, "false": False, "0": False}
OPERATORS = {"equal": "eq", "less-than": "lt", "greater-than": "gt"}


@pytest.mark.parametrize("form", FORMS)
def test_not_is_the_other_one(form: str) -> None:
    expected = "false" if FORMS[form] else "true"
    assert call("func:not", f"{form}^boolean") == f"{expected}^boolean"


@pytest.mark.parametrize(("one", "two"), list(product(FORMS, FORMS)))
def test_false_comes_before_true(one: str, two: str) -> None:
    left, right = FORMS[one], FORMS[two]
    for name, truth in (
        ("equal", left == right),
        ("less-than", left < right),
        ("greater-than", left > right),
    ):
        assert call(f"pred:boolean-{name}", f"{one}^boolean", f"{two}^boolean") is truth
        assert xpath(f"xs:boolean('{one}') {OPERATORS[name]} xs:boolean('{two}')") is truth


FOREIGN: list[GroundTerm | str] = [
    IRI("urn:a"), GroundList(), Literal("true"), "1^integer", "yes^boolean", " true ^boolean",
]  # fmt: skip


@pytest.mark.parametrize("builtin", booleans.BUILTINS, ids=lambda builtin: builtin.name)
@pytest.mark.parametrize("term", FOREIGN, ids=str)
def test_nothing_else_is_in_the_domain(builtin: Builtin, term: GroundTerm | str) -> None:
    space, _, local = builtin.name.rpartition("#")
    name = f"{'func' if space.endswith('function') else 'pred'}:{local}"
    for at in range(builtin.least):
        args: list[GroundTerm | str] = ["1^boolean"] * builtin.least
        args[at] = term
        assert call(name, *args) is None


def test_the_conjuncts_of_the_suite_are_true(test_data: Callable[[str], Path]) -> None:
    found = suite_conditions.suite(test_data, "Builtins_boolean")
    assert len(found) == 6
    assert all(conjunct.expected and suite_conditions.truth(conjunct.formula) for conjunct in found)
