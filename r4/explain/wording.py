"""What explanations call things: terms and rules by name, conditions with their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from r4.compile import Program
from r4.explain.ground import Absent, Tested
from r4.explain.tree import Statement
from rete.dictionary import Dictionary
from rete.explain import Names, names_of
from rete.explain.names import Piece, plain
from rete.lowering import Argument
from rete.plan import (
    COPY,
    SAME_TERM,
    AntiJoin,
    Apply,
    Filter,
    Join,
    Operand,
    Plan,
    Relation,
    Scan,
    Solve,
    Unit,
)
from rif.ast import Document, Group
from rif.builtins.own import OWN
from rif.terms import OWL, XSD, Variable

UNNAMED: Final = "<urn:r4:unnamed"
"""How the names of elements begin that have none."""
_LOCAL: Final = re.compile(r"[\w:](?:[\w:.-]*[\w:-])?\Z")
_REGIME: Final = re.compile(r"urn:r4:(?=[a-z-]+#)")
"""How the names of rules of an entailment regime begin."""
_CUSTOMARY: Final = (
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("owl", OWL),
    ("xsd", XSD),
    ("own", "urn:r4:builtin#"),
)
_NOT_SAME: Final = OWN + "not-same-term"


def names_for(documents: Sequence[Document], program: Program, title: str = "rules") -> Names:
    """The names in ``documents``, the main one first, and the labels of all rules of ``program``.

    Plans the rules once more.
    """
    groups = tuple(each.group for each in documents if each.group is not None)
    names = names_of(replace(documents[0], group=Group(groups)), title)
    labels = {i: label for i, label in enumerate(program.labels, 1) if isinstance(label, str)}
    declared = {prefix for prefix, _ in names.prefixes}
    known = {namespace for _, namespace in names.prefixes}
    more = [pair for pair in _CUSTOMARY if pair[0] not in declared and pair[1] not in known]
    return replace(names, labels=labels, prefixes=(*names.prefixes, *more))


def rule_name(names: Names, number: int) -> str:
    """``rule 3 ex:gust``; a rule of an entailment regime by its name alone, ``rdfs#rdfs9``."""
    label = names.labels.get(number)
    return (
        names.rule(number) if label is None or not is_of_regime(label) else _REGIME.sub("", label)
    )


def is_of_regime(label: str | int) -> bool:
    """Whether a rule with that label belongs to an entailment regime."""
    return isinstance(label, str) and _REGIME.match(label) is not None


def term(names: Names, text: str) -> str:
    """A term, as short as Turtle could write it: a local name may have colons."""
    short = names.term(text)
    if short.startswith("<") and _LOCAL.match(short) is None:
        iri = short[1:-1]
        spaces = [pair for pair in names.prefixes if pair[1] and iri.startswith(pair[1])]
        if spaces:
            prefix, space = max(spaces, key=lambda pair: len(pair[1]))
            local = iri[len(space) :]
            if _LOCAL.match(local):
                return f"{prefix}:{local}"
    return short


def said(names: Names, fact: Statement) -> str:
    """A fact in the syntax of rules."""
    return plain(names.fact(fact.relation, [Piece(term(names, text)) for text in fact.terms]))


