"""What a graph that is given as a stream lacks: the predicate of its times, or any time at all."""

from __future__ import annotations

import shlex
from itertools import islice
from pathlib import Path
from typing import Final

from r4.errors import InputError, SourceLost
from r4.prefixes import COMMON_NAMES, option_value
from r4.rdf.documents import RdfDocument, read_chunks
from r4.stream.elements.time_predicates import TimePredicates
from r4.stream.source import START_PREDICATE
from rete.terms.dictionary import Dictionary

_LARGEST: Final = 64 << 20
"""Bytes of a file that is read for a hint."""
_CHUNKS: Final = 64
"""Chunks of it that are looked at."""


def time_hint(document: RdfDocument) -> str:
    """The predicate that has times in the beginning of a graph, or that none has; ``""``: unknown.

    Reads it, if it is a file that is not too large.
    """
    path = Path(document.path)
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return ""
    terms, found, count = Dictionary(), TimePredicates(), 0
    try:
        source = document.open()
        try:
            for chunk in islice(read_chunks(document, source, terms), _CHUNKS):
                rows = chunk.rows[chunk.rows[:, 0] > 0]
                count += len(rows)
                found.note(rows, terms)
        finally:
            source.close()
    except (InputError, SourceLost):
        return ""
    likely = found.likely(f"<{START_PREDICATE}>")
    if likely is not None:
        iri = likely[1:-1]
        value = option_value(iri, COMMON_NAMES)
        return f"; {COMMON_NAMES.iri(iri)} has times: --time-predicate {value}"
    if not count:
        return ""
    return f"; no predicate of it has times: is it --static {shlex.quote(document.path)}?"
