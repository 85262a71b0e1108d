"""Patterns that select facts of a model: ``Shift``, ``Shift(ann)``, ``Seen(_,ann)``."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from temporal.mtl.ast import PredicateKey, constant
from temporal.text import atom_parser
from temporal.text.scanner import LineScanner, ParseAbort

ANY_CONSTANT: Final = "_"
"""Stands for any constant."""

_HINT: Final = "write P, P(a) or P(_,b)"


@dataclass(frozen=True, slots=True)
class FactPattern:
    """Facts of one predicate.

    Attributes:
        predicate: its name.
        args: a constant or `ANY_CONSTANT` each; None: any number of any.
    """

    predicate: str
    args: tuple[str, ...] | None = None

    def matches(self, key: PredicateKey) -> bool:
        """Can it match facts of this predicate and number of arguments?"""
        return key[0] == self.predicate and (self.args is None or len(self.args) == key[1])

    def mask(self, rows: Rows, terms: Dictionary) -> npt.NDArray[np.bool_]:
        """Which rows it selects, of a relation that it matches."""
        found = np.ones(len(rows), np.bool_)
        for column, arg in enumerate(self.args or ()):
            if arg != ANY_CONSTANT:
                found &= rows[:, column] == terms.lookup(str(constant(arg).value))
        return found


def parse_pattern(text: str) -> FactPattern:
    """The pattern that ``text`` is: a predicate, and arguments in brackets or none.

    Raises:
        RuleErrors: it is none.
    """
    line = LineScanner(text)
    found = None
    with suppress(ParseAbort):
        found = _pattern(line)
    if found is None or line.faults:
        raise RuleErrors(line.faults, text, "PATTERN")
    return found


def _pattern(line: LineScanner) -> FactPattern:
    name = line.match(atom_parser.WORD)
    if name is None:
        line.unexpected("expected a predicate", _HINT)
    args = atom_parser.parse_constants(line) if line.looks_at("(") else None
    if not line.at_end():
        line.unexpected("expected the end of the pattern", _HINT)
    return FactPattern(name, args)
