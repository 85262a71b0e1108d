"""The built-in functions and predicates of RIF-DTB and R4's own, one file per group.

`BUILTINS` maps the IRI of each that is evaluated here to its `Builtin`; `DTB` has the number of
arguments of all others, so that a rule which uses one is told apart from a misspelt one. A new
group is a file with a table ``BUILTINS`` and a line in `_GROUPS`.

| file | what is in it |
|---|---|
| `signatures` | what a built-in is; names and numbers of arguments of those of the standard |
| `guards` | whether a term is of a datatype; predicates of terms of any datatype |
| `casts` | the functions that are named as a datatype |
| `numeric`, `booleans`, `strings`, `lists` | functions and predicates of these values |
| `regular_expressions` | matching and replacing; language ranges |
| `dates` | dates and times: comparison, difference, parts, addition of durations |
| `durations` | arithmetic and comparison of durations |
| `rdf_literals` | rdf:PlainLiteral and rdf:XMLLiteral |
| `operators` | `<`, `=`, `+` and the like of values of any kind; R4's own |
| `sparql` | functions of SPARQL 1.1 that the standard lacks; R4's own |
| `extensions`, `mathematics` | R4's own, which are no part of the standard |
| `python_functions` | a Python function as a built-in |
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
    mathematics,
    numeric,
    operators,
    rdf_literals,
    regular_expressions,
    sparql,
    strings,
)
from rif.builtins.signatures import DTB, Builtin, Outcome, Signature

_GROUPS = (
    booleans.BUILTINS,
    casts.BUILTINS,
    durations.BUILTINS,
    guards.BUILTINS,
    lists.BUILTINS,
    regular_expressions.BUILTINS,
    dates.BUILTINS,
    numeric.BUILTINS,
    extensions.BUILTINS,
    mathematics.BUILTINS,
    operators.BUILTINS,
    rdf_literals.BUILTINS,
    sparql.BUILTINS,
    strings.BUILTINS,
)

BUILTINS: Final[Mapping[str, Builtin]] = MappingProxyType(
    {builtin.name: builtin for group in _GROUPS for builtin in group}
)
"""IRI of a built-in to what it does."""

__all__ = ["BUILTINS", "DTB", "Builtin", "Outcome", "Signature"]
