"""Whatever is typed so far, what is asked about it has an answer."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from r4.language_server.completion import completions
from r4.language_server.definitions import definitions
from r4.language_server.diagnostics import faults
from r4.language_server.hover import hover
from r4.language_server.positions import Positions
from rif.text.lexer import tokenise
from tests.rif.text.test_readable_writer import RULES

PIECES = tokenise(RULES).values
WORDS = (
    "<urn:",
    "@",
    "ex:",
    "yy:a",
    "(*",
    "*)",
    "\n#",
    "\n",
    '"',
    "Document(",
    "😋",
    "\ud800",
    "\0",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Rules of which some tokens are left out, or are others; the last may be cut."""
    first = draw(st.integers(0, len(PIECES)))
    pieces = [*PIECES[first : first + draw(st.integers(0, 40))]]
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(pieces)))
        pieces[at : at + draw(st.integers(0, 2))] = [draw(st.sampled_from(WORDS))]
    text = " ".join(pieces)
    return text[: len(text) - draw(st.integers(0, 3))]


@given(texts(), st.floats(0, 1))
@example("", 0)
def test_each_place_of_each_text_has_answers(text: str, part: float) -> None:
    offset = round(part * len(text))
    positions = Positions(text)
    found = hover(text, offset)
    assert found is None or found.begin <= offset <= found.end
    assert completions(text, offset, ["urn:ex:a"]).begin <= offset
    for span in (*definitions(text, offset), *(fault.span for fault in faults(text).errors)):
        begin, end = positions.ends(span)
        assert (0, 0) <= begin <= end <= positions.position(len(text))
