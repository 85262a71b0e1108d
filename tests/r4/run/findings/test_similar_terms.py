"""Terms that look alike."""

from __future__ import annotations

import pytest

from r4.run.findings.similar_terms import alike

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("asked", "others", "found"),
    [
        ('"1"', [f'"1"^^<{XSD}integer>', '"2"'], f'"1"^^<{XSD}integer>'),
        ('"Hot"', ['"hot"', '"not"'], '"hot"'),
        ('"hot "', ['"cold"', '"hot"'], '"hot"'),
        ('"temperature"', ['"pressure"', '"temprature"'], '"temprature"'),
        ("<urn:a/S1>", ["<urn:a/t1>", "<urn:a/s1>"], "<urn:a/s1>"),
        ("<urn:ex:hall>", ['"urn:ex:hall"', "<urn:ex:room>"], '"urn:ex:hall"'),
        ("<urn:ex:kitchen>", ["<urn:ex:kichen>", "<urn:ex:room>"], "<urn:ex:kichen>"),
        ('"1"', ['"2"', '"3"'], None),
        ('"1"', ['"1"'], None),
        ('"1"', [], None),
    ],
)
def test_that_term_is_told_which_is_most_alike(
    asked: str, others: list[str], found: str | None
) -> None:
    assert alike(asked, others) == found
    assert alike(asked, reversed(others)) == found
