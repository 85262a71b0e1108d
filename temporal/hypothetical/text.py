"""Temporal Datalog text: programs and queries.

::

    rule = atom ( ":-" | "<-" ) atoms [ "." ]  |  atoms ( "->" | "=>" ) atom [ "." ]
    atoms = atom { ( "," | "&" ) atom }

One rule a line; arrows and ∧ may be the characters that papers print.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Final

from rif.ast import Span
from rif.errors import RuleError, RuleErrors
from temporal.hypothetical import wellformed
from temporal.hypothetical.ast import Atom, Program, Rule
from temporal.hypothetical.atoms import atom
from temporal.hypothetical.errors import (
    FactAmongRules,
    NoBody,
    SeveralHeads,
    UnexpectedText,
    coded,
    recoded,
)
from temporal.text import programs
from temporal.text.scanner import Abandoned, Line, lines_of

_HOPELESS: Final = 2_000
"""A text of so many faults is read no further."""
_ARROW: Final = re.compile(r":-|<-|->|=>|[←→⟵⟶]")
_AHEAD: Final = frozenset(("->", "=>", "→", "⟶"))
_AND: Final = re.compile(r"[,&∧]")
_RULE: Final = "a rule is written Head :- Body or Body -> Head, on one line"
_QUERY: Final = "a query is one atom, such as Malf(X,T)"


def decoded(raw: bytes, name: str = "<program>") -> str:
    """The text of a program in UTF-8.

    Raises:
        RuleErrors: it is none, or too long to be looked at.
    """
    try:
        return programs.decoded(raw, name)
    except RuleErrors as errors:
        raise recoded(errors) from None


def parse_program(text: str, name: str = "<program>") -> Program:
    """The program that ``text`` holds. Linear in the text.

    Raises:
        RuleErrors: there are faults; all of them.
    """
    rules: list[Rule] = []
    faults: list[RuleError] = []
    for number, line_text in enumerate(lines_of(text), 1):
        if len(faults) >= _HOPELESS:
            break
        line = Line(line_text, number)
        with suppress(Abandoned):
            line.check_length()
            if not line.at_end():
                rule = _rule(line)
                if not line.faults:
                    rules.append(rule)
        faults += map(coded, line.faults)
    program = Program(tuple(rules))
    _refuse([*faults, *islice(wellformed.check(program), _HOPELESS)], text, name)
    return program


def parse_query(text: str, name: str = "<query>") -> Atom:
    """The one atom that ``text`` holds, a full stop behind it or not.

    Raises:
        RuleErrors: it holds none, or more, or stands for nothing.
    """
    line = Line(text)
    found = None
    with suppress(Abandoned):
        line.check_length()
        found = atom(line)
        line.accept(".")
        if not line.at_end():
            line.unexpected("expected the end of the query", _QUERY)
    faults = list(map(coded, line.faults))
    if found is None:
        faults = faults or [UnexpectedText("there is no query", Span(1, 1, 1, 2), _QUERY)]
    elif not faults:
        faults += wellformed.two_sorts([found])
    _refuse(faults, text, name)
    assert found is not None
    return found


def _refuse(faults: Iterable[RuleError], text: str, name: str) -> None:
    found = list(faults)
    if found:
        raise RuleErrors(found, text, name)


def _rule(line: Line) -> Rule:
    start = line.begin()
    if line.looks_at("@"):
        line.fail(FactAmongRules, "this is a fact with its arrival", start, start + 1)
    left = _atoms(line)
    at = line.begin()
    arrow = line.match(_ARROW)
    if arrow is None:
        if not _ends(line):
            line.unexpected("expected , or an arrow", _RULE)
        line.fail(NoBody, "this is a fact: it has no condition", start, line.taken)
    right = _atoms(line)
    if not _ends(line):
        line.unexpected("expected , or the end of the rule", _RULE)
    heads, body = (right, left) if arrow in _AHEAD else (left, right)
    if not body:
        line.fail(NoBody, "the rule has no condition", at, at + len(arrow))
    if len(heads) != 1:
        second = heads[1].span if heads else line.span(at, at + len(arrow))
        line.faults.append(_heads(len(heads), second))
        raise Abandoned
    return Rule(heads[0], body, span=line.span(start))


def _heads(number: int, span: Span) -> RuleError:
    if number:
        return SeveralHeads("a rule concludes one atom", span)
    return UnexpectedText("the rule concludes nothing", span, _RULE)


def _atoms(line: Line) -> tuple[Atom, ...]:
    """Atoms between commas; none if an arrow, or the end, comes next."""
    line.begin()
    if line.at_end() or line.looks_at(".") or _ARROW.match(line.text, line.at):
        return ()
    found = [atom(line)]
    while line.match(_AND):
        found.append(atom(line))
    return tuple(found)


def _ends(line: Line) -> bool:
    """Take a full stop, if it comes next; is nothing left?"""
    line.accept(".")
    return line.at_end()
