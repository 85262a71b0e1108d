"""Results as JUnit XML."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from r4.testing.case import Case, CaseResult
from r4.testing.case_folders import ExpectedFile
from r4.testing.junit import junit


def result(group: str, title: str, *lines: str) -> CaseResult:
    return CaseResult(Case(group, title, ExpectedFile(Path())), lines, lines)


def test_a_suite_has_its_cases_and_counts_those_that_fail() -> None:
    written = junit([result("gusts", ""), result("a.md", "no <storm> & 'co'", "missing: x", "y")])
    assert written.decode() == (
        "<?xml version='1.0' encoding='utf-8'?>\n"
        '<testsuite name="r4 test" tests="2" failures="1" errors="0">\n'
        '  <testcase classname="gusts" name="gusts" />\n'
        '  <testcase classname="a.md" name="no &lt;storm&gt; &amp; \'co\'">\n'
        '    <failure message="missing: x">missing: x\ny</failure>\n'
        "    <system-err>missing: x\ny</system-err>\n"
        "  </testcase>\n"
        "</testsuite>\n"
    )


@given(st.text(st.characters(codec=None), min_size=1), st.text(st.characters(codec=None)))
def test_any_text_is_well_formed_xml(title: str, text: str) -> None:
    suite = ET.fromstring(junit([result("g", title, text)]))  # noqa: S314 - our own
    (case,) = suite
    assert len(case.attrib["name"]) == len(title)
