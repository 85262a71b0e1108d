"""Kinds of formula of a language are lowered by their rows."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import pytest

from rete.planning.lowering import Lowering, lower
from rete.planning.planned_kind import HeadBox, PlannedKind
from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.clauses import clauses
from rif.syntax.formula_kinds import FormulaKind
from rif.syntax.terms import IRI
from rif.syntax.traversal import free_variables
from tests.rif.rule_parser import parse_rules

P, Q = (ast.Atom(IRI(f"urn:ex:{name}"), ()) for name in "pq")


@dataclass(frozen=True, slots=True)
class Toy(ast.Formula):
    """``Toy``: true if P or Q is; over a head, a box over Q."""

    is_head = True


def enter(lowering: Lowering, _: Toy) -> None:
    lowering.patterns.append(lowering.pattern(P))


def split(formula: Toy, elsewhere: AbstractSet[str]) -> tuple[ast.Formula, ...]:
    return (formula, Q) if "x" in elsewhere else (formula,)


def unbox(_: Toy, scale: int) -> tuple[HeadBox, ast.Formula]:
    return HeadBox((0, scale), future=False), Q


UNPLANNED = FormulaKind("Toy", Toy, parse=lambda _: Toy(), write=lambda *_: ["Toy"])
TOY = CORE.with_kinds(
    PlannedKind(
        *("Toy", Toy),
        parse=UNPLANNED.parse,
        write=UNPLANNED.write,
        lower=enter,
        split=split,
        unbox=unbox,
    )
)


def lowered(rule: str, language: Language = TOY) -> list[tuple[list[str], list[str], int]]:
    """Per conjunction its patterns, its heads, and how many boxes stand over them."""
    (clause,) = clauses(parse_rules(rule, language=language).document)
    return [
        (
            [each.relation.op for each in found.patterns],
            [each.relation.op for each in found.heads],
            len(found.boxes),
        )
        for found in lower(clause, language, 5)
    ]


def test_a_row_lets_its_literal_enter_the_conjunction() -> None:
    assert lowered("_r() :- Toy") == [(["<urn:ex:p>"], ["_:d0_r"], 0)]


def test_a_row_splits_its_literal_by_what_stands_elsewhere() -> None:
    assert lowered("Forall ?x (_r(?x) :- And(_s(?x) Toy))") == [
        (["_:d0_s", "<urn:ex:p>"], ["_:d0_r"], 0),
        (["_:d0_s", "<urn:ex:q>"], ["_:d0_r"], 0),
    ]


def test_a_row_takes_its_box_from_over_a_head() -> None:
    assert lowered("Toy :- _s()") == [(["_:d0_s"], ["<urn:ex:q>"], 1)]


def test_a_kind_without_a_plan_is_not_lowered() -> None:
    with pytest.raises(ValueError, match="Toy has no plan"):
        lowered("_r() :- Toy", CORE.with_kinds(UNPLANNED))


def test_a_kind_of_another_language_is_not_lowered() -> None:
    (clause,) = clauses(parse_rules("_r() :- Toy", language=TOY).document)
    assert not free_variables(clause.bodies[0][0])
    with pytest.raises(ValueError, match="Toy is no kind of formula of this language"):
        list(lower(clause, CORE))
