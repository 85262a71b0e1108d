"""A file that is read at once is one chunk, and says what it says when it comes in pieces."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from unittest.mock import patch

import numpy as np
import pytest

from r4.rdf.chunks import Chunk
from r4.rdf.files import ByteSource, Payload
from r4.sources.formats import RdfSource
from r4.sources.input_formats import InputFormats, find_document
from r4.sources.tables import mapping_file
from r4.stream.intake import Intake
from r4.stream.schedule import SourceOrder
from r4.stream.source import StreamOptions
from rete.terms.dictionary import Dictionary
from tests.simulation.command import call

PROV: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
MAPPING: Final = """[rows]
subject = "urn:{name}"
time = { column = "time", format = "integer" }
values = [{ column = "value", predicate = "urn:p", datatype = "xsd:integer" }]
"""


def quads(number: int) -> str:
    name = f"<urn:g{number}>"
    return f"{name} {PROV} {number} .\n<urn:s> <urn:p> {number} {name} .\n".replace(
        f" {number} ", f' "{number}"^^<http://www.w3.org/2001/XMLSchema#integer> '
    )


PATCH: Final = "TX .\nA {} .\nD {} .\nTC .\n"
BEGIN: Final = f'<urn:g1> {PROV} "1"^^<http://www.w3.org/2001/XMLSchema#integer>'
END: Final = f'<urn:g2> {PROV} "2"^^<http://www.w3.org/2001/XMLSchema#integer>'
TEXTS: Final[Mapping[str, str]] = {
    "nq": f"{quads(1)}<a <b\n{quads(2)}<a <c",
    "trig": "@prefix : <urn:> . :g { :s :p 1 . } :g { broken :q } :g :p 2 . :g { :s :p 2 } :x",
    "csv": "name,time,value\na,1,2\na,x,3\na,3,4",
    "tsv": "name\ttime\tvalue\na\t1\t2\na\tx\t3\na\t3\t4",
    "ndjson": '{"name":"a","time":1,"value":2}\n[]\n{"name":"a","time":"x"}\n{"name":"a","time":2}',
    "ndjsonld": '{"@id":"urn:s","urn:p":1}\n{"@id":\n{"@id":"urn:s","urn:p":2}',
    "rdfp": PATCH.format(f"{BEGIN}", "<urn:s> <urn:p> <urn:o> <urn:g1>") + f"TX .\nA {END} .\n",
}
"""By suffix a document that has faults, and whose last line has no end."""


def chunks_of(path: Path, size: int | None) -> list[Chunk]:
    """The chunks of a file of which ``size`` bytes are read at once; None: as many as usual."""
    mapping = path.with_name("m.toml")
    mapping.write_text(MAPPING)
    document = find_document(str(path), 1, InputFormats(mapping=str(mapping)))
    terms = Dictionary()
    opened = document.open() if size is None else document.open(size)
    source = RdfSource(document, source=opened)
    vocabulary = source.stamps(StreamOptions().vocabulary(terms))
    found = list(source.chunks(terms, vocabulary))
    assert opened.ended
    opened.close()
    return found


def said(chunks: list[Chunk]) -> object:
    """What chunks say, however many they are."""
    begins = np.cumsum([0, *(len(each.rows) for each in chunks)]).tolist()
    placed = [*zip(chunks, begins, strict=False)]
    lines = [each.lines.line_of(row) for each in chunks for row in range(len(each.rows))]
    faults = [(f.row + at, f.flaw, f.line) for each, at in placed for f in each.faults]
    deleted = [row + at for each, at in placed for row in each.deleted.tolist()]
    blocks = [edge + at for each, at in placed for edge in each.blocks.ravel().tolist()]
    rows = np.concatenate([each.rows for each in chunks]).tolist()
    return rows, lines, faults, deleted, blocks


@pytest.mark.parametrize("suffix", TEXTS)
@pytest.mark.parametrize("more", ["", "\n"])
def test_a_file_that_is_read_at_once_says_what_it_says_in_pieces(
    suffix: str, more: str, tmp_path: Path
) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_text(TEXTS[suffix] + more)
    (whole,) = chunks_of(path, None)
    assert whole.is_last
    assert len(whole.rows)
    assert whole.faults
    for size in (1, 5, 20, path.stat().st_size):
        pieces = chunks_of(path, size)
        assert len(pieces) > 1
        assert said(pieces) == said([whole])


def test_an_empty_file_is_one_chunk_too(tmp_path: Path) -> None:
    path = tmp_path / "a.nq"
    path.touch()
    assert [(len(each.rows), each.is_last) for each in chunks_of(path, None)] == [(0, True)]


class Plan:
    """What an earlier run has read, some reads of an event."""

    def __init__(self, *reads: int) -> None:
        self.reads = list(reads)

    @property
    def plans(self) -> bool:
        return bool(self.reads)

    def planned(self) -> bytes | int | Payload | None:
        return self.reads.pop(0) if self.reads else None

    def took(self, data: bytes, position: bytes | None = None) -> None:
        raise AssertionError(data, position)

    def fail(self) -> None:
        raise AssertionError


@pytest.mark.parametrize("reads", [(8, 0), (8,)])
def test_a_run_that_happens_again_reads_an_end_where_it_was_read(reads, tmp_path) -> None:
    path = tmp_path / "a.nq"
    path.write_bytes(b"12345678")
    source = ByteSource(str(path))
    source.tap = Plan(*reads)
    assert source.read() == b"12345678"
    assert source.is_short == (len(reads) > 1)
    source.close()


def test_a_small_file_costs_one_event_and_what_is_the_same_for_all_is_read_once(tmp_path) -> None:
    (tmp_path / "m.toml").write_text(MAPPING)
    files = 20
    for number in range(files):
        (tmp_path / f"{number}.csv").write_text(f"name,time,value\na,{number},2\na,30,3\n")
    formats = InputFormats(mapping=str(tmp_path / "m.toml"))
    terms, order = Dictionary(), SourceOrder()
    mapping_file._read_text.cache_clear()
    with (
        patch.object(
            SourceOrder, "next_event", autospec=True, side_effect=type(order).next_event
        ) as asked,
        patch.object(mapping_file, "mapping_of", side_effect=mapping_file.mapping_of) as read,
    ):
        sources = [
            RdfSource(find_document(str(tmp_path / f"{number}.csv"), number, formats))
            for number in range(files)
        ]
        intake = Intake(sources, terms, StreamOptions(), schedule=order)
        batches = list(intake)
        intake.close()
    assert sum(len(batch.rows) for batch in batches) == 2 * files
    assert asked.call_count == files
    assert read.call_count == 1


def test_bad_data_of_the_second_file_are_shown_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text(
        "Document(Group(Forall ?s (?s[<urn:q> -> 1] :- ?s[<urn:p> -> 1])))"
    )
    (tmp_path / "a.nq").write_text(quads(1))
    (tmp_path / "b.nq").write_text(f"{quads(2)}<urn:s> <urn:p> <urn:o> <urn:unstamped> .\n")
    found = call(["run", *(str(tmp_path / name) for name in ("r.rif", "a.nq", "b.nq"))])
    assert f"{tmp_path / 'b.nq'}:3: DAT201" in found.err
