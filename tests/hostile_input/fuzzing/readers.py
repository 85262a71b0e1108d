"""What reads something that is not trusted, each with examples of it.

A reader is given bytes and a folder, and says whether they were read. Everything else than reading
or refusing in few words breaks it: an exception, a message that controls the terminal.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias
from unittest.mock import patch

import click
import pyarrow as pa
from pyarrow import parquet
from rdflib import URIRef

from r4 import Engine
from r4.checkpoint import SnapshotError
from r4.checkpoint.live_models import load_model, save_model
from r4.cli.options.durations import parse_ticks
from r4.errors import InputError
from r4.sources.csv import CsvSource
from r4.sources.tables.mapping import Observations, ResultColumn, TimeColumn
from r4.sources.tables.mapping_file import read_mapping
from r4.spark.loading import loader
from r4.spark.loading.inputs import find_inputs
from r4.spark.loading.loader import BulkLoad
from r4.store import term_columns
from r4.store.loaded_folder import LoadedFolder
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import NotAStamp, OutOfRange, TimeScale
from rete.terms.dictionary import Dictionary
from rif.regex import compile_pattern
from rif.regex.scanner import RegexError
from rif.syntax.terms import XSD, Literal
from rif.values.datatypes import canonical_literal, is_lexical
from temporal.facts.bulk_loader import BulkLoader
from temporal.maintenance.live_model import LiveModel
from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program
from tests.hostile_input.fuzzing import samples
from tests.simulation.command import CRASHED, call
from tests.simulation.spark.in_process_units import LocalUnitRunner

_RULES: Final = (
    b"Document(Prefix(ex <urn:>) Window(5) Group(Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])))"
)
_MTL: Final = "A(X) :- Diamondminus[0,1]Z(X)\n"
_LIVE: Final = "Boxplus[1,1]P(X) :- P(X)\nQ :- P(X)"
_HYP: Final = b"Goal(X,T) :- Temp(X,high,T), Temp(X,high,T+1)\n"
_EXIT_CODES: Final = range(7)
_TEXT: Final = "aab b\tXYZ Ωé\n" * 50
_TYPES: Final = (
    *("dateTime", "dateTimeStamp", "date", "time", "yearMonthDuration", "dayTimeDuration"),
    *("integer", "decimal", "double", "float", "boolean", "hexBinary", "base64Binary", "anyURI"),
    *("string", "token", "Name", "language", "unsignedByte", "negativeInteger"),
)


class Outcome(Enum):
    """What became of an input."""

    READ = "read"
    REFUSED = "refused"
    NO_MEMORY = "no memory"


class Broken(Exception):
    """A reader neither read nor refused."""


Read: TypeAlias = Callable[[bytes, Path], Outcome]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader.

    Attributes:
        read: takes bytes; files are put into the folder.
        samples: examples that are read.
        tokens: words of its language.
    """

    read: Read
    samples: Sequence[bytes]
    tokens: Sequence[bytes] = ()


def _command(
    suffix: str, *args: str, others: Mapping[str, bytes] | None = None, name: str = "it"
) -> Read:
    """``r4`` with a file: ``{it}`` among the arguments, ``{NAME}`` is one of the ``others``."""

    def read(data: bytes, folder: Path) -> Outcome:
        paths = {"it": folder / f"{name}{suffix}", "folder": folder}
        paths["it"].write_bytes(data)
        for other, text in (others or {}).items():
            paths[other] = folder / other.replace("_", ".")
            paths[other].write_bytes(text)
        found = call([arg.format(**paths) for arg in args])
        if found.code == CRASHED or found.code not in _EXIT_CODES or "Traceback" in found.err:
            raise Broken(found.err)
        if not all(line.isprintable() for line in found.err.split("\n")):
            message = f"a message controls the terminal: {found.err!r:.500}"
            raise Broken(message)
        if "memory is exhausted" in found.err:
            return Outcome.NO_MEMORY
        return Outcome.READ if found.code in {0, 1} else Outcome.REFUSED

    return read


def _static(suffix: str) -> Read:
    return _command(suffix, "run", "{rules_rif}", "--static", "{it}", others={"rules_rif": _RULES})


def _stream(suffix: str, *more: str) -> Read:
    return _command(suffix, "run", "{rules_rif}", "{it}", *more, others={"rules_rif": _RULES})


