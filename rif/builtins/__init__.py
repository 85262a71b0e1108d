"""The built-in functions and predicates of RIF-DTB, one file per group.

`BUILTINS` maps the IRI of each that is evaluated here to its `Builtin`; `DTB` has the number of
arguments of all others, so that a rule which uses one is told apart from a misspelt one. A new
group is a file with a table ``BUILTINS`` and a line in `_GROUPS`.

`table` says what a built-in is, `dtb` lists them all; `numeric`, `strings` and `terms` are groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rif.builtins import numeric, strings, terms
from rif.builtins.dtb import DTB, Signature
from rif.builtins.table import Builtin, Outcome

_GROUPS = (numeric.BUILTINS, strings.BUILTINS, terms.BUILTINS)

BUILTINS: Final[Mapping[str, Builtin]] = MappingProxyType(
    {builtin.name: builtin for group in _GROUPS for builtin in group}
)
"""IRI of a built-in to what it does."""

__all__ = ["BUILTINS", "DTB", "Builtin", "Outcome", "Signature"]
