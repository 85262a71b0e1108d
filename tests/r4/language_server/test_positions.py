"""Positions of the protocol, and offsets in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.language_server.positions import Positions
from rif.errors.base import NOWHERE, Span
from rif.text.lexer import Tokens

TEXTS = st.text("aé€😋\n\r", max_size=20)


@given(TEXTS, st.sampled_from(["utf-8", "utf-16", "utf-32"]), st.data())
def test_positions_and_offsets_are_each_others(text, encoding, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    positions = Positions(text, encoding)
    line, column = positions.position(at)
    before = text[:at].replace("\r\n", "\n").replace("\r", "\n")
    if text[at - 1 : at + 1] != "\r\n":  # no place for a cursor
        assert line == before.count("\n")
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        codec = encoding if encoding == "utf-8" else f"{encoding}-le"
        assert column == len(before.rpartition("\n")[2].encode(codec)) // width
        assert positions.offset(line, column) == at


@given(TEXTS, st.integers(0, 9), st.integers(0, 30))
def test_each_position_is_somewhere(text: str, line: int, column: int) -> None:
    assert 0 <= Positions(text).offset(line, column) <= len(text)


@given(TEXTS, st.data())
def test_spans_are_positions(text: str, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    if not any(text[at - 1 : at + 1] == "\r\n" for at in (begin, end)):
        positions = Positions(text)
        span = Tokens(text).span_between(begin, end)
        if span.line == span.end_line or span.end_column > 1:
            expected = positions.position(begin), positions.position(end)
            assert positions.ends(span) == expected


@pytest.mark.parametrize(
    ("span", "ends"),
    [(NOWHERE, ((0, 0), (0, 0))), (Span(2, 2, 2, 4), ((1, 2), (1, 4)))],
)
def test_a_place(span: Span, ends) -> None:
    assert Positions("ab\n😋bcd").ends(span) == ends
