"""Why a fact does not hold: what each rule lacks that could derive it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Final

import numpy as np

from r4.explain.justification.rule_instances import NegatedMatch, OperandRow
from r4.explain.lacks import ConditionLack, Lacks, RuleLack
from r4.explain.question.blocking_facts import blocking_facts
from r4.explain.question.event_lacks import (
    group_values,
    is_going_on,
    other_events,
    other_values,
)
from r4.explain.question.join_sides import column_at, join_keys, known_sides
from r4.explain.question.known_state import KnownState
from r4.explain.question.operand_lacks import lacking_operand
from r4.explain.rendering.names import is_of_regime, write_rule_name, write_value
from rete.arrays.delta import Rows
from rete.graph.plan import MetricOperator, Plan, questions_about_source
from rete.graph.streams import Stream, Terminal
from rete.nodes.aggregate import Aggregate
from rete.nodes.anti_join import AntiJoin, AntiJoinNode
from rete.nodes.filter import EQUAL, Filter
from rete.nodes.linear import LinearNode
from rete.nodes.metric.diamond import Dilate
from rete.nodes.scan import Scan
from rete.planning.lowering import Argument
from rete.planning.operands import is_disjunction
from rete.storage.interval_sets import CellInterval
from rete.storage.row_algebra import project
from rete.terms.relations import TRIPLES, Relation
from rif.syntax.terms import Variable

_RULES: Final = 5
"""So many rules are shown; those of entailment regimes only if there are no others."""
_INNER_RULES: Final = 2
"""So many of those that could make a condition of another one true."""
_DEEPEST: Final = 4
"""So many operators and rules are followed inwards."""
_MOST_INNER: Final = 30
"""So often in all."""
_MANY: Final = 30
_SHOWN: Final = 3
"""So many rows are followed where several come near."""


@dataclass(frozen=True, slots=True)
class BodyLack:
    """What a body lacks.

    Attributes:
        conditions: those that are not true.
        met: how many of its conditions are.
    """

    conditions: tuple[ConditionLack, ...]
    met: int


def explain_why_not(known: KnownState, relation: Relation, terms: Sequence[int]) -> Lacks:
    """What each rule that could derive the fact lacks; those that lack least first.

    A rule lacks each pattern of its body that nothing matches. If all are matched, but not
    together or not as a test wants, that is told with what comes nearest. Of a metric operator it
    is told when its operand does not hold, and of that again what rules lack; of a negation the
    facts that it forbids.
    """
    cell = known.state.cell
    return _Search(known).rules(relation, terms, (cell, cell + 1))


class _Search:
    """Walks bodies from their ends, as far as there are rows."""

    def __init__(self, known: KnownState) -> None:
        self._known = known
        self._state = known.state
        self._wording = known.wording
        self._level = 0
        self._left = _MOST_INNER
        self._above: list[tuple[tuple[Relation, tuple[int, ...]], CellInterval]] = []

    def rules(
        self, relation: Relation, terms: Sequence[int], pair: CellInterval, *, inner: bool = False
    ) -> Lacks:
        """What rules lack that could derive a fact in some cell of ``pair``.

        ``inner``: the fact is a condition of another rule.
        """
        row = np.array([[*terms, *pair]], np.int64)
        self._above.append(((relation, tuple(terms)), pair))
        found: list[tuple[tuple[bool, int, int, int], int, RuleLack]] = []
        for network in self._state.layers.networks:
            for table in network.tables:
                if table.relation != relation:
                    continue
                queried = row
                if relation == TRIPLES and table.answers:
                    queried = self._state.layers.classes.expand(self._state.layers.classes.of(row))
                for stream, terminal in table.feeders:
                    left = terminal.asks(queried)
                    if len(left):
                        questions = project(left[:1], terminal.places)
                        lack, met = self._rule(stream, terminal, questions, inner=inner)
                        rule = terminal.rule
                        key = rule not in self._known.first, len(lack.conditions), -met, rule
                        found.append((key, rule, lack))
        self._above.pop()
        labels = self._wording.names.labels
        own = [each for each in found if not is_of_regime(labels.get(each[1], 0))]
        ordered = sorted(own or found, key=itemgetter(0))
        shown = list(dict.fromkeys(lack for *_, lack in ordered))
        most = _INNER_RULES if inner else _RULES
        return Lacks(tuple(shown[:most]), max(0, len(shown) - most))

    def _rule(
        self, stream: Stream, terminal: Terminal, queried: Rows, *, inner: bool
    ) -> tuple[RuleLack, int]:
        """What a body lacks for a head; boxes over the head move the time that is asked about."""
        rule, wording, body = terminal.rule, self._wording, stream
        known, asked, when = terminal.known, queried, _times(queried) if inner else None
        is_rule = not is_disjunction(terminal.table.relation)
        for _ in range(wording.head_boxes(rule) if is_rule else 0):
            if not isinstance(stream.plan, Dilate):
                break
            there = self._known.within(stream.plan.reach(_times(asked))[0])
            if there is None:
                break
            asked, when = asked.copy(), there
            asked[:, -2:] = there
            known = tuple(stream.plan.columns[column] for column in known)
            (stream,) = stream.sources
        moved = stream is not body
        self._level += moved
        lack = self.lack(stream, known, asked)
        self._level -= moved
        told = None if when is None else self._known.told(when)
        name = write_rule_name(wording.names, rule) if is_rule else ""
        label = wording.rule_label(rule)
        return RuleLack(name, label, lack.conditions, told), lack.met

    def _inner(
        self, stream: Stream, columns: Mapping[int, int], pair: CellInterval
    ) -> Lacks | None:
        """Why no row of an operand is true in ``pair``; None: there is nothing to tell."""
        inside = self._known.within(pair)
        if inside is None or self._level >= _DEEPEST or not self._left:
            return None
        self._level += 1
        self._left -= 1
        found = self._why(stream, columns, inside)
        self._level -= 1
        return found if found.rules else None

    def _why(self, stream: Stream, columns: Mapping[int, int], pair: CellInterval) -> Lacks:
        if isinstance(stream.plan, Scan):
            terms = self._known.terms(stream, columns)
            if terms is None:
                return Lacks()
            asked = stream.plan.relation, terms
            if any(
                asked == fact and lo <= pair[0] and pair[1] <= hi for fact, (lo, hi) in self._above
            ):
                return Lacks()
            return self.rules(*asked, pair, inner=True)
        queried = np.array([[*columns.values(), *pair]], np.int64)
        lack = self.lack(stream, tuple(columns), queried)
        if not lack.conditions:
            return Lacks()
        return Lacks((RuleLack("", "", lack.conditions, self._known.told(pair)),))

    def lack(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> BodyLack:
        """What the body of ``stream`` lacks for rows that agree with ``queried``, (1, …)."""
        plan = stream.plan
        if isinstance(plan, Scan) or not plan.pointwise:
            return self._as_one(stream, known, queried)
        if not plan.joined:
            return BodyLack((), 0)
        if len(plan.joined) > 1:
            is_join = not (plan.sources[2:] or plan.computes)
            return (self._of_join if is_join else self._as_one)(stream, known, queried)
        source = stream.sources[0]
        values, places = questions_about_source(plan, queried, known)
        lack = self.lack(source, places, values)
        if lack.conditions:
            blocking = self._blocking(stream, places, values)
            return replace(lack, conditions=(*lack.conditions, *blocking))
        if not isinstance(stream.node, AntiJoinNode | LinearNode):  # not traced row by row
            return replace(self._as_one(stream, known, queried), met=lack.met)
        rows = np.unique(self._state.rows(source, places, values), axis=0)
        given = {column: int(queried[0, place]) for place, column in enumerate(known)}
        return BodyLack(tuple(self._refusals(stream, rows, given)), lack.met)

    def _blocking(
        self, stream: Stream, known: tuple[int, ...], queried: Rows
    ) -> Iterator[ConditionLack]:
        """What a negation forbids of all that some conditions before it are true of.

        So nothing passes it, whatever comes that the others of these conditions lack.
        """
        plan = stream.plan
        if not isinstance(plan, AntiJoin):
            return
        keys = self._given(stream.sources[0], plan.evidence, known, queried)
        theirs = tuple(theirs for _, theirs in plan.on)
        if len(keys) <= _MANY and all(
            self._has_rows(stream.sources[1], theirs, key) for key in keys[:, None]
        ):
            for key in keys[:_SHOWN, None]:
                yield self._present(NegatedMatch(stream, tuple(key[0, :-2].tolist())), _times(key))

    def _given(
        self, stream: Stream, wanted: tuple[int, ...], known: tuple[int, ...], queried: Rows
    ) -> Rows:
        """The values of columns, and when, by a part of a body that is true of them; or none."""
        at = {column: place for place, column in enumerate(known)}
        if at.keys() >= {*wanted}:
            return _columns(queried, (at[column] for column in wanted))
        plan, rows = stream.plan, self._state.rows(stream, known, queried)
        found = np.unique(_columns(rows, wanted), axis=0)
        if len(rows) or isinstance(plan, Scan) or not plan.pointwise or plan.computes:
            return found
        places = [plan.columns[column] for column in wanted]
        if len(plan.joined) == 1:
            values, given = questions_about_source(plan, queried, known)
            return self._given(stream.sources[0], tuple(places), given, values)
        if len(plan.sources) == 2:  # noqa: PLR2004 - a join
            for number, sides in enumerate(known_sides(plan, known)):
                mine = [column_at(plan, place, number) for place in places]
                here = tuple(column for column in mine if column is not None)
                if len(here) == len(mine) and not len(found):
                    about = _columns(queried, sides.values())
                    found = self._given(stream.sources[number], here, tuple(sides), about)
        return found

    def _present(self, absent: NegatedMatch, pair: CellInterval) -> ConditionLack:
        """That in ``pair`` there is what a negation forbids."""
        facts = blocking_facts(self._known, absent, pair)
        return ConditionLack(f"there is {self._wording.absent(absent)}", blocking=facts)

    def _as_one(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> BodyLack:
        """What is told of a pattern or an operator as a whole: whether it has such rows."""
        if self._has_rows(stream, known, queried):
            return BodyLack((), 1)
        asked = {column: place for place, column in enumerate(known)}
        text = " and ".join(self._conditions(stream, asked, queried))
        plan, pair = stream.plan, _times(queried)
        columns = {column: int(queried[0, place]) for column, place in asked.items()}
        if isinstance(plan, Scan):
            because = self._inner(stream, columns, pair) if self._level else None
            others = other_events(self._known, stream, columns, pair)
            no = f"there is no {text}"
            if is_going_on(self._known, stream, columns):
                no = f"it has not ended: {no}"
            elif text in others:
                no, others = f"{text} is so at its end alone", ()
            return BodyLack((ConditionLack(no, because=because, others=others),), 0)
        if isinstance(plan, Aggregate):
            return BodyLack((self._of_aggregate(stream, columns, pair, text),), 0)
        found = None
        if isinstance(plan, MetricOperator):
            given = {plan.columns[column]: value for column, value in columns.items()}
            found = lacking_operand(self._known, stream, given, pair)
        if found is None:
            return BodyLack((ConditionLack(f"not so: {text}"),), 0)
        because = self._inner(found.source, found.columns, found.pair)
        return BodyLack((ConditionLack(f"not so: {text}", found.lack, because=because),), 0)

    def _of_aggregate(
        self, stream: Stream, columns: Mapping[int, int], pair: CellInterval, text: str
    ) -> ConditionLack:
        """That no group has such a value: those that there are, or that one has no members."""
        plan, value = stream.plan, columns.get(stream.plan.width - 1)
        assert isinstance(plan, Aggregate)
        groups = other_values(self._known, stream, columns, pair)
        if groups and not groups[0].count:
            at = enumerate(plan.by)
            known = {place: columns[column] for column, place in at if column in columns}
            queried = np.array([[*known.values(), *pair]], np.int64)
            self._level += 1
            lack = self.lack(stream.sources[0], tuple(known), queried)
            self._level -= 1
            told = RuleLack("", "", lack.conditions, self._known.told(pair))
            because = Lacks((told,)) if lack.conditions else None
            return ConditionLack(f"{plan.name} has no members", groups=groups, because=because)
        if value is not None:
            text = f"{plan.name} is {write_value(self._wording.names, self._wording.text(value))}"
        return ConditionLack(f"not so: {text}", groups=groups)

    def _refusals(
        self, stream: Stream, rows: Rows, given: Mapping[int, int]
    ) -> Iterator[ConditionLack]:
        """Why none of ``rows`` passes a test or a negation; nothing: some do."""
        plan = stream.plan
        texts: dict[str, ConditionLack] = {}
        if isinstance(stream.node, AntiJoinNode):
            if len(stream.node.unmatched(rows)):
                return
            for row in rows[: 10 * _SHOWN].tolist():
                absent = NegatedMatch(stream, tuple(row[mine] for mine in plan.evidence or ()))
                lack = self._present(absent, (row[-2], row[-1]))
                texts.setdefault(lack.text, lack)
        else:
            assert isinstance(stream.node, LinearNode)
            origins, found = stream.node.trace(np.ascontiguousarray(rows))
            wanted = given.get(plan.width - 1) if plan.computes else None
            if wanted is not None and len(found) and wanted not in found[:, -3]:
                for origin, value in zip(origins.tolist(), found[:, -3].tolist(), strict=True):
                    sees = self._texts_of(rows[origin].tolist(), self._wording.text(value))
                    text = self._wording.condition(plan, sees)
                    told = f"{text}, not {self._wording.short(wanted)}"
                    texts.setdefault(told, ConditionLack(told))
            elif not len(found):
                groups = dict.fromkeys(
                    group
                    for *values, lo, hi in rows[:_MANY].tolist()
                    for group in group_values(
                        self._known, OperandRow(stream.sources[0], tuple(values)), (lo, hi)
                    )
                )
                for text in self._failures(plan, rows):
                    yield ConditionLack(text, groups=tuple(groups)[:_SHOWN])
                return
        yield from islice(texts.values(), _SHOWN)
        if len(texts) > _SHOWN:
            yield ConditionLack("and so on")

    def _no_other(self, plan: Filter, row: list[int]) -> str:
        """That nothing else fits one of two variables, if ``plan`` negates that they are equal.

        ``""``: it negates something else, or they are not one term in this row.
        """
        names = self._wording.names
        view = names.views.get(plan, ())
        if plan.test != EQUAL or not view:
            return ""
        one, other = plan.args
        if not isinstance(one, int) or not isinstance(other, int) or row[one] != row[other]:
            return ""
        here, there = names.argument(view[one]), names.argument(view[other])
        known: list[Argument | None] = list(map(self._wording.text, row[:-2]))
        known[other] = None
        asked = [
            text
            for text in self._wording.conditions(plan.source, known)
            if re.search(rf"{re.escape(there)}\b", text)
        ]
        value = self._wording.short(row[one])
        return f"no other {there} than {here}, {value}, fits {' and '.join(asked)}" if asked else ""

    def _failures(self, plan: Plan, rows: Rows) -> Iterator[str]:
        """That none of ``rows`` passes a test, with some of them."""
        texts = list(dict.fromkeys(map(partial(self._unmet, plan), rows[:_MANY].tolist())))
        if plan.computes or (isinstance(plan, Filter) and not plan.passes):
            yield from texts[:_SHOWN]
            return
        some = ", ".join(texts[:_SHOWN])
        more = ", and so on" if len(texts) > _SHOWN else ""
        yield f"none of these is so: {some}{more}" if len(texts) > 1 else f"not so: {some}"

    def _texts_of(self, row: list[int], *value: Argument) -> list[Argument | None]:
        return [*map(self._wording.text, row[:-2]), *value]

    def _unmet(self, plan: Plan, row: list[int]) -> str:
        if isinstance(plan, Filter) and not plan.passes:
            true = self._wording.condition(replace(plan, passes=True), self._texts_of(row))
            return self._no_other(plan, row) or f"there is {true}"
        if not plan.computes:
            return self._wording.condition(plan, self._texts_of(row)) or "the same"
        sees = self._texts_of(row, Variable("value"))
        return f"there is no ?value with {self._wording.condition(plan, sees)}"

    def _of_join(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> BodyLack:
        plan = stream.plan
        on, (lefts, rights) = join_keys(plan), known_sides(plan, known)
        left, right = stream.sources
        one = self.lack(left, tuple(lefts), _columns(queried, lefts.values()))
        other = self.lack(right, tuple(rights), _columns(queried, rights.values()))
        met = one.met + other.met
        if one.conditions or other.conditions:
            return BodyLack(tuple(dict.fromkeys((*one.conditions, *other.conditions))), met)
        if self._has_rows(stream, known, queried):
            return BodyLack((), met)
        rows = self._state.rows(left, tuple(lefts), _columns(queried, lefts.values()))
        keys = np.unique(rows[:, [mine for mine, _ in on]], axis=0)
        if len(keys) == 1:
            joined = {theirs for _, theirs in on}
            more = {column: place for column, place in rights.items() if column not in joined}
            row = [*keys[0].tolist(), *queried[0, list(more.values())].tolist(), *queried[0, -2:]]
            found = self.lack(right, (*(t for _, t in on), *more), np.array([row], np.int64))
            if found.conditions:
                return BodyLack(found.conditions, one.met + found.met)
        both = " and ".join(
            (*self._conditions(left, lefts, queried), *self._conditions(right, rights, queried))
        )
        return BodyLack((ConditionLack(f"nothing fits {both} at once"),), met)

    def _conditions(self, stream: Stream, known: Mapping[int, int], queried: Rows) -> Iterator[str]:
        columns: list[Argument | None] = [None] * stream.plan.width
        for column, place in known.items():
            columns[column] = self._wording.text(int(queried[0, place]))
        return self._wording.conditions(stream.plan, columns)

    def _has_rows(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> bool:
        return len(self._state.rows(stream, known, queried)) > 0


def _columns(queried: Rows, places: Iterable[int]) -> Rows:
    return np.ascontiguousarray(queried[:, [*places, -2, -1]])


def _times(queried: Rows) -> CellInterval:
    """The cells of a question."""
    return int(queried[0, -2]), int(queried[0, -1])
