"""A line that is too long to be read is left out alone, wherever the text is cut in transit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

import pytest

from r4.errors import Flaw
from r4.rdf.chunks import Chunk
from r4.sources.answer_lines import AnswerLineReader
from r4.sources.rdf_patch import PatchReader
from r4.sources.tables.csv_rows import CsvRows
from r4.sources.tables.json_rows import JsonRows
from r4.sources.tables.mapping import TableRow
from r4.stream.source import StreamOptions
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary

LONGEST = 60
LONG = b"x" * 150


class Source:
    """Delivers a text in pieces of some bytes, and then no more, but without an end."""

    name = "text"
    live = True
    whole = True

    def __init__(self, text: bytes, size: int) -> None:
        self._pieces = iter([text[at : at + size] for at in range(0, len(text), size)])

    def read(self) -> bytes:
        """The next piece."""
        try:
            return next(self._pieces)
        except StopIteration:
            raise EOFError from None


class Rows(Protocol):
    """A reader of tables."""

    def read(self, data: bytes, *, final: bool = False) -> list[TableRow]:
        """The rows that ``data`` completes."""

    def skip_long_line(self) -> str:
        """Why the line that comes is too long; "" if it is not."""

    def saved(self) -> State:
        """Where it is."""

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved."""


@pytest.fixture(autouse=True)
def _short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r4.sources.text_lines.LONGEST", LONGEST)


def table_reader(kind: str) -> Rows:
    return JsonRows(["a"]) if kind == "ndjson" else CsvRows("text", ["a"])


def values(kind: str, text: bytes, size: int, stop: int) -> list[str]:
    """The fields ``a`` of a table, and its faults; its reader is saved and restored at ``stop``."""
    reader, found = table_reader(kind), []
    bounds = [*range(0, stop, size), *range(stop, len(text), size), len(text)]
    for begin, end in pairwise(bounds):
        if begin == stop:
            state = reader.saved()
            reader = table_reader(kind)
            reader.restore(StateReader(state))
        rows = reader.read(text[begin:end])
        found += [f"{row.line}: {row.why}" if row.flaw else row.fields["a"] for row in rows]
        if why := reader.skip_long_line():
            found.append(why)
    return found


@pytest.mark.parametrize("kind", ["ndjson", "csv"])
@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("stop", [30, 100, 170])
def test_a_long_row_of_a_table_is_left_out(kind: str, size: int, stop: int) -> None:
    rows = (
        [b'{"a":"1"}', LONG, b'{"a":"2"}', b"{x}", b'{"a":"3"}']
        if kind == "ndjson"
        else [b"a", b"1", LONG, b"2", b"x,y", b"3"]
    )
    found = values(kind, b"\n".join(rows) + b"\n", size, stop)
    line = 5 if kind == "csv" else 4
    why = "no JSON" if kind == "ndjson" else "2 fields in place of 1"
    assert found == ["1", f"a line of more than {LONGEST} bytes", "2", f"{line}: {why}", "3"]


@pytest.mark.parametrize(("before", "behind"), [(0, 1), (1, 0), (1, 2)])
@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("stop", [40, 120, 160])
def test_quotes_that_a_long_line_leaves_open_end_the_table(
    before: int, behind: int, size: int, stop: int
) -> None:
    long = b'"' * before + LONG + b'"' * behind
    found = values("csv", b"a\n1\n" + long + b"\n2\n", size, stop)
    cut = "3: quotes that a line too long to be read opens; the rest is not read"
    assert found[1] == f"a line of more than {LONGEST} bytes"
    assert (cut.partition(": ")[2] in found[2]) == bool((before + behind) % 2)


def chunks_of(
    kind: str, text: bytes, size: int, stop: int, dictionary: Dictionary
) -> Iterator[Chunk]:
    """The chunks of a text that goes on; its reader is saved and restored at ``stop``."""
    vocabulary = StreamOptions().vocabulary(dictionary)
    state: State | None = None
    for part in (text[:stop], text[stop:]):
        make = PatchReader if kind == "patch" else AnswerLineReader
        reader = make(dictionary, 0, vocabulary)
        if state is not None:
            reader.restore(StateReader(state))
        with pytest.raises(EOFError):
            yield from reader.chunks(Source(part, size))  # type: ignore[arg-type]
        state = reader.saved()


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("stop", [40, 120, 200])
def test_a_long_row_of_a_patch_leaves_out_its_transaction(end: bytes, size: int, stop: int) -> None:
    rows = [b"TX .", b"A <urn:a> <urn:b> <urn:c> <urn:g> .", b"TC ."]
    bad = [b"TX .", b"A <urn:a> <urn:b> <urn:bad> <urn:g> .", LONG, b"TC ."]
    again = [row.replace(b"urn:c", b"urn:d") for row in rows]
    text = end.join([*rows, *bad, *again, b"#"])
    dictionary = Dictionary()
    found = list(chunks_of("patch", text, size, stop, dictionary))
    terms = [dictionary.decode(t) for chunk in found for t in chunk.rows[:, 2].tolist() if t > 0]
    assert terms == ["<urn:c>", "<urn:d>"]
    faults = [fault for chunk in found for fault in chunk.faults]
    assert [(f.flaw, f.line) for f in faults] == [(Flaw.SYNTAX, 6), (Flaw.NOT_WHOLE, 4)]


@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("stop", [40, 120, 160])
def test_a_long_line_of_answers_is_left_out(size: int, stop: int) -> None:
    text = b"{}\n\n" + LONG + b"\n[]\n"
    found = list(chunks_of("answers", text, size, stop, Dictionary()))
    faults = [fault for chunk in found for fault in chunk.faults]
    assert [fault.line for fault in faults] == [1, 3, 4]
    assert faults[1].message == f"a line of more than {LONGEST} bytes"
