"""Temporal Datalog text: programs and queries, read and validated.

::

    rule = atom ( ":-" | "<-" ) atoms [ "." ]  |  atoms ( "->" | "=>" ) atom [ "." ]
    atoms = atom { ( "," | "&" ) atom }

One rule a line; arrows and ∧ may be the characters that papers print. Variables are of
two sorts, objects and times [CruzFilipe22, section 2.1]; a rule is *safe* if each variable of its
head occurs in its body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Final

from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from temporal.hypothetical.syntax.ast import (
    TemporalAtom,
    TemporalProgram,
    TemporalRule,
    variables,
    variables_of,
)
from temporal.hypothetical.syntax.atom_parser import parse_atom
from temporal.hypothetical.syntax.errors import (
    HypFactAmongRules,
    HypUnexpectedText,
    HypUnsafeVariable,
    NoBody,
    SeveralHeads,
    TwoSorts,
    with_hyp_code,
)
from temporal.mtl.validation import arity_clash
from temporal.text import program_parser
from temporal.text.scanner import LineScanner, ParseAbort, lines_of

_ARROW: Final = re.compile(r":-|<-|->|=>|[←→⟵⟶]")
_AHEAD: Final = frozenset(("->", "=>", "→", "⟶"))
_AND: Final = re.compile(r"[,&∧]")
_RULE: Final = "a rule is written Head :- Body or Body -> Head, on one line"
_QUERY: Final = "a query is one atom, such as Malf(X,T)"


def decode_program(raw: bytes, name: str = "<program>") -> str:
    """The text of a program in UTF-8; `RuleErrors`, if it is none, or too long to be looked at."""
    try:
        return program_parser.decode_program(raw, name)
    except RuleErrors as errors:
        faults = map(with_hyp_code, errors.errors)
        raise RuleErrors(faults, errors.source, errors.name) from None


def parse_program(text: str, name: str = "<program>") -> TemporalProgram:
    """The program that ``text`` holds; `RuleErrors` have all its faults. Linear in the text."""
    rules: list[TemporalRule] = []
    faults: list[RuleError] = []
    for number, line_text in enumerate(lines_of(text), 1):
        if len(faults) >= program_parser.MAX_PROGRAM_FAULTS:
            break
        line = LineScanner(line_text, number)
        if rule := line.read(_rule):
            rules.append(rule)
        faults += map(with_hyp_code, line.faults)
    program = TemporalProgram(tuple(rules))
    _refuse([*faults, *islice(_faults(program), program_parser.MAX_PROGRAM_FAULTS)], text, name)
    return program


def parse_query(text: str, name: str = "<query>") -> TemporalAtom:
    """The one atom that ``text`` holds, a full stop behind it or not.

    Raises:
        RuleErrors: it holds none, or more, or stands for nothing.
    """
    line = LineScanner(text)
    found = None
    with suppress(ParseAbort):
        line.check_length()
        found = parse_atom(line)
        line.accept(".")
        if not line.at_end():
            line.unexpected("expected the end of the query", _QUERY)
    _refuse(map(with_hyp_code, line.faults), text, name)
    assert found is not None
    _refuse(_sort_clashes([found]), text, name)
    return found


def _refuse(faults: Iterable[RuleError], text: str, name: str) -> None:
    found = list(faults)
    if found:
        raise RuleErrors(found, text, name)


def _rule(line: LineScanner) -> TemporalRule:
    start = line.begin()
    if line.looks_at("@"):
        line.fail(HypFactAmongRules, "this is a fact with its arrival", start, start + 1)
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
    if not heads:
        line.fail(HypUnexpectedText, "the rule concludes nothing", at, at + len(arrow), _RULE)
    if len(heads) > 1:
        line.faults.append(SeveralHeads("a rule concludes one atom", heads[1].span))
        raise ParseAbort
    return TemporalRule(heads[0], body, span=line.span(start))


def _atoms(line: LineScanner) -> tuple[TemporalAtom, ...]:
    """Atoms between commas; none if an arrow, or the end, comes next."""
    line.begin()
    if line.at_end() or line.looks_at(".") or _ARROW.match(line.text, line.at):
        return ()
    found = [parse_atom(line)]
    while line.match(_AND):
        found.append(parse_atom(line))
    return tuple(found)


def _ends(line: LineScanner) -> bool:
    """Take a full stop, if it comes next; is nothing left?"""
    line.accept(".")
    return line.at_end()


def _faults(program: TemporalProgram) -> Iterator[RuleError]:
    """All faults of a program that could be read, in the order of its rules."""
    known: dict[str, int] = {}
    for rule in program.rules:
        for atom in rule.atoms:
            count, first = atom.arity + 1, known.setdefault(atom.predicate, atom.arity + 1)
            if first != count:
                yield with_hyp_code(arity_clash(atom.predicate, count, first, atom.span))
        yield from _sort_clashes(rule.atoms)
        yield from _safeness(rule)


def _sort_clashes(atoms: Iterable[TemporalAtom]) -> Iterator[RuleError]:
    """Faults for variables that stand for a time and for an object, each once."""
    listed = list(atoms)
    object_names = {name for is_time, name in variables_of(*listed) if not is_time}
    for atom in listed:
        name = atom.time.variable
        if name in object_names:
            object_names.discard(name)
            message = f"{name} is a time here and a thing elsewhere"
            yield TwoSorts(message, atom.span)


def _safeness(rule: TemporalRule) -> Iterator[RuleError]:
    bound = {*variables(rule.body)}
    for name in dict.fromkeys(variables([rule.head])):
        if name not in bound:
            message = f"{name} of the head is bound nowhere in the body"
            yield HypUnsafeVariable(message, rule.head.span)
