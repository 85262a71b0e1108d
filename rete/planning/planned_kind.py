"""Kinds of formula with plans: rows of a language. To read rules with them loads no plans."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from rif.language import Language
from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import FormulaKind

if TYPE_CHECKING:
    from rete.arrays.delta import Cells

F = TypeVar("F", bound=Formula)
L = TypeVar("L")
"""`rete.planning.lowering.Lowering`, which is not known here."""


class HeadBox(NamedTuple):
    """A box over a head: the head holds at all distances in ``rho`` after its body, or before.

    Attributes:
        future: as of the `rete.nodes.metric.diamond.Dilate` of the body: the head holds *before*
            its body.
    """

    rho: Cells
    future: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedKind(FormulaKind[F], Generic[F, L]):
    """A kind of formula that has a plan: its row in a language, lowering and all.

    Attributes:
        lower: Lets a literal of this kind enter a conjunction.
        split: Its disjuncts, if the variables of these names occur elsewhere; one or more.
        is_late: Whether it is lowered once it is known what the others of its conjunction bind.
        complete: Its disjuncts, if the variables of these names are bound by all else that it
            stands with but others of such a kind; one or more.
        unbox: Of a kind that stands over heads: the box at a scale, and the formula inside.
    """

    lower: Callable[[L, F], None]
    split: Callable[[F, AbstractSet[str]], tuple[Formula, ...]] | None = None
    is_late: bool = False
    complete: Callable[[F, AbstractSet[str]], tuple[Formula, ...]] | None = None
    unbox: Callable[[F, int], tuple[HeadBox, Formula]] | None = None


def planned_kind(formula: Formula, language: Language) -> PlannedKind[Formula, Any]:
    """The kind of a formula that RIF-Core does not have.

    Raises:
        ValueError: the language does not have it, or no plan for it.
    """
    kind = language.kind_of(formula)
    if not isinstance(kind, PlannedKind):
        message = f"{kind.keyword} has no plan"
        raise ValueError(message)  # noqa: TRY004 - the value of a row
    return kind