class Wording:
    """Says what the ids of a state stand for."""

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
        """The same as the rules could write it."""
        return term(self.names, self._terms.decode(number))

    def element(self, name: int) -> str | None:
        """The name of an element; None: it has none."""
        text = self._terms.decode(name) if name > 0 else UNNAMED
        return None if text.startswith(UNNAMED) else text

    def tested(self, tested: Tested) -> str | None:
        """``54 ≥ 48``; None: what needs no saying."""
        plan = tested.plan
        values = dict(zip(_columns_of(plan), map(self._terms.decode, tested.args), strict=True))
        given: list[Argument | None] = [
            None if arg is None else values[arg] if isinstance(arg, int) else arg
            for arg in plan.args
        ]
        match plan:
            case Filter(test=test):
                return None if test == SAME_TERM else self._applied(test, given)
            case Apply(function=function):
                if function == COPY:
                    return None
                return f"{self._applied(function, given)} = {self.short(tested.value)}"
            case Solve(predicate=predicate):
                found = self._terms.decode(tested.value)
                return self._applied(predicate, [found if arg is None else arg for arg in given])

    def absent(self, absent: Absent) -> str:
        """``ex:LGA[ex:closed -> ?why]``: what is negated, with the values that are known."""
        plan = absent.plan
        known: list[Argument | None] = [None] * plan.right.width
        for (_, theirs), term in zip(plan.on, absent.key, strict=True):
            known[theirs] = self._terms.decode(term)
        return " and ".join(self.conditions(plan.right, known, plan.base))

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
                sees = self._seen(plan, known)
                yield from self.conditions(plan.left, sees[: plan.left.width], given)
                yield from self.conditions(plan.right, sees[plan.left.width :], given)
            case AntiJoin():
                sees = self._seen(plan, known)
                yield from self.conditions(plan.left, sees[: plan.left.width], given)
                theirs: list[Argument | None] = [None] * plan.right.width
                for mine, other in plan.on:
                    theirs[other] = sees[mine]
                texts = list(self.conditions(plan.right, theirs, plan.base))
                yield f"not ({' and '.join(texts)})" if texts else "nothing of that"
            case Filter() | Apply() | Solve():
                sees = self._seen(plan, known)
                yield from self.conditions(plan.source, sees[: plan.source.width], given)
                text = self.condition(plan, sees)
                if text is not None:
                    yield text

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
        """A built-in of what ``plan`` sees, its own value last; None: what needs no saying."""
        given = [self._operand(arg, sees) for arg in plan.args]
        match plan:
            case Filter(test=test):
                return None if test == SAME_TERM else self._applied(test, given)
            case Apply(function=function):
                if function == COPY:
                    return f"{self._argument(sees[-1])} = {self._argument(given[0])}"
                return f"{self._applied(function, given)} = {self._argument(sees[-1])}"
            case Solve(predicate=predicate):
                return self._applied(predicate, given)

    @staticmethod
    def _operand(arg: Operand | None, sees: Sequence[Argument | None]) -> Argument | None:
        if arg is None:
            return sees[-1]
        return sees[arg] if isinstance(arg, int) else arg

    def _seen(
        self, plan: Join | AntiJoin | Filter | Apply | Solve, known: Sequence[Argument | None]
    ) -> list[Argument | None]:
        """What a plan sees: of Join and AntiJoin the columns of both sides, else its source's.

        Functions add theirs. What is not known has its name in the rules.
        """
        width = sum(source.width for source in plan.sources)
        sees: list[Argument | None] = [None] * (width + isinstance(plan, Apply | Solve))
        match plan:
            case Join():
                for column, value in zip(plan.keep, known, strict=True):
                    sees[column if column >= 0 else plan.left.width + ~column] = value
            case _:
                for column, value in zip(plan.keep, known, strict=False):
                    sees[column] = value
                if isinstance(plan, Apply | Solve):
                    sees[-1] = known[-1]
        if isinstance(plan, Join | AntiJoin):
            for mine, theirs in plan.on:
                other = plan.left.width + theirs
                sees[mine] = sees[other] = sees[mine] if sees[mine] is not None else sees[other]
        view = self.names.views.get(plan)
        if view is not None and len(view) == len(sees):
            sees = [
                name if value is None else value for value, name in zip(sees, view, strict=True)
            ]
        return sees

    def _applied(self, name: str, args: Sequence[Argument | None]) -> str:
        if name == _NOT_SAME:
            return f"{self._argument(args[0])} is not {self._argument(args[1])}"
        return plain(self.names.applied(name, [Piece(self._argument(arg)) for arg in args]))

    def _argument(self, argument: Argument | None) -> str:
        if argument is None:
            return "?"
        return str(argument) if isinstance(argument, Variable) else term(self.names, argument)


def _columns_of(plan: Filter | Apply | Solve) -> list[int]:
    return [arg for arg in plan.args if isinstance(arg, int)]
