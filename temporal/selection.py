"""Which facts of a model are meant: patterns such as ``Shift``, ``Shift(ann)``, ``Seen(_,ann)``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rete.delta import Rows
from rete.dictionary import Dictionary
from rif.errors import RuleErrors
from temporal.ast import PredicateKey, constant
from temporal.text import atoms
from temporal.text.scanner import Abandoned, Line

ANY: Final = "_"
"""Stands for any constant."""

_WRITTEN: Final = "write P, P(a) or P(_,b)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Facts of one predicate.

    Attributes:
        predicate: its name.
        args: a constant or `ANY` each; None: any number of any.
    """

    predicate: str
    args: tuple[str, ...] | None = None

    def matches(self, key: PredicateKey) -> bool:
        """Can it match facts of this predicate and number of arguments?"""
        return key[0] == self.predicate and (self.args is None or len(self.args) == key[1])

    def of(self, rows: Rows, terms: Dictionary) -> npt.NDArray[np.bool_]:
        """Which rows of a relation that it matches are meant."""
        found = np.ones(len(rows), np.bool_)
        for place, arg in enumerate(self.args or ()):
            if arg != ANY:
                found &= rows[:, place] == terms.lookup(str(constant(arg).value))
        return found


def parse_pattern(text: str) -> Pattern:
    """The pattern that ``text`` is: a predicate, and arguments in brackets or none.

    Raises:
        RuleErrors: it is none.
    """
    line = Line(text)
    found = None
    with suppress(Abandoned):
        found = _pattern(line)
    if found is None or line.faults:
        raise RuleErrors(line.faults, text, "PATTERN")
    return found


def _pattern(line: Line) -> Pattern:
    name = line.match(atoms.WORD)
    if name is None:
        line.unexpected("expected a predicate", _WRITTEN)
    args = atoms.constants(line) if line.looks_at("(") else None
    if not line.at_end():
        line.unexpected("expected the end of the pattern", _WRITTEN)
    return Pattern(name, args)
