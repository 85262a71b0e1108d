"""Results of cases as JUnit XML, which servers for continuous integration read.

    <testsuite name="r4 test" tests="2" failures="1">
      <testcase classname="gusts" name="one storm"/>

Characters that XML does not have are replaced by U+FFFD. No durations are told, so that equal
results are equal texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from r4.testing.case import CaseResult

_UNWRITABLE: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Sequence[CaseResult]) -> bytes:
    """One test suite with a test case for each result, in UTF-8."""
    failed = sum(not each.passes for each in results)
    suite = ET.Element(
        "testsuite", name="r4 test", tests=str(len(results)), failures=str(failed), errors="0"
    )
    for each in results:
        _add(suite, each)
    ET.indent(suite)
    return bytes(ET.tostring(suite, "utf-8", xml_declaration=True)) + b"\n"


def _add(suite: ET.Element, result: CaseResult) -> None:
    case = result.case
    shown = ET.SubElement(
        *(suite, "testcase"),
        classname=_writable(case.group),
        name=_writable(case.title or case.group),
    )
    if not result.passes:
        failure = ET.SubElement(shown, "failure", message=_writable(result.differences[0]))
        failure.text = _lines(result.differences)
    if result.notes:
        ET.SubElement(shown, "system-err").text = _lines(result.notes)


def _lines(lines: Iterable[str]) -> str:
    return _writable("\n".join(lines))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
