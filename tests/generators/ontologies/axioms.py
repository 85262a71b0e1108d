"""Random axioms and assertions in the words of OWL and RDFS, about a few names.

The names are few so that axioms meet. Lists are complete, and no cell of one is named elsewhere.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, RDF, XSD, BlankNode, Literal
from tests.oracles.rdf.rule_tables import NAMES, Triple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rif.syntax.terms import GroundTerm
    from tests.generators.draw import Draw

EX = "http://e/"
INDIVIDUALS = [IRI(EX + name) for name in "abcd"]
CLASSES = [IRI(EX + name) for name in "CDE"]
PROPERTIES = [IRI(EX + name) for name in "pqr"]
RESTRICTIONS = [IRI(EX + name) for name in ("R1", "R2")]
LITERALS = [
    Literal("x"),
    Literal("x", RDF + "langString", "en"),
    Literal("1", XSD + "integer"),
    Literal("-300", XSD + "integer"),
    Literal("1.5", XSD + "decimal"),
    Literal("true", XSD + "boolean"),
]
"""In canonical form."""
ODD_LITERALS = [Literal("one", XSD + "integer"), Literal("x", EX + "datatype")]
_XSD = ("integer", "decimal", "string", "byte", "boolean", "negativeInteger")
DATATYPES = [IRI(XSD + name) for name in _XSD]
DATATYPES += [IRI(RDF + name) for name in ("PlainLiteral", "langString")]


class AxiomWriter:
    """Draws axioms and collects their triples."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.triples: list[Triple] = []
        self._blank = count(1)
        self.classes: list[GroundTerm] = [*CLASSES, *RESTRICTIONS]

    def add(self, s: GroundTerm, predicate: str | GroundTerm, o: GroundTerm) -> None:
        key = NAMES[predicate] if isinstance(predicate, str) else predicate
        self.triples.append((s, key, o))

    def blank(self) -> BlankNode:
        return BlankNode(f"b{next(self._blank)}")

    def individual(self) -> GroundTerm:
        return self.draw.choice(INDIVIDUALS)

    def property(self) -> GroundTerm:
        return self.draw.choice(PROPERTIES)

    def cls(self) -> GroundTerm:
        """A class: one with a name, a restriction, owl:Thing, owl:Nothing."""
        return self.draw.weighted(
            (8, self.draw.choice(self.classes)), (1, NAMES["Thing"]), (1, NAMES["Nothing"])
        )

    def literal(self) -> GroundTerm:
        return self.draw.choice(ODD_LITERALS if self.draw.chance(5) else LITERALS)

    def value(self) -> GroundTerm:
        return self.literal() if self.draw.chance(25) else self.individual()

    def list(self, items: Sequence[GroundTerm]) -> GroundTerm:
        head: GroundTerm = NAMES["nil"]
        for item in reversed(items):
            cell = self.blank()
            self.add(cell, "first", item)
            self.add(cell, "rest", head)
            head = cell
        return head

    def listed(self, member: Callable[[], GroundTerm], least: int = 1) -> GroundTerm:
        return self.list([member() for _ in range(self.draw.integer(least, 3))])

    def either(self, words: str) -> str:
        return self.draw.choice(words.split())


def assertion(to: AxiomWriter) -> None:
    if to.draw.chance(40):
        to.add(to.individual(), "type", to.cls())
    else:
        to.add(to.individual(), to.property(), to.value())


def equality(to: AxiomWriter) -> None:
    thing = to.draw.weighted(
        (6, to.individual), (1, to.property), (1, lambda: to.draw.choice(CLASSES))
    )
    to.add(thing(), to.either("sameAs differentFrom"), thing())


def pairwise(to: AxiomWriter) -> None:
    word, member = to.draw.choice(
        [
            ("AllDifferent", to.individual),
            ("AllDisjointClasses", to.cls),
            ("AllDisjointProperties", to.property),
        ]
    )
    node = to.blank()
    to.add(node, "type", NAMES[word])
    members = to.either("members distinctMembers") if word == "AllDifferent" else "members"
    to.add(node, members, to.listed(member, 2))


