"""Filters: rows of which a built-in predicate is true.

What ids or the side columns of the dictionary decide is a few numpy operations for a whole delta:
numeric comparison, which kind of term it is, whether two terms are equal. All other built-ins are
called once for each distinct tuple of arguments, see `rete.terms.builtin_calls`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import eq
from typing import ClassVar, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows, columns
from rete.arrays.lexical_classes import MEMBERSHIP_PROPERTY
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import FLOAT, KIND_BLANK, KIND_IRI, KIND_LITERAL, NEAREST
from rete.graph.plan import Call, Label, Plan, Shape
from rete.graph.streams import Stream
from rete.nodes.builtin import BuiltinPlan
from rete.nodes.linear import LinearNode
from rete.terms.builtin_calls import FEW, Arguments, FunctionCalls
from rete.terms.dictionary import Dictionary, constant
from rete.terms.number_constants import matches_members
from rete.terms.relations import Operand
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import Outcome
from rif.syntax.terms import PRED
from rif.values import plain_numbers
from rif.values.datatypes import same_value

EQUAL: Final = "="
"""The test of RIF equality: the values are the same."""


SAME_TERM: Final = "same term"
"""The test of a pattern: the terms are the same."""


SAME_MEMBERS: Final = "same members"
"""The test of a list with numbers in a pattern: of a column, the list, and where it has numbers."""


OF_PATTERNS: Final = frozenset({SAME_TERM, SAME_MEMBERS})
"""The tests of patterns, for which rules have no name."""


TEXT_TESTS: Final = {sign: f"text {sign}" for sign in plain_numbers.COMPARISONS}
"""The tests of DatalogMTL by their signs: numbers by value, else whether the texts are equal."""


@dataclass(frozen=True)
class Filter(BuiltinPlan):
    """Rows of which a built-in predicate is true.

    Attributes:
        test: IRI of the predicate, `EQUAL`, or one of `OF_PATTERNS`.
    """

    shape: ClassVar[Shape] = "filter"

    source: Plan
    test: str
    args: tuple[Operand, ...]  # type: ignore[mutable-override]  # frozen
    keep: tuple[int, ...]
    passes: bool = True

    @property
    def builtin(self) -> str:
        """Its `test`."""
        return self.test

    @property
    def evidence(self) -> tuple[int, ...] | None:
        """Nothing, if rules have no name for the test."""
        return None if self.test in OF_PATTERNS else super().evidence

    @property
    def label(self) -> Label:
        """The test."""
        call = Call(self.test, self.args[:2] if self.test == SAME_MEMBERS else self.args)
        return (call,) if self.passes else ("not", call)

    @property
    def condition(self) -> Label:
        """The test, if rules have a name for it."""
        return () if self.test in OF_PATTERNS else self.label


Compare: TypeAlias = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], Mask]


COMPARISONS: Final[dict[str, Compare]] = {
    PRED + "numeric-equal": np.equal,
    PRED + "numeric-not-equal": np.not_equal,
    PRED + "numeric-less-than": np.less,
    PRED + "numeric-less-than-or-equal": np.less_equal,
    PRED + "numeric-greater-than": np.greater,
    PRED + "numeric-greater-than-or-equal": np.greater_equal,
}


ORDER: Final[dict[str, Compare]] = {
    R4_BUILTIN + "less-than": np.less,
    R4_BUILTIN + "less-than-or-equal": np.less_equal,
    R4_BUILTIN + "greater-than": np.greater,
    R4_BUILTIN + "greater-than-or-equal": np.greater_equal,
}
"""The comparisons of other kinds of value than numbers, too."""


KINDS: Final = {
    R4_BUILTIN + "is-iri": KIND_IRI,
    R4_BUILTIN + "is-blank": KIND_BLANK,
    R4_BUILTIN + "is-literal": KIND_LITERAL,
}
"""The tests of the kind of a term."""


_FEWER: Final = 4
"""So many rows are faster looked up one by one than compared by numpy in a single operation."""


_EVALUATE: Final[dict[str, Callable[..., Outcome]]] = {
    EQUAL: same_value,
    SAME_TERM: eq,
    SAME_MEMBERS: matches_members,
    **{TEXT_TESTS[sign]: test for sign, test in plain_numbers.COMPARISONS.items()},
}


_SIGNS: Final[dict[object, int]] = {
    np.equal: 2,
    np.not_equal: 1 | 4 | 8,
    np.less: 1,
    np.less_equal: 1 | 2,
    np.greater: 4,
    np.greater_equal: 4 | 2,
}
"""Of what comparisons are true: 1 less, 2 equal, 4 greater, 8 neither, as of a NaN."""


class Comparison(NamedTuple):
    """A comparison of two numbers, each a column or ~ of the place of a constant among ``terms``.

    It is true of what is in ``sign``, as in `_SIGNS`; ``passes``: whether rows pass then.
    """

    sign: int
    left: int
    right: int
    terms: tuple[int, ...]
    passes: bool
    keep: tuple[int, ...]


class FilterNode(LinearNode[Filter], plan=Filter):
    """Rows of which a predicate is true."""

    __slots__ = ("_arguments", "_calls", "_keep", "_passes", "_terms", "_test")

    def __init__(self, plan: Filter, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        self._arguments = Arguments(plan.test, plan.args, terms)
        self.outside = self._arguments.outside
        if evaluate := _EVALUATE.get(plan.test):
            self._calls = FunctionCalls(self._arguments, evaluate)
        else:
            self._calls = FunctionCalls.of(self._arguments, terms.builtins[plan.test])
        vectorised: dict[str, Callable[[Rows], Mask]] = {
            EQUAL: self._equal,
            SAME_TERM: self._same,
            R4_BUILTIN + "not-same-term": self._not_same,
            **{name: partial(self._is_of_kind, kind) for name, kind in KINDS.items()},
            R4_BUILTIN + "is-numeric": self._is_numeric,
            R4_BUILTIN + "is-container-membership-property": self._is_membership_property,
            PRED + "literal-not-identical": self._not_identical,
            **{name: partial(self._numeric, compare) for name, compare in COMPARISONS.items()},
            **{name: partial(self._ordered, compare) for name, compare in ORDER.items()},
            R4_BUILTIN + "equal": self._operator_equal,
        }
        self._test = vectorised.get(plan.test)
        self._passes = plan.passes
        width = plan.source.width
        self._keep = columns([*plan.keep, width, width + 1])

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of numbers that it is; None: it is none."""
        plan = self._plan
        compare = {**COMPARISONS, **ORDER, R4_BUILTIN + "equal": np.equal}.get(plan.test)
        if compare is None:
            return None
        terms = [constant(arg, self._terms) for arg in plan.args if isinstance(arg, str)]
        places = iter(range(len(terms)))
        left, right = (arg if isinstance(arg, int) else ~next(places) for arg in plan.args)
        return Comparison(_SIGNS[compare], left, right, tuple(terms), plan.passes, plan.keep)

    def apply(self, rows: Rows) -> Rows:
        """The rows that pass, projected."""
        kept = rows[self._mask(rows)]
        return np.ascontiguousarray(kept[:, self._keep])

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with their positions."""
        origins = np.flatnonzero(self._mask(rows))
        return origins, np.ascontiguousarray(rows[origins][:, self._keep])

    def forget(self) -> None:
        """Drop results by id, as ids may mean other terms from now on."""
        self._calls.forget()

    def _mask(self, rows: Rows) -> Mask:
        true = self._true(rows)
        return true if self._passes else ~true

    def _true(self, rows: Rows) -> Mask:
        if self._test is not None and len(rows) > _FEWER:
            return np.broadcast_to(self._test(rows), len(rows))
        return self._called(rows)

    def _called(self, rows: Rows) -> Mask:
        true: Mask = self._calls.values(rows) > 0
        return true

    def _numeric(self, compare: Compare, rows: Rows) -> Mask:
        mask, unsure, numbers = self._numbers(compare, rows)
        if not numbers.all():
            self._arguments.count(rows, np.broadcast_to(~numbers, len(rows)))
        return self._with_calls(rows, mask, unsure)

    def _ordered(self, compare: Compare, rows: Rows) -> Mask:
        mask, unsure, numbers = self._numbers(compare, rows)
        return self._with_calls(rows, mask, unsure | ~numbers)

    def _operator_equal(self, rows: Rows) -> Mask:
        mask, unsure, numbers = self._numbers(np.equal, rows)
        left, right = self._arguments.of(rows, 0), self._arguments.of(rows, 1)
        kinds = np.minimum(self._terms.kinds(left), self._terms.kinds(right))
        # Of two terms that are no numbers only literals can be equal, and not the same.
        others = ~numbers & (left != right) & (kinds == KIND_LITERAL)
        return self._with_calls(rows, mask | (~numbers & (left == right)), unsure | others)

    def _numbers(self, compare: Compare, rows: Rows) -> tuple[Mask, Mask, Mask]:
        """Where it is true, where the built-in has to say, where both are numbers."""
        left_ids, right_ids = self._arguments.of(rows, 0), self._arguments.of(rows, 1)
        left, left_class = self._terms.numeric(left_ids)
        right, right_class = self._terms.numeric(right_ids)
        numbers = (left_class > 0) & (right_class > 0)
        # Rounding keeps the order, so doubles decide unless they are equal and one was rounded, or
        # a decimal meets an xsd:float, to which it would have to be rounded first.
        unsure = ((left == right) & ((left_class == NEAREST) | (right_class == NEAREST))) | (
            ((left_class == FLOAT) & (right_class < FLOAT))
            | ((right_class == FLOAT) & (left_class < FLOAT))
        )
        unsure &= numbers & (left_ids != right_ids)
        return compare(left, right) & numbers, unsure, numbers

    def _equal(self, rows: Rows) -> Mask:
        if len(rows) <= FEW:
            return self._called(rows)
        left, right = self._arguments.of(rows, 0), self._arguments.of(rows, 1)
        same: Mask = left == right
        if self._terms.by_value or same.all():
            return same
        # Of two terms only literals, and lists, which may have some, can stand for one value.
        kinds = np.minimum(self._terms.kinds(left), self._terms.kinds(right))
        return self._with_calls(rows, same, ~same & (kinds >= KIND_LITERAL))

    def _with_calls(self, rows: Rows, mask: Mask, unsure: Mask) -> Mask:
        """``mask``, but where it is ``unsure`` the built-in is called."""
        mask = np.broadcast_to(mask, len(rows))
        if unsure.any():
            mask = mask.copy()
            at = np.flatnonzero(np.broadcast_to(unsure, len(rows)))
            mask[at] = self._called(rows[at])
        return mask

    def _same(self, rows: Rows) -> Mask:
        same: Mask = self._arguments.of(rows, 0) == self._arguments.of(rows, 1)
        return same

    def _not_same(self, rows: Rows) -> Mask:
        return ~self._same(rows)

    def _is_of_kind(self, kind: int, rows: Rows) -> Mask:
        found: Mask = self._terms.kinds(self._arguments.of(rows, 0)) == kind
        return found

    def _is_membership_property(self, rows: Rows) -> Mask:
        classes = self._terms.lexical_classes(self._arguments.of(rows, 0))
        found: Mask = classes == MEMBERSHIP_PROPERTY
        return found

    def _is_numeric(self, rows: Rows) -> Mask:
        numbers: Mask = self._terms.numeric(self._arguments.of(rows, 0))[1] > 0
        return numbers

    def _not_identical(self, rows: Rows) -> Mask:
        kinds = [self._terms.kinds(self._arguments.of(rows, place)) for place in (0, 1)]
        literal = np.minimum(*kinds) == KIND_LITERAL  # it is false of all but two literals
        return self._with_calls(rows, np.zeros(1, np.bool_), literal)
