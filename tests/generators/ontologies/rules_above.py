"""Random rules of a user over random axioms, some of them static and some in a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Term,
    Var,
)
from rif.syntax.terms import IRI, OWL, RDF_TYPE, RIF, Variable
from rif.syntax.traversal import free_variables
from rif.values.datatypes import value_of
from tests.generators.ontologies.axioms import CLASSES, EX, INDIVIDUALS, PROPERTIES
from tests.generators.ontologies.graphs import OWL_AXIOMS, RDFS_AXIOMS, graph_of
from tests.oracles.rdf.rule_tables import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rif.syntax.terms import GroundTerm
    from tests.generators.draw import Draw
    from tests.oracles.rdf.rule_tables import Triple

TYPE, SAME, SUB = IRI(RDF_TYPE), IRI(OWL + "sameAs"), NAMES["subClassOf"]
Clause = Forall | Implies | Formula
MADE, ATOM, ERROR = IRI(EX + "made"), IRI(EX + "atom"), IRI(RIF + "error")


@dataclass(frozen=True, slots=True)
class Layered:
    """A run.

    Attributes:
        regime: the name of the background.
        rules: rules and facts of the user.
        static: triples that always hold.
        elements: when a triple begins to hold, its own end, itself; in the order of arrival.
        window, delay: ticks.
        batch: so many elements arrive together.
    """

    regime: str
    rules: tuple[Clause, ...]
    static: tuple[Triple, ...]
    elements: tuple[tuple[int, int | None, Triple], ...]
    window: int | None
    delay: int
    instances: bool
    batch: int


def layered(draw: Draw) -> Layered:
    """A run in which user rules and background often meet."""
    regime = draw.weighted((8, "owl-rl"), (2, "rdfs"), (1, "rdf"), (1, "d"))
    graph = graph_of(draw, OWL_AXIOMS if regime == "owl-rl" else RDFS_AXIOMS)
    for _ in range(draw.integer(0, 3)):
        pool = draw.weighted((6, INDIVIDUALS), (1, CLASSES), (1, PROPERTIES))
        graph.append((draw.choice(pool), SAME, draw.choice(pool)))
    share, span = draw.choice([0, 30, 60, 90]), draw.choice([4, 8, 14])
    static: list[Triple] = []
    elements: list[tuple[int, int | None, Triple]] = []
    for s, p, o in graph:
        triple = value_of(s), value_of(p), value_of(o)
        if draw.chance(80 if p == SAME else share):
            static.append(triple)
            continue
        for _ in range(draw.integer(1, 3)):
            at = draw.integer(0, span)
            elements.append((at, at + draw.integer(1, 6) if draw.chance(20) else None, triple))
    delay = draw.choice([0, 2])
    elements.sort(key=lambda element: element[0] + draw.integer(0, delay))
    return Layered(
        regime,
        tuple(clause(draw) for _ in range(draw.integer(1, 4))),
        tuple(static),
        tuple(elements),
        draw.choice([1, 2, 3, 5, 8, None]),
        delay,
        draw.chance(40),
        draw.choice([1, 3, 100]),
    )


def document(rules: Sequence[Clause]) -> Document:
    """The document of ``rules``."""
    return Document(group=Group(tuple(rules)))


def parts_of(rule: Clause) -> tuple[tuple[Formula, ...], Formula] | None:
    """Heads and body of a rule; None of a fact."""
    clause = rule.clause if isinstance(rule, Forall) else rule
    return (clause.head, clause.body) if isinstance(clause, Implies) else None


def closed(heads: tuple[Formula, ...], body: Formula) -> Forall | Implies:
    """The rule with its variables declared."""
    names = sorted({name for part in (*heads, body) for name in free_variables(part)})
    rule = Implies(heads, body)
    return Forall(tuple(map(Variable, names)), rule) if names else rule


def clause(draw: Draw) -> Clause:
    """A rule or a fact of the user."""
    if draw.chance(10):
        key = draw.choice([*PROPERTIES, SAME])
        return _frame(draw.choice(INDIVIDUALS), key, draw.choice(INDIVIDUALS))
    names = "xyzw"[: draw.integer(2, 4)]
    body = And(tuple(_condition(draw, names) for _ in range(draw.choice([1, 1, 2, 2, 3]))))
    bound = sorted(free_variables(body))
    return closed(tuple(_head(draw, bound) for _ in range(draw.choice([1, 1, 1, 2]))), body)


def _frame(s: GroundTerm, p: GroundTerm, o: GroundTerm) -> Frame:
    return Frame(Constant(s), ((Constant(p), Constant(o)),))


def _condition(draw: Draw, names: str) -> Formula:
    def variable() -> Term:
        return Var(Variable(draw.choice(names)))

    if draw.chance(12):
        return Atom(ATOM, (variable(),))
    key: Term = variable()
    if not draw.chance(5):
        words = [(6, draw.choice(PROPERTIES)), (4, TYPE), (2, SAME), (1, SUB), (2, MADE)]
        key = Constant(draw.weighted(*words))
    if key == Constant(TYPE) and draw.chance(60):
        return Frame(variable(), ((key, Constant(draw.choice(CLASSES))),))
    subject = Constant(draw.choice(INDIVIDUALS)) if draw.chance(10) else variable()
    return Frame(subject, ((key, variable()),))


def _head(draw: Draw, bound: Sequence[str]) -> Formula:
    def term(pool: Sequence[GroundTerm]) -> Term:
        some = bound and draw.chance(85)
        return Var(Variable(draw.choice(bound))) if some else Constant(draw.choice(pool))

    kind = draw.weighted((6, "made"), (2, "type"), (2, "atom"), (1, "same"), (1, "sub"), (1, "any"))
    if kind == "atom":
        error = draw.chance(25)
        return Atom(ERROR, ()) if error else Atom(ATOM, (term(INDIVIDUALS),))
    if kind == "type":
        return Frame(term(INDIVIDUALS), ((Constant(TYPE), Constant(draw.choice(CLASSES))),))
    if kind == "sub":
        return Frame(term(CLASSES), ((Constant(SUB), term(CLASSES)),))
    keys = {"made": Constant(draw.choice([MADE, MADE, *PROPERTIES])), "same": Constant(SAME)}
    key = keys.get(kind) or term(PROPERTIES)
    return Frame(term(INDIVIDUALS), ((key, term(INDIVIDUALS)),))