_MAPPING: Final = b"""[rows]
subject = "urn:{place}"
types = ["urn:t"]
values = [
  { column = "wind", predicate = "urn:w", datatype = "xsd:decimal" },
  { predicate = "urn:c", iri = "{+cars}" },
]
time = "when"
"""


def _table(suffix: str) -> Read:
    others = {"rules_rif": _RULES, "m_toml": _MAPPING}
    return _command(suffix, "run", "{rules_rif}", "{it}", "--mapping", "{m_toml}", others=others)


def _csv(data: bytes, folder: Path) -> Outcome:
    path = folder / "it.csv"
    path.write_bytes(data)
    mapping = Observations(
        base="urn:",
        time=TimeColumn("when"),
        results=(ResultColumn("wind", "urn:w"), ResultColumn("cars", "urn:c", XSD + "integer")),
        sensor="urn:sensor/{place}",
        delimiter=";" if b";" in data[:64] else ",",
    )
    try:
        intake = Intake([CsvSource(str(path), mapping)], Dictionary(), StreamOptions())
    except InputError:
        return Outcome.REFUSED
    for _ in intake:
        pass
    return Outcome.REFUSED if intake.counters.bad else Outcome.READ


def _mapping(data: bytes, folder: Path) -> Outcome:
    path = folder / "it.toml"
    path.write_bytes(data)
    try:
        read_mapping(str(path))
    except InputError:
        return Outcome.REFUSED
    return Outcome.READ


def _duration(data: bytes, _: Path) -> Outcome:
    text = data.decode("utf-8", "replace")
    found = Outcome.REFUSED
    for scale in (TimeScale("ms"), TimeScale("ns")):
        try:
            parse_ticks(text, "--window", scale)
        except click.UsageError:
            continue
        found = Outcome.READ
    return found


def _literal(data: bytes, _: Path) -> Outcome:
    """The value of a literal, of each datatype; and a stamp."""
    text = data.decode("utf-8", "replace")
    known = [canonical_literal(Literal(text, XSD + name)) for name in _TYPES]
    for name, found in zip(_TYPES, known, strict=True):
        if found is not None and not is_lexical(found.lexical, found.datatype):
            message = f"{name}: the canonical form {found.lexical!r:.100} is none"
            raise Broken(message)
    for name in ("dateTime", "integer", "dateTimeStamp", "long"):
        literal = f'"{text}"^^<{XSD}{name}>'
        try:
            TimeScale("us").stamp(literal)
        except (NotAStamp, OutOfRange):
            continue
    return Outcome.READ if any(known) else Outcome.REFUSED


def _pattern(data: bytes, _: Path) -> Outcome:
    text, _nul, flags = data.decode("utf-8", "replace").partition("\0")
    try:
        found = compile_pattern(text, flags)
        found.search(_TEXT)
        found.replace(_TEXT, "$0-$1")
    except RegexError:
        return Outcome.REFUSED
    return Outcome.READ


def _snapshot(data: bytes, folder: Path) -> Outcome:
    path = folder / "it.r4"
    path.write_bytes(data)
    try:
        engine = Engine.load(path, _RULES.decode())
    except SnapshotError:
        return Outcome.REFUSED
    engine.finish(None)
    list(engine.changes())
    return Outcome.READ


def _live_model(data: bytes, folder: Path) -> Outcome:
    path = folder / "it.model"
    path.write_bytes(data)
    try:
        found = load_model(path, parse_program(_LIVE))
    except SnapshotError:
        return Outcome.REFUSED
    found.model().period_lines()
    return Outcome.READ


def _folder(data: bytes, folder: Path) -> Outcome:
    """A loaded folder one file of which is replaced: its name, NUL, its bytes."""
    into = folder / "loaded"
    if not into.exists():
        shutil.copytree(_made().folder, into)
    name, _, content = data.partition(b"\0")
    known = _made().files.get(name)
    if known is None:
        return Outcome.REFUSED
    path = into / name.decode()
    path.write_bytes(content)
    try:
        terms = Dictionary()
        opened = LoadedFolder(str(into), 2)
        for rows in opened.rows_on(terms, None):
            terms.decode_many(rows.ravel())
        opened.counts()
    except InputError:
        return Outcome.REFUSED
    finally:
        path.write_bytes(known)
    return Outcome.READ


