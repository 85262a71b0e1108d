"""What is said to lack, judged by a definition: each time and each condition, down to the last.

A condition is read from its text and evaluated over cells; nothing is shared with what says it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from r4.explain.lacks import BlockingFact, ConditionLack, Lacks, OperandLack, RuleLack
    from tests.oracles.metric.operators import Stretch, Truth

Pair = tuple[int, int]
INFINITE = 2**61
_OPERATOR = re.compile(r"(?i)(?:diamond|box)(?:minus|plus)|since|until")


class Formulas(Protocol):
    """What the texts of a language mean."""

    stretch: Stretch

    def is_clear(self, text: str) -> bool:
        """Whether it tells which variables are the same."""
        ...

    def truth(self, text: str) -> Truth:
        """When a condition is true for some values of its variables."""
        ...

    def operands(self, text: str) -> list[str]:
        """The texts of the operands of an operator."""
        ...

    def is_past(self, text: str) -> bool:
        """Whether an operator looks back."""
        ...

    def normal(self, text: str) -> str:
        """An operand in a form of which there is one alone."""
        ...

    def applied(self, text: str, *operands: Truth) -> Truth:
        """When the operator would be true of other operands."""
        ...

    def body(self, label: str | int) -> Truth:
        """When the body of a rule is true for some values of its variables."""
        ...

    def origin(self, fact: BlockingFact) -> Truth:
        """When a fact is derived by the rule, or asserted by the elements, that are named."""
        ...


@dataclass(slots=True)
class LackCheck:
    """Judges what is said.

    Attributes:
        told: the question, for messages.
        settled: the cell up to which what goes on is told.
        met: what was judged.
        inner: the cells in which the definition says what holds; None: all.
        is_endless: whether it goes on for ever, so that it is told of some times alone.
    """

    formulas: Formulas
    told: str
    settled: int
    met: Counter[str]
    inner: Pair | None = None
    is_endless: bool = False

    def lacks(self, lacks: Lacks, pair: Pair) -> None:
        """All of it is true, of a fact that holds in no cell of ``pair``."""
        for rule in lacks.rules:
            self._rule(rule, pair, 0)

    def _rule(self, rule: RuleLack, pair: Pair, level: int) -> None:
        if rule.when is not None:
            self.met["rule at another time"] += bool(rule.name)
            pair = rule.when
        if rule.name:
            self._never(self.formulas.body(rule.label), pair, f"body of {rule.name}")
        assert rule.conditions or rule.name, self.told
        for condition in rule.conditions:
            self._condition(condition, pair, level)

    def _condition(self, lack: ConditionLack, pair: Pair, level: int) -> None:
        formulas, text = self.formulas, lack.text
        if "nothing of that" in text:  # it negates what it asks for; the text leaves open what
            return
        self._followed(lack, pair, level)
        kinds = ["there is no ", "there is ", "not so: ", "nothing fits "]
        kind = next(kind for kind in kinds if text.startswith(kind))
        text = text.removeprefix(kind).removesuffix(" at once")
        if not formulas.is_clear(text):
            self.met["unclear"] += 1
            return
        truth = formulas.truth(text)
        if kind == "there is ":
            self.met["negation"] += 1
            self.met["negation of an operator"] += _OPERATOR.search(text) is not None
            assert truth & self._between(pair), (text, pair, self.told)
            for fact in lack.blocking:
                self._blocking(fact)
        else:
            self._never(truth, pair, text)
        self.met["at another level"] += level > 0
        if lack.operand is not None:
            self._operand(lack.operand, text, pair)
            self.met["nested"] += any(map(_OPERATOR.search, formulas.operands(text)))
        elif kind == "not so: ":
            self.met["nothing told"] += 1

    def _followed(self, lack: ConditionLack, pair: Pair, level: int) -> None:
        """What is told of why a condition lacks."""
        if lack.because is not None:
            self.met["goes on"] += 1
            inside = pair if lack.operand is None else lack.operand.gaps[0]
            for rule in lack.because.rules:
                if not rule.name:
                    assert rule.when is not None
                    self._inside(rule.when, inside)
                self._rule(rule, inside, level + 1)

    def _operand(self, lack: OperandLack, text: str, pair: Pair) -> None:
        """Its gaps are some, and enough to make the operator false; its neighbours the nearest."""
        formulas, stretch = self.formulas, self.formulas.stretch
        operands = formulas.operands(text)
        name = re.split(r"\W", text)[0].lower() if len(operands) == 1 else "Since or Until"
        self.met[name] += 1
        place = -1 if lack.held is None else 0
        what = operands[place]
        assert formulas.normal(lack.what or what) == what, (lack.what, text, self.told)
        truth = formulas.truth(what)
        gaps = 0
        for gap in lack.gaps:
            self._never(truth, gap, f"{what} in the gap")
            gaps |= self._cells(gap)
        given = [stretch.always] * len(operands)
        given[place] = stretch.always & ~gaps
        if lack.held is not None:
            self.met["left side"] += 1
            assert formulas.normal(lack.other) == operands[1], (lack.other, text, self.told)
            given[1] = formulas.truth(lack.other)
            self._always(given[1], lack.held, lack.other)
            self._is_nearest(text, lack.held, given[1], pair)
            self.met["in part"] += not self._is_maximal(given[1], lack.held)
        for gap in lack.gaps:
            for cell in (gap[0], gap[1] - 1):
                self._matters(text, place, given, (cell, cell + 1), pair)
        if gaps and self._is_inside(lack.gaps):
            enough = formulas.applied(text, *given)
            whole = self._between(pair)
            wanted = whole if len(operands) == 1 and not self.is_endless else 0
            assert wanted & enough == 0, (text, lack, self.told)
            if self._is_inside((pair,)):  # else the cell that it is about may lie beyond
                assert whole & ~enough or not whole, (text, lack, self.told)
        for near, side in ((lack.last, -1), (lack.next, 1)):
            if near is not None:
                self.met["last" if side < 0 else "next"] += 1
                self._run(truth, near, what)
                between = (near[1], lack.gaps[0][0]) if side < 0 else (lack.gaps[-1][1], near[0])
                assert between[0] <= between[1], (what, near, self.told)
                self._never(truth, between, f"{what} between")

    def _matters(self, text: str, place: int, given: list[Truth], cell: Pair, pair: Pair) -> None:
        """The operator is about its operand there: that alone would make it true, or false."""
        if not self._between(cell) or not self._between(pair) or abs(cell[0]) >= INFINITE:
            return
        always, one = self.formulas.stretch.always, self._cells(cell)
        operands = [*given]
        is_diamond = re.match("(?i)diamond", text) and len(operands) == 1
        if is_diamond or (len(operands) > 1 and place == -1):
            operands[place] = one
            assert self.formulas.applied(text, *operands) & self._cells(pair), (
                cell,
                text,
                self.told,
            )
        else:
            operands[place] = always & ~one
            assert self._cells(pair) & ~self.formulas.applied(text, *operands), (
                *(cell, text, self.told),
            )

    def _is_nearest(self, text: str, held: Pair, truth: Truth, pair: Pair) -> None:
        """No other time of the right side of Since or Until in reach is nearer."""
        if pair[1] - pair[0] == 1 and self._between(pair):
            if self.formulas.is_past(text):
                near = self._cells((held[1], INFINITE)) if held[1] < INFINITE else 0
            else:
                near = self._cells((-INFINITE, held[0])) if held[0] > -INFINITE else 0
            found = self.formulas.applied(text, self.formulas.stretch.always, truth & near)
            assert not found & self._cells(pair), (held, text, self.told)

    def _blocking(self, fact: BlockingFact) -> None:
        self.met["blocking fact"] += 1
        self.met["blocking fact by a rule"] += fact.rule is not None
        truth = self.formulas.origin(fact)
        self._always(truth, fact.when, fact.text)
        if fact.rule is not None:
            self._run(truth, fact.when, fact.text)

    def _run(self, truth: Truth, pair: Pair, text: str) -> None:
        """It is true in all of an interval, which is maximal as far as that is settled."""
        self._always(truth, pair, text)
        assert self._is_maximal(truth, pair), (text, pair, self.told)

    def _is_maximal(self, truth: Truth, pair: Pair) -> bool:
        stretch = self.formulas.stretch
        first, last = self.inner or (stretch.first, stretch.last)
        begins = pair[0] <= first or not stretch.holds(truth, pair[0] - 1)
        return begins and (pair[1] >= min(last, self.settled) or not stretch.holds(truth, pair[1]))

    def _never(self, truth: Truth, pair: Pair, text: str) -> None:
        assert truth & self._between(pair) == 0, (text, pair, self.told)

    def _always(self, truth: Truth, pair: Pair, text: str) -> None:
        assert self._between(pair) & ~truth == 0, (text, pair, self.told)

    def _inside(self, pair: Pair, outer: Pair) -> None:
        assert outer[0] <= pair[0] < pair[1] <= outer[1], (pair, outer, self.told)

    def _is_inside(self, gaps: tuple[Pair, ...]) -> bool:
        first, last = self.inner or (self.formulas.stretch.first, self.formulas.stretch.last)
        return all(
            (first <= lo or lo <= -INFINITE) and (hi <= last or hi >= INFINITE) for lo, hi in gaps
        )

    def _cells(self, pair: Pair) -> Truth:
        lo, hi = (None if abs(end) >= INFINITE else end for end in pair)
        return self.formulas.stretch.between(lo, hi)

    def _between(self, pair: Pair) -> Truth:
        stretch = self.formulas.stretch
        return self._cells(pair) & stretch.between(*(self.inner or (None, None)))


def split_top(text: str, separator: str) -> list[str]:
    """Parts of a text between separators that stand in no parentheses."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if not depth and text.startswith(separator, place):
            parts.append(text[begin:place])
            begin = place + len(separator)
    return [*parts, text[begin:]]


def some(names: list[str], domain: list[str], truth: Callable[[dict[str, str]], Truth]) -> Truth:
    """When it is true for some values of variables."""
    found = 0
    if not names:
        return truth({})
    for value in domain:
        rest = some(names[1:], domain, lambda env, value=value: truth({**env, names[0]: value}))  # type: ignore[misc]
        found |= rest
    return found
