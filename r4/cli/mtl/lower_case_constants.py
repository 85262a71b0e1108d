"""Constants that were most likely meant as variables: these begin with a capital."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from r4.cli.terminal.console import say
from rif.syntax.ast import Formula
from rif.syntax.terms import XSD_STRING, Literal
from temporal.mtl import traversal
from temporal.mtl.ast import MetricProgram
from temporal.text.atom_parser import CAPITAL, bare_constants, is_like_variable

_UNKNOWNS: Final = frozenset("uvwxyz")
"""Letters that stand for variables, where no data tell that they are constants."""
_SHOWN: Final = 5
"""So many are named."""


def warn_of_constants(program: MetricProgram, is_known: Callable[[Literal], bool] | None) -> None:
    """Warn of constants without quotes in body and head of one rule that are like variables.

    ``is_known`` says whether a fact has a constant; None: the facts are not known, so those alone
    are named that begin as unknowns do.
    """
    found: dict[str, int] = {}
    for number, rule in enumerate(program.rules, 1):
        of_head = set(chain.from_iterable(map(_constants, rule.head)))
        for constant in _constants(rule.body):
            name = constant.lexical
            if constant not in of_head or not is_like_variable(name):
                continue
            if name[0] not in _UNKNOWNS if is_known is None else is_known(constant):
                continue
            found.setdefault(name, number)
    unknown = "" if is_known is None else ", which no fact has"
    for name, number in [*found.items()][:_SHOWN]:
        say(f"warning: {name} in rule {number} is a constant{unknown}; {CAPITAL}")


def _constants(formula: Formula) -> Iterator[Literal]:
    for atom in traversal.atoms(formula):
        yield from (each for each in bare_constants(atom.args) if each.datatype == XSD_STRING)
