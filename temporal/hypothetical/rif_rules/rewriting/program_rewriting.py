"""The rewriting of a program: the evidence rules that are added to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rete.graph.plan import Emit
from rete.planning.plan_builder import MAX_CONDITIONS
from rete.terms.relations import ERROR, Relation
from rif.errors.base import RuleError
from rif.language import Language
from rif.syntax import ast
from temporal.hypothetical.rif_rules.arrival_chances import ArrivalChances
from temporal.hypothetical.rif_rules.errors import OfInstances, TooMuch
from temporal.hypothetical.rif_rules.rewriting.arrival_units import Derivation, derive_units
from temporal.hypothetical.rif_rules.rewriting.evidence_rules import (
    EvidenceShape,
    evidence_shapes,
    hypothetical_shape,
    may_make_needless,
)
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    ExpectedInput,
    FreshNames,
    pattern_of,
    rules_of,
    unify,
)
from temporal.hypothetical.rif_rules.rewriting.resolution import RuleResolution, condense

MAX_SHAPES = 4096
"""Rules that are added, at most."""


@dataclass(frozen=True, slots=True)
class HypothesisOptions:
    """Which possible answers are requested.

    Attributes:
        by_subject: whether expected conditions about one subject arrive together; else each alone.
        expected: IRIs of the predicates and classes that alone are expected; None: those that do
            not occur among what always holds.
        chances: how probable it is that units arrive; None: answers have no confidence.
        most: how many sets of hypotheses are held; None: all.
    """

    by_subject: bool = True
    expected: tuple[str, ...] | None = None
    chances: ArrivalChances | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class EvidenceRules:
    """The rules whose rows are evidence of possible answers.

    Attributes:
        shapes: what the rows of their relations stand for.
        hypothetical: the shapes of derivations of which nothing has arrived, which have no rows.
        unfollowed: rules without all their possible answers, in order: the number of the document,
            and why, as a warning.
        followed: how many rules are followed, with at least one resolved body.
        prefixes: those of the main document, in which tests are written.
    """

    emits: tuple[Emit, ...]
    shapes: Mapping[Relation, EvidenceShape]
    hypothetical: tuple[EvidenceShape, ...]
    unfollowed: tuple[tuple[int, RuleError], ...]
    followed: int
    rules: int
    prefixes: Mapping[str, str]


def rewrite_for_hypotheses(  # noqa: PLR0913, PLR0917 - all that it depends on
    documents: Sequence[ast.Document],
    language: Language,
    scale: int,
    options: HypothesisOptions,
    predicates: Iterable[str] = (),
    classes: Iterable[str] = (),
    *,
    instances: bool = False,
) -> EvidenceRules:
    """The evidence rules for the rules of ``documents``: the main one, then what it imports.

    Of static data the canonical texts of predicates, and of objects of rdf:type, are given;
    ``scale`` is the ticks to the second. No rule is followed if answers are ``instances``.
    """
    fresh = FreshNames()
    rules, facts = rules_of(documents, fresh, language)
    expected = ExpectedInput.of(options.expected, predicates, classes, facts)
    resolution = RuleResolution(rules, expected, fresh, scale)
    found: list[Derivation] = []
    for rule in rules:
        if instances:
            resolution.refuse(rule, OfInstances, "possible answers of instances are not known")
            continue
        for body in resolution.bodies(rule):
            if any(pattern_of(each.formula).relation == ERROR for each in body.conditions):
                continue  # nothing follows from an inconsistency
            made = derive_units(condense(body), by_subject=options.by_subject)
            if isinstance(made, RuleError):
                resolution.refuse(rule, type(made), made.message)
            else:
                found.append(made)
    emits, made_of = _evidence_rules(found, resolution, scale)
    hypothetical: list[EvidenceShape] = []
    for number, each in enumerate(found, len(made_of) + 1):
        is_small = len(each.required) + len(each.steps) <= MAX_CONDITIONS
        if is_small and any(may_make_needless(each, other) for other in found):
            shape, more = hypothetical_shape(each, number, scale)
            hypothetical.append(shape)
            emits += more
    return EvidenceRules(
        tuple(emits),
        made_of,
        tuple(hypothetical),
        tuple((rule.document, why) for _, (rule, why) in sorted(resolution.faults.items())),
        len({each.rule.number for each in found}),
        len({rule.number for rule in rules}),
        dict(documents[0].prefixes),
    )


def _evidence_rules(
    found: Sequence[Derivation], resolution: RuleResolution, scale: int
) -> tuple[list[Emit], dict[Relation, EvidenceShape]]:
    emits: list[Emit] = []
    made: dict[Relation, EvidenceShape] = {}
    for each in found:
        size = sum(len(unit.formulas) for unit in (*each.units, *each.required)) + len(each.steps)
        if size > MAX_CONDITIONS or len(made) + (1 << len(each.units)) > MAX_SHAPES:
            message = f"more than {MAX_CONDITIONS} conditions, or {MAX_SHAPES:,} sets of them"
            resolution.refuse(each.rule, TooMuch, message)
            continue
        complete = any(_may_complete(each, other) for other in found)
        for shape, more in evidence_shapes(each, len(made) + 1, scale, complete=complete):
            made[shape.relation] = shape
            emits += more
    return emits, made


def _may_complete(one: Derivation, other: Derivation) -> bool:
    """May ``one`` complete what is possible by ``other``?"""
    return len(other.units) > 1 and unify(one.head, other.head, {}) is not None
