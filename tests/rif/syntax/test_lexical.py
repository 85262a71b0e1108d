"""Classes of characters of names."""

from __future__ import annotations

import re
import sys

import pytest

from rif.syntax.lexical import name_character, name_start

EVERY = "".join(map(chr, range(sys.maxunicode + 1)))
# SPARQL 1.1, rules 164 to 167, as they stand there.
PN_CHARS_U = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff_"
)
PN_CHARS = PN_CHARS_U + "0-9\u00b7\u0300-\u036f\u203f-\u2040"


@pytest.mark.parametrize("more", ["", ".", ":.-", "0123456789"])
def test_the_characters_of_names_are_those_of_sparql(more: str) -> None:
    for found, ranges in ((name_start(more), PN_CHARS_U), (name_character(more), PN_CHARS)):
        expected = re.findall(f"[{ranges}{re.escape(more)}]+", EVERY)
        assert re.findall(f"{found}+", EVERY) == expected
        assert sum(map(len, expected)) > 900_000
