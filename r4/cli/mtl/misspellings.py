"""Warnings of predicates and constants that are most likely misspelled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import Final

from r4.cli.mtl.inputs import MtlInput
from r4.cli.terminal.console import say
from rif.errors.nearest import nearest_word
from rif.errors.report import shorten
from rif.syntax.ast import Atom, Formula
from rif.syntax.terms import XSD_STRING, Literal
from temporal.mtl import traversal
from temporal.mtl.ast import BOTTOM_NAME, MetricProgram
from temporal.mtl.validation import arities, predicate_name
from temporal.text.atom_parser import CAPITAL, bare_constants, is_like_variable

_UNKNOWNS: Final = frozenset("uvwxyz")
"""Letters that stand for variables, where no data tell that they are constants."""
_SHOWN: Final = 5
"""So many are named."""
_ANYTHING: Final = Literal("_", XSD_STRING)
"""What stands for anything in patterns of options, and in other languages in rules."""


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


def warn_of_predicates(given: MtlInput) -> None:
    """Report the predicates of the data that no rule has, and those that nothing gives a rule.

    Of each kind the first ones are named, with the nearest that the other side has.
    """
    rules = given.program.rules
    in_data = {name for name, _ in given.data.rows} - {BOTTOM_NAME}
    heads = _predicates(part for rule in rules for part in traversal.parts(*rule.head))
    bodies = _predicates(part for rule in rules for part in traversal.parts(rule.body))
    known = arities(given.program).keys()
    _warn(in_data - known, known, "the data have {}, the rules do not", "they have")
    given_to_rules = in_data | heads
    asked = "the rules ask for {}, which no fact and no rule gives"
    if given.unread is None:  # else facts that were not read may give them
        _warn(bodies - given_to_rules, given_to_rules, asked, "there is")
    formulas = traversal.formulas(given.program)
    atoms = chain.from_iterable(map(traversal.atoms, formulas))
    if any(_ANYTHING in bare_constants(atom.args) for atom in atoms):
        say("warning: _ in a rule is a constant; a variable that occurs once has a name, too")
    if given.unread is None:
        warn_of_constants(given.program, lambda constant: given.terms.lookup(str(constant)) > 0)


def _predicates(parts: Iterable[object]) -> set[str]:
    return {predicate_name(part) for part in parts if isinstance(part, Atom)}


def _warn(names: Collection[str], known: Iterable[str], message: str, says: str) -> None:
    by_lower = {name.lower(): name for name in sorted(known)}
    for name in sorted(names)[:_SHOWN]:
        near = nearest_word(name.lower(), by_lower)
        hint = "" if near is None else f"; {says} {shorten(by_lower[near])}"
        say(f"warning: {message.format(shorten(name))}{hint}")
    if len(names) > _SHOWN:
        say(f"warning: {message.format(f'{len(names) - _SHOWN} more')}")
