"""What an input is by its name: its format, by option, suffix or extension, and its mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from r4.errors import InputError
from r4.extras import extension_names, scheme_of
from r4.rdf.documents import SUFFIXES, Format, RdfDocument
from r4.rdf.files import STDIN, plain_suffix
from r4.rdf.format_detection import HEAD
from r4.rdf.format_hints import answers_hint, looks_like_answers

GROUP: Final = "r4.sources"
"""The group of entry points of sources."""

INPUT_FORMATS: Final[Mapping[str, Format]] = {
    "nquads": Format.N_QUADS,
    "ntriples": Format.N_TRIPLES,
    "trig": Format.TRIG,
    "turtle": Format.TURTLE,
    "rdfxml": Format.RDF_XML,
    "jsonld": Format.JSON_LD,
    "ndjsonld": Format.JSON_LD_LINES,
    "jsonl": Format.ANSWERS,
    "patch": Format.RDF_PATCH,
    "csv": Format.CSV,
    "tsv": Format.TSV,
    "ndjson": Format.NDJSON,
    "parquet": Format.PARQUET,
}
"""The formats by the names that users give them."""

INPUT_SUFFIXES: Final[Mapping[str, Format]] = {
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".ndjson": Format.NDJSON,
    ".parquet": Format.PARQUET,
    ".ndjsonld": Format.JSON_LD_LINES,
}
"""Formats that only a run reads, by the suffix beneath that of a compression."""


@dataclass(frozen=True, slots=True)
class InputFormats:
    """What a user says about inputs, where their names do not say it.

    Attributes:
        default: the format of standard input, and of files whose suffix is of no format; None:
            N-Quads.
        by_place: the formats of single documents, whatever their suffixes are.
        mapping: the file that says what the columns of tables mean; None: there is none.
        mapping_by_place: that of single tables.
        can_be_named: whether the user can name formats and mappings: then a document without a
            format is refused if it looks like another one than N-Quads, and a table without a
            mapping is.
    """

    default: Format | None = None
    by_place: Mapping[str, Format] = field(default_factory=dict)
    mapping: str | None = None
    mapping_by_place: Mapping[str, str] = field(default_factory=dict)
    can_be_named: bool = False


SUFFIXES_ALONE: Final = InputFormats()
"""The user names no format."""


def format_by_name(place: str, formats: InputFormats) -> Format | None:
    """The format that a user names for an input, or its suffix; None: `InputFormats.default`.

    With a scheme of another package it is an extension, whatever format its payloads have.
    """
    key = extension_key(place)
    is_extension = key is not None and key in extension_names(GROUP)
    if place in formats.by_place and not (is_extension and scheme_of(place)):
        return formats.by_place[place]
    if is_extension:
        return Format.EXTENSION
    if place == STDIN:
        return None
    if Path(place).is_dir():
        return Format.LOADED
    suffix = plain_suffix(place)
    return INPUT_SUFFIXES.get(suffix, SUFFIXES.get(suffix))


def _hint_of_answers(place: str) -> str:
    """What reads a table that has answers of R4 in place of rows; "" if it has rows, or a pipe."""
    if place == STDIN or not Path(place).is_file():
        return ""
    try:
        with Path(place).open("rb") as file:
            found = looks_like_answers(file.read(HEAD))
    except OSError:  # as the run will say once it has a mapping
        return ""
    return f"; {answers_hint(place)}" if found else ""


def find_document(place: str, number: int, formats: InputFormats = SUFFIXES_ALONE) -> RdfDocument:
    """The stream or static document that a user names: a file, or what an extension can read.

    Raises:
        InputError: no installed package reads its scheme, or it is a table without
            a mapping.
    """
    found = format_by_name(place, formats)
    scheme = scheme_of(place)
    if scheme is not None and found is not Format.EXTENSION and not Path(place).exists():
        message = f"{place}: no installed package reads {scheme}: (docs/connectors.md)"
        raise InputError(message)
    if found is None:
        document = RdfDocument.of(place, number, formats.default)
    else:
        document = RdfDocument(place, number, found)
    if document.format is Format.EXTENSION:
        asked = formats.by_place.get(place, formats.default)
        mapping = formats.mapping_by_place.get(place, formats.mapping)
        return replace(document, asked=asked, mapping=mapping)
    if document.format.is_table:
        mapping = formats.mapping_by_place.get(place, formats.mapping)
        if mapping is None and formats.can_be_named and document.format is not Format.PARQUET:
            table = f"{document.name}: {document.format.value}"
            message = f"{table} needs --mapping FILE (docs/tables.md){_hint_of_answers(place)}"
            raise InputError(message)
        return replace(document, mapping=mapping)
    if document.format is Format.N_QUADS and plain_suffix(place) not in SUFFIXES:
        named = place in formats.by_place or formats.default is not None
        return replace(document, unnamed=formats.can_be_named and not named)
    return document


def extension_key(place: str) -> str | None:
    """The name of the entry point for a place; None: only what R4 has can read it."""
    if scheme := scheme_of(place):
        return f"{scheme}:"
    suffix = plain_suffix(place) if place != STDIN else ""
    return suffix if suffix and suffix not in SUFFIXES else None
