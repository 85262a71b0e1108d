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
_FORMATS: Final = (
    (re.compile(rb'\{"op":'), True, "answers of R4: give -i jsonl"),
    (_JSON_LD, True, "JSON-LD: give -i ndjsonld, if each line is a document"),
    (
        _JSON,
        False,
        "JSON: give -i ndjson --mapping FILE if each line is an object, or -i ndjsonld",
    ),
    (_XML, False, "RDF/XML: give -i rdfxml, or a file .rdf"),
    (_BLOCKS, True, "TriG: give -i trig"),
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


def named_format(line: bytes, *, is_first: bool) -> str:
    """The format that a line looks like, and the options that read it; "" if it is like none.

    Args:
        line: one of the first `FIRST_LINES`, no N-Quads.
        is_first: whether it is the first one, which alone tells tables and whole documents.
    """
    for pattern, tells_later, said in _FORMATS:
        if (is_first or tells_later) and pattern.match(line):
            return said
    return ""
