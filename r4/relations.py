"""Relations with a meaning of their own: inconsistency, what is asserted, the state."""

from __future__ import annotations

from typing import Final

from rete.plan import Relation
from rif.terms import IRI, RIF

ERROR: Final = Relation(str(IRI(RIF + "error")), 0)
"""The relation of ``rif:error()``: it says that the state is inconsistent."""

# Predicates are IRIs in angle brackets, so these are none.
INPUT: Final = Relation("input", 3)
"""Asserted triples, as they were asserted."""
STATE: Final = Relation("state", 3)
"""Triples that hold: the answers."""
SPELLED: Final = Relation("spelled", 3)
"""Asserted triples with terms that are the same as others, as they were asserted.

The base table has them of representatives, where two triples of an element may be one.
"""
