"""Graphs as sets of triples, and rules as the tables of a specification write them.

``cax-sco | ?c1 subClassOf ?c2, ?x type ?c1 => ?x type ?c2`` is a rule: its conclusions follow from
every way to match its conditions. ``false`` is the conclusion that the graph has no model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from rif.syntax.terms import IRI, OWL, RDF, XSD, Literal

if TYPE_CHECKING:
    from rif.syntax.terms import GroundTerm

RDFS = "http://www.w3.org/2000/01/rdf-schema#"

Triple: TypeAlias = "tuple[GroundTerm, GroundTerm, GroundTerm]"
Env: TypeAlias = "dict[str, GroundTerm]"
Rule: TypeAlias = "Callable[[Graph], Iterable[Triple | None]]"
"""What follows from a graph in one step; None is falsehood."""

_WORDS = {
    RDF: "type Property List first rest nil subject predicate object value Statement Alt Bag Seq",
    RDFS: (
        "domain range subClassOf subPropertyOf Resource Class Literal Datatype Container"
        " ContainerMembershipProperty member seeAlso isDefinedBy label comment"
    ),
    OWL: (
        "sameAs differentFrom members distinctMembers AllDifferent AnnotationProperty"
        " FunctionalProperty InverseFunctionalProperty IrreflexiveProperty SymmetricProperty"
        " AsymmetricProperty TransitiveProperty propertyChainAxiom equivalentProperty"
        " propertyDisjointWith AllDisjointProperties inverseOf hasKey sourceIndividual"
        " assertionProperty targetIndividual targetValue Thing Nothing intersectionOf unionOf"
        " complementOf someValuesFrom allValuesFrom hasValue onProperty onClass maxCardinality"
        " maxQualifiedCardinality oneOf equivalentClass disjointWith AllDisjointClasses"
        " ObjectProperty DatatypeProperty deprecated versionInfo priorVersion"
        " backwardCompatibleWith incompatibleWith"
    ),
}
NAMES: dict[str, GroundTerm] = {
    "owlClass": IRI(OWL + "Class"),
    "0": Literal("0", XSD + "integer"),
    "1": Literal("1", XSD + "integer"),
    **{word: IRI(space + word) for space, words in _WORDS.items() for word in words.split()},
}
"""What a word of a rule stands for. A number is written as the value is written in graphs."""


class Graph:
    """A set of triples that can be looked up by any of its places."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = set(triples)
        self._by: tuple[dict[GroundTerm, set[Triple]], ...] = tuple(
            defaultdict(set) for _ in range(3)
        )
        for triple in self.triples:
            self._enter(triple)

    def add(self, triple: Triple) -> None:
        self.triples.add(triple)
        self._enter(triple)

    def _enter(self, triple: Triple) -> None:
        for index, term in zip(self._by, triple, strict=True):
            index[term].add(triple)

    def match(self, conditions: list[str], env: Env | None = None) -> Iterator[Env]:
        """The ways to match conditions such as ``?x subClassOf ?y``, one after the other."""
        if not conditions:
            yield env or {}
            return
        for found in self._one(conditions[0].split(), env or {}):
            yield from self.match(conditions[1:], found)

    def _one(self, words: list[str], env: Env) -> Iterator[Env]:
        known = [term_of(word, env) for word in words]
        buckets = [
            index[term] for index, term in zip(self._by, known, strict=True) if term is not None
        ]
        for triple in min(buckets, key=len, default=self.triples):
            new = dict(env)
            for word, want, have in zip(words, known, triple, strict=True):
                if (want or new.setdefault(word, have)) != have:
                    break
            else:
                yield new

    def pairs(self, predicate: str) -> Iterator[tuple[GroundTerm, GroundTerm]]:
        """Subjects and objects of a predicate."""
        for s, _, o in list(self._by[1][NAMES[predicate]]):
            yield s, o

    def has(self, s: GroundTerm, predicate: GroundTerm, o: GroundTerm) -> bool:
        return (s, predicate, o) in self.triples

    def objects(self, s: GroundTerm, predicate: GroundTerm) -> list[GroundTerm]:
        return [o for _, p, o in self._by[0][s] if p == predicate]

    def subjects(self, predicate: GroundTerm, o: GroundTerm) -> list[GroundTerm]:
        return [s for s, p, _ in self._by[2][o] if p == predicate]

    def lists(self, head: GroundTerm) -> Iterator[tuple[GroundTerm, ...]]:
        """LIST[head, e1 … en]: every complete list that begins at ``head``; none has a cycle."""
        yield from self._lists(head, frozenset())

    def _lists(
        self, cell: GroundTerm, seen: frozenset[GroundTerm]
    ) -> Iterator[tuple[GroundTerm, ...]]:
        for rest in set(self.objects(cell, NAMES["rest"])) - seen:
            tails = [()] if rest == NAMES["nil"] else list(self._lists(rest, seen | {cell}))
            for first in self.objects(cell, NAMES["first"]):
                yield from ((first, *tail) for tail in tails)


def term_of(word: str, env: Mapping[str, GroundTerm]) -> GroundTerm | None:
    return env.get(word) if word.startswith("?") else NAMES[word]


def rules_of(table: str) -> dict[str, Rule]:
    """The rules of a table, one a line."""
    found = {}
    for line in table.strip().splitlines():
        name, rule = line.split("|")
        body, heads = rule.split("=>")
        found[name.strip()] = _rule(_split(body), _split(heads))
    return found


def bodies_of(table: str) -> dict[str, list[str]]:
    """The conditions of the rules of a table."""
    lines = (line.split("|") for line in table.strip().splitlines())
    return {name.strip(): _split(rule.split("=>")[0]) for name, rule in lines}


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _rule(body: list[str], heads: list[str]) -> Rule:
    def apply(graph: Graph) -> Iterator[Triple | None]:
        for env in graph.match(body):
            for head in heads:
                if head == "false":
                    yield None
                else:
                    s, p, o = (term_of(word, env) for word in head.split())
                    assert s is not None
                    assert p is not None
                    assert o is not None
                    yield s, p, o

    return apply


def closure(triples: Iterable[Triple], rules: Iterable[Rule]) -> tuple[frozenset[Triple], bool]:
    """The least set that has ``triples`` and what the rules derive; whether falsehood follows."""
    graph, rules = Graph(triples), list(rules)
    while True:
        derived = {conclusion for rule in rules for conclusion in rule(graph)}
        new = derived - graph.triples - {None}
        if not new:
            return frozenset(graph.triples), None in derived
        for triple in new:
            assert triple is not None
            graph.add(triple)
