"""What makes the rules of OWL 2 RL fire: random instances of their conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.generators.ontologies.axioms import (
    CLASSES,
    INDIVIDUALS,
    LITERALS,
    PROPERTIES,
    RESTRICTIONS,
    AxiomWriter,
)
from tests.oracles.rdf.owl import TABLE
from tests.oracles.rdf.rule_tables import NAMES, bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rif.syntax.terms import GroundTerm

_OF_A_CLASS = {
    0: "subClassOf equivalentClass disjointWith complementOf onProperty",
    2: (
        "type subClassOf equivalentClass disjointWith complementOf someValuesFrom allValuesFrom"
        " onClass domain range"
    ),
}
_OF_A_PROPERTY = {
    0: "subPropertyOf equivalentProperty propertyDisjointWith inverseOf domain range",
    2: (
        "onProperty assertionProperty subPropertyOf equivalentProperty propertyDisjointWith"
        " inverseOf"
    ),
}
_BODIES = [body for body in bodies_of(TABLE).values() if body]


def row(to: AxiomWriter) -> None:
    """The conditions of a row of the tables, about things of the kinds they are about."""
    body = [condition.split() for condition in to.draw.choice(_BODIES)]
    chosen = {word: to.draw.choice(_pool(word, body)) for words in body for word in words}
    for words in body:
        s, p, o = (chosen[word] for word in words)
        to.add(s, p, o)


def _pool(word: str, body: Sequence[Sequence[str]]) -> Sequence[GroundTerm]:
    if not word.startswith("?"):
        return [NAMES[word]]
    if any(s == word and p == "onProperty" for s, p, _ in body):
        return RESTRICTIONS
    for words in body:
        _, p, o = words
        if word == p or _stands(word, words, _OF_A_PROPERTY) or o.endswith("Property"):
            return PROPERTIES
        if _stands(word, words, _OF_A_CLASS) or o == "owlClass":
            return CLASSES
    return [*INDIVIDUALS, *LITERALS[:2]] if word in {o for _, _, o in body} else INDIVIDUALS


def _stands(word: str, words: Sequence[str], places: dict[int, str]) -> bool:
    return any(words[place] == word and words[1] in keys.split() for place, keys in places.items())


def list_scene(to: AxiomWriter) -> None:
    """A construct with a list, and what makes its rule fire."""
    kind = to.either("key chain intersection different classes properties")
    x, y, z = to.individual(), to.individual(), to.individual()
    classes = to.draw.some(CLASSES, 1, 2)
    properties = to.draw.some(PROPERTIES, 1, 2)
    if kind == "key":
        to.add(classes[0], "hasKey", to.list(properties))
        for thing in (x, y):
            to.add(thing, "type", classes[0])
            for p in properties:
                to.add(thing, p, z)
    elif kind == "chain":
        to.add(to.property(), "propertyChainAxiom", to.list(properties))
        for s, p, o in zip((x, y), properties, (y, z), strict=False):
            to.add(s, p, o)
    elif kind == "intersection":
        to.add(to.draw.choice(CLASSES), "intersectionOf", to.list(classes))
        for cls in classes:
            to.add(x, "type", cls)
    else:
        _pair_scene(to, kind, x, y)


def _pair_scene(to: AxiomWriter, kind: str, x: GroundTerm, y: GroundTerm) -> None:
    node = to.blank()
    members = "members"
    if kind == "different":
        to.add(node, "type", NAMES["AllDifferent"])
        members = to.either("members distinctMembers")
        items = [x, y]
        to.add(x, "sameAs", y)
    elif kind == "classes":
        to.add(node, "type", NAMES["AllDisjointClasses"])
        items = to.draw.some(CLASSES, 2, 3)
        for cls in items[:2]:
            to.add(x, "type", cls)
    else:
        to.add(node, "type", NAMES["AllDisjointProperties"])
        items = to.draw.some(PROPERTIES, 2, 3)
        for p in items[:2]:
            to.add(x, p, y)
    to.add(node, members, to.list(items))