def property_kind(to: AxiomWriter) -> None:
    kinds = (
        "FunctionalProperty InverseFunctionalProperty IrreflexiveProperty SymmetricProperty"
        " AsymmetricProperty TransitiveProperty ObjectProperty DatatypeProperty"
    )
    to.add(to.property(), "type", NAMES[to.either(kinds)])


def property_axiom(to: AxiomWriter) -> None:
    words = "subPropertyOf equivalentProperty propertyDisjointWith inverseOf"
    to.add(to.property(), to.either(words), to.property())


def domain_or_range(to: AxiomWriter) -> None:
    if to.draw.chance(30):
        to.add(to.property(), "range", to.draw.choice(DATATYPES))
    else:
        to.add(to.property(), to.either("domain range"), to.cls())


def chain(to: AxiomWriter) -> None:
    to.add(to.property(), "propertyChainAxiom", to.listed(to.property))


def key(to: AxiomWriter) -> None:
    to.add(to.cls(), "hasKey", to.listed(to.property))


def denial(to: AxiomWriter) -> None:
    node = to.blank()
    to.add(node, "sourceIndividual", to.individual())
    to.add(node, "assertionProperty", to.property())
    if to.draw.chance(50):
        to.add(node, "targetIndividual", to.individual())
    else:
        to.add(node, "targetValue", to.literal())


def class_axiom(to: AxiomWriter) -> None:
    words = "subClassOf equivalentClass disjointWith complementOf"
    to.add(to.cls(), to.either(words), to.cls())


def class_list(to: AxiomWriter) -> None:
    word, member = to.draw.choice(
        [("intersectionOf", to.cls), ("unionOf", to.cls), ("oneOf", to.individual)]
    )
    to.add(to.cls(), word, to.listed(member))


def declaration(to: AxiomWriter) -> None:
    to.add(to.cls(), "type", NAMES["owlClass"])


def restriction(to: AxiomWriter) -> None:
    node = to.blank()
    to.add(node, "onProperty", to.property())
    word = to.either("someValuesFrom allValuesFrom hasValue maxCardinality maxQualifiedCardinality")
    if "Cardinality" in word:
        to.add(node, word, NAMES[to.either("0 1")])
        if word == "maxQualifiedCardinality":
            to.add(node, "onClass", to.cls())
    else:
        to.add(node, word, to.value() if word == "hasValue" else to.cls())
    to.classes.append(node)
    if to.draw.chance(70):
        word = to.either("subClassOf equivalentClass")
        to.triples.append(
            (node, NAMES[word], to.cls()) if to.draw.chance(50) else (to.cls(), NAMES[word], node)
        )


def value_scene(to: AxiomWriter) -> None:
    """A thing with one or two datatypes, of which it need not be."""
    p = to.property()
    for _ in range(to.draw.integer(1, 2)):
        to.add(p, "range", to.draw.choice(DATATYPES))
    to.add(to.individual(), p, to.value())


def schema(to: AxiomWriter) -> None:
    """An axiom of RDFS, now and then about its own words."""
    classes = [*CLASSES, NAMES["Literal"], NAMES["Class"], NAMES["ContainerMembershipProperty"]]
    properties = [*PROPERTIES, IRI(RDF + "_2"), NAMES["member"], NAMES["subPropertyOf"]]
    word = to.either("subClassOf subPropertyOf domain range type")
    if word == "subClassOf":
        to.add(to.draw.choice(classes), word, to.draw.choice(classes))
    elif word == "subPropertyOf":
        to.add(to.draw.choice(properties), word, to.draw.choice(properties))
    elif word == "type":
        to.add(to.draw.choice(CLASSES), word, NAMES[to.either("Class Datatype")])
    else:
        choice = to.draw.choice([*classes, *DATATYPES])
        to.add(to.draw.choice(properties), word, choice)
