"""Conditions of rules in their own words, with the values they are true of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from r4.explain.explanation import Statement
from r4.explain.justification.rule_instances import NegatedMatch, TrueBuiltin
from r4.explain.rendering.names import write_operator, write_term
from rete.drawing import Names
from rete.drawing.names import Piece, metric_operator_name, operator_text, plain
from rete.planning.lowering import Argument
from rete.planning.plan import (
    COPY,
    SAME_TERM,
    AntiJoin,
    Apply,
    Dilate,
    Erode,
    Filter,
    Join,
    NonPointwise,
    Operand,
    Plan,
    Relation,
    Scan,
    Shift,
    Since,
    Solve,
    Unit,
)
from rete.terms.dictionary import Dictionary
from rif.builtins.extensions import R4_BUILTIN
from rif.syntax.terms import XSD, Variable

_PLAIN: Final = re.compile(
    rf'"([-+.:\w]+)"\^\^<{re.escape(XSD)}'
    r"(?:double|float|decimal|\w*integer|long|int|short|byte|dateTime|date|time)>\Z",
    re.ASCII,
)
"""Literals whose datatype shows in their lexical form."""
UNNAMED: Final = "<urn:r4:unnamed"
"""The beginning of the names of elements that have none of their own."""
_NOT_SAME: Final = R4_BUILTIN + "not-same-term"


class ConditionWriter:
    """Writes what the ids of a state stand for, in the names of the rules.

    Attributes:
        names: these names.
    """

    def __init__(self, terms: Dictionary, names: Names) -> None:
        self._terms = terms
        self.names = names

    def statement(self, relation: Relation, terms: Iterable[int]) -> Statement:
        """A fact as texts."""
        return Statement(relation, tuple(map(self._terms.decode, terms)))

    def text(self, term: int) -> str:
        """The canonical text of a term."""
        return self._terms.decode(term)

    def short(self, number: int) -> str:
        """A term as the rules could write it."""
        return write_term(self.names, self._terms.decode(number))

    def element(self, name: int) -> str | None:
        """The name of an element; None: it has none."""
        text = self._terms.decode(name) if name > 0 else UNNAMED
        return None if text.startswith(UNNAMED) else text

    def builtin(self, builtin: TrueBuiltin) -> str | None:
        """``54 ≥ 48``; None: it need not be shown."""
        plan = builtin.plan
        values = dict(zip(_columns_of(plan), map(self._terms.decode, builtin.args), strict=True))
        given: list[Argument | None] = [
            None if arg is None else values[arg] if isinstance(arg, int) else arg
            for arg in plan.args
        ]
        match plan:
            case Filter(test=test):
                return None if test == SAME_TERM else self._application(test, given)
            case Apply(function=function):
                if function == COPY:
                    return None
                return f"{self._application(function, given)} = {self.short(builtin.value)}"
            case Solve(predicate=predicate):
                found = self._terms.decode(builtin.value)
                return self._application(
                    predicate, [found if arg is None else arg for arg in given]
                )

    def absent(self, absent: NegatedMatch) -> str:
        """``ex:LGA[ex:closed -> ?why]``: what is negated, with the values that are known."""
        plan = absent.plan
        known: list[Argument | None] = [None] * plan.right.width
        for (_, theirs), value in zip(plan.on, absent.key, strict=True):
            known[theirs] = self._terms.decode(value)
        return " and ".join(self.conditions(plan.right, known, plan.base))

    def of_row(self, plan: Plan, values: Sequence[int]) -> str:
        """The conditions of an operand with the values of its columns."""
        return self._together(plan, list(map(self._terms.decode, values)))

    def about(self, plan: Dilate | Erode | Since, values: Sequence[int]) -> str:
        """What an operator is about, with the values of its columns: ``(…)``, ``(…; …)``."""
        return self._within(plan, list(map(self._terms.decode, values)))

    def conditions(
        self, plan: Plan, known: Sequence[Argument | None], given: Plan | None = None
    ) -> Iterator[str]:
        """The conditions of a plan, with what is known of its columns; but for those ``given``."""
        if plan == given:
            return
        match plan:
            case Unit():
                return
            case Scan():
                yield self.pattern(plan, known)
            case Join():
                sees = self._source_columns(plan, known)
                yield from self.conditions(plan.left, sees[: plan.left.width], given)
                yield from self.conditions(plan.right, sees[plan.left.width :], given)
            case AntiJoin():
                sees = self._source_columns(plan, known)
                yield from self.conditions(plan.left, sees[: plan.left.width], given)
                theirs: list[Argument | None] = [None] * plan.right.width
                for mine, other in plan.on:
                    theirs[other] = sees[mine]
                texts = list(self.conditions(plan.right, theirs, plan.base))
                yield f"not ({' and '.join(texts)})" if texts else "nothing of that"
            case NonPointwise():
                yield self._operator(plan, known)
            case Filter() | Apply() | Solve():
                sees = self._source_columns(plan, known)
                yield from self.conditions(plan.source, sees[: plan.source.width], given)
                text = self.condition(plan, sees)
                if text is not None:
                    yield text

    def _operator(
        self, plan: Dilate | Erode | Since | Shift, known: Sequence[Argument | None]
    ) -> str:
        """``DiamondMinus [0,5] (…)``, ``Since [0,5] (…; …)``: an operator with its conditions."""
        if isinstance(plan, Shift):
            return f"{operator_text(plan)} {self._within(plan, known)}"
        name = write_operator(self.names, metric_operator_name(plan), plan.rho)
        return f"{name} {self._within(plan, known)}"

    def _within(
        self, plan: Dilate | Erode | Since | Shift, known: Sequence[Argument | None]
    ) -> str:
        if not isinstance(plan, Since):
            return f"({self._together(plan.source, known)})"
        sees = self._source_columns(plan, known)
        left = self._together(plan.left, sees[: plan.left.width])
        right = self._together(plan.right, sees[plan.left.width :])
        return f"({left}; {right})"

    def _together(self, plan: Plan, known: Sequence[Argument | None]) -> str:
        return " and ".join(self.conditions(plan, known)) or "always"

    def pattern(self, plan: Scan, known: Sequence[Argument | None]) -> str:
        """The pattern of a scan, with what is known of its columns."""
        view = self.names.views.get(plan)
        args: list[Argument] = (
            [Variable(f"x{place + 1}") for place in range(plan.relation.arity)]
            if view is None
            else list(view)
        )
        for place, text in plan.constants:
            args[place] = text
        for place, value in zip(plan.keep, known, strict=True):
            if value is not None:
                args[place] = value
        for left, right in plan.equal:
            args[right] = args[left]
        return plain(self.names.fact(plan.relation, [Piece(self._argument(arg)) for arg in args]))

    def condition(
        self, plan: Filter | Apply | Solve, sees: Sequence[Argument | None]
    ) -> str | None:
        """A built-in of the values of ``plan``, its own value last; None: it need not be shown."""
        given = [self._operand(arg, sees) for arg in plan.args]
        match plan:
            case Filter(test=test):
                return None if test == SAME_TERM else self._application(test, given)
            case Apply(function=function):
                if function == COPY:
                    return f"{self._argument(sees[-1])} = {self._argument(given[0])}"
                return f"{self._application(function, given)} = {self._argument(sees[-1])}"
            case Solve(predicate=predicate):
                return self._application(predicate, given)

    @staticmethod
    def _operand(arg: Operand | None, sees: Sequence[Argument | None]) -> Argument | None:
        if arg is None:
            return sees[-1]
        return sees[arg] if isinstance(arg, int) else arg

    def _source_columns(
        self,
        plan: Join | AntiJoin | Filter | Apply | Solve | Since,
        known: Sequence[Argument | None],
    ) -> list[Argument | None]:
        """The columns of the sources of a plan, and the value of a function; see `condition`.

        A column that is not known has its name in the rules.
        """
        width = sum(source.width for source in plan.sources)
        sees: list[Argument | None] = [None] * (width + isinstance(plan, Apply | Solve))
        match plan:
            case Join() | Since():
                for column, value in zip(plan.keep, known, strict=True):
                    sees[column if column >= 0 else plan.left.width + ~column] = value
            case _:
                for column, value in zip(plan.keep, known, strict=False):
                    sees[column] = value
                if isinstance(plan, Apply | Solve):
                    sees[-1] = known[-1]
        if isinstance(plan, Join | AntiJoin | Since):
            for mine, theirs in plan.on:
                other = plan.left.width + theirs
                sees[mine] = sees[other] = sees[mine] if sees[mine] is not None else sees[other]
        view = self.names.views.get(plan)
        if view is not None and len(view) == len(sees):
            sees = [
                name if value is None else value for value, name in zip(sees, view, strict=True)
            ]
        return sees

    def _application(self, name: str, args: Sequence[Argument | None]) -> str:
        if name == _NOT_SAME:
            return f"{self._argument(args[0])} is not {self._argument(args[1])}"
        return plain(self.names.applied(name, [Piece(self._argument(arg)) for arg in args]))

    def _argument(self, argument: Argument | None) -> str:
        if argument is None:
            return "?"
        if isinstance(argument, Variable):
            return str(argument)
        plain_value = _PLAIN.match(argument)
        return plain_value[1] if plain_value else write_term(self.names, argument)


def _columns_of(plan: Filter | Apply | Solve) -> list[int]:
    return [arg for arg in plan.args if isinstance(arg, int)]
