"""Which predicates of metric rules feed which, and what that means: by walks over predicates.

Predicates are all constants here: keys of frames, names of atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rif.syntax.ast import And, Atom, Constant, Exists, Formula, Frame, Or
from rif.syntax.negation import Naf
from temporal.mtl.ast import BinaryOperator, BoxMinus, BoxPlus, DiamondPlus, UnaryOperator, Until
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.formulas import text

if TYPE_CHECKING:
    from rif.syntax.ast import Document
    from tests.oracles.rules.datalog import Rule


class PredicateUse(NamedTuple):
    """A predicate in a formula: is it negated, is there an operator of past or future around it?"""

    predicate: str
    negated: bool
    past: bool
    future: bool


def readings(
    formula: Formula, *, negated: bool = False, past: bool = False, future: bool = False
) -> Iterator[PredicateUse]:
    """All predicates of a formula."""
    inner: tuple[Formula, ...] = ()
    match formula:
        case Frame():
            for key, _ in formula.slots:
                assert isinstance(key, Constant)
                yield PredicateUse(text(key.value), negated, past, future)
        case Atom():
            yield PredicateUse(text(formula.op), negated, past, future)
        case And() | Or():
            inner = formula.items
        case Exists():
            inner = (formula.body,)
        case Naf():
            inner, negated = (formula.body,), True
        case UnaryOperator() | BinaryOperator():
            ahead = isinstance(formula, DiamondPlus | BoxPlus | Until)
            far = formula.rho.right != 0
            past, future = past or (far and not ahead), future or (far and ahead)
            inner = (
                (formula.body,)
                if isinstance(formula, UnaryOperator)
                else (formula.phi, formula.psi)
            )
    for part in inner:
        yield from readings(part, negated=negated, past=past, future=future)


def unboxed(head: Formula) -> tuple[list[BoxMinus | BoxPlus], Formula]:
    """What a head stands under, and the head."""
    boxes: list[BoxMinus | BoxPlus] = []
    while isinstance(head, BoxMinus | BoxPlus):
        boxes.append(head)
        head = head.body
    return boxes, head


class Edge(NamedTuple):
    """A predicate of a head and one that its body reads."""

    derived: str
    read: PredicateUse


def edges(rules: list[Rule]) -> set[Edge]:
    """What feeds what."""
    found: set[Edge] = set()
    for rule in rules:
        if rule.body is None:
            continue
        for head in rule.head:
            boxes, inner = unboxed(head)
            past = any(isinstance(box, BoxPlus) and box.rho.right != 0 for box in boxes)
            future = any(isinstance(box, BoxMinus) and box.rho.right != 0 for box in boxes)
            for made in readings(inner):
                for read in readings(rule.body):
                    both = read._replace(past=read.past or past, future=read.future or future)
                    found.add(Edge(made.predicate, both))
    return found


def _cyclic(rules: list[Rule]) -> Iterator[PredicateUse]:
    """What is read by rules that it hangs on."""
    all_edges = edges(rules)
    reach: dict[str, set[str]] = {}
    for edge in all_edges:
        reach.setdefault(edge.derived, set()).add(edge.read.predicate)
    changed = True
    while changed:
        changed = False
        for beyond in reach.values():
            more = set[str]().union(*(reach.get(one, set()) for one in beyond)) - beyond
            beyond.update(more)
            changed = changed or bool(more)
    for edge in all_edges:
        read = edge.read.predicate
        if read == edge.derived or edge.derived in reach.get(read, set()):
            yield edge.read


def is_metric(document: Document) -> bool:
    """Has it a metric operator?"""
    return any(
        isinstance(part, UnaryOperator | BinaryOperator)
        for rule in rules_of(document)
        for formula in (*rule.head, *filter(None, [rule.body]))
        for part in walk(formula)
    )


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and all below it."""
    yield formula
    for part in parts(formula):
        yield from walk(part)


def parts(formula: Formula) -> tuple[Formula, ...]:
    """The direct sub-formulas."""
    match formula:
        case And() | Or():
            return formula.items
        case Exists() | Naf() | UnaryOperator():
            return (formula.body,)
        case BinaryOperator():
            return formula.phi, formula.psi
    return formula.parts


def is_recursive(rules: list[Rule]) -> bool:
    return any(True for _ in _cyclic(rules))


def looks_ahead_for_ever(document: Document) -> bool:
    return any(read.future for read in _cyclic(rules_of(document)))


def derives_on(document: Document) -> bool:
    return any(read.past for read in _cyclic(rules_of(document)))


def negates_itself(document: Document) -> bool:
    return any(read.negated for read in _cyclic(rules_of(document)))


def layers(rules: list[Rule]) -> list[list[Rule]]:
    """The rules so that what is negated is complete before it is asked for."""
    level: dict[str, int] = {}
    all_edges = edges(rules)
    for _ in range(len(all_edges) + 1):
        for edge in all_edges:
            least = level.get(edge.read.predicate, 0) + edge.read.negated
            level[edge.derived] = max(level.get(edge.derived, 0), least)
    found: dict[int, list[Rule]] = {}
    for rule in rules:
        if rule.body is not None:
            levels = (level.get(r.predicate, 0) + r.negated for r in readings(rule.body))
            found.setdefault(max(levels, default=0), []).append(rule)
    return [found[number] for number in sorted(found)]