@dataclass(frozen=True, slots=True)
class _Files:
    """What R4 writes and reads again.

    Attributes:
        snapshot, model, parquet: a snapshot, the state of a live model, answers as Parquet.
        folder: a loaded folder, there as long as this process.
        files: its files, place in it → bytes.
    """

    snapshot: bytes
    model: bytes
    parquet: bytes
    folder: Path
    files: Mapping[bytes, bytes]
    keeps: TemporaryDirectory[str]


@cache
def _made() -> _Files:
    keeps = TemporaryDirectory()
    place = Path(keeps.name)
    engine = Engine.from_text(_RULES.decode(), order="arrival", delay=2, journal=10)
    for at in range(4):
        engine.add(
            [(URIRef(f"urn:n{at}"), URIRef("urn:p"), URIRef(f"urn:n{at + 1}"))],
            at=at,
            name=f"urn:{at}",
        )
    engine.retract(name="urn:2", at=4)
    engine.save(place / "engine.r4")
    program, terms = parse_program(_LIVE), Dictionary()
    facts = BulkLoader(terms, arities(program))
    facts.text([b"P(a)@0\nP(b)@[1,3]\n"])
    save_model(place / "model", LiveModel(program, facts.data(), terms))
    (place / "a.nt").write_text(
        '<urn:a> <urn:p> "b" .\n_:x <urn:p> _:y .\n<urn:a> <urn:q> "1"@en .\n', "utf-8"
    )
    with (
        patch.object(term_columns, "ROOM", 64),
        patch.object(loader, "ROOM", 64),
        patch.object(term_columns, "TEXT_ROOM", 512),
    ):
        load = BulkLoad(place / "loaded", LocalUnitRunner())
        load.finish(load.read(find_inputs([str(place / "a.nt")])))
    rules, stream, answers = place / "r.rif", place / "s.nq", place / "a.parquet"
    rules.write_bytes(_RULES)
    stream.write_bytes(samples.NQUADS[0])
    call(["run", str(rules), str(stream), "--output", str(answers), "--drain"])
    files = [place / "loaded/_SUCCESS", *(place / "loaded/mapped").rglob("*")]
    return _Files(
        (place / "engine.r4").read_bytes(),
        (place / "model").read_bytes(),
        answers.read_bytes(),
        place / "loaded",
        {
            str(path.relative_to(place / "loaded")).encode(): path.read_bytes()
            for path in sorted(files)
            if path.is_file()
        },
        keeps,
    )


_PARQUET_COLUMNS: Final = ("s", "p", "o", "from")


def _parquet(data: bytes, folder: Path) -> Outcome:
    """Lines whose fields, between tabs, become the columns of a Parquet file, which is read."""
    rows = [line.split("\t") for line in data.decode("utf-8", "replace").split("\n")]
    columns = {
        name: [row[place] if place < len(row) else None for row in rows]
        for place, name in enumerate(_PARQUET_COLUMNS)
    }
    path = folder / "columns.parquet"
    parquet.write_table(pa.table(columns), path)
    return _stream(".parquet")(path.read_bytes(), folder)


def _text_reader(read: Read, given: Sequence[bytes]) -> Reader:
    return Reader(read, given, samples.words(given))


@cache
def _made_readers() -> dict[str, Reader]:
    files = _made()
    parts = [name + b"\0" + content for name, content in files.files.items()]
    return {
        "snapshot": Reader(_snapshot, [files.snapshot]),
        "live-model": Reader(_live_model, [files.model]),
        "loaded-folder": Reader(_folder, parts),
        "parquet-file": Reader(_stream(".parquet"), [files.parquet]),
    }


class _Readers(Mapping[str, Reader]):
    """The readers of texts, and those of files that R4 writes once one of them is asked for."""

    def __init__(self, texts: Mapping[str, Reader]) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        yield from self._texts
        yield from ("snapshot", "live-model", "loaded-folder", "parquet-file")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Reader:
        return self._texts[name] if name in self._texts else _made_readers()[name]


