"""Conditions of rules in their own words, with the values they are true of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from r4.explain.explanation import Statement
from r4.explain.justification.rule_instances import NegatedMatch, TrueBuiltin
from r4.explain.rendering.names import write_facts, write_term, write_value
from rete.drawing.names import Names, Piece, plain
from rete.graph.plan import Call, NonPointwise, Plan
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.planning.lowering import Argument
from rete.planning.operands import is_disjunction
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Operand, Relation
from rif.builtins.extensions import R4_BUILTIN
from rif.syntax.terms import Variable

UNNAMED: Final = "<urn:r4:unnamed"
"""The beginning of the names of elements that have none of their own."""
_NOT_SAME: Final = R4_BUILTIN + "not-same-term"


class ConditionWriter:
    """Writes what the ids of a state stand for, in the names of the rules.

    A disjunction under an operator is written as the bodies of its relation in ``networks``.
    """

    def __init__(self, terms: Dictionary, names: Names, networks: Iterable[Network] = ()) -> None:
        self._terms = terms
        self.names = names
        tables = (table for network in networks for table in network.tables)
        self._disjunctions = {
            table.relation: table for table in tables if is_disjunction(table.relation)
        }

    def statement(self, relation: Relation, terms: Iterable[int]) -> Statement:
        """A fact as texts."""
        return Statement(relation, tuple(map(self._terms.decode, terms)))

    def fact(self, relation: Relation, terms: Iterable[int]) -> str:
        """A fact as the rules write it."""
        return write_facts(self.names, self.statement(relation, terms))

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

    def rule_label(self, number: int) -> str | int:
        """What a rule is called in JSON: the IRI of its annotation, or its number."""
        return self.names.labels.get(number, number)

    def head_boxes(self, number: int) -> int:
        """How many boxes may stand over a head of a rule."""
        return self.names.boxes.get(number, 0)

    def builtin(self, builtin: TrueBuiltin) -> str | None:
        """``54 ≥ 48``; None: it need not be shown."""
        plan = builtin.plan
        values = (*builtin.args, builtin.value) if plan.computes else builtin.args
        sees = self._values(plan, plan.evidence or (), map(self._terms.decode, values))
        return self.condition(plan, sees, self.short(builtin.value) if plan.computes else None)

    def absent(self, absent: NegatedMatch) -> str:
        """``ex:LGA[ex:closed -> ?why]``: what is negated, with the values that are known."""
        plan = absent.stream.plan
        key = map(self._terms.decode, absent.key)
        return " and ".join(self._negated(plan, self._values(plan, plan.evidence or (), key)))

    def of_row(self, plan: Plan, values: Sequence[int]) -> str:
        """The conditions of an operand with the values of its columns."""
        return self.together(plan, list(map(self._terms.decode, values)))

    def about(self, plan: Plan, values: Sequence[int]) -> str:
        """What an operator is about, with the values of its columns: ``(…)``, ``(…; …)``."""
        return self._within(plan, list(map(self._terms.decode, values)))

    def event(self, plan: NonPointwise, values: Sequence[int]) -> str:
        """``At 104 ( ex:a[ex:is -> ex:hot] )``: an operator that tells of times of a fact."""
        (source,) = plan.sources
        texts = list(map(self._terms.decode, values))
        times = " ".join(map(self._argument, texts[source.width :]))
        return f"{plan.name} {times} ( {self.together(source, texts[: source.width])} )"

    def conditions(
        self, plan: Plan, known: Sequence[Argument | None], given: Plan | None = None
    ) -> Iterator[str]:
        """The conditions of a plan, with what is known of its columns; but for those ``given``."""
        if plan == given:
            return
        if isinstance(plan, Scan):
            yield self.pattern(plan, known)
            return
        if isinstance(plan, NonPointwise):
            operator = self.names.operator(plan.name, plan.distances)
            yield f"{operator} {self._within(plan, known)}"
            return
        sees = self._inputs(plan, known)
        for source, begin in zip(plan.joined, plan.begins, strict=False):
            yield from self.conditions(source, sees[begin : begin + source.width], given)
        if plan.negated is not None:
            texts = list(self._negated(plan, sees))
            yield f"not ({' and '.join(texts)})" if texts else "nothing of that"
        else:
            text = self.condition(plan, sees)
            if text is not None:
                yield text

    def _negated(self, plan: Plan, sees: Sequence[Argument | None]) -> Iterator[str]:
        """The conditions that must not be true for a row of ``plan``, with its inputs."""
        assert plan.negated is not None
        yield from self.conditions(
            plan.sources[plan.negated], sees[plan.begins[plan.negated] :], plan.base
        )

    def _within(self, plan: Plan, known: Sequence[Argument | None]) -> str:
        sees = self._values(plan, plan.columns, known)
        texts = (
            self.together(source, sees[begin : begin + source.width])
            for source, begin in zip(plan.sources, plan.begins, strict=True)
        )
        return f"({'; '.join(texts)})"

    def together(self, plan: Plan, known: Sequence[Argument | None]) -> str:
        """The conditions of an operand, with what is known of its columns."""
        texts = list(self.conditions(plan, known))
        if isinstance(plan, Scan) and plan.relation in self._disjunctions:
            return texts[0].removeprefix("(").removesuffix(")")
        return " and ".join(texts) or "always"

    def pattern(self, plan: Scan, known: Sequence[Argument | None]) -> str:
        """The pattern of a scan, with what is known of its columns."""
        view = self.names.views.get(plan)
        if view is None:
            numbers = dict(plan.numbers)
            places = range(plan.relation.arity)
            view = tuple(numbers.get(place) or Variable(f"x{place + 1}") for place in places)
        args = self._arguments(plan, view, known)
        if plan.relation in self._disjunctions:
            return f"({' or '.join(self._disjuncts(plan.relation, args))})"
        return plain(self.names.fact(plan.relation, [Piece(self._argument(arg)) for arg in args]))

    def _disjuncts(self, relation: Relation, args: Sequence[Argument]) -> Iterator[str]:
        for stream, terminal in self._disjunctions[relation].feeders:
            known: list[Argument | None] = [None] * stream.plan.width
            for column, place in zip(terminal.known, terminal.places, strict=True):
                known[column] = args[place]
            yield self.together(stream.plan, known)

    @staticmethod
    def _arguments(
        plan: Scan, view: Iterable[Argument], known: Sequence[Argument | None]
    ) -> list[Argument]:
        """The arguments of a scan, by their names in ``view`` where nothing is known of them."""
        args = list(view)
        for place, text in plan.constants:
            args[place] = text
        for place, value in zip(plan.keep, known, strict=True):
            if value is not None:
                args[place] = value
        for left, right in plan.equal:
            args[right] = args[left]
        return args

    def condition(
        self, plan: Plan, sees: Sequence[Argument | None], value: str | None = None
    ) -> str | None:
        """What is true of the inputs of ``plan``, that it computes last; None: nothing to say.

        ``value``: the text of what it computes.
        """
        words: list[str] = []
        for part in plan.condition:
            match part:
                case Call(builtin, args):
                    given = [self._argument(self._operand(arg, sees)) for arg in args]
                    if builtin == _NOT_SAME:
                        words.append(f"{given[0]} is not {given[1]}")
                    else:
                        words.append(plain(self.names.applied(builtin, list(map(Piece, given)))))
                case int():
                    words.append(self._argument(sees[part]) if value is None else value)
                case _:
                    words.append(str(part))
        return " ".join(words) or None

    @staticmethod
    def _operand(arg: Operand | None, sees: Sequence[Argument | None]) -> Argument | None:
        if arg is None:
            return sees[-1]
        return sees[arg] if isinstance(arg, int) else arg

    def _inputs(self, plan: Plan, known: Sequence[Argument | None]) -> list[Argument | None]:
        """The inputs of a plan; one that is not known has its name in the rules."""
        sees = self._values(plan, plan.columns, known)
        view = self.names.views.get(plan)
        if view is not None and len(view) == len(sees):
            sees = [
                name if value is None else value for value, name in zip(sees, view, strict=True)
            ]
        return sees

    @staticmethod
    def _values(
        plan: Plan, places: Iterable[int], known: Iterable[Argument | None]
    ) -> list[Argument | None]:
        """The columns of the sources of a plan, and what it computes last; None: not known."""
        width = sum(source.width for source in plan.sources)
        sees: list[Argument | None] = [None] * (width + plan.computes)
        for place, value in zip(places, known, strict=True):
            sees[place] = value
        for one, other in plan.equated:
            sees[one] = sees[other] = sees[one] if sees[one] is not None else sees[other]
        return sees

    def _argument(self, argument: Argument | None) -> str:
        if argument is None:
            return "?"
        if isinstance(argument, Variable):
            return str(argument)
        return write_value(self.names, argument)
