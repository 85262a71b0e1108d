"""Live models, reasoners and hypothesisers: a call that is cut short is whole, or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import pytest

from rete.terms.dictionary import Dictionary
from rete.whole_calls import EngineBroken
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.hypothetical import Hypothesiser
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.update_method import Method
from temporal.mtl.validation import arities
from temporal.streaming import StreamReasoner
from temporal.text.program_parser import parse_program
from tests.interrupts import bytecodes, interrupted, places


class Calls(Protocol):
    """An object that is called step by step."""

    steps: int

    def step(self, number: int) -> object: ...
    def outcome(self) -> object: ...


class Updates:
    """A live model, updated by both methods."""

    steps = 3
    rules = "Boxplus[1,1]P(X) :- P(X)\nBoth(X) :- P(X), Q(X)"

    def __init__(self) -> None:
        self.program, self.terms = parse_program(self.rules), Dictionary()
        self.live = LiveModel(self.program, self.loaded("P(a)@0\nP(b)@1\nQ(b)@[0,9]"), self.terms)

    def loaded(self, text: str) -> Dataset:
        loader = BulkLoader(self.terms, arities(self.program))
        loader.text([text.encode()])
        return loader.data()

    def step(self, number: int) -> object:
        gone, come, method = [
            ("P(a)@0", "P(c)@0", Method.DRED),
            ("Q(b)@[2,3]", "Q(c)@4", Method.DRED),
            ("P(b)@1", "P(d)@2", Method.RECOMPUTE),
        ][number]
        return self.live.update(self.loaded(gone), self.loaded(come), method)

    def outcome(self) -> object:
        model = self.live.model()
        return model.period_lines(), sorted(
            (key, [self.terms.decode(i) for i in row[:-2]], row[-2:])
            for key, rows in model.periodic.facts.items()
            for row in rows.tolist()
        )


class Pushes:
    """A stream reasoner; what it tells counts when it was given."""

    steps = 5

    def __init__(self) -> None:
        rules = "Alarm(X) :- Boxminus[0,2]Hot(X), Diamondminus[0,1]Loud(X)\n"
        self.reasoner = StreamReasoner(rules, "Alarm")
        self.told: list[str] = []

    def step(self, number: int) -> None:
        lines = [
            "Hot(t1)@[0,10)\n",
            "Loud(t1)@[3,4]\nLoud(t2)@3\n",
            "Hot(t2)@[4,",
            "11]\nLoud(t2)@7\n",
        ]
        told = self.reasoner.push(lines[number]) if number < len(lines) else self.reasoner.finish()
        for each in told:
            self.told.append(str(each))

    def outcome(self) -> object:
        return self.told, self.reasoner.late, self.reasoner.bad


class Arrivals:
    """A hypothesiser; what it tells counts when it was given."""

    steps = 4

    def __init__(self) -> None:
        self.run = Hypothesiser("Temp(X,high,T), Temp(X,high,T+1) -> Hot(X,T)", "Hot(X,T)", ("3",))
        self.told: list[object] = []

    def step(self, number: int) -> None:
        lines = [
            "@0 Temp(b,high,0)\n",
            "@1 Temp(c,high,0)\n@1 Temp(b,high,1)\n",
            "@9 Temp(b,low,9)\n",
            "",
        ]
        for each in self.run.follow(lines[number], drain=number == self.steps - 1):
            self.told.append(each)

    def outcome(self) -> object:
        return self.told, self.run.ranked(), self.run.dropped, self.run.warning


def after(make: Callable[[], Calls], steps: Sequence[int]) -> Calls:
    made = make()
    for number in steps:
        made.step(number)
    return made


def _size(made: Calls, number: int) -> int:
    """How many bytecodes a step takes."""
    return bytecodes(lambda: made.step(number))


@pytest.mark.parametrize("most", [25, pytest.param(400, marks=pytest.mark.soak)])
@pytest.mark.parametrize("make", [Updates, Pushes, Arrivals])
def test_a_call_that_is_cut_short_is_whole_or_refused(make: type[Calls], most: int) -> None:
    broken = 0
    for cut in range(make.steps):
        every = range(make.steps)
        allowed = [
            after(make, every).outcome(),
            after(make, [each for each in every if each != cut]).outcome(),
        ]
        total = _size(after(make, range(cut)), cut)
        for place in places(total, most):
            made = after(make, range(cut))
            interrupted(lambda: made.step(cut), place)  # noqa: B023
            try:
                for number in range(cut + 1, make.steps):
                    made.step(number)
                found = made.outcome()
            except EngineBroken:
                broken += 1
                for number in every:
                    with pytest.raises(EngineBroken):
                        made.step(number)
                with pytest.raises(EngineBroken):
                    made.outcome()
            else:
                assert found in allowed, (cut, place)
    assert broken
