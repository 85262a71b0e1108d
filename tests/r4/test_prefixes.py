"""IRIs in the values of options."""

from __future__ import annotations

import shlex

import pytest

from r4.prefixes import expand, option_value
from rete.drawing.names import Names

KNOWN = {"ex": "urn:ex:", "urn": "http://other/"}


@pytest.mark.parametrize(
    ("iri", "value"),
    [
        ("urn:ex:at", "ex:at"),
        ("http://e/made", "http://e/made"),
        ("http://e/made?by=a&at=b", "'http://e/made?by=a&at=b'"),
        ("urn:at", "'<urn:at>'"),
        ("http://www.w3.org/2007/rif#at", "'http://www.w3.org/2007/rif#at'"),
    ],
)
def test_a_shell_and_an_option_read_the_value_as_the_iri(iri: str, value: str) -> None:
    assert option_value(iri, Names(prefixes=tuple(KNOWN.items()))) == value
    (word,) = shlex.split(value)
    assert expand(word, KNOWN) == iri
