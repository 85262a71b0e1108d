"""Delays: how late facts may be, and so how long an answer may stay open.

The bounds are the δ of [CruzFilipe22, section 3], by predicate and by instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rif.errors.base import Span
from rif.errors.report import shorten
from temporal.hypothetical.arrival.instance_patterns import (
    InstancePatterns,
    PatternKey,
    PatternOption,
    parse_patterns,
    representative_instances,
)
from temporal.hypothetical.syntax.ast import SchematicAnswer, TemporalAtom, TemporalProgram
from temporal.hypothetical.syntax.atom_parser import MAX_TIME
from temporal.hypothetical.syntax.errors import BadDelay, HypOutOfBounds


@dataclass(frozen=True, slots=True)
class DelayBounds(InstancePatterns[int]):
    """The largest delay of each input atom; 0 where none is given."""

    default: int = 0

    def of(self, atom: TemporalAtom) -> int:
        """The largest delay that an instance of the atom has.

        Costs a look-up, for each pattern of the predicate if the atom has variables.
        """
        name = atom.predicate
        return max(
            self.of_instance(name, each)
            for each in representative_instances(atom, self.args_of(name))
        )


def parse_delays(texts: Sequence[str], program: TemporalProgram) -> DelayBounds:
    """The delays that texts give, one a text, for the input of a program.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    default, patterns = parse_patterns(texts, program, _OPTION)
    return DelayBounds(default or 0, patterns)


def _number(text: str, _: PatternKey, span: Span) -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"{shorten(text) or 'nothing'} is no natural number"
        raise BadDelay(message, span)
    if len(text) > len(str(MAX_TIME)) or int(text) > MAX_TIME:
        message = f"{shorten(text)} is more than {MAX_TIME}"
        raise HypOutOfBounds(message, span)
    return int(text)


_OPTION: Final = PatternOption("--delay", "delay", BadDelay, _number, str)


@dataclass(frozen=True, slots=True)
class AnswerWindow:
    """The delay d >= 0 and the window w >= 0 of a query that has both."""

    delay: int
    window: int


def answer_window(premises: Iterable[SchematicAnswer], delays: DelayBounds) -> AnswerWindow | None:
    """The least delay and window; None: a time does not depend on that of the answer."""
    found = AnswerWindow(0, 0)
    for each in premises:
        own = each.answer.time
        times = [atom.time for atom in each.hypotheses]
        if any(time.variable != own.variable for time in times):
            return None
        last = max(atom.time.offset + delays.of(atom) for atom in each.hypotheses)
        first = min(time.offset for time in times)
        found = AnswerWindow(max(found.delay, last - own.offset), max(found.window, last - first))
    return found
