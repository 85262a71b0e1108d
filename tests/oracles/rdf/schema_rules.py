"""What a static schema means for triples, as one rule for each of its statements.

[RDF 1.1 Semantics, 9] and [OWL 2 Profiles, 4.3], where rules match neither the vocabulary of RDF,
RDFS and OWL itself, nor a class or property by a variable: then nothing else of a regime matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.ast import Constant, Formula, Frame, Term, Var
from rif.syntax.terms import IRI, OWL, RDF_TYPE, Variable
from tests.oracles.rdf.rule_tables import RDFS
from tests.oracles.rules.datalog import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rif.syntax.terms import GroundTerm
    from tests.oracles.rdf.rule_tables import Triple

TYPE = IRI(RDF_TYPE)
SUB_CLASS, SUB_PROPERTY = IRI(RDFS + "subClassOf"), IRI(RDFS + "subPropertyOf")
DOMAIN = IRI(RDFS + "domain")
SYMMETRIC, INVERSE = IRI(OWL + "SymmetricProperty"), IRI(OWL + "inverseOf")
SCHEMA = {
    "none": (),
    "rdf": (),
    "rdfs": (SUB_CLASS, SUB_PROPERTY, DOMAIN),
    "owl-rl": (SUB_CLASS, SUB_PROPERTY, DOMAIN, INVERSE, SYMMETRIC),
}
"""What a regime gives a meaning."""


def schema_rules(regime: str, triples: Iterable[Triple]) -> list[Rule]:
    """The rules that the triples stand for; their numbers are negative."""
    found: list[tuple[Formula, Formula]] = []
    x, y = Var(Variable("x")), Var(Variable("y"))
    for s, p, o in triples:
        if p not in SCHEMA[regime] and not (p == TYPE and o in SCHEMA[regime]):
            continue
        if p == SUB_CLASS:
            found.append((_frame(x, TYPE, Constant(o)), _frame(x, TYPE, Constant(s))))
        elif p == SUB_PROPERTY:
            found.append((_frame(x, o, y), _frame(x, s, y)))
        elif p == DOMAIN:
            found.append((_frame(x, TYPE, Constant(o)), _frame(x, s, y)))
        elif p == INVERSE:
            found += [(_frame(y, o, x), _frame(x, s, y)), (_frame(y, s, x), _frame(x, o, y))]
        else:
            found.append((_frame(y, s, x), _frame(x, s, y)))
    return [Rule(-n, f"schema {n}", (head,), body) for n, (head, body) in enumerate(found, 1)]


def _frame(s: Term, p: GroundTerm, o: Term) -> Frame:
    return Frame(s, ((Constant(p), o),))
