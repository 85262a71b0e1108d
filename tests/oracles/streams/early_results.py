"""``--order arrival`` by definition: after each element, what would be told if nothing else came.

`EarlyResultsOracle` compares the lines that are due with those that were told: what was told and is
not due is undone. Nothing is remembered but the lines, and all is reasoned anew after every
element.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from tests.oracles.rules.datalog import Program
from tests.oracles.streams.output_lines import Line, json_of, lines_of
from tests.oracles.streams.run import Element, Scenario, steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.oracles.rules.formulas import Time

MarkedLine = tuple[Line, bool]
"""A line, and whether it is undone."""


def is_due(line: Line, last: Time) -> bool:
    """Whether a line is told when ``last`` is the largest stamp: a deletion once that is passed."""
    return line.at <= last if line.op == "+" else line.at < last


class EarlyResultsOracle:
    """Knows what was told and stands."""

    def __init__(self) -> None:
        self._stands: set[Line] = set()

    def tell(self, due: Iterable[Line]) -> list[MarkedLine]:
        """What is to be told if ``due`` are all lines that are due: first what is undone."""
        lines = set(due)
        undone, new = self._stands - lines, lines - self._stands
        self._stands = lines
        found = [(line, True) for line in sorted(undone, key=Line.key)]
        return found + [(line, False) for line in sorted(new, key=Line.key)]


def expected_early(scenario: Scenario) -> list[str]:
    """What the run prints.

    Raises:
        TooBig: there is more to look at than can be in a test.
    """
    program, teller = Program(scenario.document), EarlyResultsOracle()
    reason = program.facts if scenario.semantics == "facts" else program.instances
    told: list[MarkedLine] = []
    taken = None
    for item, taken in steps(scenario):
        if isinstance(item, Element) and taken.last > -math.inf:
            lines = lines_of(reason(taken.assertions), scenario.semantics, taken.last)
            told += teller.tell(line for line in lines if is_due(line, taken.last))
    assert taken is not None
    until = taken.last + (scenario.drain or 0)
    told += teller.tell(lines_of(reason(taken.assertions), scenario.semantics, until))
    return [printed(line, program, scenario.clock, undone=undone) for line, undone in told]


def printed(line: Line, program: Program, clock: str, *, undone: bool) -> str:
    """A line, with its last key if it is undone."""
    text = json_of(line, program.names, clock)
    return f'{text[:-1]},"undone":true}}' if undone else text


def standing_lines(lines: Sequence[str]) -> list[str]:
    """The lines that stand, once each undone line is struck out with the one that it repeats.

    Raises:
        ValueError: a line is undone that does not stand.
    """
    stands: list[str] = []
    for line in lines:
        members = json.loads(line)
        if not members.pop("undone", False):
            stands.append(line)
            continue
        stands.remove(json.dumps(members, ensure_ascii=False, separators=(",", ":")))
    return stands
