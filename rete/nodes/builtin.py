"""Built-ins: what filters, functions and solved predicates have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Self

from rete.graph.plan import Emit, Plan
from rete.terms.relations import Operand, map_operands
from rif.syntax.iri import is_absolute


class BuiltinPlan(Plan):
    """A plan that applies a built-in to each row of its source.

    Attributes:
        args: None at a place that is solved for.
        keep: columns of the source that stay; a value that is computed comes after them.
        passes: of a predicate: whether rows pass of which it is true; else those of which it is
            not, as those outside its domain.
    """

    source: Plan
    args: tuple[Operand | None, ...]
    keep: tuple[int, ...]
    passes: bool = True

    @property
    def columns(self) -> tuple[int, ...]:
        """Those that are kept, and the value."""
        return (*self.keep, self.source.width) if self.computes else self.keep

    @property
    def evidence(self) -> tuple[int, ...] | None:
        """The arguments that are no constants, and the value."""
        varying = (arg for arg in self.args if isinstance(arg, int))
        return (*varying, self.source.width) if self.computes else tuple(varying)

    @property
    @abstractmethod
    def builtin(self) -> str:
        """The IRI of the built-in, or the name of what stands for one."""

    def with_constants(self, text_of: Callable[[str], str]) -> Self:
        """The same built-in of other constants."""
        return replace(self, args=map_operands(self.args, text_of))  # type: ignore[type-var]


def called_builtins(emits: Iterable[Emit]) -> set[str]:
    """The IRIs of the built-ins that plans call. Linear in the plans."""
    found: set[str] = set()
    known: set[Plan] = set()
    stack = [emit.source for emit in emits]
    while stack:
        plan = stack.pop()
        if plan not in known:
            known.add(plan)
            stack.extend(plan.sources)
            # What stands for a built-in, such as `EQUAL`, has no IRI.
            if isinstance(plan, BuiltinPlan) and is_absolute(plan.builtin):
                found.add(plan.builtin)
    return found
