"""Format hints: what a line looks like that is no N-Quads, and how its format is named.

For documents whose format nobody has named: they are read as N-Quads, and refused if they are
something else.
"""

from __future__ import annotations

import re
from typing import Final

FIRST_LINES: Final = 10
"""Lines of a document that may tell its format: R4's TriG has stamps before the first block."""

_BLOCKS: Final = re.compile(
    rb"[ \t]*(?:@prefix\b|@base\b|prefix[ \t]|base[ \t]*<|graph[ \t]*[<_:]|<[^<>]*>[ \t]*\{|[{}])",
    re.IGNORECASE,
)
_JSON_LD: Final = re.compile(rb'[ \t]*\{.*"@(?:context|id|graph)"')
_JSON: Final = re.compile(rb'[ \t]*(?:\[|\{[ \t]*(?:"|\}?[ \t\r\n]*\Z))')
_PATCH: Final = re.compile(rb"[ \t]*(?:H[ \t]|T[XCA][ \t]*\.|P[AD][ \t]|[AD][ \t]+[<_])")
_XML: Final = re.compile(rb"[ \t]*<(?:\?xml|!DOCTYPE|!--|rdf:RDF)")
_FIELD: Final = rb"[^<>{}\[\]@#,;\t]+"
_ENDS: Final = rb"(?:[^<>{}\[\]@#]*[^<>{}\[\]@#. \t\r\n])?\s*\Z"
_ANSWERS: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{"op":"[+-]","at":')
_TRIG: Final = "TriG: give -i trig"
_TURTLE: Final = "give -i turtle"
"""What reads Turtle that is static."""
_BRACE: Final = re.compile(
    rb""" "{3}.*?(?:"{3}|\Z) | '{3}.*?(?:'{3}|\Z) | "(?:[^"\\\r\n]|\\.)*+"?
        | '(?:[^'\\\r\n]|\\.)*+'? | <[^<>"{}\s]*+>? | \#[^\r\n]*+ | (\{) """,
    re.VERBOSE | re.DOTALL,
)
"""What may have a brace in it, to its end or without one, so that each byte is looked at once."""
_MOST: Final = 1 << 16
"""Bytes of a text in which a graph should begin."""
_FORMATS: Final = (
    (re.compile(rb'\{"op":'), True, "answers of R4: give -i jsonl"),
    (_JSON_LD, True, "JSON-LD: give -i ndjsonld, if each line is a document"),
    (
        _JSON,
        False,
        "JSON: give -i ndjson --mapping FILE if each line is an object, or -i ndjsonld",
    ),
    (_XML, False, "RDF/XML: give -i rdfxml, or a file .rdf"),
    (_BLOCKS, True, _TRIG),
    (_PATCH, False, "RDF Patch: give -i patch"),
    (re.compile(_FIELD + rb"\t" + _ENDS), False, "TSV: give -i tsv --mapping FILE"),
    (re.compile(_FIELD + rb"[,;]" + _ENDS), False, "CSV: give -i csv --mapping FILE"),
)
"""How a line begins, whether later lines than the first tell it, and what is said."""


def looks_like_answers(head: bytes) -> bool:
    """Whether a document that begins so is R4's JSON lines."""
    return _ANSWERS.match(head) is not None


def answers_hint(path: str) -> str:
    """What reads a file of R4's JSON lines whose suffix says something else."""
    return f"this looks like answers of R4: give -i jsonl={path}"


def has_blocks(line: bytes) -> bool:
    """Whether a line begins as lines of Turtle or TriG do, and no line of N-Quads does."""
    return _BLOCKS.match(line) is not None


def has_graphs(text: bytes) -> bool:
    """Whether a text of Turtle or TriG has a brace outside of IRIs, strings and comments."""
    return any(found[1] for found in _BRACE.finditer(text[:_MOST]))


def turtle_stream_hint(*, is_piped: bool, has_time: bool) -> str:
    """What reads Turtle as a stream, or TriG of which no graph has come yet.

    ``is_piped``: it comes from standard input, where it cannot be read whole.
    """
    place = ", and a file or <(COMMAND) in place of -" if is_piped else ""
    time = "" if has_time else ", with --time-predicate IRI"
    return f"{_TURTLE}{place}{time}; if it is TriG, give -i trig"


def named_format(line: bytes, rest: bytes, *, is_first: bool, turtle_hint: str = _TURTLE) -> str:
    """The format that a line looks like, and the options that read it; "" if it is like none.

    It is one of the first `FIRST_LINES`, and no N-Quads; ``rest`` begins with it. The first one
    alone tells tables and whole documents.
    """
    for pattern, tells_later, said in _FORMATS:
        if (is_first or tells_later) and pattern.match(line):
            return f"Turtle: {turtle_hint}" if said is _TRIG and not has_graphs(rest) else said
    return ""
