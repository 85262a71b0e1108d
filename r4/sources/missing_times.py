"""What graphs lack that are given as streams: the predicate of times, or the time of some subjects.

Triples of subjects without a time are static, which is right for what describes sensors, places and
units. So there is a warning only where a subject looks like an element: it has a class that
elements have; or it has no class and no element refers to it, but it has a predicate that elements
have.
"""

from __future__ import annotations

import shlex
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from r4.errors import Flaw, InputError, SourceLost
from r4.prefixes import COMMON_NAMES
from r4.property_paths import path_option, shown_path, steps_of
from r4.rdf.chunks import LineNumbers, StatementFault
from r4.rdf.documents import RdfDocument, read_chunks
from r4.stream.elements.segmentation import OBJECT, PREDICATE, SUBJECT
from r4.stream.elements.time_predicates import TimePredicates
from r4.stream.source import START_PREDICATE
from rete.arrays.delta import Column, Rows, distinct
from rete.arrays.state_codec import Mask
from rete.drawing.names import Names
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import OWL, RDF, RDF_TYPE

_LARGEST: Final = 64 << 20
"""Bytes of a file that is read for a hint."""
_CHUNKS: Final = 64
"""Chunks of it that are looked at."""
_ANY: Final = tuple(
    f"<{namespace}"
    for namespace in (
        RDF,
        OWL,
        "http://www.w3.org/2000/01/rdf-schema#",
        "http://www.w3.org/2004/02/skos/core#",
        "http://purl.org/dc/",
    )
)
"""How predicates and classes begin that anything may have."""


def named_times(path: str, end: str | None) -> str:
    """That a predicate or a ``path``, in brackets, has times, and the options that name it.

    ``end`` is the one of ends, if there is one.
    """
    steps = steps_of(path)
    value = path_option(steps, COMMON_NAMES)
    option = end_option(end, COMMON_NAMES)
    return f"{shown_path(steps, COMMON_NAMES)} has times: --time-predicate {value}{option}"


def end_option(end: str | None, names: Names) -> str:
    """The option that names a predicate or path of ends, behind others; "": there is none."""
    return "" if end is None else f" --end-predicate {path_option(steps_of(end), names)}"


def time_hint(document: RdfDocument) -> str:
    """The predicate that has times in the beginning of a graph, or that none has; ``""``: unknown.

    Reads it, if it is a file that is not too large.
    """
    path = Path(document.path)
    if not path.is_file() or path.stat().st_size > _LARGEST:
        return ""
    terms, found, count = Dictionary(), TimePredicates(), 0
    try:
        with closing(document.open()) as source:
            for chunk in islice(read_chunks(document, source, terms), _CHUNKS):
                rows = chunk.rows[chunk.rows[:, 0] > 0]
                count += len(rows)
                found.note(rows, terms)
    except (InputError, SourceLost):
        return ""
    likely = found.likely(f"<{START_PREDICATE}>")
    if likely is not None:
        return f"; {named_times(likely, found.likely_end(likely))}"
    if not count:
        return ""
    return f"; no predicate of it has times: is it --static {shlex.quote(document.path)}?"


class TimedSubjects(NamedTuple):
    """The subjects with a time, (n,) ids, and the predicate or path of that, as it is shown."""

    subjects: Column
    predicate: str


def timeless_subjects(
    rows: Rows, static: Mask, timed: TimedSubjects, terms: Dictionary, lines: LineNumbers
) -> list[StatementFault]:
    """The warning about subjects without a time that look like elements, if there are any.

    Of ``rows``, (n, 4), those of a mask, (n,), are ``static``: of no element. Costs O(n log n).
    """
    kind = terms.lookup(f"<{RDF_TYPE}>")
    of_timed = np.isin(rows[:, SUBJECT], timed.subjects)
    has_class = rows[:, PREDICATE] == kind
    classes = _telling(rows[of_timed & has_class, OBJECT], terms)
    predicates = _telling(rows[of_timed, PREDICATE], terms)
    alike = static & has_class & np.isin(rows[:, OBJECT], classes)
    described = np.concatenate([rows[static & has_class, SUBJECT], rows[of_timed, OBJECT]])
    alike |= (
        static & np.isin(rows[:, PREDICATE], predicates) & ~np.isin(rows[:, SUBJECT], described)
    )
    found = np.flatnonzero(alike)
    if not len(found):
        return []
    first = int(found[0])
    count = len(distinct(rows[found, SUBJECT]))
    shared = "a class" if has_class[first] else "a predicate"
    subject = terms.decode(int(rows[first, SUBJECT]))
    which = terms.decode(int(rows[first, OBJECT if has_class[first] else PREDICATE]))
    subjects = "1 subject has" if count == 1 else f"{count:,} subjects have"
    message = (
        f"warning: {subjects} no {timed.predicate}, such as {subject}, "
        f"but {shared} of subjects that have it, {which}: without a time they hold always"
    )
    return [StatementFault(Flaw.NO_TIME, 0, lines.line_of(first), message)]


def _telling(ids: Column, terms: Dictionary) -> Column:
    """The distinct ones of ``ids`` that not just anything may have."""
    some = distinct(ids)
    texts = terms.decode_many(np.ascontiguousarray(some))
    return some[[not text.startswith(_ANY) for text in texts]]
