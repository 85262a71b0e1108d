"""``--order arrival`` by definition: after each element, the lines if nothing else came.

`EarlyResultsOracle` compares the lines that are due with those that were printed: a printed line
that is not due is undone. Nothing is remembered but the lines, and everything is derived anew after
every element.
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
    """Whether a line is printed when ``last`` is the largest stamp; a deletion after it."""
    return line.at <= last if line.op == "+" else line.at < last


class EarlyResultsOracle:
    """Knows the lines that were printed and not undone."""

    def __init__(self) -> None:
        self._stands: set[Line] = set()

    def update(self, due: Iterable[Line]) -> list[MarkedLine]:
        """What is printed if ``due`` are all lines that are due: first what is undone."""
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
    program, oracle = Program(scenario.document), EarlyResultsOracle()
    reason = program.facts if scenario.semantics == "facts" else program.instances
    lines_so_far: list[MarkedLine] = []
    intake = None
    for item, intake in steps(scenario):
        if isinstance(item, Element) and intake.last > -math.inf:
            lines = lines_of(reason(intake.assertions), scenario.semantics, intake.last)
            lines_so_far += oracle.update(line for line in lines if is_due(line, intake.last))
    assert intake is not None
    until = intake.last + (scenario.drain or 0)
    lines_so_far += oracle.update(lines_of(reason(intake.assertions), scenario.semantics, until))
    return [printed(line, program, scenario.clock, undone=undone) for line, undone in lines_so_far]


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
