"""The faults of a text, with places, codes and hints."""

from __future__ import annotations

import pytest

from r4.language_server.diagnostics import faults

HEAD = "@prefix ex: <urn:ex:> .\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("?s[ex:is -> 1] :- ?s[ex:a -> ?v], not ?s[ex:b -> ?v].", []),
        ("?s[ex:is -> ?w] :- ?s[ex:a -> ?v].", [("RIF301", 2)]),
        ("?s[ex:is -> 1] :- ?s[ex:a -> ?v", [("RIF101", 2)]),
        ("ex:p(?x) :- ex:q(?x), not ex:p(?x).", [("R4105", 2)]),
        ("ex:p(1) :- yy:q(1).\nex:p(1).\nex:r(?x).", [("RIF106", 2), ("RIF303", 4)]),
        ("", [("RIF101", 1)]),
    ],
)
def test_faults_of_the_text_and_of_what_it_means(text: str, found) -> None:
    text = HEAD + text if text else text
    assert [(each.code, each.span.line) for each in faults(text).errors] == found


def test_a_document_in_xml_is_read_as_that() -> None:
    text = '<?xml version="1.0"?>\n<Document xmlns="http://www.w3.org/2007/rif#"/>\n'
    assert faults(text).errors == ()
    assert [each.code for each in faults("<Document>\n<Group/></Document>").errors][:1] == [
        "RIF126"
    ]


def test_imports_are_not_read() -> None:
    text = HEAD + "@import <missing.rif> .\nex:p(?x) :- ex:q(?x)."
    assert faults(text).errors == ()
