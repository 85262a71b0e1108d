"""The built-in functions and predicates of RIF-DTB and R4's own, one file per group.

`BUILTINS` maps the IRI of each that is evaluated here to its `Builtin`; `DTB` has the number of
arguments of all others, so that a rule which uses one is told apart from a misspelt one. A new
group is a file with a table ``BUILTINS`` and a line in `_GROUPS`.

`table` says what a built-in is, `dtb` lists those of the standard, `spaces` knows the value spaces
of datatypes. Groups: `guards`, `casts` and `terms` of all datatypes; `numeric`, `booleans`,
`strings`, `matching` (regular expressions), `lists`, `plain` (rdf:PlainLiteral), `xmlliterals`; of
dates and times `fields`, `times` (comparisons and differences), `durations` and `moving`. `own` is
no part of the standard.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rif.builtins import (
    booleans,
    casts,
    dates,
    durations,
    extensions,
    guards,
    lists,
    numeric,
    rdf_literals,
    regular_expressions,
    strings,
)
from rif.builtins.signatures import DTB, Builtin, Outcome, Signature

_GROUPS = (
    booleans.BUILTINS,
    casts.BUILTINS,
    durations.BUILTINS,
    dates.PARTS,
    guards.GUARDS,
    lists.BUILTINS,
    regular_expressions.BUILTINS,
    dates.SHIFTS,
    numeric.BUILTINS,
    extensions.BUILTINS,
    rdf_literals.PLAIN_LITERAL,
    strings.BUILTINS,
    guards.TERM_PREDICATES,
    dates.COMPARISONS,
    rdf_literals.XML_LITERAL,
)

BUILTINS: Final[Mapping[str, Builtin]] = MappingProxyType(
    {builtin.name: builtin for group in _GROUPS for builtin in group}
)
"""IRI of a built-in to what it does."""

__all__ = ["BUILTINS", "DTB", "Builtin", "Outcome", "Signature"]
