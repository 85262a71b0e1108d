"""Reads the same stream in each input format, and parses the same files with pyoxigraph alone.

It checks what was read and prints JSON. usage: read_formats.py ELEMENTS ROUNDS FOLDER
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np
import pyoxigraph as ox

from bench.suites.formats import FormatCost
from bench.workloads.sensor_files import (
    GRAPHS,
    TIME,
    TRIPLES,
    Reading,
    readings,
    write_files,
)
from bench.workloads.stream_terms import STEP
from r4.sources.connectors import open_sources
from r4.sources.input_formats import INPUT_FORMATS, InputFormats, find_document
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from rete.terms.dictionary import Dictionary

_BY_LINE: Final = "ndjsonld"
"""A document a line, which pyoxigraph parses one by one."""
_OWN: Final = frozenset({"patch", "jsonl", "csv", "tsv", "ndjson", "parquet"})
"""What pyoxigraph does not parse."""


def main(elements: int, rounds: int, folder: Path) -> list[FormatCost]:
    """The costs of all formats: the best of ``rounds``, after one that does not count."""
    given = readings(elements)
    files = write_files(given, folder)
    mapping = str(files.pop("mapping"))
    spent: dict[str, list[float]] = {name: [] for name in files}
    parsed: dict[str, list[float]] = {name: [] for name in files if name not in _OWN}
    for _ in range(rounds + 1):
        for name, path in files.items():
            spent[name].append(_read(name, path, mapping, given))
            if name in parsed:
                parsed[name].append(_parse(name, path))
    return [
        FormatCost(
            name, elements * TRIPLES, min(found[1:]), min(parsed.get(name, [])[1:], default=None)
        )
        for name, found in spent.items()
    ]


def _read(name: str, path: Path, mapping: str, given: Sequence[Reading]) -> float:
    """Seconds of processor time until the batches of all elements are there, which are checked."""
    begun = process_time()
    terms = Dictionary()
    place, form = str(path), INPUT_FORMATS[name]
    formats = InputFormats(by_place={place: form}, mapping=mapping, can_be_named=True)
    options = StreamOptions(time_predicate=TIME if name in GRAPHS else None)
    document = find_document(place, 1, formats)
    intake = Intake(open_sources([document], options), terms, options)
    batches = list(intake)
    spent = process_time() - begun
    rows = np.concatenate([batch.rows for batch in batches])
    starts = np.concatenate([batch.start for batch in batches])
    time = terms.lookup(f"<{TIME}>")
    kept = rows[:, 1] != time
    texts = terms.decode_many(rows[kept].ravel())
    triples = [" ".join(texts[place : place + 3]) for place in range(0, len(texts), 3)]
    found = sorted(zip(starts[kept].tolist(), triples, strict=True))
    begin = found[0][0]
    wanted = sorted(
        (begin + STEP * each.number, triple) for each in given for triple in each.triples
    )
    if found != wanted:
        message = f"{name}: {len(found)} triples were read, {len(wanted)} are right"
        raise ValueError(message)
    return spent


def _parse(name: str, path: Path) -> float:
    """Seconds of processor time until pyoxigraph has made terms of all."""
    begun = process_time()
    if name == _BY_LINE:
        for line in path.read_bytes().splitlines():
            deque(ox.parse(line, ox.RdfFormat.JSON_LD), maxlen=0)
    else:
        deque(ox.parse(path=str(path), format=INPUT_FORMATS[name].parsed), maxlen=0)
    return process_time() - begun


if __name__ == "__main__":
    elements, rounds, folder = sys.argv[1:]
    json.dump([asdict(cost) for cost in main(int(elements), int(rounds), Path(folder))], sys.stdout)