_TEXTS: Final[Mapping[str, Reader]] = {
    "rules": _text_reader(_command(".rif", "check", "{it}"), samples.RULES),
    "rules-xml": _text_reader(_command(".rif", "check", "{it}"), samples.RULES_XML),
    "rules-convert": _text_reader(
        _command(".rif", "convert", "{it}", "{folder}/out.xml"),
        [*samples.RULES, *samples.RULES_XML],
    ),
    "conclusion": _text_reader(
        _command(".rif", "entails", "{rules_rif}", "{it}", others={"rules_rif": _RULES}),
        [*samples.CONCLUSIONS, samples.RULES[-3]],
    ),
    "n-quads": _text_reader(_stream(".nq"), samples.NQUADS),
    "n-quads-values": _text_reader(
        _stream(".nq", "--literals", "value", "--order", "arrival", "--include-input"),
        samples.NQUADS,
    ),
    "n-triples": _text_reader(_static(".nt"), [*samples.NQUADS, *samples.TURTLE]),
    "trig": _text_reader(_stream(".trig"), samples.TRIG),
    "turtle": _text_reader(_static(".ttl"), samples.TURTLE),
    "turtle-stream": _text_reader(
        _stream(".ttl", "--time-predicate", "urn:p"), [*samples.TURTLE, *samples.NQUADS]
    ),
    "rdf-xml": _text_reader(_static(".rdf"), samples.RDF_XML),
    "json-ld": _text_reader(_static(".jsonld"), samples.JSON_LD),
    "json-ld-stream": _text_reader(
        _stream(".jsonld", "--time-predicate", "urn:p"), samples.JSON_LD
    ),
    "json-ld-lines": _text_reader(_stream(".ndjsonld"), samples.JSON_LD),
    "rdf-patch": _text_reader(_stream(".rdfp"), samples.RDF_PATCH),
    "answers": _text_reader(_stream(".jsonl"), samples.ANSWERS),
    "contexts": _text_reader(
        _command(
            ".json",
            *("run", "{rules_rif}", "{data_ndjsonld}", "--context", "urn:c={it}"),
            others={"rules_rif": _RULES, "data_ndjsonld": samples.WITH_CONTEXT},
        ),
        samples.CONTEXTS,
    ),
    "parquet": _text_reader(_parquet, samples.COLUMNS),
    "csv": _text_reader(_csv, samples.CSV),
    "csv-rows": _text_reader(_table(".csv"), samples.CSV),
    "tsv": _text_reader(_table(".tsv"), samples.TSV),
    "ndjson": _text_reader(_table(".ndjson"), samples.NDJSON),
    "mapping": _text_reader(_mapping, samples.MAPPINGS),
    "configuration": _text_reader(
        _command(".toml", "run", "--config", "{it}", "--print-config"), samples.CONFIGURATIONS
    ),
    "mtl-rules": _text_reader(_command(".txt", "mtl", "check", "{it}"), samples.MTL_RULES),
    "mtl-facts": _text_reader(
        _command(
            ".txt",
            *("mtl", "materialise", "{rules_txt}", "{it}", "--skip-bad", "--only", "A"),
            others={"rules_txt": _MTL.encode()},
        ),
        samples.MTL_FACTS,
    ),
    "mtl-tables": _text_reader(
        _command(
            ".csv",
            *("mtl", "materialise", "{rules_txt}", "{it}", "--skip-bad"),
            others={"rules_txt": _MTL.encode()},
            name="Z",
        ),
        samples.MTL_TABLES,
    ),
    "temporal-datalog": _text_reader(
        _command(
            ".txt",
            *("hypothesise", "{it}", "--query", "Goal(X,T)", "{facts_txt}", "--depth", "20"),
            others={"facts_txt": samples.HYP_FACTS[0]},
        ),
        [rules + b"\n" + _HYP for rules in samples.HYP_RULES],
    ),
    "arrivals": _text_reader(
        _command(
            ".txt",
            *("hypothesise", "{rules_txt}", "--query", "Goal(X,T)", "{it}", "--delay", "2"),
            others={"rules_txt": _HYP},
        ),
        samples.HYP_FACTS,
    ),
    "durations": _text_reader(_duration, samples.DURATIONS),
    "literals": _text_reader(_literal, samples.DATES),
    "patterns": _text_reader(_pattern, samples.PATTERNS),
}
READERS: Final[Mapping[str, Reader]] = _Readers(_TEXTS)
"""By name."""
