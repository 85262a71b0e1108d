"""Triple selection: which triples a program can ask for, by the scans of its plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from r4.program.program import INPUT, Program
from rete.graph.plan import below
from rete.nodes.scan import Scan
from rete.terms.relations import TRIPLES

if TYPE_CHECKING:
    from r4.store.index import TripleSelection

_PREDICATE, _OBJECT = 1, 2


def selected_by(program: Program) -> TripleSelection | None:
    """What ``program`` asks for; None: all triples.

    Rules of a background may ask for anything, and say which terms are the same.
    """
    if program.background:
        return None
    found: TripleSelection = {}
    for scan in below(*(emit.source for emit in program.emits)):
        if not isinstance(scan, Scan) or scan.relation.undivided not in {INPUT, TRIPLES}:
            continue
        if scan.relation.undivided == INPUT:
            return None
        constants = dict(scan.constants)
        predicate = constants.get(_PREDICATE)
        if predicate is None:
            return None
        known = found.get(predicate, frozenset())
        value = constants.get(_OBJECT)
        found[predicate] = None if value is None or known is None else known | {value}
    return found
