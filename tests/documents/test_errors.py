"""The page of errors has every code, and its examples print what it shows."""

from __future__ import annotations

import re

import pytest

from tests.paths import ROOT
from tools import errors

PAGE = errors.TARGET.read_text("utf-8")
SECTIONS = dict(re.findall(r"^### (\S+)\n\n((?:(?!##).*\n)*)", PAGE, re.MULTILINE))
NOT_SHOWN = {"MTL208", "R4116", "R4325", "R4407", "R4408", "R4416", "R4421", "R4603", "RIF206"}
"""Codes without an example; the page says why."""
SLOW = {"HYP404", "R4307", "RIF117"}


def test_each_code_in_the_sources_has_a_row() -> None:
    given = {
        code
        for package in ("rif", "rete", "temporal", "r4")
        for path in (ROOT / package).rglob("*.py")
        for code in re.findall(r'"((?:RIF|MTL|HYP|R4)\d{3})"', path.read_text("utf-8"))
    }
    assert given == {code for code in errors.codes() if not code.startswith("DAT")}


def test_each_row_is_on_the_page_and_nothing_else() -> None:
    assert set(SECTIONS) == set(errors.codes())
    frame = re.sub(r"^(### \S+\n)\n(?:(?!##).*\n)*", r"\1\n", PAGE, flags=re.MULTILINE)
    assert frame.split() == " ".join(errors.headings()).split()


def test_codes_without_an_example_are_few_and_have_a_reason() -> None:
    assert {code for code in SECTIONS if not errors.example(code).blocks} == NOT_SHOWN
    assert all("No example: " in SECTIONS[code] for code in NOT_SHOWN)


@pytest.mark.parametrize(
    "code",
    [pytest.param(code, marks=pytest.mark.slow) if code in SLOW else code for code in SECTIONS],
)
def test_an_example_prints_its_code_as_the_page_shows(code: str) -> None:
    said = errors.section(code)
    assert SECTIONS[code].rstrip() == said
    if code not in NOT_SHOWN:
        assert f"{code} " in said.partition("**Mend**")[0]
