"""Is a term a literal of a datatype, or of others only [RIF-DTB 4.2, 4.3]?

Values decide, not how the literal is typed: see `rif.builtins.spaces`. What has no value in a
datatype of RIF-DTB (IRIs, local constants, blank nodes, lists, literals of unknown datatypes or
outside their lexical space) is neither of a datatype nor not of it: both guards are false.
"""

from __future__ import annotations

from rif.builtins.dtb import DATATYPES
from rif.builtins.spaces import PLAIN_LITERAL, datatypes_of
from rif.builtins.table import Builtin
from rif.terms import PRED, RDF, XSD, GroundTerm, Literal


def _guard(name: str, datatype: str, *, belongs: bool) -> Builtin:
    def evaluate(term: GroundTerm) -> bool:
        found = datatypes_of(term) if isinstance(term, Literal) else frozenset()
        return bool(found) and (datatype in found) == belongs

    return Builtin(PRED + name, "predicate", 1, 1, evaluate)


_IRIS = {name: XSD + name for name in DATATYPES} | {
    "PlainLiteral": PLAIN_LITERAL,
    "XMLLiteral": RDF + "XMLLiteral",
}

BUILTINS: tuple[Builtin, ...] = (
    *(_guard(f"is-literal-{name}", iri, belongs=True) for name, iri in _IRIS.items()),
    *(_guard(f"is-literal-not-{name}", iri, belongs=False) for name, iri in _IRIS.items()),
)
