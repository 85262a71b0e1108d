"""One stream of readings in every input format, with the triples that each element has.

An element is a reading of its own: which sensor, a temperature, a remark, and the time from which
it holds. In formats with graphs it is a named graph, in tables a row, in graphs a subject.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pyoxigraph as ox

from bench.workloads.stream_terms import DATE_TIME, DECIMAL, GENERATED_AT, STEP, stamp
from r4.extras import version_of

TRIPLES: Final = 3
"""Triples of an element, without its stamp."""
TIME: Final = "urn:r4:bench:time"
"""The predicate of times in graphs; that of elements is prov:generatedAtTime."""
_NAME: Final = "urn:r4:bench:"
MAPPING: Final = f"""\
[rows]
subject = "{_NAME}{{number}}"
time = "time"
values = [
  {{ predicate = "{_NAME}sensor", iri = "{_NAME}sensor/{{sensor}}" }},
  {{ column = "temperature", predicate = "{_NAME}temperature", datatype = "xsd:decimal" }},
  {{ column = "remark", predicate = "{_NAME}remark" }},
]
"""
"""What the columns of tables mean."""
GRAPHS: Final = {
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "turtle": ox.RdfFormat.TURTLE,
    "rdfxml": ox.RdfFormat.RDF_XML,
}
"""Formats of graphs, which have no elements."""


class Reading(NamedTuple):
    """A reading, with the number of its element."""

    number: int
    sensor: int
    temperature: str
    remark: str

    @property
    def time(self) -> str:
        """Its stamp, as a lexical form."""
        return stamp(self.number * STEP)

    @property
    def triples(self) -> tuple[str, ...]:
        """Its statements in N-Triples, without the dot."""
        subject = f"<{_NAME}{self.number}>"
        return (
            f"{subject} <{_NAME}sensor> <{_NAME}sensor/{self.sensor}>",
            f'{subject} <{_NAME}temperature> "{self.temperature}"^^{DECIMAL}',
            f'{subject} <{_NAME}remark> "{self.remark}"',
        )

    @property
    def stamped(self) -> str:
        """The statement that its graph, which has its name, holds from its time on."""
        return f'<{_NAME}{self.number}> {GENERATED_AT} "{self.time}"^^{DATE_TIME}'


def readings(count: int) -> list[Reading]:
    """The first ``count`` readings."""
    return [
        Reading(n, n * 7 % 997, f"{n % 40 - 5}.{n % 9 + 1}", f"reading {n % 5000} is in order")
        for n in range(count)
    ]


def _quads(given: Sequence[Reading]) -> Iterator[str]:
    for each in given:
        yield f"{each.stamped} .\n"
        yield from (f"{triple} <{_NAME}{each.number}> .\n" for triple in each.triples)


def _trig(given: Sequence[Reading]) -> Iterator[str]:
    for each in given:
        inside = "".join(f"  {triple} .\n" for triple in each.triples)
        yield f"{each.stamped} .\n<{_NAME}{each.number}> {{\n{inside}}}\n"


def _patch(given: Sequence[Reading]) -> Iterator[str]:
    for each in given:
        inside = "".join(f"A {triple} <{_NAME}{each.number}> .\n" for triple in each.triples)
        yield f"TX .\nA {each.stamped} .\n{inside}TC .\n"


def _answers(given: Sequence[Reading]) -> Iterator[str]:
    for each in given:
        for triple in each.triples:
            s, p, o = triple.split(" ", 2)
            line = {"op": "+", "at": each.time, "s": s, "p": p, "o": o}
            yield json.dumps({**line, "from": each.time, "until": None, "rule": 1}) + "\n"


def _json_ld_lines(given: Sequence[Reading]) -> Iterator[str]:
    for each in given:
        text = "".join(_quads([each]))
        quads = ox.parse(text, ox.RdfFormat.N_QUADS)
        document = ox.serialize(quads, format=ox.RdfFormat.JSON_LD)
        assert document is not None  # as there is no file to write it to
        yield document.decode() + "\n"


def _table(delimiter: str) -> Callable[[Sequence[Reading]], Iterator[str]]:
    def lines(given: Sequence[Reading]) -> Iterator[str]:
        yield delimiter.join(("number", "time", "sensor", "temperature", "remark")) + "\n"
        for each in given:
            cells = (each.number, each.time, each.sensor, each.temperature, each.remark)
            yield delimiter.join(map(str, cells)) + "\n"

    return lines


def _objects(given: Sequence[Reading]) -> Iterator[str]:
    return (json.dumps({**each._asdict(), "time": each.time}) + "\n" for each in given)


LIVE: Final[Mapping[str, Callable[[Sequence[Reading]], Iterator[str]]]] = {
    "nquads": _quads,
    "trig": _trig,
    "patch": _patch,
    "jsonl": _answers,
    "ndjsonld": _json_ld_lines,
    "csv": _table(","),
    "tsv": _table("\t"),
    "ndjson": _objects,
}
"""What writes readings, by the name of a format that is read as it arrives."""


def write_files(given: Sequence[Reading], folder: Path) -> dict[str, Path]:
    """The files, by the name of the format, and ``mapping`` for tables. Parquet needs pyarrow."""
    found = {}
    for name, lines in LIVE.items():
        found[name] = folder / f"readings.{name}"
        found[name].write_text("".join(lines(given)), encoding="utf-8")
    quads = "".join(_quads(given))
    found["jsonld"] = folder / "readings.jsonld"
    ox.serialize(ox.parse(quads, ox.RdfFormat.N_QUADS), str(found["jsonld"]), ox.RdfFormat.JSON_LD)
    triples = "".join(
        f"{triple} .\n"
        for each in given
        for triple in (
            *each.triples,
            f'<{_NAME}{each.number}> <{TIME}> "{each.time}"^^{DATE_TIME}',
        )
    )
    for name, form in GRAPHS.items():
        found[name] = folder / f"readings.{name}"
        ox.serialize(ox.parse(triples, ox.RdfFormat.N_TRIPLES), str(found[name]), form)
    found["mapping"] = folder / "mapping.toml"
    found["mapping"].write_text(MAPPING, encoding="utf-8")
    if version_of("pyarrow") is not None:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - the same

        found["parquet"] = folder / "readings.parquet"
        rows = [{**each._asdict(), "time": each.time} for each in given]
        pq.write_table(pa.Table.from_pylist(rows), found["parquet"])
    return found
