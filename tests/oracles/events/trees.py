"""Short words for syntax trees and histories, for examples by hand.

``?s p ?v`` is the frame ``?s[<urn:p> -> ?v]``; numbers are integers, ``'a`` is a string, any other
word the IRI of that name.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Exists,
    Forall,
    Frame,
    Group,
    Implies,
    Var,
    Window,
)
from rif.syntax.terms import IRI, XSD, Literal, Variable
from temporal.intervals.interval import Interval
from temporal.mtl.ast import MetricFormula
from tests.oracles.events.answers import event_lines
from tests.oracles.events.models import formulas_of
from tests.oracles.events.scopes import free
from tests.oracles.rules.datalog import rules_of
from tests.oracles.streams.history import History, HistoryElement, HistoryItem

if TYPE_CHECKING:
    from rif.syntax.ast import Formula, Term
    from rif.syntax.terms import GroundTerm
    from tests.oracles.streams.run import Triple


def ground(word: str) -> GroundTerm:
    """A constant."""
    if word.lstrip("-").isdigit():
        return Literal(word, XSD + "integer")
    if word.startswith("'"):
        return Literal(word[1:])
    if word.startswith("P"):
        return Literal(word, XSD + "dayTimeDuration")
    return IRI(word if ":" in word else f"urn:{word}")


def term(word: str) -> Term:
    return Var(Variable(word[1:])) if word.startswith("?") else Constant(ground(word))


def f(words: str) -> Formula:
    """A frame, or an atom: ``p() ?x ?y``."""
    first, *rest = words.split()
    if first.endswith("()"):
        return Atom(ground(first[:-2]), tuple(map(term, rest)))
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    return Frame(term(first), tuple((term(key), term(value)) for key, value in pairs))


def both(*items: Formula | str) -> Formula:
    """A conjunction."""
    return And(tuple(f(item) if isinstance(item, str) else item for item in items))


def some(names: str, body: Formula) -> Formula:
    return Exists(tuple(Variable(name[1:]) for name in names.split()), body)


def agg(words: str, variables: str, body: Formula) -> Aggregate:
    """``avg last 10`` of ``?v ?t [?s]``."""
    function, *rest = words.split()
    share, part, size = "", "", None
    if function == "quantile":
        share, *rest = rest
    if function in {"first", "last"}:
        size = int(rest[0]) if rest else None
    elif rest:
        part, size = rest[0], int(rest[1])
    own, _, group = variables.partition("[")
    value, *by = (Variable(name[1:]) for name in own.split())
    names = tuple(Var(Variable(name[1:])) for name in group.rstrip("]").split())
    return Aggregate(function, value, body, names, by[0] if by else None, share, part, size)


def equals(left: Aggregate | str, right: Aggregate | str) -> AggregateEqual:
    sides = (term(side) if isinstance(side, str) else side for side in (left, right))
    return AggregateEqual(*sides)


def rho(words: str) -> Interval:
    """``[0 5)`` in ticks."""
    low, high = words[1:-1].split()
    end = None if high == "inf" else Fraction(high)
    return Interval(Fraction(low), end, words[0] == "[", words[-1] == "]")


def rule(head: Formula | str, *body: Formula | str) -> Forall | Implies:
    made = f(head) if isinstance(head, str) else head
    condition = both(*body)
    names = sorted(free(made) | free(condition))
    clause = Implies((made,), condition)
    return Forall(tuple(map(Variable, names)), clause) if names else clause


def document(*rules: Forall | Implies, window: int | None = None) -> Document:
    given = None if window is None else Window(str(window), "")
    return Document(window=given, group=Group(tuple(rules)))


def triple(words: str) -> Triple:
    s, p, o = words.split()
    return ground(s), ground(p), ground(o)


def element(
    start: int, *triples: str, name: str = "", end: int | None = None, takes: str = ""
) -> HistoryElement:
    given = tuple(map(triple, triples))
    return HistoryElement(name or f"urn:at{start}", start, end, given, tuple(takes.split()))


def history(rules: Document, *items: HistoryItem, static: str = "", **more: object) -> History:
    statics = tuple(map(triple, filter(None, static.split(". "))))
    return History(rules, statics, (items,), metric=is_metric_document(rules), **more)  # type: ignore[arg-type]


def is_metric_document(rules: Document) -> bool:
    """Has it an operator, in aggregates too?"""
    return any(isinstance(one, MetricFormula) for one in formulas_of(rules_of(rules)))


def told(given: History) -> list[str]:
    """``+ 3 s p o``: what begins and ends, when; ``* s p o`` stands in E0."""
    found = []
    for line in map(json.loads, event_lines(given)):
        fact = line.get("atom") or " ".join(map(_short, (line["s"], line["p"], line["o"])))
        at = "" if line["at"] is None else f"{line['at']} "
        found.append(f"{line['op'] if at else '*'} {at}{fact}")
    return found


def _short(text: str) -> str:
    if text.startswith("<urn:"):
        return text[5:-1]
    return text.removesuffix(f"^^<{XSD}integer>").replace('"', "") if "integer" in text else text
