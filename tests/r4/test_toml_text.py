"""Strings of TOML that are written."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from r4.toml_text import toml_string


@given(st.text(st.characters(codec="utf-8")))
def test_what_is_written_is_read_again(text: str) -> None:
    written = toml_string(text)
    assert tomllib.loads(f"a = {written}") == {"a": text}
    assert written.isprintable()


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert toml_string("a\udcff") == '"a\ufffd"'
