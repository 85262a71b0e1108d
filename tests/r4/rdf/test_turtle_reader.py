"""Malformed statements of Turtle and TriG: what they cost, and where they stand."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import pyoxigraph as ox
import pytest

from r4.errors import Flaw
from r4.rdf import parser_output, turtle
from r4.rdf.chunks import Chunk
from r4.rdf.turtle import TurtleReader
from r4.rdf.turtle_splitter import StatementSplitter
from rete.memory_limit import MemoryBound
from rete.terms.dictionary import Dictionary

COUNT = 1000


def chunk_of(text: str, most: int | None = None) -> Chunk:
    reader = TurtleReader(Dictionary(), 1, ox.RdfFormat.TURTLE, None, most)
    return reader._read(text.encode(), [at + 1 for at, each in enumerate(text) if each == "."])


def calls(name: str, read: Callable[[], object]) -> int:
    """How often ``read`` calls a function of the module of the reader."""
    with patch.object(turtle, name, wraps=getattr(turtle, name)) as called:
        read()
    return called.call_count


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("".join(f"x{n} .\n" for n in range(COUNT)), COUNT + 20),
        ("x .\n" * COUNT, 20),
        ("".join(f"<urn:s> <urn:p> 1 .\nx{n} .\n" for n in range(COUNT)), 3 * COUNT + 20),
        ("<urn:s> <urn:p> 1 .\n" * COUNT + "x .\n" + "<urn:s> <urn:p> 1 .\n" * COUNT, 60),
        ("<urn:s> <urn:p> 1 .\n" * COUNT, 1),
    ],
)
def test_a_malformed_statement_costs_a_few_parses_and_rows_are_encoded_once(text, most) -> None:
    assert calls("_parsed", lambda: chunk_of(text)) <= most
    assert calls("read_nquads", lambda: chunk_of(text)) == 1
    found = chunk_of(text)
    assert (len(found.rows), len(found.faults)) == (text.count("<urn:s>"), text.count("x"))


def test_malformed_statements_stand_among_those_with_unsupported_terms() -> None:
    good, unsupported = "<urn:s> <urn:p> 1 .\n", "<urn:s> <urn:p> <<( <urn:a> <urn:b> 1 )>> .\n"
    found = chunk_of(good + unsupported + "x .\n" + unsupported + good + "y .\n" + good)
    faults = [(fault.flaw, fault.row, fault.line) for fault in found.faults]
    assert faults == [
        (Flaw.UNSUPPORTED_TERM, 1, 2),
        (Flaw.SYNTAX, 1, 3),
        (Flaw.UNSUPPORTED_TERM, 1, 4),
        (Flaw.SYNTAX, 2, 6),
    ]
    assert [found.lines.line_of(row) for row in range(3)] == [1, 5, 7]


def test_what_is_malformed_without_a_prefix_is_read_with_it() -> None:
    found = chunk_of("\nx:a x:b 1 ." * 2 + "\n@prefix x: <urn:> ." + "\nx:a x:b 1 ." * 2)
    assert [(fault.row, fault.line) for fault in found.faults] == [(0, 2), (0, 3)]
    assert [found.lines.line_of(row) for row in range(2)] == [5, 6]


def test_with_too_many_malformed_statements_the_rest_is_not_read() -> None:
    assert len(chunk_of("x .\n" * 20, most=5).faults) == 6


def test_encoding_in_parts_changes_nothing() -> None:
    unsupported = "<urn:s> <urn:p> <<( <urn:a> <urn:b> 1 )>> .\n"
    text = ("<urn:s> <urn:p> (1 [] _:g1) .\n" + unsupported + "x .\n") * 5

    def found() -> object:
        chunk = chunk_of(text)
        lines = [chunk.lines.line_of(row) for row in range(len(chunk.rows))]
        return chunk.rows.tolist(), list(chunk.faults), lines

    whole = found()
    with (
        patch.multiple(turtle, _LONG=0, _ENCODED=0),
        patch.object(parser_output, "_QUADS_AT_ONCE", 2),
    ):
        assert found() == whole
        assert calls("read_nquads", lambda: chunk_of(text)) > 20


class Full:
    """Has no memory left at a look, counted from 0."""

    def __init__(self, last: int) -> None:
        self.left_looks = last

    def check(self) -> None:
        self.left_looks -= 1
        if self.left_looks < 0:
            message = "full"
            raise MemoryBound(message)

    def left(self) -> int | None:
        return None


@pytest.mark.parametrize("last", range(10))
def test_memory_ends_the_reading_of_a_statement_wherever_it_is_short(last: int) -> None:
    """It is no fault of the statement."""
    reader = TurtleReader(Dictionary(), 1, ox.RdfFormat.TURTLE, None)
    reader.bounds = Full(last)
    text = b"<urn:s> <urn:p> 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ."
    with (
        patch.multiple(turtle, _LONG=0, _ENCODED=0),
        patch.object(parser_output, "_QUADS_AT_ONCE", 2),
        pytest.raises(MemoryBound),
    ):
        reader._read(text, [len(text)])


SCOPES = """
@prefix a: <urn:a:> . @prefix : <urn:> . @prefix a.b: <urn:ab:> . @prefix é-1: <urn:e:> .
a:s a:p :o . :s a.b:p é-1:o.a:s a:p 1.a.b:s :p 1.5 .x:s a:p 2 .
@base <http://e/> . <s> a:p <o>.a:s :p "a: x:"^^:t, [ :q (:a 1) ] . # x:
@prefix a: <urn:other:> . a:s a:p 3 . PREFIX x: <x> x:s x:p a:o . y:s :p 4 .
a:s :p <<( a:a :p 1 )>> . @prefix y: <urn:y:> . y:s :p 4 . z:s y:p 5 . :s :p -1.a:s :p .5 .
"""


def test_prefixes_that_a_text_does_not_use_change_nothing() -> None:
    def found() -> object:
        reader = TurtleReader(dictionary := Dictionary(), 1, ox.RdfFormat.TURTLE, None)
        text, ends = StatementSplitter().feed(SCOPES.encode(), final=True)
        chunk = reader._read(text, ends)
        lines = [chunk.lines.line_of(row) for row in range(len(chunk.rows))]
        return (
            dictionary.decode_many(chunk.rows[:, :3].ravel()),
            list(chunk.faults),
            lines,
            reader.scope,
        )

    whole = found()
    with patch.object(turtle, "_MOST_PREFIXES", 0):
        assert found() == whole


@pytest.mark.parametrize(
    "statement", ["x .\n", "p{0}:s p1:p .\n", "p{0}:s p1:p << p1:a p1:b 1 >> .\n"]
)
def test_many_prefixes_are_not_read_for_each_statement(statement: str) -> None:
    prefixes = "".join(f"@prefix p{n}: <urn:{n}:> .\n" for n in range(COUNT))
    text = prefixes + "".join(statement.format(n) for n in range(COUNT))
    with patch.object(ox, "parse", wraps=ox.parse) as parse:
        assert len(chunk_of(text).faults) == COUNT
    assert sum(len(call.args[0]) for call in parse.call_args_list) < 20 * len(text)
