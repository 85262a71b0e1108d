"""Why a fact does not hold: what each rule lacks that could derive it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

import numpy as np

from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import NegatedMatch
from r4.explain.rendering.condition_text import ConditionWriter
from r4.explain.rendering.names import is_of_regime, write_rule_name
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.graph.plan import Plan, questions_about_source
from rete.graph.streams import Stream
from rete.nodes.anti_join import AntiJoin, AntiJoinNode
from rete.nodes.filter import EQUAL, Filter
from rete.nodes.linear import LinearNode
from rete.nodes.metric.box import Erode
from rete.nodes.scan import Scan
from rete.planning.lowering import Argument
from rete.storage.interval_sets import CellInterval, coalesce, subtract
from rete.storage.row_algebra import project
from rete.terms.relations import TRIPLES, Relation
from rif.syntax.terms import Variable

_RULES: Final = 5
"""So many rules are shown; those of entailment regimes only if there are no others."""
_TOGETHER: Final = "its conditions are not true together"
_MANY: Final = 30
_SHOWN: Final = 3
"""So many rows are followed where several come near."""


@dataclass(frozen=True, slots=True)
class BodyLack:
    """What a body lacks.

    Attributes:
        texts: conditions that are not true.
        met: how many of its conditions are.
    """

    texts: tuple[str, ...]
    met: int


def explain_why_not(  # noqa: PLR0913 - the question, how to write it, what comes first
    state: InstantState,
    wording: ConditionWriter,
    relation: Relation,
    terms: Sequence[int],
    *,
    span: Callable[[CellInterval], str],
    first: Container[int] = (),
) -> Iterator[str]:
    """Per rule that could derive the fact a line on what it lacks; those that lack least first.

    Rules with numbers in ``first`` come before the others. ``span`` says when an interval of cells
    is; "" if no instant is in it.

    A rule lacks each pattern of its body that nothing matches. If all are matched, but not
    together or not as a test wants, the line has what comes nearest. Of a box it says when its
    operand does not hold.
    """
    row = np.array([[*terms, state.cell, state.cell + 1]], np.int64)
    found: list[tuple[bool, int, int, int, tuple[str, ...]]] = []
    for network in state.layers.networks:
        for table in network.tables:
            if table.relation != relation:
                continue
            queried = row
            if relation == TRIPLES and table.answers:
                queried = state.layers.classes.expand(state.layers.classes.of(row))
            for stream, terminal in table.feeders:
                left = terminal.asks(queried)
                if len(left):
                    questions = project(left[:1], terminal.places)
                    lack = _Search(state, wording, span).lack(stream, terminal.known, questions)
                    rule = terminal.rule
                    key = rule not in first, len(lack.texts), -lack.met, rule
                    found.append((*key, lack.texts))
    labels = wording.names.labels
    own = [each for each in found if not is_of_regime(labels.get(each[3], 0))]
    shown = sorted(dict.fromkeys(own or found))
    for *_, rule, texts in shown[:_RULES]:
        yield f"{write_rule_name(wording.names, rule)}: {'; '.join(texts) or _TOGETHER}"
    if len(shown) > _RULES:
        yield f"and {len(shown) - _RULES} others"


class _Search:
    """Walks a body from its end, as far as there are rows."""

    def __init__(
        self, state: InstantState, wording: ConditionWriter, span: Callable[[CellInterval], str]
    ) -> None:
        self._state = state
        self._wording = wording
        self._span = span

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
        if lack.texts:
            return replace(lack, texts=(*lack.texts, *self._blocking(stream, places, values)))
        if not isinstance(stream.node, AntiJoinNode | LinearNode):  # not traced row by row
            return replace(self._as_one(stream, known, queried), met=lack.met)
        rows = np.unique(self._state.rows(source, places, values), axis=0)
        given = {column: int(queried[0, place]) for place, column in enumerate(known)}
        return BodyLack(tuple(self._refusals(stream, rows, given)), lack.met)

    def _blocking(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> Iterator[str]:
        """The fact that a negation forbids, if ``queried`` alone, of its left side, says which."""
        plan, at = stream.plan, {column: place for place, column in enumerate(known)}
        if not isinstance(plan, AntiJoin) or not at.keys() >= {*plan.evidence}:
            return
        key = _columns(queried, (at[mine] for mine in plan.evidence))
        if self._has_rows(stream.sources[1], tuple(theirs for _, theirs in plan.on), key):
            absent = NegatedMatch(stream, tuple(key[0, :-2].tolist()))
            yield f"there is {self._wording.absent(absent)}"

    def _as_one(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> BodyLack:
        """What is told of a pattern or an operator as a whole: whether it has such rows."""
        if self._has_rows(stream, known, queried):
            return BodyLack((), 1)
        asked = {column: place for place, column in enumerate(known)}
        text = " and ".join(self._conditions(stream, asked, queried))
        kind = "there is no" if isinstance(stream.plan, Scan) else "not so:"
        gaps = ", ".join(islice(self._gaps(stream, asked, queried), _SHOWN))
        return BodyLack((f"{kind} {text}{f', as that does not hold {gaps}' if gaps else ''}",), 0)

    def _gaps(self, stream: Stream, asked: Mapping[int, int], queried: Rows) -> Iterator[str]:
        """When the operand of a box does not hold, of the times that the box is about.

        Nothing, if it holds at none of these, if ``queried`` leaves open which operand that is, if
        these have no end, or if there is no box.
        """
        plan = stream.plan
        if not isinstance(plan, Erode) or len(asked) < plan.width:
            return
        cell = int(queried[0, -2])
        ((lo, hi),) = plan.reach((cell, cell + 1))
        if lo <= NEG_INF or hi >= POS_INF:
            return
        row = [int(queried[0, asked[column]]) for column in range(plan.width)]
        known = tuple(plan.columns)
        held = self._state.rows(stream.sources[0], known, np.array([[*row, lo, hi]], np.int64))
        if len(held):
            times = coalesce((a, b) for a, b in held[:, -2:].tolist())
            yield from filter(None, map(self._span, subtract(((lo, hi),), times)))

    def _refusals(self, stream: Stream, rows: Rows, given: Mapping[int, int]) -> Iterator[str]:
        """Why none of ``rows`` passes a test or a negation; nothing: some do."""
        plan = stream.plan
        texts: dict[str, None] = {}
        if isinstance(stream.node, AntiJoinNode):
            if len(stream.node.unmatched(rows)):
                return
            for row in rows[: 10 * _SHOWN].tolist():
                absent = NegatedMatch(stream, tuple(row[mine] for mine in plan.evidence or ()))
                found_one = f"there is {self._wording.absent(absent)}"
                texts[self._no_other(plan, row) or found_one] = None
        else:
            assert isinstance(stream.node, LinearNode)
            origins, found = stream.node.trace(np.ascontiguousarray(rows))
            wanted = given.get(plan.width - 1) if plan.computes else None
            if wanted is not None and len(found) and wanted not in found[:, -3]:
                for origin, value in zip(origins.tolist(), found[:, -3].tolist(), strict=True):
                    sees = self._texts_of(rows[origin].tolist(), self._wording.text(value))
                    text = self._wording.condition(plan, sees)
                    texts[f"{text}, not {self._wording.short(wanted)}"] = None
            elif not len(found):
                yield from self._failures(plan, rows)
                return
        yield from list(texts)[:_SHOWN]
        if len(texts) > _SHOWN:
            yield "and so on"

    def _no_other(self, plan: Plan, row: list[int]) -> str:
        """That nothing else fits one of two variables, if ``plan`` negates that they are equal.

        ``""``: it negates something else, or they are not one term in this row.
        """
        assert isinstance(plan, AntiJoin)
        test, names = plan.right, self._wording.names
        view = names.views.get(test, ())
        if not isinstance(test, Filter) or test.test != EQUAL or test.source != plan.base:
            return ""
        place_of = {test.columns[theirs]: mine for mine, theirs in plan.on}
        one, other = (place_of.get(arg) if isinstance(arg, int) else None for arg in test.args)
        if one is None or other is None or row[one] != row[other] or not view:
            return ""
        here, there = (names.argument(view[arg]) for arg in test.args if isinstance(arg, int))
        known: list[Argument | None] = list(map(self._wording.text, row[:-2]))
        known[other] = None
        asked = [
            text
            for text in self._wording.conditions(plan.left, known)
            if re.search(rf"{re.escape(there)}\b", text)
        ]
        value = self._wording.short(row[one])
        return f"no other {there} than {here}, {value}, fits {' and '.join(asked)}" if asked else ""

    def _failures(self, plan: Plan, rows: Rows) -> Iterator[str]:
        """That none of ``rows`` passes a test, with some of them."""
        texts = list(dict.fromkeys(map(partial(self._unmet, plan), rows[:_MANY].tolist())))
        if plan.computes:
            yield from texts[:_SHOWN]
            return
        some = ", ".join(texts[:_SHOWN])
        more = ", and so on" if len(texts) > _SHOWN else ""
        yield f"none of these is so: {some}{more}" if len(texts) > 1 else f"not so: {some}"

    def _texts_of(self, row: list[int], *value: Argument) -> list[Argument | None]:
        return [*map(self._wording.text, row[:-2]), *value]

    def _unmet(self, plan: Plan, row: list[int]) -> str:
        if not plan.computes:
            return self._wording.condition(plan, self._texts_of(row)) or "the same"
        sees = self._texts_of(row, Variable("value"))
        return f"there is no ?value with {self._wording.condition(plan, sees)}"

    def _of_join(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> BodyLack:
        plan = stream.plan
        begin = plan.begins[1]
        on = [(mine, place - begin) for mine, place in plan.equated if mine < begin <= place]
        lefts: dict[int, int] = {}
        rights: dict[int, int] = {}
        for place, column in enumerate(known):
            at = plan.columns[column]
            (lefts if at < begin else rights).setdefault(at if at < begin else at - begin, place)
        for mine, theirs in on:
            if theirs in rights:
                lefts.setdefault(mine, rights[theirs])
            elif mine in lefts:
                rights[theirs] = lefts[mine]
        left, right = stream.sources
        one = self.lack(left, tuple(lefts), _columns(queried, lefts.values()))
        other = self.lack(right, tuple(rights), _columns(queried, rights.values()))
        met = one.met + other.met
        if one.texts or other.texts:
            return BodyLack(tuple(dict.fromkeys((*one.texts, *other.texts))), met)
        if self._has_rows(stream, known, queried):
            return BodyLack((), met)
        rows = self._state.rows(left, tuple(lefts), _columns(queried, lefts.values()))
        keys = np.unique(rows[:, [mine for mine, _ in on]], axis=0)
        if len(keys) == 1:
            joined = {theirs for _, theirs in on}
            more = {column: place for column, place in rights.items() if column not in joined}
            row = [*keys[0].tolist(), *queried[0, list(more.values())].tolist(), *queried[0, -2:]]
            found = self.lack(right, (*(t for _, t in on), *more), np.array([row], np.int64))
            if found.texts:
                return BodyLack(found.texts, one.met + found.met)
        both = " and ".join(
            (*self._conditions(left, lefts, queried), *self._conditions(right, rights, queried))
        )
        return BodyLack((f"nothing fits {both} at once",), met)

    def _conditions(self, stream: Stream, known: Mapping[int, int], queried: Rows) -> Iterator[str]:
        columns: list[Argument | None] = [None] * stream.plan.width
        for column, place in known.items():
            columns[column] = self._wording.text(int(queried[0, place]))
        return self._wording.conditions(stream.plan, columns)

    def _has_rows(self, stream: Stream, known: tuple[int, ...], queried: Rows) -> bool:
        return len(self._state.rows(stream, known, queried)) > 0


def _columns(queried: Rows, places: Iterable[int]) -> Rows:
    return np.ascontiguousarray(queried[:, [*places, -2, -1]])
