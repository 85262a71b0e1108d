"""A source that is read on by another reader gives what one reader gives."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r4.rdf.chunks import Chunk
from r4.sources.formats import RdfSource
from r4.sources.input_formats import InputFormats, find_document
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.source import StreamOptions
from rete.arrays.state_codec import StateReader
from rete.terms.dictionary import Dictionary

XSD = "http://www.w3.org/2001/XMLSchema#"
PREDICATE = "http://www.w3.org/ns/prov#generatedAtTime"
AT = f"<{PREDICATE}>"
QUADS = "\ufeff" + "".join(
    f'<urn:g{i}> {AT} "{i}"^^<{XSD}integer> .\n<urn:é{i}> <urn:p> "a\\nb" <urn:g{i}> .\n'
    + ("malformed\n" if i == 3 else "# comment\n\n" if i == 4 else "")
    for i in range(8)
)
TRIG = (
    "@prefix ex: <urn:> . # as usual\n"
    + "".join(
        f'<urn:g{i}> {AT} {i} .\n<urn:g{i}> {{ ex:a ex:p [ ex:q "x}} ." , """y\n""" ] .\n'
        f"  _:g{i} ex:p _:k . }}\n" + ("<urn:g> { <urn:b> }\n" if i == 2 else "")
        for i in range(6)
    )
    + "PREFIX ex: <urn:other>\nex:g { ex:a ex:p [] }\n"
)
PATCH = "H id <urn:x> .\n" + "".join(
    f'TX .\nA <urn:g{i}> {AT} "{i}"^^<{XSD}integer> .\nA <urn:s{i}> <urn:p> <urn:o> <urn:g{i}> .\n'
    + (f"D <urn:g{i - 1}> {AT} <urn:t> .\n" if i > 2 else "")
    + ("A <urn:x> .\n" if i == 4 else "")
    + "TC .\n"
    for i in range(6)
)
TURTLE = "".join(f'<urn:s{i}> {AT} "{9 - i}"^^<{XSD}integer> ; <urn:p> [] .\n' for i in range(5))
CSV = "\ufeffé,at\r\n" + "".join(f'"a ""{i}""\nb",{9 - i}\r\n' for i in range(5)) + "a,b,c\nz,1"
NDJSON = "".join(f'{{"é":"a{i}","at":{i}}}\n' for i in range(5)) + "\n[]\n"
LINES = "".join(f'{{"@id":"urn:s","{PREDICATE}":{i},"urn:p":{{"urn:q":"é"}}}}\n' for i in range(2))
MAPPING = """[rows]
subject = "urn:{é}"
types = ["urn:T"]
time = { column = "at", format = "integer" }
"""
DOCUMENTS = {
    "s.csv": CSV.encode(),
    "sorted.csv": CSV.encode(),
    "s.ndjson": NDJSON.encode(),
    "s.ndjsonld": LINES.encode(),
    "s.nq": QUADS.encode(),
    "s.nq.gz": gzip.compress(QUADS.encode()),
    "s.trig": TRIG.encode(),
    "s.patch": PATCH.encode(),
    "s.ttl": TURTLE.encode(),
}


def _open(path: Path, size: int) -> RdfSource:
    order = "time" if path.name.startswith("sorted") else "file"
    mapping = path.with_suffix(".toml")
    mapping.write_text(f'{MAPPING}order = "{order}"\n', "utf-8")
    document = find_document(str(path), 1, InputFormats(mapping=str(mapping)))
    return RdfSource(document, time_predicate=PREDICATE, source=document.open(size))


def _vocabulary(terms: Dictionary) -> StampVocabulary:
    return StreamOptions().vocabulary(terms)


def _text(terms: Dictionary, chunk: Chunk) -> tuple[list[Any], list[Any], Any, Any, bool]:
    """What a chunk says: its rows as texts, its faults, what is deleted and is one block."""
    known = chunk.rows > 0
    texts = np.array([""] * chunk.rows.size, object).reshape(chunk.rows.shape)
    texts[known] = terms.decode_many(chunk.rows[known])
    rows = [(*row, first < 0) for row, first in zip(texts.tolist(), chunk.rows[:, 0], strict=True)]
    faults = [(each.flaw, each.row, each.line, each.message) for each in chunk.faults]
    return rows, faults, chunk.deleted.tolist(), chunk.blocks.tolist(), chunk.is_partial


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_another_reader_goes_on_between_any_two_chunks(
    tmp_path: Path, name: str, size: int
) -> None:
    path = tmp_path / name
    path.write_bytes(DOCUMENTS[name])
    terms = Dictionary()
    vocabulary = _vocabulary(terms)
    whole = _open(path, size)
    wanted = [_text(terms, chunk) for chunk in whole.chunks(terms, vocabulary)]
    whole.close()
    assert any(rows for rows, *_ in wanted)
    source = _open(path, size)
    chunks = source.chunks(terms, vocabulary)
    found = []
    while True:
        saved = source.saved()
        source.close()
        source = _open(path, size)
        chunks = source.chunks(terms, vocabulary)
        source.restore(StateReader(saved))
        if (chunk := next(chunks, None)) is None:
            break
        found.append(_text(terms, chunk))
    source.close()
    assert found == wanted


@pytest.mark.parametrize("name", ["s.nq", "s.trig", "s.patch"])
@pytest.mark.parametrize("read", [1, 5, 9, 14])
def test_what_has_come_of_a_statement_comes_again(tmp_path: Path, name: str, read: int) -> None:
    path = tmp_path / name
    path.write_bytes(DOCUMENTS[name].removeprefix("\ufeff".encode()))
    terms = Dictionary()
    vocabulary = _vocabulary(terms)
    whole = _open(path, 40)
    wanted = [_text(terms, chunk)[:2] for chunk in whole.chunks(terms, vocabulary)]
    whole.close()
    source = _open(path, 40)
    chunks = source.chunks(terms, vocabulary)
    found = [_text(terms, next(chunks))[:2] for _ in range(read)]
    source.forget_pending()
    saved = source.saved()
    assert len(StateReader(saved).part("reader").array("text", np.uint8, None)) == 0
    source.close()
    source = _open(path, 40)
    chunks = source.chunks(terms, vocabulary)
    source.restore(StateReader({**saved, "tail": np.empty(0, np.uint8)}))
    found += [_text(terms, chunk)[:2] for chunk in chunks]
    source.close()
    assert _flat(found) == _flat(wanted)


def _flat(said: list[tuple[list[Any], list[Any]]]) -> list[object]:
    """Rows, then faults with their lines."""
    return [row for rows, _ in said for row in rows] + [
        (flaw, line, message) for _, faults in said for flaw, _, line, message in faults
    ]
