"""Which facts a stream may still bring, and which always hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Relation
from rif.syntax import ast
from rif.syntax.terms import RDF_TYPE
from temporal.hypothetical.rif_rules.rewriting.patterns import AtomPattern, text_of

_TYPE = f"<{RDF_TYPE}>"


@dataclass(frozen=True, slots=True)
class ExpectedInput:
    """Which patterns are expected, and which are met by what always holds.

    Attributes:
        named: canonical texts of predicates and classes that alone are expected; None: all that
            do not occur among what always holds.
        predicates: of the triples that always hold.
        classes: the objects of rdf:type among them.
        atoms: the relations of facts that are no triples.
    """

    named: AbstractSet[str] | None = None
    predicates: AbstractSet[str] = frozenset()
    classes: AbstractSet[str] = frozenset()
    atoms: AbstractSet[Relation] = frozenset()

    @classmethod
    def of(
        cls,
        named: Iterable[str] | None,
        predicates: Iterable[str],
        classes: Iterable[str],
        facts: Iterable[AtomPattern],
    ) -> ExpectedInput:
        """By canonical texts of static data, the facts of the rules, and IRIs that are named."""
        known, types, atoms = set(predicates), set(classes), set[Relation]()
        for relation, args in facts:
            if relation != TRIPLES:
                atoms.add(relation)
                continue
            _, predicate, value = args
            if isinstance(predicate, ast.Constant):
                known.add(text_of(predicate))
                if text_of(predicate) == _TYPE and isinstance(value, ast.Constant):
                    types.add(text_of(value))
        wanted = None if named is None else frozenset(f"<{iri.strip('<>')}>" for iri in named)
        return cls(wanted, known, types, atoms)

    def is_named(self, pattern: AtomPattern) -> bool:
        """Do the options name it as what the stream may bring?"""
        if self.named is None or pattern.relation != TRIPLES:
            return False
        return any(text in self.named for text in _keys(pattern))

    def may_come(self, pattern: AtomPattern) -> bool:
        """May the stream bring a fact of it, which no rule concludes?"""
        if self.named is not None:
            return self.is_named(pattern)
        return pattern.relation == TRIPLES and not self.occurs(pattern)

    def occurs(self, pattern: AtomPattern) -> bool:
        """Does something like it always hold?"""
        if pattern.relation != TRIPLES:
            return pattern.relation in self.atoms
        _, predicate, value = pattern.args
        if not isinstance(predicate, ast.Constant):
            return False
        if text_of(predicate) == _TYPE and isinstance(value, ast.Constant):
            return text_of(value) in self.classes
        return text_of(predicate) in self.predicates


def static_vocabulary(always: Sequence[Rows], terms: Dictionary) -> tuple[list[str], list[str]]:
    """The predicates, and the classes, of triples (n, 3) that always hold: canonical texts."""
    kind = terms.encode(_TYPE)
    terms.pin(np.array([kind]))
    rows = np.concatenate([np.empty((0, 3), np.int64), *always])
    classes = np.unique(rows[rows[:, 1] == kind, 2])
    return terms.decode_many(np.unique(rows[:, 1])), terms.decode_many(classes)


def _keys(pattern: AtomPattern) -> Iterable[str]:
    """The predicate, and of rdf:type the class."""
    _, predicate, value = pattern.args
    if isinstance(predicate, ast.Constant):
        yield text_of(predicate)
        if text_of(predicate) == _TYPE and isinstance(value, ast.Constant):
            yield text_of(value)
