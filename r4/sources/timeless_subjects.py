"""Subjects without a time that look like those with one: mostly the time is missing or misspelt.

Their triples are static, which is right for what describes sensors, places and units. So there is
a warning only where a subject looks like an element: it has a class that elements have; or it has
no class and no element refers to it, but it has a predicate that elements have.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from r4.errors import Flaw
from r4.rdf.chunks import LineNumbers, StatementFault
from r4.stream.elements.segmentation import OBJECT, PREDICATE, SUBJECT
from rete.arrays.delta import Column, Rows, distinct
from rete.arrays.state_codec import Mask
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import OWL, RDF

_TYPE: Final = f"<{RDF}type>"
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


def timeless_subjects(
    rows: Rows, static: Mask, start: int, terms: Dictionary, lines: LineNumbers
) -> list[StatementFault]:
    """The warning about such subjects, if there are any.

    Args:
        rows: (n, 4) the graph.
        static: (n,) which rows are of no element.
        start: The time predicate.
        terms: What ids mean.
        lines: Where the rows stand.

    Costs O(n log n).
    """
    kind = terms.lookup(_TYPE)
    timed = distinct(rows[rows[:, PREDICATE] == start, SUBJECT])
    of_timed = np.isin(rows[:, SUBJECT], timed)
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
        f"warning: {subjects} no {terms.decode(start)}, such as {subject}, "
        f"but {shared} of subjects that have it, {which}: without a time they hold always"
    )
    return [StatementFault(Flaw.NO_TIME, 0, lines.line_of(first), message)]


def _telling(ids: Column, terms: Dictionary) -> Column:
    """The distinct ones of ``ids`` that not just anything may have."""
    some = distinct(ids)
    texts = terms.decode_many(np.ascontiguousarray(some))
    return some[[not text.startswith(_ANY) for text in texts]]
