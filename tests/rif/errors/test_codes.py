"""Every class of error has a code of its own, by its module's hundreds."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

from rif.errors import checks, dialect, syntax, xml
from rif.errors.base import RuleError, Span
from rif.errors.syntax import BareWord

CODES = {
    syntax: [*range(101, 121)],
    xml: [*range(121, 133)],
    dialect: [*range(151, 163)],
    checks: [*range(201, 218), *range(301, 306)],
}


def classes(module: ModuleType) -> list[type[RuleError]]:
    found = [each for _, each in inspect.getmembers(module, inspect.isclass)]
    own = [each for each in found if each.__module__ == module.__name__]
    return [each for each in own if issubclass(each, RuleError)]


@pytest.mark.parametrize("module", CODES, ids=lambda module: module.__name__)
def test_every_class_has_a_code_of_its_own(module: ModuleType) -> None:
    assert sorted(each.code for each in classes(module)) == [f"RIF{n}" for n in CODES[module]]
    assert all(each.__doc__ for each in classes(module))


def test_every_fault_of_xml_comes_with_a_hint() -> None:
    assert all(each.default_hint for each in classes(xml))


def test_a_fault_can_be_made_a_warning() -> None:
    fault = BareWord("w is no constant", Span(1, 2, 1, 3), "say so")
    warning = fault.as_warning()
    assert (type(warning), warning.severity, warning.hint) == (BareWord, "warning", "say so")
    assert str(warning) == "1:2: RIF108 w is no constant"
