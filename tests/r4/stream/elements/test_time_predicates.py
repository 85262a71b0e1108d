"""Which predicates and paths have times, where the one that was asked for has none."""

from __future__ import annotations

import pytest

from r4.stream.elements.time_predicates import TimePredicates
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads

XSD = "http://www.w3.org/2001/XMLSchema#"
USUAL = "<http://www.w3.org/ns/prov#generatedAtTime>"
NOON = f'"2026-01-01T12:00:00Z"^^<{XSD}dateTime>'
ZONED = f'"2026-01-01T12:00:00Z"^^<{XSD}dateTimeStamp>'
SCHEMA = '"2026-01-01T12:00:00Z"^^<http://schema.org/DateTime>'
DAY = f'"2026-01-01"^^<{XSD}date>'
YEAR = f'"2026"^^<{XSD}gYear>'
FIVE = f'"5"^^<{XSD}integer>'


def found(lines: str) -> TimePredicates:
    terms, times = Dictionary(), TimePredicates()
    text = "".join(f"{line.strip()} .\n" for line in lines.split(";"))
    rows = read_nquads(terms, text.encode(), 1, final=True)
    assert not rows.faults
    times.note(rows.rows, terms)
    return times


@pytest.mark.parametrize(
    ("lines", "start", "end"),
    [
        (f"<a:a> <a:at> {NOON}", "<a:at>", None),
        (f"<a:a> <a:at> {ZONED}", "<a:at>", None),
        (f"<a:a> <a:at> {SCHEMA}", "<a:at>", None),
        (f"<a:a> <a:at> {DAY}", "<a:at>", None),
        (f"<a:a> <a:at> {DAY} ; <a:a> <a:on> {NOON}", "<a:on>", None),
        (f"<a:a> <a:at> {YEAR}", None, None),
        (f"<a:a> <a:reads> {FIVE}", None, None),
        (f"<a:a> <a:generatedAtTim> {FIVE}", "<a:generatedAtTim>", None),
        (f"<a:a> <a:p> _:b ; _:b <a:at> {NOON}", "<a:p>/<a:at>", None),
        (f"_:b <a:at> {NOON} ; <a:a> <a:p> _:b", "<a:p>/<a:at>", None),
        (f"<a:a> <a:p> _:b ; _:b <a:q> _:c ; _:c <a:at> {NOON}", "<a:p>/<a:q>/<a:at>", None),
        (f"_:b <a:at> {NOON}", "<a:at>", None),
        (f"<a:a> <a:p> <a:b> ; <a:b> <a:at> {NOON}", "<a:at>", None),
        (f"_:b <a:next> _:b ; _:b <a:at> {NOON}", "<a:at>", None),
        (f"<a:a> <a:to> {NOON} ; <a:a> <a:from> {NOON}", "<a:from>", "<a:to>"),
        (f"<a:a> <a:validTo> {NOON} ; <a:a> <a:validFrom> {NOON}", "<a:validFrom>", "<a:validTo>"),
        (f"<a:a> <a:endDate> {DAY} ; <a:a> <a:startDate> {DAY}", "<a:startDate>", "<a:endDate>"),
        (
            f"<a:a> <a:x#endedAtTime> {NOON} ; <a:a> <a:x#begun> {NOON}",
            "<a:x#begun>",
            "<a:x#endedAtTime>",
        ),
        (f"<a:a> <a:x/validUntil> {NOON} ; <a:a> <a:x/at> {NOON}", "<a:x/at>", "<a:x/validUntil>"),
        (
            f"<a:a> <a:hasEnd> _:e ; _:e <a:t> {NOON} ; <a:a> <a:begin> _:b ; _:b <a:t> {NOON}",
            "<a:begin>/<a:t>",
            "<a:hasEnd>/<a:t>",
        ),
        (f"<a:a> <a:trend> {NOON} ; <a:a> <a:tomato> {NOON}", "<a:trend>", None),
        (f"<a:a> <a:until> {NOON}", "<a:until>", None),
    ],
)
def test_the_likely_times_of_statements(lines: str, start: str | None, end: str | None) -> None:
    times = found(lines)
    likely = times.likely(USUAL)
    assert likely == start
    assert (None if likely is None else times.likely_end(likely)) == end
