"""A pattern at work: whether it matches, what it replaces, what is wrong with it."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from rif.regex import RegexError, compile_pattern

FLAGS = st.lists(st.sampled_from("smix"), unique=True).map("".join)


def matches(text: str, pattern: str, flags: str = "") -> bool:
    return compile_pattern(pattern, flags).search(text)


def replace(text: str, pattern: str, replacement: str, flags: str = "") -> str:
    return compile_pattern(pattern, flags).replace(text, replacement)


def fault(pattern: str, flags: str = "") -> tuple[type[RegexError], int]:
    with pytest.raises(RegexError) as caught:
        compile_pattern(pattern, flags)
    assert 0 <= caught.value.position <= max(len(pattern), len(flags))
    return type(caught.value), caught.value.position
